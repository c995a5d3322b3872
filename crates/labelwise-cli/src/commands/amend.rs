//! `labelwise amend`: a label was wrong.

use std::io::Write;

use labelwise_store::Study;

use super::answers::Answers;
use crate::args::{AuthorOptions, EvaluationArg};
use crate::error::Failure;
use crate::output::recorded::Recorded;
use crate::settings::Settings;

/// Correct labels that were told.
///
/// The old label stays on record, with who told it and when; estimates use the new one. Draws made since stay as they
/// were made.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise amend pool.labelwise 'row-17=dog'")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Files with labels, - for a pipe, or labels as ID=LABEL
    #[arg(value_name = "LABELS", required = true)]
    labels: Vec<String>,
    #[command(flatten)]
    author: AuthorOptions,
    /// Print one JSON object (schema labelwise.amend/1) in place of text
    #[arg(long)]
    json: bool,
}

/// Corrects labels.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Failure> {
    let mut evaluation = Study::open(options.evaluation.path())?;
    let Answers { answers, blank } = Answers::read(&options.labels, &evaluation)?;
    let told = evaluation.amend(&answers, &options.author.author(settings))?;
    let words = Recorded { schema: "labelwise.amend/1", done: "amended", json: options.json, blank };
    words.say(told, &evaluation, out)
}
