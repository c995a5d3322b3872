//! What is wrong with models that are to be compared.

use super::Error;

/// Why models cannot be compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A comparison takes two.
    #[error("a comparison takes at least two models, not {models}")]
    TooFew {
        /// How many there are.
        models: usize,
    },
    /// Predictions of different shapes.
    #[error(
        "model {model} has {} rows of {} columns, but the first has {} of {}: all must have one row an item, and the same columns",
        .there.0, .there.1, .first.0, .first.1
    )]
    Shapes {
        /// Which model, from 0.
        model: usize,
        /// Its rows and columns.
        there: (usize, usize),
        /// Those of the first model.
        first: (usize, usize),
    },
    /// A model that is not there.
    #[error("there is no model {model} among {models}: they are counted from 0")]
    NoSuchModel {
        /// Which.
        model: usize,
        /// How many there are.
        models: usize,
    },
    /// Something is wrong with one model.
    #[error("model {model}: {error}")]
    Model {
        /// Which, from 0.
        model: usize,
        /// What.
        error: Box<Error>,
    },
    /// Nothing to compare.
    #[error(
        "the {} never differ by this loss ({loss}), whatever the labels: their difference is 0, and no label is needed",
        if *.models == 2 { "two models".to_owned() } else { format!("{models} models") }
    )]
    NeverDiffer {
        /// How many there are.
        models: usize,
        /// The loss.
        loss: &'static str,
    },
    /// Items were left out that another loss depends on.
    #[error(
        "item {item} and others, {ties} in all, were never drawn since their loss was known without a label, but this one is not: only what the draws were made for can be estimated"
    )]
    NotDrawn {
        /// The first item.
        item: usize,
        /// How many were known.
        ties: usize,
    },
}
