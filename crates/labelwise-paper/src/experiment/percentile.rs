//! The clips of the released code for classification: no score below a percentile of the scores of the items left or,
//! where accuracy is estimated, below a share of the greatest.

use labelwise::{Acquisition, Candidates, Classification, ExpectedLoss, Result};

use crate::statistics::quantile;

/// The expected loss, raised to its 10th percentile over the open items where it is below.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AboveTenthPercentile;

impl Acquisition<Classification> for AboveTenthPercentile {
    fn name(&self) -> &'static str {
        "expected loss above its 10th percentile"
    }

    fn scores(&mut self, candidates: Candidates<'_, Classification>) -> Result<Vec<f64>> {
        let open = candidates.open;
        let mut scores = ExpectedLoss.scores(candidates)?;
        let left = scores.iter().zip(open).filter(|(_, open)| **open).map(|(score, _)| *score);
        // Scores that are not numbers are for the proposal to refuse.
        let least = quantile(&left.collect::<Vec<_>>(), 0.1).unwrap_or(0.0);
        scores.iter_mut().for_each(|score| *score = score.max(least));
        Ok(scores)
    }
}

/// The expected loss, raised to 5 % of the greatest where it is below.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AboveShareOfMost;

/// The share.
const SHARE: f64 = 0.05;

impl Acquisition<Classification> for AboveShareOfMost {
    fn name(&self) -> &'static str {
        "expected loss above 5 % of the greatest"
    }

    fn scores(&mut self, candidates: Candidates<'_, Classification>) -> Result<Vec<f64>> {
        let open = candidates.open;
        let mut scores = ExpectedLoss.scores(candidates)?;
        let left = scores.iter().zip(open).filter(|(_, open)| **open).map(|(score, _)| *score);
        let least = SHARE * left.fold(0.0, f64::max);
        scores.iter_mut().for_each(|score| *score = score.max(least));
        Ok(scores)
    }
}
