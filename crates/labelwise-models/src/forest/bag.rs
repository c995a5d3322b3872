//! Which rows each tree saw.

use super::options::Bagging;
use super::random::Random;

/// A set of rows, one bit per row.
pub(super) struct Bag(Vec<u64>);

impl Bag {
    /// The rows with a count above zero.
    pub(super) fn new(counts: &[u32]) -> Self {
        let word =
            |counts: &[u32]| counts.iter().rev().fold(0, |word, &count| word << 1 | u64::from(count > 0));
        Self(counts.chunks(64).map(word).collect())
    }

    /// Whether the row is in the bag.
    pub(super) fn holds(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }
}

/// How often a tree sees each row.
pub(super) fn draw(counts: &mut [u32], bagging: Bagging, random: &mut Random) {
    match bagging {
        Bagging::Off => counts.fill(1),
        Bagging::Bootstrap => {
            counts.fill(0);
            for _ in 0..counts.len() {
                let row = random.below(counts.len() as u32) as usize;
                if let Some(count) = counts.get_mut(row) {
                    *count += 1;
                }
            }
        }
    }
}
