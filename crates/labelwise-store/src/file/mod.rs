//! The file of an evaluation: rows, checksums and transactions, and nothing of losses or classes.
//!
//! ```text
//!   Draft ──publish──► File ──record──► draws, events, refreshes     (append only, chained)
//!   blocks, settings        ──ahead───► the next draws               (replaced at a refresh)
//!                           ──write───► one transaction: all of it on the disk, or none
//! ```
//!
//! It is a SQLite database in WAL mode: one file while nobody has it open, with a log and an index of the log beside it
//! while somebody has. A commit returns when the disk has it. What is read was checked against checksums; what does not
//! fit is an error, never another label.
//!
//! While a process has an evaluation open, it must not open the same file by other means, not even to read it: closing
//! that would drop SQLite's locks.

mod check;
mod connect;
mod digest;
mod draft;
mod failure;
mod head;
mod rows;
mod schema;
mod snapshot;
mod tables;
#[cfg(test)]
mod tests;
mod write;

use std::mem;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

pub(crate) use connect::Access;
pub(crate) use digest::digest;
pub(crate) use draft::Draft;
pub(crate) use rows::{AheadRow, DrawRow, EventKind, EventRow, Record, RefreshRow, RequestRow};
pub(crate) use write::Write;

use crate::error::file::{Error, Result};
use connect::{Connected, connect, stamp};
use failure::failure;
use head::{Head, visit, walk};
use rows::RecordRow;

/// How often a reader without locks begins again when the file was written to meanwhile, and how long it waits.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// An evaluation that is open.
#[derive(Debug)]
pub(crate) struct File {
    path: PathBuf,
    access: Access,
    conn: Connection,
    frozen: bool,
    settings: String,
    /// What every chain starts from.
    start: u64,
    /// How far `record` goes.
    head: Head,
    record: Record,
    poisoned: bool,
}

impl File {
    /// Opens an evaluation. To read, it may lie in a folder that cannot be written to.
    pub(crate) fn open(path: &Path, access: Access) -> Result<Self> {
        let Connected { conn, frozen } = connect(path, access)?;
        let (settings, start) = tables::settings(&conn, path)?;
        let (path, head, record) = (path.to_owned(), Head::start(start), Record::default());
        Ok(Self { path, access, conn, frozen, settings, start, head, record, poisoned: false })
    }

    /// What it was created with.
    pub(crate) fn settings(&self) -> &str {
        &self.settings
    }

    /// Everything that was appended, by whomever; only what is new since the last call is read.
    pub(crate) fn record(&mut self) -> Result<&Record> {
        let mut record = mem::take(&mut self.record);
        record.cut(&self.head);
        let followed = self.visit(&mut |row| {
            record.push(row);
            Ok(())
        });
        self.record = record;
        followed.map(|()| &self.record)
    }

    /// Hands out everything that was appended since the last call, by any process: refreshes, then draws, then events.
    /// What was handed out before an error is not handed out again.
    fn visit(&mut self, visitor: &mut dyn FnMut(RecordRow) -> Result<()>) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let before = stamp(&self.path);
            if self.frozen {
                self.reconnect()?;
            }
            match self.visit_once(visitor) {
                Err(Error::Broken { .. }) if self.frozen && stamp(&self.path) != before => {
                    std::thread::sleep(PAUSE)
                }
                Err(error) => return Err(error),
                Ok(()) => return Ok(()),
            }
        }
        Err(Error::Busy { path: self.path.clone(), seconds: (PAUSE * ATTEMPTS).as_secs() })
    }

    fn visit_once(&mut self, visitor: &mut dyn FnMut(RecordRow) -> Result<()>) -> Result<()> {
        let transaction = self.conn.transaction().map_err(failure(&self.path, "head"))?;
        visit(&transaction, &self.path, &mut self.head, visitor).map(|_| ())
    }

    fn reconnect(&mut self) -> Result<()> {
        let Connected { conn, frozen } = connect(&self.path, self.access)?;
        (self.conn, self.frozen) = (conn, frozen);
        Ok(())
    }

    /// What [`record`](Self::record) found when it was last called, with what was written since.
    pub(crate) fn known(&self) -> &Record {
        &self.record
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What a key was answered with, if it was used.
    pub(crate) fn request(&self, key: &str) -> Result<Option<RequestRow>> {
        tables::request(&self.conn, &self.path, key)
    }

    /// A block of a column of the pool.
    pub(crate) fn block(&self, name: &str, number: u32) -> Result<Vec<u8>> {
        tables::block(&self.conn, &self.path, name, number)
    }

    /// The next draws, at most `count`.
    pub(crate) fn ahead(&self, count: usize) -> Result<Vec<AheadRow>> {
        let snapshot = self.conn.unchecked_transaction().map_err(failure(&self.path, "head"))?;
        let head = Head::read(&snapshot, &self.path)?;
        tables::ahead(&snapshot, &self.path, &head, count as u64)
    }

    /// Does work in one transaction. It is on the disk when this returns; after an error nothing is recorded.
    ///
    /// After an error of the disk the handle takes no more writes: whether that transaction is on the disk is known only
    /// to whoever opens the file again.
    pub(crate) fn write<R>(&mut self, work: impl FnOnce(&mut Write<'_>) -> Result<R>) -> Result<R> {
        if self.access == Access::Read {
            let reason = "it was opened to be read".to_owned();
            return Err(Error::ReadOnly { path: self.path.clone(), reason });
        }
        if self.poisoned {
            return Err(Error::Poisoned { path: self.path.clone() });
        }
        // Both are taken out meanwhile, so that a panic in the work leaves a handle that reads everything again.
        let mut record = mem::take(&mut self.record);
        let mut head = mem::replace(&mut self.head, Head::start(self.start));
        let written = transact(&mut self.conn, &self.path, self.start, &mut record, &mut head, work);
        record.cut(&head);
        (self.record, self.head) = (record, head);
        self.poisoned = matches!(written, Err(Error::Disk { .. }));
        written
    }

    /// What is whole of a file that may be damaged: of each table the rows before the first that does not fit, and what
    /// is wrong, if anything.
    pub(crate) fn whole(&self) -> (Record, Result<()>) {
        let mut record = Record::default();
        let Record { draws, events, refreshes } = &mut record;
        let (conn, path, start) = (&self.conn, &self.path, &mut Head::start(self.start));
        let snapshot = conn.unchecked_transaction();
        let read = [
            walk(conn, path, &mut start.refreshes, &mut pushed(refreshes)),
            walk(conn, path, &mut start.draws, &mut pushed(draws)),
            walk(conn, path, &mut start.events, &mut pushed(events)),
        ];
        drop(snapshot);
        let drawn = draws.len() as u64;
        events.truncate(events.iter().position(|event| event.place >= drawn).unwrap_or(events.len()));
        let wrong = read.into_iter().find_map(Result::err);
        (record, wrong.map_or_else(|| self.check_everything(), Err))
    }

    /// This file with what is whole of its record, and what is wrong, if anything.
    pub(crate) fn salvaged(mut self) -> (Self, Option<Error>) {
        let (record, checked) = self.whole();
        self.record = record;
        (self, checked.err())
    }

    /// Reads every row of every table, and what SQLite knows of its pages.
    pub(crate) fn check_everything(&self) -> Result<()> {
        let snapshot = self.conn.unchecked_transaction().map_err(failure(&self.path, "head"))?;
        check::everything(&snapshot, &self.path)
    }
}

/// Keeps the rows that are handed out.
fn pushed<R>(rows: &mut Vec<R>) -> impl FnMut(u64, R) -> Result<()> {
    |_, row| {
        rows.push(row);
        Ok(())
    }
}

/// One transaction: `head` is how far the disk has it, `record` may go further if it came to nothing.
fn transact<R>(
    conn: &mut Connection,
    path: &Path,
    settings: u64,
    record: &mut Record,
    head: &mut Head,
    work: impl FnOnce(&mut Write<'_>) -> Result<R>,
) -> Result<R> {
    let failed = failure(path, "head");
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&failed)?;
    *head = record.follow(&transaction, path, head)?;
    let mut write = Write { transaction: &transaction, path, settings, record, head: *head };
    let result = work(&mut write)?;
    let end = write.head;
    if end != *head {
        end.write(&transaction).map_err(&failed)?;
    }
    transaction.commit().map_err(&failed)?;
    *head = end;
    Ok(result)
}
