//! The images that tests of networks learn from.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::process::{Failure, program, run};

/// Gets MNIST by the project's own command, where it is not there yet, and returns the folder it is in. The command runs the
/// first pip in `path`.
pub(crate) fn ensure(root: &Path, labelwise: &Path, path: &OsStr) -> Result<PathBuf, Failure> {
    let folder = root.join("target").join("data");
    run(program(labelwise, root).args(["paper", "data", "mnist", "--data"]).arg(&folder).env("PATH", path))?;
    Ok(folder)
}
