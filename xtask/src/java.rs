//! The Java that Spark runs on.

use std::path::Path;

use crate::apt;
use crate::process::{Failure, program};

/// What Spark 4 needs at least.
const LEAST: u32 = 17;
const ADVICE: &str = "Install a Java runtime of version 17 or newer such that `java -version` works (on Debian and Ubuntu: \
    default-jre-headless), then try again.";

/// Installs a Java runtime where there is none that is new enough.
pub(crate) fn ensure(root: &Path) -> Result<(), Failure> {
    let is_ready = || version(root).is_some_and(|version| version >= LEAST);
    if is_ready() {
        return Ok(());
    }
    apt::install(root, &["default-jre-headless"]).map_err(|failure| failure.with_advice(ADVICE))?;
    // An older one may come first in the search path.
    if is_ready() {
        Ok(())
    } else {
        Err(Failure::new("There is still no Java that is new enough.").with_advice(ADVICE))
    }
}

/// The version of the Java that would run.
fn version(root: &Path) -> Option<u32> {
    let output = program("java", root).arg("-version").output().ok()?;
    output.status.success().then_some(())?;
    // It says so on the stream of errors.
    version_in(&String::from_utf8_lossy(&output.stderr))
}

/// The first number in quotes; of Java 8, which calls itself 1.8, it is 1.
fn version_in(said: &str) -> Option<u32> {
    said.split('"').nth(1)?.split(['.', '-', '+']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_java_says() {
        assert_eq!(version_in("openjdk version \"17.0.15\" 2025-04-15\nOpenJDK Runtime ..."), Some(17));
        assert_eq!(version_in("openjdk version \"25\" 2025-09-16"), Some(25));
        assert_eq!(version_in("java version \"1.8.0_402\""), Some(1));
        assert_eq!(version_in("openjdk version \"26-ea\""), Some(26));
        assert_eq!(version_in("no Java here"), None);
    }
}
