//! Batch normalisation, alone and after a convolution.

use burn_tensor::Tensor;
use burn_tensor::module::batch_norm;

use super::Window;
use crate::kernels;
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
        let normed = kernels::normalised(images, gamma, beta, EPSILON);
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
            let convolved = kernels::convolved(images, weight, None, self.window);
            return self.norm.forward(pass, convolved);
        }
        let [to, ..] = self.shape;
        let (factor, summand) = self.norm.affine(pass);
        kernels::convolved(images, weight * factor.reshape([to, 1, 1, 1]), Some(summand), self.window)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]
mod tests {
    use burn_tensor::{Device, Tensor};
    use labelwise::Seed;
    use labelwise::rng::Stream;

    use super::{Norm, Normalised};
    use crate::inference::numbers;
    use crate::layers::{Convolution, Window};
    use crate::layout::{Layout, Pass, mix_in, tensor};
    use crate::random;

    fn normals(shape: [usize; 4], seed: u64) -> Tensor<4> {
        let mut rng = Seed(seed).stream(Stream::Data, 0);
        tensor(random::normals(shape.iter().product(), &mut rng), &Device::default()).reshape(shape)
    }

    fn close(one: Vec<f32>, other: Vec<f32>) -> bool {
        one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-4)
    }

    #[test]
    fn batches_are_mixed_into_running_statistics() {
        let mut layout = Layout::default();
        let norm = Norm::new(&mut layout, "norm", 1);
        let mut weights = layout.begin(&Device::default(), &mut Seed(1).stream(Stream::Fit, 0));
        let images = tensor(vec![1.0, 2.0, 3.0, 6.0], &Device::default()).reshape([2, 1, 2, 1]);
        let mut pass = Pass::training(&weights.trained, &weights.running);
        let normed = numbers(norm.forward(&mut pass, images)).unwrap();
        // Mean 3 and variance 3.5 as they are; 14 / 3 as an estimate of the variance.
        assert!(close(normed, [-2.0, -1.0, 0.0, 3.0].map(|x: f32| x / 3.5_f32.sqrt()).to_vec()));
        let statistics = pass.into_statistics();
        mix_in(&mut weights.running, statistics);
        assert!(close(numbers(weights.running[0].clone()).unwrap(), vec![0.3]));
        assert!(close(numbers(weights.running[1].clone()).unwrap(), vec![0.9 + 1.4 / 3.0]));
    }

    #[test]
    fn after_training_convolution_and_normalisation_are_one() {
        let mut layout = Layout::default();
        let both = Normalised::new(&mut layout, "both", [2, 3], Window::three(2));
        let mut apart = Layout::default();
        let convolution = Convolution::unbiased(&mut apart, "both", [2, 3], Window::three(2));
        let norm = Norm::new(&mut apart, "both.norm", 3);
        assert_eq!(layout, apart);
        let device = Device::default();
        let mut weights = layout.begin(&device, &mut Seed(2).stream(Stream::Fit, 0));
        weights.trained[1] = tensor(vec![0.5, 2.0, -1.0], &device);
        weights.trained[2] = tensor(vec![0.1, -0.2, 0.3], &device);
        weights.running[0] = tensor(vec![1.0, -2.0, 0.5], &device);
        weights.running[1] = tensor(vec![4.0, 0.25, 1.0], &device);
        let images = normals([2, 2, 5, 5], 3);
        let mut pass = Pass::inference(&weights.trained, &weights.running);
        let one = numbers(both.forward(&mut pass, images.clone())).unwrap();
        let convolved = convolution.forward(&pass, images);
        assert!(close(one, numbers(norm.forward(&mut pass, convolved)).unwrap()));
    }
}
