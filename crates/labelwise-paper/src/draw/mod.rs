//! Figures as pictures, in one style: a curve has the same colour and dashes wherever it is shown.

mod data;
mod errors;
mod step;
mod style;

use labelwise_plot::{Figure as Chart, Panel as Plot, png};

use crate::error::Result;
use crate::experiment::{Experiment, Illustration};
use crate::figures::{Figure, Picture, Shows, example_seed};
use crate::make::Order;
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
/// The plot area of a panel, and of one in a picture of many columns.
const SIZE: (f64, f64) = (270.0, 180.0);
const SMALL: (f64, f64) = (200.0, 150.0);
/// So many columns are many.
const MANY: usize = 4;

/// Draws the pictures of a figure.
pub(crate) fn pictures(
    figure: &Figure,
    experiments: &[&dyn Experiment],
    summary: &FigureSummary,
    illustration: Option<&Illustration>,
    order: Order,
) -> Result<Vec<Drawn>> {
    figure.pictures.iter().map(|picture| drawn(picture, experiments, summary, illustration, order)).collect()
}

fn drawn(
    picture: &Picture,
    experiments: &[&dyn Experiment],
    summary: &FigureSummary,
    illustration: Option<&Illustration>,
    order: Order,
) -> Result<Drawn> {
    let (width, height) = if picture.columns < MANY { SIZE } else { SMALL };
    let mut chart = Chart::new(picture.file).columns(picture.columns).panel_size(width, height);
    for panel in picture.panels {
        let measured = summary.experiments.get(panel.experiment);
        let plot = match (panel.shows, measured, experiments.get(panel.experiment), illustration) {
            (Shows::Error(curves), Some(measured), ..) => errors::bands(measured, curves, picture.counted),
            (Shows::MeanAndDeviation(curves), Some(measured), ..) => {
                errors::deviations(measured, curves, picture.counted)
            }
            (Shows::SquaredError(curves), Some(measured), ..) => {
                errors::squares(measured, curves, picture.counted)
            }
            (Shows::Data, _, Some(experiment), _) => {
                data::example(&experiment.example(example_seed(order.seed))?)
            }
            (Shows::StepData, .., Some(illustration)) => step::data(illustration, step::SHOWN),
            (Shows::StepLoss, .., Some(illustration)) => step::losses(illustration, step::SHOWN),
            // A panel without an experiment is empty, which a reader sees at once.
            _ => Plot::new(),
        };
        chart = chart.panel(plot.title(panel.title));
    }
    let svg = chart.svg()?;
    let png = png(&svg, SHARPNESS)?;
    Ok(Drawn { file: picture.file, svg, png })
}
