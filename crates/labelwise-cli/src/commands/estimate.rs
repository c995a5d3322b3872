//! `labelwise estimate`: estimates metrics, with their intervals.

use std::io::Write;

use labelwise::Target;
use labelwise::interval::Method;
use labelwise::metric::simultaneous;
use labelwise::plan::{Diagnosis, Reason};
use labelwise::report::Warning;
use labelwise_study::{
    AnswerOptions, Answered, Estimated, EstimatorName, HumanAgreement, Measurable, MethodName, Named, Study,
    Worth,
};
use serde::Serialize;

use crate::args::EvaluationArg;
use crate::args::parse::{self, measurable, named, whole};
use crate::error::{Error, UsageError};
use crate::output::scores::{self, IntervalOptions, carry};
use crate::output::text::{counted, percent, whose};
use crate::output::unlabelled;
use crate::settings::Settings;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.estimate/1";

/// Estimate losses and other metrics from the labels so far.
///
/// The estimate uses all draws before the first one that still needs a label. With enough labels, the
/// ordinary interval covers about as often as its level says. The guaranteed interval covers at least as
/// often, even if you look after every label; it is wider, and exists for mean losses only.
///
/// Metrics that are not averages: precision, recall and f1 (of the positive class, or with _macro or
/// _per_class), balanced_accuracy, matthews_corrcoef, roc_auc, average_precision, precision_at_recall_0.9,
/// recall_at_precision_0.9, calibration, rmse, r2. They are consistent: their bias vanishes as labels arrive. Each is one JSON object of schema labelwise.score/1, or
/// labelwise.calibration/1.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  labelwise estimate pool.labelwise\n  \
                        labelwise estimate pool.labelwise --loss cross-entropy,accuracy --level 0.9 --json\n  \
                        labelwise estimate pool.labelwise --loss f1_macro,balanced_accuracy,calibration")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Metrics to estimate, comma-separated [default: the metrics that the evaluation was made for]
    #[arg(long, visible_alias = "metric", value_name = "NAMES", value_delimiter = ',', value_parser = measurable)]
    loss: Vec<Measurable>,
    /// Positive class, for metrics of one class [default: that of `new`; of two classes, the one named 1,
    /// true or yes]
    #[arg(long, value_name = "CLASS")]
    positive: Option<String>,
    /// Predict the positive class if its probability is at least this, for metrics of predicted classes
    /// [default: that of `new`]
    #[arg(long, value_name = "PROBABILITY", value_parser = parse::number, allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Also estimate each slice: the items with the same value in this passthrough column (see `new --carry`)
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// Passthrough column of groups of similar items, such as a document or a person. With --target
    /// population, intervals account for the correlation within groups
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,
    /// Make all intervals together cover with this level (Bonferroni)
    #[arg(long)]
    simultaneous: bool,
    /// Probability that an interval covers the true value [default: the setting `level`, or 0.95]
    #[arg(long, value_name = "PROBABILITY", value_parser = parse::probability, allow_negative_numbers = true)]
    level: Option<f64>,
    /// Estimate the loss of this pool, or of the population that the pool is a sample of [default: the
    /// setting `target`, or pool]
    #[arg(long, value_name = "WHOSE", value_parser = named::<Target>())]
    target: Option<Target>,
    /// Method of the interval
    #[arg(long, value_name = "METHOD", default_value = "ordinary", value_parser = named::<MethodName>())]
    interval: MethodName,
    /// Number of labels at which the anytime interval is narrowest; choose it before the first look [default:
    /// 100]
    #[arg(long, value_name = "LABELS", value_parser = whole::<usize>)]
    planned: Option<usize>,
    /// Estimator
    #[arg(long, value_name = "NAME", default_value = "suited", value_parser = named::<EstimatorName>())]
    estimator: EstimatorName,
    /// Print one JSON object instead of text (schema labelwise.estimate/1 for a loss, labelwise.score/1 or
    /// labelwise.calibration/1 for other metrics; a list if there are several)
    #[arg(long)]
    json: bool,
}

/// The JSON object of one estimate.
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
    target: &'static str,
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
    /// The number of uniformly sampled labels that one label was worth; null if there are too few labels.
    gain: Option<f64>,
    /// The reasons that the gain is small, if it is.
    why_small: Vec<String>,
    /// What one label is worth by the judge alone, and with items chosen by it; absent without a judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    worth: Option<Worth>,
    /// How often two people agree, and the standard error that annotators bring of their own; absent with one annotator.
    #[serde(skip_serializing_if = "Option::is_none")]
    annotators: Option<Annotators>,
}

/// Several annotators.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Annotators {
    standard_error: Option<f64>,
    /// Whether it is estimated from items with several labels; otherwise it is an upper bound.
    estimated: bool,
    agreement: Option<HumanAgreement>,
}

impl Annotators {
    fn of(evaluation: &Study, level: f64) -> Result<Option<Self>, Error> {
        let (noise, agreement) = (evaluation.annotator_noise()?, evaluation.human_agreement(level)?);
        if noise.is_none() && agreement.is_none() {
            return Ok(None);
        }
        let standard_error = noise.map(|noise| noise.variance.sqrt());
        Ok(Some(Self { standard_error, estimated: noise.is_some_and(|noise| noise.estimated), agreement }))
    }
}

/// Prints the estimates.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let target = options.target.unwrap_or(settings.target.value);
    let level = parse::level(options.level.unwrap_or(settings.level.value))?;
    let evaluation = options.evaluation.read()?;
    let mut what = IntervalOptions { level, target };
    let mut found = options.answers(&evaluation, what)?;
    let count: usize = found.iter().map(intervals).sum();
    if options.simultaneous && count > 1 {
        // Rounded up to four digits, so that the printed level is the level that was used.
        let each = simultaneous(level, count);
        what.level = Some((each * 1e4).ceil() / 1e4).filter(|level| *level < 1.0).unwrap_or(each);
        found = options.answers(&evaluation, what)?;
    }
    if options.json {
        let worth = evaluation.settings().judge.as_ref().map(|_| evaluation.worth()).transpose()?;
        let beside = (worth, Annotators::of(&evaluation, level)?);
        let mut documents: Vec<String> = Vec::new();
        for found in found {
            documents.extend(self::documents(found, what, beside)?);
        }
        let text = match documents.len() {
            1 => documents.concat(),
            _ => format!("[{}]", documents.join(",")),
        };
        writeln!(out, "{text}")?;
        return Ok(());
    }
    for found in &found {
        out.write_all(answer_in_words(found, what).as_bytes())?;
    }
    if let Some(worth) = evaluation.worth_in_words()? {
        writeln!(out, "  judge: {worth}")?;
    }
    if let Some(people) = people_in_words(&evaluation, level)? {
        out.write_all(people.as_bytes())?;
    }
    if options.simultaneous && count > 1 {
        writeln!(out, "All {count} intervals together cover with {}.", percent(level))?;
    }
    let path = options.evaluation.path();
    let notes = [unlabelled::holding_up(&evaluation, path)?, unlabelled::skipped(&evaluation, path)?];
    for note in notes.into_iter().flatten() {
        writeln!(out, "{note}")?;
    }
    Ok(())
}

impl Options {
    fn method(&self) -> Result<Method, UsageError> {
        if self.planned.is_some() && self.interval != MethodName::Anytime {
            return Err(UsageError::planned());
        }
        Ok(self.interval.method(self.planned))
    }

    /// Every metric, in the order of the command line.
    fn answers(&self, evaluation: &Study, what: IntervalOptions) -> Result<Vec<Answered>, Error> {
        let wanted = AnswerOptions {
            metrics: self.loss.clone(),
            positive: self.positive.clone(),
            threshold: self.threshold,
            by: self.by.clone(),
            group: self.group.clone(),
            level: what.level,
            target: what.target,
            method: self.method()?,
            estimator: self.estimator,
        };
        Ok(evaluation.answers(&wanted)?)
    }
}

/// What several annotators mean for the estimates; `None` with one of them.
fn people_in_words(evaluation: &Study, level: f64) -> Result<Option<String>, Error> {
    let mut text = String::new();
    if let Some(noise) = evaluation.annotator_noise()? {
        let how = if noise.estimated {
            format!("estimated from the {} that several people labelled", counted(noise.overlap, "item"))
        } else {
            "bounded, because fewer than 10 items have labels of several people".to_owned()
        };
        text += &format!(
            "  annotators: estimates are of the mean over annotators; their own noise is {how} (standard error {:.4})\n",
            noise.variance.sqrt()
        );
    }
    if let Some(found) = evaluation.human_agreement(level)? {
        let range = |interval: Option<(f64, f64)>| {
            interval.map_or_else(String::new, |(low, high)| format!(" ({low:.2} to {high:.2})"))
        };
        text += &format!(
            "  people agree on {:.2}{} of items, by {} with several labels",
            found.agreement,
            range(found.agreement_interval),
            counted(found.items, "item")
        );
        if let Some(kappa) = found.kappa {
            text += &format!("; kappa {kappa:.2}{}", range(found.kappa_interval));
        }
        if found.agreement_interval.is_none() {
            text += "; no interval, because they differ on fewer than 10";
        }
        text.push('\n');
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// The number of intervals.
fn intervals(answered: &Answered) -> usize {
    match answered {
        Answered::Loss(_) => 1,
        Answered::Scores(scored) => scored.iter().filter(|scored| scored.interval.is_some()).count(),
        Answered::Calibration(found) => {
            1 + found.bins.iter().filter(|bin| bin.gap.interval.is_some()).count()
        }
    }
}

/// What is said beside an estimate.
type Beside = (Option<Worth>, Option<Annotators>);

/// One JSON object per estimate.
fn documents(answered: Answered, what: IntervalOptions, beside: Beside) -> Result<Vec<String>, Error> {
    Ok(match answered {
        Answered::Loss(found) => {
            vec![serde_json::to_string(&Document::new(*found, what.level, what.target, beside))?]
        }
        Answered::Scores(scored) => {
            let each =
                scored.into_iter().map(|scored| serde_json::to_string(&scores::Document::new(scored, what)));
            each.collect::<Result<_, _>>()?
        }
        Answered::Calibration(found) => {
            vec![serde_json::to_string(&scores::CalibrationDocument::new(&found, what))?]
        }
    })
}

fn answer_in_words(answered: &Answered, what: IntervalOptions) -> String {
    match answered {
        Answered::Loss(found) => {
            let mut text = in_words(found, what.level, what.target);
            if let Some(diagnosis) = found.diagnosis.as_ref().filter(|diagnosis| diagnosis.is_small()) {
                text += &format!("  note: {}\n", why_small(diagnosis, &found.report.warnings()));
            }
            text
        }
        Answered::Calibration(found) => scores::calibration_in_words(found, what),
        Answered::Scores(scored) => {
            // Several classes by slices are a table each.
            let sliced = scored.iter().any(|scored| scored.slice.is_some());
            let tables = scored.chunk_by(|one, other| !sliced || one.class == other.class);
            tables.map(|table| scores::in_words(table, what)).collect()
        }
    }
}

impl Document {
    fn new(estimated: Estimated, level: f64, target: Target, (worth, annotators): Beside) -> Self {
        let Estimated { metric, value, interval, basis, report, diagnosis, .. } = estimated;
        let (gain, reasons) = diagnosis.map(|diagnosis| (diagnosis.gain, diagnosis.reasons)).unzip();
        Self {
            schema: SCHEMA,
            higher_is_better: Measurable::Loss(metric.clone()).higher_is_better(),
            loss: metric.name,
            estimate: value,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            level,
            labels: report.estimate.labels,
            pool_size: report.pool_size,
            target: target.name(),
            standard_error: report.estimate.standard_error,
            estimator: report.estimator,
            interval: basis,
            effective_hits: report.effective_hits,
            weight_ess: report.weight_ess,
            largest_share: report.largest_share,
            usefulness: report.usefulness,
            waiting: report.waiting,
            notes: report.warnings().iter().map(ToString::to_string).collect(),
            gain,
            why_small: reasons.unwrap_or_default().iter().map(ToString::to_string).collect(),
            worth,
            annotators,
        }
    }
}

fn in_words(estimated: &Estimated, level: f64, target: Target) -> String {
    let Estimated { metric, value, interval, basis, report, .. } = estimated;
    let whose = whose(target);
    let percent = percent(level);
    let mut text = format!("{}  {value:.4}", metric.name);
    match (interval, basis) {
        (Some((low, high)), Some(basis)) => {
            text += &format!("   {percent} interval for {whose} {low:.4} to {high:.4} ({basis})");
        }
        _ => text += &format!("   no interval for {whose} yet"),
    }
    let (labels, items) = (counted(report.estimate.labels, "label"), counted(report.pool_size, "item"));
    text += &format!("\n  from {labels} of {items}");
    let bias = scores::bias(report.bias);
    let hits = carry(report.effective_hits);
    text += &format!(", by {} ({bias}); {hits}\n", report.estimator);
    for warning in report.warnings() {
        // The note at the end names the items that hold labels up.
        if !matches!(warning, Warning::Waiting { .. }) {
            text += &format!("  note: {warning}\n");
        }
    }
    text
}

/// The reasons for a small gain, except those that the warnings contain.
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
    let worth = format!("1 label was worth {:.2} labels of uniform sampling", diagnosis.gain);
    if reasons.is_empty() { worth } else { format!("{worth}, because {}", reasons.join("; ")) }
}
