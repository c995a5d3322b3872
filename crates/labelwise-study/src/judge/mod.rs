//! Judges and histories: what their columns mean, the pool that is made of them, and what was learnt about them.

pub(crate) mod agreement;
pub(crate) mod apply;
mod bins;
pub(crate) mod classes;
pub(crate) mod columns;
pub(crate) mod group;
pub(crate) mod pair;
pub(crate) mod plan;
pub(crate) mod surrogate;
mod worth;

pub use apply::{Applied, AppliedRate};
pub use group::GroupChoice;
pub use pair::{PairChoice, PairVerdict, SystemRate};
pub use worth::{Misjudgement, Worth};

use labelwise::surrogate::JudgePrior;
use serde::{Deserialize, Serialize};

/// The judges and the history of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeChoice {
    /// The judges, in the order of the request.
    pub judges: Vec<JudgeOrigin>,
    /// Number of models in the history.
    #[serde(default)]
    pub history: usize,
    /// Worth of each class from 0 to 1, as the belief learns it; empty if labels are numbers.
    #[serde(default)]
    pub(crate) scale: Vec<f64>,
    /// Whether every label except the positive class is the other class.
    #[serde(default)]
    pub(crate) open: bool,
    pub(crate) prior: KeptPrior,
    /// Smallest and largest rating of the judges, if they give ratings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ratings: Option<(f64, f64)>,
    /// The two systems, if each answer has its own label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<PairChoice>,
    /// The groups, if several samples are labelled together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupChoice>,
}

/// A judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeOrigin {
    /// Its column.
    pub name: String,
    /// What its column holds.
    pub kind: JudgeKind,
    /// Items without a verdict.
    #[serde(default)]
    pub missing: usize,
}

/// What the column of a judge holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeKind {
    /// A score between 0 and 1.
    Score,
    /// A class.
    Verdict,
    /// A number of a known range.
    Rating,
    /// A number of an unknown scale.
    Raw,
}

impl JudgeKind {
    /// In a few words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Score => "scores from 0 to 1",
            Self::Verdict => "verdicts",
            Self::Rating => "ratings",
            Self::Raw => "numbers of an unknown scale",
        }
    }
}

/// A [`JudgePrior`] in the encoding of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptPrior {
    mean: Vec<f64>,
    precision: Vec<f64>,
    contamination: [f64; 4],
}

impl From<&JudgePrior> for KeptPrior {
    fn from(prior: &JudgePrior) -> Self {
        let (mean, precision, contamination) = prior.to_numbers();
        Self { mean, precision, contamination }
    }
}

impl KeptPrior {
    pub(crate) fn prior(&self) -> Option<JudgePrior> {
        JudgePrior::from_numbers(self.mean.clone(), self.precision.clone(), self.contamination)
    }
}

impl JudgeChoice {
    /// In a few words.
    pub fn in_words(&self) -> String {
        let judges: Vec<String> =
            self.judges.iter().map(|judge| format!("{} ({})", judge.name, judge.kind.in_words())).collect();
        let results = match self.history {
            1 => "the results of 1 other model".to_owned(),
            models => format!("the results of {models} other models"),
        };
        match (judges.len(), self.history) {
            (0, _) => results,
            (1, 0) => format!("the judge {}", judges.concat()),
            (_, 0) => format!("the judges {}", judges.join(", ")),
            (_, _) => format!("{results}, and {}", judges.join(", ")),
        }
    }
}
