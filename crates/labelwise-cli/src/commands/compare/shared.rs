//! An evaluation that was made for one model, used for another.

use std::io::Write;
use std::path::Path;

use labelwise::report::Report;
use labelwise_store::{Metric, PoolTable, Study, Transfer, View, Wanted};
use serde::Serialize;

use super::verdict::{Found, better, ends, is_settled, one_look};
use super::{Asked, Options, SCHEMA, names, p_in_words};
use crate::commands::start_threads;
use crate::error::Failure;
use crate::output::print_json;
use crate::output::table::aligned;
use crate::output::text::{cells, counted};
use crate::settings::{Settings, TargetName};

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    kind: &'static str,
    evaluation: &'a Path,
    loss: &'a str,
    higher_is_better: bool,
    level: f64,
    target: TargetName,
    labels: usize,
    pool_size: usize,
    models: [Model<'a>; 2],
    /// What the first has more than the other, as the metric is shown.
    difference: f64,
    #[serde(flatten)]
    found: Found,
    /// The better model, where that is decided.
    best: Option<&'a str>,
    /// How many of these labels one label asked for the difference would be worth.
    difference_cost: Option<f64>,
    /// Items that the other model knows nothing of.
    unknown: usize,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Model<'a> {
    name: &'a str,
    estimate: f64,
    low: Option<f64>,
    high: Option<f64>,
    /// How many of these labels one label asked for this model would be worth.
    cost: Option<f64>,
}

/// Prints what the labels say of both models.
pub(super) fn run(
    options: &Options,
    path: &Path,
    other: &Path,
    settings: &Settings,
    out: &mut impl Write,
) -> Result<(), Failure> {
    if options.verdict.baseline.is_some() {
        super::refuse(&[("--baseline", true)], "three models or more: these are two")?;
    }
    start_threads()?;
    let evaluation = Study::read(path)?;
    let made = evaluation.settings();
    let asked = options.wanted(settings, made.pool.size)?;
    let table = PoolTable::open(other, &options.columns.reading())?;
    let wanted = Wanted { metrics: options.loss.iter().cloned().collect(), ..asked.wanted.clone() };
    let transfer = evaluation.compare_with(&table, &wanted)?;
    let names = names(&[Path::new(&made.pool.path), other]);
    let [one, two] = names.as_slice() else { return Ok(()) };
    let Transfer { metric, own, other, difference, other_cost, difference_cost, unknown, .. } = &transfer;
    let best = better(difference).map(|first| if first { one.as_str() } else { two.as_str() });
    let notes = notes(&transfer, two, &asked);
    let shown = metric.shown_difference(difference.difference());
    if options.json {
        let document = Document {
            schema: SCHEMA,
            kind: "shared-labels",
            evaluation: path,
            loss: &metric.name,
            higher_is_better: metric.view != View::Plain,
            level: asked.level,
            target: asked.target,
            labels: own.estimate.labels,
            pool_size: made.pool.size,
            models: [model(one, own, metric, Some(1.0)), model(two, other, metric, *other_cost)],
            difference: shown,
            found: Found::new(difference, metric),
            best,
            difference_cost: *difference_cost,
            unknown: *unknown,
            notes,
        };
        return print_json(&document, out);
    }
    match best {
        Some(best) => {
            let beaten = if best == one { two } else { one };
            writeln!(out, "{best} is better than {beaten} by {}", metric.name)?;
        }
        None => writeln!(out, "not decided: {one} and {two} may be equally good by {}", metric.name)?,
    }
    let alone = |name: &str, report: &Report| {
        let interval = report.interval.map_or_else(
            || "no interval yet".to_owned(),
            |interval| {
                let (low, high) = metric.shown_interval(interval.low, interval.high);
                format!("{low:.4} to {high:.4}")
            },
        );
        let value = format!("{:.4}", metric.shown(report.estimate.value));
        cells([&format!("  {name}"), &value, &interval, ""])
    };
    let interval = ends(difference, metric)
        .map_or_else(|| "no interval yet".to_owned(), |(low, high)| format!("{low:+.4} to {high:+.4}"));
    let p = difference.p_value.map(p_in_words).unwrap_or_default();
    let paired = cells([&format!("  {one} - {two}"), &format!("{shown:+.4}"), &interval, &p]);
    out.write_all(aligned(&[alone(one, own), alone(two, other), paired]).as_bytes())?;
    let labels = counted(own.estimate.labels, "label");
    writeln!(
        out,
        "  {} intervals for {}, from {labels} that were asked for {one}",
        asked.percent(),
        asked.whose()
    )?;
    if let (Some(paired), Some(alone)) = (difference_cost, other_cost) {
        writeln!(
            out,
            "  what that costs: one label asked for the difference would be worth about {paired:.1} of these,\n  \
             one asked for {two} about {alone:.1}, by what the surrogate expects"
        )?;
    }
    for note in notes {
        writeln!(out, "  note: {note}")?;
    }
    Ok(())
}

fn model<'a>(name: &'a str, report: &Report, metric: &Metric, cost: Option<f64>) -> Model<'a> {
    let (low, high) =
        report.interval.map(|interval| metric.shown_interval(interval.low, interval.high)).unzip();
    Model { name, estimate: metric.shown(report.estimate.value), low, high, cost }
}

/// What to keep in mind.
fn notes(transfer: &Transfer, other: &str, asked: &Asked) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let warnings = transfer.difference.report.warnings();
    notes.extend(warnings.iter().map(ToString::to_string));
    if transfer.unknown > 0 {
        notes.push(format!(
            "{other} lacks {} that were never asked for: estimates go without what the surrogate expected of them, and \
             there are no guaranteed intervals",
            counted(transfer.unknown, "item")
        ));
    }
    notes.extend(one_look(asked).filter(|_| !is_settled(&transfer.difference)));
    notes
}
