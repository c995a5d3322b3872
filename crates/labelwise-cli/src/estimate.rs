//! `labelwise estimate`: the number, with its interval.

use std::io::Write;

use clap::ValueEnum;
use labelwise::{Basis, Diagnosis, Interval, Method, Reason, Warning};
use labelwise_store::{Durable, Estimated, EstimatorName, Metric, View, Wanted};
use serde::Serialize;

use crate::by::Of;
use crate::config::{Settings, TargetName};
use crate::failure::Failure;
use crate::level;
use crate::new::metric;
use crate::prose::{counted, percent};

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.estimate/1";

/// Estimate the loss from the labels told so far.
///
/// The estimate uses the draws up to the first that still waits for its label. The ordinary interval covers about as
/// often as its level says once there are enough labels; the guaranteed one covers at least as often, however often one
/// looks, but is wider.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  labelwise estimate pool.labelwise\n  \
                        labelwise estimate pool.labelwise --loss cross-entropy,accuracy --level 0.9 --json")]
pub(crate) struct Options {
    #[command(flatten)]
    of: Of,
    /// What to measure, several with commas between [default: what the evaluation was made for]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = metric)]
    loss: Vec<Metric>,
    /// The probability with which intervals are to cover the truth [default: the setting `level`, or 0.95]
    #[arg(long, value_name = "PROBABILITY", value_parser = level::probability, allow_negative_numbers = true)]
    level: Option<f64>,
    /// Whose loss: that of this pool, or of the population it was drawn from [default: the setting `target`, or pool]
    #[arg(long, value_name = "WHOSE")]
    target: Option<TargetName>,
    /// How intervals are made: ordinary, guaranteed (at any time), or guaranteed-at-budget (if the number of labels was
    /// fixed beforehand)
    #[arg(long, value_name = "METHOD", default_value = "ordinary", hide_possible_values = true)]
    interval: MethodName,
    /// How the estimate is made: regression (ours), lure (the paper's), controlled, or iid (the plain mean)
    #[arg(long, value_name = "NAME", default_value = "regression", hide_possible_values = true)]
    estimator: Estimating,
    /// Print one JSON object (schema labelwise.estimate/1; a list of them if several losses are asked for) in place of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    Ordinary,
    Guaranteed,
    GuaranteedAtBudget,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Estimating {
    Regression,
    Lure,
    Controlled,
    Iid,
}

/// One estimate, as machines read it.
#[derive(Serialize)]
pub(crate) struct Document {
    schema: &'static str,
    loss: String,
    estimate: f64,
    low: Option<f64>,
    high: Option<f64>,
    level: f64,
    labels: usize,
    pool_size: usize,
    target: TargetName,
    standard_error: Option<f64>,
    estimator: &'static str,
    interval: Option<&'static str>,
    higher_is_better: bool,
    effective_hits: f64,
    weight_ess: f64,
    largest_share: Option<f64>,
    usefulness: f64,
    waiting: usize,
    notes: Vec<String>,
    /// The labels of uniform sampling that each label was worth; nothing while there are too few to tell.
    gain: Option<f64>,
    /// Why that is little, where it is.
    why_small: Vec<String>,
}

impl Options {
    pub(crate) fn of(&self) -> &Of {
        &self.of
    }
}

/// Prints the estimates.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Failure> {
    let target = options.target.unwrap_or(settings.target.value);
    let level = level::checked(options.level.unwrap_or(settings.level.value))?;
    let wanted = Wanted {
        metrics: options.loss.clone(),
        level,
        target: target.into(),
        method: options.interval.into(),
        estimator: options.estimator.into(),
    };
    let evaluation = Durable::read(options.of.path())?;
    let estimates = evaluation.estimate(&wanted)?;
    // Of other estimators, and of what was not drawn for, it would say nothing new.
    let diagnosis = |estimated: &Estimated| match options.estimator {
        Estimating::Regression => evaluation.diagnosis(&estimated.metric),
        _ => Ok(None),
    };
    if options.json {
        let mut documents = Vec::with_capacity(estimates.len());
        for estimated in estimates {
            let diagnosis = diagnosis(&estimated)?;
            documents.push(Document::new(estimated, diagnosis, level, target));
        }
        let text = match documents.len() {
            1 => documents.pop().map(|only| serde_json::to_string(&only)).transpose()?.unwrap_or_default(),
            _ => serde_json::to_string(&documents)?,
        };
        writeln!(out, "{text}")?;
        return Ok(());
    }
    for estimated in &estimates {
        out.write_all(in_words(estimated, level, target).as_bytes())?;
        if let Some(diagnosis) = diagnosis(estimated)?.filter(Diagnosis::is_small) {
            writeln!(out, "  note: {}", why_small(&diagnosis, &estimated.report.warnings()))?;
        }
    }
    Ok(())
}

impl Document {
    fn new(estimated: Estimated, diagnosis: Option<Diagnosis>, level: f64, target: TargetName) -> Self {
        let (gain, reasons) = diagnosis.map(|diagnosis| (diagnosis.gain, diagnosis.reasons)).unzip();
        let Estimated { metric, value, interval, report, .. } = estimated;
        Self {
            schema: SCHEMA,
            higher_is_better: metric.view != View::Plain,
            loss: metric.name,
            estimate: value,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            level,
            labels: report.estimate.labels,
            pool_size: report.pool_size,
            target,
            standard_error: report.estimate.standard_error,
            estimator: report.estimator,
            interval: report.interval.map(|interval| basis(&interval)),
            effective_hits: report.effective_hits,
            weight_ess: report.weight_ess,
            largest_share: report.largest_share,
            usefulness: report.usefulness,
            waiting: report.waiting,
            notes: report.warnings().iter().map(ToString::to_string).collect(),
            gain,
            why_small: reasons.unwrap_or_default().iter().map(ToString::to_string).collect(),
        }
    }
}

/// What an interval rests on, in a word.
fn basis(interval: &Interval) -> &'static str {
    match interval.basis {
        Basis::WholePool => "exact",
        Basis::LogT { .. } => "ordinary, on the log scale",
        Basis::T { .. } => "ordinary",
        _ => "guaranteed",
    }
}

fn in_words(estimated: &Estimated, level: f64, target: TargetName) -> String {
    let Estimated { metric, value, interval, report, .. } = estimated;
    let whose = match target {
        TargetName::Pool => "this pool",
        TargetName::Population => "the population",
    };
    let percent = percent(level);
    let mut text = format!("{}  {value:.4}", metric.name);
    match (interval, &report.interval) {
        (Some((low, high)), Some(kind)) => {
            text += &format!("   {percent} interval for {whose} {low:.4} to {high:.4} ({})", basis(kind));
        }
        _ => text += &format!("   no interval for {whose} yet"),
    }
    let (labels, items) = (counted(report.estimate.labels, "label"), counted(report.pool_size, "item"));
    text += &format!("\n  from {labels} of {items}");
    text += &format!(", by {}; effective hits {:.1}\n", report.estimator, report.effective_hits);
    for warning in report.warnings() {
        text += &format!("  note: {warning}\n");
    }
    text
}

/// Why labels were worth little, but for what the warnings have said already.
fn why_small(diagnosis: &Diagnosis, warnings: &[Warning]) -> String {
    let said = |reason: &&Reason| {
        warnings.iter().any(|warning| {
            matches!(
                (warning, reason),
                (Warning::Useless { .. }, Reason::Useless { .. })
                    | (Warning::OneTerm { .. }, Reason::OneTerm { .. })
            )
        })
    };
    let reasons = diagnosis.reasons.iter().filter(|reason| !said(reason));
    let reasons: Vec<String> = reasons.map(ToString::to_string).collect();
    let worth = format!("one label was worth {:.2} labels of uniform sampling", diagnosis.gain);
    if reasons.is_empty() { worth } else { format!("{worth}, since {}", reasons.join("; ")) }
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Ordinary => Self::Ordinary,
            MethodName::Guaranteed => Self::Guaranteed,
            MethodName::GuaranteedAtBudget => Self::GuaranteedAtBudget,
        }
    }
}

impl From<Estimating> for EstimatorName {
    fn from(name: Estimating) -> Self {
        match name {
            Estimating::Regression => Self::Regression,
            Estimating::Lure => Self::Lure,
            Estimating::Controlled => Self::Controlled,
            Estimating::Iid => Self::Iid,
        }
    }
}
