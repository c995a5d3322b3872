//! What labels have taught of the coefficients, and what it says of every item.

use super::logistic;
use super::scale::Seen;
use crate::matrix::Rows;
use crate::numerics::{LOWEST, Wide, exponential, widely};

/// Items that are worked on together: their numbers stay in the nearest cache.
pub(super) const RUN: usize = 512;

/// A share ε of items on which features say nothing, the weight that labels give it, and the coefficients with it.
pub(super) type Part = (f64, f64, Vec<f64>);

/// The coefficients at every contamination, with the weights that labels give them.
pub(super) struct Learnt {
    pub(super) parts: Vec<Part>,
    pub(super) seen: Seen,
}

impl Learnt {
    /// E(worth) of an item; `row` starts with 1.
    pub(super) fn expected(&self, row: &[f64]) -> f64 {
        self.parts.iter().map(|(epsilon, weight, b)| weight * logistic::expected(row, b, *epsilon)).sum()
    }

    /// E(worth) of a run of items, to the same bits; rows of features do not start with 1.
    pub(super) fn expected_of(&self, rows: Rows<'_>, into: &mut Vec<f64>) {
        into.clear();
        into.resize(rows.values().len() / rows.columns(), 0.0);
        let mut odds = vec![0.0; into.len()];
        for (epsilon, weight, b) in &self.parts {
            let Some((intercept, slopes)) = b.split_first() else { continue };
            for (odds, row) in odds.iter_mut().zip(rows.iter()) {
                *odds = slopes.iter().zip(row).fold(*intercept, |sum, (slope, z)| sum + z * slope);
            }
            widely(Adding { odds: &odds, epsilon: *epsilon, weight: *weight, into });
        }
    }
}

/// Adds the weighted expectation of one part: [`logistic::expected`] without a branch, so that it fills vector registers.
struct Adding<'a> {
    odds: &'a [f64],
    epsilon: f64,
    weight: f64,
    into: &'a mut [f64],
}

impl Wide for Adding<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { odds, epsilon, weight, into } = self;
        let (clean, noise) = (1.0 - epsilon, 0.5 * epsilon);
        for (sum, odds) in into.iter_mut().zip(odds) {
            let distance = -odds.abs();
            let e = exponential(if distance > LOWEST { distance } else { LOWEST });
            let above = if *odds >= 0.0 { 1.0 } else { e };
            *sum += weight * (clean * (above / (1.0 + e)) + noise);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_items_have_the_bits_of_single_items() {
        let odds: Vec<f64> =
            (0..RUN + 7).map(|n| (n as f64 - 250.0) * 0.11 * if n % 5 == 0 { 40.0 } else { 1.0 }).collect();
        let rows: Vec<f64> = odds.iter().flat_map(|odds| [*odds, (0.3 * odds).sin()]).collect();
        let parts = vec![
            (0.0, 0.7, vec![-0.2, 0.9, 0.4]),
            (0.1, 0.2, vec![0.0, 1.1, -0.3]),
            (0.3, 0.1, vec![1e-3, 0.0, 2.0]),
        ];
        let learnt = Learnt { parts, seen: Seen::default() };
        let mut found = Vec::new();
        learnt.expected_of(Rows::new(&rows, 2), &mut found);
        for (found, row) in found.iter().zip(rows.chunks(2)) {
            let one = learnt.expected(&[1.0, row[0], row[1]]);
            assert_eq!(found.to_bits(), one.to_bits(), "{row:?}");
        }
        assert_eq!(found.len(), odds.len());
    }
}
