//! The surrogates: what is believed about the labels of all test images.

use std::error::Error;

use labelwise::Matrix;
use labelwise::rng::Stream;
use labelwise::surrogate::Learner;
use labelwise_images::{Archive, Part, Provenance, Scaling, read};
use labelwise_models::{Calibrated, Criterion, Forest};

use super::Options;

/// Beliefs about every test image, one row an image.
pub(crate) struct Surrogates {
    /// Their names and rows, the model itself first.
    pub(crate) all: Vec<(&'static str, Matrix)>,
    /// The forest's accuracy on the test images.
    pub(crate) accuracy: f64,
    /// The forest's mean cross-entropy on them.
    pub(crate) cross_entropy: f64,
}

impl Surrogates {
    /// The model itself; the paper's forest, learnt from training images; and the mean of the model and a calibrated
    /// forest, which is our default where there are training data.
    pub(crate) fn new(options: &Options, pool: &Archive) -> Result<Self, Box<dyn Error>> {
        let train = read(options.set, Part::Train, &options.data)?;
        let train =
            train.select(&train.stratified(options.train, &mut options.seed.stream(Stream::Split, 0))?)?;
        let test = read(options.set, Part::Test, &options.data)?;
        let same = test.labels().iter().map(|&label| u32::from(label)).eq(pool.labels().iter().copied());
        if !same {
            return Err("the labels of the pool are not those of the test images, in their order".into());
        }
        let scaling = Scaling::of(&train)?;
        let (data, features) = (train.data(&scaling)?, scaling.features(&test)?);
        let rng = &mut options.seed.stream(Stream::Fit, 0);
        let forest = Forest::default().trees(100).criterion(Criterion::Entropy);
        let plain = forest.fit(&data, train.classes(), rng)?.predict(&features)?;
        let calibrated =
            Calibrated::new(Forest::default()).fit(&data, train.classes(), rng)?.predict(&features)?;
        let archive = |members| {
            Archive::new(pool.ids().to_vec(), pool.labels().to_vec(), members, Provenance::new("", ""))
        };
        let blend = archive(vec![pool.mean().clone(), calibrated])?.mean().clone();
        let forest = archive(vec![plain.clone()])?;
        Ok(Self {
            all: vec![("the model", pool.mean().clone()), ("forest", plain), ("model and forest", blend)],
            accuracy: forest.accuracy(),
            cross_entropy: forest.cross_entropy(),
        })
    }
}
