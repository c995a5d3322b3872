//! What labels are worth between 0 and 1, and what a mean worth says about labels.

use std::fmt::Debug;

use super::logistic::logit;
use crate::numerics::{LOWEST, exponential};
use crate::task::{Classification, Regression, Task};

/// Pseudo-labels that are spread over all classes before the first label.
const PSEUDO_LABELS: f64 = 4.0;

/// Spread of values between 0 and 1 before the first label, relative to that of 0 and 1 alone, and the pseudo-labels that say
/// so, times 0.2.
const SPREAD: (f64, f64) = (0.3, 4.0);

/// A task whose labels have a worth.
pub trait WorthOf: Task {
    /// What a label is worth.
    type Scale: WorthScale<Self>;
}

/// What labels are worth.
pub trait WorthScale<T: Task>: Debug + Clone + Send + Sync + 'static {
    /// The worth of a label, between 0 and 1.
    fn worth(&self, label: T::Label) -> f64;
    /// Number of columns of a belief.
    fn columns(&self) -> usize;
    /// What labels say beside their worth; each comes with the worth that was expected of it.
    fn seen(&self, labels: &[(T::Label, f64)]) -> Seen;
    /// The belief about an item of this expected worth, appended to `row`.
    fn believe(&self, expected: f64, seen: &Seen, row: &mut Vec<f64>);
    /// The same of several items, one row after the other.
    fn believe_all(&self, expected: &[f64], seen: &Seen, rows: &mut Vec<f64>) {
        expected.iter().for_each(|expected| self.believe(*expected, seen, rows));
    }
}

/// What labels say beside their worth.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// How often each class was seen, with pseudo-labels.
    classes: Vec<f64>,
    /// The variance of values, relative to g (1 − g).
    spread: f64,
}

impl WorthOf for Classification {
    type Scale = Vec<f64>;
}

/// The worth of each class, from 0 to 1.
impl WorthScale<Classification> for Vec<f64> {
    fn worth(&self, label: usize) -> f64 {
        self.get(label).copied().unwrap_or(0.5)
    }

    fn columns(&self) -> usize {
        self.len()
    }

    fn seen(&self, labels: &[(usize, f64)]) -> Seen {
        let mut classes = vec![PSEUDO_LABELS / self.len().max(1) as f64; self.len()];
        for (label, _) in labels {
            if let Some(count) = classes.get_mut(*label) {
                *count += 1.0;
            }
        }
        Seen { classes, spread: 1.0 }
    }

    /// Classes as often as they were seen, tilted until their mean worth is the expected one.
    fn believe(&self, expected: f64, seen: &Seen, row: &mut Vec<f64>) {
        if let Some(two) = TwoWorths::of(self, seen) {
            row.extend(two.shares(self, seen, expected));
            return;
        }
        let expected = kept_inside(expected);
        let theta = tilt(self, &seen.classes, expected);
        let weights: Vec<f64> = tilted(self, &seen.classes, theta).map(|(_, weight)| weight).collect();
        let sum: f64 = weights.iter().sum();
        row.extend(weights.iter().map(|weight| weight / sum));
    }

    fn believe_all(&self, expected: &[f64], seen: &Seen, rows: &mut Vec<f64>) {
        match TwoWorths::of(self, seen) {
            Some(two) => expected.iter().for_each(|expected| rows.extend(two.shares(self, seen, *expected))),
            None => expected.iter().for_each(|expected| self.believe(*expected, seen, rows)),
        }
    }
}

fn kept_inside(expected: f64) -> f64 {
    expected.clamp(1e-9, 1.0 - 1e-9)
}

/// Worths of 0 and 1 alone need no search.
struct TwoWorths {
    /// How often classes of worth 1 were seen, and those of worth 0.
    ones: f64,
    zeros: f64,
}

impl TwoWorths {
    /// `None` if there are other worths.
    fn of(worths: &[f64], seen: &Seen) -> Option<Self> {
        let of = |wanted: f64| -> f64 {
            let classes = worths.iter().zip(&seen.classes).filter(|(worth, _)| **worth == wanted);
            classes.map(|(_, count)| count).sum()
        };
        let all = worths.iter().all(|worth| *worth == 0.0 || *worth == 1.0);
        all.then(|| Self { ones: of(1.0), zeros: of(0.0) })
    }

    fn shares<'a>(&self, worths: &'a [f64], seen: &'a Seen, expected: f64) -> impl Iterator<Item = f64> + 'a {
        let expected = kept_inside(expected);
        let (ones, zeros) = (expected / self.ones, (1.0 - expected) / self.zeros);
        let classes = worths.iter().zip(&seen.classes);
        classes.map(move |(worth, count)| count * if *worth == 1.0 { ones } else { zeros })
    }
}

/// The worth of each class with count · e^(θ worth), but for a common factor.
fn tilted<'a>(worths: &'a [f64], counts: &'a [f64], theta: f64) -> impl Iterator<Item = (f64, f64)> + 'a {
    // The largest exponent is 0, since worths are between 0 and 1.
    let top = theta.max(0.0);
    let weight =
        move |(worth, count): (&f64, &f64)| (*worth, count * exponential((theta * worth - top).max(LOWEST)));
    worths.iter().zip(counts).map(weight)
}

/// θ such that classes with weights count · e^(θ worth) have this mean worth.
fn tilt(worths: &[f64], counts: &[f64], expected: f64) -> f64 {
    let mean = |theta: f64| {
        let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
        for (worth, weight) in tilted(worths, counts, theta) {
            sum += weight;
            first += weight * worth;
            second += weight * worth * worth;
        }
        (first / sum, (second / sum - (first / sum).powi(2)).max(1e-12))
    };
    let (mut low, mut high) = (-60.0, 60.0);
    let mut theta = logit(expected).clamp(-50.0, 50.0);
    for _ in 0..60 {
        let (at, slope) = mean(theta);
        let off = at - expected;
        if off.abs() < 1e-12 {
            break;
        }
        if off > 0.0 {
            high = theta
        } else {
            low = theta
        };
        let newton = theta - off / slope;
        theta = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    theta
}

impl WorthOf for Regression {
    type Scale = (f64, f64);
}

/// The smallest and the largest possible label.
impl WorthScale<Regression> for (f64, f64) {
    fn worth(&self, label: f64) -> f64 {
        ((label - self.0) / (self.1 - self.0)).clamp(0.0, 1.0)
    }

    fn columns(&self) -> usize {
        2
    }

    fn seen(&self, labels: &[(f64, f64)]) -> Seen {
        let (mut squares, mut most) = (SPREAD.0 * SPREAD.1, SPREAD.1);
        for (label, expected) in labels {
            squares += (self.worth(*label) - expected).powi(2);
            most += expected * (1.0 - expected);
        }
        Seen { classes: Vec::new(), spread: (squares / most).min(1.0) }
    }

    fn believe(&self, expected: f64, seen: &Seen, row: &mut Vec<f64>) {
        let width = self.1 - self.0;
        row.extend([self.0 + width * expected, seen.spread * expected * (1.0 - expected) * width * width]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beliefs_about_classes_have_the_expected_worth() {
        for worths in
            [vec![0.0, 1.0], vec![0.0, 0.0, 1.0], vec![0.0, 0.5, 1.0], vec![0.0, 0.25, 0.5, 0.75, 1.0]]
        {
            let told: Vec<(usize, f64)> = [0, 1, 1, 1].into_iter().map(|class| (class, 0.5)).collect();
            let seen = worths.seen(&told);
            for expected in [1e-6, 0.03, 0.4, 0.5, 0.9, 0.9999] {
                let mut row = vec![7.0];
                worths.believe(expected, &seen, &mut row);
                let row = &row[1..];
                let mean: f64 = row.iter().zip(&worths).map(|(p, w)| p * w).sum();
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{worths:?} {expected} {row:?}");
                assert!((mean - expected).abs() < 1e-8, "{worths:?} {expected} {row:?}");
            }
        }
    }

    #[test]
    fn values_keep_their_range() {
        let scale = (1.0, 5.0);
        let seen = WorthScale::<Regression>::seen(&scale, &[(5.0, 0.1), (1.0, 0.9)]);
        assert!((seen.spread - (1.2 + 2.0 * 0.81) / (4.0 + 0.18)).abs() < 1e-12);
        let mut row = Vec::new();
        WorthScale::<Regression>::believe(&scale, 0.25, &seen, &mut row);
        assert!((row[0] - 2.0).abs() < 1e-12 && row[1] > 0.0 && row[1] < 3.0, "{row:?}");
        assert_eq!(WorthScale::<Regression>::worth(&scale, 3.0), 0.5);
    }
}
