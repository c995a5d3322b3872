//! Names of metrics that are not averages, and of everything that can be measured.

use std::fmt;
use std::str::FromStr;

use labelwise::metric::ValueMetric;
use serde::{Deserialize, Serialize};

use crate::spec::metric::{BadLevel, LossName, Metric, UnknownMetric, View};
use crate::spec::near::near_metrics;
use crate::spec::share::{BadShare, Share};
use crate::spec::subject::Subject;

/// The classes that a metric is computed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Average {
    /// The positive class.
    Positive,
    /// The mean over all classes.
    Macro,
    /// Each class separately.
    PerClass,
}

/// A metric that is not an average.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ScoreName {
    /// The share of items of a class among those predicted as it.
    Precision(Average),
    /// The share of items predicted as a class among those of it. The macro average is the balanced accuracy.
    Recall(Average),
    /// The harmonic mean of both.
    F1(Average),
    /// Matthews' correlation.
    Matthews,
    /// Cohen's kappa.
    Kappa,
    /// Kappa with quadratic weights.
    WeightedKappa,
    /// The share of items that are not predicted as the positive class among those that are not of it.
    Specificity,
    /// The area under the ROC curve of the positive class.
    RocAuc,
    /// The area under the precision-recall curve of the positive class, as scikit-learn sums it.
    AveragePrecision,
    /// The precision at the largest threshold that finds this share of the positive class.
    PrecisionAtRecall(Share),
    /// The largest share of the positive class that a threshold finds with this precision.
    RecallAtPrecision(Share),
    /// Confidence minus accuracy, by bins.
    Calibration,
    /// The root of the mean squared error.
    RootMeanSquaredError,
    /// R².
    RSquared,
}

/// A metric that is not an average, as requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The name in the request.
    pub name: String,
    /// The metric.
    pub score: ScoreName,
    /// Whether it is shown with the other sign, as in scikit-learn's scorers of errors.
    pub negative: bool,
}

/// A metric: a mean loss, or one that is not an average.
///
/// ```
/// use labelwise_study::{Average, Measurable, ScoreName};
/// let Measurable::Score(f1) = "f1_macro".parse()? else { panic!() };
/// assert_eq!(f1.score, ScoreName::F1(Average::Macro));
/// assert!(matches!("accuracy".parse()?, Measurable::Loss(_)));
/// # Ok::<(), labelwise_study::UnknownMeasurable>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measurable {
    /// A mean loss.
    Loss(Metric),
    /// A metric that is not an average.
    Score(Score),
}

impl ScoreName {
    /// Whether predictions of this kind have it.
    pub fn fits(self, subject: &Subject) -> bool {
        match self {
            Self::WeightedKappa if *subject == Subject::Values => true,
            Self::Precision(_)
            | Self::Recall(_)
            | Self::F1(_)
            | Self::Matthews
            | Self::Kappa
            | Self::WeightedKappa
            | Self::Specificity => {
                matches!(subject, Subject::Classes { .. } | Subject::Hard)
            }
            Self::RocAuc
            | Self::AveragePrecision
            | Self::PrecisionAtRecall(_)
            | Self::RecallAtPrecision(_)
            | Self::Calibration => matches!(subject, Subject::Classes { .. }),
            Self::RootMeanSquaredError | Self::RSquared => *subject == Subject::Values,
        }
    }

    /// The metric of the core, if predictions are values.
    pub(crate) fn of_values(self) -> ValueMetric {
        match self {
            Self::RSquared => ValueMetric::RSquared,
            Self::WeightedKappa => ValueMetric::WeightedKappa,
            _ => ValueMetric::RootMeanSquaredError,
        }
    }

    /// Whether it is about the positive class.
    pub fn needs_positive(self) -> bool {
        use Average::Positive;
        matches!(
            self,
            Self::Precision(Positive)
                | Self::Recall(Positive)
                | Self::F1(Positive)
                | Self::Specificity
                | Self::RocAuc
                | Self::AveragePrecision
                | Self::PrecisionAtRecall(_)
                | Self::RecallAtPrecision(_)
        )
    }

    /// Whether it is about predicted classes, which a decision threshold changes.
    pub(crate) fn is_of_predicted(self) -> bool {
        matches!(
            self,
            Self::Precision(_)
                | Self::Recall(_)
                | Self::F1(_)
                | Self::Matthews
                | Self::Kappa
                | Self::WeightedKappa
                | Self::Specificity
        )
    }

    /// Names of the metrics for predictions of this kind.
    pub fn all(subject: &Subject) -> &'static str {
        match subject {
            Subject::Classes { .. } => {
                "precision, recall, f1 (each also with _macro or _per_class), balanced_accuracy, matthews_corrcoef, \
                 kappa, weighted_kappa, sensitivity, specificity, ppv, \
                 roc_auc, average_precision, precision_at_recall_0.9, recall_at_precision_0.9, calibration"
            }
            Subject::Hard => {
                "precision, recall, f1 (each also with _macro or _per_class), balanced_accuracy, matthews_corrcoef, \
                 kappa, sensitivity, specificity, ppv"
            }
            Subject::Values => "rmse, r2, weighted_kappa",
            Subject::Scores => "value",
        }
    }
}

impl Score {
    /// Whether it is a ratio of sums over the pool, or a mean of such: then labels alone say what it lies between.
    pub(crate) fn is_ratio(&self) -> bool {
        matches!(self.score, ScoreName::Precision(_) | ScoreName::Recall(_) | ScoreName::F1(_))
    }

    /// The classes that it is computed over, if it is a ratio.
    pub(crate) fn average(&self) -> Option<Average> {
        match self.score {
            ScoreName::Precision(average) | ScoreName::Recall(average) | ScoreName::F1(average) => {
                Some(average)
            }
            _ => None,
        }
    }

    /// The metric as one number: the mean over classes for one of every class.
    pub(crate) fn as_one(&self) -> Self {
        let score = match self.score {
            ScoreName::Precision(Average::PerClass) => ScoreName::Precision(Average::Macro),
            ScoreName::Recall(Average::PerClass) => ScoreName::Recall(Average::Macro),
            ScoreName::F1(Average::PerClass) => ScoreName::F1(Average::Macro),
            score => return Self { score, ..self.clone() },
        };
        Self {
            name: self.name.replace("per_class", "macro").replace("per-class", "macro"),
            score,
            ..self.clone()
        }
    }

    /// Whether it is one value for each class.
    pub fn is_per_class(&self) -> bool {
        self.average() == Some(Average::PerClass)
    }

    /// Whether it has an interval that holds at every look. Ratios and roots of means have one, because a threshold on
    /// them is a threshold on a mean; for pairs of items, correlations and bins none is known.
    pub fn has_sequence(&self) -> bool {
        self.is_ratio() || self.score == ScoreName::RootMeanSquaredError
    }

    /// Whether larger is better.
    pub fn higher_is_better(&self) -> bool {
        match self.score {
            ScoreName::RootMeanSquaredError => self.negative,
            ScoreName::Calibration => false,
            _ => true,
        }
    }
}

impl Measurable {
    /// Whether it is the area under the ROC curve.
    pub(crate) fn is_auc(&self) -> bool {
        self.score().is_some_and(|score| score.score == ScoreName::RocAuc)
    }

    /// Whether it is about predicted classes, which a decision threshold changes.
    pub(crate) fn is_of_predicted(&self) -> bool {
        match self {
            Self::Loss(metric) => metric.loss == LossName::ZeroOne,
            Self::Score(score) => score.score.is_of_predicted(),
        }
    }

    /// Whether it is about the positive class.
    pub(crate) fn needs_positive(&self) -> bool {
        self.loss().is_some_and(|metric| metric.loss == LossName::Rate)
            || self.score().is_some_and(|score| score.score.needs_positive())
    }

    /// The mean loss, if it is one.
    pub fn loss(&self) -> Option<&Metric> {
        match self {
            Self::Loss(metric) => Some(metric),
            Self::Score(_) => None,
        }
    }

    /// The metric that is not an average, if it is one.
    pub fn score(&self) -> Option<&Score> {
        match self {
            Self::Loss(_) => None,
            Self::Score(score) => Some(score),
        }
    }

    /// Whether larger is better.
    pub fn higher_is_better(&self) -> bool {
        match self {
            Self::Loss(metric) => {
                metric.view == View::Complement
                    || (metric.view == View::Negative)
                        != matches!(metric.loss, LossName::Rate | LossName::Value)
            }
            Self::Score(score) => score.higher_is_better(),
        }
    }

    /// The name in the request.
    pub fn name(&self) -> &str {
        match self {
            Self::Loss(metric) => &metric.name,
            Self::Score(score) => &score.name,
        }
    }
}

impl From<Metric> for Measurable {
    fn from(metric: Metric) -> Self {
        Self::Loss(metric)
    }
}

impl fmt::Display for Measurable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not a metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownMeasurable {
    /// No metric has it.
    #[error(
        "{0:?} is not a metric: use {classes}, precision, recall, f1, f1_macro, balanced_accuracy, matthews_corrcoef, \
         kappa, sensitivity, specificity, roc_auc, average_precision, precision_at_recall_0.9 or calibration for classes; {values}, rmse or r2 for numbers; value for scores{near}",
        classes = LossName::OF_CLASSES,
        values = LossName::OF_VALUES,
        near = near_metrics(.0)
    )]
    Name(String),
    /// A quantile loss with an invalid level.
    #[error(transparent)]
    Level(#[from] BadLevel),
    /// A point of the precision-recall curve with an invalid share.
    #[error(transparent)]
    Share(#[from] BadShare),
}

impl FromStr for Measurable {
    type Err = UnknownMeasurable;

    fn from_str(text: &str) -> Result<Self, UnknownMeasurable> {
        match text.parse::<Metric>() {
            Ok(metric) => return Ok(Self::Loss(metric)),
            Err(UnknownMetric::Level(wrong)) => return Err(wrong.into()),
            Err(UnknownMetric::Name(_)) => {}
        }
        let name = text.trim().to_owned();
        let plain = name.to_ascii_lowercase().replace('_', "-");
        let (base, negative) =
            plain.strip_prefix("neg-").map_or((plain.as_str(), false), |base| (base, true));
        let score = match base {
            "root-mean-squared-error" | "rmse" => ScoreName::RootMeanSquaredError,
            _ if negative => return Err(UnknownMeasurable::Name(text.to_owned())),
            // With one label per item, every micro average is the accuracy.
            "f1-micro" | "precision-micro" | "recall-micro" => {
                let (loss, view) = (LossName::ZeroOne, View::Complement);
                return Ok(Self::Loss(Metric { name, loss, view }));
            }
            "balanced-accuracy" => ScoreName::Recall(Average::Macro),
            "matthews-corrcoef" | "matthews" | "mcc" => ScoreName::Matthews,
            "kappa" | "cohen-kappa" | "cohens-kappa" => ScoreName::Kappa,
            "weighted-kappa" | "quadratic-kappa" => ScoreName::WeightedKappa,
            "sensitivity" | "tpr" => ScoreName::Recall(Average::Positive),
            "specificity" | "tnr" => ScoreName::Specificity,
            "ppv" => ScoreName::Precision(Average::Positive),
            "roc-auc" | "auc" => ScoreName::RocAuc,
            "average-precision" | "ap" => ScoreName::AveragePrecision,
            "calibration" | "ece" => ScoreName::Calibration,
            "r2" | "r-squared" => ScoreName::RSquared,
            _ if base.starts_with("precision-at-recall-") => {
                ScoreName::PrecisionAtRecall(base.trim_start_matches("precision-at-recall-").parse()?)
            }
            _ if base.starts_with("recall-at-precision-") => {
                ScoreName::RecallAtPrecision(base.trim_start_matches("recall-at-precision-").parse()?)
            }
            _ => {
                let (kind, average) = if let Some(kind) = base.strip_suffix("-macro") {
                    (kind, Average::Macro)
                } else if let Some(kind) = base.strip_suffix("-per-class") {
                    (kind, Average::PerClass)
                } else {
                    (base, Average::Positive)
                };
                match kind {
                    "precision" => ScoreName::Precision(average),
                    "recall" => ScoreName::Recall(average),
                    "f1" => ScoreName::F1(average),
                    _ => return Err(UnknownMeasurable::Name(text.to_owned())),
                }
            }
        };
        Ok(Self::Score(Score { name, score, negative }))
    }
}
