//! Kinds of panels, one file for each: drawing and caption. A strategy has the same colour and dashes wherever it is shown.

mod ablation;
mod data;
mod errors;
mod losses;
mod spread;
mod step;
mod together;

use labelwise_plot::{Figure as Chart, Panel as Plot, png};

use crate::error::{Error, Result};
use crate::figure::{Figure, Picture, example_seed};
use crate::losses::Losses;
use crate::make::Order;
use crate::problem::{Example, Experiment, Illustration};
use crate::strategy::Strategy;
use crate::summary::{CurveSummary, ExperimentSummary, FigureSummary, FlatManifest};

pub(crate) use ablation::Ablation;
pub(crate) use data::Data;
pub(crate) use errors::{Deviations, Errors, Squares};
pub(crate) use losses::Sorted;
pub(crate) use spread::{Costs, ErrorQuantiles, MeanLogs, Medians, Quantiles};
pub(crate) use step::{StepData, StepLoss, steps};
pub(crate) use together::AllSets;

/// A picture in both formats.
pub(crate) struct Drawn {
    /// The file's name, without extension.
    pub(crate) file: &'static str,
    pub(crate) svg: String,
    pub(crate) png: Vec<u8>,
}

/// Pixels a unit of the SVG.
const SHARPNESS: f32 = 2.0;
/// The plot area of a panel, of one in a picture of many columns, and of one by itself.
const SIZE: (f64, f64) = (270.0, 180.0);
const SMALL: (f64, f64) = (200.0, 150.0);
const WIDE: (f64, f64) = (420.0, 260.0);
/// So many columns are many.
const MANY: usize = 4;

/// All there is to show.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) experiments: &'a [&'a dyn Experiment],
    pub(crate) summary: &'a FigureSummary,
    pub(crate) illustration: Option<&'a Illustration>,
    pub(crate) losses: Option<&'a Losses>,
    pub(crate) order: Order,
}

/// Draws the pictures of a figure.
pub(crate) fn pictures(figure: &Figure, scene: &Scene<'_>) -> Result<Vec<Drawn>> {
    figure.pictures.iter().map(|picture| drawn(picture, scene)).collect()
}

fn drawn(picture: &Picture, scene: &Scene<'_>) -> Result<Drawn> {
    let (width, height) = match picture.columns {
        1 => WIDE,
        few if few < MANY => SIZE,
        _ => SMALL,
    };
    let mut chart = Chart::new(picture.file).columns(picture.columns).panel_size(width, height);
    for panel in picture.panels {
        let view = View { scene, place: panel.experiment, counted: picture.counted };
        chart = chart.panel(panel.shows.draw(&view)?.title(panel.title));
    }
    let svg = chart.note(note(scene)).svg()?;
    let png = png(&svg, SHARPNESS)?;
    Ok(Drawn { file: picture.file, svg, png })
}

/// What the picture was made from, for people who see it without its page.
fn note(scene: &Scene<'_>) -> String {
    let FlatManifest { figure, scale, settings, seed, .. } = &scene.summary.manifest;
    let mut runs: Vec<usize> = scene.summary.experiments.iter().map(|experiment| experiment.runs).collect();
    runs.sort_unstable();
    runs.dedup();
    let runs = match runs.as_slice() {
        [] => "one run".to_owned(),
        [one] => format!("{one} runs"),
        [least, .., most] => format!("{least} to {most} runs"),
    };
    format!("figure {figure}: {runs}, scale {scale}, settings {settings}, seed {seed}")
}

/// What a kind of panel shows, and how a reader is told to read it.
pub(crate) trait PanelKind: Sync {
    /// Draws it.
    fn draw(&self, view: &View<'_>) -> Result<Plot>;
    /// A sentence or two about how to read it, as HTML.
    fn caption(&self) -> &'static str;
}

/// What a panel can look at.
pub(crate) struct View<'a> {
    pub(crate) scene: &'a Scene<'a>,
    /// The place of its experiment among the figure's.
    place: usize,
    /// What is counted along its horizontal axis.
    pub(crate) counted: &'a str,
}

impl<'a> View<'a> {
    /// The results of its experiment.
    fn experiment(&self) -> Result<&'a ExperimentSummary> {
        self.scene.summary.experiments.get(self.place).ok_or_else(|| self.missing("results"))
    }

    /// The curves of strategies; a strategy that was not measured is an error, not a gap.
    fn curves(&self, strategies: &[Strategy]) -> Result<Vec<&'a CurveSummary>> {
        let experiment = self.experiment()?;
        strategies.iter().map(|strategy| self.curve_of(experiment, *strategy)).collect()
    }

    /// The curve of a strategy in an experiment.
    fn curve_of(&self, experiment: &'a ExperimentSummary, strategy: Strategy) -> Result<&'a CurveSummary> {
        experiment.curve(strategy).ok_or_else(|| self.missing(strategy.key))
    }

    /// The data of one run of its experiment.
    fn example(&self) -> Result<Example> {
        let experiment = self.scene.experiments.get(self.place).ok_or_else(|| self.missing("an example"))?;
        experiment.example(example_seed(self.scene.order.seed))
    }

    fn illustration(&self) -> Result<&'a Illustration> {
        self.scene.illustration.ok_or_else(|| self.missing("a run to look at"))
    }

    fn losses(&self) -> Result<&'a Losses> {
        self.scene.losses.ok_or_else(|| self.missing("losses"))
    }

    fn missing(&self, what: &'static str) -> Error {
        Error::NotMeasured { what }
    }
}
