//! `labelwise apply`: what the labels of one batch say of the next one.

use std::io::Write;
use std::path::{Path, PathBuf};

use labelwise::words::shell;
use labelwise_study::{Applied, AppliedRate, Choices, PoolTable, Study, now};
use serde::Serialize;

use super::start_threads;
use crate::args::parse;
use crate::args::{EvaluationArg, PoolOptions};
use crate::error::Error;
use crate::output::print_json;
use crate::output::text::{counted, percent};
use crate::settings::Settings;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.apply/1";

/// Estimate the rate of a next batch that has a judge's verdicts and no labels.
///
/// The labels of this batch say how the judge errs. Two assumptions carry that over: the judge errs as often as here on
/// positive and on other items, or a verdict means what it means here. Both estimates are printed; neither interval knows
/// whether its assumption holds. With --out, it also makes an evaluation of the next batch that begins with what these
/// labels say of the judge: 50 labels of it are a measurement.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise apply support.labelwise week48.csv --out week48.labelwise")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// File with the verdicts of the same judges on the next batch
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Also make an evaluation of the next batch, with what these labels say of the judge as its prior
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Probability of the intervals, if the assumption holds [default: the setting `level`, or 0.95]
    #[arg(long, value_name = "PROBABILITY", value_parser = parse::probability, allow_negative_numbers = true)]
    level: Option<f64>,
    /// Print one JSON object (schema labelwise.apply/1) instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    columns: PoolOptions,
}

/// The warning about both assumptions.
const WARNING: &str = "both rest on an assumption that these verdicts cannot test: between real batches they were wrong by up to 31 points";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    evaluation: &'a Path,
    file: &'a Path,
    metric: String,
    level: f64,
    #[serde(flatten)]
    found: Applied,
    warning: &'static str,
    /// The evaluation of the next batch, if one was made.
    out: Option<&'a Path>,
}

/// Prints both estimates, and makes the next evaluation.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let level = parse::level(options.level.unwrap_or(settings.level.value))?;
    let evaluation = options.evaluation.read()?;
    if let Some(path) = options.out.as_ref().filter(|path| path.exists()) {
        let exists = labelwise_study::FileError::Exists { path: path.clone() };
        return Err(labelwise_study::Error::from(exists).into());
    }
    start_threads()?;
    let judges = evaluation.settings().judge.iter().flat_map(|judge| &judge.judges);
    let names: Vec<String> = judges.map(|judge| judge.name.clone()).collect();
    let reading = options.columns.reading_of(&names);
    let reading = if reading.carries() { reading } else { reading.carry_texts() };
    let table = PoolTable::open(&options.file, &reading).map_err(labelwise_study::Error::from)?;
    let found = evaluation.apply(&table, level)?;
    let metric = evaluation.settings().made_for();
    if let Some(path) = &options.out {
        let choices = Choices { at: now(), ..evaluation.successor(&table)? };
        Study::create(path, table, &choices)?;
    }
    if options.json {
        let (evaluation, file, out_file) =
            (options.evaluation.path(), &*options.file, options.out.as_deref());
        let document = Document {
            schema: SCHEMA,
            evaluation,
            file,
            metric,
            level,
            found,
            warning: WARNING,
            out: out_file,
        };
        return print_json(&document, out);
    }
    let (items, labels) = (counted(found.items, "item"), counted(found.labels, "label"));
    writeln!(
        out,
        "{}: {items}, by {labels} of {}",
        options.file.display(),
        options.evaluation.path().display()
    )?;
    let (here, there) = found.judged;
    writeln!(out, "  the judge at its word: {there:.4} (this batch: {here:.4})")?;
    let line = |rate: &AppliedRate| {
        format!("{:.4}   {} interval {:.4} to {:.4}", rate.value, percent(level), rate.low, rate.high)
    };
    match (&found.by_error_rates, &found.without_error_rates) {
        (Some(rate), _) => writeln!(out, "{metric}, if the judge errs as often as here      {}", line(rate))?,
        (None, reason) => {
            writeln!(out, "  not by the judge's error rates: {}", reason.as_deref().unwrap_or_default())?;
        }
    }
    writeln!(out, "{metric}, if a verdict means what it means here   {}", line(&found.by_verdicts))?;
    if found.unseen > 0.0 {
        writeln!(
            out,
            "  note: {} of the next batch has verdicts that this batch does not have",
            percent(found.unseen)
        )?;
    }
    writeln!(out, "  warning: {WARNING}")?;
    match &options.out {
        Some(path) => {
            let path = shell(path);
            writeln!(
                out,
                "{path}: an evaluation of the next batch that begins with these labels' view of the judge"
            )?;
            writeln!(
                out,
                "next: labelwise ask {path} -n 50 > todo.csv; labelwise tell {path} labels.csv; labelwise estimate {path}"
            )?;
        }
        None => writeln!(out, "better: label 50 of these items, with --out FILE to make their evaluation")?,
    }
    Ok(())
}
