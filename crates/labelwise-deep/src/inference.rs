//! Probabilities of images, by one network or by samples of its weights.

use burn_tensor::{Device, Tensor};
use labelwise::Matrix;
use labelwise::rng::ChaCha8Rng;
use labelwise::task::Table;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

use crate::Shape;
use crate::architecture::Plan;
use crate::error::{Error, Result};
use crate::examples;
use crate::layout::{Pass, Weights};

/// Images that go through a network at once.
pub(crate) const BATCH: usize = 128;

/// The numbers of a tensor.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>> {
    let data = tensor.into_data_as::<f32>();
    data.try_into_vec::<f32>().map_err(|error| Error::Computation(format!("{error:?}")))
}

/// Probabilities of rows of logits, in f64 so that each row sums to one.
pub(crate) fn probabilities(logits: Tensor<2>) -> Result<Vec<f64>> {
    let [_, classes] = logits.dims();
    let mut all: Vec<f64> = numbers(logits)?.into_iter().map(f64::from).collect();
    for row in all.chunks_exact_mut(classes) {
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter_mut().for_each(|x| *x = (*x - largest).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|x| *x /= sum);
    }
    Ok(all)
}

/// The mean of several tables.
#[derive(Default)]
pub(crate) struct Mean {
    sum: Vec<f64>,
    count: usize,
}

impl Mean {
    pub(crate) fn add(&mut self, table: Vec<f64>) {
        self.count += 1;
        if self.sum.is_empty() {
            self.sum = table;
        } else {
            self.sum.iter_mut().zip(table).for_each(|(sum, value)| *sum += value);
        }
    }

    pub(crate) fn finish(mut self) -> Vec<f64> {
        let count = self.count as f64;
        self.sum.iter_mut().for_each(|sum| *sum /= count);
        self.sum
    }
}

/// A network with its numbers, to be asked.
pub(crate) struct Asked<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) weights: &'a Weights,
    pub(crate) shape: Shape,
    pub(crate) classes: usize,
    pub(crate) device: &'a Device,
    /// Where samples of the weights come from.
    pub(crate) seed: u64,
}

impl Asked<'_> {
    /// One table per sample of the weights, a single one if they are not random variables. The same sample is used for all
    /// rows, and the same samples whenever the same network is asked.
    pub(crate) fn tables(&self, features: &Matrix) -> Result<Vec<Vec<f64>>> {
        let pixels = examples::pixels(Table::Features, features, self.shape)?;
        let Some(radial) = &self.plan.radial else {
            let size = BATCH * self.shape.pixels();
            let batches = pixels.par_chunks(size).map(|batch| self.batch(&self.weights.trained, batch));
            let batches: Vec<Result<Vec<f64>>> = batches.collect();
            let mut table = Vec::with_capacity(features.rows() * self.classes);
            for batch in batches {
                table.extend(batch?);
            }
            return Ok(vec![table]);
        };
        let samples = (0..radial.samples as u64).into_par_iter().map(|sample| {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            rng.set_stream(sample);
            let weights = radial.sample(&self.weights.trained, self.device, &mut rng);
            let mut table = Vec::with_capacity(features.rows() * self.classes);
            for batch in pixels.chunks(BATCH * self.shape.pixels()) {
                table.extend(self.batch(&weights, batch)?);
            }
            Ok(table)
        });
        let samples: Vec<Result<_>> = samples.collect();
        samples.into_iter().collect()
    }

    fn batch(&self, weights: &[Tensor<1>], pixels: &[f32]) -> Result<Vec<f64>> {
        let images = examples::images(pixels.to_vec(), self.shape, self.device);
        let mut pass = Pass::inference(weights, &self.weights.running);
        probabilities(self.plan.net.logits(&mut pass, images))
    }
}
