//! Writes down which commit is built, for the files of results.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Command;

fn main() {
    // Whatever changes in the workspace's crates may make the tree differ from its commit.
    println!("cargo:rerun-if-changed=..");
    if let Some(folder) = git(&["rev-parse", "--absolute-git-dir"]) {
        println!("cargo:rerun-if-changed={folder}/logs/HEAD");
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    // Two builds with different changes are different builds.
    let changes = git(&["diff", "HEAD", "--", ".."]).filter(|changes| !changes.is_empty());
    let mark = changes.map_or_else(String::new, |changes| format!("+{:08x}", hash(&changes)));
    println!("cargo:rustc-env=LABELWISE_COMMIT={commit}{mark}");
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn hash(text: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish() as u32
}
