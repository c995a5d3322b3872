//! Compares two models on the labels of one by a metric that is not an average.

use std::io::Write;
use std::path::Path;

use labelwise_study::{EstimateOptions, Named, ScoreTransfer, Scored};
use serde::Serialize;

use super::{SCHEMA, p_in_words};
use crate::error::Error;
use crate::output::print_json;
use crate::output::screen::one_line;
use crate::output::table::aligned;
use crate::output::text::{cells, counted, percent, whose};

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    kind: &'static str,
    evaluation: &'a Path,
    metric: &'a str,
    class: Option<&'a str>,
    higher_is_better: bool,
    level: f64,
    target: &'static str,
    labels: usize,
    pool_size: usize,
    models: [Model<'a>; 2],
    /// What the first has more than the other.
    difference: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    p_value: Option<f64>,
    standard_error: Option<f64>,
    /// The better model, where that is decided.
    best: Option<&'a str>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Model<'a> {
    name: &'a str,
    estimate: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

/// What was asked: of which evaluation, of which models, and how.
pub(super) struct Asked<'a> {
    pub(super) path: &'a Path,
    pub(super) names: [&'a str; 2],
    pub(super) wanted: &'a EstimateOptions,
}

/// Prints what the labels say of both models.
pub(super) fn run(
    found: &[ScoreTransfer],
    asked: &Asked<'_>,
    json: bool,
    out: &mut impl Write,
) -> Result<(), Error> {
    if json {
        let documents: Vec<Document<'_>> = found.iter().map(|found| document(asked, found)).collect();
        return match documents.as_slice() {
            [only] => print_json(only, out),
            all => print_json(&all, out),
        };
    }
    for found in found {
        print(asked, found, out)?;
    }
    Ok(())
}

fn document<'a>(asked: &Asked<'a>, found: &'a ScoreTransfer) -> Document<'a> {
    let ScoreTransfer { own, other, difference, p_value, .. } = found;
    let [one, two] = asked.names;
    let model = |name: &'a str, scored: &Scored| {
        let (low, high) = scored.interval.unzip();
        Model { name, estimate: scored.value.as_ref().ok().copied(), low, high }
    };
    let (low, high) = difference.interval.unzip();
    Document {
        schema: SCHEMA,
        kind: "shared-labels",
        evaluation: asked.path,
        metric: &own.name,
        class: own.class.as_deref(),
        higher_is_better: own.higher_is_better,
        level: asked.wanted.level,
        target: asked.wanted.target.name(),
        labels: own.labels,
        pool_size: own.pool_size,
        models: [model(one, own), model(two, other)],
        difference: difference.value.as_ref().ok().copied(),
        low,
        high,
        p_value: *p_value,
        standard_error: difference.standard_error,
        best: found.first_is_better.map(|first| if first { one } else { two }),
        notes: notes(found),
    }
}

fn print(asked: &Asked<'_>, found: &ScoreTransfer, out: &mut impl Write) -> Result<(), Error> {
    let ScoreTransfer { own, other, difference, p_value, .. } = found;
    let [one, two] = asked.names.map(one_line);
    let by = match &own.class {
        Some(class) => format!("{} of {}", own.name, one_line(class)),
        None => own.name.clone(),
    };
    match found.first_is_better {
        Some(true) => writeln!(out, "{one} is better than {two} by {by}")?,
        Some(false) => writeln!(out, "{two} is better than {one} by {by}")?,
        None => writeln!(out, "not decided: {one} and {two} may be equally good by {by}")?,
    }
    // The second less the first, as in every comparison of two models.
    let ends = |scored: &Scored, reversed: bool| match (&scored.value, scored.interval) {
        (Err(why), _) => why.clone(),
        (Ok(_), None) => "no interval yet".to_owned(),
        (Ok(_), Some((low, high))) if reversed => format!("{:+.4} to {:+.4}", -high, -low),
        (Ok(_), Some((low, high))) => format!("{low:.4} to {high:.4}"),
    };
    let value = |scored: &Scored, reversed: bool| match &scored.value {
        Err(_) => "undefined".to_owned(),
        Ok(value) if reversed => format!("{:+.4}", -value),
        Ok(value) => format!("{value:.4}"),
    };
    let p = p_value.map(p_in_words).unwrap_or_default();
    let rows = [
        cells([&format!("  {one}"), &value(own, false), &ends(own, false), ""]),
        cells([&format!("  {two}"), &value(other, false), &ends(other, false), ""]),
        cells([&format!("  {two} - {one}"), &value(difference, true), &ends(difference, true), &p]),
    ];
    out.write_all(aligned(&rows).as_bytes())?;
    let wanted = asked.wanted;
    let (percent, whose) = (percent(wanted.level), whose(wanted.target));
    writeln!(
        out,
        "  {percent} intervals for {whose}, from {} of draws made for {one}",
        counted(own.labels, "label")
    )?;
    for note in notes(found) {
        writeln!(out, "  note: {}", one_line(&note))?;
    }
    Ok(())
}

fn notes(found: &ScoreTransfer) -> Vec<String> {
    let mut notes = found.difference.notes.clone();
    notes.push(
        "valid for a single look; this metric has no interval of a difference for repeated looks".to_owned(),
    );
    notes
}
