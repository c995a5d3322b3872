//! `labelwise config`: what is set, and where. Flags win over environment variables, these over the file beside an
//! evaluation, that over the user's own file, and that over defaults.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use crate::error::Failure;
use crate::output::print_json;
use crate::settings::{Origin, Settings, beside};

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.config/1";

/// Show the settings and where they come from.
///
/// A setting is what an option is when it is not given. It is looked for in the environment variable LABELWISE_ and its
/// name in capitals, then in the file labelwise.toml beside the evaluation (or in the current folder), then in the
/// user's own file, which is labelwise/config.toml in XDG_CONFIG_HOME or in ~/.config; and each has a default. The
/// files are TOML, with lines such as `level = 0.9`.
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

/// Print every setting, as a file of settings would have it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example, which says of each setting where it comes from:\n  labelwise config show --origin"
)]
struct Show {
    /// The evaluation whose settings to show [default: what is set in the current folder]
    #[arg(value_name = "EVALUATION")]
    evaluation: Option<PathBuf>,
    /// Say of each where it comes from
    #[arg(long)]
    origin: bool,
    /// Print one JSON object (schema labelwise.config/1) in place of text
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
    /// The folder whose file of settings counts.
    pub(crate) fn folder(&self) -> PathBuf {
        let Verb::Show(show) = &self.verb;
        show.evaluation.as_deref().map_or_else(|| PathBuf::from("."), beside)
    }
}

/// Prints the settings.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Failure> {
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
