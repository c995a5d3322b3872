//! Errors of comparisons.

use std::path::PathBuf;

use labelwise::words::{did_you_mean, listed, quoted, shell, thousands};

/// Why models cannot be compared as requested.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum CompareError {
    /// Models are compared only by mean losses.
    #[error(
        "new comparisons are by a mean loss, because items on which the models cannot differ are never drawn, and {metric} is \
         not one: use one such as accuracy, or make an evaluation of one model for {metric}, and compare it with the file of the \
         other by its labels"
    )]
    NoMean { metric: String },
    /// A comparison cannot have a surrogate that learns.
    #[error(
        "a comparison cannot have a surrogate that learns: remove the surrogate to use the mean of the \
         models, or give predictions of other models"
    )]
    Learns,
    /// Classes without probabilities cannot be compared with a surrogate's probabilities.
    #[error(
        "the classes have no probabilities, so a comparison cannot use a surrogate's probabilities: remove \
         the surrogate"
    )]
    GivenHard,
    /// The expected difference can be negative, so it is not a score.
    #[error(
        "a difference can be negative, so items cannot be drawn by its expectation: remove the acquisition"
    )]
    Expectation,
    /// A comparison has no number for one model.
    #[error(
        "{} compares {models} models and has no number for one of them: use labelwise compare {}",
        .path.display(), shell(.path)
    )]
    OneOfMany { path: PathBuf, models: usize },
    /// An evaluation of one model has nothing to compare.
    #[error(
        "{} evaluates one model: name the predictions of another model after it to compare both on its \
         labels",
        .path.display()
    )]
    OneOnly { path: PathBuf },
    /// A model cannot be added to a comparison.
    #[error("{} already compares models: to add another, create a new comparison of all", .path.display())]
    Another { path: PathBuf },
    /// The comparison does not have the model.
    #[error(
        "{} is not a model of {}: its models are {}{}",
        quoted(.name), .path.display(), listed(.models),
        did_you_mean(.name, .models.iter().map(String::as_str))
    )]
    NoModel { name: String, path: PathBuf, models: Vec<String> },
    /// The other model has no predictions for some drawn items.
    #[error(
        "{} has no prediction for {} of the {} items that were asked for in {} (the first: {first}): give a \
         prediction for each",
        .path.display(), thousands(*.missing), thousands(*.drawn), .evaluation.display()
    )]
    Drawn {
        path: PathBuf,
        evaluation: PathBuf,
        missing: usize,
        drawn: usize,
        /// The first five of them.
        first: String,
    },
}
