//! `labelwise config`: shows the settings and their origins. Flags override environment variables, which
//! override the file next to an evaluation, which overrides the user's own file, which overrides defaults.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::output::print_json;
use crate::settings::{Origin, Settings, beside};

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.config/1";

/// Show the settings and where they come from.
///
/// A setting is the default of an option. labelwise looks for it in the environment variable LABELWISE_NAME
/// (the name in capitals), then in the file labelwise.toml next to the evaluation (or in the current folder),
/// then in the user's own file: labelwise/config.toml in XDG_CONFIG_HOME or in ~/.config. If none of them has
/// it, a built-in default applies. The files are TOML, with lines such as `level = 0.9`.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = "Example:\n  labelwise config show")]
pub(crate) struct Options {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Show(Show),
}

/// Print every setting in the format of a settings file.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example, which also prints where each setting comes from:\n  labelwise config show --origin"
)]
struct Show {
    /// Evaluation whose settings to show [default: the settings of the current folder]
    #[arg(value_name = "EVALUATION")]
    evaluation: Option<PathBuf>,
    /// Also print where each setting comes from
    #[arg(long)]
    origin: bool,
    /// Print one JSON object (schema labelwise.config/1) instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    settings: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    key: &'static str,
    value: Value,
    origin: String,
}

impl Options {
    /// The folder whose settings file applies.
    pub(crate) fn folder(&self) -> PathBuf {
        let Verb::Show(show) = &self.verb;
        show.evaluation.as_deref().map_or_else(|| PathBuf::from("."), beside)
    }
}

/// Prints the settings.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let Verb::Show(show) = &options.verb;
    let lines = settings.lines();
    if show.json {
        let shown = |(key, value, origin): (_, _, Origin)| Shown { key, value, origin: origin.to_string() };
        let settings = lines.into_iter().map(shown).collect();
        return print_json(&Document { schema: SCHEMA, settings }, out);
    }
    let text: Vec<String> = lines.iter().map(|(key, value, _)| format!("{key} = {value}")).collect();
    let width = text.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    for (line, (.., origin)) in text.iter().zip(&lines) {
        if show.origin {
            writeln!(out, "{line:<width$}   # {origin}")?;
        } else {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
