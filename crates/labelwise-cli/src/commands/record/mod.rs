//! `labelwise tell`, `skip` and `amend`: record labels, missing labels and corrections.

mod answers;

use std::io::Write;
use std::path::PathBuf;

use answers::{Answers, Source};
use labelwise_study::{Answer, Author, Reply, Study, TellResult};

use crate::args::{AuthorOptions, EvaluationArg};
use crate::error::Error;
use crate::output::recorded::Recorded;
use crate::settings::Settings;

/// Record labels of items that were asked.
///
/// The labels are on disk when the command ends. If one label is invalid, none is recorded. Repeating a label
/// has no effect; a different label for the same item is refused (see `amend`).
///
/// A file is CSV or TSV with the columns id and label, or JSON Lines with the same keys. Rows without a label
/// are ignored. To skip an item, set its column or key `skip` to true.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  labelwise tell pool.labelwise labels.csv\n  labelwise tell pool.labelwise 'row-17=cat'\n  \
                        labelwise ask pool.labelwise -n 20 --jsonl | my-labeller | labelwise tell pool.labelwise -"
)]
pub(crate) struct TellOptions {
    #[command(flatten)]
    pub(super) labels: LabelOptions,
    /// Print one JSON object (schema labelwise.tell/1) instead of text
    #[arg(long)]
    json: bool,
}

/// Correct recorded labels.
///
/// The old label stays on record with its author and time; estimates use the new one. Draws that were made in
/// between stay unchanged.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise amend pool.labelwise 'row-17=dog'")]
pub(crate) struct AmendOptions {
    #[command(flatten)]
    pub(super) labels: LabelOptions,
    /// Print one JSON object (schema labelwise.amend/1) instead of text
    #[arg(long)]
    json: bool,
}

/// The labels, the evaluation file and the author.
#[derive(Debug, clap::Args)]
pub(super) struct LabelOptions {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Files of labels, - for stdin, or labels as ID=LABEL
    #[arg(value_name = "LABELS", required = true)]
    labels: Vec<String>,
    #[command(flatten)]
    author: AuthorOptions,
}

/// Record that items cannot be labelled.
///
/// Hard items are skipped more often than easy ones, so estimates do not ignore a skipped item: they use the
/// bounds of its loss. If the label arrives later, tell it. Use --at-random only if the reason is unrelated
/// to the label (a lost file, for example): the item then leaves the pool.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise skip pool.labelwise row-17 --note 'illegible'")]
pub(crate) struct SkipOptions {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Ids of the items
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// The reason is unrelated to the label: remove the item from the pool
    #[arg(long)]
    at_random: bool,
    /// Reason, stored with the record
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    #[command(flatten)]
    author: AuthorOptions,
    /// Print one JSON object (schema labelwise.skip/1) instead of text
    #[arg(long)]
    json: bool,
}

/// Records labels.
pub(crate) fn tell(options: &TellOptions, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let (evaluation, told, blank) = options.labels.record(Study::tell, settings)?;
    let recorded = Recorded { schema: "labelwise.tell/1", done: "recorded", told, blank };
    recorded.print(options.json, &evaluation, out)
}

/// Corrects labels.
pub(crate) fn amend(options: &AmendOptions, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let (evaluation, told, blank) = options.labels.record(Study::amend, settings)?;
    let recorded = Recorded { schema: "labelwise.amend/1", done: "amended", told, blank };
    recorded.print(options.json, &evaluation, out)
}

type Record = fn(&mut Study, &[Answer], &Author) -> Result<TellResult, labelwise_study::Error>;

impl LabelOptions {
    /// Reads the labels and records them. Returns the number of rows without a label, too.
    fn record(&self, record: Record, settings: &Settings) -> Result<(Study, TellResult, usize), Error> {
        // A pipe may take hours: a missing evaluation is noticed before, and one that is moved meanwhile after.
        if !self.evaluation.path().exists() {
            self.evaluation.open()?;
        }
        let sources = self.labels.iter().map(Source::read).collect::<Result<Vec<_>, _>>()?;
        let mut evaluation = self.evaluation.open()?;
        let Answers { answers, blank } = Answers::of(sources, &evaluation)?;
        let told = record(&mut evaluation, &answers, &self.author.author(settings))?;
        Ok((evaluation, told, blank))
    }
}

/// The answers in a file of labels.
pub(crate) fn read_labels(path: PathBuf, bytes: &[u8]) -> Result<Vec<Answer>, Error> {
    Ok(Answers::of_file(path, bytes)?.answers)
}

/// Skips items.
pub(crate) fn skip(options: &SkipOptions, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let mut evaluation = options.evaluation.open()?;
    let reply = if options.at_random { Reply::MissingAtRandom } else { Reply::Skip };
    let answer =
        |id: &String| Answer { id: id.clone(), reply: reply.clone(), line: None, note: options.note.clone() };
    let answers: Vec<Answer> = options.ids.iter().map(answer).collect();
    let told = evaluation.tell(&answers, &options.author.author(settings))?;
    let recorded = Recorded { schema: "labelwise.skip/1", done: "skipped", told, blank: 0 };
    recorded.print(options.json, &evaluation, out)
}
