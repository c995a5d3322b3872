//! `labelwise refresh`: computes a proposal that is due, before someone waits for it.

use std::io::Write;
use std::path::PathBuf;

use labelwise::words::shell;
use labelwise_study::{PoolFiles, Study};
use serde::Serialize;

use super::start_threads;
use crate::args::EvaluationArg;
use crate::args::parse::counting;
use crate::error::Error;
use crate::output::print_json;
use crate::output::progress::{Passes, Spinner};
use crate::output::text::counted;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.refresh/1";

/// Compute a proposal that is due, so that the next ask does not wait.
///
/// Labels change the proposal at some numbers of labels. The next ask then reads the whole pool, which takes
/// seconds for millions of items. This command does it ahead of time. Without a due proposal it does nothing.
///
/// An evaluation made with --elsewhere does not have its pool. Given the pool again, this command scores all items by the
/// labels told so far, and makes new draws. It reads the whole pool.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  labelwise refresh pool.labelwise\n  labelwise refresh support.labelwise 'scores/dt=*/part-*.parquet'"
)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// The pool of an evaluation made with --elsewhere, as it was given to `labelwise new`
    #[arg(value_name = "POOL")]
    pool: Option<PathBuf>,
    /// Number of draws to make ahead, for an evaluation made with --elsewhere [default: as many as before]
    #[arg(long, value_name = "NUMBER", requires = "pool", value_parser = counting)]
    ahead: Option<usize>,
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
    let (refreshed, labels) = match &options.pool {
        Some(pool) => {
            let files = PoolFiles::every(pool)?;
            let progress = Passes::new();
            let says = |step, done, parts| progress.says(step, done, parts);
            let path = options.evaluation.path();
            let (_, labels) = Study::refresh_elsewhere(path, &files, options.ahead, &says)?;
            (true, labels)
        }
        None => {
            let _spinner = Spinner::new("computing the proposal");
            options.evaluation.open()?.refresh(labelwise_study::now())?
        }
    };
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
