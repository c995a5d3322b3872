//! The figures: which experiments each needs, what is drawn of them, and what the paper claims. One file a figure.

mod active_testing;
mod all_synthetic;
mod illustrative;
mod risk_estimation;
mod synthetic;

use labelwise::Seed;

use crate::claims::Claim;
use crate::error::{Error, Result};
use crate::experiment::{Curve, Experiment, Illustration, Regressing, Settings};
use crate::make::Order;
use crate::scale::{Runs, Scale, check_runs};
use crate::summary::ExperimentSummary;

/// A figure of the paper.
pub struct Figure {
    /// Its name on the command line: the paper's number, or a word.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The experiments it needs.
    jobs: fn(Settings, Acquisitions) -> Vec<Job>,
    /// The experiment of which one run is looked at step by step.
    illustrated: Option<fn(Settings) -> Regressing>,
    /// What is drawn of them.
    pub(crate) pictures: &'static [Picture],
    /// What the paper says of them.
    claims: fn(&[ExperimentSummary]) -> Vec<Option<Claim>>,
}

/// An experiment and how often it is repeated.
pub struct Job {
    /// What is repeated.
    pub experiment: Box<dyn Experiment>,
    /// How often.
    runs: Runs,
}

/// How far two moons go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Acquisitions {
    /// The first 50 labels, as far as the paper's axis goes.
    #[default]
    First50,
    /// The whole pool.
    All,
}

/// A picture: panels in rows.
pub(crate) struct Picture {
    /// The file's name, without extension.
    pub(crate) file: &'static str,
    /// What a reader is told of it, in a sentence or two.
    pub(crate) caption: &'static str,
    /// What is counted along its horizontal axes.
    pub(crate) counted: &'static str,
    /// Panels a row.
    pub(crate) columns: usize,
    /// The panels, row after row.
    pub(crate) panels: &'static [Panel],
}

/// A part of a picture.
pub(crate) struct Panel {
    /// The place of its experiment among the figure's.
    pub(crate) experiment: usize,
    /// What is above it.
    pub(crate) title: &'static str,
    /// What of the experiment it shows.
    pub(crate) shows: Shows,
}

/// What of an experiment is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shows {
    /// The mean error with a band of a standard deviation.
    Error(&'static [Curve]),
    /// Means as solid and standard deviations as dashed lines, as the appendix has them.
    MeanAndDeviation(&'static [Curve]),
    /// The median of the squared error, on a logarithmic axis.
    SquaredError(&'static [Curve]),
    /// The data of one run.
    Data,
    /// One step of a run: the data, and who is observed.
    StepData,
    /// The same step: true and expected losses, and the next draw.
    StepLoss,
}

/// Every figure, in the order of the paper.
pub const FIGURES: [&Figure; 5] = [
    &active_testing::FIGURE,
    &illustrative::FIGURE,
    &synthetic::FIGURE,
    &all_synthetic::FIGURE,
    &risk_estimation::FIGURE,
];

/// The figure of this name.
pub fn figure(name: &str) -> Result<&'static Figure> {
    FIGURES.into_iter().find(|figure| figure.name == name).ok_or_else(|| Error::UnknownFigure {
        name: name.to_owned(),
        known: FIGURES.map(|figure| figure.name).join(", "),
    })
}

impl Figure {
    /// The figure's experiments, with their number of runs.
    pub fn jobs(
        &self,
        settings: Settings,
        scale: Scale,
        runs: Option<usize>,
        acquisitions: Acquisitions,
    ) -> Result<Vec<(Box<dyn Experiment>, usize)>> {
        let jobs = (self.jobs)(settings, acquisitions).into_iter();
        jobs.map(|job| Ok((job.experiment, check_runs(runs.unwrap_or(scale.runs(job.runs)))?))).collect()
    }

    /// One run, step by step to the end of the pool.
    pub(crate) fn illustration(&self, order: Order) -> Result<Option<Illustration>> {
        let Some(illustrated) = self.illustrated else { return Ok(None) };
        let experiment = illustrated(order.settings);
        Ok(Some(experiment.illustrate(example_seed(order.seed), experiment.pool_size())?))
    }

    /// What the paper says, beside what was measured.
    pub fn claims(&self, experiments: &[ExperimentSummary]) -> Vec<Claim> {
        (self.claims)(experiments).into_iter().flatten().collect()
    }
}

/// What most pictures count.
const ACQUIRED: &str = "acquired points M";

/// The run that example data are of.
pub(crate) fn example_seed(seed: u64) -> Seed {
    Seed(seed).repetition(0)
}
