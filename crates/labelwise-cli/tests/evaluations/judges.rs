//! Judges and histories, from the pool to estimates with every label; rates and worths on other pools; bad input.

use std::fmt::Write;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{Folder, spread};

const SIZE: usize = 120;

fn score(item: usize) -> f64 {
    spread(item, 1)
}

fn label(item: usize) -> &'static str {
    if 0.7 * score(item) + 0.3 * spread(item, 2) > 0.45 { "pass" } else { "fail" }
}

fn rating(item: usize) -> f64 {
    (1.0 + 4.0 * (0.8 * score(item) + 0.2 * spread(item, 3))).round()
}

fn folder() -> Folder {
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
fn work(folder: &Folder, evaluation: &str, labels: usize, count: usize, of: impl Fn(usize) -> String) {
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

fn json(folder: &Folder, arguments: &[&str]) -> Value {
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
            writeln!(answers, "{},{}|{}", text("id"), answered(first), answered(second)).unwrap();
            told += 1;
        }
        folder.write("labels.csv", &answers);
        folder.run(&["tell", "v34.labelwise", "labels.csv"]);
        if told == 80 {
            assert_snapshot!("pairs_verdict", folder.transcript(&["compare", "v34.labelwise"]));
            folder.run(&["compare", "v34.labelwise", "--interval", "anytime"]);
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

#[test]
fn bad_input_is_named_with_the_way_out() {
    let folder = folder();
    folder.write("constant.csv", "id,judge\na,0.5\nb,0.5\nc,\n");
    folder.write("odd.csv", "id,judge\na,pass\nb,maybe\nc,fail\n");
    folder.write("stars.csv", "id,stars,m_a\na,4,1\nb,7,0\nc,1,3\n");
    folder.write("votes.csv", "id,vote,label\na,X,X\nb,Y,tie\nc,X,Y\n");
    let mut said = String::new();
    for arguments in [
        vec!["new", "constant.csv", "--judge", "judge", "--loss", "rate", "--positive", "pass"],
        vec!["new", "odd.csv", "--judge", "judge", "--loss", "value", "--worth", "pass=1,fail=0"],
        vec!["new", "votes.csv", "--judge", "vote", "--loss", "rate"],
        vec!["new", "odd.csv", "--judge", "judge", "--loss", "rate", "--positive", "good"],
        vec!["new", "stars.csv", "--judge", "stars", "--loss", "value", "--range", "1,5"],
        vec!["new", "stars.csv", "--judge", "stars", "--loss", "value"],
        vec!["new", "stars.csv", "--history", "m_*", "--loss", "value", "--range", "0,1"],
        vec!["new", "stars.csv", "--judge", "points", "--loss", "rate", "--positive", "1"],
        vec![
            "simulate",
            "votes.csv",
            "--judge",
            "vote",
            "--loss",
            "value",
            "--worth",
            "X=1,Y=0",
            "--label-column",
            "label",
        ],
        vec!["new", "votes.csv", "--judge", "vote", "--loss", "value", "--worth", "X=1,Y=1"],
        vec!["new", "pool.csv", "--loss", "rate"],
        vec!["new", "pool.csv", "--loss", "value"],
    ] {
        let output = folder.output(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        said += &folder.transcript(&arguments);
        said += "\n";
    }
    assert_snapshot!("bad_judges", said);
}

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
    folder.run(&["tell", "s.labelwise", "opinions.csv"]);
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

#[test]
fn a_doctor_names_the_command() {
    let folder = folder();
    let found = json(&folder, &["doctor", "answers.csv"]);
    let uses = |name: &str| {
        let column =
            found["columns"].as_array().unwrap().iter().find(|column| column["name"] == name).unwrap();
        column["uses"][0].as_str().unwrap().to_owned()
    };
    assert_eq!(
        [uses("id"), uses("judge_score"), uses("label"), uses("text")],
        ["ids", "judge", "label", "text for the labeller"]
    );
    let next: Vec<&str> =
        found["next"].as_array().unwrap().iter().map(|advice| advice["command"].as_str().unwrap()).collect();
    assert_eq!(next[0], "labelwise new answers.csv --judge judge_score --loss rate --positive pass");
    assert!(next[1].starts_with(
        "labelwise simulate answers.csv --judge judge_score --loss rate --positive pass --label-column label"
    ));
    // The commands work as they are printed.
    for command in next {
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        folder.run(&words);
    }
}

#[test]
fn histories_come_from_files() {
    let folder = Folder::new();
    let mut pool = String::from("id,text,target\n");
    let mut old = [String::from("id,result\n"), String::from("id,result\n")];
    for item in 0..SIZE {
        let result = |model: usize| u8::from(score(item) + 0.3 * spread(item, 4 + model) > 0.6);
        writeln!(pool, "i{item},text {item},{}", result(0)).unwrap();
        for (model, file) in old.iter_mut().enumerate() {
            if item % 10 != model {
                writeln!(file, "i{item},{}", result(model + 1)).unwrap();
            }
        }
    }
    folder.write("pool.csv", &pool);
    folder.write("old-1.csv", &old[0]);
    folder.write("old-2.csv", &old[1]);
    let new = [
        "new",
        "pool.csv",
        "--history",
        "old-*.csv",
        "--loss",
        "value",
        "--range",
        "0,1",
        "--out",
        "h.labelwise",
    ];
    let said = folder.run(&new);
    assert!(said.contains("results of 108 of the 120 items"), "{said}");
    assert!(said.contains("the results of 2 other models"), "{said}");
    let simulated =
        ["simulate", "pool.csv", "--history", "old-1.csv:result", "--loss", "value", "--range", "0,1"];
    json(
        &folder,
        &[&simulated[..], &["--label-column", "target", "--budget", "30", "--runs", "10"]].concat(),
    );
}

#[test]
fn numbers_of_a_judge_stay_in_their_range() {
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
    // Labels that contradict the judge: its kappa is near -1, and no interval ends below that.
    let turned = |item: usize| if score(item) > 0.5 { "fail" } else { "pass" }.to_owned();
    let mut lowest = f64::INFINITY;
    for _ in 0..8 {
        work(&folder, "s.labelwise", 4, 4, turned);
        let found = json(&folder, &["estimate", "s.labelwise", "--loss", "kappa"]);
        if let Some(low) = found["low"].as_f64() {
            assert!(low >= -1.0, "{found}");
            lowest = lowest.min(low);
        }
    }
    assert!(lowest < -0.9, "{lowest}");
    let status = json(&folder, &["status", "s.labelwise"]);
    assert_eq!(status["surrogate"], "the judge judge_score (scores from 0 to 1)");
}

#[test]
fn infinite_scores_are_no_verdicts() {
    let folder = Folder::new();
    folder.write("rewards.csv", "id,judge\na,-1.5\nb,inf\nc,2\nd,\n");
    let said = folder.transcript(&[
        "new",
        "rewards.csv",
        "--judge",
        "judge",
        "--loss",
        "rate",
        "--positive",
        "pass",
    ]);
    assert!(
        said.contains("exit code: 2")
            && said.contains("says \"inf\" of item \"b\", which is not a finite number"),
        "{said}"
    );
}
