//! One pool in every format, written by the libraries that users write it with: what is read is the same.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and so may what it calls"
)]

use std::path::PathBuf;

use labelwise::Matrix;
use labelwise_pool::{Column, Format, Ids, Labels, PoolTable, Predictions, Reading};

const PROBABILITIES: [[f64; 3]; 6] = [
    [0.7, 0.2, 0.1],
    [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.25, 0.25],
    [0.9, 0.05, 0.05],
    [0.15, 0.6, 0.25],
];
const FEATURES: [[f64; 2]; 6] = [[0.5, -1.0], [1.5, 2.0], [0.0, 0.25], [3.0, 1e-3], [-2.0, 8.0], [1.0, 1.0]];
const IDS: [&str; 6] = ["item-4", "item-1", "item-7", "item-2", "item-9", "item-3"];
const TEXTS: [&str; 6] = ["purrs", "says \"woof\", twice", "two\nlines", "", "née", "🦉 hoots"];

/// Every file that holds the whole pool; whether its probabilities are in f32.
const WHOLE: [(&str, bool); 17] = [
    ("pool.csv", false),
    ("pool.tsv", false),
    ("pool.jsonl", false),
    ("table.json", false),
    ("pool.parquet", true),
    ("required.parquet", true),
    ("none.parquet", false),
    ("gzip.parquet", false),
    ("zstd.parquet", false),
    ("lz4.parquet", false),
    ("pool.arrow", true),
    ("pool.arrows", true),
    ("lz4.feather", false),
    ("zstd.feather", false),
    ("dictionary.arrow", true),
    ("large.arrow", true),
    ("view.arrow", true),
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pools").join(name)
}

fn open(name: &str, reading: &Reading) -> PoolTable {
    PoolTable::open(path(name), reading).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn assert_rows<const K: usize>(name: &str, rows: &Matrix, expected: &[[f64; K]], is_f32: bool) {
    assert_eq!((rows.rows(), rows.columns()), (expected.len(), K), "{name}");
    assert_eq!(format!("{rows:?}").ends_with("f32)"), is_f32, "{name}");
    let mut reader = rows.reader();
    for (row, expected) in expected.iter().enumerate() {
        for (&read, &written) in reader.row(row).iter().zip(expected) {
            if is_f32 {
                assert_eq!(read, f64::from(written as f32), "{name}, row {row}");
            } else {
                // Fifteen digits are what pandas writes into JSON.
                assert!((read - written).abs() < 1e-14, "{name}, row {row}: {read} for {written}");
            }
        }
    }
}

fn classes(predictions: &Predictions) -> (&[String], &Matrix) {
    let Predictions::Classes { names, rows } = predictions else { panic!("{predictions:?}") };
    (names, rows)
}

fn texts(column: &Column) -> Vec<String> {
    (0..column.len()).map(|row| column.text(row).unwrap()).collect()
}

#[test]
fn every_format_holds_the_same_pool() {
    let reading =
        Reading::new().surrogate("other_*").features("x*").labels("label").carry("text").carry("number");
    for (name, is_f32) in WHOLE {
        let pool = open(name, &reading);
        assert_eq!(pool.rows(), 6);
        let (names, rows) = classes(&pool.predictions);
        assert_eq!(names, ["cat", "dog", "owl"], "{name}");
        assert_rows(name, rows, &PROBABILITIES, is_f32);
        let mut beliefs = PROBABILITIES;
        beliefs.reverse();
        assert_rows(name, classes(&pool.surrogates[0]).1, &beliefs, is_f32);
        let features = pool.features.as_ref().unwrap();
        assert_eq!(features.names, ["x1", "x2"]);
        assert_rows(name, &features.rows, &FEATURES, false);
        let ids: Vec<String> = (0..6).map(|row| pool.ids.get(row).unwrap()).collect();
        assert_eq!(ids, IDS, "{name}");
        assert_eq!(pool.labels, Some(Labels::Classes(vec![0, 1, 2, 0, 2, 1])), "{name}");
        assert_eq!(pool.carried[0].0, "text");
        assert_eq!(texts(&pool.carried[0].1), TEXTS, "{name}");
        assert_eq!(texts(&pool.carried[1].1), ["4", "1", "7", "2", "9", "3"], "{name}");
    }
}

#[test]
fn every_format_holds_the_same_values_and_scores() {
    for (name, _) in WHOLE {
        let pool = open(name, &Reading::new().mean_and_variance("mean", "variance").labels("score"));
        let Predictions::Values { means, variances } = &pool.predictions else { panic!("{name}") };
        assert_eq!(means, &[1.5, -2.25, 0.1, 3.0, 0.0, 7.5], "{name}");
        assert_eq!(variances.as_deref(), Some(&[0.5, 1.0, 0.25, 0.0, 2.0, 0.125][..]), "{name}");
        let scores = vec![0.5, 0.0, 2.0, 1.25, 0.1, 3.0];
        assert_eq!(pool.labels, Some(Labels::Values(scores.clone())), "{name}");
        let pool = open(name, &Reading::new().scores("score"));
        assert!(matches!(&pool.predictions, Predictions::Scores(read) if *read == scores), "{name}");
        let pool = open(name, &Reading::new().mean("mean"));
        assert!(matches!(&pool.predictions, Predictions::Values { variances: None, .. }), "{name}");
        let pool = open(name, &Reading::new().hard("label").labels("label"));
        let Predictions::Hard { names, classes } = &pool.predictions else { panic!("{name}") };
        assert_eq!((names.join(" "), classes), ("cat dog owl".to_owned(), &vec![0, 1, 2, 0, 2, 1]), "{name}");
        assert_eq!(pool.labels, Some(Labels::Classes(classes.clone())));
    }
}

#[test]
fn columns_of_lists_are_rows() {
    for (name, is_f32) in [
        ("lists.jsonl", false),
        ("lists.parquet", true),
        ("lists.arrow", true),
        ("large_lists.arrow", true),
        ("fixed_lists.arrow", true),
    ] {
        let pool = open(name, &Reading::new());
        let (names, rows) = classes(&pool.predictions);
        assert_eq!(names, ["0", "1", "2"], "{name}");
        assert_rows(name, rows, &PROBABILITIES, is_f32);
        assert_eq!(pool.ids, Ids::Column(Column::Integers(vec![4, 1, 7, 2, 9, 3])), "{name}");
    }
}

#[test]
fn arrays_are_read_in_every_order_and_precision() {
    for (name, is_f32) in [("probs.npy", true), ("fortran.npy", true), ("big_endian.npy", false)] {
        let pool = open(name, &Reading::new());
        assert_rows(name, classes(&pool.predictions).1, &PROBABILITIES, is_f32);
        assert_eq!(pool.ids, Ids::Rows(6));
    }
    let half = open("half.npy", &Reading::new());
    assert_eq!(classes(&half.predictions).1.reader().row(1), [0.25, 0.75]);
    let scores = open("values.npy", &Reading::new().scores("values"));
    assert!(matches!(&scores.predictions, Predictions::Scores(read) if read[2] == 2.0));
}

#[test]
fn arrays_by_name_bring_ids_classes_and_labels() {
    for name in ["pool.npz", "compressed.npz"] {
        let pool = open(name, &Reading::new().labels("labels").features("features").carry("texts"));
        let (names, rows) = classes(&pool.predictions);
        assert_eq!(names, ["0", "1", "2"]);
        assert_rows(name, rows, &PROBABILITIES, true);
        assert_rows(name, &pool.features.as_ref().unwrap().rows, &FEATURES, false);
        assert_eq!(pool.ids.get(4), Some("item-9".to_owned()));
        assert_eq!(pool.labels, Some(Labels::Classes(vec![0, 1, 2, 0, 2, 1])));
        assert_eq!(texts(&pool.carried[0].1), TEXTS);
    }
}

#[test]
fn single_rounds_wide_numbers_and_leaves_narrow_ones() {
    for name in ["zstd.parquet", "pool.parquet", "pool.csv", "big_endian.npy"] {
        let pool = open(name, &Reading::new().single());
        assert_rows(name, classes(&pool.predictions).1, &PROBABILITIES, true);
    }
}

#[test]
fn logits_become_probabilities() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logits.csv");
    std::fs::write(&file, "a,b\n0,1.0986122886681098\n1000,-inf\n").unwrap();
    let pool = PoolTable::open(&file, &Reading::new().logits("a,b")).unwrap();
    let (names, rows) = classes(&pool.predictions);
    assert_eq!(names, ["a", "b"]);
    let mut reader = rows.reader();
    assert!((reader.row(0)[1] - 0.75).abs() < 1e-15);
    assert_eq!(reader.row(1), [1.0, 0.0]);
}

#[test]
fn the_format_can_be_given() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pool.dat");
    std::fs::copy(path("pool.parquet"), &file).unwrap();
    let pool = PoolTable::open(&file, &Reading::new().format(Format::Parquet)).unwrap();
    assert_eq!((pool.rows(), pool.format), (6, Format::Parquet));
    for format in Format::ALL {
        assert_eq!(format.name().parse::<Format>().unwrap(), format);
    }
}

#[test]
fn a_surrogate_of_another_file_is_joined_by_id() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("surrogate.csv");
    let mut rows: Vec<String> =
        (0..6).map(|row| format!("{},0.{row},0.{},0\n", IDS[row], 10 - row)).collect();
    rows[0] = "item-4,0,1,0\n".to_owned();
    rows.reverse();
    rows.push("not-in-the-pool,1,0,0\n".to_owned());
    std::fs::write(&file, format!("id,prob_owl,prob_cat,prob_dog\n{}", rows.concat())).unwrap();
    let surrogate = PoolTable::open(&file, &Reading::new()).unwrap();
    let pool = open("pool.parquet", &Reading::new()).with_surrogate(surrogate).unwrap();
    let (names, rows) = classes(&pool.surrogates[0]);
    assert_eq!(names, ["cat", "dog", "owl"]);
    assert_eq!(rows.rows(), 6);
    assert_eq!(rows.reader().row(0), [1.0, 0.0, 0.0]);
    assert_eq!(rows.reader().row(3), [0.7, 0.0, 0.3]);
}
