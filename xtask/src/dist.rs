//! The archive of a release: the program as people get it, with its manual pages and completions.

use std::env;
use std::path::Path;
use std::process::Stdio;

use crate::process::{Failure, cargo, program, run};
use crate::python;

/// Builds the program without paths of this machine in it, and packs it into `target/dist`.
pub(crate) fn run_all(root: &Path) -> Result<(), Failure> {
    python::ensure(root)?;
    // A target folder of its own: with other flags, everything in the usual one would be compiled again.
    let built = root.join("target").join("dist-build");
    let home = env::var_os("CARGO_HOME").map_or_else(
        || env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")),
        |home| Some(home.into()),
    );
    let home = home.unwrap_or_default();
    let remapped = [(root, "/labelwise"), (home.as_path(), "/cargo")]
        .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()))
        .join("\u{1f}");
    run(cargo(root)
        .args(["build", "--release", "--locked", "-p", "labelwise-cli", "--bin", "labelwise"])
        .env("CARGO_TARGET_DIR", &built)
        .env("CARGO_ENCODED_RUSTFLAGS", remapped))?;
    let name = format!("labelwise{}", env::consts::EXE_SUFFIX);
    run(program("python3", root)
        .arg("scripts/archive.py")
        .arg(built.join("release").join(name))
        .arg(host(root)?)
        .arg(root.join("target").join("dist")))
}

/// The platform that cargo builds for, such as `x86_64-unknown-linux-gnu`.
fn host(root: &Path) -> Result<String, Failure> {
    let output = program(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()), root)
        .arg("-vV")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failure::new(format!("rustc could not be started: {error}.")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("rustc did not say what platform it builds for."))
}
