//! The images that a network learns from, and those that it is tested on.

use labelwise::Seed;
use labelwise::rng::Stream;
use labelwise_images::{Images, Scaling, stratified};

use crate::error::Result;
use crate::recipe::{Kind, Split};

/// A split of a set.
pub(crate) struct Parts {
    pub(crate) train: Images,
    pub(crate) test: Images,
    /// Which images of the part, or of both parts joined, the test images are.
    pub(crate) test_items: Vec<usize>,
}

impl Parts {
    /// Splits the two parts of a set.
    pub(crate) fn of(split: &Split, train: &Images, test: &Images) -> Result<Self> {
        let rng = &mut Seed(split.seed).stream(Stream::Split, 1);
        match split.kind {
            Kind::Original => {
                let train = train.select(&train.stratified(split.train, rng)?)?;
                let test_items = test.stratified(split.test, rng)?;
                Ok(Self { train, test: test.select(&test_items)?, test_items })
            }
            Kind::Redrawn => Self::redrawn(&train.clone().joined(test)?, split.train, split.test, rng),
        }
    }

    /// Splits all images of a set at random.
    pub(crate) fn redrawn(
        images: &Images,
        train: usize,
        test: usize,
        rng: &mut labelwise::rng::ChaCha8Rng,
    ) -> Result<Self> {
        let mut parts = stratified(images.labels(), &[train, test], rng)?.into_iter();
        let (train, test_items) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        Ok(Self { train: images.select(&train)?, test: images.select(&test_items)?, test_items })
    }

    /// Standardisation by channel, over the images that are learnt from.
    pub(crate) fn scaling(&self) -> Result<Scaling> {
        Ok(Scaling::of(&self.train)?)
    }
}
