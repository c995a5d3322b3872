//! Growing one tree, depth first, as scikit-learn's forests do: at each node features are drawn without replacement
//! until there are enough of them and one can be split. A column that is constant in a node is so in all nodes below;
//! those are remembered and not looked at again.
//!
//! A node of m rows and C classes costs O(m + C) for each feature looked at, so a tree of n rows, k features per node and
//! mean depth d takes O(k (n d + n C)), whatever the number of features there are to draw from.

#![allow(
    clippy::indexing_slicing,
    reason = "nodes are ranges of the entries, features are columns that exist"
)]

use super::columns::{Codes, Column, Columns};
use super::judge::Judge;
use super::options::Splitter;
use super::order::{Entry, Sorter, code};
use super::random::Random;
use super::tree::{Node, Tree};

/// When to stop, and what to choose from; checked before.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Features looked at in a node.
    pub(super) features: usize,
    pub(super) depth: usize,
    /// Rows a node needs to be split, and rows each child needs.
    pub(super) split: usize,
    pub(super) leaf: usize,
    pub(super) splitter: Splitter,
}

/// Grows trees one after the other in the same memory.
pub(super) struct Grower<'a, J> {
    columns: &'a Columns,
    limits: Limits,
    judge: J,
    sorter: Sorter,
    entries: Vec<Entry>,
    spare: Vec<Entry>,
    /// All features: first those known to be constant in the node at hand.
    features: Vec<u32>,
    waiting: Vec<Waiting>,
}

/// A node that has rows but no split yet.
struct Waiting {
    node: usize,
    start: usize,
    end: usize,
    depth: usize,
    constants: usize,
}

/// The best split so far: rows whose rank is at most `code` go left.
#[derive(Clone, Copy)]
struct Split {
    feature: u32,
    code: u32,
    threshold: f64,
    merit: i64,
}

/// What looking at a feature gave.
enum Look {
    /// All rows of the node have the same value.
    Constant,
    /// The values differ, but no cut leaves enough rows on both sides.
    Unfit,
    Cut(Split),
}

impl<'a, J: Judge> Grower<'a, J> {
    /// Empty memory.
    pub(super) fn new(columns: &'a Columns, limits: Limits, judge: J) -> Self {
        let features = (0..columns.0.len() as u32).collect();
        let (sorter, entries, spare, waiting) = (Sorter::default(), Vec::new(), Vec::new(), Vec::new());
        Self { columns, limits, judge, sorter, entries, spare, features, waiting }
    }

    /// A tree that sees row i `bag[i]` times.
    pub(super) fn grow(&mut self, bag: &[u32], random: &mut Random) -> Tree {
        self.entries.clear();
        self.judge.start(bag, &mut self.entries);
        // The order of features that an earlier tree left behind must not matter.
        self.features.iter_mut().zip(0..).for_each(|(feature, place)| *feature = place);
        let mut tree = Tree { nodes: vec![Node::leaf(0)], leaves: vec![0], values: Vec::new() };
        let root = Waiting { node: 0, start: 0, end: self.entries.len(), depth: 0, constants: 0 };
        self.waiting.push(root);
        while let Some(mut next) = self.waiting.pop() {
            match self.split(&mut next, random) {
                Some(split) => self.part(&next, split, &mut tree),
                None => {
                    tree.leaves[next.node] = (tree.values.len() / self.judge.width()) as u32;
                    self.judge.leaf(&self.entries[next.start..next.end], &mut tree.values);
                }
            }
        }
        tree
    }

    /// The split of a node, unless it is to be a leaf; constants found on the way are kept for its children.
    fn split(&mut self, next: &mut Waiting, random: &mut Random) -> Option<Split> {
        let rows = next.end - next.start;
        let pure = self.judge.enter(&self.entries[next.start..next.end]);
        let limits = self.limits;
        if pure || next.depth >= limits.depth || rows < limits.split || rows < 2 * limits.leaf {
            return None;
        }
        // The number of features not drawn yet that are known to be constant; the others lie between first and last.
        let mut constants = next.constants;
        let (mut first, mut last) = (next.constants, self.features.len());
        let (mut drawn, mut differing) = (0, 0);
        let mut best: Option<Split> = None;
        while (drawn < limits.features || differing == 0) && first < last {
            drawn += 1;
            let draw = random.below((constants + last - first) as u32) as usize;
            if draw < constants {
                constants -= 1;
                continue;
            }
            let place = first + draw - constants;
            match self.look(self.features[place], next, random) {
                Look::Constant => {
                    self.features.swap(place, first);
                    first += 1;
                    continue;
                }
                Look::Cut(split) if best.is_none_or(|best| split.merit > best.merit) => best = Some(split),
                _ => {}
            }
            last -= 1;
            self.features.swap(place, last);
            differing += 1;
            if best.is_some_and(|best| best.merit >= self.judge.unbeatable()) {
                break;
            }
        }
        next.constants = first;
        best
    }

    fn look(&mut self, feature: u32, node: &Waiting, random: &mut Random) -> Look {
        let columns = self.columns;
        let column = &columns.0[feature as usize];
        match &column.codes {
            Codes::Narrow(codes) => self.look_at(feature, column, codes, node, random),
            Codes::Medium(codes) => self.look_at(feature, column, codes, node, random),
            Codes::Wide(codes) => self.look_at(feature, column, codes, node, random),
        }
    }

    fn look_at<C: Copy + Into<u32>>(
        &mut self,
        feature: u32,
        column: &Column,
        codes: &[C],
        node: &Waiting,
        random: &mut Random,
    ) -> Look {
        let entries = &self.entries[node.start..node.end];
        match self.limits.splitter {
            Splitter::Best => {
                let Some(sorted) = self.sorter.sort(codes, column.values.len(), entries) else {
                    return Look::Constant;
                };
                let Some(cut) = self.judge.best(sorted, self.limits.leaf) else {
                    return Look::Unfit;
                };
                let (below, above) = (code(sorted[cut.left - 1]), code(sorted[cut.left]));
                let threshold = between(column.values[below as usize], column.values[above as usize]);
                Look::Cut(Split { feature, code: below, threshold, merit: cut.merit })
            }
            Splitter::Random => {
                let code = |entry: &Entry| -> u32 { codes[entry.row as usize].into() };
                let (low, high) = entries
                    .iter()
                    .map(code)
                    .fold((u32::MAX, 0), |(low, high), code| (low.min(code), high.max(code)));
                if low >= high {
                    return Look::Constant;
                }
                let (lowest, highest) = (column.values[low as usize], column.values[high as usize]);
                let drawn = lowest + random.unit() * (highest - lowest);
                // Rounding may reach the highest value, or overflow; neither would part anything.
                let threshold = if drawn >= lowest && drawn < highest { drawn } else { lowest };
                let below = column.values.partition_point(|value| *value <= threshold) as u32 - 1;
                let left = entries.iter().filter(|entry| code(entry) <= below).count();
                if left.min(entries.len() - left) < self.limits.leaf {
                    return Look::Unfit;
                }
                let merit = self.judge.merit(entries, |entry| code(entry) <= below);
                Look::Cut(Split { feature, code: below, threshold, merit })
            }
        }
    }

    /// Sends the rows to two new nodes, which wait for their turn.
    fn part(&mut self, parent: &Waiting, split: Split, tree: &mut Tree) {
        let columns = self.columns;
        let column = &columns.0[split.feature as usize];
        let left = match &column.codes {
            Codes::Narrow(codes) => self.move_rows(parent, |row| u32::from(codes[row]) <= split.code),
            Codes::Medium(codes) => self.move_rows(parent, |row| u32::from(codes[row]) <= split.code),
            Codes::Wide(codes) => self.move_rows(parent, |row| codes[row] <= split.code),
        };
        let child = tree.nodes.len() as u32;
        tree.nodes[parent.node] = Node { threshold: split.threshold, feature: split.feature, child };
        tree.nodes.extend([Node::leaf(child), Node::leaf(child + 1)]);
        tree.leaves.extend([0, 0]);
        let (depth, constants, middle) = (parent.depth + 1, parent.constants, parent.start + left);
        let node = child as usize;
        self.waiting.push(Waiting { node: node + 1, start: middle, end: parent.end, depth, constants });
        self.waiting.push(Waiting { node, start: parent.start, end: middle, depth, constants });
    }

    /// Brings the rows that go left before the others, and counts them. Every entry is written to both sides and kept
    /// on one, which spares the processor a guess.
    fn move_rows(&mut self, node: &Waiting, goes_left: impl Fn(usize) -> bool) -> usize {
        let entries = &mut self.entries[node.start..node.end];
        self.spare.resize(self.spare.len().max(entries.len()), Entry { row: 0, payload: 0 });
        let spare = &mut self.spare[..entries.len()];
        let (mut left, mut right) = (0, 0);
        for place in 0..entries.len() {
            let entry = entries[place];
            let is_left = goes_left(entry.row as usize);
            entries[left] = entry;
            spare[right] = entry;
            left += usize::from(is_left);
            right += usize::from(!is_left);
        }
        entries[left..].copy_from_slice(&spare[..right]);
        left
    }
}

/// A threshold that sends `below` to the left and `above` to the right, in the middle if rounding permits.
fn between(below: f64, above: f64) -> f64 {
    let middle = below / 2.0 + above / 2.0;
    if middle >= below && middle < above { middle } else { below }
}
