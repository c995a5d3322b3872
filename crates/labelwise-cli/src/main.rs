//! The program `labelwise`. All of it is in the library, which other programs of the workspace test piece by piece, and which the
//! Python package installs as its own command.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(labelwise_cli::run(&arguments))
}
