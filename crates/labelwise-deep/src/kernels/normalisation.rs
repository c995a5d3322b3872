//! Batch normalisation and its gradient, channel by channel.

use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::NoCheckpointing;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};
use burn_backend::TensorMetadata;
use burn_flex::{Flex, FlexTensor};
use burn_tensor::DType;

use super::Tracked;
use super::number::{Number, numbers, sum, tensor};

/// Normalised images, which gradients go back through, and the batch's means and variances.
pub(super) fn tracked(
    images: &Tracked,
    gamma: &Tracked,
    beta: &Tracked,
    epsilon: f64,
) -> (Tracked, [FlexTensor; 2]) {
    let nodes = [images.node(), gamma.node(), beta.node()];
    let [x, gamma, beta] = [images, gamma, beta].map(|input| input.primitive().to_contiguous());
    let (output, statistics) = match x.dtype() {
        DType::F64 => forward::<f64>(&x, &gamma, &beta, epsilon),
        _ => forward::<f32>(&x, &gamma, &beta, epsilon),
    };
    let made = match x.dtype() {
        DType::F64 => statistics.tensors::<f64>(),
        _ => statistics.tensors::<f32>(),
    };
    let output = match Normalisation.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => prepared.finish(Kept { images: x, gamma, statistics, epsilon }, output),
        OpsKind::UnTracked(prepared) => prepared.finish(output),
    };
    (output, made)
}

#[derive(Debug)]
struct Normalisation;

/// What the gradient needs.
#[derive(Debug, Clone)]
struct Kept {
    images: FlexTensor,
    gamma: FlexTensor,
    statistics: Statistics,
    epsilon: f64,
}

/// Mean and variance of each channel.
#[derive(Debug, Clone)]
struct Statistics(Vec<(f64, f64)>);

impl Statistics {
    fn tensors<T: Number>(&self) -> [FlexTensor; 2] {
        let means: Vec<T> = self.0.iter().map(|&(mean, _)| T::from_f64(mean)).collect();
        let variances: Vec<T> = self.0.iter().map(|&(_, variance)| T::from_f64(variance)).collect();
        let channels = self.0.len();
        [tensor(means, [channels]), tensor(variances, [channels])]
    }
}

impl Backward<Flex, 3> for Normalisation {
    type State = Kept;

    fn backward(self, ops: Ops<Kept, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let output = gradients.consume::<Flex>(&ops.node).to_contiguous();
        let made = match output.dtype() {
            DType::F64 => backward::<f64>(&ops.state, &output),
            _ => backward::<f32>(&ops.state, &output),
        };
        for (node, gradient) in ops.parents.into_iter().zip(made) {
            if let Some(node) = node {
                gradients.register::<Flex>(node.id, gradient);
            }
        }
    }
}

/// The pixels of one channel, image by image.
fn planes<T>(numbers: &[T], channel: usize, channels: usize, pixels: usize) -> impl Iterator<Item = &[T]> {
    numbers.chunks_exact(pixels).skip(channel).step_by(channels)
}

fn planes_mut<T>(
    numbers: &mut [T],
    channel: usize,
    channels: usize,
    pixels: usize,
) -> impl Iterator<Item = &mut [T]> {
    numbers.chunks_exact_mut(pixels).skip(channel).step_by(channels)
}

fn forward<T: Number>(
    images: &FlexTensor,
    gamma: &FlexTensor,
    beta: &FlexTensor,
    epsilon: f64,
) -> (FlexTensor, Statistics) {
    let shape: [usize; 4] = images.shape().dims();
    let [rows, channels, height, width] = shape;
    let pixels = height * width;
    let count = (rows * pixels) as f64;
    let x = numbers::<T>(images);
    let mut output = vec![T::default(); x.len()];
    let mut statistics = Vec::with_capacity(channels);
    let coefficients = numbers::<T>(gamma).iter().zip(numbers::<T>(beta));
    for (channel, (&gamma, &beta)) in coefficients.enumerate() {
        let all = || planes(x, channel, channels, pixels);
        let mean = all().map(|plane| sum(plane, plane, |x, _| x)).sum::<f64>() / count;
        let centre = T::from_f64(mean);
        let squares = |plane| sum(plane, plane, |x: T, _| (x - centre) * (x - centre));
        let variance = all().map(squares).sum::<f64>() / count;
        let factor = gamma.into() / (variance + epsilon).sqrt();
        let (factor, summand) = (T::from_f64(factor), T::from_f64(beta.into() - mean * factor));
        for (from, to) in all().zip(planes_mut(&mut output, channel, channels, pixels)) {
            to.iter_mut().zip(from).for_each(|(y, &x)| *y = x * factor + summand);
        }
        statistics.push((mean, variance));
    }
    (tensor(output, shape), Statistics(statistics))
}

/// Gradients of images, gamma and beta. With x̂ = (x − mean) / s, s² = variance + ε and g the gradient of the output, that
/// of the images is γ/s · (g − mean(g) − x̂ · mean(g x̂)): for each channel a combination of g, x and 1.
fn backward<T: Number>(kept: &Kept, gradient: &FlexTensor) -> [FlexTensor; 3] {
    let shape: [usize; 4] = gradient.shape().dims();
    let [rows, channels, height, width] = shape;
    let pixels = height * width;
    let count = (rows * pixels) as f64;
    let (x, g) = (numbers::<T>(&kept.images), numbers::<T>(gradient));
    let mut output = vec![T::default(); x.len()];
    let (mut gammas, mut betas) = (Vec::with_capacity(channels), Vec::with_capacity(channels));
    let coefficients = numbers::<T>(&kept.gamma).iter().zip(&kept.statistics.0);
    for (channel, (&gamma, &(mean, variance))) in coefficients.enumerate() {
        let all = || planes(x, channel, channels, pixels).zip(planes(g, channel, channels, pixels));
        let inverse = 1.0 / (variance + kept.epsilon).sqrt();
        let centre = T::from_f64(mean);
        let (mut of_g, mut of_gx) = (0.0, 0.0);
        for (x, g) in all() {
            of_g += sum(g, g, |g, _| g);
            of_gx += sum(x, g, |x, g| (x - centre) * g);
        }
        let of_gx = of_gx * inverse;
        let scale = gamma.into() * inverse;
        let by_x = -scale * inverse * of_gx / count;
        let summand = -scale * of_g / count - by_x * mean;
        let [scale, by_x, summand] = [scale, by_x, summand].map(T::from_f64);
        for ((x, g), to) in all().zip(planes_mut(&mut output, channel, channels, pixels)) {
            let inputs = x.iter().zip(g);
            to.iter_mut().zip(inputs).for_each(|(d, (&x, &g))| *d = g * scale + x * by_x + summand);
        }
        gammas.push(T::from_f64(of_gx));
        betas.push(T::from_f64(of_g));
    }
    [tensor(output, shape), tensor(gammas, [channels]), tensor(betas, [channels])]
}
