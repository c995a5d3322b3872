//! Arrow's record batches: every type beside the wanted columns, every cut into batches, files and memory alike.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and so may what it calls"
)]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{
    BinaryViewBuilder, Int32Builder, MapBuilder, StringBuilder, StringDictionaryBuilder,
};
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Int16Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, FixedSizeBinaryArray,
    Float16Array, Float32Array, Int8Array, Int32Array, LargeStringArray, ListArray, NullArray, RecordBatch,
    StringArray, StructArray, TimestampMillisecondArray, UInt64Array, UnionArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, UnionFields};
use labelwise_pool::{Column, Error, Ids, PoolTable, Predictions, Reading};
use parquet::arrow::ArrowWriter;

type Half = <Float16Type as ArrowPrimitiveType>::Native;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn write_file(path: &Path, options: IpcWriteOptions, batches: &[RecordBatch]) {
    let file = File::create(path).unwrap();
    let mut writer = FileWriter::try_new_with_options(file, &batches[0].schema(), options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
}

fn write_parquet(path: &Path, batches: &[RecordBatch]) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batches[0].schema(), None).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
}

fn rows(pool: &PoolTable) -> Vec<Vec<f64>> {
    let Predictions::Classes { rows, .. } = &pool.predictions else { panic!() };
    let mut reader = rows.reader();
    (0..rows.rows()).map(|row| reader.row(row).to_vec()).collect()
}

fn ids(pool: &PoolTable) -> Vec<String> {
    (0..pool.rows()).map(|row| pool.ids.get(row).unwrap()).collect()
}

/// Columns of types that take different numbers of buffers.
fn others(rows: usize) -> Vec<(&'static str, ArrayRef)> {
    let texts = || StringArray::from_iter_values((0..rows).map(|row| format!("a text of its own: {row}")));
    let mut views = BinaryViewBuilder::new().with_fixed_block_size(64);
    (0..rows).for_each(|row| views.append_value(format!("bytes that are too long for a view: {row}")));
    let lists = ListArray::from_iter_primitive::<Int16Type, _, _>((0..rows).map(|_| Some([Some(1), None])));
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for _ in 0..rows {
        maps.keys().append_value("key");
        maps.values().append_value(7);
        maps.append(true).unwrap();
    }
    let of_struct = StructArray::from(vec![
        (Arc::new(Field::new("text", DataType::Utf8, false)), Arc::new(texts()) as ArrayRef),
        (Arc::new(Field::new("null", DataType::Null, true)), Arc::new(NullArray::new(rows)) as ArrayRef),
    ]);
    let fixed = FixedSizeBinaryArray::try_from_iter((0..rows).map(|_| [1_u8, 2, 3])).unwrap();
    vec![
        ("null", Arc::new(NullArray::new(rows))),
        ("truth", Arc::new(BooleanArray::from(vec![true; rows]))),
        ("bytes", Arc::new(BinaryArray::from_iter_values((0..rows).map(|_| b"\xff")))),
        ("views", Arc::new(views.finish())),
        ("lists", Arc::new(lists)),
        ("maps", Arc::new(maps.finish())),
        ("struct", Arc::new(of_struct)),
        ("fixed", Arc::new(fixed)),
        ("decimal", Arc::new(Decimal128Array::from(vec![12345; rows]))),
        ("large", Arc::new(LargeStringArray::from(vec!["x"; rows]))),
        ("dictionary", Arc::new(DictionaryArray::<Int16Type>::from_iter((0..rows).map(|_| "entry")))),
    ]
}

fn union(rows: usize) -> ArrayRef {
    let fields: UnionFields =
        [(0_i8, Arc::new(Field::new("only", DataType::Int8, false)))].into_iter().collect();
    let values: ArrayRef = Arc::new(Int8Array::from(vec![1; rows]));
    Arc::new(UnionArray::try_new(fields, vec![0_i8; rows].into(), None, vec![values]).unwrap())
}

/// Three rows with the wanted columns between all others.
fn surrounded(with_union: bool) -> RecordBatch {
    let mut columns = others(3);
    columns.insert(9, ("prob_b", Arc::new(Float32Array::from(vec![0.75, 0.5, 0.0]))));
    columns.insert(4, ("prob_a", Arc::new(Float32Array::from(vec![0.25, 0.5, 1.0]))));
    columns.insert(7, ("id", Arc::new(StringArray::from(vec!["x", "y", "z"]))));
    if with_union {
        columns.insert(0, ("union", union(3)));
    }
    batch(columns)
}

#[test]
fn columns_are_found_between_others_of_every_type() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.arrow");
    for with_union in [false, true] {
        for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
            let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
            let whole = surrounded(with_union);
            write_file(&path, options, &[whole.slice(0, 1), whole.slice(1, 2)]);
            let pool = PoolTable::open(&path, &Reading::new().carry("large").carry("dictionary")).unwrap();
            assert_eq!(rows(&pool), [[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]]);
            assert_eq!(ids(&pool), ["x", "y", "z"]);
            assert_eq!(pool.carried[0].1, Column::Texts(["x"; 3].into_iter().collect()));
            assert_eq!(pool.carried[1].1, Column::Texts(["entry"; 3].into_iter().collect()));
        }
    }
}

/// A pool with a null text and two batches, whose second adds to the dictionary of the first.
fn with_dictionaries() -> Vec<RecordBatch> {
    let mut texts = StringDictionaryBuilder::<Int16Type>::new();
    let mut part = |ids: [&str; 2], said: [Option<&str>; 2]| {
        said.into_iter().for_each(|text| texts.append_option(text));
        batch(vec![
            ("id", Arc::new(StringArray::from(ids.to_vec()))),
            ("prob_a", Arc::new(Float32Array::from(vec![0.25, 1.0]))),
            ("prob_b", Arc::new(Float32Array::from(vec![0.75, 0.0]))),
            // The values of the first are those that the second begins with.
            ("text", Arc::new(texts.finish_preserve_values())),
        ])
    };
    vec![part(["1", "2"], [Some("one"), None]), part(["3", "4"], [Some("two"), Some("one")])]
}

#[test]
fn dictionaries_grow_from_batch_to_batch() {
    let folder = tempfile::tempdir().unwrap();
    let batches = with_dictionaries();
    for handling in [DictionaryHandling::Delta, DictionaryHandling::Resend] {
        let path = folder.path().join("pool.arrows");
        let options = IpcWriteOptions::default().with_dictionary_handling(handling);
        let mut writer =
            StreamWriter::try_new_with_options(File::create(&path).unwrap(), &batches[0].schema(), options)
                .unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
        let pool = PoolTable::open(&path, &Reading::new().carry("text")).unwrap();
        assert_eq!(ids(&pool), ["1", "2", "3", "4"]);
        assert_eq!(pool.carried[0].1, Column::Texts(["one", "", "two", "one"].into_iter().collect()));
    }
}

#[test]
fn memory_is_read_as_files_are_however_it_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let count = 20_000_usize;
    let narrow: Vec<f32> = (0..count).map(|row| row as f32 / count as f32).collect();
    let whole = batch(vec![
        ("id", Arc::new(StringArray::from_iter_values((0..count).map(|row| format!("item {row}"))))),
        ("other", Arc::new(BinaryArray::from_iter_values((0..count).map(|_| b"\xff")))),
        ("prob_a", Arc::new(Float32Array::from(narrow.clone()))),
        ("prob_b", Arc::new(Float32Array::from_iter_values(narrow.iter().map(|p| 1.0 - p)))),
        (
            "text",
            Arc::new(DictionaryArray::<Int16Type>::from_iter((0..count).map(|row| ["a", "b"][row % 2]))),
        ),
    ]);
    let cuts = |size: usize| -> Vec<RecordBatch> {
        (0..count).step_by(size).map(|at| whole.slice(at, size.min(count - at))).collect()
    };
    let reading = Reading::new().carry("text");
    let (file, parquet) = (folder.path().join("pool.arrow"), folder.path().join("pool.parquet"));
    write_file(&file, IpcWriteOptions::default(), &cuts(3001));
    write_parquet(&parquet, &cuts(9000));
    let expected = PoolTable::open(&file, &reading).unwrap();
    let mut pools = vec![PoolTable::open(&parquet, &reading).unwrap()];
    for size in [count, 8192, 777] {
        let batches = cuts(size).into_iter().map(Ok);
        pools.push(PoolTable::from_batches("pool", whole.schema(), batches, &reading).unwrap());
    }
    for pool in &pools {
        assert_eq!(rows(pool), rows(&expected));
        assert_eq!((ids(pool), &pool.carried), (ids(&expected), &expected.carried));
    }
    assert!(pools[1..].iter().all(|pool| pool.fingerprint == pools[1].fingerprint));
    assert_eq!(pools[1].path, PathBuf::from("pool"));
    let other = whole.slice(1, count - 1);
    let other = PoolTable::from_batches("pool", whole.schema(), [Ok(other)], &reading).unwrap();
    assert_ne!(other.fingerprint, pools[1].fingerprint);
}

#[test]
fn numbers_keep_their_precision() {
    let folder = tempfile::tempdir().unwrap();
    let big = u64::MAX - 1;
    let batch = batch(vec![
        ("id", Arc::new(UInt64Array::from(vec![7, big]))),
        ("prob_a", Arc::new(Float32Array::from(vec![0.1, 0.2]))),
        ("prob_b", Arc::new(Float32Array::from(vec![0.9, 0.8]))),
        ("half", Arc::new(Float16Array::from_iter_values([1.5_f32, 0.25].map(Half::from_f32)))),
        ("small", Arc::new(Int8Array::from(vec![-128, 127]))),
        ("day", Arc::new(Date32Array::from(vec![20_000, -1]))),
        ("at", Arc::new(TimestampMillisecondArray::from(vec![1_700_000_000_000, 5]))),
        ("count", Arc::new(Int32Array::from(vec![i32::MIN, i32::MAX]))),
    ]);
    for name in ["pool.arrow", "pool.parquet"] {
        let path = folder.path().join(name);
        if name.ends_with("arrow") {
            write_file(&path, IpcWriteOptions::default(), std::slice::from_ref(&batch));
        } else {
            write_parquet(&path, std::slice::from_ref(&batch));
        }
        let reading = Reading::new().features("half").features("small");
        let pool = PoolTable::open(&path, &reading.carry("day").carry("at").carry("count")).unwrap();
        assert_eq!(pool.ids, Ids::Column(Column::Texts(["7", &big.to_string()].into_iter().collect())));
        let narrow = |number: f32| f64::from(number);
        assert_eq!(rows(&pool), [[narrow(0.1), narrow(0.9)], [narrow(0.2), narrow(0.8)]], "{name}");
        let mut features = pool.features.as_ref().unwrap().rows.reader();
        assert_eq!(
            (features.row(0).to_vec(), features.row(1).to_vec()),
            (vec![1.5, -128.0], vec![0.25, 127.0])
        );
        assert_eq!(pool.carried[0].1, Column::Integers(vec![20_000, -1]));
        assert_eq!(pool.carried[1].1, Column::Integers(vec![1_700_000_000_000, 5]));
        assert_eq!(pool.carried[2].1, Column::Integers(vec![i32::MIN.into(), i32::MAX.into()]));
    }
}

#[test]
fn a_batch_of_other_types_is_refused() {
    let numbers = |array: ArrayRef| batch(vec![("prob_a", Arc::clone(&array)), ("prob_b", array)]);
    let first = numbers(Arc::new(Float32Array::from(vec![0.5])));
    let second = numbers(Arc::new(Int32Array::from(vec![1])));
    let pool = PoolTable::from_batches("pool", first.schema(), [Ok(first), Ok(second)], &Reading::new());
    assert!(matches!(pool, Err(Error::Damaged { .. })), "{pool:?}");
}

#[test]
fn nulls_are_named_by_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let count = 10_000;
    let hole = |at: usize| move |row: usize| (row != at).then_some(0.5_f32);
    let batch = batch(vec![
        (
            "id",
            Arc::new(StringArray::from_iter((0..count).map(|row| (row != 8200).then(|| row.to_string())))),
        ),
        ("prob_a", Arc::new(Float32Array::from_iter((0..count).map(hole(3))))),
        ("prob_b", Arc::new(Float32Array::from_iter((0..count).map(hole(9000))))),
    ]);
    let (file, parquet) = (folder.path().join("pool.arrow"), folder.path().join("pool.parquet"));
    write_file(&file, IpcWriteOptions::default(), &[batch.slice(0, 5000), batch.slice(5000, 5000)]);
    write_parquet(&parquet, &[batch.slice(0, 5000), batch.slice(5000, 5000)]);
    for path in [file, parquet] {
        let error = PoolTable::open(&path, &Reading::new()).unwrap_err().to_string();
        for said in ["row 4: `prob_a` is empty", "row 8201: `id` is empty", "row 9001: `prob_b` is empty"] {
            assert!(error.contains(said), "{error}");
        }
    }
}
