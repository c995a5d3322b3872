//! The clients of packages, run as a person would run them.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::error::{Error, Result};
use crate::set::Set;

/// The most of what a client says that is repeated in an error.
const LINES: usize = 3;

/// A client that a set is had by.
pub(super) struct Client {
    pub(super) set: Set,
    command: Command,
    /// What to install where it is not there.
    pub(super) install: &'static str,
}

impl Client {
    /// A program, to be run in this folder.
    pub(super) fn new(set: Set, program: impl AsRef<OsStr>, folder: &Path, install: &'static str) -> Self {
        let mut command = Command::new(program);
        command.current_dir(folder).stdin(Stdio::null());
        Self { set, command, install }
    }

    pub(super) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Runs it to its end; an error only where it cannot be started.
    pub(super) fn output(&mut self) -> Result<Output> {
        self.command.output().map_err(|error| self.unstarted(error))
    }

    /// Runs it to its end, and asks for success.
    pub(super) fn succeed(&mut self) -> Result<()> {
        let output = self.output()?;
        if output.status.success() { Ok(()) } else { Err(self.failed(&output)) }
    }

    /// Starts it, to be read from.
    pub(super) fn spawn(&mut self) -> Result<Child> {
        self.command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| self.unstarted(error))
    }

    /// It did not do what it was asked for.
    pub(super) fn failed(&self, output: &Output) -> Error {
        let said = [&output.stderr, &output.stdout]
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .join("\n");
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        // What went wrong is in lines that say so; otherwise at the end.
        let telling = |line: &&str| ["error", "ERROR", "E:", "ERR!"].iter().any(|word| line.contains(word));
        let mut chosen: Vec<&str> = lines.iter().copied().filter(telling).take(LINES).collect();
        if chosen.is_empty() {
            chosen = lines.iter().rev().take(LINES).rev().copied().collect();
        }
        Error::Client { set: self.set, command: self.line(), said: chosen.join(" / ") }
    }

    fn unstarted(&self, source: std::io::Error) -> Error {
        let program = self.command.get_program().to_string_lossy().into_owned();
        if source.kind() == ErrorKind::NotFound {
            Error::NoClient { set: self.set, program, install: self.install }
        } else {
            Error::Client { set: self.set, command: self.line(), said: source.to_string() }
        }
    }

    /// The command as one line.
    fn line(&self) -> String {
        let words = std::iter::once(self.command.get_program()).chain(self.command.get_args());
        words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
    }
}
