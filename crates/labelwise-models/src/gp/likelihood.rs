//! The log marginal likelihood of training labels and its gradient in the logarithms of the hyperparameters.

#![allow(clippy::indexing_slicing, reason = "a triangle of numbers: rows are found by arithmetic")]

use super::cholesky::{Cholesky, dot, start};
use super::kernel::LengthScale;
use super::process::GaussianProcess;

/// What does not change while hyperparameters are searched.
pub(super) struct Likelihood<'a> {
    inputs: &'a [f64],
    columns: usize,
    /// y - m.
    residuals: &'a [f64],
    learns_noise: bool,
    /// The share of each length scale in the squared distance of a pair.
    shares: Vec<f64>,
}

impl<'a> Likelihood<'a> {
    pub(super) fn new(
        process: &GaussianProcess,
        inputs: &'a [f64],
        columns: usize,
        residuals: &'a [f64],
    ) -> Self {
        let shares = vec![0.0; process.kernel.length_scale().values().len()];
        Self { inputs, columns, residuals, learns_noise: process.noise_variance > 0.0, shares }
    }

    /// -log p(y | x, θ), and its gradient by log length scales, log variance and log noise (if there is any).
    pub(super) fn minus_log_likelihood(&mut self, process: &GaussianProcess, gradient: &mut [f64]) -> f64 {
        let mut factor = Cholesky::default();
        let mut z: Vec<f64> = Vec::with_capacity(self.residuals.len());
        for (row, residual) in self.residuals.iter().enumerate() {
            let (earlier, point) = self.inputs[..(row + 1) * self.columns].split_at(row * self.columns);
            let pivot = factor.append(process.kernel.variance(), process.noise(), |out| {
                process.kernel.row(point, earlier, out)
            });
            z.push((residual - dot(&factor.row(row)[..row], &z)) / pivot.root);
        }
        let normalisation = 0.5 * (2.0 * std::f64::consts::PI).ln() * z.len() as f64;
        let value = 0.5 * dot(&z, &z) + factor.half_log_determinant() + normalisation;
        factor.solve_transposed(&mut z);
        self.gradient(process, &z, &factor.inverse(), gradient);
        value
    }

    /// -½ tr((α αᵀ - K⁻¹) ∂K/∂log θ), where α = K⁻¹ (y - m).
    fn gradient(&mut self, process: &GaussianProcess, alpha: &[f64], inverse: &[f64], gradient: &mut [f64]) {
        let variance = process.kernel.variance();
        let (by_scale, rest) = gradient.split_at_mut(self.shares.len());
        by_scale.fill(0.0);
        let (mut by_variance, mut trace) = (0.0, 0.0);
        let mut covariances = vec![0.0; alpha.len()];
        for i in 0..alpha.len() {
            let (earlier, point) = self.inputs[..(i + 1) * self.columns].split_at(i * self.columns);
            process.kernel.row(point, earlier, &mut covariances[..i]);
            let row = &inverse[start(i)..=start(i) + i];
            for (j, other) in earlier.chunks_exact(self.columns).enumerate() {
                // A pair stands twice in the trace, which takes the half away.
                let weight = row[j] - alpha[i] * alpha[j];
                by_variance += weight * covariances[j];
                let squared = shares(process.kernel.length_scale(), point, other, &mut self.shares);
                let slope = weight * process.kernel.slope(squared);
                by_scale.iter_mut().zip(&self.shares).for_each(|(sum, share)| *sum += slope * share);
            }
            trace += row[i] - alpha[i] * alpha[i];
        }
        rest[0] = by_variance + 0.5 * variance * trace;
        if self.learns_noise {
            rest[1] = 0.5 * process.noise_variance * trace;
        }
    }
}

/// The squared distance of two inputs in length scales, and the share of each length scale in it.
fn shares(scale: &LengthScale, a: &[f64], b: &[f64], shares: &mut [f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| a - b);
    match scale {
        LengthScale::Shared(scale) => shares[0] = differences.map(|d| (d / scale).powi(2)).sum(),
        LengthScale::PerFeature(scales) => {
            let pairs = shares.iter_mut().zip(differences.zip(scales));
            pairs.for_each(|(share, (d, scale))| *share = (d / scale).powi(2));
        }
    }
    // No slope is left at such a distance, and an infinite one times it would be no number.
    shares.iter_mut().for_each(|share| *share = share.min(1e200));
    shares.iter().sum()
}
