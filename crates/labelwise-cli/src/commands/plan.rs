//! `labelwise plan`: estimates how many labels a goal needs.

use std::io::Write;

use labelwise::Target;
use labelwise::plan::{Assurance, LabelForecast, Source};
use labelwise_study::{GoalPlan, LabelPlan, Measurable, Named, PlanGoals, ScoreName, Study, WidthPlan};
use serde::Serialize;

use crate::args::parse::{named, number, positive};
use crate::args::{EvaluationArg, MetricArgs};
use crate::error::Error;
use crate::output::label_count::{self, LabelCount};
use crate::output::print_json;
use crate::output::text::{counted, percent};
use crate::settings::Settings;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.plan/1";

/// Estimate how many labels an interval width or a threshold needs.
///
/// Before the first labels, the number follows from the surrogate and is a range. From about 50 labels on, it
/// follows from the variance of the labels. The command also prints how many labels uniform sampling would
/// need.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  labelwise plan pool.labelwise --half-width 0.01\n  \
                        labelwise plan pool.labelwise --bar 0.1 --json")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    #[command(flatten)]
    goals: Goals,
    #[command(flatten)]
    metric: MetricArgs,
    /// Method that decides about the threshold, as in `labelwise check` [default: that of `check`]
    #[arg(long, value_name = "METHOD", value_parser = named::<Assurance>())]
    method: Option<Assurance>,
    /// Print one JSON object (schema labelwise.plan/1) instead of text
    #[arg(long)]
    json: bool,
}

/// The goals of a plan.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct Goals {
    /// Half of the width of the interval; needs at least 100 labels
    #[arg(long, value_name = "WIDTH", value_parser = positive, allow_negative_numbers = true)]
    half_width: Option<f64>,
    /// Threshold: decide whether the metric is below or above this value
    #[arg(long, value_name = "VALUE", value_parser = number, allow_negative_numbers = true)]
    bar: Option<f64>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    loss: &'a str,
    level: f64,
    target: &'static str,
    labels: usize,
    pool_size: usize,
    /// `surrogate` or `labels`; null if neither gives a forecast.
    rests_on: Option<&'static str>,
    /// The expected or estimated value of the metric.
    expected: Option<f64>,
    half_width: Option<WidthDocument>,
    bar: Option<BarDocument>,
}

#[derive(Serialize)]
struct WidthDocument {
    wanted: f64,
    now: Option<f64>,
    reached: bool,
    needed: Option<LabelCount>,
    uniform: Option<LabelCount>,
}

#[derive(Serialize)]
struct BarDocument {
    value: f64,
    method: &'static str,
    needed: Option<LabelCount>,
    uniform: Option<LabelCount>,
}

/// The metric of a plan, and the forecast it uses.
struct Planner<'a> {
    evaluation: &'a Study,
    metric: &'a Measurable,
    goals: &'a Goals,
    plan: LabelPlan,
    level: f64,
    target: Target,
}

/// Prints the plan.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let (target, level) = (options.metric.target(settings), options.metric.level(settings)?);
    let evaluation = options.evaluation.read()?;
    let metric = options.metric.metric(&evaluation)?;
    let assurance = options.method.unwrap_or_else(|| evaluation.usual_assurance(&metric));
    let goals = &options.goals;
    let wanted = PlanGoals { half_width: goals.half_width, threshold: goals.bar, level, target, assurance };
    let plan = evaluation.plan(&metric, options.metric.positive(), &wanted)?;
    let planner = Planner { evaluation: &evaluation, metric: &metric, goals, plan, level, target };
    if options.json {
        return print_json(&planner.document(assurance), out);
    }
    planner.print(out)
}

impl Planner<'_> {
    fn document(&self, method: Assurance) -> Document<'_> {
        let LabelPlan { forecast, expected, width, threshold, .. } = &self.plan;
        Document {
            schema: SCHEMA,
            loss: self.metric.name(),
            level: self.level,
            target: self.target.name(),
            labels: self.evaluation.labels(),
            pool_size: self.evaluation.settings().pool.size,
            rests_on: forecast.as_ref().map(label_count::source),
            expected: *expected,
            half_width: width.map(|WidthPlan { half_width: wanted, progress, labels, .. }| WidthDocument {
                wanted,
                now: progress.and_then(|progress| progress.half_width).filter(|half| half.is_finite()),
                reached: progress.is_some_and(|progress| progress.reached),
                needed: labels.needed.map(Into::into),
                uniform: labels.uniform.map(Into::into),
            }),
            bar: self.goals.bar.zip(*threshold).map(|(value, labels)| BarDocument {
                value,
                method: method.name(),
                needed: labels.needed.map(Into::into),
                uniform: labels.uniform.map(Into::into),
            }),
        }
    }

    fn print(&self, out: &mut impl Write) -> Result<(), Error> {
        let (name, labels) = (self.metric.name(), self.evaluation.labels());
        let LabelPlan { forecast, expected, width, threshold, .. } = &self.plan;
        let Some(forecast) = forecast else {
            writeln!(out, "{name}: no forecast yet: {}", without(self.evaluation, self.metric))?;
            return Ok(());
        };
        if let Some(width) = width {
            let words = width_in_words(forecast, width, labels);
            writeln!(out, "{name} within ± {} at {}: {words}", width.half_width, percent(self.level))?;
        }
        if let Some((value, plan)) = self.goals.bar.zip(*threshold) {
            let words = bar_in_words(forecast, &plan, labels, expected.unwrap_or(forecast.risk));
            writeln!(out, "{name} below or above {value}: {words}")?;
        }
        writeln!(out, "  {}", rests_on(forecast))?;
        Ok(())
    }
}

fn width_in_words(prospect: &LabelForecast, width: &WidthPlan, labels: usize) -> String {
    let &WidthPlan { progress, labels: ref plan, .. } = width;
    let now = progress.and_then(|progress| progress.half_width);
    if let (Some(half), true) = (now, progress.is_some_and(|progress| progress.reached)) {
        return format!("reached, ± {half:.4} with {}", counted(labels, "label"));
    }
    let Some(needed) = plan.needed else {
        return "not reachable: even the whole pool is only a sample of its population".to_owned();
    };
    let mut text = format!("{} labels", label_count::in_words(needed, prospect.source));
    if let (Source::Labels(_), Some(half)) = (prospect.source, now) {
        let more = progress.and_then(|progress| progress.more).map_or(needed.beyond(labels), |more| more);
        text += &format!("; now ± {half:.4}, {} more to go", label_count::in_words(more, prospect.source));
    }
    text + &beside(plan, prospect)
}

fn bar_in_words(prospect: &LabelForecast, plan: &GoalPlan, labels: usize, shown: f64) -> String {
    let Some(needed) = plan.needed else {
        return format!(
            "cannot be estimated: the expected value ({shown:.4}) is too close to the threshold, the loss has no bounds, or \
             the metric is an average over classes (use --method once)"
        );
    };
    let mut text = format!("{} labels, if it is {shown:.4}", label_count::in_words(needed, prospect.source));
    if let Source::Labels(_) = prospect.source {
        let more = needed.beyond(labels);
        text += &match more.expected {
            0 => "; there may be enough labels (run `labelwise check`)".to_owned(),
            _ => format!("; {} more to go", label_count::in_words(more, prospect.source)),
        };
    }
    text + &beside(plan, prospect)
}

/// The number of labels that uniform sampling would need, in words.
fn beside(plan: &GoalPlan, prospect: &LabelForecast) -> String {
    plan.uniform.map_or_else(String::new, |uniform| {
        format!("; uniform sampling needs {}", label_count::in_words(uniform, prospect.source))
    })
}

fn rests_on(prospect: &LabelForecast) -> String {
    match prospect.source {
        Source::Labels(labels) => format!("forecast from the variance of {}", counted(labels, "label")),
        Source::Surrogate => {
            "forecast from the surrogate, which may be wrong; with 50 labels the forecast is better"
                .to_owned()
        }
    }
}

/// The reason that there is no forecast.
fn without(evaluation: &Study, metric: &Measurable) -> &'static str {
    if evaluation.left() == 0 && evaluation.labels() > 0 {
        "every item was asked; run `labelwise estimate` for the result"
    } else if metric.score().is_some_and(|score| score.score == ScoreName::Calibration) {
        "the variance of a squared calibration error is not that of single labels; run `labelwise estimate` for \
         its interval"
    } else if metric.score().is_some() {
        "a metric that is not an average needs 50 labels, and 3 of them must carry its variance"
    } else {
        "without a surrogate, a forecast needs 50 labels, and some of them need a loss above 0"
    }
}
