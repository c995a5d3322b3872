//! A grown tree in flat arrays, and how rows find their leaves.

#![allow(
    clippy::indexing_slicing,
    reason = "nodes point to nodes that were grown, and to features that exist"
)]

/// Nodes, and what the leaves predict.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// For each node, which leaf it is; of no use for others.
    pub(super) leaves: Vec<u32>,
    /// What each leaf predicts, leaf after leaf.
    pub(super) values: Vec<f64>,
}

/// A question: is the feature above the threshold? Its two children lie side by side. A leaf is its own child and asks
/// about infinity, so that rows know by standing still that they have arrived.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) threshold: f64,
    pub(super) feature: u32,
    pub(super) child: u32,
}

impl Node {
    /// A leaf at this place.
    pub(super) fn leaf(place: u32) -> Self {
        Self { threshold: f64::INFINITY, feature: 0, child: place }
    }
}

/// Rows on their way down a tree; kept from tree to tree.
#[derive(Default)]
pub(super) struct Walk {
    /// Row and node of those not known to have arrived.
    walking: Vec<(u32, u32)>,
    /// The node of each row.
    nodes: Vec<u32>,
}

impl Tree {
    /// The leaf of each row, as nodes. All rows take a step before any takes the next: they do not depend on each other,
    /// and the processor has always enough of them at hand.
    pub(super) fn walk<'a>(&self, rows: &[f64], columns: usize, walk: &'a mut Walk) -> &'a [u32] {
        let count = rows.len() / columns;
        walk.nodes.clear();
        walk.nodes.resize(count, 0);
        walk.walking.clear();
        walk.walking.extend((0..count as u32).map(|row| (row, 0)));
        let (nodes, arrived) = (&self.nodes[..], &mut walk.nodes[..]);
        let mut walking = &mut walk.walking[..];
        while !walking.is_empty() {
            let mut left = 0;
            for place in 0..walking.len() {
                let (row, now) = walking[place];
                let node = nodes[now as usize];
                let above = rows[row as usize * columns + node.feature as usize] > node.threshold;
                let next = node.child + u32::from(above);
                arrived[row as usize] = next;
                walking[left] = (row, next);
                left += usize::from(next != now);
            }
            walking = &mut walking[..left];
        }
        arrived
    }

    /// What a leaf predicts, in `width` numbers.
    pub(super) fn prediction(&self, node: u32, width: usize) -> &[f64] {
        let start = self.leaves[node as usize] as usize * width;
        &self.values[start..start + width]
    }
}
