//! Options of the commands about Label Studio.

use std::path::PathBuf;

use labelwise_connect::Wish;
use labelwise_connect::label_studio::Place;
use labelwise_study::OpinionRule;

use crate::args::EvaluationArg;
use crate::args::parse::{counting, named};
use crate::error::Error;

/// Put items there until enough of them wait for an answer.
///
/// Items that were asked before and are not there yet go first. Running it again puts nothing there twice.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise ls push pool.labelwise --open 20")]
pub(super) struct PushOptions {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(flatten)]
    pub(super) items: Items,
}

/// Take over labels, skips, corrections and deletions.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  labelwise ls pull pool.labelwise\n  labelwise ls pull pool.labelwise --opinions majority"
)]
pub(super) struct PullOptions {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(flatten)]
    pub(super) again: Again,
}

/// Take over labels, and put more items there when few wait.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise ls sync pool.labelwise --goal 200 --watch")]
pub(super) struct SyncOptions {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(flatten)]
    pub(super) items: Items,
    /// Put more items there when fewer than this many wait
    #[arg(long, value_name = "N", default_value = "5", value_parser = counting)]
    pub(super) refill: usize,
    #[command(flatten)]
    pub(super) again: Again,
}

/// Print the label configuration, for a project that you make yourself.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise ls config pool.labelwise")]
pub(super) struct ConfigOptions {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    #[command(flatten)]
    pub(super) shown: Shown,
    /// Print one JSON object (schema labelwise.ls-config/1) instead of XML
    #[arg(long)]
    pub(super) json: bool,
}

/// What every command that talks to the server has.
#[derive(Debug, clap::Args)]
pub(super) struct Common {
    #[command(flatten)]
    pub(super) evaluation: EvaluationArg,
    /// Address of the server [default: LABEL_STUDIO_URL, or the server that was used last, or http://localhost:8080]
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,
    /// File with the token [default: the variable LABEL_STUDIO_API_KEY]
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// Number of the project, or new for another one [default: the project of this evaluation]
    #[arg(long, value_name = "NUMBER")]
    pub(super) project: Option<Place>,
    /// Label that counts if several people labelled an item: first, newest, majority or mean; recorded
    #[arg(long, value_name = "RULE", value_parser = named::<OpinionRule>(), hide_possible_values = true)]
    pub(super) opinions: Option<OpinionRule>,
    /// Seconds to wait for an answer of the server
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = counting)]
    pub(super) timeout: usize,
    /// Your name, stored with the draws [default: the setting `who`, or your user name]
    #[arg(long, value_name = "NAME")]
    pub(super) who: Option<String>,
    /// Print one JSON object (schema labelwise.ls/1) instead of text; with --watch one per line
    #[arg(long)]
    pub(super) json: bool,
}

/// Which items are put there.
#[derive(Debug, clap::Args)]
pub(super) struct Items {
    /// Number of items that should wait there for an answer
    #[arg(long, value_name = "N", default_value = "20", value_parser = counting)]
    pub(super) open: usize,
    /// Number of items to ask in all [default: no end]
    #[arg(long, value_name = "N", value_parser = counting)]
    pub(super) goal: Option<usize>,
    /// Put items there again that were deleted there
    #[arg(long)]
    pub(super) again: bool,
    /// Title of a new project, in front of the key of the evaluation [default: the name of the file]
    #[arg(long, value_name = "TEXT")]
    pub(super) title: Option<String>,
    #[command(flatten)]
    pub(super) shown: Shown,
}

/// What people see, in a new project.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::commands) struct Shown {
    /// Columns to show, comma-separated [default: passthrough columns, without those of judges and models]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(super) show: Vec<String>,
    /// Two columns to compare side by side, in random order: FIRST,SECOND
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', num_args = 1)]
    pub(super) pair: Vec<String>,
    /// Question above the answers [default: one that fits the labels]
    #[arg(long, value_name = "TEXT")]
    pub(super) question: Option<String>,
}

/// Whether to look again.
#[derive(Debug, clap::Args)]
pub(super) struct Again {
    /// Look again every so many seconds, until nothing is left or you press Ctrl-C [default without a number: 10]
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "10", value_parser = counting)]
    pub(super) watch: Option<usize>,
}

impl Shown {
    pub(in crate::commands) fn wish(&self) -> Result<Wish, Error> {
        let mut wish = Wish::default();
        wish.show.clone_from(&self.show);
        wish.question.clone_from(&self.question);
        wish.pair = match self.pair.as_slice() {
            [] => None,
            [first, second] => Some((first.clone(), second.clone())),
            _ => {
                let error = clap::Error::raw(
                    clap::error::ErrorKind::WrongNumberOfValues,
                    "--pair needs two columns: --pair FIRST,SECOND\n",
                );
                return Err(error.into());
            }
        };
        Ok(wish)
    }

    pub(in crate::commands) fn is_given(&self) -> bool {
        !(self.show.is_empty() && self.pair.is_empty() && self.question.is_none())
    }
}
