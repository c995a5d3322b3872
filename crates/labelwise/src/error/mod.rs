//! Errors. Each sentence names the thing, the value and the way out.

mod codes;
mod compare;
mod sentences;
mod table;

use crate::proposal::BadScore;
use crate::words::thousands;
pub use compare::CompareError;
use sentences::{first_open, not_a_probability, open_draws};
pub use table::Table;

/// A result of the core.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the core refuses a call. After any of these, draws, labels and estimates are what they were before the call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// The pool has no items.
    #[error("the pool is empty: give at least one prediction")]
    EmptyPool,
    /// The number of values is not a multiple of the number of columns.
    #[error("{values} values are not whole rows of {columns}: check the shape")]
    Shape { values: usize, columns: usize },
    /// A table does not have one row per item.
    #[error(
        "{what}: {} rows, but the pool has {} items; give one row per item, in the pool's order",
        thousands(*.rows), thousands(*.expected)
    )]
    Rows { what: Table, rows: usize, expected: usize },
    /// A table has the wrong number of columns.
    #[error("{what}: {columns} columns, but the table needs {expected}")]
    Columns {
        what: Table,
        columns: usize,
        /// In words, what it should have.
        expected: String,
    },
    /// The ensemble has no members.
    #[error("the ensemble has no members: give at least one")]
    NoMembers,
    /// The numbers of training rows and training labels differ.
    #[error(
        "there are {features} rows of training features and {labels} training labels: give one label per row"
    )]
    TrainingRows { features: usize, labels: usize },
    /// The cost matrix is not one row and one column per class.
    #[error("the cost matrix has {rows} rows and {columns} columns: give one row and one column per class")]
    CostShape { rows: usize, columns: usize },
    /// A probability is not between 0 and 1.
    #[error(
        "{what} of item {item}: the probability of class {class} is {value}, but must be between 0 and 1: {}",
        not_a_probability(*.value)
    )]
    Probability { what: Table, item: usize, class: usize, value: f64 },
    /// The class probabilities of an item do not sum to 1.
    #[error("{what} of item {item}: the class probabilities sum to {sum}, but must sum to 1; normalise them")]
    ProbabilitySum { what: Table, item: usize, sum: f64 },
    /// A mean or a feature is not a finite number.
    #[error(
        "{what} of item {item}: column {column} is {value}, but must be a finite number; drop the item or \
         correct the value"
    )]
    NotFinite { what: Table, item: usize, column: usize, value: f64 },
    /// A variance is negative.
    #[error("{what} of item {item}: the variance is {value}, but cannot be negative")]
    NegativeVariance { what: Table, item: usize, value: f64 },
    /// The Gaussian negative log-likelihood divides by the predicted variance, which is 0.
    #[error(
        "item {item}: the predicted variance is {value}, but the Gaussian negative log-likelihood needs a \
         variance above 0: give the model's variances, or use the squared error"
    )]
    NeedsVariance { item: usize, value: f64 },
    /// An option is outside of its range.
    #[error("{name} is {value}, but must be {range}")]
    Option {
        name: &'static str,
        value: f64,
        /// In words, what it may be.
        range: &'static str,
    },
    /// The label is not one of the classes.
    #[error("label {label} of item {item} is not one of the {classes} classes: give a number from 0 to {}", classes.saturating_sub(1))]
    LabelOutOfRange { item: usize, label: usize, classes: usize },
    /// The label is not a finite number.
    #[error("the label of item {item} is {label}: give a finite number")]
    LabelNotFinite { item: usize, label: f64 },
    /// The loss is not a finite number.
    #[error("the loss of item {item} with label {label} is {loss}, but must be finite")]
    LossNotFinite { item: usize, label: String, loss: f64 },
    /// The loss is outside of the bounds that the loss function gave. Guaranteed intervals would be wrong.
    #[error(
        "the loss of item {item} with label {label} is {loss}, outside of its bounds {low} to {high}: widen \
         the bounds or the label range"
    )]
    LossOutOfBounds { item: usize, label: String, loss: f64, low: f64, high: f64 },
    /// The expected loss under the surrogate is not a finite number.
    #[error(
        "item {item}: the surrogate's belief gives the loss the mean {first} and the mean square {second}: \
         check the prediction and the belief"
    )]
    Moments {
        item: usize,
        /// E(loss).
        first: f64,
        /// E(loss²).
        second: f64,
    },
    /// A score is not a finite number of 0 or more, or the scores sum to infinity.
    #[error("the score of item {item} is {value}: {why}")]
    Score { item: usize, value: f64, why: BadScore },
    /// The acquisition needs something that the evaluation does not have.
    #[error("{acquisition} needs {needs}")]
    Acquisition { acquisition: &'static str, needs: &'static str },
    /// The call asks for more items than are left.
    #[error(
        "{} {} asked for, but only {} of {} {} left to draw: ask for at most {}",
        thousands(*.wanted), if *.wanted == 1 { "item was" } else { "items were" }, thousands(*.left),
        thousands(*.pool_size), if *.left == 1 { "is" } else { "are" }, thousands(*.left)
    )]
    PoolExhausted { wanted: usize, left: usize, pool_size: usize },
    /// The budget is larger than the number of items.
    #[error(
        "the budget is {} labels, but only {} of the {} items can be labelled",
        thousands(*.budget), thousands(*.left), thousands(*.pool_size)
    )]
    Budget { budget: usize, left: usize, pool_size: usize },
    /// The item number is beyond the pool.
    #[error("item {item} is not in the pool: its items are 0 to {}", pool_size.saturating_sub(1))]
    UnknownItem { item: usize, pool_size: usize },
    /// The label is for an item that was not drawn. Counting it would bias the estimate.
    #[error("item {item} was not asked for: {}", open_draws(*.open, *.next))]
    NotAsked { item: usize, open: usize, next: Option<usize> },
    /// The item already has another label.
    #[error("item {item} already has label {label}, not {told}: use amend to correct a label")]
    LabelDiffers { item: usize, label: String, told: String },
    /// Only a labelled item can be amended.
    #[error("item {item} has no label to amend: tell it first")]
    NothingToAmend { item: usize },
    /// Only an item that waits for its label can be skipped.
    #[error("item {item} already has label {label}, so it cannot be skipped")]
    AlreadyLabelled { item: usize, label: String },
    /// A known loss is not a finite number.
    #[error("the known loss of item {item} is {loss}: give a finite number, or let the item be drawn")]
    KnownNotFinite { item: usize, loss: f64 },
    /// The known loss of an item is given twice.
    #[error("the known loss of item {item} is given twice")]
    KnownTwice { item: usize },
    /// All losses are known, so there is nothing to draw.
    #[error(
        "the loss of every item is known: no labels are needed, and the pool risk is the mean of these \
         losses"
    )]
    AllKnown,
    /// No labelled draw counts yet.
    #[error("no labelled draw to estimate from{}", first_open(*.next))]
    NoSamples { next: Option<usize> },
    /// There are more samples than items.
    #[error(
        "{} samples cannot be drawn from a pool of {} items without replacement",
        thousands(*.samples), thousands(*.pool_size)
    )]
    TooManySamples { samples: usize, pool_size: usize },
    /// A sample has a number that no draw can have.
    #[error("sample {m} (item {item}) has {name} = {value}: {range}")]
    Sample {
        /// Its place in draw order, from 1.
        m: usize,
        item: usize,
        name: &'static str,
        value: f64,
        /// In words, what it may be.
        range: &'static str,
    },
    /// An item was skipped, and the loss has no bounds to use in its place.
    #[error(
        "item {item} was skipped, and its loss has no bounds: give its label, give the loss a label range, \
         or declare the item missing at random"
    )]
    UnboundedSkip { item: usize },
    /// A guaranteed interval needs bounds of the loss and a floor under q.
    #[error(
        "a guaranteed interval needs bounds of the loss and a floor under q: give a label range, keep the \
         floor, or use the ordinary interval"
    )]
    Unbounded,
    /// A guaranteed interval needs the weights of the missing items, which a later proposal does not know.
    #[error(
        "items that are missing at random were drawn after the proposal was computed again, so no interval \
         is guaranteed: use the ordinary interval, or skip these items instead"
    )]
    MissingSinceRefresh,
    /// Draws with replacement have only the ordinary interval.
    #[error("draws with replacement have only the ordinary interval: use that one")]
    NeedsWithoutReplacement,
    /// A loss that is declared as not negative can be negative.
    #[error(
        "item {item}: the loss is declared as never negative, but its lower bound is {low}: declare it as \
         signed"
    )]
    NegativeLoss { item: usize, low: f64 },
    /// A known loss is outside of the bounds of the loss function.
    #[error("the known loss of item {item} is {loss}, but must be between {low} and {high}")]
    KnownOutOfBounds { item: usize, loss: f64, low: f64, high: f64 },
    /// There are too few labels for the request.
    #[error("{what} needs at least {needed} labels, but there are {labels}")]
    TooFewLabels { what: &'static str, needed: usize, labels: usize },
    /// The journal was written by another evaluation.
    #[error(
        "event {event} of the journal drew item {recorded} with q = {recorded_q}, but this evaluation draws \
         item {drawn} with q = {drawn_q}: use the pool, surrogate, settings and seed of the journal"
    )]
    Diverged {
        /// Which event, from 0.
        event: usize,
        recorded: usize,
        recorded_q: f64,
        drawn: usize,
        drawn_q: f64,
    },
    /// The models cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// The design cannot be made, or does not support the request.
    #[error(transparent)]
    Design(#[from] crate::design::DesignError),
    /// A learner or model of the surrogate failed.
    #[error("the surrogate failed: {0}")]
    Surrogate(String),
    /// The training of the surrogate was interrupted.
    #[error("the training of the surrogate was interrupted: ask again")]
    Interrupted,
    /// The oracle gave no label.
    #[error("no label for item {item}: {why}")]
    Oracle { item: usize, why: String },
    /// A metric that is not an average cannot be estimated from these draws.
    #[error(transparent)]
    Metric(#[from] crate::metric::MetricError),
}
