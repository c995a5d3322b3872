//! Errors. Each sentence names the thing, the value and the way out.

mod codes;
mod compare;
mod sentences;
mod table;

use crate::proposal::BadScore;
pub use compare::CompareError;
use sentences::{first_open, open_draws};
pub use table::Table;

/// What the core returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything the core refuses. After any of these, draws, labels and estimates are what they were before the call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A pool needs items.
    #[error("the pool is empty: give at least one prediction")]
    EmptyPool,
    /// The flat values do not make whole rows.
    #[error("{values} values do not make whole rows of {columns}: check the shape")]
    Shape {
        /// How many values there are.
        values: usize,
        /// How many belong in a row.
        columns: usize,
    },
    /// One row an item is needed.
    #[error("{what}: {expected} rows are needed, one an item in the pool's order, not {rows}")]
    Rows {
        /// Which table.
        what: Table,
        /// The rows it has.
        rows: usize,
        /// The rows it should have.
        expected: usize,
    },
    /// A table of the wrong width.
    #[error("{what}: {expected} columns are needed, not {columns}")]
    Columns {
        /// Which table.
        what: Table,
        /// The columns it has.
        columns: usize,
        /// In words, what it should have.
        expected: String,
    },
    /// An ensemble of nobody.
    #[error("the ensemble has no members: give at least one")]
    NoMembers,
    /// Training rows without labels, or the other way round.
    #[error("there are {features} rows of training features and {labels} labels: give one label a row")]
    TrainingRows {
        /// The rows.
        features: usize,
        /// The labels.
        labels: usize,
    },
    /// Costs must be given for each decision and each label.
    #[error("the cost matrix has {rows} rows and {columns} columns: give one row and one column a class")]
    CostShape {
        /// The rows.
        rows: usize,
        /// The columns.
        columns: usize,
    },
    /// A probability outside of [0, 1], or not a number.
    #[error(
        "{what} of item {item}: the probability of class {class} is {value}, not between 0 and 1 \
         (logits need a softmax first)"
    )]
    Probability {
        /// Predictions or beliefs.
        what: Table,
        /// The item.
        item: usize,
        /// The class.
        class: usize,
        /// What was found.
        value: f64,
    },
    /// Class probabilities must sum to one.
    #[error("{what} of item {item}: the class probabilities sum to {sum}, not to 1: normalise them")]
    ProbabilitySum {
        /// Predictions or beliefs.
        what: Table,
        /// The item.
        item: usize,
        /// Their sum.
        sum: f64,
    },
    /// A mean or feature that is not a number.
    #[error("{what} of item {item}: column {column} is {value}: drop the item or mend the value")]
    NotFinite {
        /// Which table.
        what: Table,
        /// The item.
        item: usize,
        /// The column.
        column: usize,
        /// What was found.
        value: f64,
    },
    /// A variance below zero.
    #[error("{what} of item {item}: the variance is {value}, but cannot be negative")]
    NegativeVariance {
        /// Predictions or beliefs.
        what: Table,
        /// The item.
        item: usize,
        /// What was found.
        value: f64,
    },
    /// The negative log-likelihood divides by the predicted variance.
    #[error(
        "item {item}: the predicted variance is {value}, but the Gaussian negative log-likelihood needs one \
         above 0: give the model's variances, or use the squared error"
    )]
    NeedsVariance {
        /// The item.
        item: usize,
        /// Its predicted variance.
        value: f64,
    },
    /// An option outside of its range.
    #[error("{name} is {value}, but must be {range}")]
    Option {
        /// The option.
        name: &'static str,
        /// What was given.
        value: f64,
        /// In words, what it may be.
        range: &'static str,
    },
    /// A class that does not exist.
    #[error("label {label} of item {item} is not one of the {classes} classes: give a number from 0 to {}", classes.saturating_sub(1))]
    LabelOutOfRange {
        /// The item.
        item: usize,
        /// What was told.
        label: usize,
        /// The number of classes.
        classes: usize,
    },
    /// A label that is not a number.
    #[error("the label of item {item} is {label}: tell a finite number")]
    LabelNotFinite {
        /// The item.
        item: usize,
        /// What was told.
        label: f64,
    },
    /// A loss that is not a number.
    #[error("the loss of item {item} with label {label} is {loss}: losses must be finite")]
    LossNotFinite {
        /// The item.
        item: usize,
        /// Its label.
        label: String,
        /// The loss.
        loss: f64,
    },
    /// A loss outside of the bounds the loss function gave; guaranteed intervals would be wrong.
    #[error(
        "the loss of item {item} with label {label} is {loss}, outside of its bounds {low} to {high}: \
         widen the bounds (or the label range)"
    )]
    LossOutOfBounds {
        /// The item.
        item: usize,
        /// Its label.
        label: String,
        /// The loss.
        loss: f64,
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// An expectation that is not a number.
    #[error(
        "item {item}: under the surrogate's belief the loss has mean {first} and mean square {second}: \
         check the prediction and the belief"
    )]
    Moments {
        /// The item.
        item: usize,
        /// E(loss).
        first: f64,
        /// E(loss²).
        second: f64,
    },
    /// A score nothing can be drawn with.
    #[error("the score of item {item} is {value}: {why}")]
    Score {
        /// The item.
        item: usize,
        /// The score.
        value: f64,
        /// What is wrong, and the way out.
        why: BadScore,
    },
    /// The acquisition needs something that the evaluation does not have.
    #[error("{acquisition} needs {needs}")]
    Acquisition {
        /// Which acquisition.
        acquisition: &'static str,
        /// What is missing, and the way out.
        needs: &'static str,
    },
    /// More asked than there is.
    #[error(
        "asked for {wanted} items, but {left} of the {pool_size} are left to draw: ask for at most that many"
    )]
    PoolExhausted {
        /// How many were wanted.
        wanted: usize,
        /// How many are left.
        left: usize,
        /// The size of the pool.
        pool_size: usize,
    },
    /// A budget above the pool.
    #[error("the budget is {budget} labels, but only {left} of the {pool_size} items can be labelled")]
    Budget {
        /// The labels wanted.
        budget: usize,
        /// How many are left.
        left: usize,
        /// The size of the pool.
        pool_size: usize,
    },
    /// An index beyond the pool.
    #[error("item {item} is not in the pool: its items are 0 to {}", pool_size.saturating_sub(1))]
    UnknownItem {
        /// The item.
        item: usize,
        /// The size of the pool.
        pool_size: usize,
    },
    /// A label for an item nobody asked about: counting it would bias the estimate.
    #[error("item {item} was not asked: {}", open_draws(*.open, *.next))]
    NotAsked {
        /// The item.
        item: usize,
        /// How many draws wait for a label.
        open: usize,
        /// The first of them.
        next: Option<usize>,
    },
    /// A second, different label.
    #[error("item {item} has label {label} already, and now {told} was told: use amend to correct a label")]
    LabelDiffers {
        /// The item.
        item: usize,
        /// The label on record.
        label: String,
        /// The label told now.
        told: String,
    },
    /// Only a labelled item can be amended.
    #[error("item {item} has no label to amend: tell it first")]
    NothingToAmend {
        /// The item.
        item: usize,
    },
    /// Only an item that waits for its label can be given up.
    #[error("item {item} has label {label} already, so it cannot be skipped")]
    AlreadyLabelled {
        /// The item.
        item: usize,
        /// Its label.
        label: String,
    },
    /// A known loss that is not a number.
    #[error("the known loss of item {item} is {loss}: give a finite number, or leave the item to be drawn")]
    KnownNotFinite {
        /// The item.
        item: usize,
        /// What was given.
        loss: f64,
    },
    /// The known loss of an item was given twice.
    #[error("the known loss of item {item} is given twice")]
    KnownTwice {
        /// The item.
        item: usize,
    },
    /// Nothing to draw.
    #[error("the loss of every item is known: there is nothing to label, and the pool risk is their mean")]
    AllKnown,
    /// Nothing to estimate from.
    #[error("there is no labelled draw to estimate from{}", first_open(*.next))]
    NoSamples {
        /// The draw everything waits for.
        next: Option<usize>,
    },
    /// More samples than items.
    #[error("{samples} samples cannot come from a pool of {pool_size} without replacement")]
    TooManySamples {
        /// The samples.
        samples: usize,
        /// The size of the pool.
        pool_size: usize,
    },
    /// A sample that no draw can have made.
    #[error("sample {m} (item {item}) has {name} = {value}: {range}")]
    Sample {
        /// Its place in draw order, from 1.
        m: usize,
        /// The item.
        item: usize,
        /// Which of its numbers.
        name: &'static str,
        /// The number.
        value: f64,
        /// In words, what it may be.
        range: &'static str,
    },
    /// Skipped items can be bounded only if the loss is.
    #[error(
        "item {item} was skipped and the loss has no bound there: tell its label, give the loss a label range, \
         or declare the item missing at random"
    )]
    UnboundedSkip {
        /// The item.
        item: usize,
    },
    /// A guaranteed interval needs bounded losses.
    #[error(
        "a guaranteed interval needs bounds of the loss and a floor under q: give a label range, keep the floor, \
         or ask for the ordinary interval"
    )]
    Unbounded,
    /// A guaranteed interval needs to know what the weights of missing items were.
    #[error(
        "items missing at random were drawn after a refresh of the proposal, and then no interval is guaranteed: ask for \
         the ordinary interval, or skip them instead"
    )]
    MissingSinceRefresh,
    /// Only the ordinary interval is made for draws with replacement.
    #[error("draws with replacement have the ordinary interval only: ask for that one")]
    NeedsWithoutReplacement,
    /// A loss that was said never to be negative, but can be.
    #[error(
        "item {item}: the loss is said never to be negative, but goes down to {low}: make it a signed one"
    )]
    NegativeLoss {
        /// The item.
        item: usize,
        /// Its lower bound.
        low: f64,
    },
    /// A known loss that the loss function cannot give.
    #[error("the known loss of item {item} is {loss}, outside of what it can be, {low} to {high}")]
    KnownOutOfBounds {
        /// The item.
        item: usize,
        /// What was given.
        loss: f64,
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// Too few labels for what was asked.
    #[error("{what} needs at least {needed} labels, and there are {labels}")]
    TooFewLabels {
        /// What was asked.
        what: &'static str,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        labels: usize,
    },
    /// A journal that another evaluation wrote.
    #[error(
        "event {event} of the journal drew item {recorded} with q = {recorded_q}, but this evaluation draws item \
         {drawn} with q = {drawn_q}: pool, surrogate, settings or seed are not those of the journal"
    )]
    Diverged {
        /// Which event, from 0.
        event: usize,
        /// The item on record.
        recorded: usize,
        /// Its q on record.
        recorded_q: f64,
        /// The item drawn now.
        drawn: usize,
        /// Its q now.
        drawn_q: f64,
    },
    /// Models that cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A design that cannot be, or something that it does not have.
    #[error(transparent)]
    Design(#[from] crate::design::DesignError),
    /// A learner or model failed; what it said.
    #[error("the surrogate failed: {0}")]
    Surrogate(String),
    /// Somebody stopped a learner; nothing takes its place.
    #[error("the surrogate was stopped while it learnt: ask again")]
    Interrupted,
    /// The oracle had no label.
    #[error("no label for item {item}: {why}")]
    Oracle {
        /// The item.
        item: usize,
        /// What it said.
        why: String,
    },
    /// A metric that is no mean cannot be made of these draws.
    #[error(transparent)]
    Metric(#[from] crate::metric::MetricError),
}
