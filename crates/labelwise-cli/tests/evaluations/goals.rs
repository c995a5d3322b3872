//! Thresholds and plans for metrics that are not averages.

use std::fmt::Write;

use serde_json::Value;

use crate::folder::{CLASSES, Folder, label, probabilities, spread};

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.output(&[arguments, &["--json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{}", folder.transcript(arguments)))
}

/// A pool of three classes with many items, and an evaluation that is made for a metric.
fn evaluation(folder: &Folder, size: usize, metric: &str) {
    folder.write("pets.csv", &crate::folder::pool_csv(size));
    let new = ["new", "pets.csv", "--out", "pets.labelwise", "--loss", metric, "--seed", "4"];
    let positive = if metric.contains("macro") || metric.contains("per_class") {
        &[][..]
    } else {
        &["--positive", "cat"]
    };
    folder.run(&[&new[..], positive].concat());
}

/// F1 of a class on the whole pool.
fn f1(class: usize, size: usize) -> f64 {
    let (mut both, mut either) = (0.0, 0.0);
    for item in 0..size {
        let rows = probabilities(item);
        let said = (0..3).fold(0, |best, other| if rows[other] > rows[best] { other } else { best });
        let (said, is) = (said == class, label(item) == CLASSES[class]);
        both += f64::from(u8::from(said && is));
        either += 0.5 * (f64::from(u8::from(said)) + f64::from(u8::from(is)));
    }
    both / either
}

#[test]
fn a_threshold_on_f1_is_decided_at_every_look() {
    let folder = Folder::new();
    evaluation(&folder, 2000, "f1");
    let truth = f1(0, 2000);
    let check =
        |side: &str, value: f64| json(&folder, &["check", "pets.labelwise", side, &format!("{value:.4}")]);
    assert_eq!(check("--above", 0.5)["verdict"], "undecided");
    let mut seen = Vec::new();
    for _ in 0..6 {
        folder.label("pets.labelwise", 100, |item| label(item).to_owned());
        let found = check("--above", truth - 0.2);
        let (low, high) = (found["low"].as_f64().unwrap(), found["high"].as_f64().unwrap());
        assert!(low <= truth && truth <= high && found["method"] == "anytime", "{found}, {truth}");
        seen.push((found["verdict"].as_str().unwrap().to_owned(), high - low));
    }
    assert_eq!(seen.last().unwrap().0, "met", "{seen:?}, {truth}");
    assert!(seen[5].1 < 0.5 * seen[0].1, "{seen:?}");
    assert_eq!(check("--below", truth - 0.2)["verdict"], "not met");
    assert_eq!(check("--above", truth + 0.15)["verdict"], "not met");
    // The guarantee holds with more doubt; one look has less.
    let width = |method: &str| {
        let found = json(
            &folder,
            &["check", "pets.labelwise", "--above", &format!("{truth:.4}"), "--method", method],
        );
        found["high"].as_f64().unwrap() - found["low"].as_f64().unwrap()
    };
    let (once, anytime, guaranteed) = (width("once"), width("anytime"), width("guaranteed"));
    assert!(once < anytime && once < guaranteed && guaranteed < 0.6, "{once}, {anytime}, {guaranteed}");
    let said = folder.transcript(&[
        "check",
        "pets.labelwise",
        "--above",
        &format!("{truth:.4}"),
        "--method",
        "once",
    ]);
    assert!(said.contains("valid for a single look") && said.contains("--method anytime"), "{said}");
}

#[test]
fn means_over_classes_and_every_class_share_the_error() {
    let folder = Folder::new();
    evaluation(&folder, 1000, "f1_macro");
    folder.label("pets.labelwise", 400, |item| label(item).to_owned());
    let truths: Vec<f64> = (0..3).map(|class| f1(class, 1000)).collect();
    let mean = truths.iter().sum::<f64>() / 3.0;
    let (least, most) = truths.iter().fold((1.0, 0.0), |(low, high), f1| (f1.min(low), f1.max(high)));
    for method in ["anytime", "once"] {
        let check = |metric: &str, side: &str, value: f64| {
            let value = format!("{value:.4}");
            let question = ["check", "pets.labelwise", "--loss", metric, side, &value, "--method", method];
            json(&folder, &question)
        };
        let within = |found: &Value, truth: f64| {
            let (low, high) = (found["low"].as_f64().unwrap(), found["high"].as_f64().unwrap());
            assert!(low <= truth && truth <= high, "{found}, {truth}");
        };
        for (side, value, verdict) in [
            ("--above", mean - 0.13, "met"),
            ("--below", mean + 0.13, "met"),
            ("--above", mean + 0.13, "not met"),
            ("--above", mean, "undecided"),
        ] {
            let found = check("f1_macro", side, value);
            within(&found, mean);
            assert_eq!((&found["verdict"], &found["certain"]), (&verdict.into(), &false.into()), "{found}");
        }
        let each = check("f1_per_class", "--below", most + 0.12);
        within(&each, most);
        assert_eq!((&each["verdict"], &each["certain"]), (&"met".into(), &false.into()), "{each}");
        assert_eq!(check("f1_per_class", "--above", least + 0.2)["verdict"], "not met");
    }
    let said = folder.transcript(&["check", "pets.labelwise", "--loss", "f1_per_class", "--below", "0.9"]);
    assert!(said.contains("met: f1_per_class of every class is below 0.9"), "{said}");
}

#[test]
fn what_is_certain_is_decided_exactly() {
    let folder = Folder::new();
    evaluation(&folder, 200, "precision");
    for _ in 0..4 {
        folder.label("pets.labelwise", 45, |item| label(item).to_owned());
    }
    let estimate = json(&folder, &["estimate", "pets.labelwise"]);
    let (low, high) = (estimate["low"].as_f64().unwrap(), estimate["high"].as_f64().unwrap());
    let below = format!("{}", low - 0.2);
    let found = json(&folder, &["check", "pets.labelwise", "--above", &below]);
    assert_eq!(
        (&found["verdict"], &found["certain"]),
        (&"met".into(), &true.into()),
        "{found}, {low}, {high}"
    );
    let said = folder.transcript(&["check", "pets.labelwise", "--above", &below]);
    assert!(said.contains("for certain") && !said.contains("sure"), "{said}");
}

#[test]
fn other_metrics_have_one_look_and_plans() {
    let folder = Folder::new();
    evaluation(&folder, 1000, "f1");
    let plan = |arguments: &[&str]| folder.run(&[&["plan", "pets.labelwise"][..], arguments].concat());
    assert!(
        plan(&["--half-width", "0.02"])
            .contains("f1: no forecast yet: a metric that is not an average needs 50")
    );
    folder.label("pets.labelwise", 150, |item| label(item).to_owned());
    for metric in ["matthews_corrcoef", "roc_auc"] {
        let said = folder.transcript(&["check", "pets.labelwise", "--loss", metric, "--above", "0.1"]);
        assert!(!said.contains("exit code: 2"), "{said}");
        for command in [["check", "--above"], ["plan", "--bar"]] {
            let question =
                [command[0], "pets.labelwise", "--loss", metric, command[1], "0.1", "--method", "anytime"];
            let said = folder.transcript(&question);
            assert!(
                said.contains("exit code: 2") && said.contains("no interval that holds at repeated looks"),
                "{said}"
            );
        }
    }
    let said = folder.transcript(&["check", "pets.labelwise", "--loss", "calibration", "--below", "0.2"]);
    assert!(said.contains("exit code: 0") || said.contains("exit code: 3"), "{said}");
    let found = json(&folder, &["plan", "pets.labelwise", "--half-width", "0.02", "--bar", "0.3"]);
    let needed = |found: &Value, goal: &str| found[goal]["needed"]["expected"].as_u64().unwrap();
    assert!((150..=1000).contains(&needed(&found, "half_width")) && found["rests_on"] == "labels", "{found}");
    assert!(needed(&found, "bar") < 1000, "{found}");
    let wider = json(&folder, &["plan", "pets.labelwise", "--half-width", "0.05"]);
    assert!(needed(&wider, "half_width") < needed(&found, "half_width"), "{wider}");
    let range = &found["half_width"]["needed"];
    assert!(range["low"].as_u64() < range["high"].as_u64(), "{found}");
    // More than is needed for it: the forecast was about right.
    let now = wider["half_width"]["now"].as_f64().unwrap();
    let reached = json(&folder, &["plan", "pets.labelwise", "--half-width", &format!("{}", now + 0.01)]);
    assert_eq!(reached["half_width"]["reached"], true, "{reached}");
    for (metric, value) in [("f1", "5"), ("matthews_corrcoef", "-2"), ("recall_macro", "90")] {
        let said = folder.transcript(&["check", "pets.labelwise", "--loss", metric, "--above", value]);
        assert!(said.contains("exit code: 2") && said.contains("is always between"), "{said}");
    }
    let said = folder.transcript(&[
        "check",
        "pets.labelwise",
        "--loss",
        "accuracy",
        "--positive",
        "cat",
        "--above",
        "0.5",
    ]);
    assert!(said.contains("exit code: 2") && said.contains("a positive class is named"), "{said}");
}

#[test]
fn roots_of_means_are_checked_as_means() {
    let folder = Folder::new();
    let mut text = String::from("id,mean,variance\n");
    let value = |item: usize| 3.0 * spread(item, 0) + spread(item, 1);
    (0..400).for_each(|item| writeln!(text, "row-{item},{:.6},0.3", 3.0 * spread(item, 0)).unwrap());
    folder.write("values.csv", &text);
    let new = ["new", "values.csv", "--out", "v.labelwise", "--mean", "mean", "--variance", "variance"];
    folder.run(&[&new[..], &["--loss", "rmse", "--range", "0,4"]].concat());
    folder.label("v.labelwise", 150, |item| format!("{:.6}", value(item)));
    let root = json(&folder, &["check", "v.labelwise", "--below", "0.9", "--method", "once"]);
    let square = json(
        &folder,
        &["check", "v.labelwise", "--loss", "squared-error", "--below", "0.81", "--method", "once"],
    );
    let (low, high) = (root["low"].as_f64().unwrap(), root["high"].as_f64().unwrap());
    assert!((low * low - square["low"].as_f64().unwrap()).abs() < 1e-12, "{root}, {square}");
    assert!((high * high - square["high"].as_f64().unwrap()).abs() < 1e-12 && root["verdict"] == "met");
    let negative = [
        "check",
        "v.labelwise",
        "--loss",
        "neg_root_mean_squared_error",
        "--above",
        "-0.9",
        "--method",
        "once",
    ];
    assert_eq!(json(&folder, &negative)["low"].as_f64().unwrap(), -high);
    let plan = json(&folder, &["plan", "v.labelwise", "--half-width", "0.01"]);
    assert!(plan["half_width"]["needed"]["expected"].as_u64().unwrap() > 150, "{plan}");
    let share = folder.transcript(&["check", "v.labelwise", "--loss", "r2", "--above", "0.1"]);
    assert!(share.contains("exit code: 0") || share.contains("exit code: 3"), "{share}");
}
