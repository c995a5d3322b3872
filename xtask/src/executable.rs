//! The program `labelwise`, built for tests that run it from outside.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::process::{Failure, cargo};

/// What comes before the path of a program in a line of cargo's messages.
const FIELD: &str = "\"executable\":\"";

/// Builds the program and returns its path; `options` are cargo's.
pub(crate) fn build(root: &Path, options: &[&str]) -> Result<PathBuf, Failure> {
    // Only cargo knows where a program ends up, and it says so in JSON. Asked for the whole workspace, it takes the features
    // that tests have already built everything with.
    built(root, "labelwise", &[&["--workspace", "--bin", "labelwise"], options].concat())
}

/// Builds an example of a package for a benchmark, and returns its path.
pub(crate) fn example(root: &Path, package: &str, name: &str) -> Result<PathBuf, Failure> {
    built(root, name, &["--release", "-p", package, "--example", name])
}

fn built(root: &Path, name: &str, options: &[&str]) -> Result<PathBuf, Failure> {
    let output = cargo(root)
        .args(["build", "--locked", "--message-format=json-render-diagnostics"])
        .args(options)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failure::new(format!("cargo could not be started: {error}.")))?;
    if !output.status.success() {
        return Err(Failure::new(format!("`cargo build` of {name} failed ({}).", output.status)));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    path(&messages).ok_or_else(|| Failure::new(format!("cargo built {name} but named no program.")))
}

/// The path of the program in cargo's messages.
fn path(messages: &str) -> Option<PathBuf> {
    let (_, rest) = messages.lines().find_map(|line| line.split_once(FIELD))?;
    let mut path = String::new();
    let mut letters = rest.chars();
    loop {
        match letters.next()? {
            '"' => return Some(PathBuf::from(path)),
            // Paths of Windows have a backslash that JSON escapes, as it does a quotation mark.
            '\\' => path.push(letters.next()?),
            letter => path.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_messages_about_libraries() {
        let messages = "{\"reason\":\"compiler-artifact\",\"executable\":null}\n\
            {\"reason\":\"compiler-artifact\",\"executable\":\"C:\\\\a \\\"b\\\"\\\\labelwise.exe\",\"fresh\":true}\n\
            {\"reason\":\"build-finished\",\"success\":true}\n";
        assert_eq!(path(messages), Some(PathBuf::from("C:\\a \"b\"\\labelwise.exe")));
    }

    #[test]
    fn messages_without_a_program_give_none() {
        assert_eq!(path("{\"executable\":null}\n"), None);
        assert_eq!(path("{\"executable\":\"/cut/off"), None);
    }
}
