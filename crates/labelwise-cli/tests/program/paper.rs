//! `labelwise paper` as a person meets it: its texts, what it writes, and what an interruption does to it.

use std::fs;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use insta::assert_snapshot;
use labelwise::Seed;
use labelwise_paper::Scale;
use labelwise_paper::figure::{Acquisitions, figure};
use labelwise_paper::problem::Settings;
use labelwise_paper::run::{Folder, Manifest, Traces, repeat};
use serde_json::Value;
use tempfile::tempdir;

use crate::run::{command, transcript};

/// The transcript of a run into a folder, which is called `<folder>` whatever it is.
fn transcript_into(arguments: &[&str], folder: &Path) -> String {
    let path = folder.to_str().unwrap();
    let all = [arguments, &["--out", path]].concat();
    transcript(&all).unwrap().replace(path, "<folder>")
}

fn into(arguments: &[&str], folder: &Path) -> Output {
    command(&[arguments, &["--out", folder.to_str().unwrap()]].concat()).output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn help_of_paper() {
    assert_snapshot!("help", transcript(&["paper", "--help"]).unwrap());
}

#[test]
fn a_figure() {
    let folder = tempdir().unwrap();
    assert_snapshot!("figure_1", transcript_into(&["paper", "1", "--scale", "smoke"], folder.path()));
    let written =
        ["figure-1.png", "figure-1.svg", "lock", "manifest.json", "report.html", "summary.json", "traces"];
    assert_eq!(names(folder.path()), written);
    assert_eq!(names(&folder.path().join("traces")), ["gp-on-gp.parquet", "gp-on-gp.parquet.crc32"]);
}

#[test]
fn a_figure_that_repeats_nothing() {
    let folder = tempdir().unwrap();
    assert_snapshot!("figure_2", transcript_into(&["paper", "2"], folder.path()));
    assert_eq!(names(folder.path()).len(), 6);
}

#[test]
fn the_folder_is_named_after_figure_settings_and_scale() {
    let folder = tempdir().unwrap();
    let arguments = ["paper", "1", "--scale", "smoke", "--runs", "2", "--settings", "released"];
    let output = command(&arguments).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success());
    assert_eq!(names(folder.path()), ["paper-runs"]);
    assert_eq!(names(&folder.path().join("paper-runs")), ["1-released-2-runs"]);
}

#[test]
fn json_is_the_summary_and_says_it_again_from_the_folder() {
    let folder = tempdir().unwrap();
    let arguments = ["paper", "1", "--scale", "smoke", "--runs", "6", "--seed", "5", "--json"];
    let output = into(&arguments, folder.path());
    assert!(output.status.success());
    assert_eq!(output.stderr, b"");
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 1);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = fs::read(folder.path().join("summary.json")).unwrap();
    let written: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(printed, written);
    assert_eq!((&printed["schema"], &printed["seed"]), (&"labelwise.paper-summary/1".into(), &5.into()));
    assert_eq!(printed["experiments"][0]["runs"], 6);
    // Nothing is left to run: the same seconds, the same numbers.
    assert_eq!(into(&arguments, folder.path()).stdout, output.stdout);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let print = |threads: &str| {
        let folder = tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let arguments = ["paper", "1", "--scale", "smoke", "--runs", "12", "--json", "--out", path];
        let output = command(&arguments).env("RAYON_NUM_THREADS", threads).output().unwrap();
        let mut summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["threads"].to_string(), threads);
        summary["threads"] = Value::Null;
        without_seconds(summary)
    };
    assert_eq!(print("1"), print("3"));
}

/// Everything of a summary but its wall times.
fn without_seconds(mut summary: Value) -> Value {
    summary["wall_seconds"] = Value::Null;
    for experiment in summary["experiments"].as_array_mut().unwrap() {
        experiment["wall_seconds"] = Value::Null;
    }
    summary
}

#[test]
fn errors() {
    let refused: [(&str, &[&str]); 13] = [
        ("no_figure", &["paper"]),
        ("figure", &["paper", "9"]),
        ("scale", &["paper", "1", "--scale", "huge"]),
        ("settings", &["paper", "1", "--settings", "mine"]),
        ("runs_zero", &["paper", "1", "--runs", "0"]),
        ("runs_one", &["paper", "1", "--runs", "1"]),
        ("runs_too_many", &["paper", "1", "--runs", "1000001"]),
        ("runs_negative", &["paper", "1", "--runs", "-3"]),
        ("runs_word", &["paper", "1", "--runs", "abc"]),
        ("seed_word", &["paper", "1", "--seed", "abc"]),
        ("seed_negative", &["paper", "1", "--seed", "-1"]),
        ("json_runs", &["paper", "1", "--json", "--runs", "0"]),
        ("json_figure", &["paper", "9", "--json"]),
    ];
    for (name, arguments) in refused {
        let folder = tempdir().unwrap();
        let path = folder.path().join("runs");
        let text = transcript_into(arguments, &path);
        assert!(text.contains("exit code: 2\n"), "{name}: {text}");
        assert_snapshot!(format!("error_{name}"), text);
        assert_eq!(names(folder.path()), [""; 0], "{name}");
    }
}

#[test]
fn errors_of_the_folder() {
    let folder = tempdir().unwrap();
    let smoke = ["paper", "1", "--scale", "smoke", "--runs", "2"];
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert_snapshot!("error_out_file", transcript_into(&smoke, &file));
    let below = transcript_into(&smoke, &file.join("runs")).replace(file.to_str().unwrap(), "<file>");
    assert_snapshot!("error_out_below_a_file", below);
    assert_eq!(fs::read(&file).unwrap(), b"mine");

    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("thesis.txt"), "mine").unwrap();
    assert_snapshot!("error_out_foreign", transcript_into(&smoke, &foreign));
    assert_eq!(names(&foreign), ["thesis.txt"]);

    let other = folder.path().join("other");
    assert!(into(&smoke, &other).status.success());
    let before = bytes(&other);
    for (name, arguments) in [
        ("seed", &[&smoke[..], &["--seed", "1"]].concat()[..]),
        ("settings", &[&smoke[..], &["--settings", "released"]].concat()),
        ("runs", &["paper", "1", "--scale", "smoke", "--runs", "3"]),
        ("scale", &["paper", "1", "--scale", "smoke"]),
        ("figure", &["paper", "3", "--scale", "smoke", "--runs", "2"]),
        ("json", &[&smoke[..], &["--seed", "1", "--json"]].concat()),
    ] {
        assert_snapshot!(format!("error_out_other_{name}"), transcript_into(arguments, &other));
        assert!(bytes(&other) == before, "{name}");
    }
}

fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| {
        let path = folder.join(&name);
        if path.is_dir() { bytes(&path) } else { vec![(name, fs::read(path).unwrap())] }
    };
    names(folder).into_iter().flat_map(read).collect()
}

#[test]
fn errors_as_json_are_objects() {
    for arguments in [&["paper", "9", "--json"][..], &["paper", "1", "--runs", "0", "--json"]] {
        let output = command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let error: Value = serde_json::from_slice(&output.stdout).unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        // Where the sentence is broken into lines on stderr, it is one line here.
        let talk = String::from_utf8(output.stderr).unwrap();
        let talk = talk.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(talk.contains(message), "{talk}");
    }
}

/// Runs of the figure that is interrupted: blocks of four, and seconds on any machine.
const RUNS: usize = 400;
const SEED: u64 = 23;

/// Starts it and waits until it has finished a few blocks.
fn midway(folder: &Path) -> Child {
    let (runs, seed) = (RUNS.to_string(), SEED.to_string());
    let out = folder.to_str().unwrap();
    let arguments = ["paper", "1", "--scale", "smoke", "--runs", &runs, "--seed", &seed, "--out", out];
    let mut program = command(&arguments).stdout(Stdio::null()).spawn().unwrap();
    let blocks = || names(&folder.join("blocks")).iter().filter(|name| name.ends_with(".parquet")).count();
    while blocks() < 5 {
        assert!(program.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
        std::thread::sleep(Duration::from_millis(2));
    }
    program
}

fn again(folder: &Path) -> Output {
    let (runs, seed) = (RUNS.to_string(), SEED.to_string());
    into(&["paper", "1", "--scale", "smoke", "--runs", &runs, "--seed", &seed, "--json"], folder)
}

/// The traces that a finished folder holds.
fn traces(folder: &Path) -> Traces {
    let file = folder.join("traces/gp-on-gp.parquet");
    let before = fs::read(&file).unwrap();
    let manifest: Manifest =
        serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let jobs = figure("1").unwrap().jobs(Settings::Text, Scale::Smoke, Some(RUNS), Acquisitions::First50);
    let (experiment, runs) = jobs.unwrap().remove(0);
    let opened = Folder::open(folder, manifest).unwrap();
    let repeated = repeat(&*experiment, runs, Seed(SEED), &opened, &|_| {}).unwrap();
    assert!(fs::read(file).unwrap() == before, "they are read, not made");
    repeated.traces
}

#[test]
fn a_run_that_was_killed_goes_on_and_ends_with_the_same_traces() {
    let [killed, whole] = [(); 2].map(|()| tempdir().unwrap());
    // Killed twice, the second time in what the first left.
    for _ in 0..2 {
        let mut program = midway(killed.path());
        program.kill().unwrap();
        program.wait().unwrap();
        assert_eq!(names(&killed.path().join("traces")), [""; 0]);
    }
    let kept = names(&killed.path().join("blocks")).len();
    assert!((5..100).contains(&kept), "{kept} blocks");
    let (resumed, uninterrupted) = (again(killed.path()), again(whole.path()));
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert!(traces(killed.path()) == traces(whole.path()));
    assert_eq!(traces(killed.path()).runs.len(), RUNS);
    let summary = |output: &Output| without_seconds(serde_json::from_slice(&output.stdout).unwrap());
    assert_eq!(summary(&resumed), summary(&uninterrupted));
    assert_eq!(names(killed.path()), names(whole.path()));
    assert!(names(killed.path()).iter().all(|name| name != "blocks" && !name.contains(".unfinished-")));
}

#[test]
fn a_second_program_in_the_same_folder_is_refused_and_the_first_goes_on() {
    let folder = tempdir().unwrap();
    let mut first = midway(folder.path());
    let second = again(folder.path());
    // Whether or not what follows is as it should be, nothing is left running.
    let running = first.try_wait().unwrap().is_none();
    let ended = first.wait().unwrap();
    assert!(running, "the first ended before the second had begun");
    assert_eq!(second.status.code(), Some(2));
    let talk = String::from_utf8(second.stderr).unwrap();
    let path = folder.path().display();
    let expected = format!(
        "error: another labelwise process uses the folder {path}: wait for it, or choose another folder\n"
    );
    assert_eq!(talk, expected);
    assert!(ended.success());
    assert_eq!(traces(folder.path()).runs.len(), RUNS);
}
