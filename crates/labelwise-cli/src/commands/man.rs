//! `labelwise man`: writes one manual page per command.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap_mangen::Man;
use serde::Serialize;

use crate::error::Error;
use crate::output::print_json;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.man/1";

/// Write one manual page per command.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example, after which `man ./man/labelwise.1` shows the first page:\n  labelwise man --out man"
)]
pub(crate) struct Options {
    /// Folder for the pages; created if it does not exist
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Print the names of the pages as one JSON object (schema labelwise.man/1) instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    files: Vec<PathBuf>,
}

/// Writes the pages and prints their names.
pub(crate) fn run(options: &Options, program: clap::Command, out: &mut impl Write) -> Result<(), Error> {
    fs::create_dir_all(&options.out).map_err(|source| Error::Write { path: options.out.clone(), source })?;
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut pages = vec![Man::new(program.clone())];
    below(&program, &mut pages);
    let mut written = Vec::new();
    for page in pages {
        let (path, mut bytes) = (options.out.join(page.get_filename()), Vec::new());
        page.render(&mut bytes)?;
        fs::write(&path, bytes).map_err(|source| Error::Write { path: path.clone(), source })?;
        written.push(path);
    }
    if options.json {
        print_json(&Document { schema: SCHEMA, files: written }, out)?;
    } else {
        for path in written {
            writeln!(out, "{}", path.display())?;
        }
    }
    Ok(())
}

/// The pages of a command's subcommands.
fn below(command: &clap::Command, pages: &mut Vec<Man>) {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        pages.push(Man::new(command.clone()));
        below(command, pages);
    }
}
