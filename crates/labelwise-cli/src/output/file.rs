//! Files that commands write. They are complete or absent, and never replace an evaluation.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::error::Error;

/// The first bytes of every SQLite file.
const EVALUATION: &[u8] = b"SQLite format 3\0";

/// Writes a file, and refuses to replace an evaluation.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if is_evaluation(path) {
        return Err(Error::OverEvaluation { path: path.to_owned() });
    }
    if is_log(path) {
        return Err(Error::LogName { path: path.to_owned() });
    }
    // A pipe or a device cannot be replaced by a file.
    let write = if path.exists() && !path.is_file() { fs::write } else { labelwise_atomic_file::write };
    write(path, bytes).map_err(|source| Error::Write { path: path.to_owned(), source })
}

/// Whether SQLite would take a file of this name for a log of an evaluation.
fn is_log(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let of = ["-wal", "-shm", "-journal"].iter().find_map(|log| name.strip_suffix(log));
    of.is_some_and(|of| of.ends_with(".labelwise") || is_evaluation(Path::new(of)))
}

/// Whether a file is a database. Pools are not.
pub(crate) fn is_evaluation(path: &Path) -> bool {
    let mut start = [0; EVALUATION.len()];
    let is_file =
        path.is_file() && fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok();
    is_file && start == EVALUATION
}
