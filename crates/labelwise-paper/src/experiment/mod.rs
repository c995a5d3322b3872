//! One run of one experiment: data drawn anew, a model trained, every strategy spent on the same pool, and an estimate
//! read off after every label.

mod classification;
mod curve;
mod example;
mod illustration;
mod percentile;
mod regression;
mod replacement;
mod risk_estimation;
mod spend;

pub use classification::Classifying;
pub use curve::{Column, Curve, Values, curves};
pub use example::{Dot, Example, FunctionExample, PlaneExample, Prediction};
pub use illustration::{Illustration, Step};
pub use regression::{Regressing, RegressionModel};
pub(crate) use replacement::PATIENCE;
pub use risk_estimation::RiskEstimation;

use labelwise::{Floor, Result, Seed};
use serde::Serialize;

/// What is repeated many times over. A run is a function of its seed alone.
pub trait Experiment: Sync {
    /// A short name, which files of the experiment carry.
    fn name(&self) -> &'static str;
    /// N.
    fn pool_size(&self) -> usize;
    /// What a run records, in order, and how many values of each.
    fn columns(&self) -> Vec<Column>;
    /// One run.
    fn run(&self, seed: Seed) -> Result<Trace>;
    /// The data of one run, to look at.
    fn example(&self, seed: Seed) -> Result<Example>;
}

/// What a run recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The pool risk, which estimates are measured against.
    pub pool_risk: f64,
    /// The values of each column, one a step, in the order of [`Experiment::columns`].
    pub values: Vec<Vec<f64>>,
}

/// Whose word counts where the paper's text and the authors' code disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Settings {
    /// The text: q is clipped at α = 0.2, two moons have noise 0.1 and 50 of 500 points for training.
    #[default]
    Text,
    /// The released code: no clip for regression, clipping at the 10th percentile of the scores for classification,
    /// two moons with noise 0.01 and 450 of 500 points for training.
    Released,
}

impl Settings {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Released => "released",
        }
    }

    /// How regression keeps q from zero.
    fn floor(self) -> Floor {
        match self {
            Self::Text => Floor::PAPER,
            Self::Released => Floor::Unguarded,
        }
    }
}
