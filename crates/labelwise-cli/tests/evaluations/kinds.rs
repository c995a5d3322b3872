//! Every kind of predictions and every kind of surrogate, from the pool to a verified estimate near the truth.

use std::fmt::Write;

use serde_json::Value;

use crate::folder::{Folder, label, probabilities, spread};

const SIZE: usize = 200;

/// Labels so many items and checks that the evaluation verifies and that its interval is about the truth.
fn measured(
    folder: &Folder,
    evaluation: &str,
    count: usize,
    rule: impl Fn(usize) -> String,
    truth: f64,
) -> Value {
    for _ in 0..4 {
        folder.label(evaluation, count / 4, &rule);
    }
    folder.run(&["verify", evaluation]);
    let estimate: Value = serde_json::from_str(&folder.run(&["estimate", evaluation, "--json"])).unwrap();
    let number = |key: &str| estimate[key].as_f64().unwrap();
    // Wide enough for any seed of a test: four half-widths.
    let half = 2.0 * (number("high") - number("low"));
    assert!((number("estimate") - truth).abs() < half, "{estimate} against {truth}");
    assert_eq!(estimate["labels"], count);
    estimate
}

/// With every label there is nothing left to estimate: the number is the truth itself.
fn exact(folder: &Folder, evaluation: &str, rule: impl Fn(usize) -> String, truth: f64) {
    let status: Value = serde_json::from_str(&folder.run(&["status", evaluation, "--json"])).unwrap();
    let left = usize::try_from(status["left"].as_u64().unwrap()).unwrap();
    folder.label(evaluation, left, rule);
    let estimate: Value = serde_json::from_str(&folder.run(&["estimate", evaluation, "--json"])).unwrap();
    // Pools and labels are written with six digits.
    assert!((estimate["estimate"].as_f64().unwrap() - truth).abs() < 2e-6, "{estimate} against {truth}");
    folder.run(&["verify", evaluation]);
}

fn error_rate() -> f64 {
    let wrong = |item: usize| {
        let rows = probabilities(item);
        let best = (0..3).max_by(|&a, &b| rows[a].total_cmp(&rows[b])).unwrap();
        crate::folder::CLASSES[best] != label(item)
    };
    (0..SIZE).filter(|&item| wrong(item)).count() as f64 / SIZE as f64
}

#[test]
fn the_model_itself_and_given_predictions() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "own.labelwise", "--loss", "zero-one", "--belief", "as-given"]);
    measured(&folder, "own.labelwise", 80, |item| label(item).to_owned(), error_rate());

    // The second member's classes are in another order.
    let mut members = String::from("id,prob_cat,prob_dog,prob_owl,a_cat,a_dog,a_owl,b_owl,b_cat,b_dog\n");
    let mut other = String::from("id,prob_owl,prob_cat,prob_dog\n");
    for item in (0..SIZE).rev() {
        let [cat, dog, owl] = probabilities(item);
        let row = format!("{cat:.8},{dog:.8},{owl:.8}");
        writeln!(members, "row-{item},{row},0.5,0.25,0.25,{owl:.8},{cat:.8},{dog:.8}").unwrap();
        writeln!(other, "row-{item},{owl:.8},{cat:.8},{dog:.8}").unwrap();
    }
    folder.write("members.csv", &members);
    folder.write("other.csv", &other);
    let given = ["new", "members.csv", "--out", "given.labelwise", "--probs", "prob_*", "--loss", "accuracy"];
    let said = folder.run(&[&given[..], &["--surrogate-probs", "a_*", "--surrogate-probs", "b_*"]].concat());
    assert!(said.contains("surrogate: the given predictions"), "{said}");
    let estimate =
        measured(&folder, "given.labelwise", 80, |item| label(item).to_owned(), 1.0 - error_rate());
    assert_eq!(estimate["higher_is_better"], true);

    // A surrogate that says what the model says, its columns in another order: the same draws as by the model itself.
    let twin = [
        "new",
        "members.csv",
        "--out",
        "twin.labelwise",
        "--probs",
        "prob_*",
        "--loss",
        "zero-one",
        "--belief",
        "as-given",
    ];
    folder.run(&[&twin[..], &["--surrogate-probs", "b_*"]].concat());
    folder.run(&[
        "new",
        "members.csv",
        "--out",
        "alone.labelwise",
        "--probs",
        "prob_*",
        "--loss",
        "zero-one",
        "--belief",
        "as-given",
    ]);

    // The same predictions from another file, rows and classes in another order: the same draws as by the model itself.
    folder.run(&[
        "new",
        "pool.csv",
        "--out",
        "joined.labelwise",
        "--loss",
        "zero-one",
        "--surrogate-file",
        "other.csv",
        "--belief",
        "as-given",
    ]);
    folder.run(&["ask", "joined.labelwise", "-n", "80"]);
    let items = |evaluation: &str| -> Vec<String> {
        let draws = folder.run(&["export", evaluation]);
        draws.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(items("own.labelwise"), items("joined.labelwise"));
    for evaluation in ["twin.labelwise", "alone.labelwise"] {
        folder.run(&["ask", evaluation, "-n", "80"]);
    }
    assert_eq!(items("twin.labelwise"), items("alone.labelwise"));

    // Without a surrogate, all items are alike.
    folder.run(&["new", "pool.csv", "--out", "none.labelwise", "--surrogate", "none"]);
    folder.run(&["ask", "none.labelwise", "-n", "3"]);
    let draws = folder.run(&["export", "none.labelwise", "--json"]);
    let q = |line: &str| serde_json::from_str::<Value>(line).unwrap()["q"].as_f64().unwrap();
    let q: Vec<f64> = draws.lines().map(q).collect();
    assert_eq!(q, [200.0, 199.0, 198.0].map(|left: f64| 1.0 / left));
}

#[test]
fn surrogates_that_learn_classes() {
    let folder = Folder::new();
    let mut train = String::from("label,x1,x2\n");
    for item in SIZE..SIZE + 60 {
        writeln!(train, "{},{:.5},{:.5}", label(item), spread(item, 0), spread(item, 1)).unwrap();
    }
    folder.write("train.csv", &train);
    for (name, learner) in [("forest", "forest"), ("logistic", "logistic")] {
        let evaluation = format!("{name}.labelwise");
        let start = ["new", "pool.csv", "--out", &evaluation, "--features", "x*", "--surrogate", learner];
        let train =
            ["--train", "train.csv", "--train-label", "label", "--retrain", "20", "--loss", "zero-one"];
        folder.run(&[&start[..], &train[..]].concat());
        measured(&folder, &evaluation, 80, |item| label(item).to_owned(), error_rate());
        let status: Value = serde_json::from_str(&folder.run(&["status", &evaluation, "--json"])).unwrap();
        assert_eq!(status["refreshes"], 4, "{learner} learns again after every 20 labels");
        exact(&folder, &evaluation, |item| label(item).to_owned(), error_rate());
    }
    // Without rows of its own, a forest starts when there are labels enough.
    folder.run(&["new", "pool.csv", "--out", "bare.labelwise", "--features", "x*", "--loss", "zero-one"]);
    measured(&folder, "bare.labelwise", 80, |item| label(item).to_owned(), error_rate());
}

#[test]
fn classes_without_probabilities() {
    let folder = Folder::new();
    let mut hard = String::from("id,answer,x1,conf_yes,conf_no\n");
    let right = |item: usize| spread(item, 3) < 0.3 + 0.6 * spread(item, 0);
    for item in 0..SIZE {
        let sure = 0.3 + 0.6 * spread(item, 0);
        writeln!(
            hard,
            "row-{item},{},{:.5},{sure:.5},{:.5}",
            ["yes", "no"][item % 2],
            spread(item, 0),
            1.0 - sure
        )
        .unwrap();
    }
    folder.write("hard.csv", &hard);
    // The label is any text: what counts is whether it is the model's.
    let rule = |item: usize| {
        if right(item) { ["yes", "no"][item % 2] } else { "neither; said the judge" }.to_owned()
    };
    let truth = (0..SIZE).filter(|&item| right(item)).count() as f64 / SIZE as f64;
    folder.run(&["new", "hard.csv", "--out", "plain.labelwise", "--hard", "answer", "--loss", "accuracy"]);
    measured(&folder, "plain.labelwise", 80, rule, truth);
    // Numbers are the same class however they are written; a class in other letters is asked back.
    let id = folder.run(&["ask", "plain.labelwise", "--format", "csv"]).lines().nth(1).unwrap().to_owned();
    let said = ["yes", "no"][id.trim_start_matches("row-").parse::<usize>().unwrap() % 2];
    let refused = folder.output(&["tell", "plain.labelwise", &format!("{id}={}", said.to_uppercase())]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("spelled as the model spells it"));
    let learnt = ["new", "hard.csv", "--out", "learnt.labelwise", "--hard", "answer", "--features", "x1"];
    folder.run(&[&learnt[..], &["--loss", "accuracy", "--retrain", "40"]].concat());
    measured(&folder, "learnt.labelwise", 80, rule, truth);
    exact(&folder, "learnt.labelwise", rule, truth);
}

#[test]
fn values_with_and_without_variances() {
    let folder = Folder::new();
    let mut values = String::from("id,mean,variance,x1,x2\n");
    let truth = |item: usize| 3.0 * spread(item, 0) + 0.5 * (spread(item, 5) - 0.5);
    let predicted = |item: usize| 3.0 * spread(item, 0) + 0.8 * (spread(item, 1) - 0.5);
    for item in 0..SIZE {
        let (x, y) = (spread(item, 0), spread(item, 1));
        writeln!(values, "row-{item},{:.6},{:.6},{x:.5},{y:.5}", predicted(item), 0.02 + 0.1 * y).unwrap();
    }
    folder.write("values.csv", &values);
    let rounded = |value: f64| format!("{value:.6}").parse::<f64>().unwrap();
    let error = |item: usize| rounded(predicted(item)) - rounded(truth(item));
    let squared = (0..SIZE).map(|item| error(item).powi(2)).sum::<f64>() / SIZE as f64;
    let absolute = (0..SIZE).map(|item| error(item).abs()).sum::<f64>() / SIZE as f64;
    let rule = |item: usize| format!("{:.6}", truth(item));
    folder.run(&["new", "values.csv", "--out", "own.labelwise", "--mean", "mean", "--variance", "variance"]);
    measured(&folder, "own.labelwise", 80, rule, squared);
    exact(&folder, "own.labelwise", rule, squared);
    let bounded = ["--loss", "absolute-error", "--range", "-1,4"];
    folder.run(
        &[&["new", "values.csv", "--out", "bare.labelwise", "--mean", "mean"][..], &bounded[..]].concat(),
    );
    measured(&folder, "bare.labelwise", 80, rule, absolute);
    let sure: Value = serde_json::from_str(&folder.run(&[
        "estimate",
        "bare.labelwise",
        "--interval",
        "guaranteed",
        "--json",
    ]))
    .unwrap();
    assert!(sure["low"].as_f64().unwrap() <= absolute && absolute <= sure["high"].as_f64().unwrap());
    for learner in ["gp", "forest", "linear"] {
        let evaluation = format!("{learner}.labelwise");
        let start = ["new", "values.csv", "--out", &evaluation, "--mean", "mean", "--features", "x*"];
        folder.run(&[&start[..], &["--surrogate", learner, "--retrain", "40"]].concat());
        measured(&folder, &evaluation, 80, rule, squared);
        exact(&folder, &evaluation, rule, squared);
    }
}

#[test]
fn scores_and_the_numbers_of_a_judge() {
    let folder = Folder::new();
    let judged = |item: usize| spread(item, 0) * (0.5 + 0.5 * spread(item, 4));
    let mut scores = String::from("id,doubt\n");
    for item in 0..SIZE {
        writeln!(scores, "row-{item},{:.6}", 0.05 + 0.9 * spread(item, 0)).unwrap();
    }
    folder.write("scores.csv", &scores);
    let rule = |item: usize| format!("{:.6}", judged(item));
    let truth = (0..SIZE).map(judged).sum::<f64>() / SIZE as f64;
    folder.run(&["new", "scores.csv", "--out", "judge.labelwise", "--scores", "doubt", "--range", "0,1"]);
    let estimate = measured(&folder, "judge.labelwise", 80, rule, truth);
    assert_eq!(estimate["loss"], "value");
    exact(&folder, "judge.labelwise", rule, truth);
}

#[test]
fn a_skip_without_bounds_is_noted_where_it_is_made_and_by_status() {
    let folder = Folder::new();
    let rows: String = (0..40).map(|item| format!("row-{item},{item},0.5\n")).collect();
    folder.write("values.csv", &format!("id,mean,variance\n{rows}"));
    folder.run(&["new", "values.csv", "--mean", "mean", "--variance", "variance", "--out", "v.labelwise"]);
    let asked = folder.run(&["ask", "v.labelwise", "-n", "3", "--format", "csv"]);
    let ids: Vec<&str> = asked.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    let note = "has no bounds";
    assert!(folder.run(&["skip", "v.labelwise", ids[0]]).contains(note));
    assert!(folder.run(&["status", "v.labelwise"]).contains(note));
    assert!(!folder.run(&["tell", "v.labelwise", &format!("{}=3", ids[1])]).contains(note));
    // Once the label is there, nothing is left to note.
    assert!(!folder.run(&["tell", "v.labelwise", &format!("{}=3", ids[0])]).contains(note));
    assert!(!folder.run(&["status", "v.labelwise"]).contains(note));
}
