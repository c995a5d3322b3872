//! The Python package: its wheel is built, installed, and tested as people get it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::{EXTENSION, Failure, program, run};
use crate::python::{self, Environment};

/// What the tests of the package run with.
const TESTS: Environment = Environment { folder: "python-package", requirements: "python/requirements.txt" };

/// What pools can lie in, apart since it is large.
const ENGINES: Environment =
    Environment { folder: "python-engines", requirements: "python/requirements-engines.txt" };

/// Nothing but the package and what it asks for.
const BARE: &str = "python-bare";

/// What must work with NumPy alone.
const SMOKE: &str = "import labelwise as lw; e = lw.Evaluation([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]); \
    e.tell(e.ask(), 1); print(e.estimate()); print(e.to_frame())";

/// The Pythons that the wheel is installed into.
pub(crate) struct Environments {
    /// With maturin, pytest and every library that the package works with.
    tests: PathBuf,
    /// With nothing.
    bare: PathBuf,
}

/// Makes the environments.
pub(crate) fn environments(root: &Path) -> Result<Environments, Failure> {
    let environments =
        Environments { tests: python::environment(root, &TESTS)?, bare: python::bare(root, BARE)? };
    // Some of them talk to a real labelling server.
    python::label_studio(root)?;
    Ok(environments)
}

/// Makes the environment with Spark, Ray and Dask, and returns the path of its Python.
pub(crate) fn engines(root: &Path) -> Result<PathBuf, Failure> {
    python::environment(root, &ENGINES)
}

/// Builds the wheel in release mode and installs it for a benchmark; returns the Python that has it.
pub(crate) fn release(root: &Path) -> Result<PathBuf, Failure> {
    let python = python::environment(root, &TESTS)?;
    release_into(root, &python)?;
    Ok(python)
}

/// Builds the wheel in release mode and installs it into a Python that has what it needs.
pub(crate) fn release_into(root: &Path, python: &Path) -> Result<(), Failure> {
    let maturin = python::environment(root, &TESTS)?;
    let wheel = build(root, &maturin, &["--release"])?;
    install(root, python, &wheel)
}

/// Builds the wheel for tests, and returns its path.
pub(crate) fn wheel(root: &Path) -> Result<PathBuf, Failure> {
    build(root, &python::environment(root, &TESTS)?, &[])
}

/// Tests the wheel: alone with NumPy in a fresh environment, and with every library it works with.
pub(crate) fn test(
    root: &Path,
    environments: &Environments,
    wheel: &Path,
    labelwise: &Path,
) -> Result<(), Failure> {
    let Environments { tests, bare } = environments;
    run(program(bare, root).args(["-m", "pip", "install", "--quiet"]).arg(wheel))?;
    run(program(bare, root).args(["-c", SMOKE]))?;
    install(root, tests, wheel)?;
    run(program(tests, root)
        .args(["-m", "pytest", "-p", "no:cacheprovider", "--durations=5", "python/tests"])
        .env("LABELWISE_PROGRAM", labelwise)
        // Examples that hypothesis remembers would litter the source folder.
        .env("HYPOTHESIS_STORAGE_DIRECTORY", root.join("target").join("hypothesis"))
        .env("PYTHONDONTWRITEBYTECODE", "1"))?;
    // Pages of the book with Python in them, compared with what they print.
    run(program(tests, root)
        .args(["scripts/blocks.py", "--python"])
        .env("LABELWISE_PROGRAM", labelwise)
        .env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Tests the wheel with Spark, Ray and Dask.
pub(crate) fn test_engines(
    root: &Path,
    engines: &Path,
    wheel: &Path,
    labelwise: &Path,
) -> Result<(), Failure> {
    install(root, engines, wheel)?;
    run(program(engines, root)
        .args(["-m", "pytest", "-p", "no:cacheprovider", "--durations=8", "python/engines"])
        .env("LABELWISE_PROGRAM", labelwise)
        .env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Builds the wheel with cargo's options, and returns its path.
fn build(root: &Path, python: &Path, options: &[&str]) -> Result<PathBuf, Failure> {
    let wheels = root.join("target").join("wheels");
    // Wheels of earlier versions would be found too.
    if wheels.exists() {
        fs::remove_dir_all(&wheels)
            .map_err(|error| Failure::new(format!("The old wheels cannot be removed: {error}.")))?;
    }
    run(program(python, root)
        .args(["-m", "maturin", "build", "--locked", "--manifest-path", "python/Cargo.toml", "--out"])
        .arg(&wheels)
        .arg("--interpreter")
        .arg(python)
        .args(options)
        .envs(EXTENSION))?;
    fs::read_dir(&wheels)
        .ok()
        .and_then(|mut files| files.find_map(|file| file.ok().map(|file| file.path())))
        .ok_or_else(|| Failure::new("maturin built no wheel."))
}

/// Installs the wheel in the place of any other of its version.
fn install(root: &Path, python: &Path, wheel: &Path) -> Result<(), Failure> {
    run(program(python, root)
        .args(["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"])
        .arg(wheel))
}
