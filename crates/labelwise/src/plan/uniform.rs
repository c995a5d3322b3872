//! Uniform sampling of the same pool, as far as the labels tell what its losses are like.

use crate::interval::Target;
use crate::ledger::Evidence;

/// What uniform sampling would come to: the mean of M labels varies by σ² (1/M − 1/N).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UniformSampling {
    /// σ², the variance of losses between the items that can be drawn.
    pub variance: f64,
    /// What the pool's own distance from its population adds to the variance of an estimate; 0 if the pool is the target.
    pub pool: f64,
    /// The items that can be drawn.
    pub size: usize,
    /// Their part of the whole pool.
    pub open_share: f64,
}

impl UniformSampling {
    /// By weighted samples; `None` while the losses seen do not differ.
    pub fn of(evidence: &Evidence, target: Target) -> Option<Self> {
        Self::weighted(evidence, &evidence.weights(), target)
    }

    /// By samples with weights of their own, as those of strata are.
    pub fn weighted(evidence: &Evidence, weights: &[f64], target: Target) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        let mean_of = |f: &dyn Fn(f64) -> f64| {
            evidence.samples.iter().zip(weights).map(|(sample, v)| v * f(sample.loss)).sum::<f64>() / total
        };
        let mean = mean_of(&|loss| loss);
        let variance = mean_of(&|loss| (loss - mean).powi(2));
        if !(variance > 0.0 && variance.is_finite()) {
            return None;
        }
        let (size, whole) = (evidence.pool_size as f64, evidence.whole_size() as f64);
        let risk = evidence.whole_risk(mean);
        let known = evidence.known;
        let open = size * (variance + (mean - risk).powi(2));
        let rest = known.square_sum - 2.0 * risk * known.sum + risk * risk * known.count as f64;
        let pool = match target {
            Target::Pool => 0.0,
            Target::Population => (open + rest.max(0.0)) / (whole * whole),
        };
        Some(Self { variance, pool, size: evidence.pool_size, open_share: size / whole })
    }

    /// The variance of the estimate from this number of labels.
    pub fn variance_at(&self, labels: usize) -> f64 {
        let left = (1.0 / labels as f64 - 1.0 / self.size as f64).max(0.0);
        self.open_share.powi(2) * self.variance * left + self.pool
    }

    /// The labels that give a standard error about the pool risk.
    pub fn needed(&self, standard_error: f64) -> f64 {
        let own = (standard_error / self.open_share).powi(2) / self.variance;
        1.0 / (1.0 / self.size as f64 + own)
    }
}
