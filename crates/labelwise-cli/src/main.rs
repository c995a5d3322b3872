//! The program `labelwise`: measure a model with few labels. One subcommand is one module; stdout is data, stderr is
//! talk, and every failure is a sentence with exit code 2.

mod args;
mod commands;
mod error;
mod output;
mod settings;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use output::colour::Colour;
use settings::Settings;

fn main() -> ExitCode {
    // Asked before parsing: a command line that cannot be understood may still want its error as JSON, or in colour.
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let json = arguments.iter().any(|argument| argument == "--json");
    // Settings that are not in order are told of by commands that have a use for them.
    let set = || Settings::load(Path::new(".")).map_or(Colour::Auto, |settings| settings.color.value);
    let colour = Colour::asked(&arguments).unwrap_or_else(set);
    colour.apply();
    commands::run(&arguments, colour).unwrap_or_else(|failure| failure.tell(json))
}
