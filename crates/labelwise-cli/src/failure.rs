//! What can go wrong in the program, as sentences that name the thing, the value and the way out.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use serde_json::json;

/// The exit code of everything that went wrong.
const FAILED: u8 = 2;

/// Why the program stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Failure {
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
    #[error("the number of runs is {runs}, but must be from 1 to {most}: try --runs 1000")]
    Runs {
        /// What was given.
        runs: usize,
        /// The most that is possible.
        most: usize,
    },
    /// A line of the bundled pool that cannot be read.
    #[error(
        "line {line} of the bundled pool cannot be read: {why}; this build of labelwise is damaged, install it anew"
    )]
    BundledPool {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The core refused.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// An experiment of the paper could not be made.
    #[error(transparent)]
    Paper(#[from] labelwise_paper::Error),
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

impl Failure {
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
                let _ = writeln!(io::stderr(), "error: {self}");
            }
        }
        if json {
            let _ = writeln!(io::stdout(), "{}", json!({ "error": { "message": self.to_string() } }));
        }
        ExitCode::from(FAILED)
    }
}

/// What clap has to say, without the usage and the tips around it.
fn sentence(error: &clap::Error) -> String {
    let rendered = error.to_string();
    let first = rendered.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = first.trim_start_matches("error: ").split_whitespace().collect();
    words.join(" ")
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
