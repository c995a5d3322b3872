//! The tables of numbers that errors name.

use std::fmt;

/// Which table of numbers an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Table {
    /// f(x_i) of the model.
    Predictions,
    /// π(y | x_i) of the surrogate.
    Beliefs,
    /// A member of an ensemble.
    Member,
    /// The predictions of a member of an ensemble.
    MemberPredictions,
    /// The features of the pool.
    Features,
    /// The features of rows that a surrogate learns from.
    TrainingFeatures,
    /// The labels of rows that a surrogate learns from.
    TrainingLabels,
    /// Any other table, in words.
    Other(&'static str),
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Predictions => "predictions",
            Self::Beliefs => "beliefs",
            Self::Member => "a member",
            Self::MemberPredictions => "a member's predictions",
            Self::Features => "features",
            Self::TrainingFeatures => "training features",
            Self::TrainingLabels => "training labels",
            Self::Other(words) => words,
        })
    }
}
