//! `labelwise config`: shows the settings with their origins, and changes them. Flags override environment variables,
//! which override the file next to an evaluation, which overrides the user's own file, which overrides defaults.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::output::print_json;
use crate::settings::{self, Origin, Settings, beside};

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.config/1";

/// Show the settings and where they come from, or change one.
///
/// A setting is the default of an option. labelwise looks for it in the environment variable LABELWISE_NAME
/// (the name in capitals), then in the file labelwise.toml next to the evaluation (or in the current folder),
/// then in the user's own file: labelwise/config.toml in XDG_CONFIG_HOME or in ~/.config. If none of them has
/// it, a built-in default applies: of `who`, your user name. The files are TOML, with lines such as
/// `level = 0.9`.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = "Examples:\n  labelwise config show\n  labelwise config set level 0.9 --here")]
pub(crate) struct Options {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Show(Show),
    Set(Set),
}

/// Print every setting and where it comes from, in the format of a settings file.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise config show")]
struct Show {
    /// Evaluation whose settings to show [default: the settings of the current folder]
    #[arg(value_name = "EVALUATION")]
    evaluation: Option<PathBuf>,
    /// Print one JSON object (schema labelwise.config/1) instead of text
    #[arg(long)]
    json: bool,
}

/// Write a setting into the user's own file, or into labelwise.toml of the current folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise config set level 0.9 --here")]
struct Set {
    /// Name of the setting
    #[arg(value_name = "NAME")]
    name: String,
    /// Its new value
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: String,
    /// Write labelwise.toml in the current folder, for the evaluations of this folder only
    #[arg(long)]
    here: bool,
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
        match &self.verb {
            Verb::Show(Show { evaluation: Some(evaluation), .. }) => beside(evaluation),
            Verb::Show(_) | Verb::Set(_) => PathBuf::from("."),
        }
    }
}

/// Prints or changes the settings.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    match &options.verb {
        Verb::Show(show) => print(settings.lines(), show.json, out),
        Verb::Set(set) => change(set, &options.folder(), out),
    }
}

fn print(lines: Vec<(&'static str, Value, Origin)>, json: bool, out: &mut impl Write) -> Result<(), Error> {
    if json {
        let shown = |(key, value, origin): (_, _, Origin)| Shown { key, value, origin: origin.to_string() };
        let settings = lines.into_iter().map(shown).collect();
        return print_json(&Document { schema: SCHEMA, settings }, out);
    }
    let text: Vec<String> = lines.iter().map(|(key, value, _)| format!("{key} = {value}")).collect();
    let width = text.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    for (line, (.., origin)) in text.iter().zip(&lines) {
        writeln!(out, "{line:<width$}   # {origin}")?;
    }
    Ok(())
}

/// Writes one setting, and prints what applies afterwards.
fn change(set: &Set, folder: &std::path::Path, out: &mut impl Write) -> Result<(), Error> {
    let path = settings::file_to_set(folder, set.here)?;
    settings::set(&path, &set.name, &set.value)?;
    let lines = Settings::load(folder)?.lines();
    let line: Vec<_> = lines.into_iter().filter(|(key, ..)| *key == set.name).collect();
    let winner = line.first().map(|(.., origin)| origin.clone());
    print(line, set.json, out)?;
    if let Some(winner) = winner.filter(|winner| *winner != Origin::File(path.clone()) && !set.json) {
        writeln!(out, "note: {} has the new value, but {winner} overrides it here", path.display())?;
    }
    Ok(())
}
