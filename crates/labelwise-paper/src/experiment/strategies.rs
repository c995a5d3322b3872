//! How a classifier's pool is drawn from and what is read off, for the experiments on images.

use labelwise::{
    Acquisition, Beliefs, Candidates, Classification, CrossEntropy, Evaluation, ExpectedLoss, Fixed, Floor,
    Loss, Pool, Result, Schedule, Seed, Surrogate, TrueLoss, Uniform, ZeroOne,
};
use serde::{Deserialize, Serialize};

use super::percentile::{AboveShareOfMost, AboveTenthPercentile};
use super::spend::{Reading, spend};
use super::{Curve, Settings};

/// The loss that is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scored {
    /// Cross-entropy.
    #[default]
    CrossEntropy,
    /// One minus accuracy.
    Accuracy,
}

impl Scored {
    pub(crate) fn loss(self) -> Box<dyn Loss<Classification>> {
        match self {
            Self::CrossEntropy => Box::new(CrossEntropy::default()),
            Self::Accuracy => Box::new(ZeroOne),
        }
    }
}

/// What items are drawn by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// All alike.
    Chance,
    /// The true loss, which only an oracle knows.
    TrueLoss,
    /// The loss that the model itself expects: its predictive entropy where the loss is cross-entropy.
    OwnBeliefs,
    /// The loss that a surrogate expects.
    Surrogate,
    /// The loss that a network of the model's own kind expects, which is trained again.
    Retrained,
    /// Our default: the root mean square of the loss under the surrogate, with a uniform part.
    Ours,
}

/// When a clip is made anew.
const EVERY_STEP: Schedule = Schedule::Every(1);

/// What the strategies of a run have in common.
pub(super) struct Start<'a> {
    pub(super) pool: &'a Pool<Classification>,
    pub(super) labels: &'a [usize],
    pub(super) scored: Scored,
    pub(super) settings: Settings,
    pub(super) steps: usize,
    pub(super) seed: Seed,
}

impl Start<'_> {
    /// Spends a strategy that needs no surrogate but the model.
    pub(super) fn with_own(&self, by: By, curves: &[Curve]) -> Result<Vec<Vec<f64>>> {
        self.follow(by, Fixed(self.pool.own_beliefs()?), curves)
    }

    /// Spends a strategy with beliefs that stay.
    pub(super) fn with_beliefs(
        &self,
        by: By,
        beliefs: labelwise::Matrix,
        curves: &[Curve],
    ) -> Result<Vec<Vec<f64>>> {
        self.follow(by, Fixed(Beliefs::new(beliefs, self.pool)?), curves)
    }

    /// Spends a strategy.
    pub(super) fn follow(
        &self,
        by: By,
        surrogate: impl Surrogate<Classification> + 'static,
        curves: &[Curve],
    ) -> Result<Vec<Vec<f64>>> {
        self.read(self.evaluation(by, surrogate)?, curves)
    }

    /// A strategy from its beginning. Clips are of the items left, so that they are made anew at every step, as in the paper;
    /// our default has its floor once a refresh of the surrogate, so that a draw is O(log N).
    fn evaluation(
        &self,
        by: By,
        surrogate: impl Surrogate<Classification> + 'static,
    ) -> Result<Evaluation<Classification>> {
        let builder = Evaluation::builder(self.pool.clone(), self.scored.loss(), surrogate).seed(self.seed);
        let builder = match (by, self.settings, self.scored) {
            (By::Ours, ..) => builder,
            (By::Chance, ..) => builder.acquisition(Uniform).floor(Floor::Unguarded),
            (By::TrueLoss, ..) => {
                builder.acquisition(TrueLoss::new(self.labels.to_vec())).floor(Floor::Unguarded)
            }
            (By::OwnBeliefs | By::Surrogate | By::Retrained, Settings::Text, _) => {
                builder.acquisition(ExpectedLoss).floor(Floor::PAPER).rescore(EVERY_STEP)
            }
            (By::Retrained, Settings::Released, _) => {
                builder.acquisition(ExpectedLoss).floor(Floor::Unguarded)
            }
            (By::OwnBeliefs | By::Surrogate, Settings::Released, Scored::CrossEntropy) => {
                builder.acquisition(AboveTenthPercentile).floor(Floor::Unguarded).rescore(EVERY_STEP)
            }
            (By::OwnBeliefs | By::Surrogate, Settings::Released, Scored::Accuracy) => {
                builder.acquisition(AboveShareOfMost).floor(Floor::Unguarded).rescore(EVERY_STEP)
            }
        };
        builder.build()
    }

    /// Spends a strategy whose scores are known beforehand, and stay.
    pub(super) fn with_scores(&self, scores: Vec<f64>, curves: &[Curve]) -> Result<Vec<Vec<f64>>> {
        let own = Fixed(self.pool.own_beliefs()?);
        let builder = Evaluation::builder(self.pool.clone(), self.scored.loss(), own).seed(self.seed);
        let builder = builder.acquisition(LookedUp(scores)).floor(self.settings.floor()).rescore(EVERY_STEP);
        self.read(builder.build()?, curves)
    }

    fn read(&self, evaluation: Evaluation<Classification>, curves: &[Curve]) -> Result<Vec<Vec<f64>>> {
        let readings: Vec<Reading> = curves.iter().map(|curve| Reading::of(*curve)).collect();
        spend(evaluation, self.labels, self.steps, &readings)
    }
}

/// Scores that were made before.
struct LookedUp(Vec<f64>);

impl Acquisition<Classification> for LookedUp {
    fn name(&self) -> &'static str {
        "scores made before"
    }

    fn needs_expectation(&self) -> bool {
        false
    }

    fn scores(&mut self, _: Candidates<'_, Classification>) -> Result<Vec<f64>> {
        Ok(self.0.clone())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]
mod tests {
    use labelwise::{CrossEntropy, Fixed, Loss, Matrix, Pool, Seed};

    use super::{By, Scored, Settings, Start};
    use crate::experiment::spend::label_next;
    use crate::statistics::quantile;

    /// Draws all items and compares each q with what the clip makes of the scores of the items that were left.
    fn check(scored: Scored, settings: Settings, clipped: impl Fn(&[f64]) -> Vec<f64>) {
        let sure = [0.5, 0.7, 0.9, 0.97, 0.99, 0.999, 0.9999];
        let table: Vec<f64> = sure.iter().flat_map(|p| [*p, 1.0 - p]).collect();
        let pool = Pool::classification(Matrix::f64(table.clone(), 2).unwrap()).unwrap();
        let expected = |item: usize| {
            let row = &table[2 * item..2 * item + 2];
            match scored {
                Scored::CrossEntropy => CrossEntropy::default().moments(row, row).first,
                Scored::Accuracy => 1.0 - row[0],
            }
        };
        for seed in 0..20 {
            let (labels, steps, seed) = (&[0; 7][..], 7, Seed(seed));
            let start = Start { pool: &pool, labels, scored, settings, steps, seed };
            let mut evaluation =
                start.evaluation(By::OwnBeliefs, Fixed(pool.own_beliefs().unwrap())).unwrap();
            let mut left: Vec<usize> = (0..7).collect();
            while !left.is_empty() {
                let drawn = label_next(&mut evaluation, labels).unwrap();
                let weights = clipped(&left.iter().map(|&item| expected(item)).collect::<Vec<_>>());
                let place = left.iter().position(|&item| item == drawn.index).unwrap();
                let q = weights[place] / weights.iter().sum::<f64>();
                assert!((drawn.q / q - 1.0).abs() < 1e-9, "{} and {q} with {left:?} left", drawn.q);
                left.remove(place);
            }
        }
    }

    #[test]
    fn the_text_s_clip_is_of_the_items_left_at_every_step() {
        let clipped = |scores: &[f64]| {
            let (sum, count) = (scores.iter().sum::<f64>(), scores.len() as f64);
            scores.iter().map(|score| (score / sum).max(0.2 / count)).collect()
        };
        check(Scored::CrossEntropy, Settings::Text, clipped);
        check(Scored::Accuracy, Settings::Text, clipped);
    }

    #[test]
    fn so_are_the_clips_of_the_released_code() {
        check(Scored::CrossEntropy, Settings::Released, |scores| {
            let least = quantile(scores, 0.1).unwrap();
            scores.iter().map(|score| score.max(least)).collect()
        });
        check(Scored::Accuracy, Settings::Released, |scores| {
            let least = 0.05 * scores.iter().copied().fold(0.0, f64::max);
            scores.iter().map(|score| score.max(least)).collect()
        });
    }
}
