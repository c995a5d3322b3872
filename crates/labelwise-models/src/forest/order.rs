//! Sorting the rows of a node along a column: the inner loop of growing a tree.

#![allow(
    clippy::indexing_slicing,
    reason = "ranks are below the number of distinct values, for which there is room"
)]

/// A row of a node: where it is, and what its label contributes to a split (see the judges).
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) row: u32,
    pub(super) payload: u32,
}

/// Sorts by counting where the ranks are dense, by comparison where rows are few. Its tables are kept from node to node.
#[derive(Default)]
pub(super) struct Sorter {
    keys: Vec<u64>,
    counts: Vec<[u32; 2]>,
    present: Vec<[u64; 2]>,
}

/// Number of rows below which a comparison sort is quicker than the passes of counting.
const FEW: usize = 10;
/// Counting goes through a table of the distinct values, which pays for up to this many of them per row.
const SPARSE: usize = 64;

/// The rank that a key carries above its payload.
pub(super) fn code(key: u64) -> u32 {
    (key >> 32) as u32
}

fn key(code: u32, payload: u32) -> u64 {
    u64::from(code) << 32 | u64::from(payload)
}

impl Sorter {
    /// The entries' payloads in the order of their ranks, each with its rank; `None` if all ranks are equal.
    pub(super) fn sort<C: Copy + Into<u32>>(
        &mut self,
        codes: &[C],
        distinct: usize,
        entries: &[Entry],
    ) -> Option<&[u64]> {
        let code = |entry: &Entry| -> u32 { codes[entry.row as usize].into() };
        if entries.len() <= FEW || distinct > SPARSE * entries.len() {
            let first = entries.first().map(&code)?;
            self.keys.clear();
            let mut differs = 0;
            self.keys.extend(entries.iter().map(|entry| {
                let code = code(entry);
                differs |= code ^ first;
                key(code, entry.payload)
            }));
            if differs == 0 {
                return None;
            }
            self.keys.sort_unstable();
            return Some(&self.keys);
        }
        self.count(distinct, entries, code)
    }

    /// Counts each rank, turns counts into places, and puts every entry in its place. Entries take turns in two tables:
    /// where one rank is common, as black is in images, each count would have to wait for the one before.
    fn count(&mut self, distinct: usize, entries: &[Entry], code: impl Fn(&Entry) -> u32) -> Option<&[u64]> {
        self.counts.clear();
        self.counts.resize(distinct, [0; 2]);
        self.present.clear();
        self.present.resize(distinct.div_ceil(64), [0; 2]);
        let (counts, present) = (&mut self.counts[..distinct], &mut self.present[..]);
        for_each_in_turns(entries, |turn, entry| {
            let code = code(entry) as usize;
            counts[code][turn] += 1;
            present[code / 64][turn] |= 1 << (code % 64);
        });
        let [one, other] = counts[entries.first().map(&code)? as usize];
        if (one + other) as usize == entries.len() {
            return None;
        }
        let mut place = 0;
        for (word, &[one, other]) in present.iter().enumerate() {
            let mut bits = one | other;
            while bits != 0 {
                let count = &mut counts[word * 64 + bits.trailing_zeros() as usize];
                let [one, other] = *count;
                *count = [place, place + one];
                place += one + other;
                bits &= bits - 1;
            }
        }
        self.keys.resize(entries.len(), 0);
        let keys = &mut self.keys[..];
        for_each_in_turns(entries, |turn, entry| {
            let code = code(entry);
            let place = &mut counts[code as usize][turn];
            keys[*place as usize] = key(code, entry.payload);
            *place += 1;
        });
        Some(&self.keys)
    }
}

fn for_each_in_turns(entries: &[Entry], mut visit: impl FnMut(usize, &Entry)) {
    let (pairs, rest) = entries.as_chunks::<2>();
    for [one, other] in pairs {
        visit(0, one);
        visit(1, other);
    }
    for entry in rest {
        visit(0, entry);
    }
}
