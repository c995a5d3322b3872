//! Active risk estimation (Sawade et al., 2010), the paper's closest relative: importance sampling with replacement
//! and a proposal that looks for losses far from the risk.

use super::{Acquisition, Candidates};
use crate::error::Result;
use crate::task::Task;

/// √E_π((ℒ − R)²), where R is the risk expected over the candidates. With the model itself as surrogate this is what
/// Sawade et al. do; with beliefs that are certain of the true labels it is their optimum.
///
/// Meant for draws with replacement ([`Proposal::draw_with_replacement`](crate::proposal::Proposal::draw_with_replacement)) and
/// [`ImportanceSampling`](crate::estimator::ImportanceSampling).
#[derive(Debug, Clone, Copy, Default)]
pub struct ActiveRiskEstimation;

impl<T: Task> Acquisition<T> for ActiveRiskEstimation {
    fn name(&self) -> &'static str {
        "active risk estimation"
    }

    /// Eq. (17), the general form.
    fn scores(&mut self, candidates: Candidates<'_, T>) -> Result<Vec<f64>> {
        let open = || candidates.first.iter().zip(candidates.open).filter(|(_, open)| **open);
        let risk = open().map(|(first, _)| first).sum::<f64>() / open().count() as f64;
        let mut scores = candidates.second;
        let moments = candidates.first.iter().zip(scores.iter_mut());
        moments
            .for_each(|(first, score)| *score = (*score - 2.0 * risk * first + risk * risk).max(0.0).sqrt());
        Ok(scores)
    }
}

/// Eq. (18): the closed form for the squared error and a Gaussian belief centred on the prediction, of which it needs
/// the total predictive variance only.
///
/// ```
/// assert_eq!(labelwise::acquisition::squared_error_score(2.0, 2.0), (3.0_f64 * 4.0 - 8.0 + 4.0).sqrt());
/// ```
pub fn squared_error_score(variance: f64, risk: f64) -> f64 {
    (3.0 * variance * variance - 2.0 * risk * variance + risk * risk).max(0.0).sqrt()
}

/// The closed form for the zero-one loss: a miss is 1 − R away from the risk, a hit R.
///
/// ```
/// assert_eq!(labelwise::acquisition::zero_one_score(0.5, 0.5), 0.5);
/// ```
pub fn zero_one_score(wrong: f64, risk: f64) -> f64 {
    (wrong * (1.0 - risk).powi(2) + (1.0 - wrong) * risk * risk).max(0.0).sqrt()
}
