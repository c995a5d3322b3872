//! The command: from an evaluation to its page.

use std::io::Write;
use std::path::{Path, PathBuf};

use labelwise::Imputed;
use labelwise_store::{self as store, Design, Durable, Fate as Stored, View, Wanted};
use serde::Serialize;

use super::document::html;
use super::metric::{Better, Form, Metric};
use super::page::{DrawLine, Fate, OtherMetric, Page, Provenance, ScoreLine, Skipped};
use crate::by::{self, Of, moment};
use crate::config::{Settings, TargetName};
use crate::failure::Failure;
use crate::level;
use crate::new::metric;
use crate::progress::Spinner;
use crate::written;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.report/1";

/// Write an evaluation as one HTML page.
///
/// The page needs nothing else and asks for nothing from the network: the estimate with its interval as labels came in,
/// beside what uniform sampling would give; the weights; a check of the surrogate; every draw. It can be mailed and
/// printed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise report pool.labelwise --out report.html")]
pub(crate) struct Options {
    #[command(flatten)]
    of: Of,
    /// The page to write [default: the evaluation's name, with .html]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What the page is about [default: the evaluation's name]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// What to measure [default: what the evaluation was made for]
    #[arg(long, value_name = "NAME", value_parser = metric)]
    loss: Option<store::Metric>,
    /// The probability with which intervals are to cover the truth [default: the setting `level`, or 0.95]
    #[arg(long, value_name = "PROBABILITY", value_parser = level::probability, allow_negative_numbers = true)]
    level: Option<f64>,
    /// Whose loss: that of this pool, or of the population it was drawn from [default: the setting `target`, or pool]
    #[arg(long, value_name = "WHOSE")]
    target: Option<TargetName>,
    /// Print one JSON object (schema labelwise.report/1) in place of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    report: &'a Path,
    target: TargetName,
}

impl Options {
    pub(crate) fn of(&self) -> &Of {
        &self.of
    }
}

/// Writes the page.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Failure> {
    let level = level::checked(options.level.unwrap_or(settings.level.value))?;
    let target = options.target.unwrap_or(settings.target.value);
    let path = options.out.clone().unwrap_or_else(|| options.of.path().with_extension("html"));
    let spinner = Spinner::new("drawing");
    let evaluation = Durable::read(options.of.path())?;
    let page = page(&evaluation, options, level, target)?;
    let text = html(&page)?;
    drop(spinner);
    written::write(&path, text.as_bytes())?;
    if options.json {
        writeln!(out, "{}", serde_json::to_string(&Document { schema: SCHEMA, report: &path, target })?)?;
    } else {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

fn page(evaluation: &Durable, options: &Options, level: f64, target: TargetName) -> Result<Page, Failure> {
    let made = evaluation.settings();
    let measured = match &options.loss {
        Some(metric) => metric,
        None => made.mean_metric().map_err(labelwise_store::Error::from)?,
    };
    let wanted =
        Wanted { metrics: vec![measured.clone()], level, target: target.into(), ..Wanted::default() };
    let method = wanted.method;
    let others: Vec<store::Metric> =
        store::Metric::all(made).into_iter().filter(|other| other.name != measured.name).collect();
    let mut estimates = evaluation.estimate(&wanted)?.into_iter();
    let Some(estimated) = estimates.next() else {
        return Err(labelwise::Error::NoSamples { next: None }.into());
    };
    let evidence = |imputed| evaluation.evidence_by_design(measured, imputed);
    let skipped = match estimated.report.estimate.skipped {
        Some(_) => {
            Some(Skipped { lowest: evidence(Imputed::Lowest)?.0, highest: evidence(Imputed::Highest)?.0 })
        }
        None => None,
    };
    let others = if others.is_empty() {
        Vec::new()
    } else {
        evaluation.estimate(&Wanted { metrics: others, ..wanted })?
    };
    let other = |other: store::Estimated| OtherMetric {
        form: form(&other.metric),
        name: other.metric.name,
        value: other.value,
        interval: other.interval,
        labels: other.report.estimate.labels,
    };
    let name =
        options.of.path().file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let (evidence, estimator) = evidence(Imputed::Expected)?;
    Ok(Page {
        title: options.title.clone().unwrap_or(name),
        metric: shown(measured),
        evidence,
        report: estimated.report,
        skipped,
        estimator,
        method,
        target: target.into(),
        level,
        others: others.into_iter().map(other).collect(),
        strata: evaluation.strata()?,
        scores: scores(evaluation, level, target)?,
        draws: draws(evaluation, measured)?,
        provenance: provenance(evaluation),
    })
}

/// The usual metrics that are no means; none where skipped items leave them without bounds.
fn scores(evaluation: &Durable, level: f64, target: TargetName) -> Result<Vec<ScoreLine>, Failure> {
    let metrics = evaluation.usual_scores();
    let (positive, by, group) = (None, None, None);
    let wanted = store::WantedScores { metrics, positive, by, group, level, target: target.into() };
    let scored = match evaluation.measure(&wanted) {
        // Strata give means alone.
        Err(store::Error::Unfit(store::Unfit::Skipped { .. }) | store::Error::Design(_)) => Vec::new(),
        scored => scored?,
    };
    let line = |scored: store::Scored| ScoreLine {
        name: scored
            .class
            .as_ref()
            .map_or(scored.name.clone(), |class| format!("{} of {class}", scored.name)),
        value: scored.value,
        interval: scored.interval,
        labels: scored.labels,
        notes: scored.notes,
    };
    Ok(scored.into_iter().map(line).collect())
}

fn shown(metric: &store::Metric) -> Metric {
    let (of, better): (fn(f64) -> f64, _) = match metric.view {
        View::Plain => (|mean| mean, Better::Lower),
        View::Negative => (|mean| -mean, Better::Higher),
        View::Complement => (|mean| 1.0 - mean, Better::Higher),
    };
    let loss = format!("{} loss", metric.loss);
    Metric { name: metric.name.clone(), loss, of, better, form: form(metric) }
}

fn form(metric: &store::Metric) -> Form {
    match metric.loss {
        store::LossName::ZeroOne => Form::Percent,
        _ => Form::Number,
    }
}

/// Every draw, with what was last said of it.
fn draws(evaluation: &Durable, metric: &store::Metric) -> Result<Vec<DrawLine>, Failure> {
    let losses = evaluation.losses(metric)?;
    let strata = evaluation.strata()?;
    let turn = |place: usize| strata.as_ref().and_then(|strata| strata.turns().get(place).copied());
    let mut last = vec![None; losses.len()];
    let mut amendments = vec![0; losses.len()];
    for event in evaluation.events() {
        if let (Some(last), Some(amended)) = (last.get_mut(event.place), amendments.get_mut(event.place)) {
            *last = Some((event.at, event.who));
            *amended += usize::from(event.what == "amended");
        }
    }
    let lines = evaluation.history().zip(losses).zip(last).zip(amendments).enumerate();
    Ok(lines
        .map(|(place, (((draw, loss), last), amendments))| {
            let (at, who) = last.unwrap_or((draw.at, draw.who));
            let fate = match (draw.fate, loss) {
                (Stored::Labelled(label), Some(loss)) => {
                    Fate::Labelled { label: label.clone(), loss, amendments }
                }
                (Stored::Skipped, _) => Fate::Skipped,
                (Stored::MissingAtRandom, _) => Fate::Missing,
                _ => Fate::Open,
            };
            let (index, id, q) = (draw.item, draw.id.to_owned(), draw.q);
            let stratum = turn(place);
            DrawLine { place, index, id, q, stratum, fate, at: moment(at), who: who.to_owned() }
        })
        .collect())
}

fn provenance(evaluation: &Durable) -> Provenance {
    let made = evaluation.settings();
    let setting = |name: &str, value: String| (name.to_owned(), value);
    let chosen = match made.design {
        Design::OneShot { budget } => format!("{budget} before the first label, from one proposal"),
        Design::Stratified { budget, .. } => format!("{budget} before the first label, within strata"),
        _ => "one after another, as labels came in".to_owned(),
    };
    Provenance {
        file: evaluation.path().display().to_string(),
        fingerprint: made.pool.fingerprint.clone(),
        seed: made.seed,
        generated_at: moment(by::now()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        settings: vec![
            setting("pool", format!("{} ({} items)", made.pool.path, made.pool.size)),
            setting("predictions", made.subject.in_words()),
            setting("draws made for", made.made_for()),
            setting("surrogate", made.surrogate.in_words()),
            setting("items chosen", chosen),
            setting("items scored by", made.acquisition.in_words().to_owned()),
            setting("floor", made.floor.in_words()),
            setting("made", format!("{} by labelwise {}", moment(made.created), made.version)),
        ],
    }
}
