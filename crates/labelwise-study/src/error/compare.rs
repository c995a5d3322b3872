//! Models that cannot be compared as they lie on disk.

use std::path::PathBuf;

/// Why files of several models do not go together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A metric that is no mean.
    #[error(
        "models are compared by a mean loss, and {metric} is none: leave it out, or take one such as accuracy"
    )]
    NoMean {
        /// The metric.
        metric: String,
    },
    /// Something that learns.
    #[error(
        "a comparison has no surrogate that learns: leave the choice out for the mean of the models, or give predictions of others"
    )]
    Learns,
    /// Beliefs about classes without probabilities.
    #[error(
        "the classes are given without probabilities, so beliefs about them cannot be compared by: leave the surrogate out"
    )]
    GivenHard,
    /// Scores of items that may be negative.
    #[error(
        "a difference may be below 0, so items cannot be drawn by its expectation: leave the acquisition out"
    )]
    Expectation,
    /// A number for one model was wanted.
    #[error("{} compares {models} models, and has no number for one: labelwise compare {} says which is better", .path.display(), .path.display())]
    OneOfMany {
        /// The evaluation.
        path: PathBuf,
        /// How many.
        models: usize,
    },
    /// A verdict on one model was wanted.
    #[error(
        "{} was made for one model: name the predictions of another beside it, and they are compared on its labels",
        .path.display()
    )]
    OneOnly {
        /// The evaluation.
        path: PathBuf,
    },
    /// A comparison beside another model.
    #[error("{} compares models already: another can be added only by making a new comparison of all", .path.display())]
    Another {
        /// The evaluation.
        path: PathBuf,
    },
    /// A model that is not there.
    #[error("there is no model {name:?} in {}: there are {models}", .path.display())]
    NoModel {
        /// What was named.
        name: String,
        /// The evaluation.
        path: PathBuf,
        /// Those that are there.
        models: String,
    },
    /// Items that were drawn, and that the other model knows nothing of.
    #[error(
        "{} lacks {missing} of the {drawn} items that were asked for in {}, the first {first}: give a prediction for each",
        .path.display(), .evaluation.display()
    )]
    Drawn {
        /// The other model's file.
        path: PathBuf,
        /// The evaluation.
        evaluation: PathBuf,
        /// How many it lacks.
        missing: usize,
        /// How many were drawn.
        drawn: usize,
        /// The first five of them.
        first: String,
    },
}
