//! Errors against the number of acquired points.

use labelwise_plot::{Axis, Band, Colour, Dash, Line, Panel, Rule};

use super::{PanelKind, View};
use crate::error::Result;
use crate::strategy::{Strategy, strategies};
use crate::summary::CurveSummary;

/// Mean errors with bands of a standard deviation.
pub(crate) struct Errors(pub(crate) &'static [Strategy]);

impl PanelKind for Errors {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let mut panel = axes(view.counted, Axis::new("R̂ − R̂_{pool}")).add(Rule::horizontal(0.0));
        for curve in view.curves(self.0)? {
            let (look, name) = (curve.strategy.look, curve.strategy.label());
            let (m, means, deviations) = (steps(curve), means(curve), curve.std_devs());
            let low: Vec<f64> = means.iter().zip(&deviations).map(|(mean, std_dev)| mean - std_dev).collect();
            let high: Vec<f64> =
                means.iter().zip(&deviations).map(|(mean, std_dev)| mean + std_dev).collect();
            // The oracle's band has no width.
            if curve.strategy != strategies::TRUE_LOSS {
                panel = panel.add(Band::new(&m, low, high).colour(look.colour).label(name.clone()));
            }
            panel = panel.add(Line::new(m, means).colour(look.colour).dash(look.dash).label(name));
        }
        Ok(panel)
    }

    fn caption(&self) -> &'static str {
        "R̂ − R̂<sub>pool</sub> is how far an estimate from M labels is from the loss on all test points: the line is \
             the mean over all runs, the band one standard deviation to either side (dotted: draws by the true loss, which are exact). A good \
             estimate has its line at 0 and a narrow band."
    }
}

/// Means as solid and standard deviations as dashed lines, as the appendix has them.
pub(crate) struct Deviations(pub(crate) &'static [Strategy]);

impl PanelKind for Deviations {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let mut panel = axes(view.counted, Axis::new("R̂ − R̂_{pool}")).add(Rule::horizontal(0.0));
        let pool_size = view.experiment()?.pool_size as f64;
        panel = panel.add(Rule::vertical(pool_size).colour(Colour::Grey).dash(Dash::Dashed));
        let mut most = 0.0_f64;
        for curve in view.curves(self.0)? {
            let (look, name) = (curve.strategy.look, curve.strategy.label());
            let (m, deviations) = (steps(curve), curve.std_devs());
            // The first few steps would press all others flat.
            most = deviations.get(SETTLED).map_or(most, |std_dev| most.max(*std_dev));
            panel = panel.add(Line::new(&m, means(curve)).colour(look.colour).label(name));
            panel = panel.add(Line::new(m, deviations).colour(look.colour).dash(Dash::Dashed));
        }
        Ok(if most > 0.0 {
            panel.y(Axis::new("R̂ − R̂_{pool}").range(-0.5 * most, 1.5 * most))
        } else {
            panel
        })
    }

    fn caption(&self) -> &'static str {
        "R̂ − R̂<sub>pool</sub> is how far an estimate from M labels is from the loss on all test points: solid lines \
             are means over all runs, dashed lines standard deviations. A good estimate has its solid line at 0 and a \
             low dashed line. The upright grey line marks the size of the pool; the first few steps are cut off."
    }
}

/// The place of the step, counted from 0, at which errors are small enough to set the scale of a linear axis.
const SETTLED: usize = 2;

/// Medians of the squared error on a logarithmic axis.
pub(crate) struct Squares(pub(crate) &'static [Strategy]);

impl PanelKind for Squares {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        let mut panel = axes(view.counted, Axis::log("median of (R̂ − R̂_{pool})^{2}"));
        for curve in view.curves(self.0)? {
            let look = curve.strategy.look;
            // With the whole pool labelled the error is rounding, which would stretch the axis to 1e-35.
            let before_last = view.experiment()?.pool_size.saturating_sub(1);
            let (mut m, mut medians) = (steps(curve), curve.median_squared_errors());
            m.truncate(before_last);
            medians.truncate(before_last);
            panel = panel
                .add(Line::new(m, medians).colour(look.colour).dash(look.dash).label(curve.strategy.label()));
        }
        Ok(panel)
    }

    fn caption(&self) -> &'static str {
        "The median of the squared error is on a logarithmic axis; lower is better."
    }
}

pub(super) fn axes(counted: &str, y: Axis) -> Panel {
    Panel::new().x(Axis::new(counted).integer()).y(y)
}

pub(super) fn steps(curve: &CurveSummary) -> Vec<f64> {
    (1..=curve.steps.len()).map(|m| m as f64).collect()
}

fn means(curve: &CurveSummary) -> Vec<f64> {
    curve.steps.iter().map(|step| step.mean).collect()
}
