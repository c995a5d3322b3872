//! One run of one experiment: new data are drawn, a model trained, every strategy spent on the same pool, and an estimate
//! read off after every label. Experiments on images take what large networks predict from archives.

mod archives;
mod clip;
mod example;
mod few_images;
mod illustration;
mod images;
mod moons;
mod replacement;
mod risk_estimation;
mod spend;
mod subset;
mod synthetic;

use std::ops::RangeInclusive;

pub use archives::FromArchives;
pub use example::{Dot, Example, FunctionExample, PlaneExample, Prediction};
pub use few_images::{FewImages, Material};
pub use illustration::{Illustration, Step};
pub use images::Scored;
pub use moons::TwoMoons;
pub(crate) use replacement::PATIENCE;
pub use risk_estimation::RiskEstimation;
pub use synthetic::{RegressionModel, SyntheticRegression};

use labelwise::Seed;
use labelwise::proposal::Floor;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::recipe::Recipe;
use crate::strategy::Column;
use crate::workshop::Workshop;

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

    /// The n-th run, from 0, for an experiment whose runs take turns with trained models.
    fn nth(&self, _n: u64, seed: Seed) -> Result<Trace> {
        self.run(seed)
    }

    /// The data of one run, to look at.
    fn example(&self, _seed: Seed) -> Result<Example> {
        Err(Error::NoExample { experiment: self.name() })
    }

    /// The steps, from 1, by which curves are compared pair by pair. The default is the last.
    fn judged(&self) -> RangeInclusive<usize> {
        let last = self.columns().iter().map(|column| column.steps).min().unwrap_or(1);
        last..=last
    }

    /// Whether a run trains networks, which takes its time: such runs are kept one by one.
    fn trains(&self) -> bool {
        false
    }

    /// The networks that have to be trained before.
    fn recipes(&self) -> Vec<Recipe> {
        Vec::new()
    }

    /// Called once before the first run: reads and trains what runs need.
    fn prepare(&mut self, _workshop: &Workshop<'_>) -> Result<()> {
        Ok(())
    }
}

/// What a run recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The pool risk, which estimates are measured against.
    pub pool_risk: f64,
    /// The values of each column, one per step, in the order of [`Experiment::columns`].
    pub values: Vec<Vec<f64>>,
    /// Whatever else is worth keeping of a run, by its name: of its pool, and of networks that it trained.
    pub recorded: Vec<(String, f64)>,
}

impl Trace {
    /// A run of which nothing else is kept.
    pub fn new(pool_risk: f64, values: Vec<Vec<f64>>) -> Self {
        Self { pool_risk, values, recorded: Vec::new() }
    }
}

/// The name under which traces have the variance of the pool's losses, by which the law of uniform sampling is known.
pub(crate) const LOSS_VARIANCE: &str = "loss_variance";

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
    /// Both.
    pub const ALL: [Self; 2] = [Self::Text, Self::Released];

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
