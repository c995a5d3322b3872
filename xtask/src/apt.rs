//! Installing packages of the system, where it is one that has `apt-get`.

use std::path::Path;
use std::process::Stdio;

use crate::process::{Failure, program, run, succeeds};

/// Installs packages, as root or by sudo.
pub(crate) fn install(root: &Path, packages: &[&str]) -> Result<(), Failure> {
    let names = packages.join(" and ");
    if !succeeds(program("apt-get", root).arg("--version")) {
        return Err(Failure::new(format!("There is no `apt-get` to install {names} with.")));
    }
    let prefix: &[&str] = if is_administrator(root) {
        &[]
    } else if succeeds(program("sudo", root).arg("--version")) {
        &["sudo"]
    } else {
        return Err(Failure::new(format!("Installing {names} takes root or `sudo`.")));
    };
    let apt_get = |arguments: &[&str]| {
        // The setting travels through `env` because sudo drops variables; it
        // keeps packages such as tzdata from asking questions.
        let words = [prefix, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"], arguments].concat();
        match words.split_first() {
            Some((first, rest)) => run(program(first, root).args(rest)),
            None => Ok(()),
        }
    };
    apt_get(&["update"])?;
    apt_get(&[&["install", "-y"], packages].concat())
}

/// Tells whether this task runs as root.
fn is_administrator(root: &Path) -> bool {
    program("id", root)
        .arg("-u")
        .stderr(Stdio::null())
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
