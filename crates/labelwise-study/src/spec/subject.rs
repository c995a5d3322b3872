//! What is under test, and the losses that it has.

use serde::{Deserialize, Serialize};

use crate::spec::metric::LossName;

/// What is under test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A classifier that gives probabilities.
    Classes {
        /// The classes, in the order of the columns.
        names: Vec<String>,
    },
    /// A classifier without probabilities: a prediction is right or wrong.
    Hard,
    /// A regression.
    Values,
    /// Items with scores; labels are the numbers to average.
    Scores,
}

impl Subject {
    /// Its losses without a parameter, the default first.
    pub fn losses(&self, variances: bool) -> &'static [LossName] {
        match self {
            Self::Classes { .. } => &[LossName::CrossEntropy, LossName::ZeroOne, LossName::Brier],
            Self::Hard => &[LossName::ZeroOne],
            Self::Values if variances => {
                &[LossName::SquaredError, LossName::AbsoluteError, LossName::GaussianNll]
            }
            Self::Values => &[LossName::SquaredError, LossName::AbsoluteError],
            Self::Scores => &[LossName::Value],
        }
    }

    /// Whether it has a loss: one of the list, or one with a parameter.
    pub fn has(&self, loss: LossName, variances: bool) -> bool {
        match loss {
            LossName::Pinball(_) => *self == Self::Values,
            LossName::PassAny(_) | LossName::PassAll(_) => matches!(self, Self::Classes { .. }),
            // Neither looks at the prediction.
            LossName::Rate | LossName::Value => true,
            _ => self.losses(variances).contains(&loss),
        }
    }

    /// Names of its losses, for sentences.
    pub(crate) fn loss_names(&self, variances: bool) -> String {
        let mut names: Vec<String> = self.losses(variances).iter().map(LossName::to_string).collect();
        if *self == Self::Values {
            names.push("pinball-0.9".to_owned());
        }
        let told = [LossName::Rate, LossName::Value].into_iter();
        let told = told.filter(|loss| !self.losses(variances).contains(loss));
        names.extend(told.map(|loss| loss.to_string()));
        names.join(", ")
    }

    /// In a few words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Classes { names } => format!("probabilities of {} classes", names.len()),
            Self::Hard => "classes without probabilities".to_owned(),
            Self::Values => "values".to_owned(),
            Self::Scores => "scores".to_owned(),
        }
    }
}
