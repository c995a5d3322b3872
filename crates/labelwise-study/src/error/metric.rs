//! Errors of metrics.

use labelwise::plan::Side;
use labelwise::words::{did_you_mean, listed, quoted};

use crate::{Score, ScoreName, Subject};

/// Why a metric cannot be estimated as requested.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum MetricError {
    /// The metric does not fit the predictions.
    #[error("{score} cannot be measured on {predictions}: use a mean loss, or {possible}")]
    Score { score: String, predictions: String, possible: &'static str },
    /// The request needs a mean loss, and the evaluation was created for a metric that is not an average.
    #[error(
        "the evaluation was created for {made_for}, which is not an average: name a mean loss, such as \
         {other}"
    )]
    NoMean { made_for: String, other: String },
    /// The request is about one metric, and the evaluation was created for several.
    #[error("the evaluation was created for {made_for}: name one of them")]
    Several { made_for: String },
    /// The metric has no interval that holds at every look.
    #[error(
        "{metric} has no interval that holds at repeated looks: use the method `once` at a number of labels that you fixed \
         in advance, or a mean loss, precision, recall or f1"
    )]
    OneLook { metric: String },
    /// Simulations and comparisons are about one number, and the metric is a table.
    #[error("{metric} is a table, which is not summed up here: use a metric that is one number")]
    NotSimulated { metric: String },
    /// The metric of the whole pool has no value.
    #[error("{metric} has no value on this pool, although all of its labels are known: {reason}")]
    NoTruth { metric: String, reason: String },
    /// The metric needs a positive class.
    #[error(
        "{score} is about one class: name the positive class, one of {}{}",
        listed(.classes), or_averages(.score, *.averages)
    )]
    NoPositive { score: String, classes: Vec<String>, averages: bool },
    /// The metric is of two classes.
    #[error("{metric} is of two classes, and there are more: use recall_per_class")]
    TwoClasses { metric: String },
    /// The positive class is not one of the classes.
    #[error(
        "the positive class {} is not one of the classes {}{}",
        quoted(.class), listed(.classes), did_you_mean(.class, .classes.iter().map(String::as_str))
    )]
    UnknownPositive { class: String, classes: Vec<String> },
    /// A positive class is named, but no metric needs it.
    #[error("a positive class is named, but no metric here is about one class: remove it, or ask for f1")]
    PositiveUnused,
    /// A decision threshold is given, but no metric is about predicted classes.
    #[error(
        "a decision threshold is given, but no metric here is about predicted classes: remove it, or ask for \
         precision, recall, f1 or accuracy"
    )]
    ThresholdUnused,
    /// The evaluation does not have the passthrough column.
    #[error(
        "the evaluation has no column {}: {}{}",
        quoted(.column), there(.columns), did_you_mean(.column, .columns.iter().map(String::as_str))
    )]
    NotCarried { column: String, columns: Vec<String> },
    /// The column has too many values to slice by.
    #[error("the column `{column}` has more than {most} different values: choose a column with fewer")]
    ManySlices { column: String, most: usize },
    /// Groups change only intervals for the population.
    #[error(
        "groups change only intervals for the population, not those for this pool: choose the population as \
         the target, or remove the groups"
    )]
    GroupsOfPool,
    /// A skipped item has no bounds for a metric that is not an average.
    #[error(
        "item {} was skipped, and its effect on this metric has no bounds: give its label, estimate a mean loss, \
         precision, recall or f1, or, if the reason of the skip has nothing to do with the label, declare it \
         missing at random",
        quoted(.id)
    )]
    Skipped { id: String },
    /// Metrics that are not averages, slices and groups have only the ordinary interval.
    #[error(
        "{metric}: metrics that are not averages, slices and groups have only the ordinary interval and one \
         estimator; leave both choices out, or ask for a mean loss alone"
    )]
    OrdinaryOnly { metric: String },
    /// The metric cannot have the value of the threshold.
    #[error("the threshold is {value}, but {metric} is always {}{}", between(*.low, *.high), or_as_share(*.meant))]
    ThresholdRange {
        metric: String,
        value: f64,
        /// The side of the threshold, if only one side is asked about.
        side: Option<Side>,
        low: f64,
        high: f64,
        /// The value as a share, if it could be in per cent.
        meant: Option<f64>,
    },
    /// The interval would be wider than the range of the metric.
    #[error(
        "the half-width is {half_width}, but {metric} is always {}, so every interval is narrower than that{}",
        between(*.low, *.high), or_as_share(*.meant)
    )]
    HalfWidthRange {
        metric: String,
        half_width: f64,
        low: f64,
        high: f64,
        /// The half-width as a share, if it could be in per cent.
        meant: Option<f64>,
    },
    /// The calibration table has no slices and no groups.
    #[error("the calibration table has no slices and no groups: ask for it without them")]
    SlicedCalibration,
}

impl MetricError {
    pub(crate) fn score(score: &Score, subject: &Subject) -> Self {
        let possible = ScoreName::all(subject);
        Self::Score { score: score.name.clone(), predictions: subject.in_words(), possible }
    }
}

fn there(columns: &[String]) -> String {
    if columns.is_empty() {
        "it has no passthrough columns, so create it again with this one".to_owned()
    } else {
        format!("its passthrough columns are {}; for another one, create it again", listed(columns))
    }
}

fn or_averages(score: &str, averages: bool) -> String {
    if averages { format!(", or use {score}_macro or {score}_per_class") } else { String::new() }
}

/// A range in words. One of its ends is finite, otherwise everything would be in it.
fn between(low: f64, high: f64) -> String {
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("between {low} and {high}"),
        (true, false) => format!("at least {low}"),
        _ => format!("at most {high}"),
    }
}

fn or_as_share(meant: Option<f64>) -> String {
    meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"))
}
