//! The paper's estimator and its nearest kin: unbiased whatever q was, as long as q looked at the past only.

use super::terms::{finite_pool, lure_coefficients, plain_terms};
use super::{Bias, Estimator, Sample, Terms, check_without_replacement};
use crate::error::Result;

/// Eq. (4): v_m. m counts from 1.
///
/// With the whole pool labelled (M = N) every weight is 1, and so is the last one, where the formula reads 0/0.
///
/// ```
/// // Uniform draws weigh the same.
/// assert!((labelwise::estimator::lure_weight(3, 10, 100, 1.0 / 98.0) - 1.0).abs() < 1e-12);
/// ```
pub fn lure_weight(m: usize, budget: usize, pool_size: usize, q: f64) -> f64 {
    if budget == pool_size {
        return 1.0;
    }
    let (m, budget, n) = (m as f64, budget as f64, pool_size as f64);
    1.0 + (n - budget) / (n - m) * (1.0 / ((n - m + 1.0) * q) - 1.0)
}

/// Eq. (3): R̂_LURE = (1/M) Σ v_m ℓ_m.
///
/// ```
/// use labelwise::estimator::{Estimator, Sample};
/// use labelwise::Lure;
/// let samples = [Sample::plain(4, 0.5, 0.9), Sample::plain(1, 0.25, 0.2)];
/// let estimate = Lure.estimate(&samples, 5)?;
/// # assert!((estimate - 0.5 * (1.0 + 3.0 / 4.0 * (1.0 / 2.5 - 1.0)) * 0.9 - 0.5 * 0.2).abs() < 1e-12);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Lure;

impl Estimator for Lure {
    fn name(&self) -> &'static str {
        "LURE"
    }

    fn bias(&self) -> Bias {
        Bias::None
    }

    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms> {
        check_without_replacement(samples, pool_size)?;
        let c = lure_coefficients(samples.len(), pool_size);
        Ok(Terms::new(plain_terms(samples, pool_size), c, finite_pool(samples.len(), pool_size)))
    }

    fn value(&self, samples: &[Sample], pool_size: usize, _terms: &Terms) -> f64 {
        weighted_mean(samples, pool_size)
    }

    fn estimate(&self, samples: &[Sample], pool_size: usize) -> Result<f64> {
        check_without_replacement(samples, pool_size)?;
        Ok(weighted_mean(samples, pool_size))
    }
}

/// (1/M) Σ v_m ℓ_m, which needs no terms.
fn weighted_mean(samples: &[Sample], pool_size: usize) -> f64 {
    let budget = samples.len();
    let weighted = samples.iter().zip(1..).map(|(s, m)| lure_weight(m, budget, pool_size, s.q) * s.loss);
    weighted.sum::<f64>() / budget as f64
}

/// LURE after each label, in O(1): with k_m = 1 / ((N − m)(N − m + 1)), R̂(t) = N (N − t) / t · Σ_{m ≤ t} k_m a_m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunningLure {
    pool_size: usize,
    labels: usize,
    past: f64,
    sum: f64,
}

impl RunningLure {
    /// Before the first label.
    pub fn new(pool_size: usize) -> Self {
        Self { pool_size, labels: 0, past: 0.0, sum: 0.0 }
    }

    /// Takes the next sample in draw order and answers the estimate with it; samples beyond the pool change nothing.
    pub fn push(&mut self, q: f64, loss: f64) -> f64 {
        if self.labels < self.pool_size {
            let left = (self.pool_size - self.labels) as f64;
            let a = (self.past + loss / q) / self.pool_size as f64;
            self.sum += a / ((left - 1.0).max(1.0) * left);
            self.past += loss;
            self.labels += 1;
        }
        let (n, t) = (self.pool_size as f64, self.labels as f64);
        if self.labels == self.pool_size { self.past / n } else { n * (n - t) / t * self.sum }
    }
}

/// R̂_PURE, LURE's forerunner: every a_m counts the same. Unbiased, with more variance.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pure;

impl Estimator for Pure {
    fn name(&self) -> &'static str {
        "PURE"
    }

    fn bias(&self) -> Bias {
        Bias::None
    }

    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms> {
        check_without_replacement(samples, pool_size)?;
        let c = vec![1.0 / samples.len() as f64; samples.len()];
        Ok(Terms::new(plain_terms(samples, pool_size), c, 1.0))
    }
}

/// LURE of what the surrogate did not expect, on top of what it did: strictly unbiased, because each term uses the
/// expectation g_m that was in force before its label was seen.
#[derive(Debug, Clone, Copy, Default)]
pub struct ControlledLure;

impl Estimator for ControlledLure {
    fn name(&self) -> &'static str {
        "controlled LURE"
    }

    fn bias(&self) -> Bias {
        Bias::None
    }

    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms> {
        check_without_replacement(samples, pool_size)?;
        let c = lure_coefficients(samples.len(), pool_size);
        Ok(Terms::new(controlled_terms(samples, pool_size), c, finite_pool(samples.len(), pool_size)))
    }
}

/// a_m = (1/N) (Σ_{t<m} ℓ_t + Σ_{i left} g_m(i) + (ℓ_m − g_m(i_m)) / q_m).
pub(super) fn controlled_terms(samples: &[Sample], pool_size: usize) -> Vec<f64> {
    let plain = plain_terms(samples, pool_size);
    let terms = plain.into_iter().zip(samples);
    terms.map(|(a, s)| a - (s.control / s.q - s.control_total) / pool_size as f64).collect()
}
