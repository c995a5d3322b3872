//! Figures as pictures, in one style: a curve has the same colour and dashes wherever it is shown.

mod ablation;
mod data;
mod errors;
mod losses;
mod spread;
mod step;
mod together;

use labelwise_plot::{Figure as Chart, Panel as Plot, png};

use crate::error::Result;
use crate::figure::{Figure, Panel, Picture, Shows, example_seed};
use crate::losses::Losses;
use crate::make::Order;
use crate::problem::{Experiment, Illustration};
use crate::summary::FigureSummary;

pub(crate) use step::steps;

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
        chart = chart.panel(plot(panel, picture.counted, scene)?.title(panel.title));
    }
    let svg = chart.svg()?;
    let png = png(&svg, SHARPNESS)?;
    Ok(Drawn { file: picture.file, svg, png })
}

fn plot(panel: &Panel, counted: &str, scene: &Scene<'_>) -> Result<Plot> {
    let measured = scene.summary.experiments.get(panel.experiment);
    let experiment = scene.experiments.get(panel.experiment);
    let plot = match (panel.shows, measured) {
        (Shows::Error(curves), Some(measured)) => errors::bands(measured, curves, counted),
        (Shows::MeanAndDeviation(curves), Some(measured)) => errors::deviations(measured, curves, counted),
        (Shows::SquaredError(curves), Some(measured)) => errors::squares(measured, curves, counted),
        (Shows::SmoothedMedian(curves), Some(measured)) => spread::medians(measured, curves, counted),
        (Shows::Quantiles(curves), Some(measured)) => spread::quantiles(measured, curves, counted),
        (Shows::MeanLog(curves), Some(measured)) => spread::mean_logs(measured, curves, counted),
        (Shows::Cost(curves), Some(measured)) => spread::costs(measured, curves),
        (Shows::Together(what), _) => together::together(&scene.summary.experiments, what, counted),
        (Shows::Ablation(table), Some(measured)) => ablation::table(measured, table),
        (Shows::Losses(which), _) => {
            scene.losses.map_or_else(Plot::new, |l| losses::sorted(l, which, counted))
        }
        (Shows::Data, _) => match experiment {
            Some(experiment) => data::example(&experiment.example(example_seed(scene.order.seed))?),
            None => Plot::new(),
        },
        (Shows::StepData, _) => scene.illustration.map_or_else(Plot::new, |i| step::data(i, step::SHOWN)),
        (Shows::StepLoss, _) => scene.illustration.map_or_else(Plot::new, |i| step::losses(i, step::SHOWN)),
        // A panel without an experiment is empty, which a reader sees at once.
        _ => Plot::new(),
    };
    Ok(plot)
}
