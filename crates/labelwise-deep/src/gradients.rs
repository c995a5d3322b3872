//! Gradients of every kind of block against finite differences, in f64, where differences are exact enough to tell.

use burn_tensor::{DType, Device, Tensor, TensorData};
use labelwise::Seed;
use labelwise::rng::{ChaCha8Rng, Stream};

use crate::Shape;
use crate::layers::{Convolution, Linear, Norm, Normalised, Window, averaged, flattened, halved};
use crate::layout::{Layout, Pass};
use crate::nets::{Blocks, Net, ResNet, SmallCnn, TwoConvolutions, WideResNet};
use crate::radial::Radial;
use crate::random;

const STEP: f64 = 1e-6;

fn rng() -> ChaCha8Rng {
    Seed(11).stream(Stream::Fit, 0)
}

fn doubles<const D: usize>(numbers: &[f64], shape: [usize; D]) -> Tensor<D> {
    let device = Device::default();
    Tensor::from_data(TensorData::new(numbers.to_vec(), shape), (&device, DType::F64))
}

fn number(tensor: Tensor<1>) -> f64 {
    tensor.into_data_as::<f64>().try_into_vec::<f64>().unwrap()[0]
}

fn random_numbers(count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    random::normals(count, rng).into_iter().map(f64::from).collect()
}

/// Compares the derivative of a random mixture of the outputs along a random direction of each input, one by one: of
/// the images and of every parameter.
fn check(
    layout: &Layout,
    images: [usize; 4],
    forward: impl Fn(&mut Pass<'_>, Tensor<4>) -> Tensor<1>,
    training: bool,
) {
    let mut rng = rng();
    // Away from where they begin, since a gradient may be right at ones and zeros only.
    let mut values: Vec<Vec<f64>> = layout
        .trained
        .iter()
        .map(|entry| random_numbers(entry.size(), &mut rng).iter().map(|x| 0.5 + 0.3 * x).collect())
        .collect();
    values.push(random_numbers(images.iter().product(), &mut rng));
    let running: Vec<_> =
        layout.running.iter().map(|entry| doubles(&vec![0.7; entry.size()], [entry.size()])).collect();
    let objective = |inputs: &[Tensor<1>]| {
        let (pixels, trained) = inputs.split_last().unwrap();
        let mut pass =
            if training { Pass::training(trained, &running) } else { Pass::inference(trained, &running) };
        forward(&mut pass, pixels.clone().reshape(images))
    };
    let leaves: Vec<_> =
        values.iter().map(|numbers| doubles(numbers, [numbers.len()]).autodiff().require_grad()).collect();
    let gradients = objective(&leaves).backward();
    for (input, leaf) in leaves.iter().enumerate() {
        let gradient = leaf.grad(&gradients).expect("every input has a gradient");
        let gradient = gradient.into_data_as::<f64>().try_into_vec::<f64>().unwrap();
        let direction = random_numbers(gradient.len(), &mut rng);
        let slope: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
        let moved = |by: f64| {
            let mut values = values.clone();
            values[input].iter_mut().zip(&direction).for_each(|(value, d)| *value += by * d);
            let inputs: Vec<_> = values.iter().map(|numbers| doubles(numbers, [numbers.len()])).collect();
            number(objective(&inputs))
        };
        let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
        let size = difference.abs().max(slope.abs()).max(1e-3);
        let name = layout.trained.get(input).map_or("images", |entry| entry.name.as_str());
        assert!(
            (difference - slope).abs() < 1e-5 * size,
            "{name}: gradient {slope}, difference {difference}"
        );
    }
}

/// A mixture in which no two outputs count alike.
fn mixed<const D: usize>(output: Tensor<D>) -> Tensor<1> {
    let size = output.dims().iter().product();
    let coefficients: Vec<f64> = (0..size).map(|i| (1.7 * i as f64).sin()).collect();
    (output.reshape([size]) * doubles(&coefficients, [size])).sum()
}

#[test]
fn convolutions() {
    for window in
        [Window::three(1), Window::three(2), Window::one(2), Window { size: 5, stride: 1, padding: 0 }]
    {
        let mut layout = Layout::default();
        let layer = Convolution::new(&mut layout, "layer", [2, 3], window);
        check(&layout, [2, 2, 7, 6], |pass, x| mixed(layer.forward(pass, x)), true);
        let mut layout = Layout::default();
        let layer = Convolution::unbiased(&mut layout, "layer", [2, 3], window);
        check(&layout, [2, 2, 7, 6], |pass, x| mixed(layer.forward(pass, x)), true);
    }
}

#[test]
fn linear_layers_and_pools() {
    let mut layout = Layout::default();
    let layer = Linear::new(&mut layout, "layer", [3 * 2 * 3, 4]);
    check(&layout, [2, 3, 4, 7], |pass, x| mixed(layer.forward(pass, flattened(halved(x)))), true);
    let mut layout = Layout::default();
    let layer = Linear::new(&mut layout, "layer", [3, 4]);
    check(&layout, [2, 3, 4, 5], |pass, x| mixed(layer.forward(pass, averaged(x))), true);
}

#[test]
fn normalisation() {
    let mut layout = Layout::default();
    let layer = Norm::new(&mut layout, "layer", 3);
    check(&layout, [3, 3, 4, 2], |pass, x| mixed(layer.forward(pass, x)), true);
    check(&layout, [3, 3, 4, 2], |pass, x| mixed(layer.forward(pass, x)), false);
    let mut layout = Layout::default();
    let layer = Normalised::new(&mut layout, "layer", [2, 3], Window::three(2));
    check(&layout, [3, 2, 5, 5], |pass, x| mixed(layer.forward(pass, x)), true);
    check(&layout, [3, 2, 5, 5], |pass, x| mixed(layer.forward(pass, x)), false);
}

#[test]
fn residual_blocks_of_both_kinds() {
    for blocks in [Blocks::Basic, Blocks::Bottleneck] {
        let mut layout = Layout::default();
        let net = ResNet::new(&mut layout, blocks, [2, 1, 1, 1], [2, 3], |wide| wide / 32);
        check(&layout, [3, 2, 9, 8], |pass, x| mixed(net.logits(pass, x)), true);
    }
}

#[test]
fn wide_residual_blocks() {
    let mut layout = Layout::default();
    let net = WideResNet::new(&mut layout, [16, 2], [2, 3], |wide| wide / 16);
    check(&layout, [3, 2, 8, 9], |pass, x| mixed(net.logits(pass, x)), true);
}

#[test]
fn small_networks_and_their_loss() {
    let mut layout = Layout::default();
    let shape = Shape::new(1, 6, 9).unwrap();
    let net = SmallCnn::new(&mut layout, shape, 3, |wide| wide / 16);
    let classes = doubles(&[0.0, 1.0, 0.0, 1.0, 0.0, 0.0], [2, 3]);
    let loss = |pass: &mut Pass<'_>, x| crate::fit::cross_entropy(net.logits(pass, x), classes.clone());
    check(&layout, [2, 1, 6, 9], loss, true);
}

#[test]
fn radial_posteriors_and_their_divergence() {
    let mut layout = Layout::default();
    let net = TwoConvolutions::new(&mut layout, Shape::new(1, 16, 17).unwrap(), 3, |wide| wide / 8);
    let radial = Radial::default();
    let layout = radial.posterior(&layout);
    let objective = |pass: &mut Pass<'_>, x: Tensor<4>| {
        let posterior = pass.all();
        // The same noise each time.
        let weights = radial.sample(posterior, &Device::default(), &mut rng());
        let logits = net.logits(&mut Pass::inference(&weights, &[]), x);
        mixed(logits) + radial.divergence(posterior).unwrap().mul_scalar(0.01)
    };
    check(&layout, [2, 1, 16, 17], objective, true);
}
