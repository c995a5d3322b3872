//! Networks that learn from images, as models under test and as surrogates: residual networks, wide ones, Bayesian ones with
//! a radial posterior, and a small convolutional one.
//!
//! A [`Network`] is an [`Architecture`] for images of one [`Shape`] and a way of [`Training`]. It is a
//! [`Learner`](labelwise::surrogate::Learner), so it is retrained on a schedule like any other, and
//! `labelwise_models::Ensemble` makes a deep ensemble of it. What it learns, a [`TrainedNetwork`], is a
//! [`Model`](labelwise::surrogate::Model); samples of a radial posterior are its members, which mutual information needs.
//!
//! Networks are computed with burn, on the processor unless the crate is built with the feature `cuda` or `wgpu`.

mod architecture;
mod checkpoint;
mod error;
mod examples;
mod fit;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests may fail loudly")]
mod gradients;
mod inference;
mod kernels;
mod layers;
mod layout;
mod nets;
mod network;
mod optimiser;
mod radial;
mod random;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail loudly")]
mod reference;
mod shape;
mod threads;
mod training;

pub use architecture::{Architecture, Family};
pub use burn_tensor::Device;
pub use error::{Error, Result};
pub use fit::{Epoch, Validation};
pub use network::{Network, TrainedNetwork};
pub use radial::Radial;
pub use shape::Shape;
pub use training::{Augmentation, Flip, Optimiser, Rate, Training};
