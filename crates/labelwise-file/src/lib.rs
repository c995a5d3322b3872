//! The file of an evaluation: rows, checksums and transactions, and nothing of losses or classes.
//!
//! ```text
//!   Draft ──publish──► File ──look────► Snapshot: counts, single draws, the next draws; checked, and no more is read
//!   blocks, settings        ──follow──► draws, events, refreshes     (append only, chained)
//!                           ──write───► one transaction: all of it on the disk, or none
//! ```
//!
//! It is a SQLite database in WAL mode: one file while it is closed, with a log and an index of the log next to it
//! while a process has it open. A commit returns when it is on the disk. Every row that is read is checked against
//! its checksum; a wrong checksum is an error, never another label.
//!
//! While a process has an evaluation open, it must not open the same file in another way, not even to read it:
//! closing that handle would drop SQLite's locks.

mod check;
mod connect;
mod digest;
mod draft;
mod error;
mod failure;
mod head;
mod log;
mod rows;
mod schema;
mod snapshot;
mod tables;
#[cfg(test)]
mod tests;
mod write;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};

pub use connect::Access;
pub use digest::{digest, hash};
pub use draft::Draft;
pub use log::IgnoredLog;
pub use rows::{AheadRow, DrawRow, EventKind, EventRow, RecordRow, RefreshRow, RequestRow};
pub use snapshot::{Counts, Found, Seen, Snapshot};
pub use write::Write;

use connect::{Connected, Identity, beside, connect, identity, plain, stamp};
pub use error::{Error, Result};
use failure::failure;
use head::{Head, walk};

/// How often a reader without locks retries if the file changes meanwhile, and how long it waits.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// An open evaluation.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    access: Access,
    conn: Connection,
    frozen: bool,
    identity: Identity,
    /// The ignored part of the log when the file was opened.
    ignored: Option<IgnoredLog>,
    settings: String,
    /// The start of every chain.
    start: u64,
    poisoned: bool,
}

impl File {
    /// Opens an evaluation. A reader can open it in a read-only folder.
    pub fn open(path: &Path, access: Access) -> Result<Self> {
        // Before SQLite opens the log, because SQLite may restart it.
        let ignored = log::ignored(path, log::Depth::First);
        let logged = beside(path, "-wal").metadata().is_ok_and(|metadata| metadata.len() > 0);
        // Rows are only appended, so the file with its log has all that the file alone had before.
        let alone = logged.then(|| connect::head_without_log(path)).flatten();
        let Connected { conn, frozen, identity } = connect(path, access)?;
        let (settings, start) = tables::settings(&conn, path)?;
        let path = path.to_owned();
        let file = Self { path, access, conn, frozen, identity, ignored, settings, start, poisoned: false };
        if let Some(alone) = alone
            && let Err(Error::Broken { .. }) = file.look(|at| at.check_since(alone))
        {
            return Err(Error::ForeignLog { log: beside(&file.path, "-wal"), path: file.path });
        }
        // A log of another file must not become part of this one. A reader does not change a log, and a writer merges
        // it only if the file fits.
        let keep_log = (access == Access::Read && logged) || file.look(|at| at.check_ends()).is_err();
        let setting = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        file.conn.set_db_config(setting, keep_log).map_err(failure(&file.path, "head"))?;
        Ok(file)
    }

    /// The settings.
    pub fn settings(&self) -> &str {
        &self.settings
    }

    /// The ignored part of the log when the file was opened. The last labels may be lost with it.
    pub fn ignored_log(&self) -> Option<&IgnoredLog> {
        self.ignored.as_ref()
    }

    /// Runs `work` on the file at one moment. It reads only the rows that `work` asks for.
    pub fn look<R>(&self, look: impl FnOnce(&Snapshot<'_>) -> Result<R>) -> Result<R> {
        let transaction = self.conn.unchecked_transaction().map_err(failure(&self.path, "head"))?;
        let head = Head::read(&transaction, &self.path)?;
        look(&Snapshot { conn: &transaction, path: &self.path, settings: self.start, head })
    }

    /// The state before the first row.
    pub fn unseen(&self) -> Seen {
        Seen(Head::start(self.start))
    }

    /// Whether the file is read without locks. A look can then see a file that is half changed;
    /// [`follow`](Self::follow) retries.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// [`Snapshot::visit`] of the current file.
    pub fn follow(
        &mut self,
        seen: &mut Seen,
        visitor: &mut dyn FnMut(RecordRow) -> Result<()>,
    ) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let before = stamp(&self.path);
            if self.frozen {
                self.reconnect()?;
            }
            match self.look(|at| at.visit(seen, visitor)) {
                Err(Error::Broken { .. }) if self.frozen && stamp(&self.path) != before => {
                    std::thread::sleep(PAUSE)
                }
                followed => return followed,
            }
        }
        Err(Error::Busy { path: self.path.clone(), seconds: (PAUSE * ATTEMPTS).as_secs() })
    }

    fn reconnect(&mut self) -> Result<()> {
        let Connected { conn, frozen, identity } = connect(&self.path, self.access)?;
        (self.conn, self.frozen, self.identity) = (conn, frozen, identity);
        Ok(())
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A block of a column of the pool.
    pub fn block(&self, name: &str, number: u32) -> Result<Vec<u8>> {
        tables::block(&self.conn, &self.path, name, number)
    }

    /// Runs `work` in one transaction. It is on the disk when this returns; after an error, nothing is recorded.
    ///
    /// After an error of the disk the handle accepts no more writes: only opening the file again shows whether that
    /// transaction is on the disk.
    pub fn write<R>(&mut self, work: impl FnOnce(&mut Write<'_>) -> Result<R>) -> Result<R> {
        if self.access == Access::Read {
            let reason = "it was opened to be read".to_owned();
            return Err(Error::ReadOnly { path: self.path.clone(), reason });
        }
        if self.poisoned {
            return Err(Error::Poisoned { path: self.path.clone() });
        }
        // A file with another name has another log, so this log would never be read.
        if !self.is_in_place() {
            return Err(Error::Moved { path: self.path.clone() });
        }
        let written = transact(&mut self.conn, &self.path, self.start, work);
        self.poisoned = matches!(written, Err(Error::Disk { .. }));
        if written.is_ok() && !self.is_in_place() {
            self.poisoned = true;
            return Err(Error::MovedMeanwhile { path: self.path.clone() });
        }
        written
    }

    /// Whether the path still names the file that is open.
    fn is_in_place(&self) -> bool {
        identity(&self.path) == self.identity
    }

    /// Copies the evaluation, with everything that was acknowledged, into a new file. Other processes can read and
    /// write meanwhile. A plain copy of the file would miss the changes in the log.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let vacuum = |name: &str| -> rusqlite::Result<()> {
            // The copy is another file; this one does not change.
            self.conn.pragma_update(None, "query_only", false)?;
            let copied = self.conn.execute("VACUUM INTO ?1", [name]);
            self.conn.pragma_update(None, "query_only", self.access == Access::Read)?;
            copied.map(|_| ())
        };
        draft::copy(to, |temporary| {
            let not_text = || io::Error::new(io::ErrorKind::InvalidInput, "its name is not UTF-8");
            let name = plain(temporary);
            let name =
                name.to_str().ok_or_else(|| Error::NotMade { path: to.to_owned(), source: not_text() })?;
            vacuum(name).map_err(failure(&self.path, "sqlite_schema"))?;
            Self::open(temporary, Access::Read)?.check_everything().map(|_| ())
        })
    }

    /// Visits the undamaged rows of a damaged file: of each table, the rows before the first wrong one. Returns the
    /// first error.
    pub fn salvage(&self, visitor: &mut dyn FnMut(RecordRow) -> Result<()>) -> Result<()> {
        let (conn, path, seen) = (&self.conn, &self.path, &mut Head::start(self.start));
        let snapshot = conn.unchecked_transaction();
        let refreshes = walk(conn, path, &mut seen.refreshes, &mut |_, row| visitor(RecordRow::Refresh(row)));
        let draws = walk(conn, path, &mut seen.draws, &mut |_, row| visitor(RecordRow::Draw(row)));
        let drawn = seen.draws.rows;
        let events =
            walk(conn, path, &mut seen.events, &mut |seq, event: EventRow| match event.place < drawn {
                true => visitor(RecordRow::Event(event)),
                false => {
                    Err(failure::broken(path, "event", Some(seq.to_string()), "is about a draw that is lost"))
                }
            });
        drop(snapshot);
        [refreshes, draws, events]
            .into_iter()
            .collect::<Result<()>>()
            .and_then(|()| self.check_everything().map(|_| ()))
    }

    /// Reads and checks every row of every table, SQLite's pages, and every frame of the log. Returns the ignored
    /// part of the log.
    pub fn check_everything(&self) -> Result<Option<IgnoredLog>> {
        let snapshot = self.conn.unchecked_transaction().map_err(failure(&self.path, "head"))?;
        check::everything(&snapshot, &self.path)?;
        Ok(self.ignored.clone().or_else(|| log::ignored(&self.path, log::Depth::All)))
    }
}

/// One transaction. It reads only the head and the rows that `work` asks for.
fn transact<R>(
    conn: &mut Connection,
    path: &Path,
    settings: u64,
    work: impl FnOnce(&mut Write<'_>) -> Result<R>,
) -> Result<R> {
    let failed = failure(path, "head");
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&failed)?;
    let head = Head::read(&transaction, path)?;
    let mut write = Write { transaction: &transaction, path, settings, head };
    let result = work(&mut write)?;
    if write.head != head {
        write.head.write(&transaction).map_err(&failed)?;
    }
    transaction.commit().map_err(&failed)?;
    Ok(result)
}
