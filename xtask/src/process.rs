//! Running other programs, with failures that say which program and why.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Why a task stopped, in sentences for whoever started it.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    /// Makes a failure from a whole sentence.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Adds a sentence on what to do about it.
    pub(crate) fn with_advice(self, sentence: &str) -> Self {
        Self(format!("{} {sentence}", self.0))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What pyo3 is told by maturin, and here by all others too: otherwise they would compile it in turns. The Python package
/// has the stable ABI of Python 3.10, which needs no interpreter to be compiled.
pub(crate) const EXTENSION: [(&str, &str); 2] =
    [("PYO3_BUILD_EXTENSION_MODULE", "1"), ("PYO3_NO_PYTHON", "1")];

/// Prepares a program to be run in the workspace's root folder.
pub(crate) fn program(name: impl AsRef<OsStr>, root: &Path) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root);
    command
}

/// Prepares the same cargo that started this task.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), root);
    command.envs(EXTENSION);
    command
}

/// Runs a command with its output shown, and fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(format!("`{}` failed ({status}).", line(command)))),
        Err(error) => Err(Failure::new(format!("`{}` could not be started: {error}.", line(command)))),
    }
}

/// Runs a command with its output hidden and tells whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Writes a command as one line, its program by name only, for messages.
fn line(command: &Command) -> String {
    let path = Path::new(command.get_program());
    let name = path.file_name().unwrap_or(path.as_os_str());
    let words: Vec<_> = std::iter::once(name).chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    words.join(" ")
}
