//! Logistic regression of a value between 0 and 1 with an informative prior and a share of items on which features say
//! nothing.

use crate::numerics::{LOWEST, exponential, ln};

/// Number of steps of Fisher's scoring. Each is bounded, so that labels that are all the same cannot run away.
const STEPS: usize = 25;

/// Longest step of a coefficient.
const LONGEST: f64 = 1.5;

/// Steps below this change nothing that matters.
const SMALL: f64 = 1e-6;

/// A coefficient vector b ~ N(mean, precision⁻¹).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gaussian {
    pub(crate) mean: Vec<f64>,
    /// Row after row.
    pub(crate) precision: Vec<f64>,
}

impl Gaussian {
    /// Independent coefficients with these precisions.
    pub(crate) fn diagonal(mean: Vec<f64>, precisions: &[f64]) -> Self {
        let size = mean.len();
        let mut precision = vec![0.0; size * size];
        for (place, value) in precisions.iter().enumerate().take(size) {
            if let Some(cell) = precision.get_mut(place * size + place) {
                *cell = *value;
            }
        }
        Self { mean, precision }
    }

    /// P (b − mean).
    fn pull(&self, b: &[f64]) -> Vec<f64> {
        let off: Vec<f64> = b.iter().zip(&self.mean).map(|(b, mean)| b - mean).collect();
        self.precision.chunks_exact(self.mean.len().max(1)).map(|row| dot(row, &off)).collect()
    }

    /// (b − mean)' P (b − mean) / 2.
    fn penalty(&self, b: &[f64]) -> f64 {
        let off = b.iter().zip(&self.mean).map(|(b, mean)| b - mean);
        0.5 * off.zip(self.pull(b)).map(|(off, pull)| off * pull).sum::<f64>()
    }
}

/// The fitted coefficients, and the penalised log-likelihood at them.
pub(crate) struct Fitted {
    pub(crate) coefficients: Vec<f64>,
    pub(crate) log_posterior: f64,
}

/// 1 / (1 + e^−x).
pub(crate) fn sigmoid(x: f64) -> f64 {
    let e = exponential((-x.abs()).max(LOWEST));
    if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// ln(p / (1 − p)).
pub(crate) fn logit(p: f64) -> f64 {
    ln(p) - ln(1.0 - p)
}

/// E(y) of a row of features, which starts with 1: (1 − ε) sigmoid(b'z) + ε/2.
pub(crate) fn expected(row: &[f64], b: &[f64], epsilon: f64) -> f64 {
    (1.0 - epsilon) * sigmoid(dot(row, b)) + 0.5 * epsilon
}

/// The most probable coefficients: rows of features with their values between 0 and 1.
pub(crate) fn fit(rows: &[(Vec<f64>, f64)], prior: &Gaussian, epsilon: f64) -> Fitted {
    let mut b = prior.mean.clone();
    let size = b.len();
    for _ in 0..STEPS {
        let mut information = prior.precision.clone();
        let mut gradient: Vec<f64> = prior.pull(&b).iter().map(|pull| -pull).collect();
        for (row, value) in rows {
            let clean = sigmoid(dot(row, &b));
            let p = (1.0 - epsilon) * clean + 0.5 * epsilon;
            let slope = ((1.0 - epsilon) * clean * (1.0 - clean)).max(1e-9);
            let weight = slope / (p * (1.0 - p)).max(1e-9);
            let (step, curvature) = ((value - p) * weight, (weight * slope).max(1e-4));
            gradient.iter_mut().zip(row).for_each(|(sum, z)| *sum += step * z);
            for (line, z) in information.chunks_exact_mut(size.max(1)).zip(row) {
                line.iter_mut().zip(row).for_each(|(cell, other)| *cell += curvature * z * other);
            }
        }
        let Some(step) = solve(information, gradient) else { break };
        let longest = step.iter().fold(0.0_f64, |most, step| most.max(step.abs()));
        let share = if longest > LONGEST { LONGEST / longest } else { 1.0 };
        b.iter_mut().zip(&step).for_each(|(b, step)| *b += share * step);
        if longest < SMALL {
            break;
        }
    }
    let likelihood: f64 =
        rows.iter().map(|(row, value)| log_likelihood(expected(row, &b, epsilon), *value)).sum();
    let log_posterior = likelihood - prior.penalty(&b);
    Fitted { coefficients: b, log_posterior }
}

/// The information that rows and prior have about the coefficients at b, row after row.
pub(crate) fn information(rows: &[(Vec<f64>, f64)], prior: &Gaussian, b: &[f64], epsilon: f64) -> Vec<f64> {
    let mut information = prior.precision.clone();
    for (row, _) in rows {
        let clean = sigmoid(dot(row, b));
        let p = (1.0 - epsilon) * clean + 0.5 * epsilon;
        let slope = (1.0 - epsilon) * clean * (1.0 - clean);
        let curvature = slope * slope / (p * (1.0 - p)).max(1e-9);
        for (line, z) in information.chunks_exact_mut(b.len().max(1)).zip(row) {
            line.iter_mut().zip(row).for_each(|(cell, other)| *cell += curvature * z * other);
        }
    }
    information
}

/// The inverse of a positive definite matrix, row after row; `None` if it is not one.
pub(crate) fn inverse(matrix: &[f64], size: usize) -> Option<Vec<f64>> {
    let unit = |at: usize| (0..size).map(|place| if place == at { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let columns: Option<Vec<Vec<f64>>> = (0..size).map(|at| solve(matrix.to_vec(), unit(at))).collect();
    // It is symmetric, so its columns are its rows.
    columns.map(|columns| columns.concat())
}

/// y ln p + (1 − y) ln(1 − p).
fn log_likelihood(p: f64, value: f64) -> f64 {
    let p = p.clamp(1e-9, 1.0 - 1e-9);
    value * ln(p) + (1.0 - value) * ln(1.0 - p)
}

pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// x of A x = b for a positive definite A, row after row; `None` if it is not.
#[allow(clippy::indexing_slicing, reason = "a kernel: A has `size` rows of `size` numbers")]
fn solve(mut a: Vec<f64>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let size = b.len();
    if a.len() != size * size {
        return None;
    }
    for column in 0..size {
        let pivot = a[column * size + column];
        if pivot <= 0.0 || !pivot.is_finite() {
            return None;
        }
        for row in column + 1..size {
            let factor = a[row * size + column] / pivot;
            for place in column..size {
                a[row * size + place] -= factor * a[column * size + place];
            }
            b[row] -= factor * b[column];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|place| a[row * size + place] * b[place]).sum();
        b[row] = (b[row] - known) / a[row * size + row];
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_has_no_gradient() {
        let rows: Vec<(Vec<f64>, f64)> = (0..40)
            .map(|i| (vec![1.0, f64::from(i % 7) - 3.0], if i % 3 == 0 { 1.0 } else { 0.2 }))
            .collect();
        let prior = Gaussian::diagonal(vec![0.0, 1.0], &[1.0, 10.0]);
        for epsilon in [0.0, 0.1] {
            let best = fit(&rows, &prior, epsilon);
            for (place, step) in [(0, 1e-3), (0, -1e-3), (1, 1e-3), (1, -1e-3)] {
                let mut other = best.coefficients.clone();
                other[place] += step;
                let likelihood: f64 =
                    rows.iter().map(|(row, y)| log_likelihood(expected(row, &other, epsilon), *y)).sum();
                assert!(likelihood - prior.penalty(&other) < best.log_posterior, "{epsilon} {place} {step}");
            }
        }
    }

    #[test]
    fn labels_that_are_all_alike_stay_finite() {
        let rows: Vec<(Vec<f64>, f64)> = (0..500).map(|_| (vec![1.0, 7.0], 0.0)).collect();
        let prior = Gaussian::diagonal(vec![0.0, 1.0], &[1.0, 11.0]);
        let found = fit(&rows, &prior, 0.0);
        assert!(
            found.coefficients.iter().all(|b| b.is_finite() && b.abs() < 20.0),
            "{:?}",
            found.coefficients
        );
    }
}
