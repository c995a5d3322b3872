//! The program `labelwise`: measure a model with few labels. One subcommand is one module; stdout is data, stderr is
//! talk, and every failure is a sentence with exit code 2.

mod demo;
mod failure;
mod paper;
mod progress;
mod table;
mod whole;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{ColorChoice, Parser, Subcommand};
use failure::Failure;

/// Measure a model with few labels.
///
/// You have a trained model and many test items without labels. labelwise says which items to label, and estimates the
/// model's loss on all of them from those few labels, with an interval.
#[derive(Parser)]
#[command(name = "labelwise", version, color = ColorChoice::Never, max_term_width = 100)]
#[command(arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = "Example, which needs no data of your own and takes seconds:\n  labelwise demo")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Options),
    Paper(paper::Options),
}

fn main() -> ExitCode {
    // Asked before parsing: a command line that cannot be understood may still want its error as JSON.
    let json = std::env::args_os().any(|argument| argument == "--json");
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(json),
    }
}

fn run() -> Result<(), Failure> {
    let cli = Cli::try_parse()?;
    let mut out = io::stdout().lock();
    match cli.command {
        Command::Demo(options) => demo::run(&options, &mut out)?,
        Command::Paper(options) => paper::run(&options, &mut out)?,
    }
    Ok(out.flush()?)
}
