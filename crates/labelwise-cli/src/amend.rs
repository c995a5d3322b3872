//! `labelwise amend`: a label was wrong.

use std::io::Write;

use labelwise_store::Study;

use crate::answers::Answers;
use crate::by::{Of, Recording};
use crate::config::Settings;
use crate::failure::Failure;
use crate::told::Words;

/// Correct labels that were told.
///
/// The old label stays on record, with who told it and when; estimates use the new one. Draws made since stay as they
/// were made.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise amend pool.labelwise 'row-17=dog'")]
pub(crate) struct Options {
    #[command(flatten)]
    of: Of,
    /// Files with labels, - for a pipe, or labels as ID=LABEL
    #[arg(value_name = "LABELS", required = true)]
    labels: Vec<String>,
    #[command(flatten)]
    recording: Recording,
    /// Print one JSON object (schema labelwise.amend/1) in place of text
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn of(&self) -> &Of {
        &self.of
    }
}

/// Corrects labels.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Failure> {
    let mut evaluation = Study::open(options.of.path())?;
    let Answers { answers, blank } = Answers::read(&options.labels, &evaluation)?;
    let told = evaluation.amend(&answers, &options.recording.by(settings))?;
    let words = Words { schema: "labelwise.amend/1", done: "amended", json: options.json, blank };
    words.say(told, &evaluation, out)
}
