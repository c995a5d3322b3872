//! Logs of evaluations, with the traps that they set.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and so may what it calls"
)]

use std::path::PathBuf;

use labelwise_pool::{Error, Ids, Labels, PoolTable, Predictions, Reading};

fn open(name: &str, reading: &Reading) -> Result<PoolTable, Error> {
    PoolTable::open(
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pools").join(name),
        reading,
    )
}

fn ids(ids: &Ids) -> Vec<String> {
    (0..ids.len()).filter_map(|row| ids.get(row)).collect()
}

#[test]
fn likelihoods_of_choices_become_probabilities() {
    let pool = open("lm_eval_choices.jsonl", &Reading::new().labels("target").carry("doc.question")).unwrap();
    let Predictions::Classes { names, rows } = &pool.predictions else { panic!() };
    assert_eq!(names, &["0", "1", "2"]);
    let mut reader = rows.reader();
    let sum: f64 = [-0.5_f64, -2.0, -3.0].map(f64::exp).iter().sum();
    assert!((reader.row(0)[0] - (-0.5_f64).exp() / sum).abs() < 1e-15);
    // The choice that the second document does not have.
    assert_eq!(reader.row(1)[2], 0.0);
    assert!((reader.row(1).iter().sum::<f64>() - 1.0).abs() < 1e-15);
    assert_eq!(ids(&pool.ids), ["0", "1", "2"]);
    assert_eq!(pool.labels, Some(Labels::Classes(vec![0, 1, 2])));
    assert_eq!(pool.carried[0].1.text(1).as_deref(), Some("question 1"));
    // A metric is a value of the item, though 1 is the name of a class too.
    let pool = open("lm_eval_choices.jsonl", &Reading::new().labels("acc")).unwrap();
    assert_eq!(pool.labels, Some(Labels::Values(vec![1.0, 1.0, 0.0])));
}

#[test]
fn one_filter_is_read() {
    let error = open("lm_eval_filters.jsonl", &Reading::new()).unwrap_err();
    assert!(
        error.to_string().contains("choose one of the filters `flexible-extract`, `strict-match`"),
        "{error}"
    );
    let error = open("lm_eval_filters.jsonl", &Reading::new().filter("none")).unwrap_err();
    assert!(error.to_string().contains("no rows of the filter `none`"), "{error}");
    let reading = Reading::new().filter("flexible-extract").labels("target");
    let pool = open("lm_eval_filters.jsonl", &reading).unwrap();
    let Predictions::Hard { names, classes } = &pool.predictions else { panic!() };
    assert_eq!((names.join(" "), classes), ("10 11 12".to_owned(), &vec![0, 1, 2]));
    assert_eq!(pool.labels, Some(Labels::Classes(vec![0, 1, 2])));
    let pool =
        open("lm_eval_filters.jsonl", &Reading::new().filter("strict-match").labels("exact_match")).unwrap();
    assert_eq!(pool.labels, Some(Labels::Values(vec![1.0, 0.0, 0.0])));
    assert_eq!(ids(&pool.ids), ["0", "1", "2"]);
}

#[test]
fn both_formats_of_inspect_hold_the_same() {
    for name in ["inspect.eval", "inspect.json"] {
        let pool = open(name, &Reading::new().labels("target").carry("input")).unwrap();
        assert_eq!(ids(&pool.ids), ["1", "2", "10"], "{name}");
        let Predictions::Hard { names, classes } = &pool.predictions else { panic!("{name}") };
        // The label `dog` is a class that was never answered.
        assert_eq!((names.join(" "), classes), ("owls cat owl dog".to_owned(), &vec![0, 1, 1]), "{name}");
        assert_eq!(pool.labels, Some(Labels::Classes(vec![2, 1, 3])), "{name}");
        assert_eq!(pool.carried[0].1.text(2).as_deref(), Some("question 10"));
        let pool = open(name, &Reading::new().labels("match")).unwrap();
        assert_eq!(pool.labels, Some(Labels::Values(vec![0.5, 1.0, 0.0])), "{name}");
    }
}

#[test]
fn one_epoch_is_read() {
    let error = open("inspect_epochs.eval", &Reading::new()).unwrap_err();
    assert!(error.to_string().contains("2 epochs"), "{error}");
    let error = open("inspect_epochs.eval", &Reading::new().epoch(3)).unwrap_err();
    assert!(error.to_string().contains("no samples of epoch 3"), "{error}");
    let pool = open("inspect_epochs.eval", &Reading::new().epoch(2)).unwrap();
    assert_eq!(ids(&pool.ids), ["1", "2", "10"]);
}

#[test]
fn a_sample_that_failed_is_no_wrong_answer() {
    let error = open("inspect_failed.json", &Reading::new().labels("match")).unwrap_err();
    assert!(error.to_string().contains("sample 2 ended with the error `out of time`"), "{error}");
}
