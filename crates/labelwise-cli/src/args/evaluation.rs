//! Options for the evaluation file and for the author of a record.

use std::path::{Path, PathBuf};

use labelwise_plot::format::thousands;
use labelwise_study::{Author, IgnoredLog, Study, now};

use crate::error::Error;
use crate::output::screen::one_line;
use crate::settings::Settings;

/// Options of every command that records something.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct AuthorOptions {
    /// Your name, stored with each record [default: the setting `who`, or your user name]
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// Idempotency key: repeating a request with the same key records nothing new and returns the first answer
    #[arg(long, value_name = "WORD")]
    key: Option<String>,
}

impl AuthorOptions {
    pub(crate) fn author(&self, settings: &Settings) -> Author {
        let who = self.who.clone().unwrap_or_else(|| settings.who.value.clone());
        Author { who, at: now(), key: self.key.clone() }
    }
}

/// The evaluation file of a command.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct EvaluationArg {
    /// Evaluation file, made by `labelwise new`
    #[arg(value_name = "EVALUATION")]
    evaluation: PathBuf,
}

impl EvaluationArg {
    pub(crate) fn path(&self) -> &Path {
        &self.evaluation
    }

    /// Opens the evaluation to write.
    pub(crate) fn open(&self) -> Result<Study, Error> {
        Ok(with_warning(Study::open(&self.evaluation)?))
    }

    /// Opens the evaluation read-only.
    pub(crate) fn read(&self) -> Result<Study, Error> {
        read(&self.evaluation)
    }
}

/// Opens an evaluation read-only.
pub(crate) fn read(path: &Path) -> Result<Study, Error> {
    Ok(with_warning(Study::read(path)?))
}

/// Warns of a log that yields less than it holds.
fn with_warning(evaluation: Study) -> Study {
    if let Some(ignored) = evaluation.ignored_log() {
        eprintln!("warning: {}", one_line(&ignored_log(ignored)));
    }
    evaluation
}

/// Says what is ignored of a log, and what that means.
pub(crate) fn ignored_log(IgnoredLog { log, bytes, kept, .. }: &IgnoredLog) -> String {
    let count = |count: u64| thousands(usize::try_from(count).unwrap_or(usize::MAX));
    let (log, bytes, kept) = (log.display(), count(*bytes), count(*kept));
    format!(
        "the last {bytes} bytes of {log} are not a complete record and are ignored, after {kept} that are. Either a \
         command was interrupted before it answered, or the log was damaged and the last labels are lost: compare \
         them with your own list"
    )
}
