//! Errors of reading pool files.

mod codes;
mod matching;
mod purpose;
mod row;

use std::io;
use std::path::PathBuf;

pub use matching::MatchError;
pub use purpose::Purpose;
pub use row::{CellFault, RowError, RowFault};
use row::{first_of, lines};

use crate::families::{LikelyColumns, shown};
use crate::format::Format;
use crate::numbers::Guess;

/// A result of reading a pool file.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a pool file cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// The core refused the data.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// The pools of several models do not match.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// The file could not be opened or read.
    #[error("{} cannot be read: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    /// Neither the contents nor the name of the file tell its format.
    #[error(
        "{}: neither the contents nor the name of the file tell its format; the formats are {known}",
        .path.display()
    )]
    UnknownFormat { path: PathBuf, known: String },
    /// There is no format of this name.
    #[error("{} is not a format: choose one of {known}", shown(.name))]
    NoFormat { name: String, known: String },
    /// The contents of the file do not follow its format.
    #[error("{} is not a complete {format} file: {reason}", .path.display())]
    Damaged { path: PathBuf, format: Format, reason: String },
    /// The file uses a part of its format that labelwise does not read.
    #[error("{} has {what}, which labelwise does not read: {way_out}", .path.display())]
    Unsupported { path: PathBuf, what: String, way_out: &'static str },
    /// The file is a folder.
    #[error("{} is a folder, not a file: name one file{}", .path.display(), files_in(.files))]
    Folder {
        path: PathBuf,
        /// The first files in it that could be pools.
        files: Vec<String>,
    },
    /// No file matches a pattern.
    #[error("no file matches {}: in a pattern, * and ? stand for characters of a name, as in 'scores/dt=*/part-*.parquet'", .pattern.display())]
    NoFiles { pattern: PathBuf },
    /// The files of a pool have different predictions.
    #[error("{} has {there}, but the files before it have {here}; write the same columns to every file", .path.display())]
    PartDiffers { path: PathBuf, there: String, here: String },
    /// Ids that occur in several files.
    #[error(
        "{}: ids occur more than once, such as {}; an id must name one item",
        .path.display(),
        .first.iter().map(|id| shown(id)).collect::<Vec<_>>().join(", ")
    )]
    RepeatedIds { path: PathBuf, first: Vec<String> },
    /// A file without a column of ids, where rows are found again by their ids.
    #[error("{} has no column of ids, by which its items are found again: name it with --id", .path.display())]
    NoIds { path: PathBuf },
    /// The contents are of another kind of file.
    #[error("{} is {what}, not a pool: {way_out}", .path.display())]
    NotAPool { path: PathBuf, what: &'static str, way_out: &'static str },
    /// The file has no bytes, or only blank lines.
    #[error("{} is empty: a pool needs the names of its columns and at least one item", .path.display())]
    NoContent { path: PathBuf },
    /// The contents need more memory than a file of this size may take.
    #[error(
        "{} has {bytes} bytes, but needs more than {} MiB of memory, the limit for a file of this size: \
         read fewer columns, or, if the file is right, write it as CSV or as Parquet without compression",
        .path.display(), .most >> 20
    )]
    TooLarge { path: PathBuf, bytes: u64, most: u64 },
    /// The file has more columns than labelwise reads.
    #[error(
        "{} has {columns} columns, each number of a list counted, but at most {most} are read",
        .path.display()
    )]
    TooWide { path: PathBuf, columns: usize, most: usize },
    /// The numbers do not fit in memory.
    #[error("{rows} rows of {columns} numbers do not fit in memory: read fewer columns")]
    Memory { rows: usize, columns: usize },
    /// The file has no rows.
    #[error("{} has no rows: a pool needs at least one item", .path.display())]
    Empty { path: PathBuf },
    /// Two columns have the same name.
    #[error("{} has two columns `{name}`: rename one of them", .path.display())]
    TwiceNamed { path: PathBuf, name: String },
    /// The file does not have a column that was chosen.
    #[error("{} has no column `{name}` for {purpose}: its columns are {columns}", .path.display())]
    NoColumn { path: PathBuf, name: String, purpose: Purpose, columns: String },
    /// The labels are named as something else too.
    #[error(
        "`{name}` of {} has the labels, so it cannot be used for {purpose} too: name another column",
        .path.display()
    )]
    LabelsTwice { path: PathBuf, name: String, purpose: Purpose },
    /// Fewer than 2 columns match a pattern of class columns.
    #[error(
        "`{pattern}` matches {found} of the columns of {}, but {purpose} need one column of lists or at \
         least two columns; its columns are {columns}",
        .path.display()
    )]
    TooFewClasses { path: PathBuf, pattern: String, found: usize, purpose: Purpose, columns: String },
    /// No columns are recognised as class probabilities.
    #[error(
        "{} has no columns that are recognised as class probabilities ({families}): name the columns of \
         predictions; its columns are {columns}",
        .path.display()
    )]
    NoFamily {
        path: PathBuf,
        families: String,
        columns: String,
        /// What the columns may be instead, by their names.
        likely: Option<LikelyColumns>,
    },
    /// Several families of columns are recognised as class probabilities.
    #[error(
        "{} has several families of class probabilities ({families}): choose one, for instance `{first}`; \
         its columns are {columns}",
        .path.display()
    )]
    ManyFamilies { path: PathBuf, families: String, first: String, columns: String },
    /// Rows of the file are invalid.
    #[error("{} has invalid rows{}\n{}", .path.display(), first_of(*.more, .rows), lines(.rows))]
    Rows {
        path: PathBuf,
        rows: Vec<RowError>,
        more: bool,
        /// What the numbers of class columns look like, if they are not what they are said to be.
        guess: Option<Guess>,
    },
    /// The logits are probabilities or percentages.
    #[error(
        "{}: the numbers{} look like {}, not like logits; a softmax would make them meaningless",
        .path.display(), of_columns(&.guess.columns), .guess.looks
    )]
    NotLogits { path: PathBuf, guess: Guess },
    /// The core refused class probabilities that look like something else.
    #[error("{refused}; the numbers look like {}", .guess.looks)]
    NotProbabilities { refused: labelwise::Error, guess: Guess },
    /// The name of a column of variances says that it holds standard deviations.
    #[error(
        "{}: column {} is named like standard deviations, not variances; rename it if it holds variances",
        .path.display(), shown(.column)
    )]
    DeviationColumn { path: PathBuf, column: String },
    /// The name of a column of standard deviations says that it holds variances.
    #[error(
        "{}: column {} is named like variances, not standard deviations; rename it if it holds standard \
         deviations",
        .path.display(), shown(.column)
    )]
    VarianceColumn { path: PathBuf, column: String },
    /// A column of predicted classes holds measured numbers.
    #[error(
        "{}: column {} has {distinct} different decimals, such as {}, so it does not hold predicted classes",
        .path.display(), shown(.column), shown(.example)
    )]
    ManyDecimals { path: PathBuf, column: String, distinct: usize, example: String },
    /// An option does not fit the predictions.
    #[error("{}: `{option}` is only for {needs}: remove it", .path.display())]
    Unused { path: PathBuf, option: &'static str, needs: &'static str },
    /// The log has every document once per filter.
    #[error(
        "{} has every document once per filter: choose one of the filters {}",
        .path.display(), listed(.filters)
    )]
    Filters { path: PathBuf, filters: Vec<String> },
    /// The log does not have the chosen filter.
    #[error("{} has no rows of the filter `{filter}`: its filters are {}", .path.display(), listed(.filters))]
    NoFilter { path: PathBuf, filter: String, filters: Vec<String> },
    /// A file of other models' results has no item of the pool.
    #[error(
        "{} has no item of {}: its ids begin with {theirs}, those of the pool with {own}; both must be the same text (--id \
         names the column)",
        .there.display(), .here.display()
    )]
    HistoryIds { here: PathBuf, there: PathBuf, own: String, theirs: String },
    /// A log has several scores, one of which is the result.
    #[error(
        "{} has the scores {}: name one of them as the result, such as --history {}:{}",
        .path.display(), listed(.names), .path.display(), .names.first().map_or("", String::as_str)
    )]
    ManyResults { path: PathBuf, names: Vec<String> },
    /// A file has no column of results.
    #[error(
        "{} has no column that can be results of other models: name it, such as --history {}:COLUMN; the columns are \
         {columns}",
        .path.display(), .path.display()
    )]
    NoResults { path: PathBuf, columns: String },
    /// The log has several epochs.
    #[error("{} has {epochs} epochs, in which samples repeat: choose one", .path.display())]
    Epochs { path: PathBuf, epochs: u64 },
    /// The log does not have the chosen epoch.
    #[error("{} has no samples of epoch {epoch}: it has {epochs}, counted from 1", .path.display())]
    NoEpoch { path: PathBuf, epoch: u64, epochs: u64 },
    /// The numbers of class names and of probabilities differ.
    #[error("{} names {names} classes, but has {probabilities} probabilities per row", .path.display())]
    ClassNames { path: PathBuf, names: usize, probabilities: usize },
    /// The surrogate has no predictions for some items of the pool.
    #[error(
        "the surrogate {} has no predictions for {missing} items of the pool, the first of them {first}: it \
         needs the ids of the pool",
        .path.display()
    )]
    SurrogateMisses { path: PathBuf, missing: usize, first: String },
    /// The surrogate predicts something else than the pool, or other classes.
    #[error(
        "the surrogate {} predicts {there}, but the pool {here}: both must predict the same",
        .path.display()
    )]
    SurrogateDiffers { path: PathBuf, there: String, here: String },
}

/// The columns that an error is about; an array has none.
fn of_columns(columns: &str) -> String {
    if columns.is_empty() { String::new() } else { format!(" of {}", shown(columns)) }
}

fn files_in(files: &[String]) -> String {
    if files.is_empty() { String::new() } else { format!(", for instance {}", files.join(" or ")) }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
}
