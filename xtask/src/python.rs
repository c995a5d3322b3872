//! The virtual environments that run the workspace's Python scripts and the tests of its Python package.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::apt;
use crate::process::{Failure, program, run, succeeds};

/// An environment: a folder in `target`, and the file that says what is in it.
pub(crate) struct Environment {
    /// The name of the folder.
    pub(crate) folder: &'static str,
    /// The requirements, from the root.
    pub(crate) requirements: &'static str,
}

/// What the scripts run with.
pub(crate) const SCRIPTS: Environment =
    Environment { folder: "python", requirements: "scripts/requirements.txt" };

/// The labelling server that tests talk to.
const LABEL_STUDIO: Environment =
    Environment { folder: "python-label-studio", requirements: "scripts/label-studio-requirements.txt" };

const ADVICE: &str = "Install Python 3.11 or newer with its `venv` and `ensurepip` modules \
    (on Debian and Ubuntu: python3 and python3-venv), then try again.";

/// Makes the environment where it is missing or out of date, and returns the
/// path of its Python.
pub(crate) fn environment(root: &Path, environment: &Environment) -> Result<PathBuf, Failure> {
    ensure(root)?;
    environment_of("python3", root, environment)
}

/// The same, of a Python that is there.
pub(crate) fn environment_of(
    interpreter_name: &str,
    root: &Path,
    environment: &Environment,
) -> Result<PathBuf, Failure> {
    let file = environment.requirements;
    let requirements = fs::read(root.join(file))
        .map_err(|error| Failure::new(format!("`{file}` cannot be read: {error}.")))?;
    // The place does not follow CARGO_TARGET_DIR, so that people and scripts
    // can rely on it.
    let folder = root.join("target").join(environment.folder);
    let python = interpreter(&folder);
    // The stamp is a copy of the requirements. It is written last, so an
    // interrupted installation is never taken for a finished one.
    let stamp = folder.join("requirements.stamp");
    let is_current = fs::read(&stamp).is_ok_and(|installed| installed == requirements);
    // An upgrade of the system's Python can leave the environment without one.
    if is_current && succeeds(program(&python, root).arg("--version")) {
        return Ok(python);
    }

    run(program(interpreter_name, root).args(["-m", "venv", "--clear"]).arg(&folder))?;
    run(program(&python, root).args(["-m", "pip", "install", "--quiet", "-r", file]))
        .map_err(|failure| failure.with_advice("The packages need Python 3.11 or newer."))?;
    fs::write(&stamp, requirements)
        .map_err(|error| Failure::new(format!("The stamp file cannot be written: {error}.")))?;
    Ok(python)
}

/// The newest Python of this machine that makes environments, by its name.
pub(crate) fn newest(root: &Path) -> &'static str {
    let works = |name: &&str| succeeds(program(name, root).args(["-c", "import venv, ensurepip"]));
    ["python3.14", "python3.13", "python3.12"].into_iter().find(works).unwrap_or("python3")
}

/// Makes the environment of Label Studio, and the database that its tests start from.
pub(crate) fn label_studio(root: &Path) -> Result<(), Failure> {
    let python = environment(root, &LABEL_STUDIO)?;
    run(program(&python, root)
        .arg("scripts/label_studio.py")
        .arg(&python)
        .env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Makes an environment with nothing in it, in the place of any that was there, and returns the path of its Python.
pub(crate) fn bare(root: &Path, name: &str) -> Result<PathBuf, Failure> {
    ensure(root)?;
    let folder = root.join("target").join(name);
    run(program("python3", root).args(["-m", "venv", "--clear"]).arg(&folder))?;
    Ok(interpreter(&folder))
}

/// The search path with the programs of a Python's environment, such as its pip, before all others.
pub(crate) fn search_path(python: &Path) -> Result<OsString, Failure> {
    let first = python.parent().map(Path::to_path_buf);
    let others = env::var_os("PATH").unwrap_or_default();
    env::join_paths(first.into_iter().chain(env::split_paths(&others)))
        .map_err(|error| Failure::new(format!("The search path cannot be made: {error}.")))
}

/// The Python of an environment.
fn interpreter(folder: &Path) -> PathBuf {
    if cfg!(windows) { folder.join("Scripts").join("python.exe") } else { folder.join("bin").join("python") }
}

/// Installs Python with the system's packages where it is missing or came
/// without the modules that make an environment.
pub(crate) fn ensure(root: &Path) -> Result<(), Failure> {
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
