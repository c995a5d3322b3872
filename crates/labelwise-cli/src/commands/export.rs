//! `labelwise export`: all records of an evaluation as CSV or JSON Lines.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use labelwise_study::{DrawRecord, Fate, Study, moment};
use serde_json::{Value, json};

use crate::args::EvaluationArg;
use crate::error::Error;
use crate::output::file;
use crate::output::screen::Screen;
use crate::output::spreadsheet::cell;

/// Print all records: draws with their q and labels, or every event.
///
/// An evaluation never deletes a record. Use this command to read the records with other tools.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  labelwise export pool.labelwise --out draws.csv\n  \
                        labelwise export pool.labelwise --what events --format jsonl")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Records to print: draws (one row per draw, with its current label) or events (labels, skips and
    /// corrections in order)
    #[arg(long, value_name = "WHAT", default_value = "draws", hide_possible_values = true)]
    what: Records,
    /// Output format: csv or jsonl
    #[arg(long, value_name = "FORMAT", default_value = "csv", hide_possible_values = true)]
    format: ExportFormat,
    /// Print JSON Lines; the same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// In CSV, put a ' before cells that a spreadsheet would read as a formula
    #[arg(long)]
    spreadsheet: bool,
    /// Print the intact records of a damaged evaluation; the damage is reported on stderr, with exit code 2
    #[arg(long)]
    salvage: bool,
    /// File to write [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Records {
    Draws,
    Events,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    Csv,
    Jsonl,
}

/// Prints or writes the records.
pub(crate) fn run(options: &Options, out: &mut Screen<impl Write>) -> Result<(), Error> {
    let (evaluation, wrong) = if options.salvage {
        Study::salvage(options.evaluation.path())?
    } else {
        (options.evaluation.read()?, None)
    };
    let turns = evaluation.strata()?.map(|strata| strata.turns().to_vec());
    let rows: Vec<Vec<(&'static str, Value)>> = match options.what {
        Records::Draws => evaluation
            .history()?
            .enumerate()
            .map(|(place, draw)| draw_row(place, &draw, turns.as_ref().map(|turns| turns.get(place))))
            .collect(),
        Records::Events => evaluation
            .events()?
            .enumerate()
            .map(|(place, event)| {
                vec![
                    ("event", json!(place)),
                    ("id", json!(event.id)),
                    ("what", json!(event.what)),
                    ("label", json!(event.label)),
                    ("note", json!(event.note)),
                    ("at", json!(moment(event.at))),
                    ("who", json!(event.who)),
                ]
            })
            .collect(),
    };
    let jsonl = options.json || options.format == ExportFormat::Jsonl;
    let header = match options.what {
        Records::Draws if turns.is_some() => &[&DRAW_COLUMNS[..], &[STRATUM]].concat(),
        Records::Draws => &DRAW_COLUMNS[..],
        Records::Events => &["event", "id", "what", "label", "note", "at", "who"][..],
    };
    let bytes = if jsonl { lines(rows)? } else { table(header, rows, options.spreadsheet)? };
    match &options.out {
        Some(path) if has_other_format(path) => return Err(Error::ExportName { path: path.clone() }),
        Some(path) => file::write(path, &bytes)?,
        None if jsonl => out.write_all(&bytes)?,
        None => out.data().write_all(&bytes)?,
    }
    wrong.map_or(Ok(()), |wrong| Err(wrong.into()))
}

/// Whether the name of a file promises another format than those that are written.
fn has_other_format(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|ending| OTHER_FORMATS.contains(&ending.as_str()))
}

const OTHER_FORMATS: [&str; 9] =
    ["parquet", "arrow", "feather", "npy", "npz", "xlsx", "xls", "gz", "labelwise"];

const DRAW_COLUMNS: [&str; 9] =
    ["draw", "id", "row", "q", "refresh", "state", "label", "asked_at", "asked_by"];

/// The columns of draws. A stratified design has one more.
const STRATUM: &str = "stratum";

fn draw_row(
    place: usize,
    draw: &DrawRecord<'_>,
    stratum: Option<Option<&usize>>,
) -> Vec<(&'static str, Value)> {
    let (state, label) = match draw.fate {
        Fate::Open => ("waiting", None),
        Fate::Labelled(label) => ("labelled", Some(label)),
        Fate::Skipped => ("skipped", None),
        Fate::MissingAtRandom => ("missing", None),
    };
    let values = [
        json!(place),
        json!(draw.id),
        json!(draw.item),
        json!(draw.q),
        json!(draw.refresh),
        json!(state),
        json!(label),
        json!(moment(draw.at)),
        json!(draw.who),
    ];
    let stratum = stratum.map(|stratum| (STRATUM, json!(stratum.map(|stratum| stratum + 1))));
    DRAW_COLUMNS.into_iter().zip(values).chain(stratum).collect()
}

fn lines(rows: Vec<Vec<(&'static str, Value)>>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    for row in rows {
        let object: serde_json::Map<String, Value> =
            row.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        writeln!(bytes, "{}", Value::Object(object))?;
    }
    Ok(bytes)
}

fn table(
    header: &[&str],
    rows: Vec<Vec<(&'static str, Value)>>,
    spreadsheet: bool,
) -> Result<Vec<u8>, Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).map_err(Error::csv)?;
    for row in rows {
        let cells = row.into_iter().map(|(_, value)| match value {
            Value::Null => String::new(),
            Value::String(text) if spreadsheet => cell(&text).into_owned(),
            Value::String(text) => text,
            other => other.to_string(),
        });
        writer.write_record(cells).map_err(Error::csv)?;
    }
    writer.into_inner().map_err(|error| Error::Output(error.into_error()))
}
