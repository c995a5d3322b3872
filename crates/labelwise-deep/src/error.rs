//! What can go wrong with networks, in sentences.

use std::path::PathBuf;

use crate::{Architecture, Shape};

/// What can go wrong with networks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something that the core found wrong with data or labels.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// An option outside of its range.
    #[error("{name} is {value}, but must be {range}")]
    Setting {
        /// The option.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What is allowed.
        range: &'static str,
    },
    /// Images without pixels.
    #[error("images of shape {0} have no pixels; channels, height and width must be at least 1")]
    NoPixels(Shape),
    /// Images that an architecture's convolutions shrink to nothing.
    #[error("{architecture} needs images of at least {least} x {least} pixels, not of shape {shape}")]
    SmallImages {
        /// The architecture.
        architecture: Architecture,
        /// The shape of the images.
        shape: Shape,
        /// The least height and width.
        least: usize,
    },
    /// Rows that are no images of the declared shape.
    #[error("rows of {columns} numbers are no images of shape {shape}, which have {expected} pixels")]
    Pixels {
        /// The columns of the features.
        columns: usize,
        /// The declared shape.
        shape: Shape,
        /// The columns that it wants.
        expected: usize,
    },
    /// Fewer rows than training needs.
    #[error(
        "{rows} labelled images are too few: {validation} are held out for validation, and at least one must be left"
    )]
    TooFew {
        /// The rows there are.
        rows: usize,
        /// The rows held out.
        validation: usize,
    },
    /// A loss that is no number any more.
    #[error("training went astray in epoch {epoch}: its loss is {loss}; a smaller learning rate may help")]
    Diverged {
        /// The epoch, from 1.
        epoch: usize,
        /// The loss.
        loss: f64,
    },
    /// A file that cannot be read.
    #[error("cannot read the checkpoint {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write the checkpoint {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that is no checkpoint, or one that is damaged.
    #[error("{path} is no whole checkpoint: {why}")]
    NoCheckpoint {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        why: String,
    },
    /// A checkpoint of another network.
    #[error("the checkpoint {path} is of {found}, not of {expected}")]
    OtherNetwork {
        /// The file.
        path: PathBuf,
        /// What the file holds.
        found: String,
        /// What was wanted.
        expected: String,
    },
    /// The threads or the device failed; what they said.
    #[error("the network could not be computed: {0}")]
    Computation(String),
}

/// What this crate's functions return.
pub type Result<T> = std::result::Result<T, Error>;

impl From<Error> for labelwise::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Core(error) => error,
            other => Self::Surrogate(other.to_string()),
        }
    }
}
