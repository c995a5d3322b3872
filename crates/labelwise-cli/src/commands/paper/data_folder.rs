//! The folder in which image sets are.

use std::env;
use std::path::{Path, PathBuf};

use crate::error::Failure;

/// The environment variable that names it.
const VARIABLE: &str = "LABELWISE_DATA";

/// The folder that was given; else that of the environment variable; else one where the system keeps data of programs.
pub(crate) fn data_folder(given: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(folder) = given {
        return Ok(folder.to_owned());
    }
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set(VARIABLE) {
        return Ok(folder);
    }
    let users = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        // A path that is not absolute is to be ignored, says the specification.
        let data = set("XDG_DATA_HOME").filter(|folder| folder.is_absolute());
        data.or_else(|| set("HOME").map(|home| home.join(".local").join("share")))
    };
    users.map(|folder| folder.join("labelwise")).ok_or(Failure::NoDataFolder)
}
