//! Batch normalisation, alone and after a convolution.

use burn_tensor::Tensor;
use burn_tensor::module::{batch_norm, batch_norm_train, conv2d};

use super::Window;
use crate::layout::{Initial, Layout, Pass, RunningSlot, Slot};

/// Keeps a channel of equal numbers from a division by nothing.
const EPSILON: f64 = 1e-5;

/// Batch normalisation: by the batch's mean and variance in training, by the running ones after.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Norm {
    gamma: Slot,
    beta: Slot,
    mean: RunningSlot,
    variance: RunningSlot,
}

impl Norm {
    pub(crate) fn new(layout: &mut Layout, name: &str, channels: usize) -> Self {
        Self {
            gamma: layout.parameter(format!("{name}.gamma"), &[channels], Initial::Constant(1.0)),
            beta: layout.parameter(format!("{name}.beta"), &[channels], Initial::Constant(0.0)),
            mean: layout.statistic(format!("{name}.mean"), channels, 0.0),
            variance: layout.statistic(format!("{name}.variance"), channels, 1.0),
        }
    }

    pub(crate) fn forward(&self, pass: &mut Pass<'_>, images: Tensor<4>) -> Tensor<4> {
        let (gamma, beta) = (pass.parameter(self.gamma), pass.parameter(self.beta));
        if !pass.is_training() {
            let (mean, variance) = (pass.running(self.mean), pass.running(self.variance));
            return batch_norm(images, gamma, beta, mean, variance, EPSILON);
        }
        let [rows, _, height, width] = images.dims();
        let count = (rows * height * width) as f64;
        let normed = batch_norm_train(images, gamma, beta, EPSILON);
        pass.record(self.mean, normed.mean);
        // The running variance is the unbiased one, as the images to come are not of this batch.
        pass.record(self.variance, normed.variance.mul_scalar(count / (count - 1.0).max(1.0)));
        normed.output
    }

    /// Factor and summand that the normalisation comes to once training is over.
    fn affine(&self, pass: &Pass<'_>) -> (Tensor<1>, Tensor<1>) {
        let factor = pass.parameter(self.gamma) / (pass.running(self.variance) + EPSILON).sqrt();
        let summand = pass.parameter(self.beta) - pass.running(self.mean) * factor.clone();
        (factor, summand)
    }
}

/// A convolution without bias and the normalisation of what comes out. After training the two are a single convolution.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Normalised {
    weight: Slot,
    shape: [usize; 4],
    window: Window,
    norm: Norm,
}

impl Normalised {
    /// Weights begin normal with variance 2 / fan-out (He et al., 2015).
    pub(crate) fn new(layout: &mut Layout, name: &str, [from, to]: [usize; 2], window: Window) -> Self {
        let shape = [to, from, window.size, window.size];
        Self {
            weight: layout.parameter(format!("{name}.weight"), &shape, window.he(to)),
            shape,
            window,
            norm: Norm::new(layout, &format!("{name}.norm"), to),
        }
    }

    pub(crate) fn forward(&self, pass: &mut Pass<'_>, images: Tensor<4>) -> Tensor<4> {
        let weight = pass.parameter(self.weight).reshape(self.shape);
        if pass.is_training() {
            let convolved = conv2d(images, weight, None, self.window.options());
            return self.norm.forward(pass, convolved);
        }
        let [to, ..] = self.shape;
        let (factor, summand) = self.norm.affine(pass);
        conv2d(images, weight * factor.reshape([to, 1, 1, 1]), Some(summand), self.window.options())
    }
}
