//! `labelwise refresh`: computes a proposal that is due, before someone waits for it.

use std::io::Write;

use labelwise::words::shell;
use serde::Serialize;

use super::start_threads;
use crate::args::EvaluationArg;
use crate::error::Error;
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::output::text::counted;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.refresh/1";

/// Compute a proposal that is due, so that the next ask does not wait.
///
/// Labels change the proposal at some numbers of labels. The next ask then reads the whole pool, which takes
/// seconds for millions of items. This command does it ahead of time. Without a due proposal it does nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise refresh pool.labelwise")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Print one JSON object (schema labelwise.refresh/1) instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    /// Whether a proposal was computed.
    refreshed: bool,
    /// Number of labels that the present proposal follows.
    labels: usize,
}

/// Computes the proposal and says so.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    start_threads()?;
    let spinner = Spinner::new("computing the proposal");
    let mut evaluation = options.evaluation.open()?;
    let (refreshed, labels) = evaluation.refresh(labelwise_study::now())?;
    drop(spinner);
    if options.json {
        return print_json(&Document { schema: SCHEMA, refreshed, labels }, out);
    }
    let follows = format!("the proposal follows {}", counted(labels, "label"));
    if refreshed {
        writeln!(out, "Refreshed: {follows}.")?;
    } else {
        writeln!(out, "No proposal is due: {follows}.")?;
    }
    writeln!(out, "Next: labelwise ask {}", shell(options.evaluation.path()))?;
    Ok(())
}
