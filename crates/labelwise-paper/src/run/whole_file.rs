//! Files that are complete or absent. Traces have a checksum in a second file, since a reader of Parquet accepts many damaged
//! files.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use labelwise_atomic_file::is_temporary;

use crate::error::{Error, Result};

/// The extension, behind the file's own, of its checksum.
const CHECKSUM: &str = "crc32";

/// Writes a file, and the folder it is in.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file(folder, "made"))?;
    }
    labelwise_atomic_file::write(path, bytes).map_err(Error::file(path, "written"))
}

/// Writes a file whose checksum is there before it.
pub(super) fn write_checked(path: &Path, bytes: &[u8]) -> Result<()> {
    write(&beside(path), checksum(path, bytes).as_bytes())?;
    write(path, bytes)
}

/// Reads a file that was written with its checksum; nothing if it is not there.
pub(super) fn read_checked(path: &Path) -> Result<Option<Vec<u8>>> {
    let Some(bytes) = read(path)? else { return Ok(None) };
    let Some(written) = read(&beside(path))? else {
        return Err(Error::damaged(path, "its checksum is missing"));
    };
    if written == checksum(path, &bytes).as_bytes() {
        Ok(Some(bytes))
    } else {
        Err(Error::damaged(path, "its checksum is another"))
    }
}

/// Removes a file with its checksum, and says whether it was there.
pub(super) fn remove_checked(path: &Path) -> bool {
    // Without its file, a checksum left behind means nothing.
    let removed = fs::remove_file(path).is_ok();
    let _ = fs::remove_file(beside(path));
    removed
}

/// Removes what an interrupted run left half written.
pub(super) fn remove_temporary(folder: &Path) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::file(folder, "read")(error)),
    };
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| is_temporary(path)) {
        fs::remove_file(&path).map_err(Error::file(&path, "removed"))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file(path, "read")(error)),
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(".");
    name.push(CHECKSUM);
    PathBuf::from(name)
}

/// Of the name too, so that a file under another's name is noticed.
fn checksum(path: &Path, bytes: &[u8]) -> String {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(path.file_name().unwrap_or_default().as_encoded_bytes());
    hasher.update(bytes);
    format!("{:08x}\n", hasher.finalize())
}
