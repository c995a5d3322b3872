//! What is followed over a run: how items were drawn, and how the risk was estimated from them.

use serde::Serialize;

/// A way of drawing with a way of estimating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Curve {
    /// Its column in files of traces.
    pub key: &'static str,
    /// How items were drawn.
    pub acquisition: &'static str,
    /// How the risk was estimated, in words.
    pub estimator: &'static str,
    /// The estimator's symbol, as plots have it.
    #[serde(skip)]
    pub symbol: &'static str,
}

/// One column of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// What it follows.
    pub curve: Curve,
    /// How many steps.
    pub steps: usize,
    /// What its values are.
    pub values: Values,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Estimates of the pool risk.
    Estimates,
    /// Number of queries until 1, 2, ... different items were seen.
    Queries,
}

impl Curve {
    /// Acquisition and estimator in words.
    pub fn title(self) -> String {
        format!("{}, {}", self.acquisition, self.estimator)
    }

    /// A column of its estimates.
    pub fn estimates(self, steps: usize) -> Column {
        Column { curve: self, steps, values: Values::Estimates }
    }

    /// A column of its queries.
    pub fn queries(self, steps: usize) -> Column {
        Column { curve: self, steps, values: Values::Queries }
    }
}
