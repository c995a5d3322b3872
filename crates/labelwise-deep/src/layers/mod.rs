//! Layers of networks. A layer is a shape and places among the parameters; numbers come with the [`Pass`].

mod convolution;
mod linear;
mod normalised;

use burn_tensor::Tensor;
use burn_tensor::module::max_pool2d;
use burn_tensor::ops::MaxPoolOptions;

pub(crate) use convolution::{Convolution, Window};
pub(crate) use linear::Linear;
pub(crate) use normalised::{Norm, Normalised};

/// The largest of each square of four pixels; an odd last row or column is left out.
pub(crate) fn halved(images: Tensor<4>) -> Tensor<4> {
    max_pool2d(images, MaxPoolOptions::new([2, 2]))
}

/// The mean of each channel.
pub(crate) fn averaged(images: Tensor<4>) -> Tensor<2> {
    let [rows, channels, height, width] = images.dims();
    images.reshape([rows, channels, height * width]).mean_dim(2).reshape([rows, channels])
}

/// All channels of an image in one row.
pub(crate) fn flattened(images: Tensor<4>) -> Tensor<2> {
    let [rows, channels, height, width] = images.dims();
    images.reshape([rows, channels * height * width])
}
