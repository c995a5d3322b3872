//! `labelwise estimate`: the number, with its interval.

use std::io::Write;

use clap::ValueEnum;
use labelwise::interval::{Basis, Interval, Method};
use labelwise::metric::{Calibration, simultaneous};
use labelwise::plan::{Diagnosis, Reason};
use labelwise::report::Warning;
use labelwise_store::{
    Estimated, EstimatorName, Measurable, ScoreName, Scored, Study, View, Wanted, WantedScores,
};
use serde::Serialize;

use crate::args::EvaluationArg;
use crate::args::parse::{self, measurable};
use crate::error::Failure;
use crate::output::scores::{self, For};
use crate::output::text::{counted, percent, whose};
use crate::settings::{Settings, TargetName};

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.estimate/1";

/// Estimate losses and other metrics from the labels told so far.
///
/// The estimate uses the draws up to the first that still waits for its label. The ordinary interval covers about as
/// often as its level says once there are enough labels; the guaranteed one covers at least as often, however often one
/// looks, but is wider, and is there for mean losses only.
///
/// Metrics that are no means: precision, recall and f1 (of the positive class, or with _macro or _per_class),
/// balanced_accuracy, matthews_corrcoef, roc_auc, calibration, rmse, r2. They are consistent: their bias vanishes as
/// labels come in. Each is one JSON object of schema labelwise.score/1, or labelwise.calibration/1.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  labelwise estimate pool.labelwise\n  \
                        labelwise estimate pool.labelwise --loss cross-entropy,accuracy --level 0.9 --json\n  \
                        labelwise estimate pool.labelwise --loss f1_macro,balanced_accuracy,calibration")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// What to measure, several with commas between [default: what the evaluation was made for]
    #[arg(long, visible_alias = "metric", value_name = "NAMES", value_delimiter = ',', value_parser = measurable)]
    loss: Vec<Measurable>,
    /// The positive class, for metrics of one class [default: what `new` was told; of two, the one named 1, true or yes]
    #[arg(long, value_name = "CLASS")]
    positive: Option<String>,
    /// Measure each slice too: the items with the same value in a column that went along
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// A column that went along with what items belong to, such as a document or a person: with --target population,
    /// intervals heed that such items are alike
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,
    /// Make the intervals wide enough to cover all at once with this level (Bonferroni's)
    #[arg(long)]
    simultaneous: bool,
    /// The probability with which intervals are to cover the truth [default: the setting `level`, or 0.95]
    #[arg(long, value_name = "PROBABILITY", value_parser = parse::probability, allow_negative_numbers = true)]
    level: Option<f64>,
    /// Whose loss: that of this pool, or of the population it was drawn from [default: the setting `target`, or pool]
    #[arg(long, value_name = "WHOSE")]
    target: Option<TargetName>,
    /// How intervals are made: ordinary, guaranteed (at any time), or guaranteed-at-budget (if the number of labels was
    /// fixed beforehand)
    #[arg(long, value_name = "METHOD", default_value = "ordinary", hide_possible_values = true)]
    interval: MethodName,
    /// How the estimate is made: regression (ours), lure (the paper's), controlled, or iid (the plain mean) [default:
    /// regression, or the stratified mean of a stratified design]
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    estimator: Option<Estimating>,
    /// Print one JSON object (schema labelwise.estimate/1 for a loss, labelwise.score/1 or labelwise.calibration/1 for other
    /// metrics; a list of them if there are several) in place of text
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

/// Prints the estimates.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Failure> {
    let target = options.target.unwrap_or(settings.target.value);
    let level = parse::level(options.level.unwrap_or(settings.level.value))?;
    let evaluation = Study::read(options.evaluation.path())?;
    let mut what = For { level, target };
    let mut found = options.found(&evaluation, what)?;
    let count: usize = found.iter().map(Found::intervals).sum();
    if options.simultaneous && count > 1 {
        // To four digits, upwards: what is shown is what they are.
        let each = simultaneous(level, count);
        what.level = Some((each * 1e4).ceil() / 1e4).filter(|level| *level < 1.0).unwrap_or(each);
        found = options.found(&evaluation, what)?;
    }
    if options.json {
        let mut documents: Vec<String> = Vec::new();
        for found in found {
            documents.extend(found.documents(what)?);
        }
        let text = match documents.len() {
            1 => documents.concat(),
            _ => format!("[{}]", documents.join(",")),
        };
        writeln!(out, "{text}")?;
        return Ok(());
    }
    for found in &found {
        out.write_all(found.in_words(what).as_bytes())?;
    }
    if options.simultaneous && count > 1 {
        writeln!(out, "All {count} intervals cover at once with {}.", percent(level))?;
    }
    Ok(())
}

/// What was found of one metric.
enum Found {
    /// With what it says of the gain, where it says something.
    Loss(Box<Estimated>),
    Scores(Vec<Scored>),
    Calibration(Calibration),
}

impl Options {
    /// Every metric in the order in which they were asked for.
    fn found(&self, evaluation: &Study, what: For) -> Result<Vec<Found>, Failure> {
        let asked = if self.loss.is_empty() { evaluation.aims() } else { self.loss.clone() };
        let apart = self.by.is_some() || self.group.is_some();
        let score = asked.iter().find(|metric| apart || metric.score().is_some());
        let other = self.interval != MethodName::Ordinary
            || self.estimator.is_some_and(|estimator| estimator != Estimating::Regression);
        if let Some(metric) = score.filter(|_| other) {
            return Err(Failure::OrdinaryOnly { metric: metric.name().to_owned() });
        }
        let one = asked.iter().any(|metric| metric.score().is_some_and(|score| score.score.needs_positive()));
        if self.positive.is_some() && !one {
            return Err(labelwise_store::Error::from(labelwise_store::Unfit::PositiveUnused).into());
        }
        asked.iter().map(|metric| self.found_one(evaluation, metric, what, apart)).collect()
    }

    fn found_one(
        &self,
        evaluation: &Study,
        metric: &Measurable,
        what: For,
        apart: bool,
    ) -> Result<Found, Failure> {
        let (level, target) = (what.level, what.target.into());
        let score = match metric {
            Measurable::Loss(metric) if !apart => {
                let method = self.interval.into();
                let estimator = self.estimator.map_or_else(EstimatorName::default, Into::into);
                let wanted = Wanted { metrics: vec![metric.clone()], level, target, method, estimator };
                return match evaluation.estimate(&wanted)?.pop() {
                    Some(estimated) => Ok(Found::Loss(Box::new(estimated))),
                    None => Err(labelwise::Error::NoSamples { next: None }.into()),
                };
            }
            Measurable::Loss(_) => None,
            Measurable::Score(score) => Some(score),
        };
        let fits = score.is_none_or(|score| score.score.fits(&evaluation.settings().subject));
        if score.is_some_and(|score| score.score == ScoreName::Calibration) && fits && !apart {
            return Ok(Found::Calibration(evaluation.calibration(labelwise_store::BINS, target, level)?));
        }
        let positive =
            self.positive.clone().filter(|_| score.is_some_and(|score| score.score.needs_positive()));
        let (by, group) = (self.by.clone(), self.group.clone());
        let wanted = WantedScores { metrics: vec![metric.clone()], positive, by, group, level, target };
        Ok(Found::Scores(evaluation.measure(&wanted)?))
    }
}

impl Found {
    /// How many intervals it has.
    fn intervals(&self) -> usize {
        match self {
            Self::Loss(_) => 1,
            Self::Scores(scored) => scored.iter().filter(|scored| scored.interval.is_some()).count(),
            Self::Calibration(found) => {
                1 + found.bins.iter().filter(|bin| bin.gap.interval.is_some()).count()
            }
        }
    }

    /// As JSON, one an estimate.
    fn documents(self, what: For) -> Result<Vec<String>, Failure> {
        Ok(match self {
            Self::Loss(found) => {
                vec![serde_json::to_string(&Document::new(*found, what.level, what.target))?]
            }
            Self::Scores(scored) => {
                let each = scored
                    .into_iter()
                    .map(|scored| serde_json::to_string(&scores::Document::new(scored, what)));
                each.collect::<Result<_, _>>()?
            }
            Self::Calibration(found) => {
                vec![serde_json::to_string(&scores::CalibrationDocument::new(&found, what))?]
            }
        })
    }

    fn in_words(&self, what: For) -> String {
        match self {
            Self::Loss(found) => {
                let mut text = in_words(found, what.level, what.target);
                if let Some(diagnosis) = found.diagnosis.as_ref().filter(|diagnosis| diagnosis.is_small()) {
                    text += &format!("  note: {}\n", why_small(diagnosis, &found.report.warnings()));
                }
                text
            }
            Self::Calibration(found) => scores::calibration_in_words(found, what),
            Self::Scores(scored) => {
                // Several classes by slices are a table each.
                let sliced = scored.iter().any(|scored| scored.slice.is_some());
                let tables = scored.chunk_by(|one, other| !sliced || one.class == other.class);
                tables.map(|table| scores::in_words(table, what)).collect()
            }
        }
    }
}

impl Document {
    fn new(estimated: Estimated, level: f64, target: TargetName) -> Self {
        let Estimated { metric, value, interval, report, diagnosis, .. } = estimated;
        let (gain, reasons) = diagnosis.map(|diagnosis| (diagnosis.gain, diagnosis.reasons)).unzip();
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
pub(crate) fn basis(interval: &Interval) -> &'static str {
    match interval.basis {
        Basis::WholePool => "exact",
        Basis::LogT { .. } => "ordinary, on the log scale",
        Basis::T { .. } => "ordinary",
        Basis::Anytime => "anytime",
        _ => "guaranteed",
    }
}

fn in_words(estimated: &Estimated, level: f64, target: TargetName) -> String {
    let Estimated { metric, value, interval, report, .. } = estimated;
    let whose = whose(target);
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
    let bias = scores::bias(report.bias);
    text += &format!(", by {} ({bias}); effective hits {:.1}\n", report.estimator, report.effective_hits);
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
