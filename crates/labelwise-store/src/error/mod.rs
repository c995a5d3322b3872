//! What can be wrong with a pool file or the file of an evaluation, in sentences.

mod answer;
mod codes;
mod design;
mod misfit;
mod mismatch;
mod purpose;
mod row;
mod sentences;
mod unfit;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::format::Format;

pub use answer::{AnswerError, LabelWanted, RefusedAnswer};
use answer::{first_refusals, more};
pub use design::DesignMisfit;
pub use misfit::Misfit;
pub use mismatch::Mismatch;
pub use purpose::Purpose;
pub use row::{CellFault, RowError, RowFault};
use row::{first_of, lines};
use sentences::*;
pub use unfit::Unfit;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a pool could not be read, or an evaluation not kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The core refused.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// What was chosen does not fit together.
    #[error(transparent)]
    Misfit(#[from] Misfit),
    /// A metric cannot be had as it was asked for.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// Models that do not go together.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// A design does not fit, or does not give what was asked.
    #[error(transparent)]
    Design(#[from] DesignMisfit),
    /// The file could not be opened or read.
    #[error("{} cannot be read: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The name of the file does not say what is in it.
    #[error("the format of {} is not known by its name: give the option `format`, one of {known}", .path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Every format's name.
        known: String,
    },
    /// The bytes are not what the format says.
    #[error("{} is not a whole {format} file: {reason}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What it was read as.
        format: Format,
        /// What is wrong.
        reason: String,
    },
    /// The file uses a part of its format that is not read.
    #[error("{} has {what}, which is not read: {way_out}", .path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What is met.
        what: String,
        /// How to go on.
        way_out: &'static str,
    },
    /// The file would become larger than is believable.
    #[error(
        "{} of {bytes} bytes says that it holds {declared} {what}: more than {most} are not believed of such a file",
        .path.display()
    )]
    Unbelievable {
        /// The file.
        path: PathBuf,
        /// How large it is.
        bytes: u64,
        /// What there is too much of.
        what: &'static str,
        /// How much there should be.
        declared: u64,
        /// The limit.
        most: u64,
    },
    /// No memory for the numbers.
    #[error("{rows} rows of {columns} numbers do not fit in memory: read fewer columns")]
    Memory {
        /// How many rows.
        rows: usize,
        /// How many numbers in each.
        columns: usize,
    },
    /// There is no row.
    #[error("{} has no rows: a pool needs at least one item", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Two columns of one name.
    #[error("{} has two columns `{name}`: rename one of them", .path.display())]
    TwiceNamed {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A column that was asked for is not there.
    #[error("{} has no column `{name}` for {purpose}: its columns are {columns}", .path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        name: String,
        /// What it was to be.
        purpose: Purpose,
        /// The columns of the file.
        columns: String,
    },
    /// A pattern that fits no two columns of class probabilities.
    #[error(
        "`{pattern}` fits {found} of the columns of {}, but {purpose} need one column of lists or at least two \
         columns: its columns are {columns}", .path.display()
    )]
    TooFewClasses {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        pattern: String,
        /// How many columns it fits.
        found: usize,
        /// What they were to be.
        purpose: Purpose,
        /// The columns of the file.
        columns: String,
    },
    /// No family of columns is known to be probabilities.
    #[error(
        "{} has no columns that are known as class probabilities ({families}): name them with the option \
         `probabilities`, for instance `prob_*`; its columns are {columns}", .path.display()
    )]
    NoFamily {
        /// The file.
        path: PathBuf,
        /// The families that are known.
        families: String,
        /// The columns of the file.
        columns: String,
    },
    /// More than one family of columns may be probabilities.
    #[error(
        "{} has more than one family of class probabilities ({families}): choose with the option `probabilities`, \
         for instance `{first}`; its columns are {columns}", .path.display()
    )]
    ManyFamilies {
        /// The file.
        path: PathBuf,
        /// Those that were found.
        families: String,
        /// The first of them.
        first: String,
        /// The columns of the file.
        columns: String,
    },
    /// Rows that cannot be used.
    #[error("{} has rows that cannot be used{}\n{}", .path.display(), first_of(*.more, .rows), lines(.rows))]
    Rows {
        /// The file.
        path: PathBuf,
        /// The first of them.
        rows: Vec<RowError>,
        /// Whether there are others.
        more: bool,
    },
    /// A log of several filters.
    #[error(
        "{} has every document once for each of the filters {}: choose one with the option `filter`",
        .path.display(), listed(.filters)
    )]
    Filters {
        /// The file.
        path: PathBuf,
        /// The filters of the file.
        filters: Vec<String>,
    },
    /// A filter that is not there.
    #[error("{} has no rows of the filter `{filter}`: its filters are {}", .path.display(), listed(.filters))]
    NoFilter {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        filter: String,
        /// The filters of the file.
        filters: Vec<String>,
    },
    /// A log of several epochs.
    #[error(
        "{} has {epochs} epochs, in which samples repeat: choose one with the option `epoch`", .path.display()
    )]
    Epochs {
        /// The file.
        path: PathBuf,
        /// How many.
        epochs: u64,
    },
    /// An epoch that is not there.
    #[error("{} has no samples of epoch {epoch}: it has {epochs}, counted from 1", .path.display())]
    NoEpoch {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        epoch: u64,
        /// How many there are.
        epochs: u64,
    },
    /// Number of names and of probabilities differ.
    #[error("{} names {names} classes, but has {probabilities} probabilities a row", .path.display())]
    ClassNames {
        /// The file.
        path: PathBuf,
        /// How many names.
        names: usize,
        /// How many probabilities.
        probabilities: usize,
    },
    /// Items of the pool that the surrogate says nothing about.
    #[error(
        "the surrogate {} has no predictions for {missing} items of the pool, the first of them {first}: \
         its ids must be those of the pool", .path.display()
    )]
    SurrogateMisses {
        /// The surrogate's file.
        path: PathBuf,
        /// How many items.
        missing: usize,
        /// The ids of the first of them.
        first: String,
    },
    /// Predictions of two kinds or of other classes.
    #[error("the surrogate {} predicts {there}, but the pool {here}: they must be of the same kind", .path.display())]
    SurrogateDiffers {
        /// The surrogate's file.
        path: PathBuf,
        /// What it predicts.
        there: String,
        /// What the pool holds.
        here: String,
    },
    /// The name of a new evaluation is taken.
    #[error("{} is there already and is left as it is: give the new evaluation another name", .path.display())]
    Exists {
        /// The name.
        path: PathBuf,
    },
    /// Part of an earlier evaluation lies where a new one would take it for its own.
    #[error(
        "{} is left of an earlier evaluation {}, and would be mixed into the new one: move it away, or give the new \
         evaluation another name", .left.display(), .path.display()
    )]
    Leftover {
        /// The name of the new evaluation.
        path: PathBuf,
        /// What is there.
        left: PathBuf,
    },
    /// A new evaluation cannot be made there.
    #[error("{} cannot be made: {source}", .path.display())]
    NotMade {
        /// The name.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A new evaluation was to be refreshed or finished without settings.
    #[error("{} has no settings yet: they are written before anything is drawn", .path.display())]
    NoSettings {
        /// The evaluation.
        path: PathBuf,
    },
    /// There is no evaluation of that name.
    #[error("there is no evaluation {}: look for a spelling mistake, or make it with `labelwise new`", .path.display())]
    NoEvaluation {
        /// The name.
        path: PathBuf,
    },
    /// The file is something else.
    #[error(
        "{} is not an evaluation of labelwise, or its first bytes are damaged: give a file that `labelwise new` made",
        .path.display()
    )]
    NotAnEvaluation {
        /// The file.
        path: PathBuf,
    },
    /// The file is of a later version.
    #[error("{} was made by a newer labelwise (schema {schema}, this one knows {known}): update labelwise", .path.display())]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// Its version.
        schema: i32,
        /// The newest that is known.
        known: i32,
    },
    /// Another process does not stop writing.
    #[error(
        "{} was being written by another process for {seconds} seconds: nothing was recorded, run the command again",
        .path.display()
    )]
    Busy {
        /// The evaluation.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// No space left.
    #[error("the disk of {} is full: nothing was recorded; free some space and run the command again", .path.display())]
    DiskFull {
        /// The evaluation.
        path: PathBuf,
    },
    /// No right to write.
    #[error("{} cannot be written to ({reason}): the file and its folder must be writable", .path.display())]
    ReadOnly {
        /// The evaluation.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Changes that a writer left in its log, in a folder where they cannot be read.
    #[error(
        "the last changes of {} are in {}, which cannot be read in a read-only folder: copy both files to another \
         folder and read them there", .path.display(), .log.display()
    )]
    LogApart {
        /// The evaluation.
        path: PathBuf,
        /// The log.
        log: PathBuf,
    },
    /// The disk failed.
    #[error("reading or writing {} failed ({reason}): nothing was acknowledged, run the command again", .path.display())]
    Disk {
        /// The evaluation.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The disk failed before.
    #[error(
        "an earlier write to {} failed, and nothing more is written: nothing was acknowledged, open it again and run \
         the command again", .path.display()
    )]
    Poisoned {
        /// The evaluation.
        path: PathBuf,
    },
    /// The file is not as it was written.
    #[error(
        "{} is damaged: {} {reason}; restore a copy, or take what is whole with `labelwise export --salvage`", .path.display(),
        row_of(.table, .row.as_deref())
    )]
    Broken {
        /// The evaluation.
        path: PathBuf,
        /// The table.
        table: &'static str,
        /// The row, if it is known.
        row: Option<String>,
        /// What is wrong.
        reason: String,
    },
    /// A rule of a table was broken.
    #[error("nothing was recorded in {}: table `{table}` does not take the row ({reason})", .path.display())]
    NotRecorded {
        /// The evaluation.
        path: PathBuf,
        /// The table.
        table: &'static str,
        /// Which rule.
        reason: String,
    },
    /// A text that is too long to be meant.
    #[error("a {what} of {bytes} bytes is not recorded: at most {most} are")]
    LongText {
        /// What it is.
        what: &'static str,
        /// How long it is.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// A draw out of order.
    #[error("draw {place} cannot be item {item}: {}", next_is(*.expected))]
    NotNext {
        /// The place of the draw.
        place: u64,
        /// The item.
        item: u64,
        /// The item that comes next, if any is known.
        expected: Option<u64>,
    },
    /// Something said about a draw that was never made.
    #[error("draw {place} was never made: there are {draws}")]
    NoSuchDraw {
        /// The place.
        place: u64,
        /// How many there are.
        draws: u64,
    },
    /// Answers that are refused; nothing of the call is recorded.
    #[error("{} of {of} answers cannot be recorded in {}, and so none is:\n{}{}", .refusals.len(), .path.display(), first_refusals(.refusals), more(.refusals))]
    Refused {
        /// The evaluation.
        path: PathBuf,
        /// What is wrong, in order.
        refusals: Vec<RefusedAnswer>,
        /// How many answers there were.
        of: usize,
    },
    /// A key that was used for something else.
    #[error("the key {key:?} was used for another `{verb}` before: take a new key for a new request")]
    KeyReused {
        /// The key.
        key: String,
        /// What it was used for.
        verb: String,
    },
    /// More is asked for than there is.
    #[error("{wanted} {} asked for, but {}", are(*.wanted), what_is_left(*.left, *.size))]
    Exhausted {
        /// How many are asked for.
        wanted: usize,
        /// How many are left.
        left: usize,
        /// The size of the pool.
        size: usize,
    },
    /// Nothing to estimate from.
    #[error("there is no label to estimate from: {}", why_none(.next.as_deref()))]
    NoLabels {
        /// The first draw that waits for its label.
        next: Option<String>,
    },
    /// Others were always faster.
    #[error("{} is asked by too many at once: {attempts} times somebody else was faster; try again", .path.display())]
    Crowded {
        /// The evaluation.
        path: PathBuf,
        /// How often it was tried.
        attempts: usize,
    },
    /// A skipped label without which nothing can be said.
    #[error(
        "item {id:?} was skipped, and its loss has no bounds that could stand for it: tell its label, or declare it missing at random if the reason has nothing to do with it"
    )]
    UnboundedSkip {
        /// The item.
        id: String,
    },
    /// The plain mean has no guarantee.
    #[error(
        "the plain mean is biased unless draws are uniform, and no guaranteed interval is about it: take another estimator, or the ordinary interval"
    )]
    PlainMeanGuaranteed,
    /// A draw that comes out differently.
    #[error("draw {place} of {} was item {recorded} with q = {recorded_q}, but made again it is item {again} with q = {again_q}: the file was changed, or made by a version that draws differently", .path.display())]
    Differs {
        /// The evaluation.
        path: PathBuf,
        /// The place of the draw.
        place: usize,
        /// What is on record.
        recorded: usize,
        /// Its q.
        recorded_q: f64,
        /// What comes out.
        again: usize,
        /// Its q.
        again_q: f64,
    },
    /// Something of our own that JSON cannot hold.
    #[error("what is to be kept cannot be written as JSON: {0}")]
    Json(serde_json::Error),
    /// A refresh out of order.
    #[error("refresh {number} cannot be recorded: the next one is {next}")]
    NotThisRefresh {
        /// Its number.
        number: u64,
        /// The number that comes next.
        next: u64,
    },
}

impl Error {
    pub(crate) fn json(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

/// A row whose checksum held and whose contents mean nothing.
pub(crate) fn damaged(path: &Path, table: &'static str, row: impl fmt::Display) -> Error {
    let reason = "means nothing to this version".to_owned();
    Error::Broken { path: path.to_owned(), table, row: Some(row.to_string()), reason }
}
