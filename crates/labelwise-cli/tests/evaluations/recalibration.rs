//! Recalibrated beliefs: labels of other items, and proposals that are computed ahead of time.

use std::fmt::Write;

use serde_json::Value;

use crate::folder::{Folder, spread};

const SIZE: usize = 300;

/// A model that is far too sure of itself: it is right 70 times of 100, whatever it says.
fn rows(from: usize, count: usize, labels: bool) -> String {
    let mut text =
        String::from(if labels { "id,prob_cat,prob_dog,label\n" } else { "id,prob_cat,prob_dog\n" });
    for item in from..from + count {
        let sure = 0.9 + 0.099 * spread(item, 1);
        write!(text, "row-{item},{sure:.6},{:.6}", 1.0 - sure).unwrap();
        let label = if spread(item, 2) < 0.7 { "cat" } else { "dog" };
        text.push_str(&if labels { format!(",{label}\n") } else { "\n".to_owned() });
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("pool.csv", &rows(0, SIZE, false));
    folder.write("known.csv", &rows(0, SIZE, true));
    folder.write("other.csv", &rows(SIZE, 200, true));
    folder
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&folder.run(&[arguments, &["--json"]].concat())).unwrap()
}

fn labels_of(asked: &Value) -> String {
    let ids = asked["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap());
    let label = |id: &str| {
        let item: usize = id.trim_start_matches("row-").parse().unwrap();
        if spread(item, 2) < 0.7 { "cat" } else { "dog" }
    };
    ids.fold("id,label\n".to_owned(), |text, id| text + &format!("{id},{}\n", label(id)))
}

#[test]
fn labels_of_other_items_recalibrate_before_the_first_draw() {
    let folder = folder();
    let new = |out: &str, more: &[&str]| {
        let start = ["new", "pool.csv", "--out", out, "--loss", "cross-entropy"];
        folder.run(&[&start, more].concat())
    };
    new("plain.labelwise", &[]);
    let said = new("calibrated.labelwise", &["--calibration", "other.csv"]);
    assert!(said.contains("200 labels of other items (other.csv) recalibrate"), "{said}");
    let (plain, calibrated) = (
        json(&folder, &["ask", "plain.labelwise", "-n", "30"]),
        json(&folder, &["ask", "calibrated.labelwise", "-n", "30"]),
    );
    assert_ne!(plain["items"], calibrated["items"]);
    folder.write("labels.csv", &labels_of(&calibrated));
    folder.run(&["tell", "calibrated.labelwise", "labels.csv"]);
    // Later proposals and estimates use them too, from the file alone.
    folder.run(&["ask", "calibrated.labelwise", "-n", "5"]);
    folder.run(&["verify", "calibrated.labelwise"]);
    let estimate = json(&folder, &["estimate", "calibrated.labelwise"]);
    let (low, high) = (estimate["low"].as_f64().unwrap(), estimate["high"].as_f64().unwrap());
    assert!(low < high, "{estimate}");
    // A simulation takes them as well.
    let simulated = |more: &[&str]| {
        let start = ["simulate", "known.csv", "--label-column", "label", "--runs", "20", "--budget", "40"];
        json(&folder, &[&start, more].concat())
    };
    assert_ne!(simulated(&[]), simulated(&["--calibration", "other.csv"]));
}

#[test]
fn labels_of_other_items_that_do_not_fit_are_refused() {
    let folder = folder();
    folder.write("birds.csv", "prob_owl,prob_dog,label\n0.5,0.5,dog\n0.2,0.8,owl\n");
    folder.write("none.csv", "prob_cat,prob_dog\n0.5,0.5\n");
    let refused = |more: &[&str]| {
        let start = ["new", "pool.csv", "--out", "refused.labelwise"];
        let output = folder.output(&[&start, more].concat());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let said = refused(&["--calibration", "other.csv", "--belief", "as-given"]);
    assert!(said.contains("remove --calibration, or give --belief recalibrated"), "{said}");
    let said = refused(&["--calibration", "birds.csv"]);
    assert!(
        said.contains("birds.csv has the classes \"owl\", \"dog\", but the pool has \"cat\", \"dog\""),
        "{said}"
    );
    let said = refused(&["--calibration", "none.csv"]);
    assert!(said.contains("label"), "{said}");
    let said = refused(&["--calibration-label", "label"]);
    assert!(said.contains("--calibration"), "{said}");
    assert!(!folder.path("refused.labelwise").exists());
}

#[test]
fn a_proposal_can_be_computed_ahead_of_time() {
    let folder = folder();
    for name in ["ahead.labelwise", "late.labelwise"] {
        folder.run(&["new", "pool.csv", "--out", name]);
        let asked = json(&folder, &["ask", name, "-n", "10"]);
        folder.write("labels.csv", &labels_of(&asked));
        folder.run(&["tell", name, "labels.csv"]);
    }
    let refreshed = json(&folder, &["refresh", "ahead.labelwise"]);
    assert_eq!((&refreshed["refreshed"], &refreshed["labels"]), (&Value::from(true), &Value::from(10)));
    assert_eq!(json(&folder, &["refresh", "ahead.labelwise"])["refreshed"], false);
    let said = folder.run(&["refresh", "ahead.labelwise"]);
    assert!(said.starts_with("No proposal is due: the proposal follows 10 labels."), "{said}");
    // The draws are those of an evaluation that computes it when asked.
    let next = |name: &str| json(&folder, &["ask", name, "-n", "8"])["items"].clone();
    assert_eq!(next("ahead.labelwise"), next("late.labelwise"));
    folder.run(&["verify", "ahead.labelwise"]);
    assert_eq!(json(&folder, &["status", "ahead.labelwise"])["refreshes"], 2);
}
