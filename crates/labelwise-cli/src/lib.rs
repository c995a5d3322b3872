//! The program `labelwise`: measure a model with few labels. One subcommand is one module; stdout is data, stderr is
//! talk, and every failure is a sentence with exit code 2.

mod args;
mod commands;
mod error;
mod output;
mod settings;

use std::ffi::OsString;
use std::io::{self, Write};

use labelwise_study::Answer;

/// Runs a command line, of which the first word is the program's name, and returns the exit code.
///
/// The command line is an argument, because the Python package is the program too: its process has a command line of its own.
#[must_use]
pub fn run(arguments: &[OsString]) -> u8 {
    // Found before parsing: the error of a command line that cannot be parsed is JSON too where that is asked for.
    let json = arguments.iter().any(|argument| argument == "--json");
    let code = commands::run(arguments).unwrap_or_else(|failure| failure.tell(json));
    // A program flushes at its end, a library does not.
    let _ = io::stdout().flush();
    code
}

/// The answers in a file of labels, as `labelwise tell` reads them.
pub fn read_labels(bytes: &[u8]) -> Result<Vec<Answer>, Box<dyn std::error::Error>> {
    Ok(commands::record::read_labels("labels".into(), bytes)?)
}
