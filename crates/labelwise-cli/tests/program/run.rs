//! Runs the program as a person would, away from any terminal.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What of the environment would change what is printed.
const VARIABLES: [&str; 12] = [
    "LABELWISE_COLOR",
    "LABELWISE_DATA",
    "LABELWISE_FORMAT",
    "LABELWISE_LEVEL",
    "LABELWISE_SEED",
    "LABELWISE_TARGET",
    "LABELWISE_WHO",
    "LABEL_STUDIO_API_KEY",
    "LABEL_STUDIO_URL",
    "NO_COLOR",
    "CLICOLOR_FORCE",
    "RAYON_NUM_THREADS",
];

/// Makes a command the same for everybody: its width, its settings, its colours.
pub(crate) fn everywhere(command: &mut Command) {
    VARIABLES.iter().for_each(|variable| {
        command.env_remove(variable);
    });
    command.env("COLUMNS", "100").env("USER", "tester").stdin(Stdio::null());
    command.env("XDG_CONFIG_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("nobody"));
}

/// The program with arguments.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labelwise"));
    everywhere(command.args(arguments));
    command
}

/// Everything a run leaves behind: the command line, the exit code, stdout and stderr.
pub(crate) fn transcript(arguments: &[&str]) -> io::Result<String> {
    told(arguments, &command(arguments).output()?)
}

/// What a run left behind, as text.
pub(crate) fn told(arguments: &[&str], output: &Output) -> io::Result<String> {
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

/// A folder to run in, with files.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// The same with one more file.
    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program with arguments, run in here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command.current_dir(self.0.path());
        command
    }

    /// The transcript of a run in here; the folder itself is called `<folder>`.
    pub(crate) fn transcript(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        told(arguments, &output).unwrap().replace(self.0.path().to_str().unwrap(), "<folder>")
    }

    /// What a run in here prints as JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.stderr, b"");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// Leaves of every number what no float library disagrees about.
pub(crate) fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().map(|number| format!("{number:.6e}"));
            *value = rounded.and_then(|text| text.parse::<f64>().ok()).into();
        }
        Value::Array(values) => values.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        _ => {}
    }
}
