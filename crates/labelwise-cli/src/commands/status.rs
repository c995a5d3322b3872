//! `labelwise status`: where an evaluation stands.

use std::io::Write;
use std::path::Path;

use labelwise_store::{Fate, Study, SurrogateChoice, moment};
use serde::Serialize;

use crate::args::EvaluationArg;
use crate::error::Failure;
use crate::output::print_json;
use crate::output::recorded::SKIPPED_WITHOUT_BOUNDS;
use crate::output::text::counted;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.status/1";

/// Show where an evaluation stands.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise status pool.labelwise")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Print one JSON object (schema labelwise.status/1) in place of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    evaluation: &'a Path,
    created: String,
    version: &'a str,
    pool: &'a str,
    fingerprint: &'a str,
    pool_size: usize,
    /// The models, where several are compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<&'a str>,
    predictions: String,
    loss: String,
    surrogate: String,
    seed: u64,
    design: &'static str,
    /// How many items can be asked, where that was settled.
    budget: Option<usize>,
    asked: usize,
    labels: usize,
    waiting: usize,
    skipped: usize,
    missing_at_random: usize,
    /// Labels that count now: no earlier draw waits for its own.
    counting: usize,
    left: usize,
    /// Why the surrogate could not learn from the labels, if it could not.
    fell_back: Option<String>,
    refreshes: usize,
}

/// Prints it.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Failure> {
    let evaluation = Study::read(options.evaluation.path())?;
    let settings = evaluation.settings();
    let fates = evaluation.fates()?;
    let count = |wanted: fn(&Fate) -> bool| fates.iter().filter(|fate| wanted(fate)).count();
    let document = Document {
        schema: SCHEMA,
        evaluation: options.evaluation.path(),
        created: moment(settings.created),
        version: &settings.version,
        pool: &settings.pool.path,
        fingerprint: &settings.pool.fingerprint,
        pool_size: settings.pool.size,
        models: settings.rivals.iter().map(|rival| rival.name.as_str()).collect(),
        predictions: settings.subject.in_words(),
        loss: settings.made_for(),
        surrogate: match settings.surrogate {
            SurrogateChoice::Own if !settings.rivals.is_empty() => "the mean of the models".to_owned(),
            _ => settings.surrogate.in_words(),
        },
        seed: settings.seed,
        design: settings.design.name(),
        budget: settings.design.budget(),
        asked: fates.len(),
        labels: evaluation.labels(),
        waiting: count(|fate| *fate == Fate::Open),
        skipped: count(|fate| *fate == Fate::Skipped),
        missing_at_random: count(|fate| *fate == Fate::MissingAtRandom),
        counting: evaluation.counting()?,
        left: evaluation.left(),
        fell_back: evaluation.fell_back()?,
        refreshes: evaluation.refreshes(),
    };
    if options.json {
        return print_json(&document, out);
    }
    let Document { asked, labels, waiting, skipped, missing_at_random, counting, .. } = document;
    let mut rows = vec![
        (
            "pool",
            format!("{} ({}, {})", document.pool, counted(document.pool_size, "item"), document.predictions),
        ),
        ("loss", document.loss),
        ("surrogate", document.surrogate),
        ("seed", document.seed.to_string()),
        ("made", format!("{} by labelwise {}", document.created, document.version)),
        ("asked", asked.to_string()),
        ("labelled", labels.to_string()),
        ("waiting", waiting.to_string()),
    ];
    if let Some(budget) = document.budget {
        let strata = evaluation
            .strata()?
            .map_or(String::new(), |strata| format!(" from {}", counted_strata(strata.sizes().len())));
        rows.insert(4, ("design", format!("{}, {}{strata}", document.design, counted(budget, "item"))));
    }
    if !document.models.is_empty() {
        let tied = settings.ties;
        let ties = if tied == 0 { String::new() } else { format!("; {tied} items tie, and are never asked") };
        rows.insert(1, ("models", format!("{}{ties}", document.models.join(", "))));
    }
    if skipped > 0 {
        rows.push(("skipped", skipped.to_string()));
    }
    if missing_at_random > 0 {
        rows.push(("missing", format!("{missing_at_random} at random")));
    }
    // The name is flush left, and so is what is said of it.
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    writeln!(out, "{}", options.evaluation.path().display())?;
    for (name, value) in rows {
        writeln!(out, "  {name:<width$}  {value}")?;
    }
    if counting < labels {
        let late = counted(labels - counting, "label");
        writeln!(out, "note: {late} must wait for an earlier draw without one, and cannot count yet")?;
    }
    if let Some(why) = document.fell_back {
        writeln!(
            out,
            "note: the surrogate could not learn from the labels, and what was believed at first stands in: {why}"
        )?;
    }
    if !evaluation.bears_skips()? {
        writeln!(out, "{SKIPPED_WITHOUT_BOUNDS}")?;
    }
    let next = match (waiting, labels) {
        (0, 0) if document.left > 0 => "labelwise ask",
        (0, _) if !document.models.is_empty() => "labelwise compare",
        (0, _) => "labelwise estimate",
        _ => "labelwise ask --waiting",
    };
    writeln!(out, "Next: {next} {}", options.evaluation.path().display())?;
    Ok(())
}

fn counted_strata(strata: usize) -> String {
    if strata == 1 { "1 stratum".to_owned() } else { format!("{strata} strata") }
}
