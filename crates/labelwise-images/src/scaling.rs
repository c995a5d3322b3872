//! Standardisation: pixels less the mean of their channel over its standard deviation, both over all pixels of the images
//! that a model learns from.

use labelwise::Matrix;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::images::Images;

/// Mean and standard deviation of each channel, of pixels from 0 to 1.
///
/// ```
/// use labelwise_images::{Images, Scaling, Shape};
/// let images = Images::new(Shape { channels: 1, height: 1, width: 2 }, vec![0, 255, 255, 0], vec![0, 1], 2)?;
/// let scaling = Scaling::of(&images)?;
/// assert_eq!((scaling.means(), scaling.std_devs()), ([0.5].as_slice(), [0.5].as_slice()));
/// assert_eq!(scaling.features(&images)?.singles(), Some([-1.0, 1.0, 1.0, -1.0].as_slice()));
/// # Ok::<(), labelwise_images::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    means: Vec<f64>,
    std_devs: Vec<f64>,
}

/// The number that a full byte stands for.
const FULL: f64 = 255.0;

impl Scaling {
    /// Of the images that a model learns from. A channel that is the same everywhere has a standard deviation of 0, and is
    /// only centred.
    pub fn of(images: &Images) -> Result<Self> {
        if images.is_empty() {
            return Err(Error::NoImages);
        }
        let shape = images.shape();
        // Whole numbers add up exactly, in any order; 64 bits hold the squares of 10^14 pixels.
        let mut sums = vec![(0_u64, 0_u64); shape.channels];
        for image in images.pixels().chunks_exact(shape.bytes()) {
            for (channel, sum) in image.chunks_exact(shape.pixels()).zip(&mut sums) {
                for &pixel in channel {
                    sum.0 += u64::from(pixel);
                    sum.1 += u64::from(pixel) * u64::from(pixel);
                }
            }
        }
        let pixels = (images.len() * shape.pixels()) as f64;
        let means: Vec<f64> = sums.iter().map(|sum| sum.0 as f64 / pixels / FULL).collect();
        let variance = |(&(_, squares), mean): (&(u64, u64), &f64)| {
            squares as f64 / pixels / (FULL * FULL) - mean * mean
        };
        // What rounding leaves of a channel without spread is none.
        let std_devs = sums
            .iter()
            .zip(&means)
            .map(variance)
            .map(|variance| if variance < 1e-12 { 0.0 } else { variance.sqrt() });
        Ok(Self { std_devs: std_devs.collect(), means })
    }

    /// The mean of each channel.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The standard deviation of each channel.
    pub fn std_devs(&self) -> &[f64] {
        &self.std_devs
    }

    /// One row of numbers in f32 an image: channel after channel, row after row.
    pub fn features(&self, images: &Images) -> Result<Matrix> {
        let shape = images.shape();
        if shape.channels != self.means.len() {
            return Err(Error::Channels { here: shape.channels, scaling: self.means.len() });
        }
        // One table a channel: a byte has 256 values, and the division need not be done for each pixel.
        let tables: Vec<Vec<f32>> =
            self.means.iter().zip(&self.std_devs).map(|(mean, std_dev)| table(*mean, *std_dev)).collect();
        let mut features = Vec::with_capacity(images.pixels().len());
        for image in images.pixels().chunks_exact(shape.bytes()) {
            for (channel, table) in image.chunks_exact(shape.pixels()).zip(&tables) {
                features.extend(channel.iter().filter_map(|&pixel| table.get(usize::from(pixel))));
            }
        }
        Ok(Matrix::f32(features, shape.bytes())?)
    }
}

fn table(mean: f64, std_dev: f64) -> Vec<f32> {
    let by = if std_dev > 0.0 { std_dev } else { 1.0 };
    (0..=u8::MAX).map(|byte| ((f64::from(byte) / FULL - mean) / by) as f32).collect()
}
