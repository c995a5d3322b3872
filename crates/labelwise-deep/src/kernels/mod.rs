//! Convolutions and batch normalisation on the processor. burn's own make the gradient of weights by convolving whole
//! batches with one another, and normalise in a dozen passes over the images; these are matrix products of a few images at
//! a time, and two passes. On other devices burn's are used.

mod convolution;
mod normalisation;
mod number;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]
mod tests;
mod windows;

use burn_autodiff::Autodiff;
use burn_backend::BackendTypes;
use burn_flex::{Flex, FlexTensor};
use burn_tensor::module::{BatchNormTrainOutput, batch_norm_train, conv2d};
use burn_tensor::{DType, Tensor};

use crate::layers::Window;

/// A tensor of the processor that may be asked for gradients.
type Tracked = <Autodiff<Flex> as BackendTypes>::FloatTensorPrimitive;

/// Images convolved with weights, and a bias added.
pub(crate) fn convolved(
    images: Tensor<4>,
    weight: Tensor<4>,
    bias: Option<Tensor<1>>,
    window: Window,
) -> Tensor<4> {
    if cfg!(feature = "burn-kernels") {
        return conv2d(images, weight, bias, window.options());
    }
    let differentiated =
        [images.is_autodiff(), weight.is_autodiff(), bias.as_ref().is_some_and(Tensor::is_autodiff)];
    if differentiated.contains(&true) {
        if let (Some(images), Some(weight), Some(bias)) =
            (tracked(&images), tracked(&weight), optional(&bias, tracked))
        {
            let output = convolution::tracked(&images, &weight, bias.as_ref(), window);
            return Tensor::from_primitive::<Autodiff<Flex>>(output);
        }
    } else if let (Some(images), Some(weight), Some(bias)) =
        (plain(&images), plain(&weight), optional(&bias, plain))
    {
        let output = convolution::forward(&images, &weight, bias.as_ref(), window);
        return Tensor::from_primitive::<Flex>(output);
    }
    conv2d(images, weight, bias, window.options())
}

/// Images normalised by their own means and variances, which come with them.
pub(crate) fn normalised(
    images: Tensor<4>,
    gamma: Tensor<1>,
    beta: Tensor<1>,
    epsilon: f64,
) -> BatchNormTrainOutput<4> {
    if cfg!(feature = "burn-kernels") {
        return batch_norm_train(images, gamma, beta, epsilon);
    }
    let (Some(x), Some(g), Some(b)) = (tracked(&images), tracked(&gamma), tracked(&beta)) else {
        return batch_norm_train(images, gamma, beta, epsilon);
    };
    let (output, [mean, variance]) = normalisation::tracked(&x, &g, &b, epsilon);
    BatchNormTrainOutput {
        output: Tensor::from_primitive::<Autodiff<Flex>>(output),
        mean: Tensor::from_primitive::<Flex>(mean),
        variance: Tensor::from_primitive::<Flex>(variance),
    }
}

/// The tensor as one of the processor's with a place in the graph of gradients, if it is there and in f32 or f64.
fn tracked<const D: usize>(tensor: &Tensor<D>) -> Option<Tracked> {
    let known = matches!(tensor.dtype(), DType::F32 | DType::F64);
    let tensor = known.then(|| tensor.clone().autodiff())?;
    tensor.try_into_primitive::<Autodiff<Flex>>().ok()
}

/// The tensor as one of the processor's, if it is there and in f32 or f64.
fn plain<const D: usize>(tensor: &Tensor<D>) -> Option<FlexTensor> {
    let known = matches!(tensor.dtype(), DType::F32 | DType::F64);
    known.then(|| tensor.clone())?.try_into_primitive::<Flex>().ok()
}

/// What there is, if it can be had; none is had by having none.
fn optional<const D: usize, T>(
    tensor: &Option<Tensor<D>>,
    have: impl Fn(&Tensor<D>) -> Option<T>,
) -> Option<Option<T>> {
    match tensor {
        None => Some(None),
        Some(tensor) => have(tensor).map(Some),
    }
}
