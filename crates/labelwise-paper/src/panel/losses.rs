//! Losses in the order of the true ones, on a logarithmic axis, with rings around those that are expected far too low.

use labelwise_plot::{Axis, Colour, Dash, Panel, Points, Rule};

use super::{PanelKind, View};
use crate::error::Result;
use crate::losses::Losses;

/// As many points as a panel bears, beside those with a ring.
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
        let shown = match self {
            Self::Entropy | Self::Ensemble => Losses::clipped(values),
            Self::True | Self::RootMeanSquare => values.clone(),
        };
        // Every n-th item, so that as many are shown in every part of the order.
        let every = count.div_ceil(POINTS).max(1);
        let low = |item: usize| !matches!(self, Self::True) && losses.too_low(values, item);
        let points = |chosen: &dyn Fn(usize) -> bool| -> (Vec<f64>, Vec<f64>) {
            let items = shown.iter().enumerate().filter(|(item, _)| chosen(*item));
            items.map(|(item, value)| (item as f64, value.max(LEAST))).unzip()
        };
        let (x, y) = points(&|item| item.is_multiple_of(every) && !low(item));
        let all = [&losses.truth, &losses.entropy, &losses.ensemble, &losses.root_mean_square];
        let all = || all.into_iter().flatten().copied();
        let most = all().fold(0.0, f64::max);
        let least = all().fold(most, f64::min).max(LEAST);
        let mut panel = Panel::new()
            .x(Axis::new(view.counted).integer().range(0.0, count as f64))
            .y(Axis::log("loss").range(least / 2.0, 2.0 * most.max(LEAST)))
            .add(Points::new(x, y).colour(colour).size(2.0).bare().label(name));
        let (x, y) = points(&low);
        if !x.is_empty() {
            let words = "a tenth or less of the loss, among the largest tenth";
            panel = panel.add(Points::new(x, y).colour(Colour::Vermilion).size(4.0).hollow().label(words));
        }
        // To the right of this line are the largest losses.
        let first = Rule::vertical(losses.first_of_largest() as f64).colour(Colour::Grey).dash(Dash::Dotted);
        Ok(panel.add(first))
    }

    fn caption(&self) -> &'static str {
        "True losses ascend from left to right; the largest tenth is to the right of the dotted line. Rings mark those of them of \
             which a tenth or less is expected, all of which are shown: a proposal that follows what is expected hardly ever \
             draws them. Expectations in (b) and (c) are shown as the paper's clip leaves them, at 0.2 of their mean or above. Losses \
             below 0.00001 are drawn there."
    }
}
