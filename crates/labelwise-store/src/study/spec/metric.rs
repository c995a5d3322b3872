//! What is measured, by name: the losses a pool can be measured by, and the ways their means are shown.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::study::spec::settings::Settings;

/// A loss, as settings name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossName {
    /// −log of the probability of the label.
    CrossEntropy,
    /// 1 where the most probable class is not the label.
    ZeroOne,
    /// The squared distance of the probabilities from the label.
    Brier,
    /// (f(x) − y)².
    SquaredError,
    /// |f(x) − y|.
    AbsoluteError,
    /// −log of the density that mean and variance give the label.
    GaussianNll,
    /// The number that is told, as it is.
    Value,
    /// A loss of the caller's own, in memory.
    Custom,
}

impl LossName {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::CrossEntropy => "cross-entropy",
            Self::ZeroOne => "zero-one",
            Self::Brier => "brier",
            Self::SquaredError => "squared-error",
            Self::AbsoluteError => "absolute-error",
            Self::GaussianNll => "gaussian-nll",
            Self::Value => "value",
            Self::Custom => "custom",
        }
    }
}

impl fmt::Display for LossName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the mean of a loss is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// As it is.
    Plain,
    /// With the other sign, as scorers of scikit-learn have it.
    Negative,
    /// What is missing to 1: accuracy, of the error rate.
    Complement,
}

/// Something to measure: a loss, and how its mean is shown.
///
/// ```
/// use labelwise_store::{LossName, Metric, View};
/// let accuracy: Metric = "accuracy".parse()?;
/// assert_eq!((accuracy.loss, accuracy.view), (LossName::ZeroOne, View::Complement));
/// assert_eq!("neg_log_loss".parse::<Metric>()?.loss, LossName::CrossEntropy);
/// # Ok::<(), labelwise_store::UnknownMetric>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// The name it was asked for by.
    pub name: String,
    /// The loss.
    pub loss: LossName,
    /// How its mean is shown.
    pub view: View,
}

impl Metric {
    /// A loss as it is.
    pub fn plain(loss: LossName) -> Self {
        Self { name: loss.name().to_owned(), loss, view: View::Plain }
    }

    /// What a subject can be measured by, each loss once and accuracy beside the error rate.
    pub fn all(settings: &Settings) -> Vec<Self> {
        let losses = settings.subject.losses(settings.variances()).iter();
        let mut metrics: Vec<Self> = losses.map(|&loss| Self::plain(loss)).collect();
        if metrics.iter().any(|metric| metric.loss == LossName::ZeroOne) {
            let view = View::Complement;
            metrics.push(Self { name: "accuracy".to_owned(), loss: LossName::ZeroOne, view });
        }
        metrics
    }

    /// A mean of the loss as it is shown.
    pub fn shown(&self, mean: f64) -> f64 {
        match self.view {
            View::Plain => mean,
            View::Negative => -mean,
            View::Complement => 1.0 - mean,
        }
    }

    /// A difference between two means as it is shown.
    pub fn shown_difference(&self, difference: f64) -> f64 {
        match self.view {
            View::Plain => difference,
            View::Negative | View::Complement => -difference,
        }
    }

    /// An interval of the mean as it is shown, the smaller end first.
    pub fn shown_interval(&self, low: f64, high: f64) -> (f64, f64) {
        match self.view {
            View::Plain => (low, high),
            View::Negative | View::Complement => (self.shown(high), self.shown(low)),
        }
    }
}

impl From<LossName> for Metric {
    fn from(loss: LossName) -> Self {
        Self::plain(loss)
    }
}

/// A name that is no metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no mean loss: try cross-entropy, zero-one, accuracy or brier for classes; squared-error, absolute-error or gaussian-nll for values; value for scores"
)]
pub struct UnknownMetric(pub String);

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Self, UnknownMetric> {
        let plain = text.trim().to_ascii_lowercase().replace('_', "-");
        let (base, negative) =
            plain.strip_prefix("neg-").map_or((plain.as_str(), false), |base| (base, true));
        let (loss, view) = match base {
            "cross-entropy" | "log-loss" | "nll" => (LossName::CrossEntropy, View::Plain),
            "zero-one" | "error-rate" => (LossName::ZeroOne, View::Plain),
            "accuracy" if !negative => (LossName::ZeroOne, View::Complement),
            "brier" | "brier-score" => (LossName::Brier, View::Plain),
            "squared-error" | "mean-squared-error" | "mse" => (LossName::SquaredError, View::Plain),
            "absolute-error" | "mean-absolute-error" | "mae" => (LossName::AbsoluteError, View::Plain),
            "gaussian-nll" => (LossName::GaussianNll, View::Plain),
            "value" => (LossName::Value, View::Plain),
            _ => return Err(UnknownMetric(text.to_owned())),
        };
        let view = if negative { View::Negative } else { view };
        Ok(Self { name: text.trim().to_owned(), loss, view })
    }
}
