//! The contents of a ledger: draws, their outcomes, and facts about their pool.

use super::evidence::KnownItems;
use crate::estimator::RatioBounds;
use crate::loss::{Bounds, Sign};
use crate::task::Task;

/// A drawn item, with the numbers that estimates need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    /// i_m, the item.
    pub index: usize,
    /// q(i_m), the probability it was drawn with.
    pub q: f64,
    /// The mass of weights it was drawn from; their mean was 1 when the proposal was made.
    pub mass: f64,
    /// The loss the surrogate expected of it.
    pub control: f64,
    /// The loss the surrogate expected of all the items that could have been drawn.
    pub control_total: f64,
    /// Bounds of loss / q over the items that could have been drawn.
    pub ratio_bounds: Option<RatioBounds>,
    /// Bounds of its loss over all labels.
    pub bounds: Option<Bounds>,
    /// The refresh of the proposal it was drawn from, counted from 0.
    pub refresh: u64,
}

/// The outcome of a draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome<T: Task> {
    /// It has no label yet.
    Open,
    /// It has a label.
    Labelled {
        /// y_{i_m}.
        label: T::Label,
        /// ℒ(f(x_{i_m}), y_{i_m}).
        loss: f64,
    },
    /// Its label will never come, and why may have to do with what it would have been.
    Skipped,
    /// Its label will never come, for reasons that have nothing to do with it.
    MissingAtRandom,
}

/// The value that replaces the loss of a skipped item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imputed {
    /// The loss that the surrogate expected when the item was drawn.
    Expected,
    /// Its lower bound.
    Lowest,
    /// Its upper bound.
    Highest,
}

/// An estimate of the pool risk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// R̂.
    pub value: f64,
    /// Its standard error about the pool risk; `None` while there are too few labels to tell.
    pub standard_error: Option<f64>,
    /// Number of labels behind it.
    pub labels: usize,
    /// The values with every skipped loss at its lower bound, and at its upper bound.
    pub skipped: Option<Bounds>,
}

/// Facts about a pool and a loss that do not depend on the draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoolFacts {
    /// N, known items included.
    pub pool_size: usize,
    /// Items whose loss is known without a label.
    pub known: KnownItems,
    /// The sums of the bounds over the items that are not known; `None` for a loss without bounds.
    pub bounds: Option<Bounds>,
    /// Bounds of the loss of any item of the population, where the loss has them.
    pub range: Option<Bounds>,
    /// Whether losses may be negative.
    pub sign: Sign,
}
