//! Compares two models on the labels of one model's evaluation.

use std::io::Write;
use std::path::Path;

use labelwise::report::Report;
use labelwise_study::{EstimateOptions, Metric, Named, OnSharedLabels, PoolTable, Transfer, View};
use serde::Serialize;

use super::scores::{self, Asked};
use super::verdict::{Found, Order, better, interval_in_words, is_settled, one_look};
use super::{Options, SCHEMA, names, p_in_words};
use crate::commands::start_threads;
use crate::error::Error;
use crate::output::screen::one_line;
use crate::output::table::aligned;
use crate::output::text::{cells, counted, percent, whose};
use crate::output::{print_json, say_notes};
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
    /// The number of these labels that 1 label drawn for this model is worth.
    cost: Option<f64>,
}

/// Prints what the labels say of both models.
pub(super) fn run(
    options: &Options,
    path: &Path,
    other: &Path,
    settings: &Settings,
    out: &mut impl Write,
) -> Result<(), Error> {
    if options.verdict.baseline.is_some() {
        super::refuse(&[("--baseline", true)], "three models or more, and these are two: remove it")?;
    }
    start_threads()?;
    let evaluation = crate::args::read(path)?;
    let pool = &evaluation.settings().pool;
    let wanted = options.wanted(settings, evaluation.settings())?;
    let table = PoolTable::open(other, &options.columns.reading())?;
    say_notes(&table.notes);
    let names = names(&[Path::new(&pool.path), other]);
    let [one, two] = names.as_slice() else { return Ok(()) };
    let (metric, positive) = (options.loss.as_ref(), options.positive.as_deref());
    let transfer = match evaluation.compare_by(&table, metric, positive, &wanted)? {
        OnSharedLabels::Mean(transfer) => transfer,
        OnSharedLabels::Scores(found) => {
            let asked = Asked { path, names: [one, two], wanted: &wanted };
            return scores::run(&found, &asked, options.json, out);
        }
    };
    let pair = Pair { names: [one, two], transfer: &transfer, wanted: &wanted };
    if options.json {
        return print_json(&pair.document(path, pool.size), out);
    }
    pair.print(out)
}

/// The two models, and what the labels say of them.
struct Pair<'a> {
    /// The model that labels were asked for, and the other.
    names: [&'a str; 2],
    transfer: &'a Transfer,
    wanted: &'a EstimateOptions,
}

impl<'a> Pair<'a> {
    fn document(&self, path: &'a Path, pool_size: usize) -> Document<'a> {
        let Transfer { metric, own, other, difference, other_cost, difference_cost, unknown, .. } =
            self.transfer;
        let [one, two] = self.names;
        Document {
            schema: SCHEMA,
            kind: "shared-labels",
            evaluation: path,
            loss: &metric.name,
            higher_is_better: metric.view != View::Plain,
            level: self.wanted.level,
            target: self.wanted.target.name(),
            labels: own.estimate.labels,
            pool_size,
            models: [model(one, own, metric, Some(1.0)), model(two, other, metric, *other_cost)],
            difference: metric.shown_difference(difference.difference()),
            found: Found::new(difference, metric),
            best: better(difference).map(|first| if first { one } else { two }),
            difference_cost: *difference_cost,
            unknown: *unknown,
            notes: self.notes(),
        }
    }

    fn print(&self, out: &mut impl Write) -> Result<(), Error> {
        let Transfer { metric, own, difference, other_cost, difference_cost, .. } = self.transfer;
        let [one, two] = self.names.map(one_line);
        let by = &metric.name;
        match better(difference) {
            Some(true) => writeln!(out, "{one} is better than {two} by {by}")?,
            Some(false) => writeln!(out, "{two} is better than {one} by {by}")?,
            None => writeln!(out, "not decided: {one} and {two} may be equally good by {by}")?,
        }
        out.write_all(self.table().as_bytes())?;
        let (percent, whose, labels) =
            (percent(self.wanted.level), whose(self.wanted.target), counted(own.estimate.labels, "label"));
        writeln!(out, "  {percent} intervals for {whose}, from {labels} of draws made for {one}")?;
        if let (Some(paired), Some(alone)) = (difference_cost, other_cost) {
            writeln!(
                out,
                "  cost of reuse, by the surrogate: 1 label drawn for the difference is worth about {paired:.1} of these,\n  \
                 1 label drawn for {two} about {alone:.1}"
            )?;
        }
        for note in self.notes() {
            writeln!(out, "  note: {}", one_line(&note))?;
        }
        Ok(())
    }

    /// Each model by itself, and their difference.
    fn table(&self) -> String {
        let Transfer { metric, own, other, difference, .. } = self.transfer;
        let [one, two] = self.names;
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
        // The second less the first, as in every comparison of two models.
        let shown = format!("{:+.4}", -metric.shown_difference(difference.difference()));
        let p = difference.p_value.map(p_in_words).unwrap_or_default();
        let interval = interval_in_words(difference, metric, Order::Reversed);
        let paired = cells([&format!("  {two} - {one}"), &shown, &interval, &p]);
        aligned(&[alone(one, own), alone(two, other), paired])
    }

    fn notes(&self) -> Vec<String> {
        let Transfer { difference, unknown, .. } = self.transfer;
        let [_, other] = self.names;
        let mut notes: Vec<String> = difference.report.warnings().iter().map(ToString::to_string).collect();
        if *unknown > 0 {
            notes.push(format!(
                "{other} has no prediction for {} that were not drawn: estimates cannot use the surrogate's expectation for \
                 them, and there are no guaranteed intervals",
                counted(*unknown, "item")
            ));
        }
        notes.extend(one_look(self.wanted).filter(|_| !is_settled(difference)));
        notes
    }
}

fn model<'a>(name: &'a str, report: &Report, metric: &Metric, cost: Option<f64>) -> Model<'a> {
    let (low, high) =
        report.interval.map(|interval| metric.shown_interval(interval.low, interval.high)).unzip();
    Model { name, estimate: metric.shown(report.estimate.value), low, high, cost }
}
