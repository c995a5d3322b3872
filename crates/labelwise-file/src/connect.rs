//! Opens the file to write or read-only, in a writable or read-only folder.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::failure::{PATIENCE_SECONDS, failure};
use super::head::{Head, visit};
use super::{schema, tables};
use crate::error::{Error, Result};

/// How many bytes a log has before its pages are brought into the file.
const LONGEST_LOG: i64 = 8 << 20;

/// How many KiB of pages stay in memory. Draws come in the order of chance, so the indices of ids and items are written
/// all over: a cache that is smaller than they are writes the same pages again and again.
const CACHE_KIB: i64 = 65_536;

/// How many statements stay prepared: all that there are.
const STATEMENTS: usize = 32;

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To append to it.
    Write,
    /// To look at it, without ever standing in a writer's way.
    Read,
}

/// How readers get at a file.
pub(super) struct Connected {
    pub(super) conn: Connection,
    /// Read without any lock, because the folder takes none: a writer elsewhere is noticed by the file's stamp alone.
    pub(super) frozen: bool,
    /// Which file it is, whatever its name.
    pub(super) identity: Identity,
}

/// Which file a path names. Systems that do not let an open file be moved or deleted need none.
pub(super) type Identity = Option<(u64, u64)>;

/// Which file a path names now.
#[cfg(unix)]
pub(super) fn identity(path: &Path) -> Identity {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(_path: &Path) -> Identity {
    None
}

/// Opens an evaluation, and refuses whatever is none.
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
        // A reader who may write to the folder uses the same locks as a writer, and tidies up like one.
        (Access::Read, Ok(conn)) => {
            conn.pragma_update(None, "query_only", true).map_err(failure(path, "head"))?;
            (conn, false)
        }
        // A full disk takes no locks either.
        (Access::Read, Err(Error::ReadOnly { .. } | Error::DiskFull { .. })) => from_read_only(path)?,
        (Access::Read, Err(error)) => return Err(error),
    };
    // Another file under the name now: which of the two was opened is not known.
    match identity(path) {
        identity if identity == before => Ok(Connected { conn, frozen, identity }),
        _ => Err(Error::Moved { path: path.to_owned() }),
    }
}

/// The usual way: with locks, which are files in the same folder while the evaluation is open.
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
        // Readers go on during a write, and a commit returns when its label is on the disk.
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

/// Brings a file of the first version to the present one, in one transaction, once all of its record was checked.
fn upgrade(conn: &mut Connection, path: &Path) -> Result<()> {
    let failed = failure(path, "sqlite_schema");
    if schema::version(conn).map_err(&failed)? != schema::FIRST {
        return Ok(());
    }
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&failed)?;
    // Another process may have done it meanwhile.
    if schema::version(&transaction).map_err(&failed)? == schema::FIRST {
        let (_, settings) = tables::settings(&transaction, path)?;
        let head = Head::read(&transaction, path)?;
        visit(&transaction, path, &head, &mut Head::start(settings), &mut |_| Ok(()))?;
        schema::upgrade(&transaction).and_then(|()| head.write(&transaction)).map_err(&failed)?;
    }
    transaction.commit().map_err(failed)
}

/// A folder or a file that cannot be written to: what a writer has open elsewhere is read along with its log; what
/// nobody has open is one file, which is read as it lies.
pub(super) fn from_read_only(path: &Path) -> Result<(Connection, bool)> {
    let log = beside(path, "-wal");
    let frozen = log.metadata().map_or(true, |metadata| metadata.len() == 0);
    let name = if frozen { immutable(path) } else { plain(path) };
    let conn = open(path, name, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    match schema::check(&conn, path) {
        Ok(()) => Ok((conn, frozen)),
        Err(Error::ReadOnly { .. }) => Err(Error::LogApart { path: path.to_owned(), log }),
        Err(error) => Err(error),
    }
}

fn open(path: &Path, name: PathBuf, access: OpenFlags) -> Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let careful = || -> rusqlite::Result<Connection> {
        let conn = Connection::open_with_flags(name, flags)?;
        conn.busy_timeout(Duration::from_secs(PATIENCE_SECONDS))?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        // Until the file is known to fit its log.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        conn.pragma_update(None, "cell_size_check", true)?;
        conn.pragma_update(None, "cache_size", -CACHE_KIB)?;
        conn.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(conn)
    };
    careful().map_err(failure(path, "sqlite_schema"))
}

/// A name that SQLite takes for a file's, even if it begins as an address does.
pub(super) fn plain(path: &Path) -> PathBuf {
    match path.as_os_str().as_encoded_bytes().starts_with(b"file:") {
        true => Path::new(".").join(path),
        false => path.to_owned(),
    }
}

/// The address of a file that nobody changes.
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

/// One of the files that SQLite puts beside a database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// What changes when a file is written to.
pub(super) fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}
