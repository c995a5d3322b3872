//! The images that tests of networks learn from.

use std::env;
use std::path::{Path, PathBuf};

use crate::process::{Failure, program, run};
use crate::{executable, python};

/// Gets MNIST by the project's own command, where it is not there yet, and returns the folder it is in.
pub(crate) fn ensure(root: &Path) -> Result<PathBuf, Failure> {
    let folder = root.join("target").join("data");
    let labelwise = executable::build(root, &[])?;
    run(program(labelwise, root)
        .args(["paper", "data", "mnist", "--data"])
        .arg(&folder)
        .env("PATH", path(root)?))?;
    Ok(folder)
}

/// The search path with the environment's own pip before all others.
pub(crate) fn path(root: &Path) -> Result<std::ffi::OsString, Failure> {
    let python = python::environment(root, &python::SCRIPTS)?;
    let first = python.parent().map(Path::to_path_buf);
    let others = env::var_os("PATH").unwrap_or_default();
    env::join_paths(first.into_iter().chain(env::split_paths(&others)))
        .map_err(|error| Failure::new(format!("The search path cannot be made: {error}.")))
}
