//! Errors of SQLite as errors of this crate.

use std::path::Path;

use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_SHORT_READ};
use rusqlite::{Error as Sqlite, ErrorCode};

use crate::error::Error;

/// The time that a writer waits for another one.
pub(super) const PATIENCE_SECONDS: u64 = 30;

/// Converts an error of SQLite about a table.
pub(super) fn failure<'a>(path: &'a Path, table: &'static str) -> impl Fn(Sqlite) -> Error + 'a {
    move |error| {
        let path = path.to_owned();
        let reason = error.to_string();
        match error.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed,
            ) => Error::Busy { path, seconds: PATIENCE_SECONDS },
            Some(ErrorCode::DiskFull) => Error::DiskFull { path },
            // SQLite reports a log index that could not grow like this.
            _ if extended(&error) == Some(SQLITE_IOERR_SHMSIZE) => Error::DiskFull { path },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Error::ReadOnly { path, reason }
            }
            Some(ErrorCode::NotADatabase) => Error::NotAnEvaluation { path },
            Some(ErrorCode::SystemIoFailure) if extended(&error) != Some(SQLITE_IOERR_SHORT_READ) => {
                Error::Disk { path, reason }
            }
            Some(ErrorCode::OutOfMemory | ErrorCode::OperationInterrupted) => Error::Disk { path, reason },
            Some(ErrorCode::ConstraintViolation) => Error::NotRecorded { path, table, reason },
            // Tables and statements fit each other, so any other error means that the file was changed.
            _ => broken(&path, table, None, &reason),
        }
    }
}

pub(super) fn broken(path: &Path, table: &'static str, row: Option<String>, reason: &str) -> Error {
    Error::Broken { path: path.to_owned(), table, row, reason: reason.to_owned() }
}

fn extended(error: &Sqlite) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}
