//! Errors of studies.

mod answer;
mod choice;
mod codes;
mod compare;
mod design;
mod elsewhere;
mod judge;
mod metric;

use std::fmt;
use std::path::{Path, PathBuf};

use labelwise::words::{quoted, thousands};
use labelwise_file::Error as FileError;
use labelwise_pool::{Error as PoolError, MatchError};

pub use answer::{AnswerError, LabelWanted, RefusedAnswer};
use answer::{first_refusals, more};
pub use choice::ChoiceError;
pub use compare::CompareError;
pub use design::DesignError;
pub use elsewhere::ElsewhereError;
pub use judge::JudgeError;
pub use metric::MetricError;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request to an evaluation, or the creation of one, fails.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// The core refused the request.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// A pool file cannot be read.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The file of the evaluation cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The choices do not fit together or do not fit the pool.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A metric cannot be estimated as requested.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// Models cannot be compared as requested.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// The design does not fit, or does not support the request.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// Judges, histories or worths do not fit.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// The evaluation keeps its draws and not the pool, or cannot be made so.
    #[error(transparent)]
    Elsewhere(#[from] ElsewhereError),
    /// Some answers are refused; no answer of the call is recorded.
    #[error(
        "{}: {} of {} answers refused; no answers were recorded\n{}{}",
        .path.display(), thousands(.refusals.len()), thousands(*.of), first_refusals(.refusals), more(.refusals)
    )]
    Refused {
        path: PathBuf,
        /// What is wrong, in order.
        refusals: Vec<RefusedAnswer>,
        of: usize,
    },
    /// The idempotency key was used for a different request.
    #[error(
        "the idempotency key {} was used for a different `{verb}` request: use a new key for a new request",
        quoted(.key)
    )]
    KeyReused { key: String, verb: String },
    /// Labels on record were given by other instructions.
    #[error(
        "{} differs from {}, by which {} {} given: leave --guide out to use the recorded guide, or create a new \
         evaluation",
        quoted(.given), quoted(.recorded), thousands(*.labels), if *.labels == 1 { "label was" } else { "labels were" }
    )]
    GuideDiffers { recorded: String, given: String, labels: usize },
    /// Numbers have no majority.
    #[error("labels are numbers, which have no majority: choose first, newest or mean")]
    MajorityOfNumbers,
    /// The request is for more items than are left.
    #[error("{} {} asked for, but {}", thousands(*.wanted), were(*.wanted), what_is_left(*.left, *.size))]
    Exhausted { wanted: usize, left: usize, size: usize },
    /// No label counts yet.
    #[error("no label to estimate from: {}", why_none(.next.as_deref(), *.labels))]
    NoLabels { next: Option<String>, labels: usize },
    /// Other processes were faster at every attempt.
    #[error("{}: other processes asked first in {attempts} attempts; run the command again", .path.display())]
    Crowded { path: PathBuf, attempts: usize },
    /// A skipped item has a loss without bounds.
    #[error(
        "item {} was skipped, and its loss has no bounds: give its label, or, if the reason of the skip \
         has nothing to do with the label, declare it missing at random",
        quoted(.id)
    )]
    UnboundedSkip { id: String },
    /// The plain mean has no guaranteed interval.
    #[error(
        "the plain mean is biased unless draws are uniform, so it has no guaranteed interval: use another \
         estimator, or the ordinary interval"
    )]
    PlainMeanGuaranteed,
    /// A draw on record is not the draw that the settings give.
    #[error(
        "draw {place} of {} is item {recorded} with q = {recorded_q}, but computed again it is item {again} \
         with q = {again_q}: the file was changed, or written by a version that draws differently",
        .path.display()
    )]
    Differs { path: PathBuf, place: usize, recorded: usize, recorded_q: f64, again: usize, again_q: f64 },
    /// A record cannot be written as JSON.
    #[error("the record cannot be written as JSON: {0}")]
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

/// A row with a correct checksum and unreadable contents.
pub(crate) fn damaged(path: &Path, table: &'static str, row: impl fmt::Display) -> Error {
    meaningless(path, table, row).into()
}

/// The same, as an error of the file.
pub(crate) fn meaningless(path: &Path, table: &'static str, row: impl fmt::Display) -> FileError {
    let reason = "cannot be read by this version".to_owned();
    FileError::Broken { path: path.to_owned(), table, row: Some(row.to_string()), reason }
}

fn were(items: usize) -> &'static str {
    if items == 1 { "item was" } else { "items were" }
}

fn what_is_left(left: usize, size: usize) -> String {
    let (items, size) = (thousands(left), thousands(size));
    match left {
        0 => format!("all {size} items were asked for before"),
        1 => format!("only 1 of {size} is left: ask for 1"),
        _ => format!("only {items} of {size} are left: ask for at most {items}"),
    }
}

fn why_none(next: Option<&str>, labels: usize) -> String {
    let wait = match labels {
        0 => String::new(),
        1 => "; 1 label waits for it".to_owned(),
        labels => format!("; {} labels wait for it", thousands(labels)),
    };
    match next {
        Some(id) => {
            format!(
                "estimates use labels in the order of the draws, and the first drawn item, {}, has none{wait}: tell its label, \
                 or skip it",
                quoted(id)
            )
        }
        None => "ask for items and tell their labels".to_owned(),
    }
}
