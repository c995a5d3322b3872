//! The commands, one module each, and what they share: the command line, settings and threads.

mod apply;
mod ask;
mod backup;
mod check;
pub(crate) mod compare;
mod completions;
mod config;
mod demo;
mod doctor;
mod estimate;
mod export;
mod label;
mod ls;
mod man;
mod new;
pub(crate) mod paper;
mod plan;
pub(crate) mod record;
mod refresh;
mod report;
mod simulate;
mod sql;
mod status;
mod verify;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};
use labelwise::words::near;
use rayon::ThreadPoolBuilder;

use crate::args::EvaluationArg;
use crate::error::Error;
use crate::output::colour::{self, Colour};
use crate::output::screen::Screen;
use crate::settings::{Settings, beside};

/// Measure a model with few labels.
///
/// You have a trained model and many test items without labels. labelwise chooses which items to label. From
/// these few labels it estimates the model's loss on all items, with an interval.
#[derive(Parser)]
#[command(name = "labelwise", version, styles = colour::STYLES, max_term_width = 100)]
#[command(arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = "Example, which needs no data of your own and takes seconds:\n  labelwise demo")]
struct Cli {
    /// When to use colour: auto, always or never [default: auto]
    #[arg(long, global = true, value_name = "WHEN", hide_possible_values = true, display_order = 900)]
    color: Option<Colour>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Doctor(doctor::Options),
    New(Box<new::Options>),
    Ask(ask::Options),
    Tell(record::TellOptions),
    Skip(record::SkipOptions),
    Amend(record::AmendOptions),
    Label(Box<label::Options>),
    Ls(Box<ls::Options>),
    Refresh(refresh::Options),
    Status(status::Options),
    Estimate(estimate::Options),
    Apply(Box<apply::Options>),
    Plan(plan::Options),
    Check(check::Options),
    Compare(Box<compare::Options>),
    Report(report::Options),
    Export(export::Options),
    Verify(verify::Options),
    Backup(backup::Options),
    Simulate(Box<simulate::Options>),
    Sql(sql::Options),
    Demo(demo::Options),
    Paper(paper::Options),
    Config(config::Options),
    Completions(completions::Options),
    Man(man::Options),
}

impl Command {
    /// Whether settings are the defaults of some options.
    fn has_settings(&self) -> bool {
        use Command::{Backup, Completions, Demo, Doctor, Export, Man, Paper, Refresh, Sql, Status, Verify};
        !matches!(
            self,
            Refresh(_)
                | Status(_)
                | Export(_)
                | Verify(_)
                | Backup(_)
                | Demo(_)
                | Doctor(_)
                | Paper(_)
                | Sql(_)
                | Completions(_)
                | Man(_)
        )
    }
}

/// Runs the command of a command line, and returns its exit code.
pub(crate) fn run(arguments: &[OsString]) -> Result<u8, Error> {
    let Cli { color, command } = Cli::try_parse_from(arguments).map_err(|error| usage(error, arguments))?;
    if !command.has_settings() {
        color.unwrap_or_else(colour_here).apply();
    }
    // The settings of a folder, read once. Their colour counts unless the command line has one.
    let settings = |folder: &Path| {
        let settings = Settings::load(folder);
        let colour = || settings.as_ref().map_or_else(|_| colour_here(), |settings| settings.color.value);
        color.unwrap_or_else(colour).apply();
        settings
    };
    let of = |evaluation: &EvaluationArg| settings(&beside(evaluation.path()));
    let mut out = Screen::new(io::stdout().lock());
    match &command {
        Command::New(options) => new::run(options, &settings(Path::new("."))?, &mut out)?,
        Command::Ask(options) => {
            let asked = ask::run(options, &of(&options.evaluation)?, &mut out);
            printed(asked, &mut out, options.done())?;
        }
        Command::Tell(options) => {
            let told = record::tell(options, &of(&options.labels.evaluation)?, &mut out);
            // Its exit code says whether rows were left out.
            return printed(told, &mut out, RECORDED);
        }
        Command::Skip(options) => {
            let skipped = record::skip(options, &of(&options.evaluation)?, &mut out);
            printed(skipped, &mut out, RECORDED)?;
        }
        Command::Amend(options) => {
            let amended = record::amend(options, &of(&options.labels.evaluation)?, &mut out);
            printed(amended, &mut out, RECORDED)?;
        }
        Command::Label(options) => label::run(options, &of(&options.evaluation)?, arguments, &mut out)?,
        Command::Ls(options) => {
            let synced = ls::run(options, &of(options.evaluation())?, &mut out);
            printed(synced, &mut out, options.done())?;
        }
        Command::Refresh(options) => refresh::run(options, &mut out)?,
        Command::Status(options) => status::run(options, &mut out)?,
        Command::Estimate(options) => estimate::run(options, &of(&options.evaluation)?, &mut out)?,
        Command::Apply(options) => apply::run(options, &of(&options.evaluation)?, &mut out)?,
        Command::Doctor(options) => doctor::run(options, &mut out)?,
        Command::Plan(options) => plan::run(options, &of(&options.evaluation)?, &mut out)?,
        // Its exit code is its answer.
        Command::Check(options) => return check::run(options, &of(&options.evaluation)?, &mut out),
        Command::Compare(options) => compare::run(options, &settings(&options.folder())?, &mut out)?,
        Command::Report(options) => report::run(options, &of(&options.evaluation)?, &mut out)?,
        Command::Export(options) => export::run(options, &mut out)?,
        Command::Verify(options) => verify::run(options, &mut out)?,
        Command::Backup(options) => backup::run(options, &mut out)?,
        Command::Simulate(options) => simulate::run(options, &settings(Path::new("."))?, &mut out)?,
        Command::Sql(options) => sql::run(options, &mut out)?,
        Command::Demo(options) => demo::run(options, &mut out)?,
        Command::Paper(options) => paper::run(options, &mut out)?,
        Command::Config(options) => config::run(options, &settings(&options.folder())?, &mut out)?,
        Command::Completions(options) => completions::run(options, Cli::command(), out.data())?,
        Command::Man(options) => man::run(options, Cli::command(), out.data())?,
    }
    out.flush()?;
    Ok(0)
}

/// What is done when the answer of a command that records cannot be printed.
const RECORDED: Option<&str> = Some("the answers are recorded: labelwise status counts them");

/// The end of a command that has done its work before it prints.
fn printed<R>(
    result: Result<R, Error>,
    out: &mut impl Write,
    done: Option<&'static str>,
) -> Result<R, Error> {
    let flushed = |result| {
        out.flush()?;
        Ok(result)
    };
    result.and_then(flushed).map_err(|error: Error| error.after(done))
}

/// An error of the command line, in the chosen colour.
fn usage(mut error: clap::Error, arguments: &[OsString]) -> Error {
    suggest_commands(&mut error);
    let colour = Colour::asked(arguments).unwrap_or_else(colour_here);
    colour.apply();
    error.with_cmd(&Cli::command().color(colour.into())).into()
}

/// Adds commands that may have been meant: the letters of short names are often swapped, which clap's measure takes for another
/// word.
fn suggest_commands(error: &mut clap::Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return };
    if error.get(ContextKind::SuggestedSubcommand).is_some() {
        return;
    }
    let cli = Cli::command();
    let near = near(typed, cli.get_subcommands().map(clap::Command::get_name));
    if !near.is_empty() {
        let near = near.into_iter().map(str::to_owned).collect();
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(near));
    }
}

/// The colour by the settings of the current folder. Errors in them are left to commands that have settings.
fn colour_here() -> Colour {
    Settings::load(Path::new(".")).map_or(Colour::Auto, |settings| settings.color.value)
}

/// Starts the threads for work on whole pools, once a process: where rayon cannot start them by itself, it panics.
fn start_threads() -> Result<(), Error> {
    Ok(ThreadPoolBuilder::new().build_global()?)
}
