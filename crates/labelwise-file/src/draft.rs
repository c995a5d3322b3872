//! A file that is being written. It gets its name after all of it is on disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use labelwise_atomic_file::AtomicFile;
use rusqlite::{Connection, OpenFlags, params};

use super::connect::{beside, plain};
use super::failure::failure;
use super::head::Head;
use super::rows::{AheadRow, RefreshRow};
use super::{schema, tables, write};
use crate::error::{Error, Result};

/// Names of the files that SQLite keeps next to a database. SQLite would apply one that is left from an earlier
/// database to a new one.
const BESIDE: [&str; 3] = ["-wal", "-journal", "-shm"];

/// A new evaluation under a temporary name in the same folder. It is removed if it is dropped before it is published.
pub struct Draft {
    path: PathBuf,
    // Before the temporary file, so that the connection is closed before the file is removed.
    conn: Connection,
    side_files: SideFiles,
    file: AtomicFile,
    head: Option<Head>,
}

impl Draft {
    /// Begins a file that will have the name `path`, for a pool of about `pool_bytes` bytes.
    pub fn new(path: &Path, pool_bytes: u64) -> Result<Self> {
        unused(path)?;
        let not_made = |source| Error::NotMade { path: path.to_owned(), source };
        let file = AtomicFile::new(path).map_err(not_made)?;
        let side_files = SideFiles(file.temporary().to_owned());
        let begin = || -> rusqlite::Result<Connection> {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let conn = Connection::open_with_flags(plain(file.temporary()), flags)?;
            conn.pragma_update(None, "page_size", schema::page_size(pool_bytes))?;
            // The file is invisible until it is complete, and removed if it never is.
            conn.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
            conn.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
            conn.pragma_update(None, "synchronous", "OFF")?;
            // Pages are written once, in order; a small cache stays in the processor's cache.
            conn.pragma_update(None, "cache_size", -512)?;
            conn.execute_batch("BEGIN IMMEDIATE")?;
            schema::create(&conn)?;
            Ok(conn)
        };
        let conn = begin().map_err(failure(path, "sqlite_schema"))?;
        Ok(Self { path: path.to_owned(), conn, side_files, file, head: None })
    }

    /// Writes the settings. They come before any refresh, because every chain starts from them.
    pub fn settings(&mut self, json: &str) -> Result<()> {
        let checksum = tables::settings_checksum(json);
        let insert = "INSERT INTO settings(id, checksum, json) VALUES (1, ?1, ?2)";
        self.conn
            .execute(insert, params![checksum.cast_signed(), json])
            .map_err(failure(&self.path, "settings"))?;
        self.head = Some(Head::start(checksum));
        Ok(())
    }

    /// Writes a block of a column of the pool.
    pub fn block(&mut self, name: &str, number: u32, bytes: &[u8]) -> Result<()> {
        let checksum = tables::block_checksum(name, number, bytes).cast_signed();
        let insert = "INSERT INTO block(name, number, checksum, bytes) VALUES (?1, ?2, ?3, ?4)";
        let failed = failure(&self.path, "block");
        let mut statement = self.conn.prepare_cached(insert).map_err(&failed)?;
        statement.execute(params![name, number, checksum, bytes]).map_err(&failed)?;
        Ok(())
    }

    /// Writes the first refresh and its prepared draws.
    pub fn refresh(&mut self, refresh: &RefreshRow, ahead: &[AheadRow]) -> Result<()> {
        let head = self.head.as_mut().ok_or_else(|| Error::NoSettings { path: self.path.clone() })?;
        if refresh.number != head.refreshes.rows {
            return Err(Error::NotThisRefresh { number: refresh.number, next: head.refreshes.rows });
        }
        let rows = std::slice::from_ref(refresh);
        write::append(&self.conn, &self.path, &mut head.refreshes, rows)?;
        tables::add_ahead(&self.conn, head, ahead).map_err(failure(&self.path, "ahead"))
    }

    /// Syncs the file and gives it its name. Refuses to replace a file.
    pub fn publish(self) -> Result<()> {
        let Self { path, conn, side_files: _side_files, file, head } = self;
        let head = head.ok_or_else(|| Error::NoSettings { path: path.clone() })?;
        let finish = || -> rusqlite::Result<()> {
            head.write(&conn)?;
            conn.execute_batch("COMMIT")?;
            conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
            conn.close().map_err(|(_, error)| error)
        };
        finish().map_err(failure(&path, "head"))?;
        publish(file, &path)
    }
}

/// Creates a file that `fill` writes, complete or not at all.
pub(super) fn copy(path: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    unused(path)?;
    let file = AtomicFile::new(path).map_err(|source| Error::NotMade { path: path.to_owned(), source })?;
    let _side_files = SideFiles(file.temporary().to_owned());
    fill(file.temporary())?;
    publish(file, path)
}

fn publish(file: AtomicFile, path: &Path) -> Result<()> {
    unused(path)?;
    file.publish().map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Error::Exists { path: path.to_owned() },
        io::ErrorKind::StorageFull => Error::DiskFull { path: path.to_owned() },
        _ => Error::Disk { path: path.to_owned(), reason: error.to_string() },
    })
}

/// Refuses a name that is taken by a file or by SQLite's files of an earlier one.
fn unused(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(Error::Exists { path: path.to_owned() });
    }
    let left = BESIDE.iter().map(|suffix| beside(path, suffix)).find(|left| left.symlink_metadata().is_ok());
    left.map_or(Ok(()), |left| Err(Error::Leftover { path: path.to_owned(), left }))
}

/// Removes SQLite's files next to a database.
struct SideFiles(PathBuf);

impl Drop for SideFiles {
    fn drop(&mut self) {
        for suffix in BESIDE {
            let _ = fs::remove_file(beside(&self.0, suffix));
        }
    }
}
