//! The estimate and its interval by number of draws, compared with uniform sampling.

use labelwise_plot::{Axis, Band, Colour, Dash, Line, Panel, Points};
use maud::{Markup, html};

use super::page::{Counted, Error, Page};
use super::picture::{Room, Spoken, Table, cells, figure, svg};
use super::prefixes::{Step, guarded, steps};
use super::uniform::{Uniform, Unknown};
use super::words::{NONE, capitalised, counted, level, thousands, visible};

/// The section.
pub(super) fn section(
    page: &Page,
    samples: &[Counted<'_>],
    uniform: &Result<Uniform, Unknown>,
) -> Result<Markup, Error> {
    let steps = steps(page, samples, uniform)?;
    let level = level(page.level);
    let name = capitalised(&visible(page.name()));
    let what = if page.evidence.imputed == 0 { "labels" } else { "draws, labelled or skipped" };
    let description = described(page, &steps);
    let spoken = Spoken {
        title: &format!("{name} against the number of {}s", page.noun()),
        description: &description,
    };
    let panel = || panel(page, &steps, &level, what);
    let chart = |room| svg("course", panel(), room, &spoken);
    let charts = [chart(Room::Wide)?, chart(Room::Narrow)?];
    let mut caption = format!(
        "The line is the estimate after each number of {}s, the blue band its {level} interval; the vertical bar is \
         the interval of today.",
        page.noun()
    );
    if uniform.is_ok() {
        caption.push_str(
            " The grey band with dashed edges is the expected interval of uniform sampling, drawn around today’s \
             estimate.",
        );
    }
    if let Some(where_) = guarded(&steps, page.noun()) {
        caption.push_str(&format!(
            " {where_}, the guaranteed interval is shown; it is wider and also holds with few labels."
        ));
    }
    if page.skipped.is_some() {
        caption.push_str(" Skipped items widen the blue band, but not the grey one.");
    }
    if window(&steps).is_some_and(|view| steps.iter().any(|step| step.is_cut_by(view))) {
        caption.push_str(" At first, the bands are larger than the picture.");
    }
    let head = |end: &str| page.form().with_unit(end);
    let numbers = Table {
        caption: "Estimate and intervals by number of labels",
        heads: &[
            &format!("{}s", capitalised(page.noun())),
            &head("Estimate"),
            &head("From"),
            &head("To"),
            &head("Uniform from"),
            &head("Uniform to"),
        ],
        rows: steps.iter().map(|step| row(page, step)).collect(),
        words: &[],
    };
    Ok(html! {
        section {
            h2 { "How the estimate settled" }
            p { (needed(page, uniform)) }
            (figure(&charts, &caption, &numbers))
        }
    })
}

/// What uniform sampling would have cost, in a sentence.
fn needed(page: &Page, uniform: &Result<Uniform, Unknown>) -> Markup {
    if page.is_whole() {
        return html! {
            "Every item was drawn, so nothing is left to estimate."
        };
    }
    let labels = page.report.estimate.labels;
    let needed = match (uniform, page.standard_error()) {
        (Ok(uniform), Some(error)) => Ok(uniform.about(error)),
        (Err(unknown), _) => Err(*unknown),
        (_, None) => Err(Unknown::FewLabels),
    };
    match needed {
        Ok(needed) => html! {
            "Uniform sampling" @if page.about.is_none() { " and a plain mean" } " would need about " strong { (counted(needed, "label")) } " to be as precise as \
             these " (thousands(labels)) " are"
            @if needed as f64 <= 1.05 * labels as f64 { ": so far, choosing items has not saved labels" }
            @else if page.skipped.is_some() { ", without those that were skipped" }
            "."
        },
        Err(unknown) => {
            html! { "The number of labels that uniform sampling would need is not known yet: " (unknown.words()) "." }
        }
    }
}

fn panel(page: &Page, steps: &[Step], level: &str, what: &str) -> Panel {
    let scale = page.form().scale();
    let column = |of: &dyn Fn(&Step) -> Option<f64>| -> Vec<f64> {
        steps.iter().map(|step| of(step).map_or(f64::NAN, |value| scale * value)).collect()
    };
    let draws: Vec<f64> = steps.iter().map(|step| step.draws as f64).collect();
    let (low, high) = (column(&|step| Some(step.ends?.0)), column(&|step| Some(step.ends?.1)));
    let (least, most) = (column(&|step| Some(step.uniform?.0)), column(&|step| Some(step.uniform?.1)));
    let estimate = column(&|step| Some(step.estimate));
    let y = Axis::new(capitalised(&page.form().with_unit(&visible(page.name()))));
    let y = match window(steps) {
        Some((low, high)) => y.range(scale * low, scale * high),
        None => y,
    };
    let edge = |values| Line::new(&draws, values).colour(Colour::Grey).dash(Dash::Dashed).width(1.0);
    let uniform = "uniform sampling, expected";
    let mut panel = Panel::new().x(Axis::new(format!("Number of {what}")).integer().include(0.0)).y(y);
    if steps.iter().any(|step| step.uniform.is_some()) {
        panel = panel
            .add(Band::new(&draws, &least, &most).colour(Colour::LightGrey).label(uniform))
            .add(edge(&least).label(uniform))
            .add(edge(&most));
    }
    panel = panel
        .add(Band::new(&draws, &low, &high).colour(Colour::Blue).label(format!("{level} interval")))
        .add(Line::new(&draws, &estimate).colour(Colour::Blue).width(2.0).label("estimate"));
    if let (Some(&x), Some(&y), Some(&low), Some(&high)) =
        (draws.last(), estimate.last(), low.last(), high.last())
    {
        panel = panel
            .add(Line::new([x, x], [low, high]).colour(Colour::Blue).width(2.0))
            .add(Points::new([x], [y]).colour(Colour::Blue).size(9.0));
    }
    panel
}

/// The values in view. Intervals from the first few labels can be so wide that nothing else is seen beside them, so the
/// second half decides, with half as much room again on both sides.
fn window(steps: &[Step]) -> Option<(f64, f64)> {
    let total = steps.last()?.draws;
    let hull = |from: usize| {
        let values = steps.iter().filter(|step| step.draws >= from).flat_map(|step| {
            let (low, high) = step.ends.unzip();
            let (least, most) = step.uniform.unzip();
            [Some(step.estimate), low, high, least, most].into_iter().flatten()
        });
        let finite = values.filter(|value| value.is_finite());
        finite.fold(None, |hull: Option<(f64, f64)>, value| {
            Some(hull.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        })
    };
    let ((low, high), (least, most)) = (hull(total.div_ceil(2))?, hull(0)?);
    let more = 0.5 * (high - low);
    let (low, high) = ((low - more).max(least), (high + more).min(most));
    let edge = 0.04 * (high - low);
    (edge > 1e-9 * high.abs().max(low.abs())).then_some((low - edge, high + edge))
}

fn row(page: &Page, step: &Step) -> Vec<Markup> {
    let width = step.ends.map(|(low, high)| high - low);
    let text = |value: Option<f64>| value.map_or(NONE.to_owned(), |value| page.form().digits(value, width));
    let (low, high) = step.ends.unzip();
    let (least, most) = step.uniform.unzip();
    let [estimate, low, high, least, most] = [Some(step.estimate), low, high, least, most].map(text);
    cells([&thousands(step.draws), &estimate, &low, &high, &least, &most])
}

/// The chart in a sentence or two.
fn described(page: &Page, steps: &[Step]) -> String {
    let form = page.form();
    let told = |step: &Step| {
        let width = step.ends.map(|(low, high)| high - low);
        let ends = step.ends.map_or(String::new(), |(low, high)| {
            format!(", interval {} to {}", form.text(low, width), form.text(high, width))
        });
        let draws = counted(step.draws, page.noun());
        format!("after {draws} the estimate is {}{ends}", form.text(step.estimate, width))
    };
    let total = steps.last().map_or(0, |step| step.draws);
    let quarter = steps.iter().find(|step| 4 * step.draws >= total);
    let mut sentences: Vec<String> = quarter.into_iter().chain(steps.last()).map(told).collect();
    sentences.dedup();
    format!("{}.", capitalised(&sentences.join("; ")))
}
