//! The browser that looks at the pages labelwise writes.

use std::path::Path;

use crate::apt;
use crate::process::{Failure, program, succeeds};

/// What the browser may be called; the first is what Debian calls it.
const NAMES: [&str; 2] = ["chromium", "google-chrome"];
const DRIVER: &str = "chromedriver";
const ADVICE: &str = "Install Chromium and its chromedriver of the same version such that `chromium --version` and \
    `chromedriver --version` work (on Debian: chromium and chromium-driver), then try again.";

/// Installs a browser and its driver where they are missing, and returns the
/// browser's name.
pub(crate) fn ensure(root: &Path) -> Result<&'static str, Failure> {
    let works = |name: &str| succeeds(program(name, root).arg("--version"));
    let found = || NAMES.into_iter().find(|name| works(name)).filter(|_| works(DRIVER));
    if let Some(name) = found() {
        return Ok(name);
    }
    // The driver's package asks for the browser of its own version, and so
    // brings an older one up to date.
    apt::install(root, &["chromium", "chromium-driver"]).map_err(|failure| failure.with_advice(ADVICE))?;
    found().ok_or_else(|| Failure::new("There is still no browser with its driver.").with_advice(ADVICE))
}
