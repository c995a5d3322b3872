//! Judges where one label is not enough: labels of several people, whole groups of samples, the next batch.

use std::fmt::Write;

use serde_json::Value;

use crate::folder::{Folder, spread};
use crate::judges::{SIZE, folder, json, label, score, work};

#[test]
fn labels_of_two_people_are_a_panel() {
    let folder = folder();
    folder.run(&[
        "new",
        "answers.csv",
        "--judge",
        "judge_score",
        "--loss",
        "rate",
        "--positive",
        "pass",
        "--out",
        "s.labelwise",
    ]);
    work(&folder, "s.labelwise", 60, 12, |item| label(item).to_owned());
    let alone = json(&folder, &["estimate", "s.labelwise"]);
    assert!(alone["annotators"].is_null(), "{alone}");
    // Ben labels every second item, and differs on every third of these.
    let rows = folder.run(&["export", "s.labelwise"]);
    let ids: Vec<String> = rows
        .lines()
        .filter_map(|line| {
            line.split(',').find(|cell| cell.starts_with('a') && cell[1..].parse::<usize>().is_ok())
        })
        .map(str::to_owned)
        .collect();
    assert_eq!(ids.len(), 60, "{rows}");
    let mut opinions = String::from("id,label,who\n");
    for (place, id) in ids.iter().enumerate().step_by(2) {
        let own = label(id[1..].parse().unwrap());
        let other = if own == "pass" { "fail" } else { "pass" };
        writeln!(opinions, "{id},{},ben", if place % 3 == 0 { other } else { own }).unwrap();
    }
    folder.write("opinions.csv", &opinions);
    let told = json(&folder, &["tell", "s.labelwise", "opinions.csv"]);
    assert_eq!((told["opinions"].as_u64(), told["recorded"].as_u64()), (Some(30), Some(0)), "{told}");
    // Repeating them has no effect; another label of the same person is a mistake.
    let again = json(&folder, &["tell", "s.labelwise", "opinions.csv"]);
    assert_eq!((again["opinions"].as_u64(), again["already"].as_u64()), (None, Some(30)), "{again}");
    let own = label(ids[0][1..].parse().unwrap());
    let other = if own == "pass" { "fail" } else { "pass" };
    let differs = folder.output(&["tell", "s.labelwise", &format!("{}={other}", ids[0])]);
    assert_eq!(differs.status.code(), Some(2));
    let panel = json(&folder, &["estimate", "s.labelwise"]);
    let annotators = &panel["annotators"];
    assert_eq!(
        (annotators["estimated"].as_bool(), annotators["agreement"]["items"].as_u64()),
        (Some(true), Some(30))
    );
    let agreement = annotators["agreement"]["agreement"].as_f64().unwrap();
    assert!((0.4..0.9).contains(&agreement), "{panel}");
    assert_eq!(annotators["agreement"]["differing"].as_u64(), Some(10));
    assert!(annotators["agreement"]["kappa_interval"].is_array());
    let width = |of: &Value| of["high"].as_f64().unwrap() - of["low"].as_f64().unwrap();
    assert!(width(&panel) > width(&alone), "{} {}", width(&panel), width(&alone));
    assert!(panel["estimate"] != alone["estimate"]);
    folder.run(&["estimate", "s.labelwise", "--loss", "rate,kappa,sensitivity"]);
    // With every item labelled, the interval is still about the mean over annotators.
    work(&folder, "s.labelwise", SIZE - 60, 20, |item| label(item).to_owned());
    assert!(width(&json(&folder, &["estimate", "s.labelwise"])) > 0.01);
    folder.run(&["verify", "s.labelwise"]);
}

#[test]
fn whole_groups_give_pass_at_k() {
    let folder = Folder::new();
    let (groups, size) = (60, 3);
    let pass =
        |prompt: usize, sample: usize| spread(prompt, 1) + 0.3 * spread(size * prompt + sample, 2) > 0.65;
    let mut rows = String::from("id,prompt,judge,answer,label\n");
    for prompt in 0..groups {
        for sample in 0..size {
            let said =
                if spread(prompt, 1) + 0.2 * spread(sample + 7 * prompt, 3) > 0.6 { "pass" } else { "fail" };
            let label = if pass(prompt, sample) { "pass" } else { "fail" };
            writeln!(rows, "s{prompt}-{sample},p{prompt},{said},answer {sample} of {prompt},{label}")
                .unwrap();
        }
    }
    folder.write("samples.csv", &rows);
    let options =
        ["--judge", "judge", "--group", "prompt", "--loss", "pass@2,pass^2,pass@1", "--positive", "pass"];
    folder.run(&[&["new", "samples.csv", "--out", "g.labelwise"][..], &options].concat());
    let passes = |prompt: usize| (0..size).filter(|sample| pass(prompt, *sample)).count();
    let mut told = 0;
    while told < groups {
        let asked: Value =
            serde_json::from_str(&folder.run(&["ask", "g.labelwise", "-n", "20", "--json"])).unwrap();
        let mut answers = String::from("id,label\n");
        for item in asked["items"].as_array().unwrap() {
            let id = item["id"].as_str().unwrap();
            assert_eq!(item["answer 2"].as_str().unwrap(), format!("answer 1 of {}", &id[1..]));
            let prompt: usize = id[1..].parse().unwrap();
            let each = (0..size).map(|sample| if pass(prompt, sample) { "pass" } else { "fail" });
            let each = each.collect::<Vec<_>>().join("|");
            writeln!(
                answers,
                "{id},{}",
                if prompt.is_multiple_of(2) { each } else { passes(prompt).to_string() }
            )
            .unwrap();
            told += 1;
        }
        folder.write("labels.csv", &answers);
        folder.run(&["tell", "g.labelwise", "labels.csv"]);
        folder.run(&["estimate", "g.labelwise"]);
    }
    let mean = |of: &dyn Fn(f64) -> f64| {
        (0..groups).map(|prompt| of(passes(prompt) as f64)).sum::<f64>() / groups as f64
    };
    let truths =
        [mean(&|c| 1.0 - (3.0 - c) * (2.0 - c) / 6.0), mean(&|c| c * (c - 1.0) / 6.0), mean(&|c| c / 3.0)];
    let found = json(&folder, &["estimate", "g.labelwise"]);
    for (row, truth) in found.as_array().unwrap().iter().zip(truths) {
        assert!((row["estimate"].as_f64().unwrap() - truth).abs() < 1e-9, "{row}: {truth}");
    }
    let simulated = ["simulate", "samples.csv", "--label-column", "label", "--budget", "20", "--runs", "10"];
    json(&folder, &[&simulated[..], &options[..4], &["--loss", "pass^3", "--positive", "pass"]].concat());
    let refused = |arguments: &[&str]| {
        let output = folder.output(
            &[&["new", "samples.csv", "--judge", "judge", "--positive", "pass"][..], arguments].concat(),
        );
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&["--group", "prompt", "--loss", "rate"]).contains("pass@1"));
    assert!(refused(&["--group", "prompts", "--loss", "pass@2"]).contains("prompts"));
    assert!(refused(&["--group", "prompt", "--loss", "pass@4"]).contains("smaller k"));
    assert!(refused(&["--loss", "pass@2"]).contains("pass@2"));
    folder.write("samples.csv", &rows.replacen("s0-2,p0", "s0-2,p1", 1));
    let said = refused(&["--group", "prompt", "--loss", "pass@2"]);
    assert!(said.contains("has 2 samples, but") && said.contains("has 4"), "{said}");
}

#[test]
fn a_next_batch_is_estimated_and_begun() {
    let folder = folder();
    let new = [
        "new",
        "answers.csv",
        "--judge",
        "verdict",
        "--loss",
        "rate",
        "--positive",
        "pass",
        "--out",
        "s.labelwise",
    ];
    folder.run(&new);
    work(&folder, "s.labelwise", SIZE, 40, |item| label(item).to_owned());
    // The same answers again: both assumptions hold, and the rate is that of this batch.
    let found = json(&folder, &["apply", "s.labelwise", "answers.csv"]);
    let rate = (0..SIZE).filter(|&item| label(item) == "pass").count() as f64 / SIZE as f64;
    for assumption in ["by_error_rates", "by_verdicts"] {
        let value = found[assumption]["value"].as_f64().unwrap();
        assert!((value - rate).abs() < 1e-6, "{assumption}: {found} {rate}");
        assert!(
            found[assumption]["low"].as_f64().unwrap() < rate
                && found[assumption]["high"].as_f64().unwrap() > rate
        );
    }
    // Only items that pass: what the judge passes is right as often as here.
    let mut next = String::from("id,verdict,text\n");
    (0..50).for_each(|item| writeln!(next, "n{item},pass,text {item}").unwrap());
    writeln!(next, "n50,fail,text").unwrap();
    folder.write("next.csv", &next);
    let said = folder.run(&["apply", "s.labelwise", "next.csv", "--out", "next.labelwise"]);
    assert!(
        said.contains("warning: ")
            && said.contains("up to 31 points")
            && said.contains("labelwise ask next.labelwise -n 50"),
        "{said}"
    );
    let found = json(&folder, &["apply", "s.labelwise", "next.csv"]);
    let right = |verdict: bool| {
        let of = |item: &usize| (score(*item) > 0.5) == verdict;
        let all = (0..SIZE).filter(of).count() as f64;
        (0..SIZE).filter(of).filter(|&item| label(item) == "pass").count() as f64 / all
    };
    let truth = (50.0 * right(true) + right(false)) / 51.0;
    assert!((found["by_verdicts"]["value"].as_f64().unwrap() - truth).abs() < 1e-6, "{found} {truth}");
    let asked: Value =
        serde_json::from_str(&folder.run(&["ask", "next.labelwise", "-n", "5", "--json"])).unwrap();
    assert_eq!(asked["items"].as_array().unwrap().len(), 5);
    let other = folder.output(&["apply", "s.labelwise", "answers.csv", "--judge", "judge_score"]);
    assert_eq!(other.status.code(), Some(2));
}
