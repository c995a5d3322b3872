//! Two systems whose answers each have a label of their own.

use std::io::Write;
use std::path::Path;

use labelwise_study::{PairVerdict, PoolTable, Study, SystemRate, Unmatched};
use serde::Serialize;

use super::verdict::one_look;
use super::{Options, SCHEMA, p_in_words, refuse};
use crate::args::read;
use crate::error::{Error, UsageError};
use crate::output::print_json;
use crate::output::screen::one_line;
use crate::output::text::{counted, percent, whose};
use crate::settings::Settings;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    kind: &'static str,
    evaluation: &'a Path,
    /// The systems; the difference is the second less the first.
    systems: &'a [String; 2],
    difference: f64,
    low: Option<f64>,
    high: Option<f64>,
    level: f64,
    p_value: f64,
    /// The system that is better, if that is decided.
    better: Option<&'a str>,
    labels: usize,
    pool_size: usize,
    interval: Option<&'static str>,
    /// The rate or the mean value of each system; only with ordinary intervals for the pool.
    rates: Vec<SystemRate>,
}

/// Joins the answers of two systems.
pub(super) fn joined(models: Vec<(String, PoolTable)>, unmatched: Unmatched) -> Result<PoolTable, Error> {
    let mut models = models.into_iter();
    match (models.next(), models.next(), models.next()) {
        (Some(first), Some(second), None) => {
            Ok(PoolTable::paired(first, second, unmatched).map_err(labelwise_study::Error::from)?)
        }
        _ => {
            Err(UsageError::Option { option: "--judge", purpose: "comparing two systems: give two files" }
                .into())
        }
    }
}

/// The evaluation, if it is of pairs of answers.
pub(super) fn open(path: &Path) -> Result<Option<Study>, Error> {
    let evaluation = read(path)?;
    let is_pair = evaluation.settings().judge.as_ref().is_some_and(|judge| judge.pair.is_some());
    Ok(Some(evaluation).filter(|_| is_pair))
}

/// Prints the difference and the decision.
pub(super) fn verdict(
    options: &Options,
    evaluation: &Study,
    settings: &Settings,
    out: &mut impl Write,
) -> Result<(), Error> {
    refuse(
        &[("--baseline", options.verdict.baseline.is_some())],
        "comparisons of predictions: of two systems, the first file is the baseline",
    )?;
    let made = evaluation.settings();
    let wanted = options.wanted(settings, made)?;
    let (level, target) = (wanted.level, wanted.target);
    let Some(verdict) = evaluation.pair_verdict(&wanted)? else { return Ok(()) };
    let (PairVerdict { systems, difference: found, p_value, rates, .. }, better) =
        (&verdict, verdict.better.as_deref());
    let (labels, pool_size) = (found.report.estimate.labels, found.report.pool_size);
    if options.json {
        let document = Document {
            schema: SCHEMA,
            kind: "pair",
            evaluation: evaluation.path(),
            systems,
            difference: found.value,
            low: found.interval.map(|(low, _)| low),
            high: found.interval.map(|(_, high)| high),
            level,
            p_value: *p_value,
            better,
            labels,
            pool_size,
            interval: found.basis,
            rates: rates.clone(),
        };
        return print_json(&document, out);
    }
    let [one, two] = systems.each_ref().map(|name| one_line(name));
    match better {
        Some(name) => writeln!(out, "{} is better ({} sure)", one_line(name), percent(level))?,
        None => writeln!(out, "not decided: {one} and {two} may be equally good")?,
    }
    write!(out, "  {two} - {one}  {:+.4}", found.value)?;
    match found.interval {
        Some((low, high)) => {
            writeln!(out, "   {} interval for {} {low:+.4} to {high:+.4}", percent(level), whose(target))?;
        }
        None => writeln!(out, "   no interval yet")?,
    }
    for rate in rates {
        let (name, value) = (one_line(&rate.system), rate.estimate);
        writeln!(
            out,
            "  {name}  {value:.4}   {} interval for {} {:.4} to {:.4}",
            percent(level),
            whose(target),
            rate.low,
            rate.high
        )?;
    }
    writeln!(
        out,
        "  {}, from {} of {}",
        p_in_words(*p_value),
        counted(labels, "pair"),
        counted(pool_size, "prompt")
    )?;
    if let Some(note) = one_look(&wanted) {
        writeln!(out, "  note: {note}")?;
    }
    Ok(())
}
