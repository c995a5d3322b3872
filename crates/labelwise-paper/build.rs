//! Writes down which commit is built, for the files of results.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

/// What cargo puts into a package: the commit that it was packed from.
const PACKED: &str = ".cargo_vcs_info.json";

fn main() {
    // Around a package there are other packages, and perhaps a repository of somebody else.
    if Path::new(PACKED).exists() {
        println!("cargo:rerun-if-changed={PACKED}");
        let commit = packed(&std::fs::read_to_string(PACKED).unwrap_or_default());
        println!("cargo:rustc-env=LABELWISE_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
        return;
    }
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

/// The commit, with a mark if the tree differed from it.
fn packed(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("\"sha1\"")?;
    let commit: String = rest.chars().skip_while(|letter| !letter.is_ascii_hexdigit()).take(12).collect();
    Some(if text.contains("\"dirty\": true") { format!("{commit}+changed") } else { commit })
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
