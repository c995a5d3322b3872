//! `labelwise completions`: prints a shell's completion script.

use std::io::Write;

use clap_complete::{Shell, generate};

use crate::error::Error;

/// Print a shell script that completes commands and options.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples, for the current shell and for all later ones:\n  \
                        source <(labelwise completions bash)\n  \
                        labelwise completions zsh > _labelwise\n  \
                        labelwise completions fish > labelwise.fish\n\n\
                        zsh looks for _labelwise in the folders of its fpath, fish in ~/.config/fish/completions.")]
pub(crate) struct Options {
    /// Shell to complete for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script. It is made in memory first, because the generator panics if it cannot write.
pub(crate) fn run(options: &Options, mut program: clap::Command, out: &mut impl Write) -> Result<(), Error> {
    let mut script = Vec::new();
    generate(options.shell, &mut program, "labelwise", &mut script);
    Ok(out.write_all(&script)?)
}
