//! Makes a comparison from the pools of several models.

use std::io::Write;
use std::path::{Path, PathBuf};

use labelwise::words::shell;
use labelwise_study::{
    Choices, Created, Measurable, PoolTable, RivalOrigin, Settings as Made, Study, Unmatched,
};
use serde::Serialize;

use super::{Options, SCHEMA, names, pairs, refuse};
use crate::commands::start_threads;
use crate::error::{Error, UsageError};
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::output::screen::one_line;
use crate::output::text::counted;
use crate::settings::Settings;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    kind: &'static str,
    evaluation: &'a Path,
    models: Vec<Model<'a>>,
    pool_size: usize,
    ties: usize,
    predictions: String,
    loss: &'a str,
    seed: u64,
    decisions: &'a [String],
}

#[derive(Serialize)]
struct Model<'a> {
    name: &'a str,
    path: &'a str,
    fingerprint: &'a str,
}

/// Makes the comparison, and says what was decided.
pub(super) fn run(
    options: &Options,
    files: &[&Path],
    settings: &Settings,
    out: &mut impl Write,
) -> Result<(), Error> {
    let names = names(files);
    let path = options.made.out.clone().unwrap_or_else(|| {
        let plain = names.iter().map(|name| name.replace(['/', '\\'], "_")).collect::<Vec<_>>();
        PathBuf::from(format!("{}.labelwise", plain.join("-")))
    });
    // Said before large files are read for nothing.
    if path.exists() {
        return Err(labelwise_study::Error::from(labelwise_study::FileError::Exists { path }).into());
    }
    if options.made.told.group().is_some() {
        let (option, purpose) = ("--group", "one system, whose groups of samples are drawn whole: remove it");
        return Err(UsageError::Option { option, purpose }.into());
    }
    start_threads()?;
    let spinner = Spinner::new("reading the pools");
    let table = read(options, files, names)?;
    let choices = Choices {
        metric: options.loss.as_ref().and_then(Measurable::loss).cloned(),
        aims: options.loss.iter().filter(|metric| metric.score().is_some()).cloned().collect(),
        threshold: options.made.threshold,
        cap: options.made.cap,
        range: options.made.told.range(),
        worths: options.made.told.worths(),
        labels: options.made.told.labels(),
        positive: options.positive.clone(),
        seed: options.made.seed.unwrap_or(settings.seed.value),
        at: labelwise_study::now(),
        ..Choices::default()
    };
    spinner.says("scoring and writing");
    let Created { evaluation, decisions, .. } = Study::create(&path, table, &choices)?;
    drop(spinner);
    if options.json {
        return print_json(&document(&path, evaluation.settings(), &decisions), out);
    }
    print(&path, &evaluation, &decisions, out)
}

/// The predictions of all models, item by item.
fn read(options: &Options, files: &[&Path], names: Vec<String>) -> Result<PoolTable, Error> {
    let mut models = Vec::with_capacity(files.len());
    for (place, (file, name)) in files.iter().zip(names).enumerate() {
        let reading = options.columns.reading();
        // Passthrough columns come from the first pool; by default, all of its text columns.
        let carry = (place == 0 || options.columns.is_judged()) && !reading.carries();
        let reading = if carry { reading.carry_texts() } else { reading };
        models.push((name, PoolTable::open(file, &reading)?));
    }
    let unmatched = if options.made.common { Unmatched::Dropped } else { Unmatched::Refused };
    if options.columns.is_judged() {
        return pairs::joined(models, unmatched);
    }
    let table = PoolTable::beside(models, unmatched)?;
    let features = [("--features", table.features.is_some())];
    refuse(&features, "a surrogate that learns, which a comparison does not have: remove it")?;
    Ok(table)
}

fn document<'a>(path: &'a Path, made: &'a Made, decisions: &'a [String]) -> Document<'a> {
    let model = |rival: &'a RivalOrigin| Model {
        name: &rival.name,
        path: &rival.path,
        fingerprint: &rival.fingerprint,
    };
    Document {
        schema: SCHEMA,
        kind: "made",
        evaluation: path,
        models: made.rivals.iter().map(model).collect(),
        pool_size: made.pool.size,
        ties: made.ties,
        predictions: made.subject.in_words(),
        loss: &made.metric.name,
        seed: made.seed,
        decisions,
    }
}

fn print(path: &Path, evaluation: &Study, decisions: &[String], out: &mut impl Write) -> Result<(), Error> {
    let made = evaluation.settings();
    let pair = made.judge.as_ref().and_then(|judge| judge.pair.as_ref());
    let names: Vec<&str> = match pair {
        Some(pair) => pair.names.iter().map(String::as_str).collect(),
        None => made.rivals.iter().map(|rival| rival.name.as_str()).collect(),
    };
    let (items, what) = (counted(made.pool.size, "item"), made.subject.in_words());
    let names = names.join(" against ");
    writeln!(out, "{}: {} on {items}, {what}", path.display(), one_line(&names))?;
    writeln!(out, "  by {}, seed {}", made.metric.name, made.seed)?;
    for decision in decisions {
        writeln!(out, "  {}", one_line(decision))?;
    }
    writeln!(out, "Next: labelwise ask {} -n {}", shell(path), evaluation.left().min(20))?;
    Ok(())
}
