//! A figure from beginning to end: runs, traces, summary, pictures, page.

use std::path::{Path, PathBuf};

use labelwise::Seed;

use crate::draw;
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Settings};
use crate::figures::{Acquisitions, Figure};
use crate::page;
use crate::reference;
use crate::runner::{Folder, Manifest, Planned, repeat};
use crate::scale::Scale;
use crate::summary::{ExperimentSummary, FigureSummary};

/// The scale of a number of runs that is no scale's.
const CUSTOM: &str = "custom";

/// How a figure is to be made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Order {
    /// How many runs, unless `runs` says otherwise.
    pub scale: Scale,
    /// So many runs of each experiment.
    pub runs: Option<usize>,
    /// The seed that every run's is derived from.
    pub seed: u64,
    /// Whose settings.
    pub settings: Settings,
    /// How far two moons go.
    pub acquisitions: Acquisitions,
}

/// A figure that was made.
pub struct Made {
    /// Its runs in numbers.
    pub summary: FigureSummary,
    /// The files that were written, in the order to look at them.
    pub files: Vec<PathBuf>,
}

/// A figure that is about to be made.
pub struct Making {
    figure: &'static Figure,
    order: Order,
    jobs: Vec<(Box<dyn Experiment>, usize)>,
    folder: Folder,
}

impl Making {
    /// Checks the order and opens the folder; a folder with results of anything else is refused.
    pub fn new(figure: &'static Figure, order: Order, folder: &Path) -> Result<Self> {
        let Order { scale, runs, seed, settings, acquisitions } = order;
        let jobs = figure.jobs(settings, scale, runs, acquisitions)?;
        let planned = |(experiment, runs): &(Box<dyn Experiment>, usize)| Planned {
            name: experiment.name().to_owned(),
            runs: *runs,
            steps: experiment.columns().iter().map(|column| column.steps).max().unwrap_or(0),
        };
        let planned = jobs.iter().map(planned).collect();
        let scale = if runs.is_some() { CUSTOM } else { scale.name() };
        let manifest = Manifest::new(figure.name, settings.name(), scale, seed, planned);
        Ok(Self { figure, order, jobs, folder: Folder::open(folder, manifest)? })
    }

    /// All runs of all experiments.
    pub fn runs(&self) -> usize {
        self.jobs.iter().map(|(_, runs)| runs).sum()
    }

    /// Runs what is not done yet, sums up, and draws. `done` is told whenever some runs are finished, how many.
    pub fn make(self, done: &(dyn Fn(usize) + Sync)) -> Result<Made> {
        let Self { figure, order, jobs, folder } = self;
        let mut summaries = Vec::with_capacity(jobs.len());
        // Experiments share the seeds of their runs: what is drawn in one panel is not independent of another's.
        for (experiment, runs) in &jobs {
            let repeated = repeat(&**experiment, *runs, Seed(order.seed), &folder, done)?;
            summaries.push(ExperimentSummary::new(&**experiment, &repeated)?);
        }
        let claims = figure.claims(&summaries);
        let compared = summaries.iter().flat_map(|summary| reference::compared(summary, order.settings));
        let compared = compared.collect();
        let summary = FigureSummary::new(folder.manifest(), summaries, claims, compared);
        let experiments: Vec<&dyn Experiment> = jobs.iter().map(|(experiment, _)| &**experiment).collect();
        let illustration = figure.illustration(order)?;
        let pictures = draw::pictures(figure, &experiments, &summary, illustration.as_ref(), order)?;
        let mut files = Vec::new();
        for picture in &pictures {
            files.push(folder.write(&format!("{}.png", picture.file), &picture.png)?);
            files.push(folder.write(&format!("{}.svg", picture.file), picture.svg.as_bytes())?);
        }
        let page = page::page(figure, &summary, &pictures, illustration.as_ref())?;
        files.push(folder.write("report.html", page.as_bytes())?);
        let path = folder.path().join("summary.json");
        let json = serde_json::to_string(&summary).map_err(|error| Error::damaged(&path, error))?;
        files.push(folder.write("summary.json", json.as_bytes())?);
        Ok(Made { summary, files })
    }
}
