//! Several experiments in one panel, one colour for each.

use labelwise_plot::{Axis, Band, Colour, Dash, Line, Panel};

use super::errors::{axes, steps};
use super::spread::{COSTS, MEAN_LOGS, cost, cost_axes, log_band, smoothed, smoothed_steps};
use super::{PanelKind, View};
use crate::error::Result;
use crate::figure::{is_of_accuracy, set_title};
use crate::strategy::{Strategy, strategies};
use crate::summary::CurveSummary;

/// Which strategies, and how each is dashed: a colour is an experiment here.
const SHOWN: [(Strategy, Dash); 3] = [
    (strategies::ENSEMBLE, Dash::Solid),
    (strategies::UNIFORM, Dash::Dotted),
    (strategies::OURS_ENSEMBLE, Dash::Dashed),
];

/// Strategies of every experiment of the figure in one panel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AllSets {
    /// Medians of the squared error, smoothed, where the loss is cross-entropy.
    Medians,
    /// The mean of the logarithm of the squared error with its standard error.
    MeanLogs,
    /// The relative labelling cost.
    Costs,
}

impl PanelKind for AllSets {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let mut panel = match self {
            Self::Medians => axes(view.counted, Axis::log("median of (R̂ − R̂_{pool})^{2}, smoothed")),
            Self::MeanLogs => axes(view.counted, Axis::log("exp of mean log (R̂ − R̂_{pool})^{2}")),
            Self::Costs => cost_axes(),
        };
        for (place, experiment) in view.scene.summary.experiments.iter().enumerate() {
            // Errors of an accuracy and of a cross-entropy cannot be compared; proportions of labels can.
            if *self != Self::Costs && is_of_accuracy(experiment.name) {
                continue;
            }
            let colour = Colour::nth(place);
            for (strategy, dash) in SHOWN {
                let curve = view.curve_of(experiment, strategy)?;
                let name = format!("{}, {}", set_title(experiment.name), strategy.name);
                panel = self.with_curve(panel, curve, colour, dash, name);
            }
        }
        Ok(panel)
    }

    fn caption(&self) -> &'static str {
        match self {
            Self::Medians => {
                "The median of the squared error is on a logarithmic axis, as a moving average over ten steps; lower is better."
            }
            Self::MeanLogs => MEAN_LOGS,
            Self::Costs => COSTS,
        }
    }
}

impl AllSets {
    fn with_curve(
        self,
        panel: Panel,
        curve: &CurveSummary,
        colour: Colour,
        dash: Dash,
        name: String,
    ) -> Panel {
        match self {
            Self::Medians => {
                let line = Line::new(smoothed_steps(curve), smoothed(&curve.median_squared_errors()));
                panel.add(line.colour(colour).dash(dash).label(name))
            }
            // A band of a third curve would hide the others'.
            Self::MeanLogs if curve.strategy == strategies::OURS_ENSEMBLE => {
                let [_, middle, _] = log_band(curve);
                panel.add(Line::new(steps(curve), middle).colour(colour).dash(dash).label(name))
            }
            Self::MeanLogs => {
                let (m, [low, middle, high]) = (steps(curve), log_band(curve));
                let band = Band::new(&m, low, high).colour(colour).label(name.clone());
                panel.add(band).add(Line::new(m, middle).colour(colour).dash(dash).label(name))
            }
            Self::Costs => match cost(curve) {
                Some((m, cost)) => panel.add(Line::new(m, cost).colour(colour).dash(dash).label(name)),
                None => panel,
            },
        }
    }
}
