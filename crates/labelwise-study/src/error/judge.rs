//! Judges, histories and worths that do not fit.

use labelwise::words::{did_you_mean, listed, quoted};

/// Why judges or histories cannot be used as given.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum JudgeError {
    /// Every item has the same verdict.
    #[error(
        "the judge {} says {} for every item, so it tells nothing about them: remove it, or name another column",
        quoted(.judge), quoted(.value)
    )]
    Constant { judge: String, value: String },
    /// No item has a verdict.
    #[error("the judge {} has no verdict on any item: name another column", quoted(.judge))]
    Blank { judge: String },
    /// A verdict is not a class.
    #[error(
        "the judge {} says {} of item {}, which is not one of the classes {}{}: name all classes with their worth \
         (pass=1,fail=0), or correct the column",
        quoted(.judge), quoted(.verdict), quoted(.id), listed(.classes),
        did_you_mean(.verdict, .classes.iter().map(String::as_str))
    )]
    Verdict { judge: String, verdict: String, id: String, classes: Vec<String> },
    /// A rating is outside of the range.
    #[error(
        "the judge {} gives item {} the rating {value}, which is not within the range {low} to {high}: correct the \
         column or the range",
        quoted(.judge), quoted(.id)
    )]
    Rating { judge: String, id: String, value: f64, low: f64, high: f64 },
    /// A text where ratings are.
    #[error(
        "the judge {} says {} of item {}, which is not a rating from {low} to {high}: correct it, or leave the cell blank if \
         there is none",
        quoted(.judge), quoted(.verdict), quoted(.id)
    )]
    NotARating { judge: String, verdict: String, id: String, low: f64, high: f64 },
    /// A score is infinite.
    #[error(
        "the judge {} says {} of item {}, which is not a finite number: correct it, or leave the cell blank if there is \
         no verdict",
        quoted(.judge), quoted(.value), quoted(.id)
    )]
    Infinite { judge: String, value: String, id: String },
    /// A class has no worth.
    #[error(
        "the class {} has no worth: give one for every class, such as {}=0.5",
        quoted(.class), .class
    )]
    NoWorth { class: String },
    /// A worth is of something that is not a class.
    #[error(
        "a worth is given for {}, which is not one of the classes {}{}",
        quoted(.class), listed(.classes), did_you_mean(.class, .classes.iter().map(String::as_str))
    )]
    WorthUnknown { class: String, classes: Vec<String> },
    /// All classes have one worth.
    #[error("all classes are worth the same, so there is nothing to measure: give them different worths")]
    WorthsEqual,
    /// A class is named twice, or its worth is not a number.
    #[error("the worth {worth} of class {} cannot be used: give each class once, with a finite number", quoted(.class))]
    Worth { class: String, worth: f64 },
    /// The value of classes is not known.
    #[error(
        "value needs to know what labels can be: give the smallest and the largest rating as a range (1,5), or the worth \
         of every class (A=1,tie=0.5,B=0)"
    )]
    NoScale,
    /// Worths are of classes.
    #[error("worths are of classes, but labels are numbers here ({predictions}): remove them")]
    WorthUnused { predictions: String },
    /// The rate is of a class.
    #[error(
        "rate is how often the label is the positive class: name the positive class{}",
        if .classes.is_empty() { String::new() } else { format!(", one of {}", listed(.classes)) }
    )]
    NoPositive { classes: Vec<String> },
    /// A result of another model is not between the ends.
    #[error(
        "the history {} has {} for item {}, which is not a number from {low} to {high}: correct the column, or give the \
         range of its results",
        quoted(.model), quoted(.value), quoted(.id)
    )]
    Result { model: String, value: String, id: String, low: f64, high: f64 },
    /// The evaluation has no judge.
    #[error("the evaluation has no judge and no history: create one with a judge")]
    NoJudge,
    /// The metric needs a judge's verdicts.
    #[error(
        "{metric} compares a judge's verdicts with labels, but this evaluation has none: create it with a judge"
    )]
    NoVerdicts { metric: String },
    /// A judge is given together with something that takes its place.
    #[error("{option} cannot be used together with a judge or a history: remove one of them")]
    Beside { option: &'static str },
    /// Whole groups are drawn for metrics of groups.
    #[error(
        "whole groups are drawn for pass@k and pass^k: name one of them as the loss, such as pass@1 for the rate of samples, or \
         use groups in estimate (--group with --target population)"
    )]
    GroupLoss,
    /// Groups need a judge.
    #[error("groups of samples need a judge's verdicts: name its column (--judge)")]
    GroupWithoutJudge,
    /// The pool has no such column.
    #[error(
        "there is no column {} of groups{}: the columns are {}",
        quoted(.column), did_you_mean(.column, .columns.iter().map(String::as_str)), listed(.columns)
    )]
    GroupColumn { column: String, columns: Vec<String> },
    /// An item has no group.
    #[error("item {} has no {column}: every sample needs its group", quoted(.id))]
    NoGroup { column: String, id: String },
    /// Groups differ in size.
    #[error(
        "{column} {} has {size} samples, but {} has {samples}: pass@k and pass^k need the same number in every group, so leave \
         out the others, or take fewer samples of each",
        quoted(.first), quoted(.group)
    )]
    GroupSize { column: String, first: String, size: usize, group: String, samples: usize },
    /// Groups are smaller than the k of a metric.
    #[error("{loss} needs groups of at least that many samples, but they have {size}: choose a smaller k")]
    GroupSmall { loss: crate::spec::metric::LossName, size: usize },
    /// The next batch cannot be estimated from these labels.
    #[error(
        "{what} cannot be carried over to another batch: make an evaluation of the batch, and label some of its items"
    )]
    NotApplicable { what: &'static str },
    /// Numbers of an unknown scale cannot be compared between batches.
    #[error(
        "the judge {} has numbers of an unknown scale, so its verdicts on two batches cannot be compared: give it a range, or \
         scores from 0 to 1, when the evaluation is created",
        quoted(.judge)
    )]
    NoCommonScale { judge: String },
    /// A judge says other things of the next batch.
    #[error("the judge {} gave {before}, but gives {now} in this file: its columns must hold the same", quoted(.judge))]
    OtherKind { judge: String, before: &'static str, now: &'static str },
    /// Another batch has other judges.
    #[error("{path} has other judges than the evaluation: its columns must be {}", listed(.judges))]
    OtherJudges { path: String, judges: Vec<String> },
}
