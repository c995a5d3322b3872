//! The clips of the released code for classification: no score below a percentile of the scores of the items left or,
//! where accuracy is estimated, below a share of the greatest.

use labelwise::acquisition::{Acquisition, Candidates, ExpectedLoss};
use labelwise::{Classification, Result};

use crate::statistics::quantile;

/// Raises scores to the 10th percentile of those of the open items.
pub(super) fn above_tenth_percentile(scores: &mut [f64], open: &[bool]) {
    // Scores that are not numbers are for the proposal to refuse.
    let least = quantile(&left(scores, open).collect::<Vec<_>>(), 0.1).unwrap_or(0.0);
    scores.iter_mut().for_each(|score| *score = score.max(least));
}

/// The share of the greatest score.
const SHARE: f64 = 0.05;

/// Raises scores to 5 % of the greatest of those of the open items.
pub(super) fn above_share_of_most(scores: &mut [f64], open: &[bool]) {
    let least = SHARE * left(scores, open).fold(0.0, f64::max);
    scores.iter_mut().for_each(|score| *score = score.max(least));
}

fn left<'a>(scores: &'a [f64], open: &'a [bool]) -> impl Iterator<Item = f64> + 'a {
    scores.iter().zip(open).filter(|(_, open)| **open).map(|(score, _)| *score)
}

/// Raises scores that are too low compared with those of the open items.
pub(super) type Raise = fn(&mut [f64], &[bool]);

/// The expected loss, raised.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raised(pub(super) Raise);

impl Acquisition<Classification> for Raised {
    fn name(&self) -> &'static str {
        "expected loss, raised where it is low"
    }

    fn scores(&mut self, candidates: Candidates<'_, Classification>) -> Result<Vec<f64>> {
        let open = candidates.open;
        let mut scores = ExpectedLoss.scores(candidates)?;
        self.0(&mut scores, open);
        Ok(scores)
    }
}
