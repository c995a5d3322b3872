//! A random forest on two moons, with a random forest as surrogate that is grown again after every label: Figure 3
//! (c), column 5 of Figure A.1.

use labelwise::acquisition::{Acquisition, Distance, ExpectedLoss, TrueLoss, Uniform};
use labelwise::proposal::Floor;
use labelwise::rng::Stream;
use labelwise::surrogate::{Model, Retrained, Schedule, Surrogate};
use labelwise::{Classification, CrossEntropy, Error, Evaluation, Fixed, Matrix, Pool, Result, Seed};
use labelwise_models::{ClassificationForest, Forest};

use super::example::PlaneExample;
use super::percentile::{Raised, above_tenth_percentile};
use super::regression::{NOT_HERE, groups};
use super::spend::{Reading, spend};
use super::{Column, Curve, Dot, Example, Experiment, Settings, Trace, curves};
use crate::data::{Moons, Split};

/// Classes of the two moons.
const CLASSES: usize = 2;

/// A forest on two moons, all strategies of the figure.
#[derive(Debug, Clone)]
pub struct Classifying {
    /// The data.
    pub moons: Moons,
    /// How many labels are acquired.
    pub steps: usize,
    /// How q is clipped.
    pub settings: Settings,
    /// What to follow.
    pub curves: Vec<Curve>,
}

impl Classifying {
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

    fn follow(
        &self,
        split: &Split<Classification>,
        pool: &Pool<Classification>,
        curves: &[Curve],
        seed: Seed,
    ) -> Result<Vec<Vec<f64>>> {
        let Some(first) = curves.first() else { return Ok(Vec::new()) };
        let own = || Ok::<_, Error>(Fixed(pool.own_beliefs()?));
        let forest = || Retrained::new(Forest::default(), split.train.clone());
        let start = Start { pool, settings: self.settings, seed };
        let evaluation = match *first {
            curves::UNIFORM => start.unguarded(own()?, Uniform),
            curves::TRUE_LOSS => start.unguarded(own()?, TrueLoss::new(split.labels.clone())),
            curves::DISTANCE => start.clipped(own()?, Distance::default()),
            curves::ENTROPY => start.by_expected_loss(own()?),
            curves::OURS => {
                Evaluation::builder(pool.clone(), CrossEntropy::default(), forest()).seed(seed).build()
            }
            curves::FOREST | curves::FOREST_IID => start.by_expected_loss(forest()),
            Curve { acquisition, .. } => Err(Error::Acquisition { acquisition, needs: NOT_HERE }),
        }?;
        let readings: Vec<_> = curves.iter().map(|curve| Reading::of(*curve)).collect();
        spend(evaluation, &split.labels, self.steps, &readings)
    }
}

/// What the strategies of a run have in common.
struct Start<'a> {
    pool: &'a Pool<Classification>,
    settings: Settings,
    seed: Seed,
}

impl Start<'_> {
    fn unguarded(
        &self,
        surrogate: impl Surrogate<Classification> + 'static,
        acquisition: impl Acquisition<Classification> + 'static,
    ) -> Result<Evaluation<Classification>> {
        let builder = Evaluation::builder(self.pool.clone(), CrossEntropy::default(), surrogate);
        builder.acquisition(acquisition).floor(Floor::Unguarded).seed(self.seed).build()
    }

    fn clipped(
        &self,
        surrogate: impl Surrogate<Classification> + 'static,
        acquisition: impl Acquisition<Classification> + 'static,
    ) -> Result<Evaluation<Classification>> {
        let builder = Evaluation::builder(self.pool.clone(), CrossEntropy::default(), surrogate);
        let builder = builder.acquisition(acquisition).floor(self.settings.floor()).seed(self.seed);
        builder.rescore(Schedule::Every(1)).build()
    }

    fn by_expected_loss(
        &self,
        surrogate: impl Surrogate<Classification> + 'static,
    ) -> Result<Evaluation<Classification>> {
        match self.settings {
            Settings::Text => self.clipped(surrogate, ExpectedLoss),
            Settings::Released => self.clipped(surrogate, Raised(above_tenth_percentile)),
        }
    }
}

impl Experiment for Classifying {
    fn name(&self) -> &'static str {
        "two-moons"
    }

    fn pool_size(&self) -> usize {
        self.moons.points - self.moons.train
    }

    fn columns(&self) -> Vec<Column> {
        self.curves.iter().map(|curve| curve.estimates(self.steps)).collect()
    }

    fn run(&self, seed: Seed) -> crate::Result<Trace> {
        let (split, model) = self.trained(seed)?;
        let pool =
            Pool::classification(model.predict(&split.features)?)?.with_features(split.features.clone())?;
        let pool_risk = pool.risk(&CrossEntropy::default(), &split.labels)?;
        let mut values = Vec::with_capacity(self.curves.len());
        for group in groups(&self.curves) {
            values.extend(self.follow(&split, &pool, group, seed)?);
        }
        Ok(Trace { pool_risk, values })
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
