//! The networks: which layers come after which.

mod resnet;
mod small;
mod two_convolutions;
mod wide;

use burn_tensor::Tensor;

use crate::layout::Pass;

pub(crate) use resnet::{Blocks, ResNet};
pub(crate) use small::SmallCnn;
pub(crate) use two_convolutions::TwoConvolutions;
pub(crate) use wide::WideResNet;

/// What makes logits of images.
pub(crate) trait Net: Send + Sync {
    /// One row of logits an image.
    fn logits(&self, pass: &mut Pass<'_>, images: Tensor<4>) -> Tensor<2>;
}
