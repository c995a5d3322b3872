//! The verdict of a comparison.

use std::io::Write;
use std::path::Path;

use labelwise::compare::Comparison;
use labelwise::interval::{Basis, Method};
use labelwise::report::Report;
use labelwise_study::{
    EstimateOptions, Metric, Named, Settings as Made, Standing, Standings, View, basis_in_words,
};
use serde::Serialize;

use super::{Options, SCHEMA, p_in_words};
use crate::error::Error;
use crate::output::label_count::{self, LabelCount};
use crate::output::print_json;
use crate::output::screen::one_line;
use crate::output::table::aligned;
use crate::output::text::{cells, counted, percent, whose};
use crate::settings::Settings;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    kind: &'static str,
    evaluation: &'a Path,
    loss: &'a str,
    higher_is_better: bool,
    level: f64,
    target: &'static str,
    labels: usize,
    pool_size: usize,
    /// Items on which the models cannot differ, which were never asked.
    ties: usize,
    /// How many comparisons share the error probability.
    comparisons: usize,
    /// The baseline, or the model that leads.
    reference: &'a str,
    baseline: bool,
    /// The model that is better than all others, where that is decided.
    best: Option<&'a str>,
    models: Vec<Model>,
    /// Further labels that will probably decide between two models; null if it is decided or if there is no forecast.
    needed: Option<LabelCount>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Model {
    name: String,
    /// What it has more than the reference, as the metric is shown.
    difference: Option<f64>,
    #[serde(flatten)]
    found: Found,
    /// Whether it is better than the reference, where that is decided.
    better: Option<bool>,
    /// Its own mean, where items on which the models cannot differ do not hide it.
    estimate: Option<f64>,
}

/// The numbers of a comparison, as the metric is shown.
#[derive(Serialize, Default)]
pub(super) struct Found {
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    pub(super) p_value: Option<f64>,
    pub(super) standard_error: Option<f64>,
    pub(super) interval: Option<&'static str>,
    pub(super) effective_hits: Option<f64>,
}

impl Found {
    pub(super) fn new(comparison: &Comparison, metric: &Metric) -> Self {
        let report = &comparison.report;
        let (low, high) = ends(comparison, metric).unzip();
        Self {
            low,
            high,
            p_value: comparison.p_value,
            standard_error: report.estimate.standard_error,
            interval: report.interval.map(|interval| basis_in_words(interval.basis)),
            effective_hits: Some(report.effective_hits),
        }
    }
}

/// The ends of the interval as the metric is shown, the smaller first.
fn ends(comparison: &Comparison, metric: &Metric) -> Option<(f64, f64)> {
    let interval = comparison.report.interval?;
    let (low, high) = (metric.shown_difference(interval.low), metric.shown_difference(interval.high));
    Some((low.min(high), low.max(high)))
}

/// Whether the first is better than what it is compared with, where that is decided.
pub(super) fn better(comparison: &Comparison) -> Option<bool> {
    comparison.decided().then(|| comparison.difference() < 0.0)
}

/// Prints the verdict.
pub(super) fn run(
    options: &Options,
    path: &Path,
    settings: &Settings,
    out: &mut impl Write,
) -> Result<(), Error> {
    let evaluation = crate::args::read(path)?;
    let made = evaluation.settings();
    let wanted = options.wanted(settings, made)?;
    let standings = evaluation.compare(&wanted, options.verdict.baseline.as_deref())?;
    if options.json {
        return print_json(&document(path, made, &wanted, &standings), out);
    }
    let metric = &made.metric;
    writeln!(out, "{}", one_line(&headline(&standings, metric)))?;
    out.write_all(table(&standings, metric).as_bytes())?;
    let mut notes = notes(&standings, made.ties, &wanted);
    notes.iter_mut().for_each(|note| note.insert_str(0, "note: "));
    let labels =
        format!("from {} of {}", counted(labels(&standings), "label"), counted(made.pool.size, "item"));
    let lines = losses(&standings, metric).into_iter().chain(intervals(&standings, &wanted));
    for line in lines.chain([labels]).chain(notes) {
        writeln!(out, "  {}", one_line(&line))?;
    }
    Ok(())
}

fn document<'a>(
    path: &'a Path,
    made: &'a Made,
    wanted: &EstimateOptions,
    standings: &'a Standings,
) -> Document<'a> {
    Document {
        schema: SCHEMA,
        kind: "verdict",
        evaluation: path,
        loss: &made.metric.name,
        higher_is_better: made.metric.view != View::Plain,
        level: wanted.level,
        target: wanted.target.name(),
        labels: labels(standings),
        pool_size: made.pool.size,
        ties: made.ties,
        comparisons: first(standings).map_or(1, |comparison| comparison.comparisons),
        reference: name(standings, standings.reference),
        baseline: standings.named,
        best: best(standings),
        models: standings.models.iter().map(|model| row(model, &made.metric)).collect(),
        needed: standings.to_decide.map(|(labels, _)| labels.into()),
        notes: notes(standings, made.ties, wanted),
    }
}

/// The order of a printed difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    AsComputed,
    /// The other model less this one.
    Reversed,
}

/// Each model less the reference. Of two models without a baseline it is always the second less the first, whichever leads.
fn table(standings: &Standings, metric: &Metric) -> String {
    let reference = name(standings, standings.reference);
    let is_pair = standings.models.len() == 2 && !standings.named;
    let order = if is_pair && standings.reference == 1 { Order::Reversed } else { Order::AsComputed };
    let rows = standings.models.iter().filter_map(|model| {
        let comparison = model.against.as_ref()?;
        let difference = metric.shown_difference(comparison.difference());
        let p = comparison.p_value.map(p_in_words).unwrap_or_default();
        let (what, difference) = match order {
            Order::AsComputed => (format!("  {} - {reference}", model.name), difference),
            Order::Reversed => (format!("  {reference} - {}", model.name), -difference),
        };
        let verdict = match better(comparison).map(|better| better == (order == Order::AsComputed)) {
            Some(true) => "better",
            Some(false) => "worse",
            None => "not decided",
        };
        let interval = interval_in_words(comparison, metric, order);
        Some(cells([&what, &format!("{difference:+.4}"), &interval, &p, verdict]))
    });
    aligned(&rows.collect::<Vec<_>>())
}

/// What each model loses by itself, where that is known.
fn losses(standings: &Standings, metric: &Metric) -> Option<String> {
    let shown = |report: &Report| format!("{:.4}", metric.shown(report.estimate.value));
    let each = standings
        .models
        .iter()
        .filter_map(|model| Some(format!("{} {}", model.name, shown(model.alone.as_ref()?))));
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("{} by itself: {}", metric.name, each.join(", ")))
}

/// The kind of the intervals in words.
fn intervals(standings: &Standings, wanted: &EstimateOptions) -> Option<String> {
    let first = first(standings)?;
    let basis = first.report.interval?.basis;
    let kind = match (wanted.method, basis) {
        (Method::Anytime { .. }, Basis::Betting) => "guaranteed, for repeated looks",
        _ => basis_in_words(basis),
    };
    let (percent, whose) = (percent(wanted.level), whose(wanted.target));
    Some(match first.comparisons {
        1 => format!("{percent} interval ({kind}) for {whose}"),
        comparisons => format!(
            "intervals ({kind}) for {whose} that together cover with {percent}, and p-values corrected for {comparisons} \
             comparisons"
        ),
    })
}

/// The interval of a difference, with the sign of both ends.
pub(super) fn interval_in_words(comparison: &Comparison, metric: &Metric, order: Order) -> String {
    let ends = ends(comparison, metric).map(|(low, high)| match order {
        Order::AsComputed => (low, high),
        Order::Reversed => (-high, -low),
    });
    match ends {
        Some((low, high)) => format!("{low:+.4} to {high:+.4}"),
        None => "no interval yet".to_owned(),
    }
}

/// The number of labels.
fn labels(standings: &Standings) -> usize {
    first(standings).map_or(0, |comparison| comparison.report.estimate.labels)
}

fn first(standings: &Standings) -> Option<&Comparison> {
    standings.models.iter().find_map(|model| model.against.as_ref())
}

fn name(standings: &Standings, model: usize) -> &str {
    standings.models.get(model).map_or("", |model| model.name.as_str())
}

/// The model that is better than every model it is compared with, if all of these are decided.
fn best(standings: &Standings) -> Option<&str> {
    let others = || standings.models.iter().filter_map(|model| Some((model, model.against.as_ref()?)));
    if others().all(|(_, comparison)| better(comparison) == Some(false)) {
        return Some(name(standings, standings.reference));
    }
    // One model can be better than a baseline; several would have to be compared with each other too.
    let mut others = others();
    match (others.next(), others.next()) {
        (Some((model, comparison)), None) if better(comparison) == Some(true) => Some(&model.name),
        _ => None,
    }
}

fn headline(standings: &Standings, metric: &Metric) -> String {
    let by = &metric.name;
    let reference = name(standings, standings.reference);
    if let Some(best) = best(standings) {
        let beaten: Vec<&str> =
            standings.models.iter().map(|model| model.name.as_str()).filter(|name| *name != best).collect();
        return format!("{best} is better than {} by {by}", beaten.join(" and "));
    }
    match (standings.models.len(), standings.named) {
        (2, _) => {
            let names: Vec<&str> = standings.models.iter().map(|model| model.name.as_str()).collect();
            format!("not decided yet: {} may be equally good by {by}", names.join(" and "))
        }
        (_, true) => format!("every model compared with {reference}, by {by}"),
        (_, false) => format!("not decided yet: {reference} leads by {by}"),
    }
}

fn row(model: &Standing, metric: &Metric) -> Model {
    let against = model.against.as_ref();
    Model {
        name: model.name.clone(),
        difference: against.map(|comparison| metric.shown_difference(comparison.difference())),
        found: against.map(|comparison| Found::new(comparison, metric)).unwrap_or_default(),
        better: against.and_then(better),
        estimate: model.alone.as_ref().map(|report| metric.shown(report.estimate.value)),
    }
}

fn notes(standings: &Standings, ties: usize, wanted: &EstimateOptions) -> Vec<String> {
    let mut notes = Vec::new();
    let others = || standings.models.iter().filter_map(|model| Some((model, model.against.as_ref()?)));
    for (model, comparison) in others() {
        for warning in comparison.report.warnings() {
            // A warning about all models is printed once.
            let shared = others().all(|(_, other)| other.report.warnings().contains(&warning));
            let note = if shared { warning.to_string() } else { format!("{}: {warning}", model.name) };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    if ties > 0 {
        notes.push(format!(
            "{} never asked, because the models cannot differ there, so the loss of each single model is not known",
            match ties {
                1 => "1 item was".to_owned(),
                _ => format!("{} were", counted(ties, "item")),
            }
        ));
    }
    if let Some((labels, source)) = standings.to_decide {
        notes.push(format!("{} more labels may decide", label_count::in_words(labels, source)));
    }
    let settled = others().all(|(_, comparison)| is_settled(comparison));
    notes.extend(one_look(wanted).filter(|_| !settled));
    notes
}

/// Whether repeated looks are harmless: nothing is left to estimate, or there is no interval yet.
pub(super) fn is_settled(comparison: &Comparison) -> bool {
    comparison.report.interval.is_none_or(|interval| interval.basis == Basis::WholePool)
}

/// The note that a p-value is too small if one looks again until it decides.
pub(super) fn one_look(wanted: &EstimateOptions) -> Option<String> {
    matches!(wanted.method, Method::Ordinary | Method::GuaranteedAtBudget)
        .then(|| "valid for a single look; if you check repeatedly, use --interval anytime".to_owned())
}
