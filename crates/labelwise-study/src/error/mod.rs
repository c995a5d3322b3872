//! What can be wrong with an evaluation, in sentences.

mod answer;
mod choice;
mod codes;
mod compare;
mod design;
mod metric;

use std::fmt;
use std::path::{Path, PathBuf};

use labelwise_file::Error as FileError;
use labelwise_pool::{Error as PoolError, MatchError};

pub use answer::{AnswerError, LabelWanted, RefusedAnswer};
use answer::{first_refusals, more};
pub use choice::ChoiceError;
pub use compare::CompareError;
pub use design::DesignError;
pub use metric::MetricError;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a pool could not be read, or an evaluation not kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The core refused.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// A pool file cannot be read.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The file of the evaluation cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// What was chosen does not fit together.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A metric cannot be had as it was asked for.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// Models that do not go together.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A design does not fit, or does not give what was asked.
    #[error(transparent)]
    Design(#[from] DesignError),
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
}

impl From<MatchError> for Error {
    fn from(error: MatchError) -> Self {
        Self::Pool(error.into())
    }
}

impl Error {
    pub(crate) fn json(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

/// A row whose checksum held and whose contents mean nothing.
pub(crate) fn damaged(path: &Path, table: &'static str, row: impl fmt::Display) -> Error {
    meaningless(path, table, row).into()
}

/// The same, as an error of the file.
pub(crate) fn meaningless(path: &Path, table: &'static str, row: impl fmt::Display) -> FileError {
    let reason = "means nothing to this version".to_owned();
    FileError::Broken { path: path.to_owned(), table, row: Some(row.to_string()), reason }
}

fn are(items: usize) -> &'static str {
    if items == 1 { "item is" } else { "items are" }
}

fn what_is_left(left: usize, size: usize) -> String {
    match left {
        0 => format!("all {size} have been asked already"),
        _ => format!("{left} of {size} are left: ask for no more than that"),
    }
}

fn why_none(next: Option<&str>) -> String {
    match next {
        Some(id) => {
            format!("the first item that was asked, {id:?}, waits for its own, and the others wait for that")
        }
        None => "ask for items, and tell their labels".to_owned(),
    }
}
