//! Regression LURE in centred form: the same whichever side a loss is counted from.

use super::lure::controlled_terms;
use super::terms::{finite_pool, lure_coefficients};
use super::{Bias, Controls, Estimator, Sample, Terms, check_without_replacement};
use crate::error::Result;

/// The strength of the pull of fitted weights to those of controlled LURE, in labels.
const RIDGE: f64 = 30.0;

/// Number of labels that the shrunken fit spends: about half of its three numbers.
const SPENT: f64 = 1.5;

/// R̂ = Σ c_m (y_m − u_m − d1 z_m − d0 w_m), where y_m − u_m are the terms of controlled LURE,
/// z_m = (g_m(i_m) − ḡ_m)/(N q_m) is the control about its mean over the items that could be drawn, and
/// w_m = (1/q_m − n_m)/N.
///
/// The weights minimise Σ c_m² (y_m − u_m − e − d1 z_m − d0 w_m)² with a ridge of 30/M on d1 and d0, relative to the size of
/// z and w. For the losses b − ℒ, z, w and the residuals change their sign or stay: the estimate is b − R̂, to rounding.
///
/// Its bias is of order 1/M. If you need none at all, take [`ControlledLure`](super::ControlledLure).
#[derive(Debug, Clone, Copy, Default)]
pub struct CentredLure;

impl Estimator for CentredLure {
    fn name(&self) -> &'static str {
        "centred regression LURE"
    }

    fn bias(&self) -> Bias {
        Bias::Vanishing
    }

    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms> {
        check_without_replacement(samples, pool_size)?;
        self.terms_by(samples, pool_size, lure_coefficients(samples.len(), pool_size))
    }

    fn terms_by(&self, samples: &[Sample], pool_size: usize, coefficients: Vec<f64>) -> Result<Terms> {
        check_without_replacement(samples, pool_size)?;
        let (n, budget) = (pool_size as f64, samples.len());
        let c = coefficients;
        let y = controlled_terms(samples, pool_size);
        let left = |m: usize| n - m as f64;
        let controls = |(m, s): (usize, &Sample)| {
            let z = (s.control - s.control_total / left(m)) / (n * s.q);
            (z, (1.0 / s.q - left(m)) / n)
        };
        let controls: Vec<(f64, f64)> = samples.iter().enumerate().map(controls).collect();

        // The level e is not shrunk: everything is taken about its weighted mean. The ridge is relative to the plain size.
        let total: f64 = c.iter().map(|c| c * c).sum();
        let mean =
            |of: &dyn Fn(usize) -> f64| c.iter().enumerate().map(|(m, c)| c * c * of(m)).sum::<f64>() / total;
        let z = |m: usize| controls.get(m).map_or(0.0, |(z, _)| *z);
        let w = |m: usize| controls.get(m).map_or(0.0, |(_, w)| *w);
        let v = |m: usize| y.get(m).copied().unwrap_or(0.0);
        let (mean_z, mean_w, mean_y) = (mean(&z), mean(&w), mean(&v));
        let (size_z, size_w) = (mean(&|m| z(m) * z(m)), mean(&|m| w(m) * w(m)));
        let cross_zw = mean(&|m| (z(m) - mean_z) * (w(m) - mean_w));
        let cross_zy = mean(&|m| (z(m) - mean_z) * (v(m) - mean_y));
        let cross_wy = mean(&|m| (w(m) - mean_w) * (v(m) - mean_y));
        let ridge = RIDGE / budget as f64;
        let a11 = mean(&|m| (z(m) - mean_z).powi(2)) + ridge * size_z;
        let a22 = mean(&|m| (w(m) - mean_w).powi(2)) + ridge * size_w;
        // A control that is zero but for rounding explains nothing.
        let (use_z, use_w) = (
            a11 > 1e-22 * mean(&|m| reach(samples, m, n)),
            a22 > 1e-22 * mean(&|m| reach_of_one(samples, m, n)),
        );
        let determinant = a11 * a22 - cross_zw * cross_zw;
        let (d1, d0) = match (use_z, use_w) {
            (true, true) if determinant > 0.0 => (
                (cross_zy * a22 - cross_wy * cross_zw) / determinant,
                (cross_wy * a11 - cross_zy * cross_zw) / determinant,
            ),
            (true, _) => (cross_zy / a11, 0.0),
            (false, true) => (0.0, cross_wy / a22),
            (false, false) => (0.0, 0.0),
        };
        let a = y.iter().zip(&controls).map(|(y, (z, w))| y - d1 * z - d0 * w).collect();
        let spent =
            if budget == pool_size || budget < 2 { 1.0 } else { budget as f64 / (budget as f64 - SPENT) };
        let level = samples.last().map_or(0.0, |s| s.control_total / left(budget - 1));
        // As weights of the controls of regression LURE: d1 z = d1 (u − ḡ w).
        let controls = Controls { b0: d0 - d1 * level, b1: 1.0 + d1 };
        Ok(Terms::new(a, c, spent * finite_pool(budget, pool_size)).with_controls(controls))
    }
}

/// Squared size of the numbers that z is a difference of.
fn reach(samples: &[Sample], m: usize, n: f64) -> f64 {
    samples.get(m).map_or(0.0, |s| {
        let mean = s.control_total / (n - m as f64);
        ((s.control.abs() + mean.abs()) / (n * s.q)).powi(2)
    })
}

/// Squared size of the numbers that w is a difference of.
fn reach_of_one(samples: &[Sample], m: usize, n: f64) -> f64 {
    samples.get(m).map_or(0.0, |s| (1.0 / (n * s.q)).powi(2))
}
