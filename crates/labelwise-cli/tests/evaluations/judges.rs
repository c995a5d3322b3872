//! Judges and histories, from the pool to estimates with every label; rates and worths on other pools; bad input.

use std::fmt::Write;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{Folder, spread};

pub(crate) const SIZE: usize = 120;

pub(crate) fn score(item: usize) -> f64 {
    spread(item, 1)
}

pub(crate) fn label(item: usize) -> &'static str {
    if 0.7 * score(item) + 0.3 * spread(item, 2) > 0.45 { "pass" } else { "fail" }
}

fn rating(item: usize) -> f64 {
    (1.0 + 4.0 * (0.8 * score(item) + 0.2 * spread(item, 3))).round()
}

pub(crate) fn folder() -> Folder {
    let folder = Folder::new();
    let mut answers = String::from("id,judge_score,verdict,stars,category,text,label,human\n");
    for item in 0..SIZE {
        let said = if item % 30 == 4 { String::new() } else { format!("{:.4}", score(item)) };
        let verdict = if score(item) > 0.5 { "pass" } else { "fail" };
        let (stars, category) =
            ((1.0 + 4.0 * score(item)).round(), if item % 3 == 0 { "math" } else { "code" });
        let human = rating(item);
        writeln!(
            answers,
            "a{item},{said},{verdict},{stars},{category},answer {item},{},{human}",
            label(item)
        )
        .unwrap();
    }
    folder.write("answers.csv", &answers);
    folder
}

/// Labels items of an evaluation, `count` at a time, until there are `labels`.
pub(crate) fn work(
    folder: &Folder,
    evaluation: &str,
    labels: usize,
    count: usize,
    of: impl Fn(usize) -> String,
) {
    let mut told = 0;
    while told < labels {
        let asked = folder.run(&["ask", evaluation, "-n", &count.min(labels - told).to_string(), "--json"]);
        let asked: Value = serde_json::from_str(&asked).unwrap();
        let mut answers = String::from("id,label\n");
        for item in asked["items"].as_array().unwrap() {
            let id = item["id"].as_str().unwrap();
            writeln!(answers, "{id},{}", of(id[1..].parse().unwrap())).unwrap();
            told += 1;
        }
        folder.write("labels.csv", &answers);
        folder.run(&["tell", evaluation, "labels.csv"]);
    }
}

pub(crate) fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&folder.run(&[arguments, &["--json"]].concat())).unwrap()
}

#[test]
fn a_judge_from_the_pool_to_the_truth() {
    let folder = folder();
    let new = ["new", "answers.csv", "--judge", "judge_score", "--loss", "rate", "--positive", "pass"];
    assert_snapshot!("new_judge", folder.transcript(&[&new[..], &["--out", "s.labelwise"]].concat()));
    work(&folder, "s.labelwise", 60, 12, |item| label(item).to_owned());
    let metrics = "rate,agreement,kappa,sensitivity,specificity,ppv";
    let by = ["estimate", "s.labelwise", "--loss", metrics, "--by", "category"];
    assert_snapshot!("estimate_judge", folder.transcript(&["estimate", "s.labelwise", "--loss", metrics]));
    // The row of all items is the estimate by itself.
    let (sliced, whole) = (json(&folder, &by), json(&folder, &by[..4]));
    for metric in metrics.split(',') {
        let all = |rows: &Value, name: &str| {
            let found =
                |row: &&Value| (row["metric"] == name || row["loss"] == name) && row["slice"].is_null();
            rows.as_array().unwrap().iter().find(found).unwrap()["estimate"].as_f64().unwrap()
        };
        assert_eq!(all(&sliced, metric), all(&whole, metric), "{metric}");
    }
    folder.run(&["verify", "s.labelwise"]);
    work(&folder, "s.labelwise", SIZE - 60, 20, |item| label(item).to_owned());
    // With every label, estimates are what scikit-learn computes of verdicts and labels.
    let (mut both, mut said, mut passes, mut right) = (0.0, 0.0, 0.0, 0.0);
    for item in 0..SIZE {
        let verdict = score(item) > 0.5 && item % 30 != 4;
        let pass = label(item) == "pass";
        both += f64::from(u8::from(verdict && pass));
        said += f64::from(u8::from(verdict));
        passes += f64::from(u8::from(pass));
        right += f64::from(u8::from(verdict == pass));
    }
    let n = SIZE as f64;
    let chance = (said * passes + (n - said) * (n - passes)) / (n * n);
    let kappa = (right / n - chance) / (1.0 - chance);
    let specificity = (right - both) / (n - passes);
    let truths = [passes / n, right / n, kappa, both / passes, specificity, both / said];
    let found = json(&folder, &["estimate", "s.labelwise", "--loss", metrics]);
    for (row, truth) in found.as_array().unwrap().iter().zip(truths) {
        for end in ["estimate", "low", "high"] {
            let value = row[end].as_f64().unwrap();
            assert!((value - truth).abs() < 1e-9, "{end} of {row}: {truth}");
        }
    }
    folder.run(&["report", "s.labelwise", "--out", "page.html"]);
}

#[test]
fn both_sides_of_a_question_are_mirrored() {
    let folder = folder();
    for (side, judge) in [("pass", "verdict"), ("fail", "verdict")] {
        let out = format!("{side}.labelwise");
        folder.run(&[
            "new",
            "answers.csv",
            "--judge",
            judge,
            "--loss",
            "rate",
            "--positive",
            side,
            "--out",
            &out,
        ]);
        work(&folder, &out, 40, 10, |item| label(item).to_owned());
    }
    let (pass, fail) =
        (json(&folder, &["estimate", "pass.labelwise"]), json(&folder, &["estimate", "fail.labelwise"]));
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
    assert!((number(&pass, "estimate") + number(&fail, "estimate") - 1.0).abs() < 1e-9);
    assert!((number(&pass, "low") + number(&fail, "high") - 1.0).abs() < 1e-9);
}

#[test]
fn ratings_and_worths_reach_the_truth() {
    let folder = folder();
    folder.run(&[
        "new",
        "answers.csv",
        "--judge",
        "stars",
        "--loss",
        "value",
        "--range",
        "1,5",
        "--out",
        "r.labelwise",
    ]);
    work(&folder, "r.labelwise", SIZE, 40, |item| rating(item).to_string());
    let mean = (0..SIZE).map(rating).sum::<f64>() / SIZE as f64;
    let found = json(&folder, &["estimate", "r.labelwise", "--loss", "value,weighted_kappa"]);
    assert!((found[0]["estimate"].as_f64().unwrap() - mean).abs() < 1e-9);
    let (mut apart, mut chance) = (0.0, 0.0);
    for item in 0..SIZE {
        let said = |item: usize| (1.0 + 4.0 * score(item)).round();
        apart += (said(item) - rating(item)).powi(2) / SIZE as f64;
        chance +=
            (0..SIZE).map(|other| (said(other) - rating(item)).powi(2)).sum::<f64>() / (SIZE * SIZE) as f64;
    }
    assert!((found[1]["estimate"].as_f64().unwrap() - (1.0 - apart / chance)).abs() < 1e-9, "{found}");
    // Worths of classes, with a judge and with probabilities.
    let worth = "pass=1,fail=-1";
    folder.run(&[
        "new",
        "answers.csv",
        "--judge",
        "verdict",
        "--worth",
        worth,
        "--loss",
        "value",
        "--out",
        "w.labelwise",
    ]);
    work(&folder, "w.labelwise", SIZE, 40, |item| label(item).to_owned());
    let rate = (0..SIZE).filter(|&item| label(item) == "pass").count() as f64 / SIZE as f64;
    let found = json(&folder, &["estimate", "w.labelwise"]);
    assert!((found["estimate"].as_f64().unwrap() - (2.0 * rate - 1.0)).abs() < 1e-9);
}

#[test]
fn rates_of_every_kind_of_pool() {
    let folder = folder();
    let mut pool = String::from("id,prob_fail,prob_pass,mean,said\n");
    for item in 0..SIZE {
        let p = 0.02 + 0.96 * score(item);
        writeln!(pool, "a{item},{:.6},{p:.6},{p:.6},{}", 1.0 - p, if p > 0.5 { "pass" } else { "fail" })
            .unwrap();
    }
    folder.write("kinds.csv", &pool);
    let rate = (0..SIZE).filter(|&item| label(item) == "pass").count() as f64 / SIZE as f64;
    for (name, columns) in [
        ("p", vec![]),
        ("m", vec!["--mean", "mean"]),
        ("h", vec!["--hard", "said"]),
        ("s", vec!["--scores", "mean"]),
    ] {
        let out = format!("{name}.labelwise");
        let new = ["new", "kinds.csv", "--loss", "rate", "--positive", "pass", "--out", &out];
        folder.run(&[&new[..], &columns].concat());
        work(&folder, &out, SIZE, 60, |item| label(item).to_owned());
        let found = json(&folder, &["estimate", &out]);
        assert!((found["estimate"].as_f64().unwrap() - rate).abs() < 1e-9, "{name}: {found}");
    }
}

/// The label of an answer of either system, by the text that is shown.
fn answered(text: &str) -> &'static str {
    let (system, item) = text.split_once(' ').unwrap();
    let item: usize = item.parse().unwrap();
    let good = score(item) + 0.3 * spread(item, 7) + if system == "new" { 0.25 } else { 0.0 } > 0.7;
    if good { "pass" } else { "fail" }
}

#[test]
fn two_systems_with_a_label_for_each_answer() {
    let folder = Folder::new();
    for (file, system, lift) in [("v3.csv", "old", 0.0), ("v4.csv", "new", 0.2)] {
        let mut rows = String::from("id,judge_score,prompt,answer\n");
        for item in 0..SIZE {
            let said = (score(item) + lift).min(1.0);
            writeln!(rows, "p{item},{said:.4},prompt {item},{system} {item}").unwrap();
        }
        folder.write(file, &rows);
    }
    let new =
        ["compare", "v3.csv", "v4.csv", "--judge", "judge_score", "--loss", "rate", "--positive", "pass"];
    assert_snapshot!("new_pairs", folder.transcript(&[&new[..], &["--out", "v34.labelwise"]].concat()));
    let (mut told, mut swapped) = (0, 0);
    while told < SIZE {
        let asked = folder.run(&["ask", "v34.labelwise", "-n", "40", "--json"]);
        let asked: Value = serde_json::from_str(&asked).unwrap();
        let mut answers = String::from("id,label\n");
        for item in asked["items"].as_array().unwrap() {
            let text = |name: &str| item[name].as_str().unwrap();
            assert!(text("prompt").starts_with("prompt"));
            let (first, second) = (text("first answer"), text("second answer"));
            swapped += usize::from(first.starts_with("new"));
            // A program that labels can name the systems instead of the order.
            let by_name = |system: &str| answered(if first.starts_with(system) { first } else { second });
            let label = match told % 2 {
                0 => format!("{}|{}", answered(first), answered(second)),
                _ => format!("v4={}|v3={}", by_name("new"), by_name("old")),
            };
            writeln!(answers, "{},{label}", text("id")).unwrap();
            told += 1;
        }
        folder.write("labels.csv", &answers);
        folder.run(&["tell", "v34.labelwise", "labels.csv"]);
        if told == 80 {
            assert_snapshot!("pairs_verdict", folder.transcript(&["compare", "v34.labelwise"]));
            let found = json(&folder, &["compare", "v34.labelwise"]);
            let rate = |side: usize, of: &str| found["rates"][side][of].as_f64().unwrap();
            let off = rate(1, "estimate") - rate(0, "estimate") - found["difference"].as_f64().unwrap();
            assert!(off.abs() < 0.05, "{found}");
            for side in 0..2 {
                assert!(
                    rate(side, "low") < rate(side, "estimate") && rate(side, "estimate") < rate(side, "high")
                );
            }
            folder.run(&["compare", "v34.labelwise", "--interval", "anytime"]);
            let refused = folder.output(&["estimate", "v34.labelwise", "--loss", "rate"]);
            let said = String::from_utf8(refused.stderr).unwrap();
            assert!(said.contains("`labelwise compare` prints it, and the rate of each"), "{said}");
        }
    }
    // The order is random, and the difference with every label is the truth.
    assert!((SIZE / 4..3 * SIZE / 4).contains(&swapped), "{swapped}");
    let passes = |system: &str| {
        let pass = |&item: &usize| answered(&format!("{system} {item}")) == "pass";
        (0..SIZE).filter(pass).count() as f64 / SIZE as f64
    };
    let found = json(&folder, &["compare", "v34.labelwise"]);
    assert!(
        (found["difference"].as_f64().unwrap() - (passes("new") - passes("old"))).abs() < 1e-9,
        "{found}"
    );
    assert_eq!(found["better"], "v4");
    for (side, system) in ["old", "new"].into_iter().enumerate() {
        for end in ["estimate", "low", "high"] {
            let value = found["rates"][side][end].as_f64().unwrap();
            assert!((value - passes(system)).abs() < 1e-9, "{system}: {found}");
        }
    }
    folder.run(&["verify", "v34.labelwise"]);
    let folder = Folder::new();
    folder.write("v3.csv", "id,judge\na,0.5\nb,0.1\n");
    folder.write("v4.csv", "id,judge\nc,0.5\nd,0.1\n");
    let output = folder.output(&[
        "compare",
        "v3.csv",
        "v4.csv",
        "--judge",
        "judge",
        "--loss",
        "rate",
        "--positive",
        "pass",
    ]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_history_is_simulated() {
    let folder = Folder::new();
    let mut matrix = String::from("id,target,m_1,m_2,m_3\n");
    for item in 0..SIZE {
        let result = |model: usize| f64::from(u8::from(score(item) + 0.3 * spread(item, 4 + model) > 0.6));
        let second = if item % 11 == 3 { String::new() } else { result(2).to_string() };
        writeln!(matrix, "{item},{},{},{second},{}", result(0), result(1), result(3)).unwrap();
    }
    folder.write("matrix.csv", &matrix);
    let found = json(
        &folder,
        &[
            "simulate",
            "matrix.csv",
            "--history",
            "m_*",
            "--loss",
            "value",
            "--range",
            "0,1",
            "--label-column",
            "target",
            "--budget",
            "40",
            "--runs",
            "20",
        ],
    );
    assert_eq!(found["loss"], "value");
}
