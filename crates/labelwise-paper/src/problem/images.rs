//! A classifier of images on one test set: what the experiments with archives and with few images have in common.

use labelwise::acquisition::{Acquisition, Candidates, ExpectedLoss};
use labelwise::evaluation::Builder;
use labelwise::loss::{Loss, ZeroOne};
use labelwise::surrogate::{Beliefs as Believed, Surrogate};
use labelwise::{Classification, CrossEntropy, Matrix, Pool, Result, Seed};
use serde::{Deserialize, Serialize};

use super::Settings;
use super::clip::{Raise, Raised, above_share_of_most, above_tenth_percentile};
use super::spend::{Problem, Scored as WithScores, Source};
use crate::strategy::Beliefs;

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

/// A classifier on one test set.
pub(super) struct TestSet<'a> {
    pub(super) pool: &'a Pool<Classification>,
    pub(super) labels: &'a [usize],
    pub(super) scored: Scored,
    pub(super) settings: Settings,
    pub(super) seed: Seed,
    /// Beliefs other than the model's own.
    pub(super) surrogates: &'a dyn Surrogates,
    /// The mutual information of each item, where it is known.
    pub(super) information: Option<Vec<f64>>,
}

/// Beliefs about a test set other than the model's own.
pub(super) trait Surrogates {
    /// The beliefs of an ensemble that stay, by its place.
    fn ensemble(&self, place: usize) -> Result<Option<Matrix>>;

    /// A surrogate that learns; `None` where there is no such surrogate.
    fn learning(&self, _of: Beliefs) -> Option<Box<dyn Surrogate<Classification>>> {
        None
    }
}

impl TestSet<'_> {
    /// The variance of the losses of the pool, with one degree of freedom less than items.
    pub(super) fn loss_variance(&self) -> f64 {
        let loss = self.scored.loss();
        let mut reader = self.pool.predictions().reader();
        let losses = self.labels.iter().enumerate().map(|(item, &label)| loss.loss(reader.row(item), label));
        let losses: Vec<f64> = losses.collect();
        let mean = losses.iter().sum::<f64>() / losses.len() as f64;
        let squares: f64 = losses.iter().map(|loss| (loss - mean).powi(2)).sum();
        squares / (losses.len() as f64 - 1.0).max(1.0)
    }
}

impl Problem<Classification> for TestSet<'_> {
    fn pool(&self) -> &Pool<Classification> {
        self.pool
    }

    fn labels(&self) -> &[usize] {
        self.labels
    }

    fn loss(&self) -> Box<dyn Loss<Classification>> {
        self.scored.loss()
    }

    fn settings(&self) -> Settings {
        self.settings
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn beliefs(&self, of: Beliefs) -> Result<Option<Source<Classification>>> {
        let fixed = |rows: Matrix| Ok::<_, labelwise::Error>(Source::Fixed(Believed::new(rows, self.pool)?));
        match of {
            Beliefs::Model => fixed(self.pool.predictions().clone()).map(Some),
            Beliefs::Ensemble(place) => self.surrogates.ensemble(place)?.map(fixed).transpose(),
            Beliefs::Process | Beliefs::Forest | Beliefs::Varied | Beliefs::Network | Beliefs::Oracle => {
                Ok(self.surrogates.learning(of).map(Source::Learning))
            }
        }
    }

    fn by_expected_loss(
        &self,
        builder: Builder<Classification>,
        of: Beliefs,
    ) -> Option<WithScores<Classification>> {
        let raise: Option<Raise> = match (of, self.settings, self.scored) {
            // The released code leaves the scores of the retrained network as they are.
            (Beliefs::Network, ..) | (_, Settings::Text, _) => None,
            (_, Settings::Released, Scored::CrossEntropy) => Some(above_tenth_percentile),
            (_, Settings::Released, Scored::Accuracy) => Some(above_share_of_most),
        };
        Some(match raise {
            Some(raise) => WithScores { builder: builder.acquisition(Raised(raise)), depend_on_open: true },
            None => WithScores { builder: builder.acquisition(ExpectedLoss), depend_on_open: false },
        })
    }

    fn by_information(&self, builder: Builder<Classification>) -> Option<Builder<Classification>> {
        Some(builder.acquisition(Given(self.information.clone()?)))
    }
}

/// Scores that are known in advance.
struct Given(Vec<f64>);

impl Acquisition<Classification> for Given {
    fn name(&self) -> &'static str {
        "scores that are known in advance"
    }

    fn scores(&mut self, _candidates: Candidates<'_, Classification>) -> Result<Vec<f64>> {
        Ok(self.0.clone())
    }

    fn needs_expectation(&self) -> bool {
        false
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]
mod tests {
    use labelwise::estimator::Iid;
    use labelwise::loss::Loss;
    use labelwise::surrogate::Schedule;
    use labelwise::{CrossEntropy, Evaluation, Fixed, Lure};

    use super::*;
    use crate::problem::spend::{Spending, spend};
    use crate::statistics::quantile;
    use crate::strategy::strategies;

    /// One ensemble.
    struct One(Option<Matrix>);

    impl Surrogates for One {
        fn ensemble(&self, _place: usize) -> Result<Option<Matrix>> {
            Ok(self.0.clone())
        }
    }

    fn test_set<'a>(
        pool: &'a Pool<Classification>,
        labels: &'a [usize],
        (scored, settings): (Scored, Settings),
        seed: Seed,
        surrogates: &'a One,
    ) -> TestSet<'a> {
        TestSet { pool, labels, scored, settings, seed, surrogates, information: None }
    }

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
            let (labels, none) = (&[0; 7][..], One(None));
            let problem = test_set(&pool, labels, (scored, settings), Seed(seed), &none);
            let mut spending = Spending::new(&problem, &strategies::ENTROPY).unwrap();
            let mut left: Vec<usize> = (0..7).collect();
            while !left.is_empty() {
                let drawn = spending.label_next(labels).unwrap();
                let weights = clipped(&left.iter().map(|&item| expected(item)).collect::<Vec<_>>());
                let place = left.iter().position(|&item| item == drawn.index).unwrap();
                let q = weights[place] / weights.iter().sum::<f64>();
                assert!((drawn.q / q - 1.0).abs() < 1e-9, "{} and {q} with {left:?} left", drawn.q);
                left.remove(place);
            }
        }
    }

    /// Clipping scores that stay gives the draws of an evaluation that computes them again at every step.
    #[test]
    fn scores_that_stay_give_the_draws_of_scores_made_again() {
        let of = |seed: u64| -> Vec<f64> {
            let numbers = (0..40_u64).map(|item| 1.0 + ((item * 7 + seed * 13) % 17) as f64);
            numbers.flat_map(|one| [one, 5.0, 1.0].map(|number| number / (one + 6.0))).collect()
        };
        let labels: Vec<usize> = (0..40).map(|item| item % 3).collect();
        let pool = Pool::classification(Matrix::f64(of(1), 3).unwrap()).unwrap();
        let beliefs = Matrix::f64(of(2), 3).unwrap();
        let ensemble = One(Some(beliefs.clone()));
        let plain = crate::strategy::Strategy {
            estimator: crate::strategy::EstimatorKind::Iid,
            ..strategies::ENSEMBLE
        };
        for scored in [Scored::CrossEntropy, Scored::Accuracy] {
            for seed in (0..5).map(Seed) {
                let problem = test_set(&pool, &labels, (scored, Settings::Text), seed, &ensemble);
                let fast = spend(&problem, &[strategies::ENSEMBLE, plain], 40).unwrap();
                let fixed = Fixed(Believed::new(beliefs.clone(), &pool).unwrap());
                let mut slow = Evaluation::builder(pool.clone(), scored.loss(), fixed)
                    .acquisition(ExpectedLoss)
                    .floor(Settings::Text.floor())
                    .rescore(Schedule::Every(1))
                    .seed(seed)
                    .build()
                    .unwrap();
                for m in 0..40 {
                    slow.run(1, &mut |item: usize| Ok(labels[item])).unwrap();
                    let expected = [slow.estimate(&Lure).unwrap().value, slow.estimate(&Iid).unwrap().value];
                    for (column, expected) in fast.iter().zip(expected) {
                        assert!((column[m] - expected).abs() <= 1e-12 * expected.abs(), "step {m}");
                    }
                }
                // A surrogate that is not there is an error.
                assert!(spend(&problem, &[strategies::NETWORK], 40).is_err());
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

    /// With every label, the surrogate's own estimate is the risk; before that it is what it expects.
    #[test]
    fn active_surrogate_estimation_is_exact_in_the_end() {
        let table: Vec<f64> =
            (0..12).flat_map(|i| [0.9 - 0.05 * f64::from(i), 0.1 + 0.05 * f64::from(i)]).collect();
        let labels: Vec<usize> = (0..12).map(|item| item % 2).collect();
        let pool = Pool::classification(Matrix::f64(table, 2).unwrap()).unwrap();
        let risk = pool.risk(&*Scored::CrossEntropy.loss(), &labels).unwrap();
        let none = One(None);
        let problem = test_set(&pool, &labels, (Scored::CrossEntropy, Settings::Text), Seed(3), &none);
        let own = crate::strategy::Strategy {
            estimator: crate::strategy::EstimatorKind::Surrogate,
            ..strategies::ENTROPY
        };
        let [column] = &spend(&problem, &[own], 12).unwrap()[..] else { panic!("one column") };
        assert!((column[11] - risk).abs() < 1e-12);
        let loss = CrossEntropy::default();
        let mut rows = pool.predictions().reader();
        let expected: Vec<f64> = (0..12)
            .map(|item| {
                let row = rows.row(item).to_vec();
                loss.moments(&row, &row).first
            })
            .collect();
        let first = Spending::new(&problem, &strategies::ENTROPY).unwrap().label_next(&labels).unwrap();
        let sum = expected.iter().sum::<f64>() - expected[first.index] + first.loss;
        assert!((column[0] - sum / 12.0).abs() < 1e-12);
    }
}
