//! The journal: where a study keeps its records, in memory or in a file.
//!
//! A journal holds the columns of the pool, the prepared draws, and a [`Record`] of draws, labels and refreshes,
//! which is only appended to. A study writes one [`Batch`] at a time: all of it is recorded, or nothing.

pub(crate) mod memory;
pub(crate) mod on_file;
pub(crate) mod record;
pub(crate) mod row;

use std::borrow::Cow;
use std::path::Path;

use labelwise::Matrix;
use labelwise_pool::Column;

use crate::error::{ChoiceError, Result};
pub(crate) use labelwise_file::{EventKind, EventRow as Event, IgnoredLog, RequestRow as Request};
pub(crate) use record::{Drawn, Fate, Record, Refresh};
pub(crate) use row::Row;

/// Numbers of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Items that were asked.
    pub draws: usize,
    /// Labels, corrections and skips that were told.
    pub events: usize,
    /// Proposals that were made.
    pub refreshes: usize,
    /// Draws that have a label.
    pub labels: usize,
    /// Draws that wait for one.
    pub waiting: usize,
    /// Draws that were skipped.
    pub skipped: usize,
}

impl Counts {
    /// Draws whose label is missing at random.
    pub fn missing(&self) -> usize {
        self.draws.saturating_sub(self.labels + self.waiting + self.skipped)
    }
}

/// A draw, found by the id of its item.
#[derive(Debug, Clone)]
pub(crate) struct Found<'a> {
    pub(crate) place: usize,
    pub(crate) row: Cow<'a, Row>,
    pub(crate) fate: Cow<'a, Fate>,
}

/// Records that are written together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// A new refresh, which discards the draws made ahead by the one before.
    pub(crate) refresh: Option<Refresh>,
    /// Draws that are made now, in order.
    pub(crate) draws: Vec<Drawn>,
    /// Number of those draws that were prepared; the others come from the present refresh.
    pub(crate) from_ahead: usize,
    /// New prepared draws of the present refresh, after all others.
    pub(crate) ahead: Vec<Row>,
    /// Events of draws.
    pub(crate) events: Vec<Event>,
    /// The answer to keep under an idempotency key.
    pub(crate) request: Option<Request>,
}

/// The result of writing a batch.
#[derive(Debug)]
pub(crate) enum Appended {
    /// All of it is recorded.
    Recorded,
    /// Nothing is: another process wrote since the counts were read.
    Outdated,
    /// Nothing is: its idempotency key was answered before.
    Answered(Request),
}

/// The records of a study.
pub(crate) trait Journal: Send {
    /// The file, for errors.
    fn path(&self) -> &Path;

    /// Whether other processes read it, now or later. If so, a refresh keeps everything that estimates by any loss need.
    fn is_durable(&self) -> bool;

    /// Reads what other processes have appended.
    fn follow(&mut self) -> Result<()>;

    /// Everything that happened, as of the last [`follow`](Self::follow) or [`append`](Self::append).
    fn record(&self) -> Result<&Record>;

    /// The current numbers of records.
    fn counts(&self) -> Result<Counts>;

    /// Draws by the ids of their items, in the order of `ids`.
    fn find(&self, ids: &[&str]) -> Result<Vec<Option<Found<'_>>>>;

    /// The draw of one id.
    fn find_one(&self, id: &str) -> Result<Option<Found<'_>>> {
        Ok(self.find(&[id])?.pop().flatten())
    }

    /// Whether the last `count` draws wait for their labels. It may say no where only reading everything would tell.
    fn last_wait(&self, count: usize) -> Result<bool>;

    /// The last refresh; none before the first.
    fn last_refresh(&self) -> Result<Option<Cow<'_, Refresh>>>;

    /// The next prepared draws, at most `count`. Draws that are not recorded afterwards are returned again.
    fn ahead(&mut self, count: usize) -> Result<Vec<Row>>;

    /// Number of prepared draws, if that is known without reading.
    fn prepared(&self) -> usize {
        0
    }

    /// The answer to an idempotency key.
    fn request(&self, key: &str) -> Result<Option<Request>>;

    /// All kept answers, or those of one kind of request, in any order.
    fn requests(&self, verb: Option<&str>) -> Result<Vec<Request>>;

    /// Records a batch, if nobody has written since `seen` what it depends on: answers depend on everything; draws do not
    /// depend on answers, because a refresh names the answers that it was made from.
    fn append(&mut self, batch: Batch, seen: Counts) -> Result<Appended>;

    /// A table of numbers of the pool.
    fn matrix(&self, name: &str) -> Result<Matrix>;

    /// Values of a column of the pool for some items, as text, in the order of the items.
    fn texts(&self, name: &str, items: &[usize]) -> Result<Vec<String>>;

    /// Visits a column of the pool block by block; tables of numbers in row order.
    fn each_block(&self, name: &str, with: &mut dyn FnMut(&Column)) -> Result<()>;

    /// Checks every stored byte.
    fn check_everything(&self) -> Result<Option<IgnoredLog>>;

    /// Copies the record into a new file.
    fn backup(&self, _to: &Path) -> Result<()> {
        Err(ChoiceError::NoFile.into())
    }

    /// The ignored part of the log when the journal was opened.
    fn ignored_log(&self) -> Option<&IgnoredLog> {
        None
    }
}
