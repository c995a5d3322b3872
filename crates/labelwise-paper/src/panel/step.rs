//! One step of a run: the data and who is observed, true and expected losses, the next draw, and what the estimates
//! have come to.

use labelwise_plot::{Axis, Colour, Dash, Figure as Chart, Line, Panel, Points, Rule, Shape, Stems};

use super::data::{apart, model};
use super::{PanelKind, View};
use crate::error::Result;
use crate::problem::{Illustration, Step};

/// The step of Figure 2: four test points have been observed.
const SHOWN: usize = 4;

/// One step of a run: the data, and the points that are observed.
pub(crate) struct StepData;

impl PanelKind for StepData {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        Ok(data(view.illustration()?, SHOWN))
    }

    fn caption(&self) -> &'static str {
        "Left, the data: the model f with its uncertainty, the points it was trained on, and the test points, of \
             which four are labelled."
    }
}

/// The same step: true and expected losses, and the next draw.
pub(crate) struct StepLoss;

impl PanelKind for StepLoss {
    fn draw(&self, view: &View<'_>) -> Result<Panel> {
        Ok(losses(view.illustration()?, SHOWN))
    }

    fn caption(&self) -> &'static str {
        "Right, how the loss is shared among the test points that are left: as the surrogate expects it (q) and as \
             it really is."
    }
}

/// Every step of a run, each as an SVG of three panels.
pub(crate) fn steps(illustration: &Illustration) -> Result<Vec<String>> {
    let frames = 0..illustration.steps.len();
    frames
        .map(|step| {
            let chart = Chart::new(format!("step-{}", step + 1)).columns(3).panel_size(280.0, 200.0);
            let chart = chart
                .panel(data(illustration, step).title("data, model and observed points"))
                .panel(losses(illustration, step).title("share of the loss, and the next draw"))
                .panel(estimates(illustration, step).title("estimates of the test loss"));
            Ok(chart.svg()?)
        })
        .collect()
}

/// The data with the points observed so far, and the one drawn next.
fn data(illustration: &Illustration, step: usize) -> Panel {
    let example = &illustration.example;
    let Some(at) = illustration.steps.get(step) else { return Panel::new() };
    let (x, y) = apart(&example.test);
    let (seen_x, seen_y) = apart(&of(&example.test, &at.observed));
    let (next_x, next_y) = apart(&of(&example.test, &[at.next]));
    model(example)
        .add(Points::new(x, y).colour(Colour::Grey).shape(Shape::Circle).hollow().label("test points"))
        .add(Points::new(seen_x, seen_y).colour(Colour::Vermilion).shape(Shape::Cross).label("observed"))
        .add(Points::new(next_x, next_y).colour(Colour::Green).shape(Shape::Diamond).label("next draw"))
}

/// True losses and q, both as shares, so that one scale serves.
fn losses(illustration: &Illustration, step: usize) -> Panel {
    let Some(at) = illustration.steps.get(step) else { return Panel::new() };
    let left: Vec<usize> =
        (0..illustration.losses.len()).filter(|item| !at.observed.contains(item)).collect();
    let x: Vec<f64> = of(&illustration.example.test, &left).into_iter().map(|(x, _)| x).collect();
    let sum: f64 = of(&illustration.losses, &left).into_iter().sum();
    let truth: Vec<f64> = of(&illustration.losses, &left).into_iter().map(|loss| loss / sum).collect();
    let q = of(&at.q, &left);
    let (next_x, next_q) = (of(&illustration.example.test, &[at.next]), of(&at.q, &[at.next]));
    let next_x: Vec<f64> = next_x.into_iter().map(|(x, _)| x).collect();
    Panel::new()
        .x(Axis::new("x"))
        .y(Axis::new("share of the loss").include(0.0))
        .add(Line::new(&x, truth).colour(Colour::Orange).dash(Dash::Dashed).label("true loss"))
        .add(Stems::new(x, q).colour(Colour::Blue).label("q(i_{m}), from the expected loss"))
        .add(Points::new(next_x, next_q).colour(Colour::Green).shape(Shape::Diamond).label("next draw"))
}

/// What active testing and uniform sampling have come to, and the truth.
fn estimates(illustration: &Illustration, step: usize) -> Panel {
    let so_far = illustration.steps.get(..=step).unwrap_or_default();
    let m: Vec<f64> = (1..=so_far.len()).map(|m| m as f64).collect();
    let series = |value: fn(&Step) -> f64| so_far.iter().map(value).collect::<Vec<f64>>();
    // The same axes at every step, or nothing could be followed.
    let highest = illustration.steps.iter().skip(1).map(|step| step.active.max(step.uniform));
    let top = highest.fold(1.5 * illustration.pool_risk, f64::max);
    Panel::new()
        .x(Axis::new("acquired points M").integer().range(0.0, illustration.steps.len() as f64))
        .y(Axis::new("test loss").range(0.0, top))
        .add(Rule::horizontal(illustration.pool_risk).label("true test loss"))
        .add(Line::new(&m, series(|step| step.uniform)).colour(Colour::Vermilion).label("uniform, R̂_{iid}"))
        .add(Line::new(&m, series(|step| step.active)).colour(Colour::Blue).label("active, R̂_{LURE}"))
}

fn of<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().filter_map(|place| values.get(*place).copied()).collect()
}
