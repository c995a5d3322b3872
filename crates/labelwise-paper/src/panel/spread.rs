//! Squared errors of the experiments on images: medians, their spread, means of logarithms, and what labels are saved.

use labelwise_plot::{Axis, Band, Line, Panel, Rule};

use super::errors::{axes, steps};
use super::{PanelKind, View};
use crate::error::Result;
use crate::statistics::Summary;
use crate::strategy::{Strategy, strategies};
use crate::summary::CurveSummary;

/// Number of steps of the moving averages in the authors' figures.
pub(super) const WINDOW: usize = 10;

/// A moving average: the n-th value is the mean of the window that ends there, from the first whole window on.
pub(super) fn smoothed(values: &[f64]) -> Vec<f64> {
    values.windows(WINDOW).map(|window| window.iter().sum::<f64>() / WINDOW as f64).collect()
}

/// The steps at which a moving average has a value.
pub(super) fn smoothed_steps(curve: &CurveSummary) -> Vec<f64> {
    steps(curve).split_off((WINDOW - 1).min(curve.steps.len()))
}

/// Medians of the squared error, smoothed as the authors' figures are.
pub(crate) struct Medians(pub(crate) &'static [Strategy]);

impl PanelKind for Medians {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let mut panel = axes(view.counted, Axis::log("median of (R̂ − R̂_{pool})^{2}, smoothed"));
        for curve in view.curves(self.0)? {
            let look = curve.strategy.look;
            let line = Line::new(smoothed_steps(curve), smoothed(&curve.median_squared_errors()));
            panel = panel.add(line.colour(look.colour).dash(look.dash).label(curve.strategy.label()));
        }
        Ok(panel)
    }

    fn caption(&self) -> &'static str {
        "The median of the squared error is on a logarithmic axis, as a moving average over ten steps, which the authors' \
             figures are too; lower is better."
    }
}

/// Medians of the squared error with bands from the 10 % to the 90 % quantile.
pub(crate) struct Quantiles(pub(crate) &'static [Strategy]);

impl PanelKind for Quantiles {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let mut panel = axes(view.counted, Axis::log("(R̂ − R̂_{pool})^{2}, smoothed"));
        for curve in view.curves(self.0)? {
            let (look, name) = (curve.strategy.look, curve.strategy.label());
            let numbers =
                |number: fn(&Summary) -> f64| smoothed(&curve.steps.iter().map(number).collect::<Vec<_>>());
            let (low, high) = (
                numbers(|step| step.squared_error_quantiles.q10),
                numbers(|step| step.squared_error_quantiles.q90),
            );
            let m = smoothed_steps(curve);
            panel = panel.add(Band::new(&m, low, high).colour(look.colour).label(name.clone()));
            let line = Line::new(m, numbers(|step| step.median_squared_error));
            panel = panel.add(line.colour(look.colour).dash(look.dash).label(name));
        }
        Ok(panel)
    }

    fn caption(&self) -> &'static str {
        "Squared errors are on a logarithmic axis: the line is the median, the band goes from the 10 % to the 90 % \
             quantile, both as moving averages over ten steps; lower is better."
    }
}

/// Medians of the error with bands from the 10 % to the 90 % quantile.
pub(crate) struct ErrorQuantiles(pub(crate) &'static [Strategy]);

impl PanelKind for ErrorQuantiles {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let curves = view.curves(self.0)?;
        // The first few labels would press all others flat.
        let at = |curve: &&CurveSummary| curve.steps.get(SETTLED).map(|step| step.error_quantiles);
        let most = curves.iter().filter_map(at).flatten().fold(0.0, |most: f64, error| most.max(error.abs()));
        let axis = Axis::new("R̂ − R̂_{pool}");
        let axis = if most > 0.0 { axis.range(-most, most) } else { axis };
        let mut panel = axes(view.counted, axis).add(Rule::horizontal(0.0));
        for curve in curves {
            let (look, name) = (curve.strategy.look, curve.strategy.label());
            let [low, middle, high] = [0, 1, 2].map(|place: usize| {
                let at = |step: &Summary| step.error_quantiles.get(place).copied().unwrap_or(f64::NAN);
                curve.steps.iter().map(at).collect::<Vec<f64>>()
            });
            let m = steps(curve);
            panel = panel.add(Band::new(&m, low, high).colour(look.colour).label(name.clone()));
            panel = panel.add(Line::new(m, middle).colour(look.colour).dash(look.dash).label(name));
        }
        Ok(panel)
    }

    fn caption(&self) -> &'static str {
        "R̂ − R̂<sub>pool</sub> is how far an estimate from M labels is from the loss on all test points: the line is \
             the median over all runs, the band goes from the 10 % to the 90 % quantile; the first few steps are cut off."
    }
}

/// The place of the step, counted from 0, at which errors are small enough to set the scale of a linear axis.
const SETTLED: usize = 9;

/// Means of the logarithm of the squared error with bands of a standard error, on an axis of squared errors.
pub(crate) struct MeanLogs(pub(crate) &'static [Strategy]);

impl PanelKind for MeanLogs {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let mut panel = axes(view.counted, Axis::log("exp of mean log (R̂ − R̂_{pool})^{2}"));
        for curve in view.curves(self.0)? {
            let look = curve.strategy.look;
            let (m, [low, middle, high]) = (steps(curve), log_band(curve));
            let name = curve.strategy.label();
            panel = panel.add(Band::new(&m, low, high).colour(look.colour).label(name.clone()));
            panel = panel.add(Line::new(m, middle).colour(look.colour).dash(look.dash).label(name));
        }
        Ok(panel)
    }

    fn caption(&self) -> &'static str {
        MEAN_LOGS
    }
}

/// The proportion of labels that does as well as uniform sampling.
pub(crate) struct Costs(pub(crate) &'static [Strategy]);

impl PanelKind for Costs {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let mut panel = cost_axes();
        for curve in view.curves(self.0)?.into_iter().filter(|curve| curve.strategy != strategies::UNIFORM) {
            let look = curve.strategy.look;
            if let Some((m, cost)) = cost(curve) {
                panel = panel.add(
                    Line::new(m, cost).colour(look.colour).dash(look.dash).label(curve.strategy.label()),
                );
            }
        }
        Ok(panel)
    }

    fn caption(&self) -> &'static str {
        COSTS
    }
}

pub(super) const MEAN_LOGS: &str = "Lines are means of the logarithm of the squared error over all runs, bands one standard error to either side; \
             lower is better.";
pub(super) const COSTS: &str = "The relative labelling cost is the proportion of labels that gives the median squared error of so many \
             uniformly drawn ones; below 1 labels are saved.";

/// The mean of the logarithm less and plus a standard error, and itself in the middle, each as a squared error.
pub(super) fn log_band(curve: &CurveSummary) -> [Vec<f64>; 3] {
    [-1.0, 0.0, 1.0].map(|side: f64| {
        let at = |step: &Summary| {
            let mean = step.mean_log_squared_error?;
            Some((mean + side * step.mean_log_squared_error_std_error.unwrap_or_default()).exp())
        };
        // Where every run is exact there is no logarithm, and the line has a gap.
        curve.steps.iter().map(|step| at(step).unwrap_or(f64::NAN)).collect()
    })
}

pub(super) fn cost_axes() -> Panel {
    let axis = Axis::new("relative labelling cost").include(0.0).include(1.0);
    axes("uniformly drawn points", axis).add(Rule::horizontal(1.0))
}

/// Uniform labels, and the cost at each; nothing for uniform draws themselves.
pub(super) fn cost(curve: &CurveSummary) -> Option<(Vec<f64>, Vec<f64>)> {
    let costs = &curve.against_uniform.as_ref()?.relative_labelling_cost;
    // The first few labels say little, and would set the scale.
    let known =
        costs.iter().zip(1..).skip(WINDOW - 1).map(|(cost, m)| (f64::from(m), cost.unwrap_or(f64::NAN)));
    Some(known.unzip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moving_average_begins_with_the_first_whole_window() {
        let values: Vec<f64> = (1..=12).map(f64::from).collect();
        assert_eq!(smoothed(&values), [5.5, 6.5, 7.5]);
        assert_eq!(smoothed(&values[..9]), [0.0; 0]);
    }
}
