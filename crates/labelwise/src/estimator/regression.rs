//! The default: LURE with two controls whose weights are fitted to the samples (a generalised regression estimator).

use super::lure::controlled_terms;
use super::terms::{finite_pool, lure_coefficients};
use super::{Bias, Estimator, Sample, Terms, check_without_replacement};
use crate::error::Result;

/// The strength of the pull of fitted weights to those of controlled LURE, in labels.
const RIDGE: f64 = 3.0;

/// Controls have mean zero. Where their mean in the sample is more standard errors than this from it, the sample has missed
/// the few items that they depend on, and says nothing about slopes.
const ODD: f64 = 3.0;

/// Number of parameters of the fit: two controls and the level.
const FITTED: usize = 3;

/// R̂ = Σ c_m (y_m − b1 u_m − b0 w_m), where y_m are LURE's terms and
/// u_m = (g_m(i_m)/q_m − Σ g_m)/N, w_m = (1/q_m − n_m)/N have mean zero given the past.
///
/// It contains LURE (b = 0), controlled LURE (b1 = 1) and the ratio estimator (b0 = R). The weights minimise
/// Σ c_m² (y_m − e − b1 u_m − b0 w_m)², with a pull of three labels toward controlled LURE. The pull acts on w and on
/// the part of u that is orthogonal to w, and grows where their means in the sample cannot be chance: so the estimate moves by exactly k if k is added to losses and expectations
/// alike, and a control that is constant, or a copy of the other, drops out.
///
/// Its bias is of order 1/M. If you need none at all, take [`ControlledLure`](super::ControlledLure).
#[derive(Debug, Clone, Copy, Default)]
pub struct RegressionLure;

/// The fitted weights of the controls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Controls {
    /// Of a constant loss.
    pub b0: f64,
    /// Of the surrogate's expectation: near 1 if it predicts losses well, near 0 if it is useless.
    pub b1: f64,
}

impl RegressionLure {
    /// The weights fitted to these samples.
    pub fn controls(&self, samples: &[Sample], pool_size: usize) -> Result<Controls> {
        Ok(self.fit(samples, pool_size)?.0)
    }

    fn fit(&self, samples: &[Sample], pool_size: usize) -> Result<(Controls, Terms)> {
        check_without_replacement(samples, pool_size)?;
        let n = pool_size as f64;
        let c = lure_coefficients(samples.len(), pool_size);
        // With b1 = 1 already taken off, shrinking the rest to zero shrinks to controlled LURE.
        let y = controlled_terms(samples, pool_size);
        let u: Vec<f64> = samples.iter().map(|s| (s.control / s.q - s.control_total) / n).collect();
        let w: Vec<f64> =
            samples.iter().zip(0..).map(|(s, m)| (1.0 / s.q - (n - f64::from(m))) / n).collect();

        let weights: Vec<f64> = c.iter().map(|c| c * c).collect();
        let dot = |a: &[f64], b: &[f64]| covariance(&weights, a, b);
        // Controls are differences: what rounding leaves of them when they should be zero explains nothing.
        let dust = |size: &dyn Fn(&Sample) -> f64| {
            let squares = weights.iter().zip(samples).map(|(weight, s)| weight * (size(s) / n).powi(2));
            1e-22 * squares.sum::<f64>()
        };
        let shrunk = |control: &[f64], dust: f64| {
            let square = dot(control, control);
            // Pulled against the size of the control, not its spread: of a few samples whose controls happen to be
            // alike, the spread is near zero and any slope would do.
            let size: f64 = weights.iter().zip(control).map(|(weight, x)| weight * x * x).sum();
            if square > dust {
                let odd = (samples.len() as f64 * (1.0 - square / size) / (ODD * ODD)).max(1.0);
                dot(control, &y) / (square + RIDGE * odd * odd / samples.len() as f64 * size)
            } else {
                0.0
            }
        };
        let w_dust = dust(&|s| 1.0 / s.q);
        let b_w = shrunk(&w, w_dust);
        let ww = dot(&w, &w);
        let slope = if ww > w_dust { dot(&u, &w) / ww } else { 0.0 };
        let apart: Vec<f64> = u.iter().zip(&w).map(|(u, w)| u - slope * w).collect();
        let b_u = shrunk(&apart, dust(&|s| s.control.abs() / s.q + s.control_total.abs()));

        let a = y.iter().zip(&w).zip(&apart).map(|((y, w), u)| y - b_w * w - b_u * u).collect();
        let budget = samples.len();
        let spent =
            if budget == pool_size { 1.0 } else { budget as f64 / budget.saturating_sub(FITTED) as f64 };
        let factor = spent * finite_pool(budget, pool_size);
        Ok((Controls { b0: b_w - b_u * slope, b1: 1.0 + b_u }, Terms::new(a, c, factor)))
    }
}

impl Estimator for RegressionLure {
    fn name(&self) -> &'static str {
        "regression LURE"
    }

    fn bias(&self) -> Bias {
        Bias::Vanishing
    }

    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms> {
        let (controls, terms) = self.fit(samples, pool_size)?;
        Ok(terms.with_controls(controls))
    }
}

/// The weighted covariance, not normalised.
fn covariance(weights: &[f64], a: &[f64], b: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let mean = |x: &[f64]| weights.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() / total;
    let (mean_a, mean_b) = (mean(a), mean(b));
    weights.iter().zip(a.iter().zip(b)).map(|(w, (a, b))| w * (a - mean_a) * (b - mean_b)).sum()
}
