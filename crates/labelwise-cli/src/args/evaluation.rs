//! Options for the evaluation file and for the author of a record.

use std::path::{Path, PathBuf};

use labelwise_study::{By, now};

use crate::settings::Settings;

/// Options of every command that records something.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct AuthorOptions {
    /// Your name, stored with each record [default: the setting `who`]
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// Idempotency key: repeating a request with the same key returns the first answer and records nothing
    /// new
    #[arg(long, value_name = "WORD")]
    key: Option<String>,
}

impl AuthorOptions {
    pub(crate) fn author(&self, settings: &Settings) -> By {
        let who = self.who.clone().unwrap_or_else(|| settings.who.value.clone());
        By { who, at: now(), key: self.key.clone() }
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
}
