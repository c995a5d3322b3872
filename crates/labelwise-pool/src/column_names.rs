//! The columns of a pool file as options name them.

use serde::{Deserialize, Serialize};

use crate::format::Format;
use crate::numbers::Notation;
use crate::reading::{Reading, Taking};
use crate::spread::Spread;

/// The columns of a pool file as options name them. Every door of labelwise has these options; at most one kind of
/// predictions is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnNames {
    /// See [`Reading::format`].
    #[serde(skip)]
    pub format: Option<Format>,
    /// See [`Reading::probabilities`].
    pub probabilities: Option<String>,
    /// See [`Reading::probability`].
    pub probability: Option<String>,
    /// See [`Reading::classes`].
    pub classes: Option<[String; 2]>,
    /// See [`Reading::notation`].
    pub notation: Notation,
    /// See [`Reading::logits`].
    pub logits: Option<String>,
    /// See [`Reading::mean`].
    pub mean: Option<String>,
    /// See [`Reading::mean_and_variance`].
    pub variance: Option<String>,
    /// See [`Reading::mean_and_deviation`].
    pub deviation: Option<String>,
    /// See [`Reading::hard`].
    pub hard: Option<String>,
    /// See [`Reading::scores`].
    pub scores: Option<String>,
    /// See [`Reading::judge`].
    pub judges: Vec<String>,
    /// See [`Reading::history`].
    pub history: Vec<String>,
    /// See [`Reading::surrogate`].
    pub surrogate: Vec<String>,
    /// See [`Reading::ids`].
    pub ids: Option<String>,
    /// See [`Reading::labels`].
    pub labels: Option<String>,
    /// See [`Reading::features`].
    pub features: Vec<String>,
    /// See [`Reading::carry`].
    pub carry: Vec<String>,
    /// See [`Reading::filter`].
    pub filter: Option<String>,
    /// See [`Reading::epoch`].
    pub epoch: Option<u64>,
    /// See [`Reading::single`].
    pub single: bool,
}

impl From<ColumnNames> for Reading {
    fn from(names: ColumnNames) -> Self {
        let spread = names.variance.map(Spread::Variance).or_else(|| names.deviation.map(Spread::Deviation));
        let values = names.mean.map(|mean| Taking::Values { mean, spread });
        let predictions = [
            names.probabilities.map(Taking::Probabilities),
            names.probability.map(Taking::Probability),
            names.logits.map(Taking::Logits),
            values,
            names.hard.map(Taking::Hard),
            names.scores.map(Taking::Scores),
        ];
        Self {
            format: names.format,
            taking: predictions.into_iter().flatten().next_back().unwrap_or_default(),
            surrogates: names.surrogate,
            ids: names.ids,
            labels: names.labels,
            features: names.features,
            carried: names.carry,
            carry_texts: false,
            filter: names.filter,
            epoch: names.epoch,
            single: names.single,
            notation: names.notation,
            classes: names.classes,
            for_surrogate: false,
            judges: names.judges,
            history: names.history,
            of_part: false,
        }
    }
}
