//! Metrics of classes. All but those of the order of probabilities are functions of three counts for each class: how often it
//! is predicted, how often it is the label, and how often both.

use super::auc;
use super::certain;
use super::confusion::{self, Ratio, Totals};
use super::kappa;
use super::precision_recall;
use super::{Extreme, Linearised, Measure, MetricError, Scale, Undefined, Unlabelled, skips};
use crate::error::Result;
use crate::loss::{Bounds, Decision};

/// A labelled item: its prediction and its label.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The predicted class, from 0.
    pub predicted: usize,
    /// The label.
    pub label: usize,
    /// A probability for each class; empty where the model gives classes alone.
    pub probabilities: Vec<f64>,
}

impl Judged {
    /// From a row of probabilities: the prediction is the most probable class, the first of equals.
    pub fn new(probabilities: Vec<f64>, label: usize) -> Result<Self> {
        Self::decided(probabilities, label, Decision::MostProbable)
    }

    /// From a row of probabilities, and how they become a prediction.
    pub fn decided(probabilities: Vec<f64>, label: usize, decision: Decision) -> Result<Self> {
        let classes = probabilities.len();
        if label >= classes {
            return Err(MetricError::Class { class: label, classes }.into());
        }
        Ok(Self { predicted: decision.predicted(&probabilities), label, probabilities })
    }

    /// From a predicted class without probabilities.
    pub fn hard(predicted: usize, label: usize) -> Self {
        Self { predicted, label, probabilities: Vec::new() }
    }

    /// Whether the prediction is the label.
    pub fn is_right(&self) -> bool {
        self.predicted == self.label
    }
}

/// A metric of classes that is not a mean. Classes are numbered from 0; macro averages are plain means over `classes` classes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ClassMetric {
    /// Of the items predicted as the class, the share that are of it.
    Precision {
        /// The class.
        class: usize,
    },
    /// Of the items of the class, the share that was predicted as it.
    Recall {
        /// The class.
        class: usize,
    },
    /// The harmonic mean of precision and recall: 2 TP / (predicted + labelled).
    F1 {
        /// The class.
        class: usize,
    },
    /// The mean precision of the classes.
    MacroPrecision {
        /// Number of classes.
        classes: usize,
    },
    /// The mean recall of the classes, which is the balanced accuracy.
    MacroRecall {
        /// Number of classes.
        classes: usize,
    },
    /// The mean F1 of the classes.
    MacroF1 {
        /// Number of classes.
        classes: usize,
    },
    /// Matthews' correlation coefficient, for any number of classes as Gorodkin has it.
    Matthews {
        /// Number of classes.
        classes: usize,
    },
    /// Cohen's kappa: agreement of predictions and labels beyond chance.
    Kappa {
        /// Number of classes.
        classes: usize,
    },
    /// The same with quadratic weights: a disagreement counts by the squared distance of the classes in their order.
    WeightedKappa {
        /// Number of classes.
        classes: usize,
    },
    /// The probability that an item of the class has a larger predicted probability of it than one of another class.
    Auc {
        /// The class.
        class: usize,
    },
    /// The mean precision over the items of the class, each at its own probability as the threshold.
    AveragePrecision {
        /// The class.
        class: usize,
    },
    /// The precision at the largest threshold with which at least this share of the class is found.
    PrecisionAtRecall {
        /// The class.
        class: usize,
        /// The share, above 0 and at most 1.
        recall: f64,
    },
    /// The largest share of the class that a threshold finds with at least this precision; 0 if there is none.
    RecallAtPrecision {
        /// The class.
        class: usize,
        /// The precision, above 0 and at most 1.
        precision: f64,
    },
}

impl ClassMetric {
    /// Number of classes that it needs.
    pub(crate) fn classes(self) -> usize {
        match self {
            Self::Precision { class }
            | Self::Recall { class }
            | Self::F1 { class }
            | Self::Auc { class }
            | Self::AveragePrecision { class }
            | Self::PrecisionAtRecall { class, .. }
            | Self::RecallAtPrecision { class, .. } => class + 1,
            Self::MacroPrecision { classes }
            | Self::MacroRecall { classes }
            | Self::MacroF1 { classes }
            | Self::Matthews { classes }
            | Self::Kappa { classes }
            | Self::WeightedKappa { classes } => classes,
        }
    }

    /// The ratio that it is, or that it is the mean of, and the classes; `None` for those that are neither.
    pub(super) fn ratio(self) -> Option<(Ratio, std::ops::Range<usize>)> {
        match self {
            Self::Precision { class } => Some((Ratio::Precision, class..class + 1)),
            Self::Recall { class } => Some((Ratio::Recall, class..class + 1)),
            Self::F1 { class } => Some((Ratio::F1, class..class + 1)),
            Self::MacroPrecision { classes } => Some((Ratio::Precision, 0..classes)),
            Self::MacroRecall { classes } => Some((Ratio::Recall, 0..classes)),
            Self::MacroF1 { classes } => Some((Ratio::F1, 0..classes)),
            _ => None,
        }
    }

    /// How many points a metric of the confusion matrix is about. If it is about several classes, those of the class with the fewest.
    fn relevant(self, points: &[(&Judged, f64)]) -> usize {
        let count = |is: &dyn Fn(&Judged) -> bool| points.iter().filter(|(point, _)| is(point)).count();
        let predicted = |class: usize| count(&|point| point.predicted == class);
        let labelled = |class: usize| count(&|point| point.label == class);
        let either = |class: usize| count(&|point| point.predicted == class || point.label == class);
        let fewest = |classes: usize, of: &dyn Fn(usize) -> usize| (0..classes).map(of).min().unwrap_or(0);
        match self {
            Self::Precision { class } => predicted(class),
            Self::Recall { class }
            | Self::Auc { class }
            | Self::AveragePrecision { class }
            | Self::PrecisionAtRecall { class, .. }
            | Self::RecallAtPrecision { class, .. } => labelled(class),
            Self::F1 { class } => either(class),
            Self::MacroPrecision { classes } => fewest(classes, &predicted),
            Self::MacroRecall { classes } => fewest(classes, &labelled),
            Self::MacroF1 { classes } => fewest(classes, &either),
            // Of two classes, the rarer label; of more, all that are not of the most common one.
            Self::Matthews { classes } | Self::Kappa { classes } | Self::WeightedKappa { classes } => {
                points.len() - (0..classes).map(labelled).max().unwrap_or(0)
            }
        }
    }

    /// The class it is about, where it is about one.
    pub fn class(self) -> Option<usize> {
        match self {
            Self::Precision { class }
            | Self::Recall { class }
            | Self::F1 { class }
            | Self::Auc { class }
            | Self::AveragePrecision { class }
            | Self::PrecisionAtRecall { class, .. }
            | Self::RecallAtPrecision { class, .. } => Some(class),
            _ => None,
        }
    }

    /// Whether it depends on the order of all probabilities instead of on predicted classes.
    pub fn is_of_ranks(self) -> bool {
        matches!(
            self,
            Self::Auc { .. }
                | Self::AveragePrecision { .. }
                | Self::PrecisionAtRecall { .. }
                | Self::RecallAtPrecision { .. }
        )
    }
}

impl Measure<Judged> for ClassMetric {
    fn name(&self) -> String {
        match self {
            Self::Precision { class } => format!("precision of class {class}"),
            Self::Recall { class } => format!("recall of class {class}"),
            Self::F1 { class } => format!("F1 of class {class}"),
            Self::MacroPrecision { .. } => "macro precision".to_owned(),
            Self::MacroRecall { .. } => "balanced accuracy".to_owned(),
            Self::MacroF1 { .. } => "macro F1".to_owned(),
            Self::Matthews { .. } => "Matthews correlation".to_owned(),
            Self::Kappa { .. } => "kappa".to_owned(),
            Self::WeightedKappa { .. } => "weighted kappa".to_owned(),
            Self::Auc { class } => format!("AUC of class {class}"),
            Self::AveragePrecision { class } => format!("average precision of class {class}"),
            Self::PrecisionAtRecall { class, recall } => {
                format!("precision at recall {recall} of class {class}")
            }
            Self::RecallAtPrecision { class, precision } => {
                format!("recall at precision {precision} of class {class}")
            }
        }
    }

    fn scale(&self) -> Scale {
        match self {
            Self::Matthews { .. } => Scale::Correlation,
            Self::Kappa { .. } | Self::WeightedKappa { .. } => Scale::AtMostOne,
            _ => Scale::Unit,
        }
    }

    fn linearised(&self, points: &[(&Judged, f64)]) -> Result<Linearised, Undefined> {
        match *self {
            Self::WeightedKappa { classes } => return kappa::quadratic(classes, points),
            Self::Auc { class } => return auc::linearised(class, points),
            Self::AveragePrecision { class } => return precision_recall::average_precision(class, points),
            Self::PrecisionAtRecall { class, recall } => {
                return precision_recall::precision_at_recall(class, recall, points);
            }
            Self::RecallAtPrecision { class, precision } => {
                return precision_recall::recall_at_precision(class, precision, points);
            }
            _ => {}
        }
        let totals = Totals::of_points(self.classes(), points);
        let slope = confusion::slope(*self, &totals)?;
        let influence = points.iter().map(|(point, _)| slope.at(point.predicted, point.label)).collect();
        let relevant = self.relevant(points);
        Ok(Linearised { value: slope.value, influence, support: slope.support, relevant })
    }

    fn bounds(&self, points: &[(&Judged, f64)], unlabelled: &Unlabelled) -> Option<Bounds> {
        certain::of_classes(*self, points, unlabelled)
    }

    fn is_of_sums(&self) -> bool {
        self.ratio().is_some()
    }

    fn extremes(
        &self,
        labelled: &[(&Judged, f64)],
        skipped: &[(&Judged, f64)],
    ) -> Option<[Extreme<Judged>; 2]> {
        skips::of_classes(*self, labelled, skipped)
    }

    /// Sums over pairs are rough while one of the classes is rare.
    fn experimental_below(&self) -> usize {
        if self.is_of_ranks() { 400 } else { 0 }
    }
}
