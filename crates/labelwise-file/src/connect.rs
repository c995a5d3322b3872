//! Opens the file to write or read-only, in a writable or read-only folder.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::failure::{PATIENCE_SECONDS, failure};
use super::head::{Head, visit};
use super::snapshot::Snapshot;
use super::{schema, tables};
use crate::error::{Error, Result};

/// Size of the log, in bytes, at which its pages are moved into the file.
const LONGEST_LOG: i64 = 8 << 20;

/// Size of the page cache, in KiB. Draws come in random order, so inserts touch all pages of the indices of ids and
/// items: a smaller cache would write the same pages many times.
const CACHE_KIB: i64 = 65_536;

/// Number of statements that stay prepared: all of them.
const STATEMENTS: usize = 32;

/// Access to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read and append.
    Write,
    /// Read-only, without blocking a writer.
    Read,
}

/// How a reader opens a file.
pub(super) struct Connected {
    pub(super) conn: Connection,
    /// Without locks, because the folder is read-only: only the file's stamp shows that another process wrote.
    pub(super) frozen: bool,
    /// Identity of the file, independent of its name.
    pub(super) identity: Identity,
}

/// Identity of the file that a path names. Systems that cannot move or delete an open file need none.
pub(super) type Identity = Option<(u64, u64)>;

/// Identity of the file that a path names now.
#[cfg(unix)]
pub(super) fn identity(path: &Path) -> Identity {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(_path: &Path) -> Identity {
    None
}

/// Opens an evaluation, and refuses any other file.
pub(super) fn connect(path: &Path, access: Access) -> Result<Connected> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(Error::NotAnEvaluation { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Error::NoEvaluation { path: path.to_owned() });
        }
        Err(source) => return Err(Error::File { path: path.to_owned(), source }),
    }
    let before = identity(path);
    let (conn, frozen) = match (access, locked(path)) {
        (Access::Write, conn) => (conn.and_then(|conn| ready_to_write(conn, path))?, false),
        // A reader that can write to the folder uses the same locks as a writer, and removes them in the same way.
        (Access::Read, Ok(conn)) => {
            conn.pragma_update(None, "query_only", true).map_err(failure(path, "head"))?;
            (conn, false)
        }
        // On a full disk, locks cannot be created either.
        (Access::Read, Err(Error::ReadOnly { .. } | Error::DiskFull { .. })) => from_read_only(path)?,
        (Access::Read, Err(error)) => return Err(error),
    };
    // The name belongs to another file now, so it is not known which of the two was opened.
    match identity(path) {
        identity if identity == before => Ok(Connected { conn, frozen, identity }),
        _ => Err(Error::Moved { path: path.to_owned() }),
    }
}

/// Opens with locks, which are files in the same folder while the evaluation is open.
fn locked(path: &Path) -> Result<Connection> {
    let conn = open(path, plain(path), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if conn.is_readonly("main").map_err(failure(path, "head"))? {
        return Err(Error::ReadOnly {
            path: path.to_owned(),
            reason: "the file is write-protected".to_owned(),
        });
    }
    schema::check(&conn, path)?;
    Ok(conn)
}

fn ready_to_write(mut conn: Connection, path: &Path) -> Result<Connection> {
    let settle = || -> rusqlite::Result<()> {
        // Readers continue during a write, and a commit returns when its label is on the disk.
        conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        conn.pragma_update(None, "synchronous", "FULL")?;
        let page_size: i64 = conn.pragma_query_value(None, "page_size", |row| row.get(0))?;
        conn.pragma_update(None, "wal_autocheckpoint", LONGEST_LOG / page_size.max(1))?;
        // On macOS, a plain sync leaves the label in the drive's own memory.
        conn.pragma_update(None, "fullfsync", true)?;
        conn.pragma_update(None, "checkpoint_fullfsync", true)
    };
    settle().map_err(failure(path, "head"))?;
    upgrade(&mut conn, path)?;
    Ok(conn)
}

/// Upgrades a file of the first version in one transaction, after its whole record was checked.
fn upgrade(conn: &mut Connection, path: &Path) -> Result<()> {
    let failed = failure(path, "sqlite_schema");
    if schema::version(conn).map_err(&failed)? != schema::FIRST {
        return Ok(());
    }
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&failed)?;
    // Another process may have upgraded it in the meantime.
    if schema::version(&transaction).map_err(&failed)? == schema::FIRST {
        let (_, settings) = tables::settings(&transaction, path)?;
        let head = Head::read(&transaction, path)?;
        visit(&transaction, path, &head, &mut Head::start(settings), &mut |_| Ok(()))?;
        schema::upgrade(&transaction).and_then(|()| head.write(&transaction)).map_err(&failed)?;
    }
    transaction.commit().map_err(failed)
}

/// Opens an evaluation in a read-only folder. If a writer elsewhere has it open, its log is read too; otherwise it is
/// one file.
pub(super) fn from_read_only(path: &Path) -> Result<(Connection, bool)> {
    let log = beside(path, "-wal");
    let frozen = log.metadata().map_or(true, |metadata| metadata.len() == 0);
    let name = if frozen { immutable(path) } else { plain(path) };
    let conn = open(path, name, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(|error| match error {
        // It is there, and even a reader cannot open it.
        Error::ReadOnly { path, .. } => {
            Error::File { path, source: io::Error::from(io::ErrorKind::PermissionDenied) }
        }
        other => other,
    })?;
    match schema::check(&conn, path) {
        Ok(()) => Ok((conn, frozen)),
        Err(Error::ReadOnly { .. }) => Err(Error::LogApart { path: path.to_owned(), log }),
        Err(error) => Err(error),
    }
}

/// The head in the file without its log. None if the file alone is not whole: an interrupted checkpoint leaves some
/// pages of the log in it and not others.
pub(super) fn head_without_log(path: &Path) -> Option<Head> {
    let conn = open(path, immutable(path), OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    let (_, settings) = tables::settings(&conn, path).ok()?;
    let head = Head::read(&conn, path).ok()?;
    Snapshot { conn: &conn, path, settings, head }.check_ends().ok()?;
    Some(head)
}

fn open(path: &Path, name: PathBuf, access: OpenFlags) -> Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let careful = || -> rusqlite::Result<Connection> {
        let conn = Connection::open_with_flags(name, flags)?;
        conn.busy_timeout(Duration::from_secs(PATIENCE_SECONDS))?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        // Until it is known that the file and its log belong together.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        conn.pragma_update(None, "cell_size_check", true)?;
        conn.pragma_update(None, "cache_size", -CACHE_KIB)?;
        conn.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(conn)
    };
    careful().map_err(failure(path, "sqlite_schema"))
}

/// A path that SQLite does not mistake for a URI.
pub(super) fn plain(path: &Path) -> PathBuf {
    match path.as_os_str().as_encoded_bytes().starts_with(b"file:") {
        true => Path::new(".").join(path),
        false => path.to_owned(),
    }
}

/// The URI of a file that no process changes.
fn immutable(path: &Path) -> PathBuf {
    let mut address = "file:".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                address.push(char::from(byte))
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address.push_str("?immutable=1");
    address.into()
}

/// One of SQLite's files next to a database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Size and time of a file, which change with every write.
pub(super) fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}
