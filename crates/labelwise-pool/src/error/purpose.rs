//! The use of a column of a pool file.

use std::fmt;

/// The use of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// Probabilities of the classes.
    Probabilities,
    /// The probability of one of two classes.
    Probability,
    /// Logits of the classes.
    Logits,
    /// Predicted numbers.
    Means,
    /// Variances of the predicted numbers.
    Variances,
    /// Standard deviations of the predicted numbers.
    Deviations,
    /// Predicted classes without probabilities.
    Classes,
    /// Scores that another program made.
    Scores,
    /// The surrogate's probabilities of the classes.
    SurrogateProbabilities,
    /// Features that a surrogate learns from.
    Features,
    /// Ids of the items.
    Ids,
    /// Labels that are known.
    Labels,
    /// A passthrough column for the labeller.
    Carried,
    /// Scores or verdicts of a judge.
    Judge,
    /// Results of other models.
    History,
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Probabilities => "class probabilities",
            Self::Probability => "the probability of one class",
            Self::Logits => "logits",
            Self::Means => "predicted values",
            Self::Variances => "variances",
            Self::Deviations => "standard deviations",
            Self::Classes => "predicted classes",
            Self::Scores => "scores",
            Self::SurrogateProbabilities => "probabilities of a surrogate",
            Self::Features => "features",
            Self::Ids => "ids",
            Self::Labels => "labels",
            Self::Carried => "passthrough",
            Self::Judge => "a judge",
            Self::History => "results of other models",
        })
    }
}
