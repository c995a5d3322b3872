//! `labelwise check`: is a metric below or above a threshold? The exit code is the answer, for scripts.

use std::io::{ErrorKind, Write};

use labelwise::plan::{Assurance, Decision, Side, Threshold, Verdict};
use labelwise_study::{Checked, Measurable, Named, Score, Settings as Made, Subject};
use serde::Serialize;

use crate::args::parse::{named, number};
use crate::args::{EvaluationArg, MetricArgs};
use crate::error::Error;
use crate::output::label_count::{self, LabelCount};
use crate::output::text::{counted, percent, whose};
use crate::settings::Settings;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.check/1";

/// The exit code of a threshold that is not met.
const NOT_MET: u8 = 1;

/// The exit code while the answer is open.
const UNDECIDED: u8 = 3;

/// Check whether a metric is below or above a threshold.
///
/// You can check after every label and stop at the first answer. That answer is wrong with probability at
/// most 1 - level. Metrics that are not averages can be checked too: precision, recall and f1 (also with
/// _macro, or _per_class for every class) and rmse after every label; matthews_corrcoef, roc_auc, r2 and
/// calibration (its squared error) at a number of labels that you fixed in advance.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes:\n  0 the threshold is met, 1 it is not met, 3 not decided yet, 2 error\n\n\
                        Examples:\n  labelwise check pool.labelwise --loss accuracy --above 0.6\n  \
                        labelwise check pool.labelwise --loss zero-one --below 0.4 --json"
)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    #[command(flatten)]
    bar: BarOptions,
    #[command(flatten)]
    metric: MetricArgs,
    /// Method that decides [default: anytime; once for metrics that have no interval for repeated looks]
    #[arg(long, value_name = "METHOD", value_parser = named::<Assurance>())]
    method: Option<Assurance>,
    /// Print one JSON object (schema labelwise.check/1) instead of text
    #[arg(long)]
    json: bool,
}

/// The threshold, and its side.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct BarOptions {
    /// The threshold is met if the metric is at most this value
    #[arg(long, value_name = "VALUE", value_parser = number, allow_negative_numbers = true)]
    below: Option<f64>,
    /// The threshold is met if the metric is at least this value
    #[arg(long, value_name = "VALUE", value_parser = number, allow_negative_numbers = true)]
    above: Option<f64>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    loss: &'a str,
    verdict: &'static str,
    below: Option<f64>,
    above: Option<f64>,
    level: f64,
    target: &'static str,
    method: &'static str,
    /// Whether the labels leave no doubt, whatever the other items are.
    certain: bool,
    /// The range that is left for the metric. Each end is wrong with probability at most 1 − level.
    low: Option<f64>,
    high: Option<f64>,
    labels: usize,
    pool_size: usize,
    /// The number of further labels that will probably decide.
    more: Option<LabelCount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

/// Prints the answer and returns its exit code.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<u8, Error> {
    let (target, level) = (options.metric.target(settings), options.metric.level(settings)?);
    let evaluation = options.evaluation.read()?;
    let metric = options.metric.metric(&evaluation)?;
    let assurance = options.method.unwrap_or_else(|| evaluation.usual_assurance(&metric));
    let (value, side) = match (options.bar.below, options.bar.above) {
        (Some(value), _) => (value, Side::Below),
        (None, value) => (value.unwrap_or(f64::NAN), Side::Above),
    };
    let bar = Threshold { value, side, level, assurance, target };
    let checked = evaluation.check(&metric, options.metric.positive(), &bar)?;
    let Checked { decision, more, certain, .. } = checked;
    let note = without_bounds(evaluation.settings(), &decision);
    let text = if options.json {
        let (low, high) = decision.interval.unzip();
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
        let document = Document {
            schema: SCHEMA,
            loss: metric.name(),
            verdict: word(decision.verdict),
            below: options.bar.below,
            above: options.bar.above,
            level,
            target: target.name(),
            method: assurance.name(),
            certain,
            low: finite(low),
            high: finite(high),
            labels: decision.labels,
            pool_size: evaluation.settings().pool.size,
            more: more.map(|(more, _)| more.into()),
            note,
        };
        serde_json::to_string(&document)?
    } else {
        let sentence = sentence(&metric, &bar, &checked);
        note.map_or_else(|| sentence.clone(), |note| format!("{sentence}\n  note: {note}"))
    };
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        // Nobody reads it, and the exit code is the answer all the same.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written?,
    }
    Ok(match decision.verdict {
        Verdict::Met => 0,
        Verdict::NotMet => NOT_MET,
        Verdict::Undecided => UNDECIDED,
    })
}

/// What helps if labels may have any value, so that few of them cannot decide.
fn without_bounds(made: &Made, decision: &Decision) -> Option<&'static str> {
    let is_unknown = decision.interval.is_none_or(|(low, high)| !low.is_finite() && !high.is_finite());
    let are_numbers = matches!(made.subject, Subject::Values | Subject::Scores);
    (is_unknown && are_numbers && made.range.is_none()).then_some(
        "labels may have any value, so only many of them can decide: if their range is known, create the evaluation \
         with labelwise new --range LOW,HIGH",
    )
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Met => "met",
        Verdict::NotMet => "not met",
        Verdict::Undecided => "undecided",
    }
}

fn sentence(metric: &Measurable, bar: &Threshold, checked: &Checked) -> String {
    let Threshold { value, side, level, target, assurance } = *bar;
    let Checked { decision, certain, more, .. } = checked;
    let (side, met) = match side {
        Side::Below => ("below", "at most"),
        Side::Above => ("above", "at least"),
    };
    let each = metric.score().is_some_and(|score| score.is_per_class());
    let (is, is_not) = if each { ("of every class is", "of some class is not") } else { ("is", "is not") };
    let (whose, name) = (whose(target), metric.name());
    let sure = if *certain { "for certain".to_owned() } else { format!("({} sure)", percent(level)) };
    let by = format!("from {}", counted(decision.labels, "label"));
    let (low, high) = decision.interval.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let mut text = match decision.verdict {
        Verdict::Met => {
            let end = if bar.side == Side::Below { high } else { low };
            format!("met: {name} {is} {side} {value} on {whose}: {met} {end:.4}, {by} {sure}")
        }
        Verdict::NotMet => {
            let (end, other) = if bar.side == Side::Below { (low, "at least") } else { (high, "at most") };
            format!("not met: {name} {is_not} {side} {value} on {whose}: {other} {end:.4}, {by} {sure}")
        }
        Verdict::Undecided => {
            let more = more.map_or_else(
                || "the number of labels that would decide cannot be estimated".to_owned(),
                |(more, source)| {
                    let labels = if more.high == 1 { "label" } else { "labels" };
                    format!("{} more {labels} may decide", label_count::in_words(more, source))
                },
            );
            let labels = counted(decision.labels, "label");
            let left = match (low.is_finite(), high.is_finite()) {
                (true, true) => format!("it is between {low:.4} and {high:.4}"),
                (true, false) => format!("it is at least {low:.4}"),
                (false, true) => format!("it is at most {high:.4}"),
                (false, false) => "it has no bounds yet".to_owned(),
            };
            let not = if decision.labels == 1 { "does not" } else { "do not" };
            format!(
                "undecided: {labels} {not} decide whether {name} {is} {side} {value} on {whose} ({left}); {more}"
            )
        }
    };
    if assurance == Assurance::Once && metric.score().is_some() && !certain {
        text += "\nnote: valid for a single look, at a number of labels that you fixed in advance";
        if metric.score().is_some_and(Score::has_sequence) {
            text += "; if you check repeatedly, use --method anytime";
        }
    }
    text
}
