//! How a classifier's pool is drawn from and what is read off, for the experiments on images.

use labelwise::acquisition::{ExpectedLoss, TrueLoss, Uniform};
use labelwise::loss::{Loss, ZeroOne};
use labelwise::proposal::{Floor, Proposal};
use labelwise::rng::Stream;
use labelwise::surrogate::{Beliefs, Schedule, Surrogate};
use labelwise::{Classification, CrossEntropy, Error, Evaluation, Fixed, Pool, Result, Seed};
use serde::{Deserialize, Serialize};

use super::percentile::{Raise, Raised, above_share_of_most, above_tenth_percentile};
use super::regression::NOT_HERE;
use super::spend::{Reading, Running, spend};
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
pub enum Author {
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
    pub(super) fn with_own(&self, by: Author, curves: &[Curve]) -> Result<Vec<Vec<f64>>> {
        self.with_beliefs(by, self.pool.predictions().clone(), curves)
    }

    /// Spends a strategy with beliefs that stay.
    pub(super) fn with_beliefs(
        &self,
        by: Author,
        beliefs: labelwise::Matrix,
        curves: &[Curve],
    ) -> Result<Vec<Vec<f64>>> {
        let beliefs = Beliefs::new(beliefs, self.pool)?;
        match by {
            Author::OwnBeliefs | Author::Surrogate | Author::Retrained => {
                self.looked_up(&self.expected(&beliefs), self.clip(by), curves)
            }
            Author::Chance | Author::TrueLoss | Author::Ours => self.follow(by, Fixed(beliefs), curves),
        }
    }

    /// Spends a strategy whose scores are fixed in advance.
    pub(super) fn with_scores(&self, scores: &[f64], curves: &[Curve]) -> Result<Vec<Vec<f64>>> {
        self.looked_up(scores, Clip { raise: None, floor: self.settings.floor() }, curves)
    }

    /// Spends a strategy.
    pub(super) fn follow(
        &self,
        by: Author,
        surrogate: impl Surrogate<Classification> + 'static,
        curves: &[Curve],
    ) -> Result<Vec<Vec<f64>>> {
        spend(self.evaluation(by, surrogate)?, self.labels, self.steps, &readings(curves))
    }

    /// A strategy from its beginning. Clips depend on the items left, so they are computed again at every step, as in the paper;
    /// our default computes its floor once per refresh of the surrogate, so that a draw is O(log N).
    fn evaluation(
        &self,
        by: Author,
        surrogate: impl Surrogate<Classification> + 'static,
    ) -> Result<Evaluation<Classification>> {
        let builder = Evaluation::builder(self.pool.clone(), self.scored.loss(), surrogate).seed(self.seed);
        let builder = match by {
            Author::Ours => builder,
            Author::Chance => builder.acquisition(Uniform).floor(Floor::Unguarded),
            Author::TrueLoss => {
                builder.acquisition(TrueLoss::new(self.labels.to_vec())).floor(Floor::Unguarded)
            }
            Author::OwnBeliefs | Author::Surrogate | Author::Retrained => {
                let Clip { raise, floor } = self.clip(by);
                let builder = match raise {
                    Some(raise) => builder.acquisition(Raised(raise)),
                    None => builder.acquisition(ExpectedLoss),
                };
                builder.floor(floor).rescore(Schedule::Every(1))
            }
        };
        builder.build()
    }

    /// How scores of expected losses are kept from zero.
    fn clip(&self, by: Author) -> Clip {
        let raise: Option<Raise> = match (by, self.settings, self.scored) {
            (Author::Retrained, ..) | (_, Settings::Text, _) => None,
            (_, Settings::Released, Scored::CrossEntropy) => Some(above_tenth_percentile),
            (_, Settings::Released, Scored::Accuracy) => Some(above_share_of_most),
        };
        Clip { raise, floor: self.settings.floor() }
    }

    /// The loss that each item is expected to have.
    fn expected(&self, beliefs: &Beliefs<Classification>) -> Vec<f64> {
        let loss = self.scored.loss();
        let (mut predictions, mut beliefs) = (self.pool.predictions().reader(), beliefs.rows().reader());
        let of = |item| loss.moments(predictions.row(item), beliefs.row(item)).first;
        (0..self.pool.pool_size()).map(of).collect()
    }

    /// Spends a strategy whose scores stay, so that a step is a clip of the items left and a draw. The draws are those that an
    /// evaluation makes, which would compute the scores again at every step.
    fn looked_up(&self, scores: &[f64], clip: Clip, curves: &[Curve]) -> Result<Vec<Vec<f64>>> {
        let (loss, pool_size) = (self.scored.loss(), self.pool.pool_size());
        let mut columns = vec![Vec::with_capacity(self.steps); curves.len()];
        let (mut running, mut open) = (Running::new(pool_size), vec![true; pool_size]);
        let mut predictions = self.pool.predictions().reader();
        for m in 0..self.steps {
            let mut scores = scores.to_vec();
            if let Some(raise) = clip.raise {
                raise(&mut scores, &open);
            }
            let stream = self.seed.stream(Stream::Draw, m as u64);
            let drawn = Proposal::new(scores, &open, clip.floor, stream)?.draw();
            let place = drawn.and_then(|drawn| {
                let label = *self.labels.get(drawn.index)?;
                *open.get_mut(drawn.index)? = false;
                Some((drawn.q, loss.loss(predictions.row(drawn.index), label)))
            });
            let Some((q, loss)) = place else {
                return Err(Error::PoolExhausted { wanted: 1, left: pool_size - m, pool_size });
            };
            running.push(q, loss);
            for (column, curve) in columns.iter_mut().zip(curves) {
                let value = running.read(Reading::of(*curve));
                let acquisition = curve.acquisition;
                column.push(value.ok_or(Error::Acquisition { acquisition, needs: NOT_HERE })?);
            }
        }
        Ok(columns)
    }
}

/// How low scores are kept from zero: raised relative to the others, and their q by a floor.
#[derive(Clone, Copy)]
struct Clip {
    raise: Option<Raise>,
    floor: Floor,
}

fn readings(curves: &[Curve]) -> Vec<Reading> {
    curves.iter().map(|curve| Reading::of(*curve)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]
mod tests {
    use labelwise::loss::Loss;
    use labelwise::surrogate::Beliefs;
    use labelwise::{CrossEntropy, Fixed, Matrix, Pool, Seed};

    use super::{Author, Scored, Settings, Start};
    use crate::experiment::curves;
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
                start.evaluation(Author::OwnBeliefs, Fixed(pool.own_beliefs().unwrap())).unwrap();
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
    fn scores_that_are_looked_up_give_the_draws_of_an_evaluation() {
        let of = |seed: u64| -> Vec<f64> {
            let numbers = (0..40_u64).map(|item| 1.0 + ((item * 7 + seed * 13) % 17) as f64);
            numbers.flat_map(|one| [one, 5.0, 1.0].map(|number| number / (one + 6.0))).collect()
        };
        let labels: Vec<usize> = (0..40).map(|item| item % 3).collect();
        let pool = Pool::classification(Matrix::f64(of(1), 3).unwrap()).unwrap();
        let followed = [curves::ENSEMBLE, curves::ENTROPY_IID];
        for (scored, settings) in [
            (Scored::CrossEntropy, Settings::Text),
            (Scored::Accuracy, Settings::Text),
            (Scored::CrossEntropy, Settings::Released),
            (Scored::Accuracy, Settings::Released),
        ] {
            for seed in (0..5).map(Seed) {
                let start = Start { pool: &pool, labels: &labels, scored, settings, steps: 40, seed };
                let beliefs = Matrix::f64(of(2), 3).unwrap();
                let looked_up = start.with_beliefs(Author::Surrogate, beliefs.clone(), &followed).unwrap();
                let fixed = Fixed(Beliefs::new(beliefs, &pool).unwrap());
                assert_eq!(looked_up, start.follow(Author::Surrogate, fixed, &followed).unwrap());
                // An estimator that needs an evaluation is refused, not left out.
                assert!(start.with_own(Author::OwnBeliefs, &[curves::OURS_OWN]).is_err());
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
