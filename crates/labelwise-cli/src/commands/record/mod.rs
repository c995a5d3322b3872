//! `labelwise tell`, `skip` and `amend`: record labels, missing labels and corrections.

mod answers;
mod exports;

use std::io::Write;
use std::path::{Path, PathBuf};

use answers::{Answers, Source};
use labelwise_study::{
    Answer, Author, OpinionRule, PartialTellResult, RefusedAnswer, Reply, Study, TellResult,
};

use crate::args::parse::named;
use crate::args::{AuthorOptions, EvaluationArg};
use crate::error::Error;
use crate::output::recorded::{Recorded, RefusedRow};
use crate::settings::Settings;

/// Record labels of items that were asked.
///
/// The labels are on disk when the command ends. If one label is invalid, none is recorded, except with
/// --partial. Repeating a label has no effect; a different label for the same item is refused (see `amend`).
///
/// A file is CSV or TSV with the columns id and label, or JSON Lines with the same keys. Rows without a label
/// are ignored. To skip an item, set its column or key `skip` to true.
///
/// Exports of Label Studio, Argilla, doccano, Prodigy and Langfuse are recognised by their contents. Answers
/// that are no labels are set aside, and several people's labels of an item are all kept.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes:\n  0 all labels are on record, 5 some rows were refused and the others are on record (--partial, exports of tools), 2 \
                        nothing was recorded\n\n\
                        Examples:\n  labelwise tell pool.labelwise labels.csv\n  labelwise tell pool.labelwise 'row-17=cat'\n  \
                        labelwise ask pool.labelwise -n 20 --jsonl | my-labeller | labelwise tell pool.labelwise -"
)]
pub(crate) struct TellOptions {
    #[command(flatten)]
    pub(super) labels: LabelOptions,
    /// Record the valid rows and list the others, instead of recording nothing if one row is invalid
    #[arg(long)]
    partial: bool,
    /// Question or score whose answers are the labels, in the export of a tool that has several
    #[arg(long, value_name = "NAME")]
    question: Option<String>,
    /// Label that counts if several people labelled an item: first, newest, majority or mean; recorded
    #[arg(long, value_name = "RULE", value_parser = named::<OpinionRule>(), hide_possible_values = true)]
    opinions: Option<OpinionRule>,
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
#[derive(Debug, Clone, clap::Args)]
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
pub(crate) fn tell(options: &TellOptions, settings: &Settings, out: &mut impl Write) -> Result<u8, Error> {
    let whole = |study: &mut Study, answers: &[Answer], by: &Author| Ok(all(study.tell(answers, by)?));
    let record = if options.partial { Study::tell_partly } else { whole };
    let recorded = options.labels.record("tell", record, options, settings)?;
    recorded.print(options.json, out)?;
    Ok(if recorded.refused.is_empty() { 0 } else { SOME_REFUSED })
}

/// Corrects labels.
pub(crate) fn amend(options: &AmendOptions, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let record = |study: &mut Study, answers: &[Answer], by: &Author| Ok(all(study.amend(answers, by)?));
    let plain = TellOptions {
        labels: options.labels.clone(),
        partial: false,
        question: None,
        opinions: None,
        json: false,
    };
    plain.labels.record("amend", record, &plain, settings)?.print(options.json, out)
}

/// The exit code if some rows were refused and the others recorded.
const SOME_REFUSED: u8 = 5;

type Record = fn(&mut Study, &[Answer], &Author) -> Result<PartialTellResult, labelwise_study::Error>;

/// The result of a call that refuses everything or nothing.
fn all(told: TellResult) -> PartialTellResult {
    PartialTellResult { told, refused: Vec::new() }
}

impl LabelOptions {
    /// Reads the labels and records them.
    fn record(
        &self,
        command: &'static str,
        record: Record,
        options: &TellOptions,
        settings: &Settings,
    ) -> Result<Recorded, Error> {
        // A pipe may take hours: a missing evaluation is noticed before, and one that is moved meanwhile after.
        if !self.evaluation.path().exists() {
            self.evaluation.open()?;
        }
        let sources = self.labels.iter().map(Source::read).collect::<Result<Vec<_>, _>>()?;
        let mut evaluation = self.evaluation.open()?;
        let by = self.author.author(settings);
        if let Some(rule) = options.opinions {
            evaluation.choose_opinion_rule(rule, &by)?;
        }
        let is_export = |source: &Source| command == "tell" && source.export().is_some();
        let (exports, sources): (Vec<Source>, Vec<Source>) = sources.into_iter().partition(is_export);
        let pool_size = evaluation.settings().pool.size;
        let mut recorded =
            Recorded { command, told: TellResult::default(), blank: 0, pool_size, refused: Vec::new() };
        if !sources.is_empty() {
            let answers = Answers::of(sources, &evaluation, options.partial)?;
            let PartialTellResult { told, refused } = record(&mut evaluation, &answers.answers, &by)?;
            (recorded.told, recorded.blank) = (told, answers.blank);
            recorded.refused = refused_rows(&answers, &refused);
        }
        for source in &exports {
            exports::take_over(source, options.question.as_deref(), &mut evaluation, &by, &mut recorded)?;
        }
        Ok(recorded)
    }
}

/// The rows that were not recorded: those that cannot be read, then those that the evaluation refuses.
fn refused_rows(answers: &Answers, refused: &[RefusedAnswer]) -> Vec<RefusedRow> {
    let name = |path: Option<&Path>| path.map(Path::to_owned);
    let unread = answers.invalid.iter().map(|row| RefusedRow {
        file: name(answers.source_of_row(row)),
        line: Some(row.line),
        id: None,
        reason: row.reason.clone(),
    });
    let unfit = refused.iter().map(|answer| RefusedRow {
        file: name(answers.source_of(answer.place)),
        line: answer.line,
        id: Some(answer.id.clone()),
        reason: answer.reason.to_string(),
    });
    unread.chain(unfit).collect()
}

/// The answers in a file of labels.
pub(crate) fn read_labels(path: PathBuf, bytes: &[u8]) -> Result<Vec<Answer>, Error> {
    Ok(Answers::of_file(path, bytes)?.answers)
}

/// Skips items.
pub(crate) fn skip(options: &SkipOptions, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let mut evaluation = options.evaluation.open()?;
    let reply = if options.at_random { Reply::MissingAtRandom } else { Reply::Skip };
    let answer = |id: &String| Answer {
        id: id.clone(),
        reply: reply.clone(),
        line: None,
        note: options.note.clone(),
        who: None,
    };
    let answers: Vec<Answer> = options.ids.iter().map(answer).collect();
    let told = evaluation.tell(&answers, &options.author.author(settings))?;
    let pool_size = evaluation.settings().pool.size;
    let recorded = Recorded { command: "skip", told, blank: 0, pool_size, refused: Vec::new() };
    recorded.print(options.json, out)
}
