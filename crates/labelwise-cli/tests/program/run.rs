//! Runs the program as a person would, away from any terminal.

use std::io::{self, Write};
use std::process::{Command, Stdio};

/// The program with arguments; its width does not depend on who runs the tests.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labelwise"));
    command.args(arguments).env("COLUMNS", "100").env_remove("RAYON_NUM_THREADS").stdin(Stdio::null());
    command
}

/// Everything a run leaves behind: the command line, the exit code, stdout and stderr.
pub(crate) fn transcript(arguments: &[&str]) -> io::Result<String> {
    let output = command(arguments).output()?;
    let mut text = Vec::new();
    writeln!(text, "$ labelwise {}", arguments.join(" "))?;
    writeln!(text, "exit code: {}", output.status.code().map_or("none".to_owned(), |code| code.to_string()))?;
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            writeln!(text, "--- {name}")?;
            text.write_all(bytes)?;
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}
