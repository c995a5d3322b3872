//! Test that `docs/errors.md` lists the error codes of the source; it can also write the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{Error, UsageError};

/// An error type: its crate, its name, its file below `crates`, and its codes.
type Listed = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Every error type whose codes the program can print.
const LISTED: [Listed; 21] = [
    ("labelwise", "Error", "labelwise/src/error/mod.rs", labelwise::Error::CODES),
    ("labelwise", "CompareError", "labelwise/src/error/compare.rs", labelwise::compare::CompareError::CODES),
    ("labelwise", "DesignError", "labelwise/src/design/error.rs", labelwise::design::DesignError::CODES),
    ("labelwise-study", "Error", "labelwise-study/src/error/mod.rs", labelwise_study::Error::CODES),
    ("labelwise-pool", "Error", "labelwise-pool/src/error/mod.rs", labelwise_study::PoolError::CODES),
    (
        "labelwise-pool",
        "MatchError",
        "labelwise-pool/src/error/matching.rs",
        labelwise_study::MatchError::CODES,
    ),
    ("labelwise-file", "Error", "labelwise-file/src/error.rs", labelwise_study::FileError::CODES),
    (
        "labelwise-study",
        "ChoiceError",
        "labelwise-study/src/error/choice.rs",
        labelwise_study::ChoiceError::CODES,
    ),
    (
        "labelwise-study",
        "MetricError",
        "labelwise-study/src/error/metric.rs",
        labelwise_study::MetricError::CODES,
    ),
    (
        "labelwise-study",
        "CompareError",
        "labelwise-study/src/error/compare.rs",
        labelwise_study::CompareError::CODES,
    ),
    (
        "labelwise-study",
        "JudgeError",
        "labelwise-study/src/error/judge.rs",
        labelwise_study::JudgeError::CODES,
    ),
    (
        "labelwise-study",
        "DesignError",
        "labelwise-study/src/error/design.rs",
        labelwise_study::DesignError::CODES,
    ),
    (
        "labelwise-study",
        "ElsewhereError",
        "labelwise-study/src/error/elsewhere.rs",
        labelwise_study::ElsewhereError::CODES,
    ),
    ("labelwise-sketch", "Error", "labelwise-sketch/src/error.rs", labelwise_study::SketchError::CODES),
    ("labelwise-page", "Error", "labelwise-page/src/error.rs", labelwise_page::Error::CODES),
    ("labelwise-connect", "Error", "labelwise-connect/src/error.rs", labelwise_connect::Error::CODES),
    ("labelwise-images", "Error", "labelwise-images/src/error.rs", labelwise_images::Error::CODES),
    ("labelwise-plot", "Error", "labelwise-plot/src/error.rs", labelwise_plot::Error::CODES),
    ("labelwise-paper", "Error", "labelwise-paper/src/error.rs", labelwise_paper::Error::CODES),
    ("labelwise-cli", "Error", "labelwise-cli/src/error/mod.rs", Error::CODES),
    ("labelwise-cli", "UsageError", "labelwise-cli/src/error/usage.rs", UsageError::CODES),
];

const HEAD: &str = "# Error codes

With `--json`, a command that fails prints `{\"error\": {\"code\": ..., \"message\": ..., \"hint\": ...}}` and ends with status 2, or
with 4 if no item is left to ask.
Programs should decide by the code: codes stay the same when sentences change. In Rust, `Error::code` gives the same code.

A code can come from several crates. The crate says which part of the program found the mistake.

This file is generated from the source: `LABELWISE_UPDATE_DOCS=1 cargo test --workspace --lib error_codes` updates it.

| code | crate | meaning |
|---|---|---|
";

/// Codes that two types of one crate share. A code should have one meaning, so do not add new ones.
const SHARED: [&str; 3] = ["file", "no-mean", "rows"];

/// The comment of a variant, on one line.
fn meaning(source: &str, error: &str, variant: &str) -> Option<String> {
    let body = source.split_once(&format!("enum {error} {{\n"))?.1.split("\n}\n").next()?;
    let lines: Vec<&str> = body.lines().collect();
    let is_variant = |line: &&str| {
        let rest = line.strip_prefix("    ").and_then(|line| line.strip_prefix(variant));
        rest.is_some_and(|rest| rest.starts_with([',', ' ', '(']))
    };
    let at = lines.iter().position(is_variant)?;
    // Attributes stand between the comment and the variant.
    let above = lines.get(..at)?.iter().rev().map(|line| line.strip_prefix("    /// "));
    let mut comment: Vec<&str> = above.skip_while(Option::is_none).map_while(|line| line).collect();
    comment.reverse();
    (!comment.is_empty()).then(|| comment.join(" "))
}

#[test]
fn error_codes_are_those_of_the_docs() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut rows = BTreeSet::new();
    let mut seen: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for (of, error, file, codes) in LISTED {
        let source = fs::read_to_string(crates.join(file)).unwrap();
        for &(variant, code) in codes {
            assert!(code.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'), "{code}");
            let said = meaning(&source, error, variant);
            rows.insert((
                code,
                of,
                said.unwrap_or_else(|| panic!("no comment on {error}::{variant} of {of}")),
            ));
            let twin = seen.insert((of, code), error);
            assert!(
                twin.is_none() || SHARED.contains(&code),
                "`{code}` is a code of {twin:?} and {error} of {of}"
            );
        }
    }
    let rows: Vec<String> =
        rows.iter().map(|(code, of, meaning)| format!("| `{code}` | {of} | {meaning} |\n")).collect();
    let page = format!("{HEAD}{}", rows.concat());
    let path = crates.join("../docs/errors.md");
    if std::env::var_os("LABELWISE_UPDATE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page,
        "docs/errors.md is not up to date: its first lines name the command that updates it"
    );
}
