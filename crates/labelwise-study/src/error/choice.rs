//! Choices that do not fit together or do not fit the pool.

use std::path::PathBuf;

use labelwise::words::{listed, quoted};

use crate::{LearnerName, LossName, Settings, Subject};

/// Why an evaluation cannot be created with these choices.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum ChoiceError {
    /// The loss does not fit the predictions.
    #[error("{loss} cannot be measured on {predictions}: use {possible}")]
    Metric { loss: LossName, predictions: String, possible: String },
    /// The evaluation is of the difference of two systems.
    #[error(
        "{loss} is of one system, and this evaluation is of the difference of two: `labelwise compare` prints it, and the rate of \
         each"
    )]
    OfTwoSystems { loss: LossName },
    /// The loss has a parameter, was not named at creation, and the surrogate has been retrained since.
    #[error(
        "{loss} was not named when this evaluation was created, and its surrogate or its scores have changed \
         since: name it when you create an evaluation, or use a surrogate that does not learn"
    )]
    LossNotKept { loss: LossName },
    /// A loss or surrogate that lives in the process cannot be stored in a file.
    #[error(
        "a custom loss or surrogate lives in this process and cannot be stored in a file: choose a loss by \
         its name and give the surrogate's predictions, or evaluate in memory"
    )]
    Supplied,
    /// A decision threshold needs probabilities of two classes.
    #[error(
        "a decision threshold needs probabilities of two classes, but these are {predictions}: remove it"
    )]
    ThresholdClasses { predictions: String },
    /// The decision threshold has no positive class.
    #[error(
        "a decision threshold is about the positive class{}: name one of {}",
        class.as_ref().map(|class| format!(", and {} is not a class", quoted(class))).unwrap_or_default(),
        listed(.classes)
    )]
    ThresholdClass { class: Option<String>, classes: Vec<String> },
    /// The decision threshold is not a probability.
    #[error(
        "the decision threshold is {value}, but must be from 0 to 1{}",
        meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default()
    )]
    ThresholdValue { value: f64, meant: Option<f64> },
    /// The cap of cross-entropy is not a small probability.
    #[error("the cap of cross-entropy is {cap}, but must be above 0 and below 0.5, such as 1e-15")]
    Cap { cap: f64 },
    /// Only cross-entropy of classes has a cap.
    #[error(
        "a cap is only for the cross-entropy of class probabilities, but these are {predictions}: remove it"
    )]
    CapUnused { predictions: String },
    /// The range is empty, or labels are not numbers.
    #[error(
        "the range {low} to {high} cannot be used: labels must be numbers, and the lower end must be below \
         the upper end"
    )]
    Range { low: f64, high: f64 },
    /// The model cannot be its own surrogate, because its predictions have no uncertainty.
    #[error(
        "the model cannot be its own surrogate, because its predictions ({predictions}) have no uncertainty: \
         give other predictions or features, or use no surrogate"
    )]
    NoOwnBeliefs { predictions: String },
    /// The predictions of the surrogate are missing.
    #[error("the surrogate's predictions are missing: name their columns or their file")]
    NothingGiven,
    /// The learner has no features.
    #[error(
        "a surrogate that learns ({learner}) needs features, and predictions that are classes or numbers: \
         name the feature columns"
    )]
    NoFeatures { learner: LearnerName },
    /// The learner is for the other task.
    #[error(
        "{learner} does not learn {task}: use forest or logistic for classes, and forest, gp or linear for \
         numbers"
    )]
    Learner { learner: LearnerName, task: &'static str },
    /// The surrogate has other classes than the pool.
    #[error(
        "the surrogate's columns have the classes {}, but the pool has {}: both must have the same \
         classes, in any order",
        listed(.there), listed(.here)
    )]
    SurrogateClasses { there: Vec<String>, here: Vec<String> },
    /// An acquisition needs a surrogate.
    #[error(
        "an acquisition needs a surrogate to score items by: remove the acquisition, or choose a surrogate"
    )]
    NothingToScoreBy,
    /// A retraining schedule needs a surrogate that learns.
    #[error(
        "the surrogate does not learn, so it cannot be retrained: choose one that learns, or remove the \
         schedule"
    )]
    RetrainUnused,
    /// The beliefs cannot be recalibrated.
    #[error(
        "beliefs cannot be recalibrated here: that takes a mean loss of class probabilities, of the model or \
         of given predictions, and items that are not drawn from strata; use them as given"
    )]
    NotRecalibrated,
    /// A schedule of recalibration needs recalibrated beliefs.
    #[error(
        "the beliefs are used as given, so labels do not refresh them: remove the schedule of refreshes, or \
         choose recalibrated beliefs"
    )]
    RefreshUnused,
    /// A held-out set needs recalibrated beliefs.
    #[error(
        "labels of other items are given, but the beliefs are used as given: remove these labels, or choose \
         recalibrated beliefs"
    )]
    CalibrationUnused,
    /// A held-out set without labels.
    #[error("{} has no labels of classes: name their column", .path.display())]
    CalibrationLabels { path: PathBuf },
    /// A held-out set has other classes than the pool.
    #[error(
        "{} has the classes {}, but the pool has {}: both must have the same classes, in any order",
        .path.display(), listed(.there), listed(.here)
    )]
    CalibrationClasses { path: PathBuf, there: Vec<String>, here: Vec<String> },
    /// A held-out set has another kind of predictions than the pool.
    #[error("{} must have {predictions}, as the pool has", .path.display())]
    CalibrationKind { path: PathBuf, predictions: String },
    /// A held-out set lacks the predictions of surrogates.
    #[error(
        "{} has the predictions of {found} surrogates, but the pool has those of {wanted}: give the columns of \
         the pool's surrogates",
        .path.display()
    )]
    CalibrationSurrogates { path: PathBuf, found: usize, wanted: usize },
    /// The schedule never gives the learner enough labels.
    #[error(
        "{learner} would never learn: it needs {needed} labels, and this schedule never has them; give \
         labelled training rows, or a later schedule"
    )]
    NeverLearns { learner: LearnerName, needed: usize },
    /// Training rows need a surrogate that learns.
    #[error(
        "training rows are given, but the surrogate does not learn: choose one that learns, or remove the \
         training rows"
    )]
    TrainingUnused,
    /// The training rows have no features.
    #[error(
        "{} has no features to learn from: name the feature columns, which must be those of the pool",
        .path.display()
    )]
    TrainingFeatures { path: PathBuf },
    /// A training label is not a class of the pool.
    #[error("{} has label {}, which is not one of the pool's classes", .path.display(), quoted(.label))]
    TrainingLabel { path: PathBuf, label: String },
    /// Training rows cannot be used with predictions of this type.
    #[error("training rows cannot be used with {predictions}: remove them")]
    TrainingKind { predictions: String },
    /// An evaluation in memory has no file to copy.
    #[error(
        "the evaluation is in memory and has no file to copy: create it with a file, or export its labels"
    )]
    NoFile,
    /// A simulation needs the labels of all items.
    #[error("{} has no labels, but a simulation needs the labels of all items: name their column", .path.display())]
    NoKnownLabels { path: PathBuf },
    /// The labels do not fit the predictions.
    #[error(
        "the labels are {are}, but the predictions are {predictions}: choose another column of labels, or \
         other predictions"
    )]
    KnownLabels { are: &'static str, predictions: &'static str },
}

impl ChoiceError {
    pub(crate) fn metric(loss: LossName, settings: &Settings) -> Self {
        match &settings.judge {
            Some(judge) if judge.pair.is_some() => Self::OfTwoSystems { loss },
            _ => Self::metric_of(loss, &settings.subject, settings.variances()),
        }
    }

    pub(crate) fn metric_of(loss: LossName, subject: &Subject, variances: bool) -> Self {
        Self::Metric { loss, predictions: subject.in_words(), possible: subject.loss_names(variances) }
    }
}
