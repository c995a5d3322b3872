//! Metrics that are not averages, slices and groups, from the pool to numbers that are right.

use std::fmt::Write;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{CLASSES, Folder, label, probabilities, spread};

const SIZE: usize = 200;

/// The class the model says.
fn predicted(item: usize) -> usize {
    let rows = probabilities(item);
    (0..3).fold(0, |best, class| if rows[class] > rows[best] { class } else { best })
}

fn truth(item: usize) -> usize {
    CLASSES.iter().position(|class| *class == label(item)).unwrap()
}

/// F1 of a class of these items, computed directly.
fn f1(class: usize, items: impl Iterator<Item = usize>) -> f64 {
    let (mut both, mut either) = (0.0, 0.0);
    for item in items {
        let (said, is) = (predicted(item) == class, truth(item) == class);
        both += f64::from(u8::from(said && is));
        either += f64::from(u8::from(said)) + f64::from(u8::from(is));
    }
    2.0 * both / either
}

fn json(folder: &Folder, arguments: &[&str]) -> Vec<Value> {
    match serde_json::from_str(&folder.run(&[arguments, &["--json"]].concat())).unwrap() {
        Value::Array(all) => all,
        one => vec![one],
    }
}

/// The pool with a column to slice by and one to group by.
fn with_slices(folder: &Folder) {
    let mut text = String::from("id,prob_cat,prob_dog,prob_owl,place,album\n");
    for item in 0..SIZE {
        let [cat, dog, owl] = probabilities(item);
        let place = if item >= SIZE - 3 { "moon" } else { ["barn", "loft"][item % 2] };
        writeln!(text, "row-{item},{cat:.8},{dog:.8},{owl:.8},{place},album-{}", item / 5).unwrap();
    }
    folder.write("sliced.csv", &text);
}

#[test]
fn what_people_read() {
    let folder = Folder::new();
    with_slices(&folder);
    let mut story = vec![folder.transcript(&[
        "new",
        "sliced.csv",
        "--out",
        "f1.labelwise",
        "--loss",
        "f1,accuracy",
        "--positive",
        "owl",
        "--seed",
        "3",
    ])];
    for _ in 0..2 {
        folder.label("f1.labelwise", 50, |item| label(item).to_owned());
    }
    for arguments in [
        &["estimate", "f1.labelwise"][..],
        &["estimate", "f1.labelwise", "--json"],
        &[
            "estimate",
            "f1.labelwise",
            "--metric",
            "precision,recall_macro,matthews_corrcoef,roc_auc",
            "--positive",
            "cat",
        ],
        &["estimate", "f1.labelwise", "--loss", "f1_per_class", "--simultaneous"],
        &["estimate", "f1.labelwise", "--loss", "calibration"],
        &["estimate", "f1.labelwise", "--loss", "f1,cross-entropy", "--by", "place"],
        &["estimate", "f1.labelwise", "--loss", "recall", "--by", "place", "--json"],
        &["estimate", "f1.labelwise", "--loss", "f1", "--target", "population"],
        &["estimate", "f1.labelwise", "--loss", "f1,accuracy", "--target", "population", "--group", "album"],
        &["status", "f1.labelwise"],
        &["verify", "f1.labelwise"],
    ] {
        let said = folder.transcript(arguments);
        assert!(said.contains("exit code: 0"), "{said}");
        story.push(said);
    }
    assert_snapshot!("metrics", story.join("\n"));
    folder.run(&["report", "f1.labelwise", "--out", "report.html"]);
    let page = std::fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(
        page.contains("Metrics that are not averages") && page.contains("F1 of owl") && !page.contains("NaN")
    );
    assert!(page.contains("draws made for") || page.contains("f1,accuracy"));
}

#[test]
fn with_every_label_metrics_and_slices_are_exact() {
    let folder = Folder::new();
    with_slices(&folder);
    folder.run(&["new", "sliced.csv", "--out", "all.labelwise", "--loss", "f1_macro", "--seed", "5"]);
    for count in [50, 50, 50, 50] {
        folder.label("all.labelwise", count, |item| label(item).to_owned());
    }
    let near = |found: &Value, expected: f64| {
        let value = found["estimate"].as_f64().unwrap();
        assert!((value - expected).abs() < 1e-12, "{found} and not {expected}");
        assert_eq!((&found["low"], &found["interval"]), (&found["high"], &Value::from("exact")), "{found}");
        assert_eq!(found["bias"], "unbiased");
    };
    let of_class: Vec<f64> = (0..3).map(|class| f1(class, 0..SIZE)).collect();
    near(&json(&folder, &["estimate", "all.labelwise"])[0], of_class.iter().sum::<f64>() / 3.0);
    let per_class = json(&folder, &["estimate", "all.labelwise", "--loss", "f1_per_class", "--by", "place"]);
    assert_eq!(per_class.len(), 3 * 4);
    for (class, found) in per_class.chunks(4).enumerate() {
        near(&found[0], of_class[class]);
        near(&found[1], f1(class, (0..SIZE - 3).step_by(2)));
        near(&found[2], f1(class, (1..SIZE - 3).step_by(2)));
        assert_eq!(
            (&found[1]["slice"]["value"], &found[1]["class"]),
            (&"barn".into(), &CLASSES[class].into())
        );
        assert_eq!((&found[3]["pool_size"], &found[3]["labels"]), (&3.into(), &3.into()));
    }
    // The micro average is the accuracy, and goes its way.
    let accuracy = json(&folder, &["estimate", "all.labelwise", "--loss", "f1_micro,accuracy"]);
    assert_eq!(accuracy[0]["estimate"], accuracy[1]["estimate"]);
    folder.run(&["verify", "all.labelwise"]);
}

#[test]
fn classes_without_probabilities_have_metrics_of_classes() {
    let folder = Folder::new();
    let rows: String = (0..SIZE).map(|item| format!("row-{item},{}\n", CLASSES[predicted(item)])).collect();
    folder.write("hard.csv", &format!("id,answer\n{rows}"));
    folder.run(&[
        "new",
        "hard.csv",
        "--out",
        "hard.labelwise",
        "--hard",
        "answer",
        "--loss",
        "f1",
        "--positive",
        "dog",
    ]);
    folder.label("hard.labelwise", SIZE, |item| label(item).to_owned());
    let found = &json(&folder, &["estimate", "hard.labelwise"])[0];
    assert!((found["estimate"].as_f64().unwrap() - f1(1, 0..SIZE)).abs() < 1e-12, "{found}");
    assert_eq!(found["class"], "dog");
    let mean = (0..3).map(|class| f1(class, 0..SIZE)).sum::<f64>() / 3.0;
    let found = &json(&folder, &["estimate", "hard.labelwise", "--loss", "f1_macro"])[0];
    assert!((found["estimate"].as_f64().unwrap() - mean).abs() < 1e-12, "{found}");
    // A class that nobody has seen is not a mistake, and not 0.
    let found = &json(&folder, &["estimate", "hard.labelwise", "--loss", "recall", "--positive", "newt"])[0];
    assert_eq!((&found["estimate"], &found["undefined"]), (&Value::Null, &"no item is labelled newt".into()));
}

#[test]
fn values_have_a_root_and_a_share_explained() {
    let folder = Folder::new();
    let value = |item: usize| 3.0 * spread(item, 0) + 0.3 * spread(item, 1);
    let mean = |item: usize| 3.0 * spread(item, 0);
    let rows: String = (0..SIZE)
        .map(|item| format!("row-{item},{:.6},{:.6}\n", mean(item), 0.01 + 0.1 * spread(item, 2)))
        .collect();
    folder.write("values.csv", &format!("id,mean,variance\n{rows}"));
    let new = ["new", "values.csv", "--out", "values.labelwise", "--mean", "mean", "--variance", "variance"];
    folder.run(&[&new[..], &["--loss", "r2,rmse"]].concat());
    for count in [60, 140] {
        folder.label("values.labelwise", count, |item| format!("{:.6}", value(item)));
        let found = json(&folder, &["estimate", "values.labelwise"]);
        let errors: Vec<f64> = (0..SIZE).map(|item| (value(item) - mean(item)).powi(2)).collect();
        let error = errors.iter().sum::<f64>() / SIZE as f64;
        let centre = (0..SIZE).map(value).sum::<f64>() / SIZE as f64;
        let spread = (0..SIZE).map(|item| (value(item) - centre).powi(2)).sum::<f64>() / SIZE as f64;
        // Pools and labels are written with six digits.
        let slack = if count == 140 { 1e-5 } else { 0.05 };
        assert!((found[0]["estimate"].as_f64().unwrap() - (1.0 - error / spread)).abs() < slack, "{found:?}");
        assert!((found[1]["estimate"].as_f64().unwrap() - error.sqrt()).abs() < slack, "{found:?}");
    }
    let negative =
        &json(&folder, &["estimate", "values.labelwise", "--loss", "neg_root_mean_squared_error"])[0];
    assert!(
        negative["estimate"].as_f64().unwrap() < 0.0 && negative["higher_is_better"] == true,
        "{negative}"
    );
    folder.run(&["verify", "values.labelwise"]);
    let said = folder.transcript(&["estimate", "values.labelwise", "--loss", "f1"]);
    assert!(said.contains("exit code: 2") && said.contains("f1 cannot be measured on values"), "{said}");
}

/// No command answers about another metric than the one that the evaluation was made for.
#[test]
fn nothing_answers_about_another_metric() {
    let folder = Folder::new();
    with_slices(&folder);
    folder.run(&["new", "sliced.csv", "--out", "f1.labelwise", "--loss", "f1", "--positive", "owl"]);
    folder.label("f1.labelwise", 60, |item| label(item).to_owned());
    for command in
        [&["check", "f1.labelwise", "--below", "0.9"][..], &["plan", "f1.labelwise", "--half-width", "0.1"]]
    {
        let said = folder.transcript(command);
        assert!(!said.contains("exit code: 2") && said.contains("f1"), "{said}");
    }
    let said = folder.transcript(&["compare", "f1.labelwise", "sliced.csv"]);
    assert!(said.contains("exit code: 0") && said.contains("may be equally good by f1 of owl"), "{said}");
    folder.run(&["new", "sliced.csv", "--out", "two.labelwise", "--loss", "f1,recall", "--positive", "owl"]);
    folder.label("two.labelwise", 60, |item| label(item).to_owned());
    let said = folder.transcript(&["check", "two.labelwise", "--below", "0.9"]);
    assert!(said.contains("the evaluation was created for f1,recall: name one of them"), "{said}");
    let said =
        folder.run(&["new", "sliced.csv", "--out", "again.labelwise", "--loss", "f1", "--positive", "owl"]);
    assert!(
        !said.contains("expected gain") && !said.contains("expected cost"),
        "what is expected is of another loss: {said}"
    );
}

#[test]
fn nonsense_is_refused() {
    let folder = Folder::new();
    with_slices(&folder);
    folder.run(&["new", "sliced.csv", "--out", "pets.labelwise"]);
    folder.label("pets.labelwise", 10, |item| label(item).to_owned());
    folder.run(&["new", "sliced.csv", "--out", "bare.labelwise"]);
    folder.run(&["new", "sliced.csv", "--out", "skipped.labelwise"]);
    let asked = folder.run(&["ask", "skipped.labelwise", "-n", "1", "--format", "csv"]);
    let id = asked.lines().nth(1).unwrap().split(',').next().unwrap();
    folder.run(&["skip", "skipped.labelwise", id]);
    let new = |rest: &[&'static str]| [&["new", "sliced.csv", "--out", "b.labelwise"][..], rest].concat();
    let mut story = Vec::new();
    for arguments in [
        new(&["--loss", "f2"]),
        new(&["--loss", "f1"]),
        new(&["--loss", "f1", "--positive", "newt"]),
        new(&["--loss", "accuracy", "--positive", "cat"]),
        new(&["--loss", "f1_macro,squared-error"]),
        new(&["--loss", "rmse"]),
        vec!["estimate", "bare.labelwise", "--loss", "f1_macro"],
        vec!["estimate", "bare.labelwise", "--loss", "calibration"],
        vec!["estimate", "skipped.labelwise", "--loss", "matthews_corrcoef"],
        vec!["estimate", "pets.labelwise", "--loss", "f1"],
        vec!["estimate", "pets.labelwise", "--loss", "f1", "--positive", "newt"],
        vec!["estimate", "pets.labelwise", "--positive", "cat"],
        vec!["estimate", "pets.labelwise", "--loss", "r2"],
        vec!["estimate", "pets.labelwise", "--by", "colour"],
        vec!["estimate", "pets.labelwise", "--group", "album"],
        vec!["estimate", "pets.labelwise", "--group", "colour", "--target", "population"],
        vec!["estimate", "pets.labelwise", "--loss", "calibration", "--by", "place"],
        vec!["estimate", "pets.labelwise", "--loss", "f1_macro", "--interval", "guaranteed"],
        vec!["estimate", "pets.labelwise", "--loss", "zero-one", "--by", "place", "--estimator", "lure"],
        vec!["estimate", "pets.labelwise", "--loss", "f1", "--json"],
    ] {
        let said = folder.transcript(&arguments);
        assert!(said.contains("exit code: 2"), "{said}");
        story.push(said);
    }
    assert_snapshot!("metrics_nonsense", story.join("\n"));
    assert!(!folder.path("b.labelwise").exists());
    // Too few labels, or none of a class, is not a failure: it is said.
    let said = folder.run(&["estimate", "pets.labelwise", "--loss", "f1_macro,roc_auc", "--positive", "owl"]);
    assert!(said.contains("treat the interval as rough") || said.contains("undefined"), "{said}");
}

/// One number, one value: all items by slices and for groups are what they are by themselves.
#[test]
fn all_items_have_one_value() {
    let folder = Folder::new();
    with_slices(&folder);
    folder.run(&["new", "sliced.csv", "--out", "one.labelwise", "--loss", "accuracy", "--seed", "5"]);
    folder.label("one.labelwise", 80, |item| label(item).to_owned());
    let rows: String = (0..SIZE)
        .map(|item| format!("row-{item},{:.6},0.5,half-{}\n", 3.0 * spread(item, 0), item % 2))
        .collect();
    folder.write("values.csv", &format!("id,mean,variance,place\n{rows}"));
    let new = ["new", "values.csv", "--out", "two.labelwise", "--mean", "mean", "--variance", "variance"];
    folder.run(&[&new[..], &["--loss", "rmse", "--seed", "5"]].concat());
    folder.label("two.labelwise", 80, |item| format!("{:.6}", 3.0 * spread(item, 0) + spread(item, 1)));
    for (file, metric) in [
        ("one.labelwise", "accuracy"),
        ("one.labelwise", "cross-entropy"),
        ("two.labelwise", "rmse"),
        ("two.labelwise", "neg_root_mean_squared_error"),
        ("two.labelwise", "absolute-error"),
    ] {
        for target in ["pool", "population"] {
            let question = ["estimate", file, "--loss", metric, "--target", target];
            let by_itself = &json(&folder, &question)[0];
            let sliced = &json(&folder, &[&question[..], &["--by", "place"]].concat())[0];
            for field in ["estimate", "low", "high", "labels", "pool_size"] {
                assert_eq!(sliced[field], by_itself[field], "{field}: {sliced} and {by_itself}");
            }
            if target == "population" {
                let grouped = &json(&folder, &[&question[..], &["--group", "place"]].concat())[0];
                assert_eq!(grouped["estimate"], by_itself["estimate"], "{grouped} and {by_itself}");
            }
        }
    }
}
