//! `labelwise completions`: what a shell needs to complete commands and options.

use std::io::Write;

use clap_complete::{Shell, generate};

use crate::error::Failure;

/// Print a script that completes commands and options.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples, which set it up for the present shell and for good:\n  \
                        source <(labelwise completions bash)\n  \
                        labelwise completions zsh > _labelwise\n  \
                        labelwise completions fish > labelwise.fish\n\n\
                        zsh looks for _labelwise in the folders of its fpath, fish in ~/.config/fish/completions.")]
pub(crate) struct Options {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script. It is made in memory first: the generator panics where it cannot write.
pub(crate) fn run(
    options: &Options,
    mut program: clap::Command,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(options.shell, &mut program, "labelwise", &mut script);
    Ok(out.write_all(&script)?)
}
