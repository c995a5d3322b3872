//! Snapshots of everything a person reads: help, output and every error with its exit code.

use insta::assert_snapshot;
use serde_json::Value;

use crate::run::{command, round, transcript};

#[test]
fn help() {
    assert_snapshot!("help", transcript(&["--help"]).unwrap());
    assert_snapshot!("help_of_demo", transcript(&["demo", "--help"]).unwrap());
    assert_snapshot!("no_command", transcript(&[]).unwrap());
}

#[test]
fn demo() {
    assert_snapshot!("demo", transcript(&["demo", "--runs", "20"]).unwrap());
}

#[test]
fn demo_of_a_guarded_interval() {
    let arguments = ["demo", "--runs", "20", "--budget", "30", "--loss", "zero-one", "--level", "0.9"];
    assert_snapshot!("demo_guarded", transcript(&arguments).unwrap());
}

#[test]
fn demo_of_the_whole_pool() {
    let arguments = ["demo", "--runs", "2", "--budget", "1597", "--loss", "brier"];
    assert_snapshot!("demo_whole_pool", transcript(&arguments).unwrap());
}

#[test]
fn demo_as_json() {
    let output = command(&["demo", "--runs", "20", "--json"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 1);
    let mut findings: Value = serde_json::from_slice(&output.stdout).unwrap();
    round(&mut findings);
    assert_snapshot!("demo_json", serde_json::to_string_pretty(&findings).unwrap());
}

#[test]
fn errors() {
    let refused: [(&str, &[&str]); 15] = [
        ("unknown_command", &["demmo"]),
        ("unknown_option", &["demo", "--bugdet", "3"]),
        ("budget_zero", &["demo", "--budget", "0"]),
        ("budget_above_pool", &["demo", "--budget", "1598"]),
        ("budget_negative", &["demo", "--budget", "-5"]),
        ("budget_word", &["demo", "--budget", "ten"]),
        ("budget_huge", &["demo", "--budget", "99999999999999999999"]),
        ("level_in_per_cent", &["demo", "--level", "95"]),
        ("level_one", &["demo", "--level", "1"]),
        ("level_negative", &["demo", "--level", "-0.5"]),
        ("level_word", &["demo", "--level", "high"]),
        ("runs_zero", &["demo", "--runs", "0"]),
        ("runs_too_many", &["demo", "--runs", "1000001"]),
        ("seed_negative", &["demo", "--seed", "-1"]),
        ("loss_unknown", &["demo", "--loss", "mse"]),
    ];
    for (name, arguments) in refused {
        assert_snapshot!(format!("error_{name}"), transcript(arguments).unwrap());
    }
}

#[test]
fn errors_as_json() {
    let refused: [(&str, &[&str]); 4] = [
        ("budget", &["demo", "--json", "--budget", "0"]),
        ("level", &["demo", "--json", "--level", "2"]),
        ("runs", &["demo", "--json", "--runs", "0"]),
        ("usage", &["demo", "--json", "--loss", "mse"]),
    ];
    for (name, arguments) in refused {
        let output = command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        let error: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(error["error"]["message"].is_string(), "{name}");
        assert!(error["error"]["code"].is_string(), "{name}");
        assert_snapshot!(format!("error_json_{name}"), transcript(arguments).unwrap());
    }
}
