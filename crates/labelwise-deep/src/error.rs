//! Errors of networks.

use std::path::PathBuf;

use crate::{Architecture, Shape};

/// Why a network cannot be made, trained, read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// The core refused data or labels.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// An option is outside of its range.
    #[error("{name} is {value}, but must be {range}")]
    Setting { name: &'static str, value: f64, range: &'static str },
    /// The images have no pixels.
    #[error("images of shape {0} have no pixels; channels, height and width must be at least 1")]
    NoPixels(Shape),
    /// The images are too small for the architecture.
    #[error("{architecture} needs images of at least {least} x {least} pixels, not of shape {shape}")]
    SmallImages { architecture: Architecture, shape: Shape, least: usize },
    /// A row does not have as many numbers as an image has pixels.
    #[error("rows of {columns} numbers are not images of shape {shape}, which have {expected} pixels")]
    Pixels { columns: usize, shape: Shape, expected: usize },
    /// There are too few images to train on.
    #[error(
        "{rows} labelled images are too few: {validation} are held out for validation, and at least 1 must \
         be left"
    )]
    TooFew { rows: usize, validation: usize },
    /// The loss of the training is not a finite number.
    #[error("training diverged in epoch {epoch}: its loss is {loss}; try a smaller learning rate")]
    Diverged {
        /// The epoch, from 1.
        epoch: usize,
        loss: f64,
    },
    /// The checkpoint cannot be read.
    #[error("cannot read the checkpoint {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    /// The checkpoint cannot be written.
    #[error("cannot write the checkpoint {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
    /// The file is not a checkpoint, or is damaged.
    #[error("{path} is not a complete checkpoint: {why}")]
    NoCheckpoint { path: PathBuf, why: String },
    /// The checkpoint is of another network.
    #[error("the checkpoint {path} is of {found}, not of {expected}")]
    OtherNetwork { path: PathBuf, found: String, expected: String },
    /// The threads or the device failed.
    #[error("the network could not be computed: {0}")]
    Computation(String),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl From<Error> for labelwise::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Core(error) => error,
            other => Self::Surrogate(other.to_string()),
        }
    }
}
