//! What can go wrong in the program, as sentences that name the thing, the value and the way out.

mod codes;
#[cfg(test)]
mod listing;
mod suggest;
mod usage;

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use crate::output::colour;
pub(crate) use usage::UsageError;

/// The exit code of everything that went wrong. Commands that answer a question end with 1 for "no" and with 3 for
/// "undecided", so that a script can tell an answer from a failure.
const FAILED: u8 = 2;

/// Why the program stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// A command line that clap refused, or that asked for help.
    #[error("{}", sentence(.0))]
    Usage(#[from] clap::Error),
    /// A budget outside of 1 to the pool's size.
    #[error(
        "the budget is {budget} labels, but {}: give --budget a number from 1 to {pool_size}",
        limit(*.budget, *.pool_size)
    )]
    Budget {
        /// What was given.
        budget: usize,
        /// The most that is possible.
        pool_size: usize,
    },
    /// A level that is no probability.
    #[error("the level is {level}, but must be above 0 and below 1: try --level {}", meant(*.level))]
    Level {
        /// What was given.
        level: f64,
    },
    /// Too few repetitions to say anything, or more than memory is meant for.
    #[error("the number of runs is {runs}, but must be from 1 to {most}: try --runs {usual}")]
    Runs {
        /// What was given.
        runs: usize,
        /// The most that is possible.
        most: usize,
        /// What is usual.
        usual: usize,
    },
    /// A file of settings that is no TOML.
    #[error("{}, line {line}: {why}", .path.display())]
    SettingsSyntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A setting that there is not.
    #[error("{}, line {line}: there is no setting `{key}`: the settings are {known}", .path.display())]
    SettingUnknown {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is written there.
        key: String,
        /// Every setting.
        known: String,
    },
    /// A setting with a value that it cannot have.
    #[error("{}, line {line}: `{key}` is {value}, but must be {expected}", .path.display())]
    SettingValue {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The setting.
        key: &'static str,
        /// What is written there.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// An environment variable with a value that its setting cannot have.
    #[error("the environment variable {variable} is `{value}`, but must be {expected}: change or unset it")]
    Variable {
        /// Its name.
        variable: String,
        /// Its value.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A file that cannot be read.
    #[error("{} cannot be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file or folder that cannot be written.
    #[error("{} cannot be written: {source}", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Labels that are no text.
    #[error("{} is no text in UTF-8: labels come as CSV with columns id and label, or as JSON Lines", .path.display())]
    LabelsEncoding {
        /// The file.
        path: PathBuf,
    },
    /// Columns in which there are no labels.
    #[error("{} has the columns {columns}, but labels need the columns id and label", .path.display())]
    LabelsColumns {
        /// The file.
        path: PathBuf,
        /// Those that are there.
        columns: String,
    },
    /// Neither a file nor a label.
    #[error(
        "{given:?} is neither a file nor ID=LABEL: name a file with columns id and label, or - for a pipe"
    )]
    NoLabels {
        /// What was given.
        given: String,
    },
    /// Several lines that are no labels.
    #[error("{} of the lines of {} are no labels, and so none is told:\n{}", .lines.len(), .path.display(), first_lines(.lines))]
    LabelsLines {
        /// The file.
        path: PathBuf,
        /// What is wrong, line by line.
        lines: Vec<(usize, String)>,
    },
    /// Nothing where labels should be.
    #[error("{} is empty: no labels came", .path.display())]
    LabelsEmpty {
        /// The file.
        path: PathBuf,
    },
    /// An evaluation in the place of an output.
    #[error("{} is an evaluation and is left as it is: give another name to write to", .path.display())]
    OverEvaluation {
        /// The file.
        path: PathBuf,
    },
    /// Training rows without labels.
    #[error(
        "{} has no column `{column}` for the labels of training rows: give --train-label one of {columns}",
        .path.display()
    )]
    TrainColumn {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        column: String,
        /// The columns of the file.
        columns: String,
    },
    /// A picture in a format that is not written.
    #[error("{} is no name for a picture: end it in .svg or .png", .path.display())]
    Picture {
        /// The file.
        path: PathBuf,
    },
    /// A picture could not be drawn.
    #[error(transparent)]
    Plot(#[from] labelwise_plot::Error),
    /// The core refused.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// A file of a pool or of an evaluation was refused.
    #[error(transparent)]
    Store(#[from] labelwise_study::Error),
    /// Options or files that do not go together.
    #[error(transparent)]
    Options(#[from] UsageError),
    /// A page could not be made.
    #[error(transparent)]
    Report(labelwise_report::Error),
    /// An experiment of the paper could not be made.
    #[error(transparent)]
    Paper(#[from] labelwise_paper::Error),
    /// An image set is not to be had.
    #[error(transparent)]
    Images(#[from] labelwise_images::Error),
    /// Nowhere to keep image sets.
    #[error(
        "there is no folder of your own to keep image sets in: name one with --data, or set LABELWISE_DATA"
    )]
    NoDataFolder,
    /// The machine has no threads to give.
    #[error("no threads can be started ({0}): try again with the environment variable RAYON_NUM_THREADS=1")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Results could not be put into JSON.
    #[error("the results cannot be put into JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Nobody can be told.
    #[error("the results cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl Error {
    /// Rows that could not be written.
    pub(crate) fn csv(error: csv::Error) -> Self {
        Self::Output(error.into())
    }

    /// What to type next, where the sentence does not say it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Usage(error) => suggest::of_usage(error),
            Self::Store(error) => suggest::of_store(error),
            Self::Paper(error) => suggest::of_paper(error),
            _ => None,
        }
    }

    /// Says it on stderr, for machines on stdout too, and chooses the exit code.
    ///
    /// Where a message cannot be written there is nobody left to tell, so that is let go.
    pub(crate) fn tell(self, json: bool) -> ExitCode {
        match &self {
            // Whoever read the output has seen enough, as `head` has.
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            // Help and version are no failures, unless they cannot be printed.
            Self::Usage(error) if !error.use_stderr() => {
                return error
                    .print()
                    .map_or_else(|error| Self::Output(error).tell(json), |()| ExitCode::SUCCESS);
            }
            Self::Usage(error) => {
                let _ = error.print();
            }
            _ => {
                let mut talk = anstream::stderr().lock();
                let _ = writeln!(talk, "{} {self}", colour::error("error:"));
                if let Some(hint) = self.hint() {
                    let _ = writeln!(talk, "{} {hint}", colour::note("hint:"));
                }
            }
        }
        if json {
            let error = Told { code: self.code(), message: self.to_string(), hint: self.hint() };
            // Texts always fit into JSON.
            let object = serde_json::to_string(&Printed { error }).unwrap_or_default();
            let _ = writeln!(io::stdout(), "{object}");
        }
        ExitCode::from(FAILED)
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

/// A failure as machines read it.
#[derive(Serialize)]
struct Printed {
    error: Told,
}

#[derive(Serialize)]
struct Told {
    code: &'static str,
    message: String,
    hint: Option<String>,
}

/// What clap has to say, without the usage and the tips around it.
fn sentence(error: &clap::Error) -> String {
    let rendered = error.to_string();
    let first = rendered.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = first.trim_start_matches("error: ").split_whitespace().collect();
    words.join(" ")
}

/// The first five.
fn first_lines(lines: &[(usize, String)]) -> String {
    let shown: Vec<String> =
        lines.iter().take(5).map(|(line, why)| format!("  line {line}: {why}")).collect();
    shown.join("\n")
}

/// What a budget ran up against.
fn limit(budget: usize, pool_size: usize) -> String {
    if budget == 0 {
        "an estimate needs at least 1".to_owned()
    } else {
        format!("the pool has {pool_size} items")
    }
}

/// The level somebody meant who wrote it in per cent; otherwise the usual one.
fn meant(level: f64) -> f64 {
    if (50.0..100.0).contains(&level) { level / 100.0 } else { 0.95 }
}
