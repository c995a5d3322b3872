//! A network that was trained on few images, tested with surrogates that are trained again as labels come in: Figure 4.
//! A run trains everything it needs.

use std::ops::RangeInclusive;
use std::sync::Arc;

use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::{Data, Learner, Model, Retrained, Schedule};
use labelwise::{Classification, Error as CoreError, Pool, Seed};
use labelwise_images::{Images, Set};
use labelwise_models::{Criterion, Ensemble, Forest};

use super::regression::NOT_HERE;
use super::strategies::{Author, Scored, Start};
use super::{Column, Curve, Experiment, Settings, Trace, curves};
use crate::error::{Error, Result};
use crate::recipe::{Network, Training};
use crate::workshop::{Parts, Workshop};

/// A network on few images, all strategies of the figure.
#[derive(Clone)]
pub struct Retraining {
    /// A short name.
    pub name: &'static str,
    /// The images, both parts together.
    pub set: Set,
    /// The model under test, and the surrogate.
    pub network: Network,
    /// How both learn.
    pub training: Training,
    /// Images to learn from.
    pub train: usize,
    /// Images to test on.
    pub test: usize,
    /// How many labels are acquired.
    pub steps: usize,
    /// After how many labels surrogates are trained again.
    pub schedule: Vec<usize>,
    /// How many networks the ensemble has.
    pub members: usize,
    /// How q is kept from zero.
    pub settings: Settings,
    /// What to follow.
    pub curves: Vec<Curve>,
    /// What a run learns from and with, once it is there.
    pub material: Option<Material>,
}

/// What a run learns from, and with.
#[derive(Clone)]
pub struct Material {
    /// The images, both parts together.
    pub images: Arc<Images>,
    /// The learner of the network.
    pub learner: Arc<dyn Learner<Classification>>,
}

impl Material {
    /// Images of any shape, and whatever learns them.
    pub fn new(images: Images, learner: Box<dyn Learner<Classification>>) -> Self {
        Self { images: Arc::new(images), learner: learner.into() }
    }
}

/// A learner that several surrogates share.
#[derive(Clone)]
struct Shared(Arc<dyn Learner<Classification>>);

impl Learner<Classification> for Shared {
    fn fit(
        &self,
        data: &Data<Classification>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> labelwise::Result<Box<dyn Model<Classification>>> {
        self.0.fit(data, columns, rng)
    }
}

/// The paper's: "random forests with 100 estimators, split criterion 'entropy', and maximum number of features considered
/// at each split proportional to the square root".
fn forest() -> Forest {
    Forest::default().criterion(Criterion::Entropy)
}

/// The counters of the streams for fits that belong to no evaluation, from the far end.
const MODEL: u64 = u64::MAX;
const MEMBERS: u64 = u64::MAX - 1;

impl Retraining {
    fn material(&self) -> Result<&Material> {
        self.material.as_ref().ok_or(Error::NotPrepared { experiment: self.name })
    }

    fn retrained(
        &self,
        learner: impl Learner<Classification> + 'static,
        train: &Data<Classification>,
    ) -> Retrained<Classification> {
        Retrained::new(learner, train.clone()).schedule(Schedule::At(self.schedule.clone()))
    }
}

impl Experiment for Retraining {
    fn name(&self) -> &'static str {
        self.name
    }

    fn pool_size(&self) -> usize {
        self.test
    }

    fn columns(&self) -> Vec<Column> {
        self.curves.iter().map(|curve| curve.estimates(self.steps)).collect()
    }

    fn judged(&self) -> RangeInclusive<usize> {
        self.steps..=self.steps
    }

    fn trains(&self) -> bool {
        true
    }

    fn prepare(&mut self, workshop: &Workshop<'_>) -> Result<()> {
        let needs = || format!("networks that are trained again and again ({})", self.network.name());
        let learner =
            workshop.trainer(needs)?.learner(self.set, &self.network, &self.training, Box::new(|_, _| {}))?;
        let (train, test) = workshop.images(self.set)?;
        self.material = Some(Material::new(train.joined(&test)?, learner));
        Ok(())
    }

    fn run(&self, seed: Seed) -> Result<Trace> {
        let Material { images, learner } = self.material()?;
        let parts = Parts::redrawn(images, self.train, self.test, &mut seed.stream(Stream::Split, 0))?;
        let (scaling, classes) = (parts.scaling()?, images.classes());
        let train = parts.train.data(&scaling)?;
        let features = scaling.features(&parts.test)?;
        let model = learner.fit(&train, classes, &mut seed.stream(Stream::Fit, MODEL))?;
        let pool = Pool::classification(model.predict(&features)?)?.with_features(features.clone())?;
        let labels: Vec<usize> = parts.test.labels().iter().map(|&label| usize::from(label)).collect();
        let scored = Scored::CrossEntropy;
        let pool_risk = pool.risk(&*scored.loss(), &labels)?;
        let (settings, steps) = (self.settings, self.steps);
        let start = Start { pool: &pool, labels: &labels, scored, settings, steps, seed };
        let shared = || Shared(Arc::clone(learner));
        // Trained once, and only if a curve asks for it.
        let ensemble = || -> Result<_> {
            let rng = &mut seed.stream(Stream::Fit, MEMBERS);
            let fitted = Ensemble::new(shared(), self.members)?.fit(&train, classes, rng)?;
            Ok(fitted.predict(&features)?)
        };
        let wanted = self.curves.iter().any(|c| [curves::ENSEMBLE, curves::OURS_ENSEMBLE].contains(c));
        let ensemble = if wanted { Some(ensemble()?) } else { None };
        let believed = || ensemble.clone().ok_or(CoreError::NoMembers);
        let mut values = Vec::with_capacity(self.curves.len());
        for curve in &self.curves {
            let one = &[*curve];
            values.extend(match *curve {
                curves::UNIFORM => start.with_own(Author::Chance, one)?,
                curves::ENTROPY => start.with_own(Author::OwnBeliefs, one)?,
                curves::NETWORK => start.follow(Author::Retrained, self.retrained(shared(), &train), one)?,
                curves::OURS_NETWORK => start.follow(Author::Ours, self.retrained(shared(), &train), one)?,
                curves::FOREST => start.follow(Author::Surrogate, self.retrained(forest(), &train), one)?,
                curves::OURS_FOREST => start.follow(Author::Ours, self.retrained(forest(), &train), one)?,
                curves::ENSEMBLE => start.with_beliefs(Author::Surrogate, believed()?, one)?,
                curves::OURS_ENSEMBLE => start.with_beliefs(Author::Ours, believed()?, one)?,
                Curve { acquisition, .. } => Err(CoreError::Acquisition { acquisition, needs: NOT_HERE })?,
            });
        }
        Ok(Trace { pool_risk, values })
    }
}
