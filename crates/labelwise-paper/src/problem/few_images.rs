//! A network that was trained on few images, tested with surrogates that are trained again as labels come in: Figure 4.
//! A run trains everything it needs.

use std::ops::RangeInclusive;
use std::sync::Arc;

use labelwise::loss::{Loss, ZeroOne};
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::{Data, Learner, Model, Retrained, Schedule, Surrogate};
use labelwise::{Classification, CrossEntropy, Matrix, Pool, Seed};
use labelwise_images::{Images, Set};
use labelwise_models::{Criterion, Ensemble, Forest};

use super::images::{Scored, Surrogates, TestSet};
use super::spend::spend;
use super::{Experiment, LOSS_VARIANCE, Settings, Trace};
use crate::error::{Error, Result};
use crate::recipe::{Network, Training};
use crate::strategy::{Beliefs, Column, Strategy};
use crate::workshop::{Parts, Workshop, hear_here, heard_here};

/// A network on few images, all strategies of the figure.
#[derive(Clone)]
pub struct FewImages {
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
    pub strategies: Vec<Strategy>,
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

impl FewImages {
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

/// What a run trains beside the model.
struct Trained<'a> {
    experiment: &'a FewImages,
    learner: &'a Arc<dyn Learner<Classification>>,
    train: &'a Data<Classification>,
    ensemble: Option<Matrix>,
}

impl Surrogates for Trained<'_> {
    fn ensemble(&self, _place: usize) -> labelwise::Result<Option<Matrix>> {
        Ok(self.ensemble.clone())
    }

    fn learning(&self, of: Beliefs) -> Option<Box<dyn Surrogate<Classification>>> {
        match of {
            Beliefs::Network => {
                Some(Box::new(self.experiment.retrained(Shared(Arc::clone(self.learner)), self.train)))
            }
            Beliefs::Forest => Some(Box::new(self.experiment.retrained(forest(), self.train))),
            Beliefs::Model | Beliefs::Process | Beliefs::Varied | Beliefs::Ensemble(_) | Beliefs::Oracle => {
                None
            }
        }
    }
}

/// The mean of the losses that the model expects of itself.
fn mean_entropy(pool: &Pool<Classification>) -> f64 {
    let loss = CrossEntropy::default();
    let mut reader = pool.predictions().reader();
    let mut sum = 0.0;
    let items = pool.predictions().rows();
    for item in 0..items {
        let row = reader.row(item);
        sum += loss.moments(row, row).first;
    }
    sum / items as f64
}

impl Experiment for FewImages {
    fn name(&self) -> &'static str {
        self.name
    }

    fn pool_size(&self) -> usize {
        self.test
    }

    fn columns(&self) -> Vec<Column> {
        self.strategies.iter().map(|strategy| strategy.estimates(self.steps)).collect()
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
            workshop.trainer(needs)?.learner(self.set, &self.network, &self.training, Box::new(hear_here))?;
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
        // Whatever was heard on this thread before is of another run.
        heard_here();
        let model = learner.fit(&train, classes, &mut seed.stream(Stream::Fit, MODEL))?;
        let heard = heard_here();
        let pool = Pool::classification(model.predict(&features)?)?.with_features(features.clone())?;
        let labels: Vec<usize> = parts.test.labels().iter().map(|&label| usize::from(label)).collect();
        let scored = Scored::CrossEntropy;
        let pool_risk = pool.risk(&*scored.loss(), &labels)?;
        // Trained once, and only if a strategy asks for it.
        let wanted = self.strategies.iter().any(|strategy| matches!(strategy.beliefs, Beliefs::Ensemble(_)));
        let ensemble = if wanted {
            let rng = &mut seed.stream(Stream::Fit, MEMBERS);
            let fitted =
                Ensemble::new(Shared(Arc::clone(learner)), self.members)?.fit(&train, classes, rng)?;
            Some(fitted.predict(&features)?)
        } else {
            None
        };
        let surrogates = Trained { experiment: self, learner, train: &train, ensemble };
        let (settings, information) = (self.settings, None);
        let surrogates = &surrogates;
        let problem =
            TestSet { pool: &pool, labels: &labels, scored, settings, seed, surrogates, information };
        let values = spend(&problem, &self.strategies, self.steps)?;
        let mut recorded = vec![
            (LOSS_VARIANCE.to_owned(), problem.loss_variance()),
            ("model_accuracy".to_owned(), 1.0 - pool.risk(&ZeroOne, &labels)?),
            ("model_entropy".to_owned(), mean_entropy(&pool)),
            ("model_epochs".to_owned(), heard.epochs as f64),
        ];
        recorded.extend(heard.validation_loss.map(|loss| ("model_validation_loss".to_owned(), loss)));
        Ok(Trace { pool_risk, values, recorded })
    }
}
