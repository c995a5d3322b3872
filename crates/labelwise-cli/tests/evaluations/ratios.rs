//! Metrics that are ratios of sums over a fixed pool: estimates and intervals stay within what the labels say for certain.

use std::fmt::Write;

use serde_json::Value;

use crate::folder::{Folder, spread};

const SIZE: usize = 20_000;

/// The items that the detector calls fraud.
const CALLED: usize = 112;

/// 193 frauds: all but one of those that are called so, and 82 others.
fn is_fraud(item: usize) -> bool {
    match item {
        0..CALLED => item != 40,
        _ => (item - CALLED).is_multiple_of(7) && item < CALLED + 7 * 82,
    }
}

fn label(item: usize) -> String {
    if is_fraud(item) { "fraud" } else { "ok" }.to_owned()
}

/// Called frauds have a probability of more than a half; missed ones are among 1,500 that look a little like one.
fn pool(folder: &Folder) {
    let mut text = String::from("id,prob_ok,prob_fraud,shop\n");
    for item in 0..SIZE {
        let fraud = match item {
            0..CALLED => 0.55 + 0.4 * spread(item, 0),
            CALLED..1600 => 0.05 + 0.3 * spread(item, 0),
            _ => 0.001 + 0.01 * spread(item, 0),
        };
        writeln!(text, "row-{item},{:.6},{fraud:.6},shop-{}", 1.0 - fraud, item % 2).unwrap();
    }
    folder.write("fraud.csv", &text);
}

/// The rows of an estimate, by slice and metric.
fn estimated(folder: &Folder, arguments: &[&str]) -> Vec<Value> {
    let text = folder.run(&[&["estimate", "fraud.labelwise", "--json"], arguments].concat());
    match serde_json::from_str(&text).unwrap() {
        Value::Array(all) => all,
        one => vec![one],
    }
}

/// The items with a label.
fn labelled(folder: &Folder) -> Vec<usize> {
    folder.run(&["export", "fraud.labelwise", "--out", "draws.csv"]);
    let text = std::fs::read_to_string(folder.path("draws.csv")).unwrap();
    let item = |line: &str| line.split(',').find_map(|cell| cell.strip_prefix("row-")?.parse().ok());
    text.lines().skip(1).filter_map(item).collect()
}

fn within(found: &Value, low: f64, high: f64) {
    let number = |name: &str| found[name].as_f64().unwrap();
    assert!(low - 1e-12 <= number("low") && number("low") <= number("estimate"), "{found}, {low} to {high}");
    assert!(
        number("estimate") <= number("high") && number("high") <= high + 1e-12,
        "{found}, {low} to {high}"
    );
}

#[test]
fn precision_stays_within_what_is_certain_and_ends_exact() {
    let folder = Folder::new();
    pool(&folder);
    let new = ["new", "fraud.csv", "--out", "fraud.labelwise", "--loss", "precision,recall,f1"];
    folder.run(&[&new[..], &["--positive", "fraud", "--seed", "3"]].concat());
    let mut exact = false;
    for _ in 0..6 {
        folder.label("fraud.labelwise", 100, label);
        let done = labelled(&folder);
        for part in [None, Some(0), Some(1)] {
            let inside = |item: &usize| part.is_none_or(|part| item % 2 == part);
            let count =
                |of: &dyn Fn(usize) -> bool| done.iter().filter(|i| inside(i) && of(**i)).count() as f64;
            let size = (0..SIZE).filter(inside).count() as f64;
            let called = (0..CALLED).filter(inside).count() as f64;
            let right = count(&|item| item < CALLED && is_fraud(item));
            let missed = count(&|item| item >= CALLED && is_fraud(item));
            let own = called - count(&|item| item < CALLED);
            let other = size - called - count(&|item| item >= CALLED);
            let by = if part.is_some() { &["--by", "shop"][..] } else { &[] };
            let row = |metric: usize| {
                let all = estimated(&folder, by);
                let each = part.map_or(1, |_| 3);
                all[metric * each + part.map_or(0, |part| part + 1)].clone()
            };
            let precision = row(0);
            within(&precision, right / called, (right + own) / called);
            within(&row(1), right / (right + missed + other), (right + own) / (right + own + missed));
            let f1 = |right: f64, of_class: f64| 2.0 * right / (called + of_class);
            within(&row(2), f1(right, right + missed + other), f1(right + own, right + own + missed));
            if own == 0.0 {
                assert_eq!(
                    (&precision["interval"], &precision["bias"]),
                    (&"exact".into(), &"unbiased".into())
                );
                assert_eq!(precision["low"], precision["high"]);
                exact = true;
            }
        }
    }
    assert!(exact, "600 labels are enough to have all that are called fraud");
    folder.run(&["verify", "fraud.labelwise"]);
}

/// What a first user saw: 0.9917, 0.0118 to 0.9999.
#[test]
fn precision_of_nearly_all_that_are_called_is_nearly_known() {
    for seed in ["1", "2", "5"] {
        let folder = Folder::new();
        pool(&folder);
        let new = ["new", "fraud.csv", "--out", "fraud.labelwise", "--loss", "precision,recall"];
        folder.run(&[&new[..], &["--positive", "fraud", "--seed", seed]].concat());
        for _ in 0..4 {
            folder.label("fraud.labelwise", 100, label);
        }
        let precision = &estimated(&folder, &[])[0];
        within(precision, 0.9, 111.0 / 112.0);
        let width = precision["high"].as_f64().unwrap() - precision["low"].as_f64().unwrap();
        assert!(width < 0.06, "{precision}");
    }
}
