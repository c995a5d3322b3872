//! Every check of the workspace, with everything compiled once.

use std::path::{Path, PathBuf};
use std::thread;

use crate::package::Environments;
use crate::process::{Failure, cargo, program, run, succeeds};
use crate::steps::Steps;
use crate::{browser, executable, images, java, package, python, reliability};

/// What trains the networks of figures. The program is tested without it, as it is built by default.
const DEEP: &str = "labelwise-paper/deep";

/// The steps of `run_all`.
const EVERY: [&str; 16] = [
    "tools",
    "formatting",
    "lints",
    "documentation",
    "compile tests",
    "Python environments",
    "images",
    "Rust tests",
    "compile tests of networks",
    "networks on images",
    "examples",
    "hostile files",
    "Python tests",
    "compile wheel",
    "Python package",
    "engines",
];

/// The steps of `run_package`.
const OF_PACKAGE: [&str; 4] = ["Python environments", "compile tests", "compile wheel", "Python package"];

/// The steps of `run_engines`.
const OF_ENGINES: [&str; 4] = ["Python environments", "compile tests", "compile wheel", "engines"];

/// Runs every check, from the quickest to the slowest kind.
pub(crate) fn run_all(root: &Path) -> Result<(), Failure> {
    let mut steps = Steps::new(&EVERY);
    // Here and not behind the compiler's output, since sudo may ask for a password.
    let browser = steps.run("tools", || tools(root))?;
    thread::scope(|scope| {
        // pip mostly waits for the network, and the next steps do not need it.
        let environments = scope.spawn(|| {
            let scripts = python::environment(root, &python::SCRIPTS)?;
            let package = package::environments(root)?;
            package::engines(root).map(|engines| (scripts, package, engines))
        });
        steps.run("formatting", || run(cargo(root).args(["fmt", "--all", "--check"])))?;
        steps.run("lints", || {
            run(cargo(root)
                .args(["clippy", "--workspace", "--all-targets", "--locked", "--features", DEEP])
                .args(["--", "-D", "warnings"]))
        })?;
        steps.run("documentation", || {
            // Examples have the features that tests ask for. Without them, what the linter has read of dependencies would
            // be read again.
            run(cargo(root)
                .args(["doc", "--workspace", "--no-deps", "--locked", "--lib", "--bins", "--examples"])
                .env("RUSTDOCFLAGS", "-D warnings"))
        })?;
        let built = steps.run("compile tests", || executable::tests(root))?;
        let labelwise = built.labelwise()?;
        let (python, package, engines) = steps.run("Python environments", || {
            environments.join().map_err(|_| Failure::new("Their thread stopped."))?
        })?;
        let path = python::search_path(&python)?;
        let data = steps.run("images", || images::ensure(root, &labelwise, &path))?;
        steps.run("Rust tests", || {
            run(cargo(root).args(["test", "--workspace", "--locked"]).env("LABELWISE_DATA", &data))
        })?;
        // Both what trains in tests and how recipes become networks.
        let with_networks = |tests: &str| {
            run(cargo(root)
                .args(["test", "--workspace", "--locked", "--features", DEEP, "--lib", "--test", "images"])
                .arg(tests)
                .env("LABELWISE_DATA", &data))
        };
        steps.run("compile tests of networks", || with_networks("--no-run"))?;
        steps.run("networks on images", || with_networks("networks"))?;
        steps.run("examples", || {
            ["coverage", "designs"]
                .into_iter()
                .try_for_each(|example| run(program(built.example(example)?, root).arg("--quick")))
        })?;
        steps.run("hostile files", || reliability::hostile(root, &built.fuzz()?, &labelwise, true))?;
        steps.run("Python tests", || {
            run(program(&python, root)
                .args(["-m", "unittest", "discover", "-s", "scripts", "-p", "test_*.py"])
                .env("PATH", &path)
                .env("LABELWISE_BROWSER", browser)
                .env("LABELWISE_DATA", &data)
                .env("LABELWISE_PROGRAM", &labelwise)
                // Compiled bytecode would litter the source folder.
                .env("PYTHONDONTWRITEBYTECODE", "1"))
        })?;
        let wheel = check_package(root, &mut steps, &package, &labelwise)?;
        steps.run("engines", || package::test_engines(root, &engines, &wheel, &labelwise))
    })?;
    steps.print_times();
    Ok(())
}

/// Builds the Python package and runs its tests, and nothing else.
pub(crate) fn run_package(root: &Path) -> Result<(), Failure> {
    let mut steps = Steps::new(&OF_PACKAGE);
    let package = steps.run("Python environments", || package::environments(root))?;
    let labelwise = steps.run("compile tests", || executable::tests(root)?.labelwise())?;
    check_package(root, &mut steps, &package, &labelwise)?;
    steps.print_times();
    Ok(())
}

/// Builds the Python package and runs its tests with the engines, and nothing else.
pub(crate) fn run_engines(root: &Path) -> Result<(), Failure> {
    let mut steps = Steps::new(&OF_ENGINES);
    let engines = steps.run("Python environments", || {
        java::ensure(root)?;
        package::engines(root)
    })?;
    let labelwise = steps.run("compile tests", || executable::tests(root)?.labelwise())?;
    let wheel = steps.run("compile wheel", || package::wheel(root))?;
    steps.run("engines", || package::test_engines(root, &engines, &wheel, &labelwise))?;
    steps.print_times();
    Ok(())
}

fn check_package(
    root: &Path,
    steps: &mut Steps,
    environments: &Environments,
    labelwise: &Path,
) -> Result<PathBuf, Failure> {
    let wheel = steps.run("compile wheel", || package::wheel(root))?;
    steps.run("Python package", || package::test(root, environments, &wheel, labelwise))?;
    Ok(wheel)
}

/// Installs what no step installs by itself, and returns the name of the browser.
fn tools(root: &Path) -> Result<&'static str, Failure> {
    let works = |tool| succeeds(cargo(root).args([tool, "--version"]));
    if !(works("fmt") && works("clippy")) {
        run(program("rustup", root).args(["component", "add", "rustfmt", "clippy"])).map_err(|failure| {
            failure.with_advice("Install rustfmt and clippy for this Rust toolchain, then try again.")
        })?;
    }
    python::ensure(root)?;
    java::ensure(root)?;
    browser::ensure(root)
}
