//! The program `labelwise`: measure a model with few labels. One subcommand is one module; stdout is data, stderr is
//! talk, and every failure is a sentence with exit code 2.

mod args;
mod commands;
mod error;
mod output;
mod settings;

use std::ffi::OsString;
use std::process::ExitCode;

use labelwise_study::Answer;

/// Runs the command of this process's command line.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // Found before parsing: the error of a command line that cannot be parsed is JSON too where that is asked for.
    let json = arguments.iter().any(|argument| argument == "--json");
    commands::run(&arguments).unwrap_or_else(|failure| failure.tell(json))
}

/// The answers in a file of labels, as `labelwise tell` reads them.
pub fn read_labels(bytes: &[u8]) -> Result<Vec<Answer>, Box<dyn std::error::Error>> {
    Ok(commands::record::read_labels("labels".into(), bytes)?)
}
