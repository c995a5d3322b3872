//! How good a split is. Each task has a judge: class counts in classification, means in regression.

use super::order::Entry;

/// A place to cut a sorted run of keys, with its merit: the greater, the purer the children.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    /// How many keys go left.
    pub(super) left: usize,
    pub(super) merit: i64,
}

impl Cut {
    /// Worse than any.
    pub(super) const NONE: Self = Self { left: 0, merit: i64::MIN };

    /// The better of this and a cut after `left` keys, if that one is allowed. Whole numbers are chosen without a
    /// branch, which no processor could predict here.
    pub(super) fn or(self, left: usize, merit: i64, allowed: bool) -> Self {
        let better = (merit > self.merit) & allowed;
        Self { left: if better { left } else { self.left }, merit: if better { merit } else { self.merit } }
    }

    pub(super) fn found(self) -> Option<Self> {
        (self.left > 0).then_some(self)
    }
}

/// Numbers that are not negative, as whole numbers in the same order.
pub(super) fn rank(merit: f64) -> i64 {
    merit.to_bits() as i64
}

/// Judges splits of one node at a time.
pub(super) trait Judge {
    /// How many numbers a leaf holds.
    fn width(&self) -> usize;

    /// Starts a tree that sees row i `bag[i]` times: gives an entry for each row seen.
    fn start(&mut self, bag: &[u32], entries: &mut Vec<Entry>);

    /// Starts a node; says whether its labels are all the same.
    fn enter(&mut self, node: &[Entry]) -> bool;

    /// The best cut between different ranks that leaves `least` rows on each side; the first of equals.
    fn best(&mut self, sorted: &[u64], least: usize) -> Option<Cut>;

    /// The merit of sending those entries to the left for which `goes_left` says so.
    fn merit(&mut self, node: &[Entry], goes_left: impl Fn(&Entry) -> bool) -> i64;

    /// A merit that no split of this node exceeds; once it is reached, the search stops.
    fn unbeatable(&self) -> i64;

    /// Writes what a leaf with these entries predicts.
    fn leaf(&mut self, node: &[Entry], values: &mut Vec<f64>);
}
