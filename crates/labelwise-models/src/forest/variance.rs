//! The judge of values: splits by means, leaves of a mean and the variance around it.

#![allow(clippy::indexing_slicing, reason = "payloads are rows, and the tables have one place a row")]

use super::judge::{Cut, Judge, rank};
use super::order::{Entry, code};

/// Sums of a node and of its children to be.
#[derive(Clone)]
pub(super) struct Variance<'a> {
    labels: &'a [f64],
    /// The mean of all labels, which is taken away so that squares of sums stay precise.
    centre: f64,
    /// For each row, its repeats in the tree, and its label from the centre times that.
    weighed: Vec<(f64, f64)>,
    rows: f64,
    sum: f64,
    unbeatable: i64,
}

impl<'a> Variance<'a> {
    /// Finite labels.
    pub(super) fn new(labels: &'a [f64]) -> Self {
        // Dividing first, the sum of huge labels stays finite.
        let centre = labels.iter().map(|label| label / labels.len() as f64).sum();
        Self { labels, centre, weighed: Vec::new(), rows: 0.0, sum: 0.0, unbeatable: i64::MAX }
    }

    /// Minimising the weighted variance is maximising (Σ left)² / l + (Σ right)² / r.
    fn children(&self, left: f64, left_rows: f64) -> i64 {
        let (right, right_rows) = (self.sum - left, self.rows - left_rows);
        rank((left * left * right_rows + right * right * left_rows) / (left_rows * right_rows))
    }
}

impl Judge for Variance<'_> {
    fn width(&self) -> usize {
        2
    }

    fn start(&mut self, bag: &[u32], entries: &mut Vec<Entry>) {
        self.weighed.clear();
        let centred = self.labels.iter().map(|label| label - self.centre);
        self.weighed
            .extend(bag.iter().map(|&repeats| f64::from(repeats)).zip(centred).map(|(r, y)| (r, r * y)));
        let seen = (0..).zip(bag).filter(|(_, repeats)| **repeats > 0);
        entries.extend(seen.map(|(row, _)| Entry { row, payload: row }));
    }

    fn enter(&mut self, node: &[Entry]) -> bool {
        (self.rows, self.sum) = (0.0, 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for entry in node {
            let (repeats, value) = self.weighed[entry.row as usize];
            let label = self.labels[entry.row as usize];
            (low, high) = (low.min(label), high.max(label));
            self.rows += repeats;
            self.sum += value;
        }
        // Two rows can be parted in one way only.
        self.unbeatable = if node.len() == 2 { i64::MIN } else { i64::MAX };
        low >= high
    }

    fn best(&mut self, sorted: &[u64], least: usize) -> Option<Cut> {
        let (first, last) = (least - 1, sorted.len() - least);
        let (mut left, mut left_rows) = (0.0, 0.0);
        let mut best = Cut::NONE;
        for (place, pair) in sorted[..=last].windows(2).enumerate() {
            let (repeats, value) = self.weighed[pair[0] as u32 as usize];
            left_rows += repeats;
            left += value;
            let merit = self.children(left, left_rows);
            best = best.or(place + 1, merit, (code(pair[0]) != code(pair[1])) & (place >= first));
        }
        best.found()
    }

    fn merit(&mut self, node: &[Entry], goes_left: impl Fn(&Entry) -> bool) -> i64 {
        let (mut left, mut left_rows) = (0.0, 0.0);
        for entry in node.iter().filter(|entry| goes_left(entry)) {
            let (repeats, value) = self.weighed[entry.row as usize];
            left_rows += repeats;
            left += value;
        }
        self.children(left, left_rows)
    }

    fn unbeatable(&self) -> i64 {
        self.unbeatable
    }

    fn leaf(&mut self, node: &[Entry], values: &mut Vec<f64>) {
        let mean = self.centre + self.sum / self.rows;
        let squares = node.iter().map(|entry| {
            let row = entry.row as usize;
            self.weighed[row].0 * (self.labels[row] - mean).powi(2)
        });
        values.extend([mean, squares.sum::<f64>() / self.rows]);
    }
}
