//! Gini's index and the entropy in whole numbers, so that equal splits are exactly equal on every machine.

#![allow(clippy::indexing_slicing, reason = "the table has a place for every count up to the number of rows")]

use super::judge::rank;

/// A measure of how pure children are, as a sum over their classes.
pub(super) trait Purity: Clone + Send + Sync {
    /// What a class with `count` rows adds to its child's sum.
    fn part(&self, count: u32) -> i64;

    /// From the sum and the number of rows of either child, the merit of the split.
    fn merit(&self, left: i64, left_rows: u32, right: i64, right_rows: u32) -> i64;
}

/// Minimising the weighted Gini index is maximising Σ_c l_c² / l + Σ_c r_c² / r.
#[derive(Clone)]
pub(super) struct Gini;

impl Purity for Gini {
    fn part(&self, count: u32) -> i64 {
        i64::from(count) * i64::from(count)
    }

    fn merit(&self, left: i64, left_rows: u32, right: i64, right_rows: u32) -> i64 {
        let (l, r) = (f64::from(left_rows), f64::from(right_rows));
        rank((left as f64 * r + right as f64 * l) / (l * r))
    }
}

/// Minimising the weighted entropy is maximising Σ_c l_c ln l_c − l ln l + Σ_c r_c ln r_c − r ln r, from a table.
#[derive(Clone)]
pub(super) struct Entropy(std::sync::Arc<[i64]>);

/// The table's numbers are multiples of 2⁻³².
const ONE: f64 = (1_u64 << 32) as f64;

impl Entropy {
    /// A table for counts up to `rows`.
    pub(super) fn new(rows: usize) -> Self {
        // The system's logarithm may differ in the last bit from machine to machine, and a sum of artanh does not:
        // ln(x + 1) = ln x + 2 artanh(1 / (2x + 1)).
        let mut logarithm = 0.0;
        let mut table = vec![0, 0];
        for x in 1..rows {
            logarithm += 2.0 * artanh(1.0 / (2 * x + 1) as f64);
            table.push(((x + 1) as f64 * logarithm * ONE).round() as i64);
        }
        Self(table.into())
    }
}

/// For numbers up to a third, whose powers vanish quickly.
fn artanh(x: f64) -> f64 {
    let (mut sum, mut power, mut odd) = (0.0, x, 1.0);
    while power > 1e-18 {
        sum += power / odd;
        power *= x * x;
        odd += 2.0;
    }
    sum
}

impl Purity for Entropy {
    fn part(&self, count: u32) -> i64 {
        self.0[count as usize]
    }

    fn merit(&self, left: i64, left_rows: u32, right: i64, right_rows: u32) -> i64 {
        left - self.part(left_rows) + right - self.part(right_rows)
    }
}
