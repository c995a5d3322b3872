//! The virtual environment that runs the workspace's Python scripts.

use std::fs;
use std::path::{Path, PathBuf};

use crate::apt;
use crate::process::{Failure, program, run, succeeds};

const REQUIREMENTS: &str = "scripts/requirements.txt";
const ADVICE: &str = "Install Python 3.11 or newer with its `venv` and `ensurepip` modules \
    (on Debian and Ubuntu: python3 and python3-venv), then try again.";

/// Makes the environment where it is missing or out of date, and returns the
/// path of its Python.
pub(crate) fn environment(root: &Path) -> Result<PathBuf, Failure> {
    let requirements = fs::read(root.join(REQUIREMENTS))
        .map_err(|error| Failure::new(format!("`{REQUIREMENTS}` cannot be read: {error}.")))?;
    // The place does not follow CARGO_TARGET_DIR, so that people and scripts
    // can rely on it.
    let folder = root.join("target").join("python");
    let python = if cfg!(windows) {
        folder.join("Scripts").join("python.exe")
    } else {
        folder.join("bin").join("python")
    };
    // The stamp is a copy of the requirements. It is written last, so an
    // interrupted installation is never taken for a finished one.
    let stamp = folder.join("requirements.stamp");
    let is_current = fs::read(&stamp).is_ok_and(|installed| installed == requirements);
    // An upgrade of the system's Python can leave the environment without one.
    if is_current && succeeds(program(&python, root).arg("--version")) {
        return Ok(python);
    }

    ensure_python(root)?;
    run(program("python3", root).args(["-m", "venv", "--clear"]).arg(&folder))?;
    run(program(&python, root).args(["-m", "pip", "install", "--quiet", "-r", REQUIREMENTS]))
        .map_err(|failure| failure.with_advice("The packages need Python 3.11 or newer."))?;
    fs::write(&stamp, requirements)
        .map_err(|error| Failure::new(format!("The stamp file cannot be written: {error}.")))?;
    Ok(python)
}

/// Installs Python with the system's packages where it is missing or came
/// without the modules that make an environment.
fn ensure_python(root: &Path) -> Result<(), Failure> {
    // Debian ships `venv` with Python but `ensurepip`, which it needs, apart.
    let is_ready = || succeeds(program("python3", root).args(["-c", "import venv, ensurepip"]));
    if is_ready() {
        return Ok(());
    }
    apt::install(root, &["python3", "python3-venv"]).map_err(|failure| failure.with_advice(ADVICE))?;
    // Another `python3` may come first in the search path and still be bare.
    if is_ready() {
        Ok(())
    } else {
        Err(Failure::new("There is still no complete `python3`.").with_advice(ADVICE))
    }
}
