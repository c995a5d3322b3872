//! Images in memory: a byte a pixel, image after image, channel after channel, row after row.

use std::fmt;

use labelwise::Classification;
use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::Data;
use md5::{Digest, Md5};

use crate::error::{Error, Result};
use crate::read::digits;
use crate::scaling::Scaling;
use crate::subset;

/// Channels, height and width of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Values a pixel has: one where it is grey, three where it is coloured.
    pub channels: usize,
    /// Rows of pixels.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
}

impl Shape {
    /// Bytes in a channel.
    pub fn pixels(self) -> usize {
        self.height * self.width
    }

    /// Bytes in an image.
    pub fn bytes(self) -> usize {
        self.channels * self.pixels()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} x {}", self.channels, self.height, self.width)
    }
}

/// Labelled images of one shape.
///
/// ```
/// use labelwise_images::{Images, Shape};
/// let shape = Shape { channels: 1, height: 1, width: 2 };
/// let images = Images::new(shape, vec![0, 1, 2, 3, 4, 5], vec![0, 1, 0], 2)?;
/// assert_eq!(images.len(), 3);
/// assert_eq!(images.image(1), Some([2, 3].as_slice()));
/// assert_eq!(images.select(&[2, 0])?.pixels(), [4, 5, 0, 1]);
/// # Ok::<(), labelwise_images::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Images {
    shape: Shape,
    pixels: Vec<u8>,
    labels: Vec<u8>,
    classes: usize,
}

impl Images {
    /// Images of this shape, as many as there are labels; each label is below `classes`.
    pub fn new(shape: Shape, pixels: Vec<u8>, labels: Vec<u8>, classes: usize) -> Result<Self> {
        let expected = labels.len().checked_mul(shape.bytes());
        if shape.bytes() == 0 || expected != Some(pixels.len()) {
            return Err(Error::Pixels { bytes: pixels.len(), labels: labels.len(), each: shape.bytes() });
        }
        if let Some((item, &label)) =
            labels.iter().enumerate().find(|(_, label)| usize::from(**label) >= classes)
        {
            return Err(Error::Label { item, label: label.into(), classes });
        }
        Ok(Self { shape, pixels, labels, classes })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Channels, height and width of each image.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// All bytes: image after image, channel after channel, row after row (NCHW).
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The bytes of one image; none if `item` is too large.
    pub fn image(&self, item: usize) -> Option<&[u8]> {
        self.pixels.chunks_exact(self.shape.bytes()).nth(item)
    }

    /// The labels, one per image.
    pub fn labels(&self) -> &[u8] {
        &self.labels
    }

    /// How many classes the labels are of.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The MD5 of all bytes and all labels, in hexadecimal digits: what they are known by.
    pub fn md5(&self) -> String {
        digits(&Md5::new().chain_update(&self.pixels).chain_update(&self.labels).finalize())
    }

    /// Some of them, in this order.
    pub fn select(&self, items: &[usize]) -> Result<Self> {
        let mut pixels = Vec::with_capacity(items.len() * self.shape.bytes());
        let mut labels = Vec::with_capacity(items.len());
        for &item in items {
            let (Some(image), Some(&label)) = (self.image(item), self.labels.get(item)) else {
                return Err(Error::NoItem { item, items: self.len() });
            };
            pixels.extend_from_slice(image);
            labels.push(label);
        }
        Ok(Self { shape: self.shape, pixels, labels, classes: self.classes })
    }

    /// These and others behind them, which must be of the same shape and classes.
    pub fn joined(mut self, others: &Self) -> Result<Self> {
        if (self.shape, self.classes) != (others.shape, others.classes) {
            return Err(Error::Unlike { one: self.shape, other: others.shape });
        }
        self.pixels.extend_from_slice(&others.pixels);
        self.labels.extend_from_slice(&others.labels);
        Ok(self)
    }

    /// So many items at random, with the classes in the proportions they have here. See [`stratified`](crate::stratified),
    /// which also gives several parts that share no item.
    pub fn stratified(&self, items: usize, rng: &mut ChaCha8Rng) -> Result<Vec<usize>> {
        Ok(subset::stratified(&self.labels, &[items], rng)?.pop().unwrap_or_default())
    }

    /// So many items at random.
    pub fn random(&self, items: usize, rng: &mut ChaCha8Rng) -> Result<Vec<usize>> {
        subset::random(self.len(), items, rng)
    }

    /// Labelled rows of features, as learners take them.
    pub fn data(&self, scaling: &Scaling) -> Result<Data<Classification>> {
        let labels = self.labels.iter().map(|&label| usize::from(label)).collect();
        Ok(Data::new(scaling.features(self)?, labels)?)
    }
}
