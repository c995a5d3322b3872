//! Detectors: a decision threshold, the precision-recall curve, and zero probabilities under cross-entropy.

use std::fmt::Write;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{Folder, spread};

const SIZE: usize = 300;

/// The probability of fraud: mostly small.
fn probability(item: usize) -> f64 {
    (1000.0 * spread(item, 1).powi(3)).round() / 1000.0
}

/// Numbers between 0 and 1 that have nothing to do with the probabilities.
fn noise(item: usize) -> f64 {
    (7919.0 * spread(item, 2)).fract()
}

fn is_fraud(item: usize) -> bool {
    noise(item) < 0.1 + 0.8 * probability(item)
}

fn label(item: usize) -> String {
    if is_fraud(item) { "fraud" } else { "ok" }.to_owned()
}

fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("id,risk,group,label\n");
    for item in 0..SIZE {
        let group = if item % 2 == 0 { "even" } else { "odd" };
        writeln!(text, "row-{item},{},{group},{}", probability(item), label(item)).unwrap();
    }
    folder.write("fraud.csv", &text);
    folder
}

const ONE: [&str; 4] = ["--prob", "risk", "--classes", "ok,fraud"];

fn found(folder: &Folder, arguments: &[&str]) -> Vec<Value> {
    let found: Value = serde_json::from_str(&folder.run(&[arguments, &["--json"]].concat())).unwrap();
    match found {
        Value::Array(list) => list,
        one => vec![one],
    }
}

/// Metrics of the whole pool where fraud is predicted from a threshold on: accuracy, precision, recall, f1.
fn truth(threshold: f64) -> [f64; 4] {
    let predicted = |item: &usize| probability(*item) >= threshold;
    let count = |is: &dyn Fn(&usize) -> bool| (0..SIZE).filter(|item| is(item)).count() as f64;
    let right = count(&|item| predicted(item) && is_fraud(*item));
    let (said, own) = (count(&predicted), count(&|item| is_fraud(*item)));
    let accuracy = count(&|item| predicted(item) == is_fraud(*item)) / SIZE as f64;
    [accuracy, right / said, right / own, 2.0 * right / (said + own)]
}

const NAMES: &str = "accuracy,precision,recall,f1";

#[test]
fn a_threshold_is_kept_and_can_be_another_one() {
    let folder = folder();
    let made =
        [&["new", "fraud.csv", "--out", "f.labelwise", "--loss", NAMES, "--threshold", "0.3"], &ONE[..]]
            .concat();
    let mut story = vec![folder.transcript(&made)];
    folder.label("f.labelwise", 120, label);
    story.push(folder.transcript(&["estimate", "f.labelwise"]));
    story.push(folder.transcript(&[
        "estimate",
        "f.labelwise",
        "--loss",
        "accuracy,recall",
        "--threshold",
        "0.6",
    ]));
    assert_snapshot!(story.join("\n"));
    assert!(folder.run(&["status", "f.labelwise"]).contains("threshold  0.3"));
    folder.run(&["verify", "f.labelwise"]);
    folder.run(&["check", "f.labelwise", "--loss", "recall", "--above", "0.01"]);
    folder.run(&["report", "f.labelwise", "--loss", "accuracy", "--out", "f.html"]);
    for threshold in ["0.3", "0.6", "0.05"] {
        let expected = truth(threshold.parse().unwrap());
        for (said, expected) in
            found(&folder, &["estimate", "f.labelwise", "--threshold", threshold]).iter().zip(expected)
        {
            let (low, high) = (said["low"].as_f64().unwrap(), said["high"].as_f64().unwrap());
            // Wide enough for any seed of a test: four half-widths.
            let distance = (said["estimate"].as_f64().unwrap() - expected).abs();
            assert!(distance <= 2.0 * (high - low) + 1e-12, "at {threshold}: {said}, not {expected}");
        }
    }
    // With every label, each is what it is, at the threshold of the evaluation and at any other.
    folder.label("f.labelwise", SIZE - 120, label);
    for threshold in [None, Some("0.3"), Some("0.6"), Some("0.05")] {
        let asked: Vec<&str> = threshold.iter().flat_map(|threshold| ["--threshold", threshold]).collect();
        let expected = truth(threshold.unwrap_or("0.3").parse().unwrap());
        let answers = found(&folder, &[&["estimate", "f.labelwise"], &asked[..]].concat());
        assert_eq!(answers.len(), 4);
        for (said, expected) in answers.iter().zip(expected) {
            assert!((said["estimate"].as_f64().unwrap() - expected).abs() < 1e-12, "{said}, not {expected}");
        }
    }
    // Slices are cut by the predictions of the threshold too.
    let sliced = found(
        &folder,
        &["estimate", "f.labelwise", "--loss", "precision", "--by", "group", "--threshold", "0.6"],
    );
    assert!((sliced[0]["estimate"].as_f64().unwrap() - truth(0.6)[1]).abs() < 1e-12, "{sliced:?}");
}

#[test]
fn a_point_that_all_labels_of_a_domain_settle_is_exact() {
    let folder = folder();
    folder.run(
        &[
            &["new", "fraud.csv", "--out", "p.labelwise", "--loss", "precision", "--threshold", "0.9"],
            &ONE[..],
        ]
        .concat(),
    );
    // Draws for precision go to the items that are predicted as fraud, and 30 % anywhere: 250 labels have all of them.
    folder.label("p.labelwise", 250, label);
    let said = &found(&folder, &["estimate", "p.labelwise"])[0];
    assert!((said["estimate"].as_f64().unwrap() - truth(0.9)[1]).abs() < 1e-12, "{said}");
    assert_eq!(said["low"], said["high"], "{said}");
}

#[test]
fn the_curve_of_precision_and_recall() {
    let folder = folder();
    let names = "average_precision,precision_at_recall_0.8,recall_at_precision_0.5";
    folder.run(&[&["new", "fraud.csv", "--out", "c.labelwise", "--loss", names], &ONE[..]].concat());
    folder.label("c.labelwise", 100, label);
    assert_snapshot!(folder.transcript(&["estimate", "c.labelwise"]));
    folder.run(&["verify", "c.labelwise"]);
    folder.label("c.labelwise", SIZE - 100, label);
    // Every threshold, from the largest.
    let mut scores: Vec<f64> = (0..SIZE).map(probability).collect();
    scores.sort_by(|one, other| other.total_cmp(one));
    scores.dedup();
    let points: Vec<(f64, f64)> = scores.iter().map(|score| (truth(*score)[1], truth(*score)[2])).collect();
    let mut before = 0.0;
    let area: f64 = points
        .iter()
        .map(|(precision, recall)| precision * (recall - std::mem::replace(&mut before, *recall)))
        .sum();
    let at_recall = points.iter().find(|(_, recall)| *recall >= 0.8 - 1e-12).unwrap().0;
    let at_precision = points.iter().rev().find(|(precision, _)| *precision >= 0.5 - 1e-12).unwrap().1;
    for (said, expected) in
        found(&folder, &["estimate", "c.labelwise"]).iter().zip([area, at_recall, at_precision])
    {
        assert!((said["estimate"].as_f64().unwrap() - expected).abs() < 1e-12, "{said}, not {expected}");
    }
}

/// A pool with zeros: every tenth item is sure, and sometimes wrong.
fn with_zeros(folder: &Folder) {
    let mut text = String::from("id,prob_ok,prob_fraud,label\n");
    for item in 0..SIZE {
        let p = if item % 10 == 0 { 0.0 } else { 0.01 + 0.98 * spread(item, 1) };
        writeln!(text, "row-{item},{},{p},{}", 1.0 - p, missed(item)).unwrap();
    }
    folder.write("zeros.csv", &text);
}

fn missed(item: usize) -> String {
    let p = if item.is_multiple_of(10) { 0.2 } else { 0.01 + 0.98 * spread(item, 1) };
    if noise(item) < p { "fraud" } else { "ok" }.to_owned()
}

#[test]
fn zero_probabilities_are_said_and_priced() {
    let folder = folder();
    with_zeros(&folder);
    let mut story = Vec::new();
    for (name, cap) in [("usual", &[][..]), ("other", &["--cap", "1e-3"])] {
        let out = format!("{name}.labelwise");
        story.push(
            folder.transcript(&[&["new", "zeros.csv", "--out", &out, "--loss", "log_loss"], cap].concat()),
        );
        folder.label(&out, SIZE, missed);
        story.push(folder.transcript(&["estimate", &out]));
        folder.run(&["verify", &out]);
        let least: f64 = if cap.is_empty() { 1e-15 } else { 1e-3 };
        let loss = |item: usize| {
            let p = if item.is_multiple_of(10) { 0.0 } else { 0.01 + 0.98 * spread(item, 1) };
            let clipped = [p, 1.0 - p].map(|p: f64| p.clamp(least, 1.0 - least));
            let own = if missed(item) == "fraud" { clipped[0] } else { clipped[1] };
            -(own / (clipped[0] + clipped[1])).ln()
        };
        let expected = (0..SIZE).map(loss).sum::<f64>() / SIZE as f64;
        let said = &found(&folder, &["estimate", &out])[0];
        assert!((said["estimate"].as_f64().unwrap() - expected).abs() < 1e-9, "{said}, not {expected}");
    }
    assert_snapshot!(story.join("\n"));
    // Other losses do not mention zeros.
    let said = folder.run(&["new", "zeros.csv", "--out", "brier.labelwise", "--loss", "brier"]);
    assert!(!said.contains("cap"), "{said}");
}

#[test]
fn nonsense_about_detectors() {
    let folder = folder();
    with_zeros(&folder);
    let new = ["new", "fraud.csv", "--out", "n.labelwise"];
    folder.run(&[&["new", "fraud.csv", "--out", "f.labelwise"], &ONE[..]].concat());
    folder.label("f.labelwise", 30, label);
    let mut story = Vec::new();
    for arguments in [
        [&new[..], &ONE[..], &["--threshold", "30"]].concat(),
        [&new[..], &ONE[..], &["--threshold", "-0.5"]].concat(),
        vec!["new", "zeros.csv", "--out", "n.labelwise", "--threshold", "0.3"],
        vec!["new", "pool.csv", "--out", "n.labelwise", "--threshold", "0.3"],
        [&new[..], &ONE[..], &["--loss", "precision_at_recall_90"]].concat(),
        [&new[..], &ONE[..], &["--cap", "2"]].concat(),
        vec!["new", "fraud.csv", "--out", "n.labelwise", "--mean", "risk", "--cap", "1e-9"],
        vec!["estimate", "f.labelwise", "--loss", "log_loss", "--threshold", "0.3"],
        vec![
            "estimate",
            "f.labelwise",
            "--loss",
            "accuracy",
            "--threshold",
            "0.3",
            "--interval",
            "guaranteed",
        ],
        vec!["estimate", "f.labelwise", "--loss", "recall", "--threshold", "1.5"],
    ] {
        let said = folder.transcript(&arguments);
        assert!(said.contains("exit code: 2"), "{said}");
        story.push(said);
    }
    assert_snapshot!(story.join("\n"));
    assert!(!folder.path("n.labelwise").exists());
}

#[test]
fn simulations_and_comparisons_have_thresholds() {
    let folder = folder();
    let risk = |threshold: &[&str]| {
        let start = [
            "simulate",
            "fraud.csv",
            "--label-column",
            "label",
            "--loss",
            "accuracy",
            "--budget",
            "20",
            "--runs",
            "4",
        ];
        found(&folder, &[&start[..], &ONE[..], threshold].concat())[0].to_string()
    };
    let (half, low) = (risk(&[]), risk(&["--threshold", "0.05"]));
    assert_ne!(half, low);
    let rows: String = (0..SIZE).map(|item| format!("row-{item},{}\n", probability(item).sqrt())).collect();
    folder.write("other.csv", &format!("id,risk\n{rows}"));
    let compared = [
        "compare",
        "fraud.csv",
        "other.csv",
        "--loss",
        "accuracy",
        "--out",
        "ab.labelwise",
        "--threshold",
        "0.2",
    ];
    let said = folder.run(&[&compared[..], &ONE[..]].concat());
    // p < 0.2 and √p ≥ 0.2 are where the two differ.
    let differ =
        (0..SIZE).filter(|item| probability(*item) < 0.2 && probability(*item).sqrt() >= 0.2).count();
    assert!(
        said.contains(&format!("on {} items", SIZE - differ)) || said.contains(&format!("{}", SIZE - differ)),
        "{said}"
    );
}
