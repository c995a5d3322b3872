//! `labelwise verify`: recomputes an evaluation from its file and compares.

use std::io::Write;
use std::path::Path;

use labelwise_study::Verified;
use serde::Serialize;

use super::start_threads;
use crate::args::{self, EvaluationArg};
use crate::error::Error;
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::output::text::counted;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.verify/1";

/// Check an evaluation: every checksum, every proposal, every draw.
///
/// The command recomputes every proposal from the predictions, the seed and the labels in the file, and
/// compares every draw with its record.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise verify pool.labelwise")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Print one JSON object (schema labelwise.verify/1) instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    evaluation: &'a Path,
    whole: bool,
    refreshes: usize,
    draws: usize,
    events: usize,
    largest_difference: f64,
    /// The sentence about ignored changes in the log.
    ignored_log: Option<String>,
}

/// Checks the evaluation and prints the counts.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    start_threads()?;
    let spinner = Spinner::new("checking");
    let evaluation = options.evaluation.read()?;
    let verified =
        evaluation.verify(&|done, of| spinner.says(&format!("checking refresh {done} of {of}")))?;
    drop(spinner);
    let Verified { refreshes, draws, events, largest_difference, ignored_log, .. } = verified;
    let ignored_log = ignored_log.as_ref().map(args::ignored_log);
    if options.json {
        let evaluation = options.evaluation.path();
        let document = Document {
            schema: SCHEMA,
            evaluation,
            whole: true,
            refreshes,
            draws,
            events,
            largest_difference,
            ignored_log,
        };
        return print_json(&document, out);
    }
    let bits = if largest_difference == 0.0 {
        "to the last bit".to_owned()
    } else {
        format!("to {largest_difference:.1e}, which is rounding of another machine")
    };
    writeln!(
        out,
        "{} is undamaged: {} and {} have correct checksums;",
        options.evaluation.path().display(),
        counted(events, "event"),
        counted(draws, "draw")
    )?;
    let proposals = counted(refreshes, "proposal");
    writeln!(out, "{proposals} computed again, with the same items and the same q {bits}")?;
    if let Some(ignored) = ignored_log {
        writeln!(out, "warning: {ignored}")?;
    }
    Ok(())
}
