//! Percentages, rounded probabilities, one column of two classes and logits: each hint leads to the evaluation that the plain
//! probabilities make.

use std::fmt::Write;

use insta::assert_snapshot;

use crate::folder::{Folder, spread};

const SIZE: usize = 120;

/// The probability of class 1, in hundredths, so that every way to write it says the same number.
fn hundredths(item: usize) -> u32 {
    1 + (97.0 * spread(item, 1)).round() as u32
}

fn label(item: usize) -> &'static str {
    if 100.0 * spread(item, 2) < f64::from(hundredths(item)) { "1" } else { "0" }
}

/// A folder with the same predictions, written in several ways.
fn folder() -> Folder {
    let folder = Folder::new();
    let names = ["plain", "percent", "rounded", "one", "logits", "odds"];
    let mut files = [(); 6].map(|()| String::new());
    let headers = ["prob_0,prob_1", "prob_0,prob_1", "prob_0,prob_1", "prob_1", "prob_0,prob_1", "z"];
    for (file, header) in files.iter_mut().zip(headers) {
        writeln!(file, "id,{header},label").unwrap();
    }
    for item in 0..SIZE {
        let (one, zero) = (hundredths(item), 100 - hundredths(item));
        let (p, q) = (f64::from(one) / 100.0, f64::from(zero) / 100.0);
        // A hundredth too much here and there, as three decimals that are cut make it.
        let more = if item % 3 == 0 { 0.01 } else { 0.0 };
        let rows = [
            format!("{q},{p}"),
            format!("{zero},{one}"),
            format!("{},{p}", q + more),
            format!("{p}"),
            format!("{},{}", q.ln() + 2.0, p.ln() + 2.0),
            format!("{}", (p / q).ln()),
        ];
        for (file, row) in files.iter_mut().zip(rows) {
            writeln!(file, "row-{item},{row},{}", label(item)).unwrap();
        }
    }
    for (name, file) in names.iter().zip(files) {
        folder.write(&format!("{name}.csv"), &file);
    }
    folder
}

#[test]
fn a_hint_leads_to_the_evaluation_that_was_meant() {
    let folder = folder();
    folder.run(&["new", "plain.csv", "--out", "plain.labelwise", "--loss", "log_loss"]);
    folder.label("plain.labelwise", 60, |item| label(item).to_owned());
    let draws = folder.run(&["export", "plain.labelwise"]);
    let items = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split(',').take(2).collect::<Vec<_>>().join(",")).collect()
    };
    let mut story = Vec::new();
    for (file, wrong, right) in [
        ("percent.csv", &[][..], &["--percent"][..]),
        ("percent.csv", &["--logits", "prob_*"], &["--probs", "prob_*", "--percent"]),
        ("rounded.csv", &[], &["--normalise"]),
        ("one.csv", &[], &["--prob", "prob_1"]),
        ("one.csv", &["--probs", "prob_1"], &["--prob", "prob_1"]),
        ("logits.csv", &[], &["--logits", "prob_*"]),
        ("odds.csv", &["--prob", "z"], &["--logits", "z"]),
        ("plain.csv", &["--logits", "prob_*"], &["--probs", "prob_*"]),
    ] {
        let start = ["new", file, "--out", "made.labelwise", "--loss", "log_loss"];
        let said = folder.transcript(&[&start[..], wrong].concat());
        assert!(said.contains("exit code: 2"), "{said}");
        story.push(said);
        folder.run(&[&start[..], right].concat());
        folder.label("made.labelwise", 60, |item| label(item).to_owned());
        if file != "rounded.csv" {
            assert_eq!(items(&folder.run(&["export", "made.labelwise"])), items(&draws), "{file} {right:?}");
        }
        std::fs::remove_file(folder.path("made.labelwise")).unwrap();
    }
    assert_snapshot!("hints_about_numbers", story.join("\n"));
}

#[test]
fn one_column_is_about_the_positive_class() {
    let folder = folder();
    let said = folder.transcript(&[
        "new",
        "one.csv",
        "--prob",
        "prob_1",
        "--classes",
        "ok,fraud",
        "--loss",
        "recall",
    ]);
    assert_snapshot!(said);
    let truth = |item: usize| if label(item) == "1" { "fraud" } else { "ok" }.to_owned();
    folder.label("one.labelwise", SIZE, truth);
    let found: serde_json::Value =
        serde_json::from_str(&folder.run(&["estimate", "one.labelwise", "--json"])).unwrap();
    let fraud: Vec<usize> = (0..SIZE).filter(|&item| label(item) == "1").collect();
    // The first of two equal probabilities is predicted, which is the other class.
    let hits = fraud.iter().filter(|&&item| hundredths(item) > 50).count();
    let recall = hits as f64 / fraud.len() as f64;
    assert!((found["estimate"].as_f64().unwrap() - recall).abs() < 1e-12, "{found}");
}

#[test]
fn every_command_that_reads_a_pool_reads_numbers_alike() {
    let folder = folder();
    let simulate = |file: &str, more: &[&str]| {
        let start = ["simulate", file, "--label-column", "label", "--budget", "20", "--runs", "5", "--json"];
        let found: serde_json::Value =
            serde_json::from_str(&folder.run(&[&start[..], more].concat())).unwrap();
        found["pool"]["truth"].as_f64().unwrap()
    };
    let plain = simulate("plain.csv", &[]);
    // 1 − p and the quotient of percentages are rounded.
    assert!((simulate("percent.csv", &["--percent"]) - plain).abs() < 1e-12);
    assert!((simulate("one.csv", &["--prob", "prob_1"]) - plain).abs() < 1e-12);
    // A surrogate in percentages, and a comparison of a model with itself.
    folder.run(&["new", "plain.csv", "--out", "s.labelwise", "--surrogate-file", "percent.csv", "--percent"]);
    let compared =
        ["compare", "plain.csv", "percent.csv", "--loss", "brier", "--out", "ab.labelwise", "--percent"];
    let said = folder.transcript(&compared);
    assert!(said.contains("the two models never differ"), "{said}");
    let said = folder.transcript(&[
        "compare",
        "plain.csv",
        "percent.csv",
        "--loss",
        "brier",
        "--out",
        "b.labelwise",
    ]);
    assert!(said.contains("exit code: 2") && said.contains("add --percent"), "{said}");
    let said =
        folder.transcript(&["new", "plain.csv", "--out", "t.labelwise", "--surrogate-file", "logits.csv"]);
    assert!(said.contains("exit code: 2") && said.contains("with a softmax"), "{said}");
}

#[test]
fn columns_that_are_named_as_something_else() {
    let folder = folder();
    let rows: String =
        (0..60).map(|item| format!("row-{item},{},{:.4}\n", item, 0.5 + spread(item, 4))).collect();
    folder.write("values.csv", &format!("id,mean,pred_std\n{rows}"));
    let mut story = Vec::new();
    for arguments in [
        &["new", "values.csv", "--mean", "mean", "--variance", "pred_std"][..],
        &["new", "values.csv", "--hard", "pred_std"],
        &["new", "values.csv", "--mean", "mean", "--percent"],
        &["new", "one.csv", "--prob", "prob_1", "--classes", "a,a"],
        &["simulate", "one.csv", "--prob", "prob_1", "--classes", "ok,fraud", "--label-column", "label"],
        &["new", "values.csv", "--mean", "mean", "--std", "pred_std", "--loss", "gaussian-nll"],
    ] {
        story.push(folder.transcript(arguments));
    }
    assert_snapshot!(story.join("\n"));
}

#[test]
fn names_of_columns_lead_to_the_option() {
    let folder = Folder::new();
    folder.write("logits.csv", "id,logit_a,logit_b\nx,2,0.5\ny,-1,3\nz,-2,3\n");
    folder.write("numbers.csv", "id,mean,std\nx,2,0.5\ny,-1,3\nz,-2,3\n");
    folder.write("means.csv", "id,mean\nx,2\ny,-1\nz,-2\n");
    for (file, hint) in [
        ("logits.csv", "if these are logits: --logits 'logit_*'"),
        ("numbers.csv", "if `mean` is the predicted number: --mean mean --std std"),
        ("means.csv", "if `mean` is the predicted number: --mean mean"),
    ] {
        let said = folder.transcript(&["new", file]);
        assert!(said.contains("exit code: 2") && said.contains(hint), "{said}");
        let option = hint.split_once(": ").unwrap().1.replace('\'', "");
        let words: Vec<&str> = option.split(' ').collect();
        let surrogate: &[&str] = if file == "means.csv" { &["--surrogate", "none"] } else { &[] };
        folder.run(&[&["new", file, "--out", &format!("{file}.labelwise")], &words[..], surrogate].concat());
    }
}

#[test]
fn a_model_without_doubt_has_no_forecast_of_a_width() {
    let folder = Folder::new();
    let rows: String = (0..100).map(|item| format!("{item},{},{}\n", item % 2, 1 - item % 2)).collect();
    folder.write("sure.csv", &format!("id,prob_a,prob_b\n{rows}"));
    let said = folder.run(&["new", "sure.csv"]);
    assert!(said.contains("expected gain: little") && !said.contains("expected cost"), "{said}");
}
