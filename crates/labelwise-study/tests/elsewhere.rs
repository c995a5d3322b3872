//! Evaluations that keep their draws and not the pool: the draws do not depend on how the pool is cut, and everything that follows
//! is that of an evaluation with its pool.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail loudly")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use labelwise_study::elsewhere::{Part, Phase, Scan};
use labelwise_study::{
    Answer, Author, Choices, ColumnNames, Created, EstimateOptions, Measurable, PoolFiles, PoolTable,
    Reading, Study,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A number between 0 and 1.
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Rows of a pool with three classes, another model's predictions, and a text.
fn rows(count: usize) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut row = |sharp: f64| {
        let scores = [0; 3].map(|_| (sharp * uniform(&mut rng)).exp());
        let sum: f64 = scores.iter().sum();
        scores.map(|score| (1e6 * score / sum).round() / 1e6)
    };
    let fixed = |[a, b, _]: [f64; 3]| format!("{a},{b},{}", 1.0 - a - b);
    (0..count)
        .map(|item| format!("item-{item},{},{},text {item}", fixed(row(4.0)), fixed(row(2.0))))
        .collect()
}

const HEADER: &str = "id,prob_a,prob_b,prob_c,other_a,other_b,other_c,text";

fn write(path: &Path, rows: &[String]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("{HEADER}\n{}\n", rows.join("\n"))).unwrap();
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn columns(surrogate: bool) -> ColumnNames {
    ColumnNames {
        probabilities: Some("prob_*".into()),
        surrogate: surrogate.then(|| "other_*".to_owned()).into_iter().collect(),
        ..ColumnNames::default()
    }
}

fn choices(loss: &str) -> Choices {
    Choices { aims: vec![loss.parse::<Measurable>().unwrap()], seed: 11, ..Choices::default() }
}

fn made(out: &Path, pool: &Path, columns: ColumnNames, loss: &str, ahead: usize) -> Created {
    let files = PoolFiles::every(pool).unwrap();
    let silent = |_, _, _| {};
    Study::create_elsewhere(out, &files, columns, true, choices(loss), Some(ahead), &silent).unwrap()
}

/// Ids with q, the expected loss and the sum of expected losses.
fn drawn(study: &Study) -> Vec<(String, f64, f64, f64)> {
    let history = study.history().unwrap();
    history.map(|draw| (draw.id.to_owned(), draw.q, draw.expected, draw.expected_total)).collect()
}

#[test]
fn draws_do_not_depend_on_parts_or_order() {
    let folder = Folder::new();
    let rows = rows(3000);
    write(&folder.path("whole.csv"), &rows);
    let mut backwards = rows.clone();
    backwards.reverse();
    for (part, some) in backwards.chunks(700).enumerate() {
        write(&folder.path(&format!("parts/day={part}/x.csv")), some);
    }
    let one =
        made(&folder.path("one.labelwise"), &folder.path("whole.csv"), columns(true), "cross-entropy", 200);
    let parts = folder.path("parts/day=*/*.csv");
    let two = made(&folder.path("two.labelwise"), &parts, columns(true), "cross-entropy", 200);
    let (mut one, mut two) = (one.evaluation, two.evaluation);
    let by = Author::default();
    let (first, second) = (one.ask(200, &by).unwrap(), two.ask(200, &by).unwrap());
    assert_eq!(drawn(&one), drawn(&two));
    assert_eq!(one.settings().pool.fingerprint, two.settings().pool.fingerprint);
    // Passthrough columns are those of the items, and folders name one.
    for (first, second) in first.iter().zip(&second) {
        let number = first.id.strip_prefix("item-").unwrap();
        assert_eq!(first.carried, [("text".to_owned(), format!("text {number}"))]);
        assert_eq!(second.carried[0], first.carried[0]);
        let day = (2999 - number.parse::<usize>().unwrap()) / 700;
        assert_eq!(second.carried[1], ("day".to_owned(), day.to_string()));
    }
    assert!(one.ask(1, &by).unwrap_err().to_string().contains("`labelwise refresh"));
}

/// The weight of every item, whose mean over the pool is 1, from draws of the whole pool.
fn weights(study: &Study) -> BTreeMap<String, f64> {
    let drawn = drawn(study);
    let mut left = drawn.len() as f64;
    let of = drawn.into_iter().map(|(id, q, ..)| {
        let weight = q * left;
        left -= weight;
        (id, weight)
    });
    of.collect()
}

#[test]
fn a_small_pool_has_the_weights_of_an_evaluation_with_its_pool() {
    let folder = Folder::new();
    write(&folder.path("pool.csv"), &rows(300));
    let cases = [("cross-entropy", true), ("cross-entropy", false), ("zero-one", true), ("brier", false)];
    for (loss, surrogate) in cases {
        let name = format!("{loss}-{surrogate}");
        let mut elsewhere = made(
            &folder.path(&format!("{name}.labelwise")),
            &folder.path("pool.csv"),
            columns(surrogate),
            loss,
            300,
        )
        .evaluation;
        let table = PoolTable::open(folder.path("pool.csv"), &Reading::from(columns(surrogate))).unwrap();
        let path = folder.path(&format!("{name}-pool.labelwise"));
        let never = Choices { refresh: Some(labelwise_study::Times::Never), ..choices(loss) };
        let mut whole = Study::create(&path, table, &never).unwrap().evaluation;
        let by = Author::default();
        elsewhere.ask(300, &by).unwrap();
        whole.ask(300, &by).unwrap();
        let (ours, theirs) = (weights(&elsewhere), weights(&whole));
        assert_eq!(ours.len(), 300);
        for (id, weight) in &ours {
            let expected = theirs[id];
            // The last weights are what large sums leave.
            assert!((weight - expected).abs() < 1e-9, "{name} {id}: {weight} {expected}");
        }
        let expected = |study: &Study| -> BTreeMap<String, f64> {
            drawn(study).into_iter().map(|(id, _, expected, _)| (id, expected)).collect()
        };
        for (id, control) in expected(&elsewhere) {
            assert!((control - expected(&whole)[&id]).abs() < 1e-12, "{name} {id}");
        }
        let total = |study: &Study| drawn(study)[0].3;
        assert!((total(&elsewhere) - total(&whole)).abs() < 1e-9 * total(&whole), "{name}");
        // Forecasts and gains are made of the sample, which is the whole pool here.
        let metric = whole.settings().metric.clone();
        let forecast = |study: &Study| study.forecast(&metric).unwrap().unwrap();
        let (ours, theirs) = (forecast(&elsewhere), forecast(&whole));
        assert!((ours.controlled / theirs.controlled - 1.0).abs() < 1e-9, "{name}: {ours:?} {theirs:?}");
        assert!((ours.uniform / theirs.uniform - 1.0).abs() < 1e-9, "{name}");
        let gain = |study: &Study| study.expected_gain().unwrap().unwrap();
        assert!((gain(&elsewhere).1 / gain(&whole).1 - 1.0).abs() < 1e-9, "{name}");
        assert!(elsewhere.verify(&|_, _| {}).unwrap().largest_difference < 1e-9, "{name}");
    }
}

fn label(id: &str) -> &'static str {
    match id.bytes().map(usize::from).sum::<usize>() % 5 {
        0 | 1 => "a",
        2 | 3 => "b",
        _ => "c",
    }
}

fn tell_all(study: &mut Study, count: usize) {
    let by = Author::default();
    for asked in study.ask(count, &by).unwrap() {
        study.tell(&[Answer::new(asked.id.clone(), label(&asked.id))], &by).unwrap();
    }
}

#[test]
fn all_labels_give_the_exact_mean_and_a_refresh_goes_on() {
    let folder = Folder::new();
    let rows = rows(240);
    write(&folder.path("a/1.csv"), &rows[..100]);
    write(&folder.path("a/2.csv"), &rows[100..]);
    let pool = folder.path("a/*.csv");
    let out = folder.path("e.labelwise");
    let mut study = made(&out, &pool, columns(true), "cross-entropy", 60).evaluation;
    tell_all(&mut study, 60);
    drop(study);
    let files = PoolFiles::every(&pool).unwrap();
    let (mut study, labels) = Study::refresh_elsewhere(&out, &files, Some(500), &|_, _, _| {}).unwrap();
    assert_eq!((labels, study.refreshes()), (60, 2));
    assert!(study.verify(&|_, _| {}).is_ok());
    tell_all(&mut study, 180);
    let verified = study.verify(&|_, _| {}).unwrap();
    assert_eq!((verified.draws, verified.refreshes), (240, 2));
    assert!(verified.largest_difference < 1e-9, "{verified:?}");
    let estimates = study.estimate(&EstimateOptions::default()).unwrap();
    let mean = |row: &String| {
        let fields: Vec<&str> = row.split(',').collect();
        let place = ["a", "b", "c"].iter().position(|class| *class == label(fields[0])).unwrap();
        -fields[1 + place].parse::<f64>().unwrap().ln()
    };
    let exact = rows.iter().map(mean).sum::<f64>() / rows.len() as f64;
    assert!(
        (estimates[0].report.estimate.value - exact).abs() < 1e-9,
        "{} {exact}",
        estimates[0].report.estimate.value
    );
}

#[test]
fn another_pool_is_refused() {
    let folder = Folder::new();
    let rows = rows(200);
    write(&folder.path("pool.csv"), &rows);
    let out = folder.path("e.labelwise");
    let mut study = made(&out, &folder.path("pool.csv"), columns(false), "zero-one", 50).evaluation;
    tell_all(&mut study, 20);
    let before = study.asked();
    let mut changed = rows.clone();
    changed[17] = changed[18].replace("item-18", "item-17");
    for (name, rows) in [("changed.csv", &changed[..]), ("shorter.csv", &rows[..199])] {
        write(&folder.path(name), rows);
        let files = PoolFiles::every(&folder.path(name)).unwrap();
        let refused = Study::refresh_elsewhere(&out, &files, None, &|_, _, _| {}).unwrap_err();
        assert_eq!(refused.code(), "other-pool", "{refused}");
    }
    let again = Study::read(&out).unwrap();
    assert_eq!((again.asked(), again.refreshes()), (before, 1));
}

#[test]
fn sketches_of_the_kernel_merge_in_any_order() {
    let rows = rows(500);
    let reading = |some: &[String], reading: &Reading| {
        let text = format!("{HEADER}\n{}\n", some.join("\n"));
        PoolTable::from_csv("part", std::io::Cursor::new(text.into_bytes()), reading)
    };
    let parts = |work: &[u8], cuts: &[usize]| -> Vec<Vec<u8>> {
        cuts.windows(2)
            .map(|cut| {
                let some = &rows[cut[0]..cut[1]];
                let mut part = Part::new(work).unwrap();
                let read = |range: std::ops::Range<usize>, how: &Reading| reading(&some[range], how);
                part.add_rows(some.len(), &read, &|row| some[row].split(',').next().unwrap().to_owned())
                    .unwrap();
                part.to_bytes()
            })
            .collect()
    };
    let mut scan = Scan::new("rows", columns(true), choices("cross-entropy"), Some(64)).unwrap();
    while let Some(work) = scan.work().unwrap() {
        let whole = parts(&work, &[0, 500]);
        let mut cut = parts(&work, &[0, 3, 3, 120, 121, 400, 500]);
        let merge = |parts: &[Vec<u8>]| Part::merge(parts.iter().map(Vec::as_slice)).unwrap();
        let flat = merge(&cut);
        cut.rotate_left(2);
        let tree = merge(&[merge(&cut[..2]), merge(&cut[2..5]), cut[5].clone()]);
        assert_eq!(merge(&whole), flat);
        assert_eq!(flat, tree);
        scan.take(&flat).unwrap();
    }
    assert_eq!(scan.phase(), Phase::Done);
    assert_eq!(scan.drawn().unwrap().len(), 64);
}

#[test]
fn bad_rows_are_named_and_nothing_is_made() {
    let rows = rows(400);
    let mut bad = rows.clone();
    for item in [7, 30, 31, 200, 201, 399] {
        bad[item] = format!("item-{item},nan,0.5,0.5,0.2,0.3,0.5,x");
    }
    let mut scan = Scan::new("rows", columns(true), choices("cross-entropy"), None).unwrap();
    let work = scan.work().unwrap().unwrap();
    let mut part = Part::new(&work).unwrap();
    let read = |range: std::ops::Range<usize>, how: &Reading| {
        let text = format!("{HEADER}\n{}\n", bad[range].join("\n"));
        PoolTable::from_csv("part", std::io::Cursor::new(text.into_bytes()), how)
    };
    part.add_rows(400, &read, &|row| bad[row].split(',').next().unwrap().to_owned()).unwrap();
    let refused = scan.take(&part.to_bytes()).unwrap_err();
    assert_eq!(refused.code(), "elsewhere-rows");
    let sentence = refused.to_string();
    assert!(sentence.starts_with("rows: 6 items cannot be used: \"item-200\""), "{sentence}");
    for item in [200, 201, 30, 31, 399] {
        assert!(sentence.contains(&format!("item-{item}\"")), "{sentence}");
    }
    assert!(!sentence.contains("item-7\""), "only five are named: {sentence}");
    // Sketches of another pass, and bytes that are none.
    let other = Scan::new("rows", columns(false), choices("cross-entropy"), None).unwrap();
    let stranger = Part::new(&other.work().unwrap().unwrap()).unwrap().to_bytes();
    assert_eq!(scan.take(&stranger).unwrap_err().code(), "different-passes");
    let sketch = part.to_bytes();
    assert!((0..sketch.len()).step_by(97).all(|end| Part::merge([&sketch[..end]]).is_err()));
}

#[test]
fn repeated_ids_and_choices_of_the_whole_pool_are_refused() {
    let folder = Folder::new();
    let mut rows = rows(100);
    write(&folder.path("pool.csv"), &rows);
    rows[70] = rows[3].clone();
    write(&folder.path("twice.csv"), &rows);
    let out = folder.path("e.labelwise");
    let make_of = |pool: &str, columns: ColumnNames, choices: Choices| {
        let files = PoolFiles::every(&folder.path(pool)).unwrap();
        Study::create_elsewhere(&out, &files, columns, false, choices, None, &|_, _, _| {}).unwrap_err()
    };
    let repeated = make_of("twice.csv", columns(false), choices("zero-one"));
    assert!(repeated.to_string().contains("item-3"), "{repeated}");
    let make = |columns: ColumnNames, choices: Choices| make_of("pool.csv", columns, choices);
    let floor = Some(labelwise_study::FloorChoice::Clip(0.2));
    assert_eq!(make(columns(false), Choices { floor, ..choices("zero-one") }).code(), "whole-pool");
    let judges = ColumnNames { judges: vec!["text".into()], ..ColumnNames::default() };
    assert_eq!(make(judges, choices("rate")).code(), "whole-pool");
    assert_eq!(make(columns(false), choices("balanced_accuracy")).code(), "whole-pool");
    assert!(!out.exists());
}
