//! Metrics that cannot be had of an evaluation as they were asked for.

use crate::{Score, ScoreName, Subject};

/// Why something cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// A metric that does not fit the predictions.
    #[error("{score} cannot be measured of {predictions}: beside mean losses there are {possible}")]
    Score {
        /// The metric.
        score: String,
        /// What the predictions are.
        predictions: String,
        /// What can be measured.
        possible: &'static str,
    },
    /// Something that goes by a mean loss, of an evaluation that was made for none.
    #[error(
        "the evaluation was made for {made_for}, which is no mean: say which mean loss to go by, such as {other}"
    )]
    NoMean {
        /// What it was made for.
        made_for: String,
        /// A loss that it knows.
        other: String,
    },
    /// A metric of one class, without a word on which.
    #[error(
        "{score} is about one class, and nothing says about which: name the positive class, one of {classes}{}", or_averages(.score, *.averages)
    )]
    NoPositive {
        /// The metric.
        score: String,
        /// The classes.
        classes: String,
        /// Whether the metric has averages over the classes, too.
        averages: bool,
    },
    /// A positive class that there is not.
    #[error("the positive class is to be {class:?}, which is none of the classes {classes}")]
    UnknownPositive {
        /// The class.
        class: String,
        /// Those there are.
        classes: String,
    },
    /// A positive class for nothing.
    #[error(
        "a positive class is named, but nothing asked for is about one class: leave it out, or ask for f1"
    )]
    PositiveUnused,
    /// A column that the evaluation does not have.
    #[error("the evaluation has no column `{column}`: {}", there(.columns))]
    NotCarried {
        /// The column.
        column: String,
        /// Those it has.
        columns: Vec<String>,
    },
    /// A column with too many values to slice by.
    #[error(
        "the column `{column}` has more than {most} different values: slices are few, so choose another column"
    )]
    ManySlices {
        /// The column.
        column: String,
        /// The most slices.
        most: usize,
    },
    /// Groups that would change nothing.
    #[error(
        "groups of like items matter for the population they were drawn from, not for this very pool: choose the population as the target, or leave the groups out"
    )]
    GroupsOfPool,
    /// A skipped item of which nothing stands for the label.
    #[error(
        "item {id:?} was skipped, and what its label would have done to a metric that is no mean has no bounds: tell its label, declare it missing at random if the reason has nothing to do with it, or measure a mean loss"
    )]
    Skipped {
        /// The item.
        id: String,
    },
    /// An interval or an estimator that only mean losses have.
    #[error(
        "{metric} has the ordinary interval, by weights alone, and no other; nor have slices and groups: leave the interval and the estimator out, or ask for a mean loss alone"
    )]
    OrdinaryOnly {
        /// The metric.
        metric: String,
    },
    /// A table that is not made by slices.
    #[error("calibration is a table of its own, and is not made by slices or groups: ask for it alone")]
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
        "no column of the pool went along, so make the evaluation anew with it".to_owned()
    } else {
        let list: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
        format!(
            "what went along is {}; another one needs the evaluation to be made anew with it",
            list.join(", ")
        )
    }
}

/// The averages that a metric of one class may have.
fn or_averages(score: &str, averages: bool) -> String {
    if averages { format!(", or take {score}_macro or {score}_per_class") } else { String::new() }
}
