//! A random forest on two moons, with a random forest as surrogate that is grown again after every label: Figure 3
//! (c), column 5 of Figure A.1.

use labelwise::acquisition::ExpectedLoss;
use labelwise::evaluation::Builder;
use labelwise::loss::Loss;
use labelwise::rng::Stream;
use labelwise::surrogate::{Model, Retrained};
use labelwise::{Classification, CrossEntropy, Matrix, Pool, Result, Seed};
use labelwise_models::{ClassificationForest, Criterion, Forest, LogisticRegression, Varied};

use super::clip::{Raised, above_tenth_percentile};
use super::example::PlaneExample;
use super::spend::{Problem, Scored, Source, spend};
use super::{Dot, Example, Experiment, Settings, Trace};
use crate::data::{Moons, Split};
use crate::strategy::{Beliefs, Column, Strategy};

/// Classes of the two moons.
const CLASSES: usize = 2;

/// A forest on two moons, all strategies of the figure.
#[derive(Debug, Clone)]
pub struct TwoMoons {
    /// The data.
    pub moons: Moons,
    /// How many labels are acquired.
    pub steps: usize,
    /// How q is clipped.
    pub settings: Settings,
    /// What to follow.
    pub strategies: Vec<Strategy>,
}

impl TwoMoons {
    /// The data of the text or of the released code.
    pub fn moons(settings: Settings) -> Moons {
        match settings {
            Settings::Text => Moons { points: 500, train: 50, noise: 0.1 },
            Settings::Released => Moons { points: 500, train: 450, noise: 0.01 },
        }
    }

    /// The data of a run, and the model trained on it.
    fn trained(&self, seed: Seed) -> Result<(Split<Classification>, ClassificationForest)> {
        let split = self.moons.split(seed)?;
        // Counted from the far end, so that the model's forest is none of the surrogate's.
        let rng = &mut seed.stream(Stream::Fit, u64::MAX);
        let model = Forest::default().classification(&split.train, CLASSES, rng)?;
        Ok((split, model))
    }
}

/// The data that were drawn for a run, with the model's predictions on the pool.
struct Drawn {
    split: Split<Classification>,
    pool: Pool<Classification>,
    settings: Settings,
    seed: Seed,
}

impl Problem<Classification> for Drawn {
    fn pool(&self) -> &Pool<Classification> {
        &self.pool
    }

    fn labels(&self) -> &[usize] {
        &self.split.labels
    }

    fn loss(&self) -> Box<dyn Loss<Classification>> {
        Box::new(CrossEntropy::default())
    }

    fn settings(&self) -> Settings {
        self.settings
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn beliefs(&self, of: Beliefs) -> Result<Option<Source<Classification>>> {
        let train = || self.split.train.clone();
        Ok(match of {
            Beliefs::Model => Some(Source::Fixed(self.pool.own_beliefs()?)),
            Beliefs::Forest => Some(Source::Learning(Box::new(Retrained::new(Forest::default(), train())))),
            Beliefs::Varied => Some(Source::Learning(Box::new(Retrained::new(families(), train())))),
            Beliefs::Process | Beliefs::Network | Beliefs::Ensemble(_) | Beliefs::Oracle => None,
        })
    }

    fn by_expected_loss(
        &self,
        builder: Builder<Classification>,
        _of: Beliefs,
    ) -> Option<Scored<Classification>> {
        Some(match self.settings {
            Settings::Text => Scored { builder: builder.acquisition(ExpectedLoss), depend_on_open: false },
            Settings::Released => {
                Scored { builder: builder.acquisition(Raised(above_tenth_percentile)), depend_on_open: true }
            }
        })
    }
}

/// What a Thompson ensemble fits in turn: forests of other depths and criteria, trees that split at random, and logistic
/// regressions of other strengths.
fn families() -> Varied {
    Varied::new(Forest::default())
        .or(Forest::default().max_depth(3))
        .or(Forest::default().criterion(Criterion::Entropy).min_samples_leaf(3))
        .or(Forest::extremely_randomised())
        .or(LogisticRegression::default())
}

impl Experiment for TwoMoons {
    fn name(&self) -> &'static str {
        "two-moons"
    }

    fn pool_size(&self) -> usize {
        self.moons.points - self.moons.train
    }

    fn columns(&self) -> Vec<Column> {
        self.strategies.iter().map(|strategy| strategy.estimates(self.steps)).collect()
    }

    fn run(&self, seed: Seed) -> crate::Result<Trace> {
        let (split, model) = self.trained(seed)?;
        let pool =
            Pool::classification(model.predict(&split.features)?)?.with_features(split.features.clone())?;
        let pool_risk = pool.risk(&CrossEntropy::default(), &split.labels)?;
        let problem = Drawn { split, pool, settings: self.settings, seed };
        Ok(Trace::new(pool_risk, spend(&problem, &self.strategies, self.steps)?))
    }

    fn example(&self, seed: Seed) -> crate::Result<Example> {
        let (split, model) = self.trained(seed)?;
        let train = dots(&split.train.features, &split.train.labels);
        Ok(Example::Plane(PlaneExample::new(train, dots(&split.features, &split.labels), &model)?))
    }
}

fn dots(features: &Matrix, labels: &[usize]) -> Vec<Dot> {
    let mut reader = features.reader();
    let rows = labels.iter().enumerate();
    rows.filter_map(|(row, &class)| match *reader.row(row) {
        [x, y] => Some(Dot { x, y, class }),
        _ => None,
    })
    .collect()
}
