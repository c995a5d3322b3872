//! Gaussian process regression: the surrogate π of the paper's synthetic experiments, and its model f there.
//!
//! A [`GaussianProcess`] holds hyperparameters and fits into a [`FittedProcess`]. A [`TrackedProcess`] keeps the
//! posterior of a fixed set of items and takes their labels one by one; [`ProcessSurrogate`] is that as a surrogate,
//! where one more label costs O(n N) instead of a fit from scratch.

mod cholesky;
mod fitted;
mod hyperparameters;
mod kernel;
mod lbfgs;
mod likelihood;
mod normal;
mod process;
mod surrogate;
#[cfg(test)]
mod tests;
mod tracked;

pub use fitted::FittedProcess;
pub use hyperparameters::Hyperparameters;
pub use kernel::{Family, Kernel, LengthScale};
pub use process::GaussianProcess;
pub use surrogate::ProcessSurrogate;
pub use tracked::TrackedProcess;
