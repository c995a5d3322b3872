//! `labelwise status`: shows the state of an evaluation.

use std::io::Write;
use std::path::Path;

use labelwise::words::shell;
use labelwise_study::{Study, moment};
use serde::Serialize;

use crate::args::EvaluationArg;
use crate::error::Error;
use crate::output::print_json;
use crate::output::recorded::SKIPPED_WITHOUT_BOUNDS;
use crate::output::screen::one_line;
use crate::output::text::{counted, thousands};
use crate::output::unlabelled;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.status/1";

/// Show the state of an evaluation: items asked, labels recorded, the next command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise status pool.labelwise")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Print one JSON object (schema labelwise.status/1) instead of text
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
    /// The models of a comparison.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<&'a str>,
    predictions: String,
    loss: String,
    /// The probability from which on the positive class is predicted, if one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    /// The smallest probability that cross-entropy counts, if one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    cap: Option<f64>,
    surrogate: String,
    seed: u64,
    design: &'static str,
    /// The number of items that can be asked, if the design fixes it.
    budget: Option<usize>,
    asked: usize,
    labels: usize,
    waiting: usize,
    skipped: usize,
    missing_at_random: usize,
    /// Labels that estimates use: no earlier draw still needs a label.
    counting: usize,
    left: usize,
    /// The reason that the surrogate could not learn from the labels.
    fell_back: Option<String>,
    refreshes: usize,
}

/// Prints the state.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    let path = options.evaluation.path();
    let evaluation = options.evaluation.read()?;
    let document = Document::new(path, &evaluation)?;
    if options.json {
        return print_json(&document, out);
    }
    let rows = document.rows(&evaluation)?;
    // Names and values are both flush left.
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    writeln!(out, "{}", path.display())?;
    for (name, value) in rows {
        writeln!(out, "  {name:<width$}  {}", one_line(&value))?;
    }
    for note in document.notes(&evaluation)? {
        writeln!(out, "{}", one_line(&note))?;
    }
    writeln!(out, "Next: {} {}", document.next(), shell(path))?;
    Ok(())
}

impl<'a> Document<'a> {
    fn new(path: &'a Path, evaluation: &'a Study) -> Result<Self, Error> {
        let settings = evaluation.settings();
        let counts = evaluation.counts();
        Ok(Self {
            schema: SCHEMA,
            evaluation: path,
            created: moment(settings.created),
            version: &settings.version,
            pool: &settings.pool.path,
            fingerprint: &settings.pool.fingerprint,
            pool_size: settings.pool.size,
            models: settings.rivals.iter().map(|rival| rival.name.as_str()).collect(),
            predictions: settings.subject.in_words(),
            loss: settings.made_for(),
            threshold: settings.threshold,
            cap: settings.chosen_cap(),
            surrogate: settings.surrogate_in_words(),
            seed: settings.seed,
            design: settings.design.name(),
            budget: settings.design.budget(),
            asked: counts.draws,
            labels: counts.labels,
            waiting: counts.waiting,
            skipped: counts.skipped,
            missing_at_random: counts.missing(),
            counting: evaluation.counting()?,
            left: evaluation.left(),
            fell_back: evaluation.fell_back()?,
            refreshes: counts.refreshes,
        })
    }

    /// The lines of the text: a name and a value.
    fn rows(&self, evaluation: &Study) -> Result<Vec<(&'static str, String)>, Error> {
        let pool = format!("{} ({}, {})", self.pool, counted(self.pool_size, "item"), self.predictions);
        let mut rows = vec![("pool", pool)];
        if !self.models.is_empty() {
            let ties = match evaluation.settings().ties {
                0 => String::new(),
                1 => "; 1 item ties and is never asked".to_owned(),
                tied => format!("; {} items tie and are never asked", thousands(tied)),
            };
            rows.push(("models", format!("{}{ties}", self.models.join(", "))));
        }
        rows.push(("loss", self.loss.clone()));
        rows.extend(self.threshold.map(|threshold| ("threshold", threshold.to_string())));
        rows.extend(self.cap.map(|cap| ("cap", cap.to_string())));
        rows.push(("surrogate", self.surrogate.clone()));
        rows.push(("seed", self.seed.to_string()));
        if let Some(budget) = self.budget {
            let strata = evaluation.strata()?;
            let strata = strata.map(|strata| format!(" from {}", counted_strata(strata.sizes().len())));
            let strata = strata.unwrap_or_default();
            rows.push(("design", format!("{}, {}{strata}", self.design, counted(budget, "item"))));
        }
        rows.push(("made", format!("{} by labelwise {}", self.created, self.version)));
        rows.push(("asked", thousands(self.asked)));
        rows.push(("labelled", thousands(self.labels)));
        rows.push(("waiting", thousands(self.waiting)));
        if self.skipped > 0 {
            rows.push(("skipped", thousands(self.skipped)));
        }
        if self.missing_at_random > 0 {
            rows.push(("missing", format!("{} at random", thousands(self.missing_at_random))));
        }
        Ok(rows)
    }

    fn notes(&self, evaluation: &Study) -> Result<Vec<String>, Error> {
        let mut notes = Vec::new();
        notes.extend(unlabelled::holding_up(evaluation, self.evaluation)?);
        notes.extend(self.fell_back.as_ref().map(|why| {
            format!(
                "note: the surrogate could not learn from the labels; the fallback is its first state: {why}"
            )
        }));
        if !evaluation.bears_skips()? {
            notes.push(SKIPPED_WITHOUT_BOUNDS.to_owned());
        }
        Ok(notes)
    }

    /// The command to run next.
    fn next(&self) -> &'static str {
        match (self.waiting, self.labels) {
            (0, 0) if self.left > 0 => "labelwise ask",
            (0, _) if !self.models.is_empty() => "labelwise compare",
            (0, _) => "labelwise estimate",
            _ => "labelwise ask --waiting",
        }
    }
}

fn counted_strata(strata: usize) -> String {
    if strata == 1 { "1 stratum".to_owned() } else { format!("{strata} strata") }
}
