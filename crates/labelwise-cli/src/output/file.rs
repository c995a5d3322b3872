//! Files that commands write for people: whole or not at all, and never in the place of an evaluation.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::Failure;

/// What every SQLite file begins with.
const EVALUATION: &[u8] = b"SQLite format 3\0";

/// Writes a file beside its name first, and gives it its name when all of it is there.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_evaluation(path) {
        return Err(Failure::OverEvaluation { path: path.to_owned() });
    }
    let failed = |source| Failure::Write { path: path.to_owned(), source };
    // A pipe or a device has no place beside it.
    if path.exists() && !path.is_file() {
        return fs::write(path, bytes).map_err(failed);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".unfinished-{}", std::process::id()));
    let unfinished: PathBuf = path.with_file_name(name);
    let written = fs::write(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, path));
    written.map_err(|source| {
        let _ = fs::remove_file(&unfinished);
        failed(source)
    })
}

/// Whether paid labels may be in there.
fn is_evaluation(path: &Path) -> bool {
    let mut start = [0; EVALUATION.len()];
    let is_file =
        path.is_file() && fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok();
    is_file && start == EVALUATION
}
