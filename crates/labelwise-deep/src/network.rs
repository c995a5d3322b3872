//! Networks as learners, and what they learn as models.

use std::fmt;
use std::sync::Arc;

use burn_tensor::Device;
use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Learner, Model};
use labelwise::{Classification, Matrix};
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use crate::architecture::{Architecture, Plan};
use crate::error::Result;
use crate::examples::Examples;
use crate::fit::{Epoch, Fit, Fitted};
use crate::inference::{Asked, Mean, numbers};
use crate::layout::Weights;
use crate::shape::Shape;
use crate::threads;
use crate::training::Training;

type Progress = Arc<dyn Fn(&Epoch) + Send + Sync>;

/// A network to be trained on images of one shape: a [`Learner`] like any other.
///
/// Equal seeds give equal networks. A network is trained on one thread; several at once, as by
/// [`train_many`](Self::train_many) or an ensemble, on as many as there are, with the same results.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::surrogate::{Data, Learner};
/// use labelwise::{Matrix, Seed};
/// use labelwise_deep::{Architecture, Network, Shape, Training};
///
/// // Dark and bright images of 4 x 4 pixels.
/// let pixels: Vec<f32> = (0..20 * 16).map(|i| if i / 16 % 2 == 0 { -1.0 } else { 1.0 }).collect();
/// let data = Data::new(Matrix::f32(pixels, 16)?, (0..20).map(|i| i % 2).collect())?;
/// let training = Training { epochs: 20, validation: 4, ..Training::resnet() };
/// let network = Network::new(Architecture::small_cnn().width(0.25)?, Shape::new(1, 4, 4)?, training)?;
/// let model = network.fit(&data, 2, &mut Seed(1).stream(Stream::Fit, 0))?;
/// assert!(model.predict(&data.features)?.reader().row(0)[0] > 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Network {
    architecture: Architecture,
    shape: Shape,
    training: Training,
    device: Device,
    progress: Option<Progress>,
}

impl Network {
    /// A network of this architecture for images of this shape.
    pub fn new(architecture: Architecture, shape: Shape, training: Training) -> Result<Self> {
        architecture.check(shape, 2)?;
        training.check()?;
        Ok(Self { architecture, shape, training, device: threads::default_device()?, progress: None })
    }

    /// Calls this after each epoch. Of several networks that are trained at once, epochs come as they end.
    pub fn progress(self, progress: impl Fn(&Epoch) + Send + Sync + 'static) -> Self {
        Self { progress: Some(Arc::new(progress)), ..self }
    }

    /// Computes on this device; otherwise on the first that the build knows.
    pub fn device(self, device: Device) -> Self {
        Self { device: device.inner(), ..self }
    }

    /// The architecture.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The shape of the images.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How it is trained.
    pub fn training(&self) -> &Training {
        &self.training
    }

    pub(crate) fn on(&self) -> &Device {
        &self.device
    }

    /// Trains on labelled images of `classes` classes.
    pub fn train(
        &self,
        data: &Data<Classification>,
        classes: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<TrainedNetwork> {
        let plan = self.architecture.plan(self.shape, classes)?;
        let examples = Examples::new(data, self.shape, classes)?;
        self.train_on(plan, &examples, classes, rng)
    }

    /// Trains one network a generator, several at a time; the results are in the order of the generators.
    pub fn train_many(
        &self,
        data: &Data<Classification>,
        classes: usize,
        rngs: Vec<ChaCha8Rng>,
    ) -> Result<Vec<TrainedNetwork>> {
        let examples = Examples::new(data, self.shape, classes)?;
        let trained = rngs.into_par_iter().with_max_len(1).map(|mut rng| {
            self.train_on(self.architecture.plan(self.shape, classes)?, &examples, classes, &mut rng)
        });
        // Of several failures it is always the first network's that is told.
        let trained: Vec<Result<_>> = trained.collect();
        trained.into_iter().collect()
    }

    fn train_on(
        &self,
        plan: Plan,
        examples: &Examples,
        classes: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<TrainedNetwork> {
        let mut training = ChaCha8Rng::from_rng(rng);
        let seed = rng.next_u64();
        let fit = Fit {
            plan: &plan,
            examples,
            training: &self.training,
            device: &self.device,
            progress: self.progress.as_deref(),
        };
        let Fitted { weights, history, best } = threads::alone(|| fit.run(&mut training))?;
        let (architecture, shape, device) = (self.architecture, self.shape, self.device.clone());
        Ok(TrainedNetwork { architecture, shape, classes, device, plan, weights, seed, history, best })
    }
}

impl Learner<Classification> for Network {
    fn fit(
        &self,
        data: &Data<Classification>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> labelwise::Result<Box<dyn Model<Classification>>> {
        Ok(Box::new(self.train(data, columns, rng)?))
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { architecture, shape, training, device, .. } = self;
        f.debug_struct("Network")
            .field("architecture", architecture)
            .field("shape", shape)
            .field("training", training)
            .field("device", device)
            .finish_non_exhaustive()
    }
}

/// A network that was trained, with the weights that were best on the images held out.
///
/// Under a radial posterior, its members are samples of the weights, the same for all images and whenever it is asked.
pub struct TrainedNetwork {
    pub(crate) architecture: Architecture,
    pub(crate) shape: Shape,
    pub(crate) classes: usize,
    pub(crate) device: Device,
    pub(crate) plan: Plan,
    pub(crate) weights: Weights,
    /// Where samples of the weights come from.
    pub(crate) seed: u64,
    pub(crate) history: Vec<Epoch>,
    pub(crate) best: usize,
}

impl TrainedNetwork {
    /// The architecture.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The shape of the images.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// What each epoch came to.
    pub fn history(&self) -> &[Epoch] {
        &self.history
    }

    /// The epoch, from 1, that the weights are of.
    pub fn best_epoch(&self) -> usize {
        self.best
    }

    /// All its numbers by name: what was trained, and what normalisation goes by.
    pub fn weights(&self) -> Result<Vec<(String, Vec<f32>)>> {
        let layout = &self.plan.layout;
        let trained = layout.trained.iter().zip(&self.weights.trained);
        let all = trained.chain(layout.running.iter().zip(&self.weights.running));
        all.map(|(entry, value)| Ok((entry.name.clone(), numbers(value.clone())?))).collect()
    }

    /// The probabilities of each class, one row an image: of a radial posterior their mean over samples.
    pub fn predict(&self, features: &Matrix) -> Result<Matrix> {
        let mut mean = Mean::default();
        self.tables(features)?.into_iter().for_each(|table| mean.add(table));
        Ok(Matrix::f64(mean.finish(), self.classes)?)
    }

    /// The probabilities by each sample of a radial posterior, whose mean [`predict`](Self::predict) gives; none for
    /// other networks.
    pub fn members(&self, features: &Matrix) -> Result<Vec<Matrix>> {
        if self.plan.radial.is_none() {
            return Ok(Vec::new());
        }
        let tables = self.tables(features)?.into_iter();
        tables.map(|table| Ok(Matrix::f64(table, self.classes)?)).collect()
    }

    fn tables(&self, features: &Matrix) -> Result<Vec<Vec<f64>>> {
        let Self { plan, weights, shape, classes, device, seed, .. } = self;
        Asked { plan, weights, shape: *shape, classes: *classes, device, seed: *seed }.tables(features)
    }
}

impl Model<Classification> for TrainedNetwork {
    fn predict(&self, features: &Matrix) -> labelwise::Result<Matrix> {
        Ok(Self::predict(self, features)?)
    }

    fn members(&self, features: &Matrix) -> labelwise::Result<Vec<Matrix>> {
        Ok(Self::members(self, features)?)
    }
}

impl fmt::Debug for TrainedNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { architecture, shape, classes, best, .. } = self;
        write!(f, "TrainedNetwork({architecture}, {shape}, {classes} classes, epoch {best})")
    }
}
