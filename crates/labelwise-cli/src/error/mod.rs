//! Errors of the program. Each sentence names the thing, the value and the way out.

mod codes;
#[cfg(test)]
mod listing;
mod suggest;
mod usage;

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use labelwise::words::{quoted, thousands};
use serde::Serialize;

use crate::output::colour;
use crate::output::screen::{lines, one_line};
pub(crate) use usage::UsageError;

/// The exit code of every failure. Commands that answer a question end with 1 for "no" and 3 for "undecided", and `tell
/// --partial` ends with 5 if it left rows out, so that a script can tell an answer from a failure.
const FAILED: u8 = 2;

/// The exit code of a request for items if none is left, so that a loop can end.
const EXHAUSTED: u8 = 4;

/// Why the program stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// The command line is invalid, or asks for help.
    #[error("{}", sentence(.0))]
    Usage(#[from] clap::Error),
    /// The budget is not between 1 and the size of the pool.
    #[error(
        "the budget is {} labels, but {}: give --budget a number from 1 to {pool_size}",
        thousands(*.budget), limit(*.budget, *.pool_size)
    )]
    Budget { budget: usize, pool_size: usize },
    /// The level is not between 0 and 1.
    #[error("the level is {level}, but must be between 0 and 1; try --level {}", meant(*.level))]
    Level { level: f64 },
    /// The number of runs is out of range.
    #[error("the number of runs is {runs}, but must be from 1 to {most}: try --runs {usual}")]
    Runs { runs: usize, most: usize, usual: usize },
    /// The file of settings is not valid TOML.
    #[error("{}, line {line}: {why}", .path.display())]
    SettingsSyntax {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        why: String,
    },
    /// The setting does not exist.
    #[error("{}, line {line}: `{key}` is not a setting; the settings are {known}", .path.display())]
    SettingUnknown {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        key: String,
        known: String,
    },
    /// The setting cannot have this value.
    #[error("{}, line {line}: `{key}` is {value}, but must be {expected}", .path.display())]
    SettingValue {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        key: &'static str,
        value: String,
        expected: &'static str,
    },
    /// There is no setting of this name to change.
    #[error("{} is not a setting; the settings are {known}{near}", quoted(.key))]
    NewSetting { key: String, known: String, near: String },
    /// A setting cannot be changed to this value.
    #[error("{key} cannot be {}: it must be {expected}", quoted(.value))]
    NewSettingValue { key: String, value: String, expected: &'static str },
    /// There is no folder for the user's own settings.
    #[error("there is no folder for settings of your own here: set XDG_CONFIG_HOME, or give --here")]
    NoSettingsFile,
    /// The environment variable has a value that its setting cannot have.
    #[error("the environment variable {variable} is `{value}`, but must be {expected}: change or unset it")]
    Variable { variable: String, value: String, expected: &'static str },
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    /// The file or folder cannot be written.
    #[error("{} cannot be written: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
    /// The file of labels is not text in UTF-8.
    #[error(
        "{} is not text in UTF-8: give labels as CSV with columns id and label, or as JSON Lines",
        .path.display()
    )]
    LabelsEncoding { path: PathBuf },
    /// The file of labels does not have the columns id and label.
    #[error("{} has the columns {columns}, but needs the columns id and label", .path.display())]
    LabelsColumns { path: PathBuf, columns: String },
    /// The argument is not a file and not ID=LABEL.
    #[error(
        "{} is not a file and not ID=LABEL: name a file with columns id and label, or - for standard input",
        quoted(.given)
    )]
    NoLabels { given: String },
    /// The file of labels has invalid lines; no labels are recorded.
    #[error(
        "{}: {} invalid {}; no labels were recorded\n{}",
        .path.display(), thousands(.lines.len()), if .lines.len() == 1 { "line" } else { "lines" }, first_lines(.lines)
    )]
    LabelsLines {
        path: PathBuf,
        /// What is wrong, line by line.
        lines: Vec<(usize, String)>,
    },
    /// The file of labels is empty.
    #[error("{} is empty: no labels were recorded", .path.display())]
    LabelsEmpty { path: PathBuf },
    /// The output would replace an evaluation.
    #[error("{} is an evaluation and was not changed: choose another name for the output", .path.display())]
    OverEvaluation { path: PathBuf },
    /// The file of training rows has no column of labels.
    #[error(
        "{} has no column `{column}` with the labels of training rows: give --train-label one of {columns}",
        .path.display()
    )]
    TrainColumn { path: PathBuf, column: String, columns: String },
    /// The file name does not end in the name of a picture format.
    #[error("{} is not a name for a picture: end it in .svg or .png", .path.display())]
    Picture { path: PathBuf },
    /// A picture could not be drawn.
    #[error(transparent)]
    Plot(#[from] labelwise_plot::Error),
    /// The core refused the request.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// A pool or an evaluation was refused.
    #[error(transparent)]
    Store(#[from] labelwise_study::Error),
    /// Options or files do not fit together.
    #[error(transparent)]
    Options(#[from] UsageError),
    /// The report could not be made.
    #[error(transparent)]
    Report(labelwise_report::Error),
    /// An experiment of the paper failed.
    #[error(transparent)]
    Paper(#[from] labelwise_paper::Error),
    /// An image set is not available.
    #[error(transparent)]
    Images(#[from] labelwise_images::Error),
    /// There is no default folder for image sets.
    #[error("there is no default folder for image sets here: name one with --data, or set LABELWISE_DATA")]
    NoDataFolder,
    /// The labelling page refused.
    #[error(transparent)]
    Page(labelwise_page::Error),
    /// Another tool, or a file of it, cannot be used.
    #[error(transparent)]
    Connect(labelwise_connect::Error),
    /// No threads could be started.
    #[error("no threads can be started ({0}): try again with the environment variable RAYON_NUM_THREADS=1")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The results could not be written as JSON.
    #[error("the results cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The results could not be printed, but the command has done its work.
    #[error("the results cannot be written ({source}), but {done}")]
    OutputAfter { source: io::Error, done: &'static str },
    /// The name of the output promises a format that this command does not write.
    #[error(
        "{} cannot be written: export writes CSV or JSON Lines, so end the name in .csv, or give --format jsonl and \
         end it in .jsonl",
        .path.display()
    )]
    ExportName { path: PathBuf },
    /// The name of the output is that of the log of an evaluation.
    #[error(
        "{} is the name of a log of an evaluation, which the output would damage: choose another name",
        .path.display()
    )]
    LogName { path: PathBuf },
    /// The results could not be printed.
    #[error("the results cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl Error {
    pub(crate) fn csv(error: csv::Error) -> Self {
        Self::Output(error.into())
    }

    /// What to type next, if the sentence does not say it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Usage(error) => suggest::of_usage(error),
            Self::Store(error) => suggest::of_store(error),
            Self::Paper(error) => suggest::of_paper(error),
            Self::NoLabels { given } => suggest::near_files(given.as_ref()),
            _ => None,
        }
    }

    /// Prints the error on stderr, with `json` also on stdout, and returns the exit code. Errors of this printing are
    /// ignored: there is no other place to report them.
    pub(crate) fn tell(self, json: bool) -> u8 {
        match &self {
            // The reader of a pipe stopped reading, as `head` does.
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => return 0,
            // Help and version are not failures.
            Self::Usage(error) if !error.use_stderr() => {
                return error.print().map_or_else(|error| Self::Output(error).tell(json), |()| 0);
            }
            Self::Usage(error) => {
                let _ = error.print();
            }
            _ => {
                let mut talk = anstream::stderr().lock();
                let _ = writeln!(talk, "{} {}", colour::error("error:"), lines(&self.to_string()));
                if let Some(hint) = self.hint() {
                    let _ = writeln!(talk, "{} {}", colour::note("hint:"), one_line(&hint));
                }
            }
        }
        if json {
            let error = ErrorDocument { code: self.code(), message: self.to_string(), hint: self.hint() };
            // Texts always fit into JSON.
            let object = serde_json::to_string(&Printed { error }).unwrap_or_default();
            let _ = writeln!(io::stdout(), "{object}");
        }
        if self.is_exhausted() { EXHAUSTED } else { FAILED }
    }

    /// Whether no item is left to ask.
    fn is_exhausted(&self) -> bool {
        use labelwise_study::{DesignError, Error as Store};
        matches!(
            self,
            Self::Store(Store::Exhausted { left: 0, .. } | Store::Design(DesignError::Spent { left: 0, .. }))
        )
    }

    /// An error of the output of a command that has done its work before.
    pub(crate) fn after(self, done: Option<&'static str>) -> Self {
        match (self, done) {
            (Self::Output(source), Some(done)) if source.kind() != ErrorKind::BrokenPipe => {
                Self::OutputAfter { source, done }
            }
            (error, _) => error,
        }
    }
}

impl From<labelwise_page::Error> for Error {
    fn from(error: labelwise_page::Error) -> Self {
        match error {
            labelwise_page::Error::Study(error) => Self::Store(error),
            other => Self::Page(other),
        }
    }
}

impl From<labelwise_connect::Error> for Error {
    fn from(error: labelwise_connect::Error) -> Self {
        match error {
            labelwise_connect::Error::Study(error) => Self::Store(error),
            other => Self::Connect(other),
        }
    }
}

impl From<labelwise_page::terminal::TerminalError> for Error {
    fn from(error: labelwise_page::terminal::TerminalError) -> Self {
        match error {
            labelwise_page::terminal::TerminalError::Page(error) => error.into(),
            labelwise_page::terminal::TerminalError::Io(error) => Self::Output(error),
            other => Self::Output(std::io::Error::other(other.to_string())),
        }
    }
}

impl From<labelwise_report::Error> for Error {
    fn from(error: labelwise_report::Error) -> Self {
        match error {
            labelwise_report::Error::Core(error) => Self::Core(error),
            labelwise_report::Error::Store(error) => Self::Store(error),
            other => Self::Report(other),
        }
    }
}

impl From<labelwise_study::ChoiceError> for Error {
    fn from(misfit: labelwise_study::ChoiceError) -> Self {
        Self::Store(misfit.into())
    }
}

impl From<labelwise_study::DesignError> for Error {
    fn from(error: labelwise_study::DesignError) -> Self {
        Self::Store(error.into())
    }
}

impl From<labelwise_study::PoolError> for Error {
    fn from(error: labelwise_study::PoolError) -> Self {
        Self::Store(error.into())
    }
}

/// A failure as `--json` prints it.
#[derive(Serialize)]
struct Printed {
    error: ErrorDocument,
}

#[derive(Serialize)]
struct ErrorDocument {
    code: &'static str,
    message: String,
    hint: Option<String>,
}

/// The first sentence of clap's message, without usage and tips.
fn sentence(error: &clap::Error) -> String {
    let rendered = error.to_string();
    let first = rendered.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = first.trim_start_matches("error: ").split_whitespace().collect();
    words.join(" ")
}

fn first_lines(lines: &[(usize, String)]) -> String {
    let shown: Vec<String> =
        lines.iter().take(5).map(|(line, why)| format!("  line {line}: {why}")).collect();
    shown.join("\n")
}

fn limit(budget: usize, pool_size: usize) -> String {
    if budget == 0 {
        "an estimate needs at least 1".to_owned()
    } else {
        format!("the pool has {} items", thousands(pool_size))
    }
}

/// A level given in per cent, as a probability; otherwise the default.
fn meant(level: f64) -> f64 {
    if (50.0..100.0).contains(&level) { level / 100.0 } else { 0.95 }
}
