//! Pools in several files: folders of Parquet files, and patterns.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used, clippy::panic, reason = "tests")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, RecordBatch, StringArray};
use labelwise_pool::{Error, Ids, Labels, PoolFiles, PoolTable, Predictions, Reading};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

/// Rows from `first` on, in row groups of `group` rows.
fn write(path: &Path, first: usize, rows: usize, group: usize) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let items = || first..first + rows;
    let risk = |item: usize| (item % 97) as f32 / 97.0;
    let columns: [(&str, ArrayRef); 4] = [
        ("id", Arc::new(items().map(|item| Some(format!("item {item}"))).collect::<StringArray>())),
        ("prob_no", Arc::new(items().map(|item| 1.0 - risk(item)).collect::<Float32Array>())),
        ("prob_yes", Arc::new(items().map(risk).collect::<Float32Array>())),
        ("text", Arc::new(items().map(|item| Some(format!("text of {item}"))).collect::<StringArray>())),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(options)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// A pool of 1,000 items in five files of two days, and the same in one file.
fn pool(folder: &Path) -> (PathBuf, PathBuf) {
    let (parts, whole) = (folder.join("scores"), folder.join("whole.parquet"));
    for (part, (day, first)) in [(1, 0), (1, 200), (2, 400), (2, 600), (2, 800)].into_iter().enumerate() {
        write(&parts.join(format!("dt=2026-11-0{day}/part-{part}.parquet")), first, 200, 70);
    }
    // What Spark leaves beside its files.
    fs::write(parts.join("_SUCCESS"), "").unwrap();
    fs::write(parts.join("dt=2026-11-01/.part-0.parquet.crc"), "crc").unwrap();
    fs::create_dir_all(parts.join("_temporary/0")).unwrap();
    write(&parts.join("_temporary/0/part-9.parquet"), 5000, 3, 3);
    write(&whole, 0, 1000, 1000);
    (parts, whole)
}

fn columns(table: &PoolTable) -> (Vec<Option<String>>, Vec<f64>, Vec<Option<String>>) {
    let Predictions::Classes { rows, names } = &table.predictions else { panic!("classes") };
    assert_eq!(names, &["no", "yes"]);
    let numbers = rows.reader().rows(0..rows.rows()).values().to_vec();
    let text = |name: &str| table.carried.iter().find(|(known, _)| known == name).map(|(_, column)| column);
    let texts = (0..table.rows()).map(|row| text("text").and_then(|column| column.text(row))).collect();
    ((0..table.rows()).map(|row| table.ids.get(row)).collect(), numbers, texts)
}

#[test]
fn a_folder_and_a_pattern_are_the_pool_of_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let (parts, whole) = pool(folder.path());
    let reading = Reading::new().carry_texts();
    let whole = PoolTable::open(whole, &reading).unwrap();
    for path in [parts.clone(), parts.join("dt=*"), parts.join("dt=*/part-?.parquet"), parts.join("*/*")] {
        let table = PoolTable::open(&path, &reading).unwrap();
        assert_eq!(columns(&table), columns(&whole), "{}", path.display());
        assert_eq!(table.path, path);
        // The folders' column.
        let (name, days) = table.carried.last().unwrap();
        assert_eq!((name.as_str(), days.text(399).unwrap().as_str()), ("dt", "2026-11-01"));
        assert_eq!(days.text(400).unwrap(), "2026-11-02");
        // f32 stays f32.
        assert!(matches!(&table.predictions, Predictions::Classes { rows, .. } if rows.singles().is_some()));
    }
    let day = PoolTable::open(parts.join("dt=2026-11-02"), &reading).unwrap();
    assert_eq!(day.rows(), 600);
    assert_ne!(day.fingerprint, PoolTable::open(&parts, &reading).unwrap().fingerprint);
}

#[test]
fn parts_are_row_groups_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("day=1/large.parquet");
    write(&path, 0, 300_000, 100_000);
    write(&folder.path().join("day=2/small.parquet"), 300_000, 10, 10);
    let files = PoolFiles::find(folder.path()).unwrap().unwrap();
    let mut sizes = Vec::new();
    let each = |part: PoolTable| {
        sizes.push((part.rows(), part.ids.get(0).unwrap(), part.carried.last().unwrap().1.text(0).unwrap()));
        Ok::<_, Error>(())
    };
    files.each_part(&Reading::new().carry_texts(), each).unwrap();
    let expected = [(200_000, "item 0", "1"), (100_000, "item 200000", "1"), (10, "item 300000", "2")];
    assert_eq!(sizes, expected.map(|(rows, id, day)| (rows, id.to_owned(), day.to_owned())));
    let whole = PoolTable::open(folder.path(), &Reading::new()).unwrap();
    assert_eq!(whole.rows(), 300_010);
    assert_eq!(whole.ids.get(300_009).unwrap(), "item 300009");
}

#[test]
fn what_is_wrong_with_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (parts, _) = pool(folder.path());
    let reading = Reading::new().carry_texts();
    let refused = || PoolTable::open(&parts, &reading).unwrap_err().to_string();
    let third = parts.join("dt=2026-11-02/part-2.parquet");
    // The same ids in another file.
    write(&third, 150, 200, 70);
    let sentence = refused();
    assert!(sentence.contains("ids occur more than once, such as `item 150`, `item 151`"), "{sentence}");
    // A file cut in the middle.
    write(&third, 400, 200, 70);
    let bytes = fs::read(&third).unwrap();
    fs::write(&third, &bytes[..bytes.len() / 2]).unwrap();
    let sentence = refused();
    assert!(
        sentence.contains("part-2.parquet") && sentence.contains("not a complete Parquet file"),
        "{sentence}"
    );
    // A column that one file does not have.
    let columns: [(&str, ArrayRef); 2] = [
        ("id", Arc::new(StringArray::from(vec!["a"]))),
        ("prob_yes", Arc::new(Float32Array::from(vec![1.0]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(&third).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let sentence = refused();
    assert!(sentence.contains("part-2.parquet"), "{sentence}");
    // No file at all.
    let none = PoolTable::open(parts.join("dt=2027-*/part-*.parquet"), &reading).unwrap_err();
    assert!(matches!(none, Error::NoFiles { .. }), "{none}");
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("pool.csv"), "id,prob_a,prob_b\n1,0.5,0.5\n").unwrap();
    assert!(matches!(PoolTable::open(&other, &reading), Err(Error::Folder { .. })));
}

#[test]
fn other_predictions_are_stacked_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let open = |reading: &Reading| PoolTable::open(folder.path().join("part-*.csv"), reading);
    // Files are in natural order: 9 before 10.
    file("part-10.csv", "id,said,truth,x\n3,dog,cat,0.5\n4,fox,fox,1.5\n");
    file("part-9.csv", "id,said,truth,x\n1,cat,cat,2.5\n2,dog,dog,3.5\n");
    let table = open(&Reading::new().hard("said").labels("truth").features("x")).unwrap();
    let Predictions::Hard { names, classes } = &table.predictions else { panic!("classes") };
    let said: Vec<&str> = classes.iter().map(|&class| names[class as usize].as_str()).collect();
    assert_eq!(said, ["cat", "dog", "dog", "fox"]);
    let Some(Labels::Classes(labels)) = &table.labels else { panic!("labels") };
    let truth: Vec<&str> = labels.iter().map(|&class| names[class as usize].as_str()).collect();
    assert_eq!(truth, ["cat", "dog", "cat", "fox"]);
    let ids: Vec<String> = (0..4).filter_map(|row| table.ids.get(row)).collect();
    assert_eq!(ids, ["1", "2", "3", "4"]);
    let features = &table.features.as_ref().unwrap().rows;
    assert_eq!(features.reader().rows(0..4).values(), [2.5, 3.5, 0.5, 1.5]);
    let values = open(&Reading::new().mean("x").labels("x")).unwrap();
    assert!(
        matches!(&values.predictions, Predictions::Values { means, variances: None } if means == &[2.5, 3.5, 0.5, 1.5])
    );
    assert_eq!(values.labels, Some(Labels::Values(vec![2.5, 3.5, 0.5, 1.5])));
    let judged = open(&Reading::new().judge("x")).unwrap();
    assert_eq!(judged.judged.unwrap().judges[0].orders[0].len(), 4);
    // Some rows of a pool, in another order.
    let picked = table.picked(&[3, 0]).unwrap();
    assert_eq!((picked.ids.get(0).unwrap(), picked.rows()), ("4".to_owned(), 2));
    // Columns that one file does not have.
    let differs = |reading: &Reading| match open(reading) {
        Err(Error::PartDiffers { path, there, here }) => {
            assert!(path.ends_with("part-10.csv"));
            (there, here)
        }
        other => panic!("{other:?}"),
    };
    file("part-10.csv", "said,x\ndog,0.5\n");
    assert_eq!(differs(&Reading::new().mean("x")).0, "no column of ids");
    file("part-9.csv", "id,said,x,x_a,x_b\n1,cat,2.5,1,2\n");
    file("part-10.csv", "id,said,x,x_b\n3,dog,0.5,2\n");
    let features = differs(&Reading::new().mean("x").features("x_*"));
    assert_eq!(features, ("the features x_b".to_owned(), "the features x_a, x_b".to_owned()));
    let history = differs(&Reading::new().history("x_*"));
    assert_eq!(history, ("the history x_b".to_owned(), "the history x_a, x_b".to_owned()));
    file("part-10.csv", "id,prob_a,prob_b\n3,0.5,0.5\n");
    file("part-9.csv", "id,prob_b,prob_a\n1,0.5,0.5\n");
    assert!(differs(&Reading::new()).0.contains("a, b"));
    // Rows without ids are numbered through.
    file("part-9.csv", "x\n1\n2\n");
    file("part-10.csv", "x\n3\n");
    assert_eq!(open(&Reading::new().mean("x")).unwrap().ids, Ids::Rows(3));
}
