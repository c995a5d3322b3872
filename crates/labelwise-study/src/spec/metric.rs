//! Names of losses, and how their means are shown.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::spec::measurable::Score;
use crate::spec::near::near_losses;
use crate::spec::settings::Settings;

/// A loss, as settings name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum LossName {
    /// −log of the probability of the label.
    CrossEntropy,
    /// 1 if the most probable class is not the label.
    ZeroOne,
    /// The squared distance of the probabilities from the label.
    Brier,
    /// (f(x) − y)².
    SquaredError,
    /// |f(x) − y|.
    AbsoluteError,
    /// −log of the density that mean and variance give the label.
    GaussianNll,
    /// The label itself.
    Value,
    /// A custom loss, in memory.
    Custom,
    /// max(τ (y − f(x)), (τ − 1) (y − f(x))), of predicted quantiles of level τ.
    Pinball(QuantileLevel),
    /// 1 if the label is the positive class.
    Rate,
    /// The probability that at least one of so many samples of a group passes.
    PassAny(u16),
    /// The probability that all of so many samples of a group pass.
    PassAll(u16),
}

impl LossName {
    /// The losses without a parameter.
    const PLAIN: [Self; 9] = [
        Self::CrossEntropy,
        Self::ZeroOne,
        Self::Brier,
        Self::SquaredError,
        Self::AbsoluteError,
        Self::GaussianNll,
        Self::Value,
        Self::Custom,
        Self::Rate,
    ];

    /// Names of mean losses of classes, for sentences.
    pub const OF_CLASSES: &'static str = "cross-entropy, zero-one, accuracy, brier, rate";
    /// Names of mean losses of values, for sentences.
    pub const OF_VALUES: &'static str = "squared-error, absolute-error, pinball-0.9, gaussian-nll";

    /// The mean of the loss, in words.
    pub fn in_words(self) -> String {
        let mean = match self {
            Self::CrossEntropy => "mean cross-entropy",
            Self::ZeroOne => "error rate (mean zero-one loss)",
            Self::Brier => "mean Brier score",
            Self::SquaredError => "mean squared error",
            Self::AbsoluteError => "mean absolute error",
            Self::GaussianNll => "mean negative log-likelihood",
            Self::Value => "mean value",
            Self::Rate => "rate of the positive class",
            Self::Custom => "mean of the caller's loss",
            Self::Pinball(level) => return format!("mean pinball loss of level {level}"),
            Self::PassAny(k) => return format!("probability that one of {k} samples passes"),
            Self::PassAll(k) => return format!("probability that all of {k} samples pass"),
        };
        mean.to_owned()
    }

    /// Whether it can be negative.
    pub fn is_signed(self) -> bool {
        self == Self::GaussianNll
    }
}

impl fmt::Display for LossName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CrossEntropy => "cross-entropy",
            Self::ZeroOne => "zero-one",
            Self::Brier => "brier",
            Self::SquaredError => "squared-error",
            Self::AbsoluteError => "absolute-error",
            Self::GaussianNll => "gaussian-nll",
            Self::Value => "value",
            Self::Rate => "rate",
            Self::Custom => "custom",
            Self::Pinball(level) => return write!(f, "pinball-{level}"),
            Self::PassAny(k) => return write!(f, "pass@{k}"),
            Self::PassAll(k) => return write!(f, "pass^{k}"),
        })
    }
}

impl From<LossName> for String {
    fn from(loss: LossName) -> Self {
        loss.to_string()
    }
}

/// From the text of a file: only the name that files use, not an alias.
impl TryFrom<String> for LossName {
    type Error = UnknownMetric;

    fn try_from(text: String) -> Result<Self, UnknownMetric> {
        let level = text.strip_prefix("pinball-").and_then(|level| level.parse().ok());
        let mut losses = Self::PLAIN.into_iter().chain(level.map(Self::Pinball)).chain(passes(&text));
        losses.find(|loss| loss.to_string() == text).ok_or(UnknownMetric::Name(text))
    }
}

/// The level of a quantile, above 0 and below 1, in millionths, so that levels can be compared and be keys of maps.
///
/// ```
/// use labelwise_study::QuantileLevel;
/// let level: QuantileLevel = "0.90".parse()?;
/// assert_eq!((level.to_string().as_str(), level.value()), ("0.9", 0.9));
/// assert!("1.5".parse::<QuantileLevel>().is_err());
/// # Ok::<(), labelwise_study::BadLevel>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuantileLevel {
    millionths: u32,
}

impl QuantileLevel {
    /// The middle, which scikit-learn's `mean_pinball_loss` assumes.
    pub const MEDIAN: Self = Self { millionths: 500_000 };

    /// τ.
    pub fn value(self) -> f64 {
        f64::from(self.millionths) / 1e6
    }
}

impl fmt::Display for QuantileLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value())
    }
}

impl FromStr for QuantileLevel {
    type Err = BadLevel;

    fn from_str(text: &str) -> Result<Self, BadLevel> {
        let number = text.trim().parse::<f64>().ok().filter(|level| *level > 0.0 && *level < 1.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and a million")]
        let level = number.map(|level| Self { millionths: (level * 1e6).round() as u32 });
        // A level that is not in millionths would be rounded to another one.
        level
            .filter(|level| (1..1_000_000).contains(&level.millionths) && number == Some(level.value()))
            .ok_or_else(|| BadLevel(text.to_owned()))
    }
}

/// A text that is not the level of a quantile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a quantile level: give a number above 0 and below 1 with at most six decimals, such as pinball-0.9 for predictions of the 90 % quantile"
)]
pub struct BadLevel(pub String);

/// How the mean of a loss is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// Unchanged.
    Plain,
    /// With the other sign, as in scikit-learn's scorers.
    Negative,
    /// 1 minus it: the accuracy of an error rate.
    Complement,
}

/// A mean loss, and how it is shown.
///
/// ```
/// use labelwise_study::{LossName, Metric, View};
/// let accuracy: Metric = "accuracy".parse()?;
/// assert_eq!((accuracy.loss, accuracy.view), (LossName::ZeroOne, View::Complement));
/// assert_eq!("quantile-0.90".parse::<Metric>()?.loss.to_string(), "pinball-0.9");
/// assert_eq!("neg_log_loss".parse::<Metric>()?.loss, LossName::CrossEntropy);
/// # Ok::<(), labelwise_study::UnknownMetric>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// The name in the request.
    pub name: String,
    /// The loss.
    pub loss: LossName,
    /// How its mean is shown.
    pub view: View,
}

impl Metric {
    /// A loss, shown unchanged.
    pub fn plain(loss: LossName) -> Self {
        Self { name: loss.to_string(), loss, view: View::Plain }
    }

    /// The metrics of a subject: each loss once, and accuracy next to the error rate.
    pub fn all(settings: &Settings) -> Vec<Self> {
        let losses = settings.subject.losses(settings.variances()).iter();
        let mut metrics: Vec<Self> = losses.map(|&loss| Self::plain(loss)).collect();
        if metrics.iter().any(|metric| metric.loss == LossName::ZeroOne) {
            let view = View::Complement;
            metrics.push(Self { name: "accuracy".to_owned(), loss: LossName::ZeroOne, view });
        }
        metrics
    }

    /// A metric that is not an average, to show its numbers by.
    pub(crate) fn of_score(score: &Score) -> Self {
        let view = if score.negative { View::Negative } else { View::Plain };
        Self { name: score.name.clone(), loss: LossName::Value, view }
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

/// A name that is not a mean loss.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownMetric {
    /// No loss has it.
    #[error(
        "{0:?} is not a mean loss: use {classes} for classes; {values} for numbers; value for scores{near}",
        classes = LossName::OF_CLASSES,
        values = LossName::OF_VALUES,
        near = near_losses(.0)
    )]
    Name(String),
    /// A quantile loss with an invalid level.
    #[error(transparent)]
    Level(#[from] BadLevel),
}

/// The loss of a name such as `pass@3` or `pass^3`.
fn passes(name: &str) -> Option<LossName> {
    let count = |text: &str| text.parse().ok().filter(|count: &u16| *count > 0);
    let any = name.strip_prefix("pass@").and_then(count).map(LossName::PassAny);
    any.or_else(|| name.strip_prefix("pass^").and_then(count).map(LossName::PassAll))
}

/// The loss of a name such as `pinball-0.9`, `pinball(0.9)` or `quantile-0.9`.
fn pinball(name: &str) -> Option<Result<LossName, BadLevel>> {
    if matches!(name, "mean-pinball-loss" | "pinball-loss" | "pinball") {
        return Some(Ok(LossName::Pinball(QuantileLevel::MEDIAN)));
    }
    let rest = ["mean-pinball-loss", "pinball-loss", "pinball", "quantile"]
        .iter()
        .find_map(|start| name.strip_prefix(start))?;
    let level = rest.strip_prefix('-').or_else(|| rest.strip_prefix('(')?.strip_suffix(')'))?;
    Some(level.parse().map(LossName::Pinball))
}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Self, UnknownMetric> {
        let plain = text.trim().to_ascii_lowercase().replace('_', "-");
        let (base, negative) =
            plain.strip_prefix("neg-").map_or((plain.as_str(), false), |base| (base, true));
        let (loss, view) = match base {
            "cross-entropy" | "log-loss" | "nll" => (LossName::CrossEntropy, View::Plain),
            "zero-one" | "error-rate" => (LossName::ZeroOne, View::Plain),
            "accuracy" | "agreement" if !negative => (LossName::ZeroOne, View::Complement),
            "brier" | "brier-score" => (LossName::Brier, View::Plain),
            "squared-error" | "mean-squared-error" | "mse" => (LossName::SquaredError, View::Plain),
            "absolute-error" | "mean-absolute-error" | "mae" => (LossName::AbsoluteError, View::Plain),
            "gaussian-nll" => (LossName::GaussianNll, View::Plain),
            "value" => (LossName::Value, View::Plain),
            "rate" | "pass-rate" | "win-rate" => (LossName::Rate, View::Plain),
            _ if let Some(loss) = passes(base) => (loss, View::Plain),
            _ => match pinball(base) {
                Some(loss) => (loss?, View::Plain),
                None => return Err(UnknownMetric::Name(text.to_owned())),
            },
        };
        let view = if negative { View::Negative } else { view };
        Ok(Self { name: text.trim().to_owned(), loss, view })
    }
}

#[cfg(test)]
mod tests {
    use super::{LossName, Metric, QuantileLevel, View};

    fn loss(name: &str) -> LossName {
        name.parse::<Metric>().unwrap().loss
    }

    #[test]
    fn names_of_quantile_losses() {
        for name in ["pinball-0.9", "pinball(0.9)", "quantile-0.9", "Pinball_0.90", "pinball-9e-1"] {
            assert_eq!(loss(name).to_string(), "pinball-0.9", "{name}");
        }
        for name in ["mean_pinball_loss", "pinball", "pinball-.5"] {
            assert_eq!(loss(name), LossName::Pinball(QuantileLevel::MEDIAN), "{name}");
        }
        let negative: Metric = "neg_mean_pinball_loss".parse().unwrap();
        assert_eq!((negative.loss.to_string().as_str(), negative.view), ("pinball-0.5", View::Negative));
        for name in ["pinball-1.5", "pinball-0", "pinball-1", "pinball-x", "pinball-", "quantile--0.1"] {
            let said = name.parse::<Metric>().unwrap_err().to_string();
            assert!(said.contains("is not a quantile level: give a number above 0"), "{name}: {said}");
        }
        for name in ["pinball-nan", "pinball-inf", "pinball-0.1234567", "pinball-1e-9", "pinball-0.99999999"]
        {
            assert!(name.parse::<Metric>().is_err(), "{name}");
        }
        for name in ["pinballs", "quantile", "pinball(0.9"] {
            assert!(name.parse::<Metric>().unwrap_err().to_string().contains("is not a mean loss"), "{name}");
        }
    }

    #[test]
    fn files_keep_the_one_name_of_a_loss() {
        for level in [1, 25, 333_333, 500_000, 900_000, 975_000, 999_999] {
            let loss = LossName::Pinball(QuantileLevel { millionths: level });
            let text = serde_json::to_string(&loss).unwrap();
            assert_eq!(serde_json::from_str::<LossName>(&text).unwrap(), loss, "{text}");
        }
        for loss in LossName::PLAIN {
            let text = serde_json::to_string(&loss).unwrap();
            assert_eq!(serde_json::from_str::<LossName>(&text).unwrap(), loss, "{text}");
        }
        for text in ["\"pass@3\"", "\"pass^12\""] {
            let loss: LossName = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&loss).unwrap(), text);
        }
        for text in [
            "\"pass@0\"",
            "\"pass^\"",
            "\"pass@x\"",
            "\"log-loss\"",
            "\"pinball-0.90\"",
            "\"pinball-2\"",
            "\"CrossEntropy\"",
        ] {
            assert!(serde_json::from_str::<LossName>(text).is_err(), "{text}");
        }
    }
}
