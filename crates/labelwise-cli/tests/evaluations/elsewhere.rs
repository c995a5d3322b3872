//! Evaluations that keep their draws and not the pool, from folders of Parquet files.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;

use crate::folder::Folder;

/// Items `row-start`, ...: two classes, and a text.
fn write(path: &Path, items: std::ops::Range<usize>, change: impl Fn(usize) -> Option<f32>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let ids: Vec<String> = items.clone().map(|item| format!("row-{item}")).collect();
    let probability = |item: usize| 0.02 + 0.96 * ((item * 7919) % 1000) as f32 / 1000.0;
    let ones: Vec<Option<f32>> =
        items.clone().map(|item| change(item).map(|p| p + probability(item))).collect();
    let others: Vec<f32> = items.clone().map(|item| 1.0 - probability(item)).collect();
    let texts: Vec<String> = items.map(|item| format!("text of {item}")).collect();
    let columns: [(&str, ArrayRef); 4] = [
        ("id", Arc::new(StringArray::from(ids))),
        ("prob_yes", Arc::new(Float32Array::from(ones))),
        ("prob_no", Arc::new(Float32Array::from(others))),
        ("prompt", Arc::new(StringArray::from(texts))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn right(_: usize) -> Option<f32> {
    Some(0.0)
}

fn folder() -> Folder {
    let folder = Folder::new();
    for (part, start) in (0..1200).step_by(400).enumerate() {
        write(&folder.path(&format!("scores/dt={part}/part.parquet")), start..start + 400, right);
    }
    folder
}

const PATTERN: &str = "scores/dt=*/part.parquet";

fn label(item: usize) -> String {
    if (item * 31) % 10 < 6 { "yes" } else { "no" }.to_owned()
}

#[test]
fn everything_that_needs_no_pool_works_and_a_refresh_goes_on() {
    let folder = folder();
    let said =
        folder.run(&["new", PATTERN, "--elsewhere", "--ahead", "150", "--seed", "3", "--out", "e.labelwise"]);
    assert!(said.contains("1,200 items") && said.contains("expected cost"), "{said}");
    folder.label("e.labelwise", 60, label);
    let asked = folder.run(&["ask", "e.labelwise", "-n", "1", "--json"]);
    assert!(asked.contains("text of ") && asked.contains("\"dt\""), "{asked}");
    for command in [
        &["estimate", "e.labelwise"][..],
        &["estimate", "e.labelwise", "--metric", "accuracy"],
        &["estimate", "e.labelwise", "--metric", "f1", "--positive", "yes"],
        &["plan", "e.labelwise", "--half-width", "0.05"],
        &["status", "e.labelwise"],
        &["export", "e.labelwise"],
        &["report", "e.labelwise", "--out", "report.html"],
        &["verify", "e.labelwise"],
        &["backup", "e.labelwise", "copy.labelwise"],
    ] {
        let said = folder.run(command);
        assert!(!said.is_empty() || command[0] == "report", "{command:?}");
    }
    let checked = folder.output(&["check", "e.labelwise", "--below", "5"]);
    assert!(checked.status.code() != Some(2), "{}", String::from_utf8_lossy(&checked.stderr));
    // What reads the pool is refused, with the way out.
    let refused = |arguments: &[&str]| {
        let output = folder.output(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let spent = refused(&["ask", "e.labelwise", "-n", "100"]);
    assert!(
        spent.contains("89 more draws") && spent.contains(PATTERN) && spent.contains("reads up to"),
        "{spent}"
    );
    assert!(refused(&["refresh", "e.labelwise"]).contains("labelwise refresh e.labelwise 'scores/dt="));
    assert!(refused(&["estimate", "e.labelwise", "--by", "dt"]).contains("--elsewhere"));
    let before = folder.run(&["estimate", "e.labelwise", "--json"]);
    folder.run(&["skip", "e.labelwise", &last_id(&asked)]);
    let refreshed = folder.run(&["refresh", "e.labelwise", PATTERN, "--ahead", "2000"]);
    assert!(refreshed.contains("follows 60 labels"), "{refreshed}");
    assert!(before.contains("\"labels\": 60") || before.contains("60"));
    folder.label("e.labelwise", 1139, label);
    folder.run(&["verify", "e.labelwise"]);
    let status = folder.run(&["status", "e.labelwise"]);
    assert!(status.contains("1,199") || status.contains("1199"), "{status}");
}

fn last_id(asked: &str) -> String {
    let at = asked.find("row-").unwrap();
    asked[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

#[test]
fn bad_pools_are_named_and_nothing_is_made() {
    let refused = |folder: &Folder| {
        let output = folder.output(&["new", PATTERN, "--elsewhere", "--out", "e.labelwise"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(!folder.path("e.labelwise").exists());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let twice = folder();
    write(&twice.path("scores/dt=7/part.parquet"), 5..6, right);
    assert!(refused(&twice).contains("row-5"));

    let bad = folder();
    let nothing = |item: usize| if item.is_multiple_of(100) { None } else { Some(0.0) };
    write(&bad.path("scores/dt=7/part.parquet"), 2000..2900, nothing);
    let sentence = refused(&bad);
    assert!(sentence.contains("dt=7") && sentence.matches("prob_yes").count() >= 5, "{sentence}");

    let nan = folder();
    write(&nan.path("scores/dt=7/part.parquet"), 2000..2900, |item| {
        Some(if item == 2042 { f32::NAN } else { 0.0 })
    });
    assert!(refused(&nan).contains("NaN"));

    let cut = folder();
    let path = cut.path("scores/dt=1/part.parquet");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert!(refused(&cut).contains("dt=1"));

    let lacks = folder();
    let path = lacks.path("scores/dt=2/part.parquet");
    let ids: ArrayRef = Arc::new(StringArray::from(vec!["row-9000"]));
    let batch = RecordBatch::try_from_iter([("id", ids)]).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert!(refused(&lacks).contains("dt=2"));
}

#[test]
fn queries_are_printed_for_every_dialect() {
    let folder = Folder::new();
    for dialect in ["duckdb", "spark", "bigquery", "snowflake", "postgres"] {
        let text =
            folder.run(&["sql", "--dialect", dialect, "--table", "scores", "--seed", "7", "--ahead", "100"]);
        assert!(text.contains("'7:0:'") && text.contains("LIMIT 100"), "{dialect}: {text}");
        assert_eq!(text.contains("Not run in the tests"), dialect != "duckdb", "{dialect}");
    }
}
