//! The Python package: its wheel is built, installed, and tested as people get it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::{Failure, program, run};
use crate::python::{self, Environment};

/// What the tests of the package run with.
const TESTS: Environment = Environment { folder: "python-package", requirements: "python/requirements.txt" };

/// Nothing but the package and what it asks for.
const BARE: &str = "python-bare";

/// What must work with NumPy alone.
const SMOKE: &str = "import labelwise as lw; e = lw.Evaluation([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]); \
    e.tell(e.ask(), 1); print(e.estimate()); print(e.to_frame())";

/// Builds the wheel by cargo's options, and installs it; returns the Python that has it.
pub(crate) fn install(root: &Path, options: &[&str]) -> Result<(PathBuf, PathBuf), Failure> {
    let python = python::environment(root, &TESTS)?;
    let wheels = root.join("target").join("wheels");
    // Wheels of earlier versions would be found beside the new one.
    if wheels.exists() {
        fs::remove_dir_all(&wheels)
            .map_err(|error| Failure::new(format!("The old wheels cannot be removed: {error}.")))?;
    }
    run(program(&python, root)
        .args(["-m", "maturin", "build", "--locked", "--manifest-path", "python/Cargo.toml", "--out"])
        .arg(&wheels)
        .arg("--interpreter")
        .arg(&python)
        .args(options))?;
    let wheel = fs::read_dir(&wheels)
        .ok()
        .and_then(|mut files| files.find_map(|file| file.ok().map(|file| file.path())))
        .ok_or_else(|| Failure::new("maturin built no wheel."))?;
    run(program(&python, root)
        .args(["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"])
        .arg(&wheel))?;
    Ok((python, wheel))
}

/// Tests the wheel: alone with NumPy in a fresh environment, and with every library it works with.
pub(crate) fn test(root: &Path, labelwise: &Path) -> Result<(), Failure> {
    let (python, wheel) = install(root, &[])?;
    let bare = python::bare(root, BARE)?;
    run(program(&bare, root).args(["-m", "pip", "install", "--quiet"]).arg(&wheel))?;
    run(program(&bare, root).args(["-c", SMOKE]))?;
    run(program(&python, root)
        .args(["-m", "pytest", "-p", "no:cacheprovider", "python/tests"])
        .env("LABELWISE_PROGRAM", labelwise)
        // Examples that hypothesis remembers would litter the source folder.
        .env("HYPOTHESIS_STORAGE_DIRECTORY", root.join("target").join("hypothesis"))
        .env("PYTHONDONTWRITEBYTECODE", "1"))
}
