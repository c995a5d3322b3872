//! Choices that do not fit together, or not the pool.

use std::path::PathBuf;

use crate::{LearnerName, LossName, Settings, Subject};

/// Why an evaluation cannot be made as it was chosen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// A metric that does not fit the predictions.
    #[error("{loss} cannot be measured of {predictions}: try {possible}")]
    Metric {
        /// The loss.
        loss: LossName,
        /// What the predictions are.
        predictions: String,
        /// What can be measured.
        possible: String,
    },
    /// A loss with a parameter that was not named before the surrogate learnt again.
    #[error(
        "{loss} was not named when this evaluation was made, and its surrogate or its scores have changed since: name it when you make an evaluation, or choose a surrogate that does not learn"
    )]
    LossNotKept {
        /// The loss.
        loss: LossName,
    },
    /// An object of the process for an evaluation that outlives it.
    #[error(
        "a loss or a surrogate of your own lives in this process, and a file cannot keep it: choose a loss by its name and give the surrogate's predictions, or evaluate in memory"
    )]
    Supplied,
    /// Bounds of something that has its own, or no bounds.
    #[error(
        "the range {low} to {high} cannot be used: labels must be numbers for it to mean something, and its lower end below the upper"
    )]
    Range {
        /// The lower.
        low: f64,
        /// The upper.
        high: f64,
    },
    /// The model cannot be its own surrogate.
    #[error(
        "the model cannot be its own surrogate, since it gives {predictions} without saying how sure it is: give other predictions or features, or do without a surrogate"
    )]
    NoOwnBeliefs {
        /// What the predictions are.
        predictions: String,
    },
    /// Beliefs were to be given, and were not.
    #[error("the surrogate's predictions are to be given, but none are: name their columns or their file")]
    NothingGiven,
    /// Nothing to learn from.
    #[error(
        "a surrogate that learns ({learner}) needs features, for predictions that are classes or values: name the feature columns"
    )]
    NoFeatures {
        /// What was to learn.
        learner: LearnerName,
    },
    /// A learner of the other task.
    #[error(
        "{learner} does not learn {task}: for classes there are forest and logistic, for values forest, gp and linear"
    )]
    Learner {
        /// What was to learn.
        learner: LearnerName,
        /// What it was to learn.
        task: &'static str,
    },
    /// Columns of a surrogate that are of other classes.
    #[error(
        "the surrogate's columns are of the classes {there}, but the pool's of {here}: they must be the same, in any order"
    )]
    SurrogateClasses {
        /// The surrogate's.
        there: String,
        /// The pool's.
        here: String,
    },
    /// A proposal by something without anything to make it of.
    #[error(
        "without a surrogate nothing says how items differ, so they cannot be scored: leave the acquisition out, or choose a surrogate"
    )]
    NothingToScoreBy,
    /// A schedule for nothing.
    #[error(
        "the surrogate does not learn, so it cannot learn again: choose one that does, or leave the schedule out"
    )]
    RetrainUnused,
    /// A learner that would never have enough to learn from.
    #[error(
        "{learner} would never learn: it needs {needed} labels, and by this schedule it never has them; give labelled rows, or a later schedule"
    )]
    NeverLearns {
        /// What was to learn.
        learner: LearnerName,
        /// How many labels it needs.
        needed: usize,
    },
    /// Training rows for nothing.
    #[error(
        "labelled rows to learn from are given, but the surrogate does not learn: choose one that does, or leave them out"
    )]
    TrainingUnused,
    /// Training rows without features.
    #[error("{} has no features to learn from: name the feature columns, which must be those of the pool", .path.display())]
    TrainingFeatures {
        /// The file.
        path: PathBuf,
    },
    /// A training label that is no class of the pool.
    #[error("{} has the label {label:?}, which is none of the pool's classes", .path.display())]
    TrainingLabel {
        /// The file.
        path: PathBuf,
        /// The label.
        label: String,
    },
    /// Training rows that say nothing of right and wrong.
    #[error("labelled rows cannot be learnt from beside predictions that are {predictions}: leave them out")]
    TrainingKind {
        /// What the predictions are.
        predictions: String,
    },
    /// A backup of an evaluation in memory.
    #[error("the evaluation is in memory and has no file to copy: make it with a file, or export its labels")]
    NoFile,
    /// A simulation without labels.
    #[error("{} has no labels, and a simulation needs those of all items: name their column", .path.display())]
    NoKnownLabels {
        /// The pool.
        path: PathBuf,
    },
    /// Labels that are not what the predictions predict.
    #[error(
        "the labels are {are}, but the predictions are {predictions}: choose another column of labels, or other predictions"
    )]
    KnownLabels {
        /// What they are.
        are: &'static str,
        /// What they should be.
        predictions: &'static str,
    },
}

impl ChoiceError {
    pub(crate) fn metric(loss: LossName, settings: &Settings) -> Self {
        Self::metric_of(loss, &settings.subject, settings.variances())
    }

    pub(crate) fn metric_of(loss: LossName, subject: &Subject, variances: bool) -> Self {
        Self::Metric { loss, predictions: subject.in_words(), possible: subject.loss_names(variances) }
    }
}
