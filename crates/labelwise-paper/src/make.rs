//! A figure from beginning to end: networks where it needs them, runs, traces, summary, pictures, page.

use std::path::{Path, PathBuf};

use labelwise::Seed;

use crate::error::{Error, Result};
use crate::figure::{Acquisitions, Asked, Figure, Jobs, OURS, PUBLISHED, each_once, figure};
use crate::losses::Losses;
use crate::page;
use crate::panel;
use crate::problem::{Experiment, Settings};
use crate::ranks;
use crate::reference;
use crate::run::{Folder, Manifest, Planned, repeat};
use crate::scale::Scale;
use crate::summary::{ExperimentSummary, FigureSummary};
use crate::workshop::{Trainer, Workshop, trainer};

/// The scale if the number of runs is that of no scale.
const CUSTOM: &str = "custom";
/// The folder of archives, next to those of runs.
const ARCHIVES: &str = "archives";

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

impl Order {
    /// The name of a figure's folder. Whatever is not the default is in it, so that two runs do not want the same one.
    ///
    /// ```
    /// use labelwise_paper::Order;
    /// assert_eq!(Order { seed: 3, ..Order::default() }.folder("6"), "6-text-laptop-seed-3");
    /// ```
    pub fn folder(self, figure: &str) -> String {
        let size = self.runs.map_or_else(|| self.scale.name().to_owned(), |runs| format!("{runs}-runs"));
        let mut name = format!("{figure}-{}-{size}", self.settings.name());
        if self.seed != 0 {
            name.push_str(&format!("-seed-{}", self.seed));
        }
        if self.acquisitions == Acquisitions::All {
            name.push_str("-to-the-end");
        }
        name
    }
}

/// Where things are that figures on images need.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The folder of image sets.
    pub data: Option<PathBuf>,
    /// The folder of archives. The default is next to the figure's folder.
    pub archives: Option<PathBuf>,
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
    /// The figures whose runs are shown.
    sources: Vec<Making>,
    folder: Folder,
    places: Places,
    trainer: Option<&'static dyn Trainer>,
}

impl Making {
    /// Checks the order and opens the folder; a folder with results of anything else is refused. Figures that show the
    /// runs of others find them in folders next to it, as [`Order::folder`] names them, and make them there if need be.
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
        let beside = folder.parent().unwrap_or(Path::new("."));
        let sources = match figure.jobs {
            Jobs::Of(names) => {
                let figures = names.iter().map(|name| self::figure(name)).collect::<Result<Vec<_>>>()?;
                let figures = figures.into_iter().filter(|figure| figure.scales.contains(&order.scale));
                let make = |figure: &'static Figure| {
                    Self::new(figure, order, &beside.join(order.folder(figure.name)))
                };
                figures.map(make).collect::<Result<_>>()?
            }
            Jobs::Own(_) | Jobs::Losses(_) => Vec::new(),
        };
        let places = Places { archives: Some(beside.join(ARCHIVES)), data: None };
        let folder = Folder::open(folder, manifest)?;
        Ok(Self { figure, order, jobs, sources, folder, places, trainer: trainer() })
    }

    /// Where images and archives are.
    pub fn with_places(mut self, places: &Places) -> Self {
        self.places.data.clone_from(&places.data);
        if places.archives.is_some() {
            self.places.archives.clone_from(&places.archives);
        }
        self.sources = self.sources.into_iter().map(|source| source.with_places(places)).collect();
        self
    }

    /// Somebody else trains.
    pub fn with_trainer(mut self, trainer: Option<&'static dyn Trainer>) -> Self {
        self.trainer = trainer;
        self.sources = self.sources.into_iter().map(|source| source.with_trainer(trainer)).collect();
        self
    }

    /// All runs of all experiments.
    pub fn runs(&self) -> usize {
        self.jobs.iter().map(|(_, runs)| runs).sum::<usize>()
            + self.sources.iter().map(Self::runs).sum::<usize>()
    }

    /// Trains and runs what is not done yet, sums up, and draws. `done` is told whenever some runs are finished, how
    /// many.
    pub fn make(self, done: &(dyn Fn(usize) + Sync)) -> Result<Made> {
        self.make_telling(done, &|_| {})
    }

    /// The same, and `tell` is told which network is being trained.
    pub fn make_telling(self, done: &(dyn Fn(usize) + Sync), tell: &(dyn Fn(&str) + Sync)) -> Result<Made> {
        let Self { figure, order, mut jobs, sources, folder, places, trainer } = self;
        let archives = places.archives.clone().unwrap_or_else(|| PathBuf::from(ARCHIVES));
        let workshop = Workshop { figure: figure.name, archives, data: places.data, trainer, tell };
        let mut summaries = Vec::with_capacity(jobs.len());
        for source in sources {
            summaries.extend(source.make_telling(done, tell)?.summary.experiments);
        }
        // All that is missing is trained side by side.
        let open = jobs.iter().filter(|(experiment, _)| !folder.is_finished(experiment.name()));
        let recipes = each_once(open.flat_map(|(experiment, _)| experiment.recipes()));
        if !recipes.is_empty() {
            folder.agree_on(&workshop.shelf(&recipes)?.notes(&recipes)?)?;
        }
        // Experiments share the seeds of their runs: what is drawn in one panel is not independent of another's.
        for (experiment, runs) in &mut jobs {
            if !folder.is_finished(experiment.name()) {
                experiment.prepare(&workshop)?;
            }
            let repeated = repeat(&**experiment, *runs, Seed(order.seed), &folder, done)?;
            summaries.push(ExperimentSummary::new(&**experiment, &repeated)?);
        }
        let losses = losses(figure, order, &workshop, &folder)?;
        let mut claims = figure.claims(&summaries);
        claims.extend(losses.iter().flat_map(Losses::claims));
        let compared = summaries.iter().flat_map(|summary| reference::compared(summary, order.settings));
        let compared = compared.collect();
        let mut summary = FigureSummary::new(folder.manifest(), summaries, claims, compared);
        summary.archives = folder.archives()?;
        summary.losses = losses.as_ref().map(Losses::boxes);
        if figure.is_table() {
            summary.ranks = ranks::table(&[&PUBLISHED[..], &OURS[..]].concat(), &summary.experiments);
        }
        let experiments: Vec<&dyn Experiment> = jobs.iter().map(|(experiment, _)| &**experiment).collect();
        let illustration = figure.illustration(order)?;
        let scene = panel::Scene {
            experiments: &experiments,
            summary: &summary,
            illustration: illustration.as_ref(),
            losses: losses.as_ref(),
            order,
        };
        let pictures = panel::pictures(figure, &scene)?;
        let mut files = Vec::new();
        for picture in &pictures {
            files.push(folder.write(&format!("{}.png", picture.file), &picture.png)?);
            files.push(folder.write(&format!("{}.svg", picture.file), picture.svg.as_bytes())?);
        }
        if !summary.ranks.is_empty() {
            files.push(folder.write("wilcoxon.txt", ranks::text(&summary.ranks).as_bytes())?);
            files.push(folder.write("wilcoxon.md", ranks::markdown(&summary.ranks).as_bytes())?);
        }
        let page = page::page(figure, &summary, &pictures, illustration.as_ref())?;
        files.push(folder.write("report.html", page.as_bytes())?);
        let path = folder.path().join("summary.json");
        let json = serde_json::to_string(&summary).map_err(|error| Error::damaged(&path, error))?;
        files.push(folder.write("summary.json", json.as_bytes())?);
        Ok(Made { summary, files })
    }
}

/// The losses of a figure that is about them.
fn losses(figure: &Figure, order: Order, workshop: &Workshop<'_>, folder: &Folder) -> Result<Option<Losses>> {
    let Jobs::Losses(compared) = figure.jobs else { return Ok(None) };
    let Order { settings, scale, acquisitions, .. } = order;
    let compared = compared(Asked { settings, scale, acquisitions });
    let recipes = compared.recipes();
    let shelf = workshop.shelf(&recipes)?;
    folder.agree_on(&shelf.notes(&recipes)?)?;
    Losses::new(&compared, &shelf).map(Some)
}
