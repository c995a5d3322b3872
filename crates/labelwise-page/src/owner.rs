//! The owner's screen: the estimate with an interval that looking does not spoil, a forecast, and who labels.

use labelwise::Target;
use labelwise::interval::Method;
use labelwise_plot::{Axis, Band, Colour, Dash, Figure, Line, Panel, Points};
use labelwise_report::{Form, Order, Page, course, html, page};
use labelwise_study::{
    AnswerOptions, Answered, Error as StudyError, EstimateOptions, Measurable, MethodName, PlanGoals, Study,
    now,
};
use serde::Serialize;

use crate::error::Error;

/// The level of the intervals.
const LEVEL: f64 = 0.95;

/// What is known of the metric now.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Estimate {
    pub(crate) metric: String,
    /// Whether values are shares, shown as percentages.
    pub(crate) percent: bool,
    pub(crate) level: f64,
    pub(crate) pool_size: usize,
    /// Labels that count.
    pub(crate) labels: usize,
    pub(crate) value: Option<f64>,
    /// The interval that holds at every look; of metrics without one, the ordinary interval.
    pub(crate) interval: Option<(f64, f64)>,
    /// Whether the interval holds at every look.
    pub(crate) anytime: bool,
    /// The interval for one look at a number of labels that is fixed in advance.
    pub(crate) once: Option<(f64, f64)>,
    /// Why there is no estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    /// Items that hold up later labels: how many, how many labels wait for them, and the first ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) held_up: Option<(usize, usize, Vec<String>)>,
    pub(crate) plan: Option<Plan>,
    /// What the judge and the choice of items are worth, in words; `None` without a judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) worth: Option<String>,
}

/// How many labels a narrower interval needs.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Plan {
    pub(crate) half_width: f64,
    /// Labels in all: expected, and the likely range.
    pub(crate) labels: (usize, usize, usize),
    /// Labels that uniform sampling would need.
    pub(crate) uniform: Option<usize>,
}

/// The metric that the evaluation is made for.
fn metric(study: &Study) -> Measurable {
    let recorded = || Measurable::Loss(study.settings().metric.clone());
    study.aims().into_iter().next().unwrap_or_else(recorded)
}

fn is_percent(metric: &Measurable) -> bool {
    metric.loss().is_some_and(|metric| Form::of(metric) == Form::Percent)
}

/// What is known of a study.
pub(crate) fn estimate(study: &Study) -> Result<Estimate, Error> {
    let metric = metric(study);
    let mut found = Estimate {
        metric: metric.name().to_owned(),
        percent: is_percent(&metric),
        level: LEVEL,
        pool_size: study.settings().pool.size,
        labels: study.counting()?,
        value: None,
        interval: None,
        anytime: metric.loss().is_some(),
        once: None,
        why: None,
        held_up: study.holding_up()?.map(|items| (items.items, items.held_up, items.first)),
        plan: None,
        worth: None,
    };
    let ask = |method: Method| {
        let metrics = vec![metric.clone()];
        let mut answers =
            study.answers(&AnswerOptions { metrics, level: LEVEL, method, ..AnswerOptions::default() })?;
        Ok::<_, StudyError>(answers.pop())
    };
    match ask(anytime(study)).and_then(|anytime| Ok((anytime, ask(Method::Ordinary)?))) {
        Ok((anytime, once)) => {
            (found.value, found.interval) = numbers(anytime.as_ref());
            found.once = numbers(once.as_ref()).1;
        }
        Err(error) => found.why = Some(error.to_string()),
    }
    // With few labels, there may be nothing to say yet.
    found.worth = study.worth_in_words().ok().flatten();
    found.plan = found.once.and_then(|(low, high)| plan(study, &metric, 0.5 * (high - low)));
    Ok(found)
}

fn numbers(answered: Option<&Answered>) -> (Option<f64>, Option<(f64, f64)>) {
    match answered {
        Some(Answered::Loss(found)) => (Some(found.value), found.interval),
        Some(Answered::Scores(all)) => match all.first() {
            Some(found) => (found.value.clone().ok(), found.interval),
            None => (None, None),
        },
        Some(Answered::Calibration(found)) => (found.squared_error, found.interval),
        None => (None, None),
    }
}

/// The labels for an interval that is noticeably narrower; `None` if that cannot be forecast.
fn plan(study: &Study, metric: &Measurable, half: f64) -> Option<Plan> {
    let half_width = rounded(0.7 * half).filter(|half| *half > 0.0)?;
    let goals = PlanGoals {
        half_width: Some(half_width),
        threshold: None,
        level: LEVEL,
        target: Target::Pool,
        assurance: labelwise::plan::Assurance::Once,
    };
    let width = study.plan(metric, None, &goals).ok()?.width?;
    let needed = width.labels.needed?;
    let labels = (needed.expected, needed.low, needed.high);
    Some(Plan { half_width, labels, uniform: width.labels.uniform.map(|uniform| uniform.expected) })
}

/// The interval that holds at every look: that of the command line. Where it is narrowest must be fixed before the first look,
/// so it must not follow the goal, which people change because of what they see.
fn anytime(study: &Study) -> Method {
    let below = study.settings().pool.size.saturating_sub(1);
    MethodName::Anytime.method(Some(MethodName::PLANNED.min(below).max(1)))
}

/// One significant digit, rounded down.
fn rounded(value: f64) -> Option<f64> {
    let power = 10_f64.powf(value.log10().floor());
    let digits = (value / power).floor();
    (power > 0.0 && power.is_finite()).then_some(digits * power)
}

/// What the report says, with the interval of this screen; `None` before the first estimate.
fn made(study: &Study, metric: &Measurable) -> Result<Option<Page>, Error> {
    let order = Order { title: None, metric, positive: None, level: LEVEL, target: Target::Pool, now: now() };
    let Ok(mut made) = page(study, &order) else { return Ok(None) };
    if let Some(loss) = metric.loss() {
        made.method = anytime(study);
        let wanted = EstimateOptions {
            metrics: vec![loss.clone()],
            level: LEVEL,
            method: made.method,
            ..EstimateOptions::default()
        };
        if let Some(estimated) = study.estimate(&wanted)?.pop() {
            made.report = estimated.report;
        }
    }
    Ok(Some(made))
}

/// The whole report as it is now, one page that loads and runs nothing; `None` before the first estimate.
pub(crate) fn report(study: &Study) -> Result<Option<String>, Error> {
    let made = made(study, &metric(study))?;
    Ok(made.and_then(|made| html(&made).ok()))
}

/// The colours of a chart on paper, and those in the dark.
const DARK: [(&str, &str); 7] = [
    ("#FFFFFF", "#15181b"),
    ("#222222", "#e8e8e8"),
    ("#1A1A1A", "#e8e8e8"),
    ("#444444", "#b9bec4"),
    ("#E9E9E9", "#2b3035"),
    ("#0072B2", "#62b8ee"),
    ("#7A7A7A", "#a0a6ad"),
];

/// How the estimate settles, and where its interval will be if labels go on like this; `None` before the first estimate.
pub(crate) fn chart(
    study: &Study,
    goal: usize,
    is_narrow: bool,
    is_dark: bool,
) -> Result<Option<String>, Error> {
    let metric = metric(study);
    let Some(made) = made(study, &metric)? else { return Ok(None) };
    let Ok(steps) = course(&made) else { return Ok(None) };
    let Some(last) = steps.last() else { return Ok(None) };
    let (percent, size) = (is_percent(&metric), study.settings().pool.size);
    let scale = if percent { 100.0 } else { 1.0 };
    let column = |of: &dyn Fn(&labelwise_report::Step) -> Option<f64>| -> Vec<f64> {
        steps.iter().map(|step| of(step).map_or(f64::NAN, |value| scale * value)).collect()
    };
    let x: Vec<f64> = steps.iter().map(|step| step.draws as f64).collect();
    let (low, high) = (column(&|step| Some(step.ends?.0)), column(&|step| Some(step.ends?.1)));
    let estimate = column(&|step| Some(step.estimate));
    let unit = if percent { format!("{} (%)", metric.name()) } else { metric.name().to_owned() };
    let mut y = Axis::new(unit);
    if let Some((from, to)) = window(&steps, scale, percent) {
        y = y.range(from, to);
    }
    let mut panel = Panel::new().x(Axis::new("Labels").integer().include(0.0)).y(y);
    panel = panel
        .add(Band::new(&x, &low, &high).colour(Colour::Blue).label("peeking-safe 95 % interval"))
        .add(Line::new(&x, &estimate).colour(Colour::Blue).width(2.0).label("estimate"));
    if let Some((from, to)) = last.ends {
        let now = last.draws as f64;
        panel = panel
            .add(Line::new([now, now], [scale * from, scale * to]).colour(Colour::Blue).width(2.0))
            .add(Points::new([now], [scale * last.estimate]).colour(Colour::Blue).size(9.0));
        let until = goal.max(last.draws + last.draws / 2).min(size);
        let ahead: Vec<f64> = (0..=20)
            .map(|step| now + (until as f64 - now) * f64::from(step) / 20.0)
            .filter(|labels| *labels >= now)
            .collect();
        let edge = |end: f64| -> Vec<f64> {
            let left = |labels: f64| (size as f64 - labels).max(0.0) / (size as f64 - now).max(1.0);
            let share = |labels: f64| (now / labels * left(labels)).sqrt();
            ahead
                .iter()
                .map(|labels| scale * (last.estimate + (end - last.estimate) * share(*labels)))
                .collect()
        };
        if until > last.draws {
            let dashed =
                |end| Line::new(&ahead, edge(end)).colour(Colour::Grey).dash(Dash::Dashed).width(1.5);
            panel = panel.add(dashed(from).label("forecast, if labels go on like this")).add(dashed(to));
        }
    }
    let (width, height) = if is_narrow { (318.0, 230.0) } else { (820.0, 300.0) };
    let figure = Figure::new("estimate").panel_size(width, height).panel(panel);
    let svg = figure.spoken_title("How the estimate settles").svg();
    let Ok(svg) = svg else { return Ok(None) };
    Ok(Some(if is_dark { DARK.iter().fold(svg, |svg, (light, dark)| svg.replace(light, dark)) } else { svg }))
}

/// The values in view: the present interval, with as much room around it, within the values that there can be.
fn window(steps: &[labelwise_report::Step], scale: f64, percent: bool) -> Option<(f64, f64)> {
    let (low, high) = steps.last()?.ends?;
    let (low, high) = (scale * low, scale * high);
    let room = 0.75 * (high - low);
    // Values of a metric that were never negative will not be.
    let is_positive = steps.iter().flat_map(|step| step.ends).all(|(low, _)| low >= 0.0);
    let floor = if is_positive { 0.0 } else { f64::NEG_INFINITY };
    let ceiling = if percent { 100.0 } else { f64::INFINITY };
    let (low, high) = ((low - room).max(floor), (high + room).min(ceiling));
    (room.is_finite() && high - low > 1e-9 * high.abs().max(low.abs())).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn a_goal_has_one_digit() {
        assert!((rounded(0.0237).unwrap() - 0.02).abs() < 1e-12);
        assert!((rounded(7.9).unwrap() - 7.0).abs() < 1e-12);
        assert_eq!(rounded(0.0), None);
        assert_eq!(rounded(f64::NAN), None);
    }
}
