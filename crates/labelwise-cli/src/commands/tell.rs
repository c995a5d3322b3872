//! `labelwise tell`: labels come back.

use std::io::Write;

use labelwise_store::Study;

use super::answers::Answers;
use crate::args::{AuthorOptions, EvaluationArg};
use crate::error::Failure;
use crate::output::recorded::Recorded;
use crate::settings::Settings;

/// Record labels of items that were asked.
///
/// When the command is done, the labels are on disk. All of them are recorded, or none if something is wrong with one.
/// The same label again is not counted twice; another label for the same item is refused (see `amend`).
///
/// A file is CSV or TSV with columns id and label, or JSON Lines with the same keys; rows without a label are passed
/// over. An item that nobody can label has a column or key `skip` that is true.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  labelwise tell pool.labelwise labels.csv\n  labelwise tell pool.labelwise 'row-17=cat'\n  \
                        labelwise ask pool.labelwise -n 20 --jsonl | my-labeller | labelwise tell pool.labelwise -"
)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Files with labels, - for a pipe, or labels as ID=LABEL
    #[arg(value_name = "LABELS", required = true)]
    labels: Vec<String>,
    #[command(flatten)]
    author: AuthorOptions,
    /// Print one JSON object (schema labelwise.tell/1) in place of text
    #[arg(long)]
    json: bool,
}

/// Records labels.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Failure> {
    let mut evaluation = Study::open(options.evaluation.path())?;
    let Answers { answers, blank } = Answers::read(&options.labels, &evaluation)?;
    let told = evaluation.tell(&answers, &options.author.author(settings))?;
    let words = Recorded { schema: "labelwise.tell/1", done: "recorded", json: options.json, blank };
    words.say(told, &evaluation, out)
}
