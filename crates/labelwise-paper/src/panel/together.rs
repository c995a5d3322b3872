//! Several experiments in one panel, a colour each.

use labelwise_plot::{Axis, Band, Colour, Dash, Line, Panel};

use super::errors::{axes, steps};
use super::spread::{cost, cost_axes, log_band, smoothed, smoothed_steps};
use crate::figure::{Together, is_of_accuracy, set_title};
use crate::strategy::{Strategy, strategies};
use crate::summary::{CurveSummary, ExperimentSummary};

/// Which curves, and how each is dashed: a colour is an experiment here.
const SHOWN: [(Strategy, Dash, &str); 3] = [
    (strategies::ENSEMBLE, Dash::Solid, "active testing"),
    (strategies::UNIFORM, Dash::Dotted, "i.i.d."),
    (strategies::OURS_ENSEMBLE, Dash::Dashed, "labelwise"),
];

pub(super) fn together(experiments: &[ExperimentSummary], what: Together, counted: &str) -> Panel {
    let mut panel = match what {
        Together::Medians => axes(counted, Axis::log("median of (R̂ − R̂_{pool})^{2}, smoothed")),
        Together::MeanLogs => axes(counted, Axis::log("exp of mean log (R̂ − R̂_{pool})^{2}")),
        Together::Costs => cost_axes(),
    };
    for (place, experiment) in experiments.iter().enumerate() {
        // Errors of an accuracy and of a cross-entropy cannot be compared; proportions of labels can.
        if what != Together::Costs && is_of_accuracy(experiment.name) {
            continue;
        }
        let colour = Colour::nth(place);
        for (curve, dash, words) in SHOWN {
            // A band of a third curve would hide the others'.
            let plain = curve == strategies::OURS_ENSEMBLE;
            let Some(curve) = experiment.curve(curve) else { continue };
            let name = format!("{}, {words}", set_title(experiment.name));
            panel = match what {
                Together::Medians => {
                    let line = Line::new(smoothed_steps(curve), smoothed(&curve.median_squared_errors()));
                    panel.add(line.colour(colour).dash(dash).label(name))
                }
                Together::MeanLogs if plain => {
                    let [_, middle, _] = log_band(curve);
                    panel.add(Line::new(steps(curve), middle).colour(colour).dash(dash).label(name))
                }
                Together::MeanLogs => with_band(panel, curve, colour, dash, name),
                Together::Costs => match cost(curve) {
                    Some((m, cost)) => panel.add(Line::new(m, cost).colour(colour).dash(dash).label(name)),
                    None => panel,
                },
            };
        }
    }
    panel
}

fn with_band(panel: Panel, curve: &CurveSummary, colour: Colour, dash: Dash, name: String) -> Panel {
    let (m, [low, middle, high]) = (steps(curve), log_band(curve));
    let band = Band::new(&m, low, high).colour(colour).label(name.clone());
    panel.add(band).add(Line::new(m, middle).colour(colour).dash(dash).label(name))
}
