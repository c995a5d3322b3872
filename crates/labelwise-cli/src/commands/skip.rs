//! `labelwise skip`: a label will not come.

use std::io::Write;

use labelwise_store::{Answer, Reply, Study};

use crate::args::{AuthorOptions, EvaluationArg};
use crate::error::Failure;
use crate::output::recorded::Recorded;
use crate::settings::Settings;

/// Give up on labels of items that were asked.
///
/// Hard items are skipped more often than easy ones, so a skipped item is not simply left out: estimates carry the
/// bounds of its loss. Should the label come after all, tell it. Only if the reason has nothing to do with the label (a
/// lost file, say), use --at-random: the item then leaves the pool.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise skip pool.labelwise row-17 --note 'illegible'")]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// The ids of the items
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// The label is missing for reasons that have nothing to do with what it would have been
    #[arg(long)]
    at_random: bool,
    /// Why, kept with the record
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    #[command(flatten)]
    author: AuthorOptions,
    /// Print one JSON object (schema labelwise.skip/1) in place of text
    #[arg(long)]
    json: bool,
}

/// Gives up on labels.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Failure> {
    let mut evaluation = Study::open(options.evaluation.path())?;
    let reply = if options.at_random { Reply::MissingAtRandom } else { Reply::Skip };
    let answer =
        |id: &String| Answer { id: id.clone(), reply: reply.clone(), line: None, note: options.note.clone() };
    let answers: Vec<Answer> = options.ids.iter().map(answer).collect();
    let told = evaluation.tell(&answers, &options.author.author(settings))?;
    let words = Recorded { schema: "labelwise.skip/1", done: "skipped", json: options.json, blank: 0 };
    words.say(told, &evaluation, out)
}
