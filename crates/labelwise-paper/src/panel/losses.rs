//! Losses in the order of the true ones, on a logarithmic axis, with a box around those that are expected far too low.

use labelwise_plot::{Axis, Colour, Dash, Line, Panel, Points};

use super::{PanelKind, View};
use crate::error::Result;

/// As many points as a panel bears.
const POINTS: usize = 1500;
/// Smaller losses are drawn at this value: nobody cares which of them is smaller.
const LEAST: f64 = 1e-5;

/// Losses in the order of the true ones.
#[derive(Clone, Copy)]
pub(crate) enum Sorted {
    /// The true ones.
    True,
    /// What the model expects.
    Entropy,
    /// What the ensemble expects.
    Ensemble,
    /// The root mean square by the ensemble.
    RootMeanSquare,
}

impl PanelKind for Sorted {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let losses = view.losses()?;
        let (values, colour, name) = match self {
            Self::True => (&losses.truth, Colour::Orange, "true loss"),
            Self::Entropy => (&losses.entropy, Colour::SkyBlue, "predictive entropy"),
            Self::Ensemble => (&losses.ensemble, Colour::Blue, "loss that the ensemble expects"),
            Self::RootMeanSquare => {
                (&losses.root_mean_square, Colour::Green, "root mean square of the loss by the ensemble")
            }
        };
        let count = values.len();
        // Every n-th item, so that as many are shown in every part of the order.
        let every = count.div_ceil(POINTS).max(1);
        let shown = values.iter().enumerate().step_by(every);
        let (x, y): (Vec<f64>, Vec<f64>) =
            shown.map(|(place, value)| (place as f64, value.max(LEAST))).unzip();
        let all = [&losses.truth, &losses.entropy, &losses.ensemble, &losses.root_mean_square];
        let all = || all.into_iter().flatten().copied();
        let most = all().fold(0.0, f64::max);
        let least = all().fold(most, f64::min).max(LEAST);
        let panel = Panel::new()
            .x(Axis::new(view.counted).integer().range(0.0, count as f64))
            .y(Axis::log("loss").range(least / 2.0, 2.0 * most.max(LEAST)))
            .add(Points::new(x, y).colour(colour).size(2.0).bare().label(name));
        let boxes = losses.boxes();
        let (left, right) = (losses.first_of_largest() as f64, count as f64);
        let (bottom, top) = (0.6 * least, boxes.threshold.max(least));
        let edges = Line::new([left, left, right, right, left], [bottom, top, top, bottom, bottom]);
        Ok(match self {
            Self::True => panel,
            Self::Entropy | Self::Ensemble | Self::RootMeanSquare => {
                let words = "a tenth or less of any of the largest losses";
                panel.add(edges.colour(Colour::Vermilion).dash(Dash::Solid).width(1.6).label(words))
            }
        })
    }

    fn caption(&self) -> &'static str {
        "True losses ascend from left to right. The box is around those of the largest tenth of which a tenth or less is \
             expected: a proposal that follows what is expected hardly ever draws them. Losses below 0.00001 are drawn there."
    }
}
