//! `labelwise backup`: copies an evaluation that may be in use.

use std::io::Write;
use std::path::PathBuf;

use labelwise_plot::format::thousands;
use serde::Serialize;

use crate::args::EvaluationArg;
use crate::error::Error;
use crate::output::print_json;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.backup/1";

/// Copy an evaluation that may be in use.
///
/// The copy holds every label that was acknowledged, and every byte of it is checked. A plain `cp` of a file that a process
/// has open can miss the last labels: they are in the log next to it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise backup pool.labelwise pool-backup.labelwise")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Name of the copy, which must not exist
    #[arg(value_name = "COPY")]
    copy: PathBuf,
    /// Print one JSON object (schema labelwise.backup/1) instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    evaluation: &'a std::path::Path,
    copy: &'a std::path::Path,
    asked: usize,
    labelled: usize,
}

/// Makes the copy.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    options.evaluation.read()?.backup(&options.copy)?;
    let copy = labelwise_study::Study::read(&options.copy)?;
    let (asked, labelled) = (copy.asked(), copy.labels());
    if options.json {
        let (evaluation, copy) = (options.evaluation.path(), options.copy.as_path());
        return print_json(&Document { schema: SCHEMA, evaluation, copy, asked, labelled }, out);
    }
    let labels = if labelled == 1 { "label" } else { "labels" };
    writeln!(out, "{}: a copy with {} {labels}", options.copy.display(), thousands(labelled))?;
    Ok(())
}
