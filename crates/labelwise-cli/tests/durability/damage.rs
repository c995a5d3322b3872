//! Files that lost a piece or a bit: they open as they were, or are refused by name; they never say another label.

use std::fs;
use std::process::Output;

use crate::evaluation::{Tried, answer, program, text};

/// What a look at a damaged file may come to: everything as it was, or a refusal.
fn as_it_was_or_refused(output: &Output, whole: &str) -> bool {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => {
            assert_eq!(String::from_utf8_lossy(&output.stdout), whole, "another history");
            true
        }
        Some(2) => {
            assert!(said.starts_with("error: "), "{said}");
            assert!(!said.contains("panicked"), "{said}");
            false
        }
        other => panic!("exit code {other:?}: {said}"),
    }
}

fn labelled() -> (Tried, String) {
    let tried = Tried::new(12);
    let answers: Vec<String> = tried.ids().iter().take(9).map(|id| answer(id)).collect();
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    assert!(tried.output("tell", &answers).status.success());
    let whole = String::from_utf8(tried.output("export", &["--what", "events"]).stdout).unwrap();
    (tried, whole)
}

#[test]
fn a_bit_that_turned_over_never_makes_another_label() {
    let (tried, whole) = labelled();
    let bytes = fs::read(&tried.path).unwrap();
    let damaged = tried.folder.path().join("damaged.labelwise");
    let mut refused = 0;
    // Pages of the record and of the settings are few beside those of the pool, so a step that shares no factor with the
    // page size visits all kinds.
    let places: Vec<usize> = (0..300).map(|n| n * 7919 % bytes.len()).collect();
    for &place in &places {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1 << (place % 8);
        fs::write(&damaged, &flipped).unwrap();
        let output = program().args(["export", text(&damaged), "--what", "events"]).output().unwrap();
        refused += usize::from(!as_it_was_or_refused(&output, &whole));
    }
    assert!(refused > 0, "no bit mattered");
}

#[test]
fn labels_are_covered_bit_by_bit() {
    let (tried, whole) = labelled();
    let bytes = fs::read(&tried.path).unwrap();
    let damaged = tried.folder.path().join("damaged.labelwise");
    // Every copy of the texts of one label's event, wherever it lies.
    let needle = b"told";
    let places: Vec<usize> = bytes
        .windows(needle.len())
        .enumerate()
        .filter(|(_, bytes)| bytes == needle)
        .map(|(at, _)| at)
        .collect();
    assert!(places.len() >= 9);
    let mut refused = 0;
    for place in places.iter().flat_map(|&at| at..at + 9) {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1;
        fs::write(&damaged, &flipped).unwrap();
        let output = program().args(["export", text(&damaged), "--what", "events"]).output().unwrap();
        refused += usize::from(!as_it_was_or_refused(&output, &whole));
    }
    assert!(refused >= 9 * 9, "only {refused} bits of the nine events matter");
}

#[test]
fn a_file_that_lost_its_end_is_refused_by_name() {
    let (tried, whole) = labelled();
    let bytes = fs::read(&tried.path).unwrap();
    let cut = tried.folder.path().join("cut.labelwise");
    for n in 0..60 {
        fs::write(&cut, &bytes[..bytes.len() * n / 60]).unwrap();
        // What is lost may be no part of the record, but everything is looked at by `verify`.
        let read = program().args(["export", text(&cut), "--what", "events"]).output().unwrap();
        as_it_was_or_refused(&read, &whole);
        let checked = program().args(["verify", text(&cut)]).output().unwrap();
        assert_eq!(checked.status.code(), Some(2), "a cut at {n} of 60 went unnoticed");
        assert!(String::from_utf8_lossy(&checked.stderr).contains("cut.labelwise"));
    }
}
