//! The kernels against burn's own operations, forward and backward.

use burn_tensor::module::{batch_norm_train, conv2d};
use burn_tensor::{DType, Device, Tensor, TensorData};
use labelwise::Seed;
use labelwise::rng::Stream;

use super::{convolved, normalised};
use crate::layers::Window;
use crate::random;

fn doubles<const D: usize>(shape: [usize; D], seed: u64) -> Tensor<D> {
    let mut rng = Seed(seed).stream(Stream::Data, 0);
    let numbers = random::normals(shape.iter().product(), &mut rng);
    let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
    Tensor::from_data(TensorData::new(numbers, shape), (&Device::flex(), DType::F64))
}

fn singles<const D: usize>(shape: [usize; D], seed: u64) -> Tensor<D> {
    doubles(shape, seed).cast(DType::F32)
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    tensor.into_data_as::<f64>().try_into_vec().unwrap()
}

fn assert_close<const D: usize>(one: Tensor<D>, other: Tensor<D>, tolerance: f64) {
    assert_eq!(one.dims(), other.dims());
    for (one, other) in numbers(one).into_iter().zip(numbers(other)) {
        assert!((one - other).abs() < tolerance * other.abs().max(1.0), "{one} {other}");
    }
}

/// Images of all sizes: several groups of which the last is smaller, one image a group, all in one.
const CASES: [([usize; 4], Window); 8] = [
    ([5, 3, 20, 21], Window { size: 3, stride: 1, padding: 1 }),
    ([2, 2, 40, 33], Window { size: 3, stride: 1, padding: 1 }),
    ([9, 2, 31, 30], Window { size: 3, stride: 2, padding: 1 }),
    ([7, 4, 40, 26], Window { size: 1, stride: 2, padding: 0 }),
    ([3, 1, 28, 28], Window { size: 5, stride: 1, padding: 0 }),
    ([4, 2, 1, 2], Window { size: 3, stride: 2, padding: 1 }),
    ([4, 2, 1, 1], Window { size: 3, stride: 1, padding: 1 }),
    ([3, 2, 3, 1], Window { size: 5, stride: 1, padding: 2 }),
];

#[test]
fn convolutions_are_burn_s() {
    for (shape, window) in CASES {
        let images = doubles(shape, 1);
        let weight = doubles([4, shape[1], window.size, window.size], 2);
        let bias = doubles([4], 3);
        for bias in [None, Some(bias)] {
            let own = convolved(images.clone(), weight.clone(), bias.clone(), window);
            let burn = conv2d(images.clone(), weight.clone(), bias.clone(), window.options());
            assert_close(own.clone(), burn, 1e-10);
            let tracked = convolved(images.clone().autodiff(), weight.clone(), bias, window);
            assert_close(tracked.inner(), own, 1e-12);
        }
    }
}

#[test]
fn gradients_of_convolutions_are_burn_s() {
    for (shape, window) in CASES {
        let leaf = |tensor: Tensor<4>| tensor.autodiff().require_grad();
        let images = leaf(doubles(shape, 1));
        let weight = leaf(doubles([4, shape[1], window.size, window.size], 2));
        let bias = doubles([4], 3).autodiff().require_grad();
        let mixed = |output: Tensor<4>| (output.clone() * doubles(output.dims(), 4)).sum().backward();
        let own = mixed(convolved(images.clone(), weight.clone(), Some(bias.clone()), window));
        let burn = mixed(conv2d(images.clone(), weight.clone(), Some(bias.clone()), window.options()));
        assert_close(images.grad(&own).unwrap(), images.grad(&burn).unwrap(), 1e-9);
        assert_close(weight.grad(&own).unwrap(), weight.grad(&burn).unwrap(), 1e-9);
        assert_close(bias.grad(&own).unwrap(), bias.grad(&burn).unwrap(), 1e-9);
        // Only what is asked for: the first layer has no use for gradients of images.
        let plain = images.clone().inner();
        let own = mixed(convolved(plain.clone(), weight.clone(), None, window));
        let burn = mixed(conv2d(plain, weight.clone(), None, window.options()));
        assert_close(weight.grad(&own).unwrap(), weight.grad(&burn).unwrap(), 1e-9);
    }
}

#[test]
fn normalisation_is_burn_s() {
    let images = doubles([5, 3, 7, 9], 1).mul_scalar(3.0).add_scalar(2.0).autodiff().require_grad();
    let gamma = doubles([3], 2).autodiff().require_grad();
    let beta = doubles([3], 3).autodiff().require_grad();
    let own = normalised(images.clone(), gamma.clone(), beta.clone(), 1e-5);
    let burn = batch_norm_train(images.clone(), gamma.clone(), beta.clone(), 1e-5);
    assert_close(own.mean, burn.mean.inner(), 1e-12);
    assert_close(own.variance, burn.variance.inner(), 1e-12);
    assert_close(own.output.clone().inner(), burn.output.clone().inner(), 1e-10);
    let mixed = |output: Tensor<4>| (output.clone() * doubles(output.dims(), 4)).sum().backward();
    let (own, burn) = (mixed(own.output), mixed(burn.output));
    assert_close(images.grad(&own).unwrap(), images.grad(&burn).unwrap(), 1e-10);
    assert_close(gamma.grad(&own).unwrap(), gamma.grad(&burn).unwrap(), 1e-10);
    assert_close(beta.grad(&own).unwrap(), beta.grad(&burn).unwrap(), 1e-10);
}

#[test]
fn single_precision_is_as_good_as_it_can_be() {
    let (images, window) = (singles([4, 8, 16, 16], 1), Window::three(1));
    let weight = singles([8, 8, 3, 3], 2);
    let own = convolved(images.clone(), weight.clone(), None, window);
    let exact = convolved(doubles([4, 8, 16, 16], 1), doubles([8, 8, 3, 3], 2), None, window);
    assert_close(own.cast(DType::F64), exact, 1e-4);
    // A mean that is large compared with the deviations must not swallow them.
    let images = images.mul_scalar(0.1).add_scalar(100.0).autodiff();
    let ones = Tensor::<1>::ones([8], &Device::flex());
    let own = normalised(images.clone(), ones.clone(), ones.clone().mul_scalar(0.0), 1e-5);
    let exact = images.inner().cast(DType::F64);
    let [ones, zeros] = [1.0, 0.0].map(|value| doubles([8], 1).mul_scalar(0.0).add_scalar(value));
    let exact = batch_norm_train(exact, ones, zeros, 1e-5);
    assert_close(own.output.inner().cast(DType::F64), exact.output, 2e-3);
}

#[test]
fn strided_tensors_are_read_in_their_order() {
    let images = doubles([3, 5, 6, 2], 1).swap_dims(1, 3);
    let weight = doubles([3, 3, 4, 2], 2).swap_dims(0, 2).swap_dims(1, 3);
    let window = Window { size: 3, stride: 1, padding: 1 };
    let own = convolved(images.clone(), weight.clone(), None, window);
    assert_close(own, conv2d(images, weight, None, window.options()), 1e-10);
}
