//! The evaluation that a command is about, and who writes to it.

use std::path::{Path, PathBuf};

use labelwise_store::{By, now};

use crate::settings::Settings;

/// Options of everything that is recorded.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct AuthorOptions {
    /// Who does it, kept with the record [default: the setting `who`]
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// A word for this very request: said again, it is answered as it was, and nothing happens twice
    #[arg(long, value_name = "WORD")]
    key: Option<String>,
}

impl AuthorOptions {
    pub(crate) fn author(&self, settings: &Settings) -> By {
        let who = self.who.clone().unwrap_or_else(|| settings.who.value.clone());
        By { who, at: now(), key: self.key.clone() }
    }
}

/// The evaluation that a command is about.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct EvaluationArg {
    /// The evaluation: the file that `labelwise new` made
    #[arg(value_name = "EVALUATION")]
    evaluation: PathBuf,
}

impl EvaluationArg {
    pub(crate) fn path(&self) -> &Path {
        &self.evaluation
    }
}
