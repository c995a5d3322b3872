//! What active testing is compared with: the plain mean, and importance sampling with replacement in two forms.

use super::{Bias, Estimator, Replacement, Sample, Terms, check, check_without_replacement};
use crate::error::Result;

/// Eq. (2): R̂_iid, the plain mean of the losses. Right for uniform draws, biased for all others.
#[derive(Debug, Clone, Copy, Default)]
pub struct Iid;

impl Estimator for Iid {
    fn name(&self) -> &'static str {
        "plain mean"
    }

    fn bias(&self) -> Bias {
        Bias::UnlessUniform
    }

    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms> {
        check_without_replacement(samples, pool_size)?;
        let budget = samples.len() as f64;
        let a = samples.iter().map(|s| s.loss).collect();
        Ok(Terms::new(a, vec![1.0 / budget; samples.len()], 1.0 - budget / pool_size as f64))
    }
}

/// R̂_IS of active risk estimation: Σ (ℓ_m / q_m) / Σ (1 / q_m), for draws with replacement. An item drawn twice
/// counts twice.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportanceSampling;

impl Estimator for ImportanceSampling {
    fn name(&self) -> &'static str {
        "importance sampling"
    }

    fn bias(&self) -> Bias {
        Bias::Vanishing
    }

    fn replacement(&self) -> Replacement {
        Replacement::With
    }

    /// Terms are linearised about the estimate, and so sum to it exactly.
    fn terms(&self, samples: &[Sample], _pool_size: usize) -> Result<Terms> {
        check(samples)?;
        let budget = samples.len() as f64;
        let weight: f64 = samples.iter().map(|s| 1.0 / s.q).sum();
        let value = samples.iter().map(|s| s.loss / s.q).sum::<f64>() / weight;
        let a = samples.iter().map(|s| value + (s.loss - value) / s.q * budget / weight).collect();
        Ok(Terms::new(a, vec![1.0 / budget; samples.len()], 1.0))
    }
}

/// (1/M) Σ ℓ_m / (N q_m), for draws with replacement: importance sampling with the normaliser that is known, N, in place
/// of the one estimated from the draws. Unbiased; named after Hansen and Hurwitz.
///
/// ```
/// use labelwise::estimator::{Estimator, HansenHurwitz, Sample};
/// let samples = [Sample::plain(0, 0.5, 1.0), Sample::plain(0, 0.5, 1.0), Sample::plain(3, 0.1, 0.2)];
/// assert!((HansenHurwitz.estimate(&samples, 4)? - (0.5 + 0.5 + 0.5) / 3.0).abs() < 1e-15);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct HansenHurwitz;

impl Estimator for HansenHurwitz {
    fn name(&self) -> &'static str {
        "Hansen-Hurwitz"
    }

    fn bias(&self) -> Bias {
        Bias::None
    }

    fn replacement(&self) -> Replacement {
        Replacement::With
    }

    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms> {
        check(samples)?;
        let a = samples.iter().map(|s| s.loss / s.q / pool_size as f64).collect();
        Ok(Terms::new(a, vec![1.0 / samples.len() as f64; samples.len()], 1.0))
    }
}
