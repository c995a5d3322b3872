//! Errors of comparisons.

use super::Error;

/// Why models cannot be compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum CompareError {
    /// A comparison needs at least 2 models.
    #[error("a comparison needs at least 2 models, not {models}")]
    TooFew { models: usize },
    /// The predictions of the models have different shapes.
    #[error(
        "model {model} has {} rows of {} columns, but the first model has {} rows of {}: all models need one \
         row per item, and the same columns",
        .there.0, .there.1, .first.0, .first.1
    )]
    Shapes {
        /// Which model, from 0.
        model: usize,
        there: (usize, usize),
        first: (usize, usize),
    },
    /// The model does not exist.
    #[error("model {model} does not exist: there are {models} models, counted from 0")]
    NoSuchModel { model: usize, models: usize },
    /// The predictions of one model are invalid.
    #[error("model {model}: {error}")]
    Model {
        /// Which, from 0.
        model: usize,
        error: Box<Error>,
    },
    /// No label can make the models differ.
    #[error(
        "the {} never differ by this loss ({loss}), whatever the labels: their difference is 0, and no label \
         is needed",
        if *.models == 2 { "two models".to_owned() } else { format!("{models} models") }
    )]
    NeverDiffer { models: usize, loss: &'static str },
    /// Items were never drawn because their loss was known, but another loss of them is not.
    #[error(
        "item {item} and others ({ties} in total) were never drawn because their loss was known without a \
         label, but this loss is not known: estimate only the loss that the draws were made for"
    )]
    NotDrawn { item: usize, ties: usize },
}
