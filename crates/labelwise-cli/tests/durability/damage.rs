//! Files that lost a piece or a bit: they open as they were, or are refused by name; they never say another label.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::evaluation::{Tried, answer, label, program, text};
use crate::tally::{report, times};

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

/// What is asked of damaged files: all of it when many are tried.
const QUESTIONS: [&[&str]; 4] =
    [&["export", "--what", "events"], &["estimate", "--json"], &["status", "--json"], &["export", "--json"]];

/// A whole file, the answers that it gives, and a name for damaged ones.
struct Whole {
    _tried: Tried,
    bytes: Vec<u8>,
    answers: Vec<String>,
    damaged: PathBuf,
}

impl Whole {
    fn new() -> Self {
        let (tried, _) = labelled();
        let bytes = fs::read(&tried.path).unwrap();
        // One name for all, since answers name the file.
        let damaged = tried.folder.path().join("damaged.labelwise");
        fs::write(&damaged, &bytes).unwrap();
        let answers = QUESTIONS.map(|words| {
            let output = program().arg(words[0]).arg(&damaged).args(&words[1..]).output().unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap()
        });
        Self { _tried: tried, bytes, answers: answers.to_vec(), damaged }
    }

    /// Asks a damaged file everything; true if it refused something. Readers leave logs behind, which are removed.
    fn ask(&self, bytes: &[u8]) -> bool {
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{suffix}", text(&self.damaged)));
        }
        fs::write(&self.damaged, bytes).unwrap();
        let asked = if times() > 1 { QUESTIONS.len() } else { 1 };
        let mut refused = false;
        for (words, whole) in QUESTIONS.iter().zip(&self.answers).take(asked) {
            let output = program().arg(words[0]).arg(&self.damaged).args(&words[1..]).output().unwrap();
            refused |= !as_it_was_or_refused(&output, whole);
        }
        refused
    }
}

/// Reports damage that was tried.
fn report_damage(what: &str, tried: usize, refused: usize) {
    let counts = format!("{tried} files, {refused} refused, {} answered as before", tried - refused);
    report(what, &counts, "0 wrong numbers, 0 panics");
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
    let whole = Whole::new();
    let mut refused = 0;
    // Pages of the record and of the settings are few beside those of the pool, so a step that shares no factor with the
    // page size visits all kinds.
    let places: Vec<usize> = (0..300 * times()).map(|n| n * 7919 % whole.bytes.len()).collect();
    for &place in &places {
        let mut flipped = whole.bytes.clone();
        flipped[place] ^= 1 << (place % 8);
        refused += usize::from(whole.ask(&flipped));
    }
    assert!(refused > 0, "no bit mattered");
    report_damage("one bit of the file turned over", places.len(), refused);
}

#[test]
fn pages_that_were_swapped_or_wiped_never_make_another_label() {
    const PAGE: usize = 4096;
    let whole = Whole::new();
    let pages = whole.bytes.len() / PAGE;
    let (tried, mut refused) = (20 * times(), 0);
    for n in 0..tried {
        let (one, other) = (n * 7919 % pages * PAGE, n * 104_729 % pages * PAGE);
        let mut bytes = whole.bytes.clone();
        match n % 3 {
            0 => bytes[one..one + PAGE].fill(0),
            1 => bytes.copy_within(one..one + PAGE, other),
            _ => (0..PAGE).for_each(|at| bytes.swap(one + at, other + at)),
        }
        refused += usize::from(whole.ask(&bytes));
    }
    assert!(refused > 0, "no page mattered");
    report_damage("pages of the file swapped, copied or wiped", tried, refused);
}

/// The label that was told last is in the log alone. Damage to the log may take it, but not silently, and no other label.
#[test]
fn a_damaged_log_takes_no_earlier_label() {
    let tried = Tried::new(6);
    let ids = tried.ids();
    assert!(tried.output("tell", &[&answer(&ids[0]), &answer(&ids[1])]).status.success());
    let (before, log) = (fs::read(&tried.path).unwrap(), tried.folder.path().join("pets.labelwise-wal"));
    let mut study = labelwise_study::Study::open(&tried.path).unwrap();
    let told = labelwise_study::Answer::new(ids[2].clone(), label(&ids[2]));
    study.tell(&[told], &labelwise_study::Author::default()).unwrap();
    let frames = fs::read(&log).unwrap();
    drop(study);
    let (damages, mut lost, mut refused) = (40 * times(), 0, 0);
    for n in 0..damages {
        let place = n * 7919 % frames.len();
        let mut bytes = frames.clone();
        if n % 2 == 0 {
            bytes[place] ^= 1 << (n / 2 % 8);
        } else {
            bytes.truncate(place);
        }
        let _ = fs::remove_file(tried.folder.path().join("pets.labelwise-shm"));
        fs::write(&tried.path, &before).unwrap();
        fs::write(&log, &bytes).unwrap();
        let output = tried.output("export", &["--json"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() == Some(2) {
            refused += 1;
            continue;
        }
        let labels = tried.labels();
        assert!(
            ids[..2].iter().all(|id| labels.get(id).map(String::as_str) == Some(label(id))),
            "{labels:?}"
        );
        if labels.get(&ids[2]).map(String::as_str) != Some(label(&ids[2])) {
            // An empty log is the log of a file that nobody has written to.
            assert!(bytes.is_empty() || said.contains("warning: "), "a label is gone without a word: {n}");
            lost += 1;
        }
    }
    let counts = format!(
        "{damages} logs, {refused} refused, {lost} without the label that was in the log alone, with a warning"
    );
    report("bits turned over and ends cut off in the log", &counts, "0 earlier labels lost, 0 wrong labels");
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
    let cuts = 60 * times();
    for n in 0..cuts {
        fs::write(&cut, &bytes[..bytes.len() * n / cuts]).unwrap();
        // What is lost may be no part of the record, but everything is looked at by `verify`.
        let read = program().args(["export", text(&cut), "--what", "events"]).output().unwrap();
        as_it_was_or_refused(&read, &whole);
        let checked = program().args(["verify", text(&cut)]).output().unwrap();
        assert_eq!(checked.status.code(), Some(2), "a cut at {n} of {cuts} went unnoticed");
        assert!(String::from_utf8_lossy(&checked.stderr).contains("cut.labelwise"));
    }
    report("end of the file cut off", &format!("{cuts} files"), "all refused by verify, 0 wrong numbers");
}
