//! What cargo builds for tests that run it from outside: the program `labelwise`, and examples.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::process::{Failure, cargo};

/// What comes before the path of a program in a line of cargo's messages.
const FIELD: &str = "\"executable\":\"";

/// What is in a line about a program that runs tests.
const TESTING: &str = "\"test\":true},\"features\"";

/// The programs and examples of one run of cargo.
pub(crate) struct Built {
    /// Cargo's messages: only cargo knows where a program ends up, and it says so in JSON.
    messages: String,
}

impl Built {
    /// The path of the program `labelwise`.
    pub(crate) fn labelwise(&self) -> Result<PathBuf, Failure> {
        self.path("bin", "labelwise")
    }

    /// The path of the program that makes damaged and hostile files.
    pub(crate) fn fuzz(&self) -> Result<PathBuf, Failure> {
        self.path("bin", "labelwise-fuzz")
    }

    /// The path of an example.
    pub(crate) fn example(&self, name: &str) -> Result<PathBuf, Failure> {
        self.path("example", name)
    }

    fn path(&self, kind: &str, name: &str) -> Result<PathBuf, Failure> {
        path(&self.messages, kind, name)
            .ok_or_else(|| Failure::new(format!("cargo did not say where it put {name}.")))
    }
}

/// Compiles every test of the workspace with the program and the examples that they need, and runs none. What is built here
/// has the features that the whole workspace asks for together; asked for by itself, a package would be built again.
pub(crate) fn tests(root: &Path) -> Result<Built, Failure> {
    built(root, &["test", "--no-run", "--workspace"])
}

/// Builds the program and what makes damaged and hostile files, optimised and with the checks that tests have.
pub(crate) fn for_reliability(root: &Path) -> Result<Built, Failure> {
    built(
        root,
        &["build", "--profile", "checked", "--workspace", "--bin", "labelwise", "--bin", "labelwise-fuzz"],
    )
}

/// Builds the program as people get it, and returns its path.
pub(crate) fn release(root: &Path) -> Result<PathBuf, Failure> {
    built(root, &["build", "--release", "--workspace", "--bin", "labelwise"])?.labelwise()
}

/// Builds an example of a package for a benchmark, and returns its path.
pub(crate) fn example(root: &Path, package: &str, name: &str) -> Result<PathBuf, Failure> {
    built(root, &["build", "--release", "-p", package, "--example", name])?.example(name)
}

fn built(root: &Path, arguments: &[&str]) -> Result<Built, Failure> {
    let output = cargo(root)
        .args(arguments)
        .args(["--locked", "--message-format=json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failure::new(format!("cargo could not be started: {error}.")))?;
    if !output.status.success() {
        return Err(Failure::new(format!("`cargo {}` failed ({}).", arguments.join(" "), output.status)));
    }
    Ok(Built { messages: String::from_utf8_lossy(&output.stdout).into_owned() })
}

/// The path of a program in cargo's messages. Its tests are a program of the same name.
fn path(messages: &str, kind: &str, name: &str) -> Option<PathBuf> {
    let [kind, name] = [format!("\"kind\":[\"{kind}\"]"), format!("\"name\":\"{name}\"")];
    let mut lines = messages.lines().filter(|line| !line.contains(TESTING));
    let line = lines.find(|line| line.contains(&kind) && line.contains(&name))?;
    let (_, rest) = line.split_once(FIELD)?;
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

    const MESSAGES: &str = r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"labelwise"},"executable":null}
{"target":{"kind":["bin"],"name":"labelwise"},"profile":{"opt_level":"1","test":true},"features":[],"executable":"/deps/labelwise-17"}
{"target":{"kind":["bin"],"name":"labelwise"},"profile":{"test":false},"features":[],"executable":"C:\\a \"b\"\\labelwise.exe","fresh":true}
{"target":{"kind":["example"],"name":"designs"},"profile":{"test":false},"features":[],"executable":"/examples/designs"}
{"target":{"kind":["example"],"name":"cut"},"executable":"/examples/c"#;

    #[test]
    fn programs_are_found_by_kind_and_name_among_libraries_and_tests() {
        assert_eq!(path(MESSAGES, "bin", "labelwise"), Some(PathBuf::from("C:\\a \"b\"\\labelwise.exe")));
        assert_eq!(path(MESSAGES, "example", "designs"), Some(PathBuf::from("/examples/designs")));
    }

    #[test]
    fn what_is_not_named_or_is_cut_off_has_no_path() {
        assert_eq!(path(MESSAGES, "example", "labelwise"), None);
        assert_eq!(path(MESSAGES, "lib", "labelwise"), None);
        assert_eq!(path(MESSAGES, "example", "cut"), None);
    }
}
