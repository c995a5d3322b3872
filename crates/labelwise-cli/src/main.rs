//! The program `labelwise`. All of it is in the library, which other programs of the workspace test piece by piece.

use std::process::ExitCode;

fn main() -> ExitCode {
    labelwise_cli::main()
}
