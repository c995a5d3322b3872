//! What can be wrong with a pool file.

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

use crate::families::shown;
use crate::format::Format;

/// What reading a pool file returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a pool file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The core refused.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// Pools of several models do not match.
    #[error(transparent)]
    Match(#[from] MatchError),
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
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
}
