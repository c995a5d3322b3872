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

use crate::error::{Error, Result};
use connect::{Connected, connect, stamp};
use failure::failure;
use head::{Head, read_on};

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
    start: Head,
    /// How far `record` goes.
    head: Head,
    record: Record,
    poisoned: bool,
}

impl File {
    /// Opens an evaluation. To read, it may lie in a folder that cannot be written to.
    pub(crate) fn open(path: &Path, access: Access) -> Result<Self> {
        let Connected { conn, frozen } = connect(path, access)?;
        let (settings, checksum) = tables::settings(&conn, path)?;
        let start = Head::start(checksum);
        let path = path.to_owned();
        let record = Record::default();
        Ok(Self { path, access, conn, frozen, settings, start, head: start, record, poisoned: false })
    }

    /// What it was created with.
    pub(crate) fn settings(&self) -> &str {
        &self.settings
    }

    /// Everything that was appended, by whomever; only what is new since the last call is read.
    pub(crate) fn record(&mut self) -> Result<&Record> {
        for _ in 0..ATTEMPTS {
            let before = stamp(&self.path);
            let followed =
                if self.frozen { self.reconnect().and_then(|()| self.follow()) } else { self.follow() };
            match followed {
                Err(Error::Broken { .. }) if self.frozen && stamp(&self.path) != before => {
                    std::thread::sleep(PAUSE)
                }
                Err(error) => return Err(error),
                Ok(()) => return Ok(&self.record),
            }
        }
        Err(Error::Busy { path: self.path.clone(), seconds: (PAUSE * ATTEMPTS).as_secs() })
    }

    fn follow(&mut self) -> Result<()> {
        let snapshot = self.conn.transaction().map_err(failure(&self.path, "head"))?;
        self.head = self.record.follow(&snapshot, &self.path, &self.head)?;
        Ok(())
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
        let mut head = mem::replace(&mut self.head, self.start);
        let written = transact(&mut self.conn, &self.path, &mut record, &mut head, work);
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
        let (conn, path, start) = (&self.conn, &self.path, self.start);
        let snapshot = conn.unchecked_transaction();
        let read = [
            read_on(conn, path, refreshes, start.refreshes),
            read_on(conn, path, draws, start.draws),
            read_on(conn, path, events, start.events),
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

/// One transaction: `head` is how far the disk has it, `record` may go further if it came to nothing.
fn transact<R>(
    conn: &mut Connection,
    path: &Path,
    record: &mut Record,
    head: &mut Head,
    work: impl FnOnce(&mut Write<'_>) -> Result<R>,
) -> Result<R> {
    let failed = failure(path, "head");
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&failed)?;
    *head = record.follow(&transaction, path, head)?;
    let mut write = Write { transaction: &transaction, path, record, head: *head };
    let result = work(&mut write)?;
    let end = write.head;
    if end != *head {
        end.write(&transaction).map_err(&failed)?;
    }
    transaction.commit().map_err(&failed)?;
    *head = end;
    Ok(result)
}
