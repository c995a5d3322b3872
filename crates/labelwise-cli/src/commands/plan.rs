//! `labelwise plan`: estimates how many labels a goal needs.

use std::io::Write;

use labelwise::plan::{LabelForecast, LabelRange, Progress, Source, WidthRule};
use labelwise_study::{Metric, Study};
use serde::Serialize;

use super::check::Sureness;
use crate::args::parse::{number, positive};
use crate::args::{EvaluationArg, MeanOptions};
use crate::error::Error;
use crate::output::label_count::{self, LabelCount};
use crate::output::print_json;
use crate::output::text::{counted, percent};
use crate::settings::{Settings, TargetName};

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
    mean: MeanOptions,
    /// Method that decides about the threshold, as in `labelwise check`: anytime, guaranteed or once
    #[arg(long, value_name = "METHOD", default_value = "anytime", hide_possible_values = true)]
    method: Sureness,
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
    target: TargetName,
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
    method: Sureness,
    needed: Option<LabelCount>,
    uniform: Option<LabelCount>,
}

/// The number of labels that a goal needs.
struct Plan {
    needed: Option<LabelRange>,
    uniform: Option<LabelRange>,
}

/// The number of labels that a width needs, and the width that the present labels give.
struct WidthPlan {
    wanted: f64,
    progress: Option<Progress>,
    plan: Plan,
}

/// The number of labels that a threshold needs.
struct BarPlan {
    value: f64,
    plan: Plan,
}

/// The metric of a plan, and the forecast it uses.
struct Planner<'a> {
    evaluation: &'a Study,
    metric: &'a Metric,
    prospect: Option<LabelForecast>,
    level: f64,
    target: TargetName,
}

/// Prints the plan.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let (target, level) = (options.mean.target(settings), options.mean.level(settings)?);
    let evaluation = options.evaluation.read()?;
    let metric = options.mean.metric(evaluation.settings())?;
    let prospect = evaluation.prospect(metric)?;
    let planner = Planner { evaluation: &evaluation, metric, prospect, level, target };
    let width = options.goals.half_width.map(|wanted| planner.width(wanted)).transpose()?;
    let bar = options.goals.bar.map(|value| planner.bar(value, options.method)).transpose()?;
    if options.json {
        return print_json(&planner.document(width, bar, options.method), out);
    }
    planner.print(width, bar, out)
}

impl Planner<'_> {
    fn width(&self, wanted: f64) -> Result<WidthPlan, Error> {
        let (level, target) = (self.level, self.target.into());
        let progress =
            self.evaluation.width(self.metric, &WidthRule { half_width: wanted, level, target })?;
        let least = WidthRule::least(self.evaluation.settings().pool.size);
        let plan = plan(self.prospect.as_ref(), |prospect| {
            let labels = prospect.for_half_width(wanted, level, target)?;
            Ok(labels.map(|labels| labels.at_least(least)))
        })?;
        Ok(WidthPlan { wanted, progress, plan })
    }

    fn bar(&self, value: f64, method: Sureness) -> Result<BarPlan, Error> {
        let plan = plan(self.prospect.as_ref(), |prospect| {
            prospect.for_threshold(self.metric.shown(value), self.level, method.into(), self.target.into())
        })?;
        Ok(BarPlan { value, plan })
    }

    fn document(&self, width: Option<WidthPlan>, bar: Option<BarPlan>, method: Sureness) -> Document<'_> {
        let prospect = self.prospect.as_ref();
        Document {
            schema: SCHEMA,
            loss: &self.metric.name,
            level: self.level,
            target: self.target,
            labels: self.evaluation.labels(),
            pool_size: self.evaluation.settings().pool.size,
            rests_on: prospect.map(label_count::source),
            expected: prospect.map(|prospect| self.metric.shown(prospect.risk)),
            half_width: width.map(|WidthPlan { wanted, progress, plan }| WidthDocument {
                wanted,
                now: progress.and_then(|progress| progress.half_width).filter(|half| half.is_finite()),
                reached: progress.is_some_and(|progress| progress.reached),
                needed: plan.needed.map(Into::into),
                uniform: plan.uniform.map(Into::into),
            }),
            bar: bar.map(|BarPlan { value, plan }| BarDocument {
                value,
                method,
                needed: plan.needed.map(Into::into),
                uniform: plan.uniform.map(Into::into),
            }),
        }
    }

    fn print(
        &self,
        width: Option<WidthPlan>,
        bar: Option<BarPlan>,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let (name, labels) = (&self.metric.name, self.evaluation.labels());
        let Some(prospect) = &self.prospect else {
            writeln!(out, "{name}: nothing can be said yet: {}", without(self.evaluation))?;
            return Ok(());
        };
        if let Some(WidthPlan { wanted, progress, plan }) = width {
            let words = width_in_words(prospect, progress, &plan, labels);
            writeln!(out, "{name} within ± {wanted} at {}: {words}", percent(self.level))?;
        }
        if let Some(BarPlan { value, plan }) = bar {
            let words = bar_in_words(prospect, &plan, labels, self.metric.shown(prospect.risk));
            writeln!(out, "{name} below or above {value}: {words}")?;
        }
        writeln!(out, "  {}", rests_on(prospect))?;
        Ok(())
    }
}

/// The number of labels for a goal, with the evaluation's draws and with uniform sampling.
fn plan(
    prospect: Option<&LabelForecast>,
    labels: impl Fn(&LabelForecast) -> Result<Option<LabelRange>, labelwise::Error>,
) -> Result<Plan, Error> {
    Ok(match prospect {
        Some(prospect) => {
            Plan { needed: labels(prospect)?, uniform: labels(&prospect.by_uniform_sampling())? }
        }
        None => Plan { needed: None, uniform: None },
    })
}

fn width_in_words(
    prospect: &LabelForecast,
    progress: Option<Progress>,
    plan: &Plan,
    labels: usize,
) -> String {
    let now = progress.and_then(|progress| progress.half_width);
    if let (Some(half), true) = (now, progress.is_some_and(|progress| progress.reached)) {
        return format!("reached, ± {half:.4} by {}", counted(labels, "label"));
    }
    let Some(needed) = plan.needed else {
        return "out of reach: even the whole pool is a sample of its population".to_owned();
    };
    let mut text = format!("{} labels", label_count::in_words(needed, prospect.source));
    if let (Source::Labels(_), Some(half)) = (prospect.source, now) {
        let more = progress.and_then(|progress| progress.more).map_or(needed.beyond(labels), |more| more);
        text += &format!("; now ± {half:.4}, {} more to go", label_count::in_words(more, prospect.source));
    }
    text + &beside(plan, prospect)
}

fn bar_in_words(prospect: &LabelForecast, plan: &Plan, labels: usize, shown: f64) -> String {
    let Some(needed) = plan.needed else {
        return format!(
            "cannot be foreseen, since it is expected to be {shown:.4}, or the loss has no bounds"
        );
    };
    let mut text = format!("{} labels, if it is {shown:.4}", label_count::in_words(needed, prospect.source));
    if let Source::Labels(_) = prospect.source {
        let more = needed.beyond(labels);
        text += &match more.expected {
            0 => "; there may be enough (`labelwise check` tells)".to_owned(),
            _ => format!("; {} more to go", label_count::in_words(more, prospect.source)),
        };
    }
    text + &beside(plan, prospect)
}

/// The number of labels that uniform sampling would need, in words.
fn beside(plan: &Plan, prospect: &LabelForecast) -> String {
    plan.uniform.map_or_else(String::new, |uniform| {
        format!("; uniform sampling {}", label_count::in_words(uniform, prospect.source))
    })
}

fn rests_on(prospect: &LabelForecast) -> String {
    match prospect.source {
        Source::Labels(labels) => format!("by the variance of {}", counted(labels, "label")),
        Source::Surrogate => {
            "as the surrogate expects, which may be wrong: with 50 labels it will be known better".to_owned()
        }
    }
}

/// The reason that there is no forecast.
fn without(evaluation: &Study) -> &'static str {
    if evaluation.left() == 0 && evaluation.labels() > 0 {
        "every item was asked; `labelwise estimate` has the result"
    } else {
        "without beliefs about labels it takes 50 labels, some of them with a loss"
    }
}
