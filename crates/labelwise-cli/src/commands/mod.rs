//! The commands, one module each, and what they share: the command line, settings and threads.

mod ask;
mod backup;
mod check;
pub(crate) mod compare;
mod completions;
mod config;
mod demo;
mod estimate;
mod export;
mod man;
mod new;
pub(crate) mod paper;
mod plan;
mod record;
mod report;
mod simulate;
mod status;
mod verify;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use rayon::ThreadPoolBuilder;

use crate::args::EvaluationArg;
use crate::error::Error;
use crate::output::colour::{self, Colour};
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
    New(Box<new::Options>),
    Ask(ask::Options),
    Tell(record::TellOptions),
    Skip(record::SkipOptions),
    Amend(record::AmendOptions),
    Status(status::Options),
    Estimate(estimate::Options),
    Plan(plan::Options),
    Check(check::Options),
    Compare(Box<compare::Options>),
    Report(report::Options),
    Export(export::Options),
    Verify(verify::Options),
    Backup(backup::Options),
    Simulate(Box<simulate::Options>),
    Demo(demo::Options),
    Paper(paper::Options),
    Config(config::Options),
    Completions(completions::Options),
    Man(man::Options),
}

impl Command {
    /// Whether settings are the defaults of some options.
    fn has_settings(&self) -> bool {
        use Command::{Backup, Completions, Demo, Export, Man, Paper, Status, Verify};
        !matches!(
            self,
            Status(_) | Export(_) | Verify(_) | Backup(_) | Demo(_) | Paper(_) | Completions(_) | Man(_)
        )
    }
}

/// Runs the command of a command line.
pub(crate) fn run(arguments: &[OsString]) -> Result<ExitCode, Error> {
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
    let mut out = io::stdout().lock();
    match &command {
        Command::New(options) => new::run(options, &settings(Path::new("."))?, &mut out)?,
        Command::Ask(options) => ask::run(options, &of(&options.evaluation)?, &mut out)?,
        Command::Tell(options) => record::tell(options, &of(&options.labels.evaluation)?, &mut out)?,
        Command::Skip(options) => record::skip(options, &of(&options.evaluation)?, &mut out)?,
        Command::Amend(options) => record::amend(options, &of(&options.labels.evaluation)?, &mut out)?,
        Command::Status(options) => status::run(options, &mut out)?,
        Command::Estimate(options) => estimate::run(options, &of(&options.evaluation)?, &mut out)?,
        Command::Plan(options) => plan::run(options, &of(&options.evaluation)?, &mut out)?,
        // Its exit code is its answer.
        Command::Check(options) => return check::run(options, &of(&options.evaluation)?, &mut out),
        Command::Compare(options) => compare::run(options, &settings(&options.folder())?, &mut out)?,
        Command::Report(options) => report::run(options, &of(&options.evaluation)?, &mut out)?,
        Command::Export(options) => export::run(options, &mut out)?,
        Command::Verify(options) => verify::run(options, &mut out)?,
        Command::Backup(options) => backup::run(options, &mut out)?,
        Command::Simulate(options) => simulate::run(options, &settings(Path::new("."))?, &mut out)?,
        Command::Demo(options) => demo::run(options, &mut out)?,
        Command::Paper(options) => paper::run(options, &mut out)?,
        Command::Config(options) => config::run(options, &settings(&options.folder())?, &mut out)?,
        Command::Completions(options) => completions::run(options, Cli::command(), &mut out)?,
        Command::Man(options) => man::run(options, Cli::command(), &mut out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// An error of the command line, in the chosen colour.
fn usage(error: clap::Error, arguments: &[OsString]) -> Error {
    let colour = Colour::asked(arguments).unwrap_or_else(colour_here);
    colour.apply();
    error.with_cmd(&Cli::command().color(colour.into())).into()
}

/// The colour by the settings of the current folder. Errors in them are left to commands that have settings.
fn colour_here() -> Colour {
    Settings::load(Path::new(".")).map_or(Colour::Auto, |settings| settings.color.value)
}

/// Starts the threads for work on whole pools, once a process: where rayon cannot start them by itself, it panics.
fn start_threads() -> Result<(), Error> {
    Ok(ThreadPoolBuilder::new().build_global()?)
}
