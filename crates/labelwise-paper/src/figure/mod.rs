//! The figures: which experiments each needs, what is drawn of them, and what the paper claims. One file a figure.

mod ablation;
mod active_testing;
mod all_synthetic;
mod beyond;
mod illustrative;
mod large_scale;
mod loss_distribution;
mod mnist;
mod proposals;
mod redrawn;
mod risk_estimation;
mod small_data;
mod synthetic;
mod wilcoxon;

pub(crate) use wilcoxon::{OURS, PUBLISHED};

use labelwise::Seed;

use crate::claims::Claim;
use crate::error::{Error, Result};
use crate::losses::Compared;
use crate::make::Order;
use crate::panel::PanelKind;
use crate::problem::{Experiment, FewImages, Illustration, Settings, SyntheticRegression};
use crate::recipe::{Networks, Recipe};
use crate::scale::{Runs, Scale, check_runs};
use crate::summary::ExperimentSummary;

/// A figure of the paper.
pub struct Figure {
    /// Its name on the command line: the paper's number, or a word.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The experiments it needs.
    pub(crate) jobs: Jobs,
    /// The experiment of which one run is looked at step by step.
    illustrated: Option<fn(Settings) -> SyntheticRegression>,
    /// The scales it has.
    pub(crate) scales: &'static [Scale],
    /// What is drawn of them.
    pub(crate) pictures: &'static [Picture],
    /// What the paper says of them.
    claims: fn(&[ExperimentSummary]) -> Vec<Option<Claim>>,
}

/// Where a figure's numbers come from.
pub(crate) enum Jobs {
    /// Experiments of its own.
    Own(fn(Asked) -> Vec<Job>),
    /// Runs of other figures, which are shown in another way.
    Of(&'static [&'static str]),
    /// Two networks and what they expect of their losses; nothing is repeated.
    Losses(fn(Asked) -> Compared),
}

/// What a figure's experiments depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) settings: Settings,
    pub(crate) scale: Scale,
    pub(crate) acquisitions: Acquisitions,
}

impl Asked {
    /// The networks of this scale.
    pub(crate) fn networks(self) -> Networks {
        Networks { scale: self.scale, settings: self.settings }
    }
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
    /// What a reader is told of it, in a sentence or two of HTML.
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
    pub(crate) shows: &'static dyn PanelKind,
}

/// Every figure, in the order of the paper.
pub const FIGURES: [&Figure; 17] = [
    &active_testing::FIGURE,
    &illustrative::FIGURE,
    &synthetic::FIGURE,
    &small_data::RADIAL,
    &small_data::RESIDUAL,
    &loss_distribution::FIGURE,
    &large_scale::FIGURE,
    &ablation::FIGURE,
    &proposals::FIGURE,
    &all_synthetic::FIGURE,
    &mnist::FIGURE,
    &redrawn::SMALL_DATA,
    &redrawn::LARGE_SCALE,
    &redrawn::PROPOSALS,
    &wilcoxon::FIGURE,
    &risk_estimation::FIGURE,
    &beyond::FIGURE,
];

/// The figure of this name.
pub fn figure(name: &str) -> Result<&'static Figure> {
    FIGURES.into_iter().find(|figure| figure.name == name).ok_or_else(|| Error::UnknownFigure {
        name: name.to_owned(),
        known: FIGURES.map(|figure| figure.name).join(", "),
    })
}

/// The experiments of Figure 4 a and b: their networks are trained in each run, so that they are nobody's recipe.
///
/// ```
/// use labelwise_paper::{Scale, figure::small_data_experiments, problem::Settings};
/// let [radial, residual] = small_data_experiments(Settings::Text, Scale::Paper);
/// assert_eq!((radial.train, residual.members), (250, 5));
/// ```
pub fn small_data_experiments(settings: Settings, scale: Scale) -> [FewImages; 2] {
    small_data::experiments(Asked { settings, scale, acquisitions: Acquisitions::default() })
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
        self.check_scale(scale)?;
        let Jobs::Own(jobs) = self.jobs else { return Ok(Vec::new()) };
        let jobs = jobs(Asked { settings, scale, acquisitions }).into_iter();
        jobs.map(|job| Ok((job.experiment, check_runs(runs.unwrap_or(scale.runs(job.runs)))?))).collect()
    }

    /// Refuses a scale that the figure does not have.
    pub fn check_scale(&self, scale: Scale) -> Result<()> {
        if self.scales.contains(&scale) {
            return Ok(());
        }
        let known: Vec<&str> = self.scales.iter().map(|scale| scale.name()).collect();
        Err(Error::NoScale { figure: self.name, scale: scale.name(), known: known.join(", ") })
    }

    /// The networks whose archives it reads, each once; none at a scale that it does not have.
    pub fn recipes(&self, settings: Settings, scale: Scale) -> Vec<Recipe> {
        if !self.scales.contains(&scale) {
            return Vec::new();
        }
        let asked = Asked { settings, scale, acquisitions: Acquisitions::default() };
        let all: Vec<Recipe> = match self.jobs {
            Jobs::Own(jobs) => jobs(asked).iter().flat_map(|job| job.experiment.recipes()).collect(),
            Jobs::Of(sources) => {
                let figures = FIGURES.into_iter().filter(|figure| sources.contains(&figure.name));
                figures.flat_map(|figure| figure.recipes(settings, scale)).collect()
            }
            Jobs::Losses(compared) => compared(asked).recipes(),
        };
        each_once(all)
    }

    /// Whether it is a table of tests.
    pub(crate) fn is_table(&self) -> bool {
        self.name == wilcoxon::FIGURE.name
    }

    /// One run, step by step to the end of the pool.
    pub(crate) fn illustration(&self, order: Order) -> Result<Option<Illustration>> {
        let Some(illustrated) = self.illustrated else { return Ok(None) };
        let experiment = illustrated(order.settings);
        Ok(Some(experiment.illustrate(example_seed(order.seed), experiment.pool_size())?))
    }

    /// The paper's claims, with the measurements.
    pub fn claims(&self, experiments: &[ExperimentSummary]) -> Vec<Claim> {
        (self.claims)(experiments).into_iter().flatten().collect()
    }
}

/// The networks without those that were there before.
pub(crate) fn each_once(all: impl IntoIterator<Item = Recipe>) -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = Vec::new();
    for recipe in all {
        if !recipes.contains(&recipe) {
            recipes.push(recipe);
        }
    }
    recipes
}

/// The set of images of an experiment of Figure 6, as legends have it.
pub(crate) fn set_title(experiment: &str) -> &'static str {
    match experiment {
        large_scale::CIFAR_100 => "CIFAR-100",
        large_scale::CIFAR_10 => "CIFAR-10",
        large_scale::FASHION => "Fashion-MNIST",
        large_scale::ACCURACY => "CIFAR-10 accuracy",
        _ => "images",
    }
}

/// Whether an experiment of Figure 6 estimates accuracy.
pub(crate) fn is_of_accuracy(experiment: &str) -> bool {
    experiment == large_scale::ACCURACY
}

/// What most pictures count.
const ACQUIRED: &str = "acquired points M";

/// The run that example data are of.
pub(crate) fn example_seed(seed: u64) -> Seed {
    Seed(seed).repetition(0)
}
