//! Random pools, written here in each format that is simple enough, come back number for number.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and so may what it calls"
)]

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use labelwise_pool::{PoolTable, Predictions, Reading};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

/// Ids, texts, and rows of probabilities in f32.
#[derive(Debug, Clone)]
struct Written {
    ids: Vec<String>,
    rows: Vec<Vec<f32>>,
}

fn pools() -> impl Strategy<Value = Written> {
    let row = |classes| prop::collection::vec(1_u32..1000, classes);
    let rows = (2_usize..5).prop_flat_map(move |classes| prop::collection::vec(row(classes), 1..40));
    let id = "[a-z \",\n\té🦉]{1,6}";
    (rows, prop::collection::vec(id, 40)).prop_map(|(rows, ids)| Written {
        ids: ids.iter().enumerate().take(rows.len()).map(|(row, id)| format!("{id}{row}")).collect(),
        rows: rows
            .into_iter()
            .map(|row| {
                let sum: u32 = row.iter().sum();
                row.into_iter().map(|part| part as f32 / sum as f32).collect()
            })
            .collect(),
    })
}

fn csv(pool: &Written, separator: char) -> String {
    let mut text = "id".to_owned();
    (0..pool.rows[0].len()).for_each(|class| write!(text, "{separator}prob_{class}").unwrap());
    for (id, row) in pool.ids.iter().zip(&pool.rows) {
        write!(text, "\n\"{}\"", id.replace('"', "\"\"")).unwrap();
        row.iter().for_each(|number| write!(text, "{separator}{}", f64::from(*number)).unwrap());
    }
    text
}

fn jsonl(pool: &Written) -> String {
    let line = |(id, row): (&String, &Vec<f32>)| {
        let row: Vec<f64> = row.iter().map(|&number| number.into()).collect();
        serde_json::json!({ "other": [[{}]], "id": id, "probs": row }).to_string() + "\n"
    };
    pool.ids.iter().zip(&pool.rows).map(line).collect()
}

fn npy(pool: &Written) -> Vec<u8> {
    let shape = format!("({}, {})", pool.rows.len(), pool.rows[0].len());
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(pool.rows.iter().flatten().flat_map(|number| number.to_le_bytes()));
    bytes
}

fn write_parquet(pool: &Written, path: &Path, group: usize) {
    let columns = pool.rows[0].len();
    let numbers: String = (0..columns).map(|class| format!("required float prob_{class};")).collect();
    let schema = format!("message pool {{ required binary id (UTF8); {numbers} }}");
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    for (ids, rows) in pool.ids.chunks(group).zip(pool.rows.chunks(group)) {
        let mut next = writer.next_row_group().unwrap();
        let mut column = next.next_column().unwrap().unwrap();
        let ids: Vec<ByteArray> = ids.iter().map(|id| id.as_str().into()).collect();
        column.typed::<ByteArrayType>().write_batch(&ids, None, None).unwrap();
        column.close().unwrap();
        for class in 0..columns {
            let numbers: Vec<f32> = rows.iter().map(|row| row[class]).collect();
            let mut column = next.next_column().unwrap().unwrap();
            column.typed::<FloatType>().write_batch(&numbers, None, None).unwrap();
            column.close().unwrap();
        }
        next.close().unwrap();
    }
    writer.close().unwrap();
}

fn assert_read(pool: &Written, path: &Path, has_ids: bool) -> Result<(), TestCaseError> {
    let read =
        PoolTable::open(path, &Reading::new()).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let Predictions::Classes { rows, .. } = &read.predictions else { panic!() };
    prop_assert_eq!(rows.rows(), pool.rows.len());
    let mut reader = rows.reader();
    for (row, (id, written)) in pool.ids.iter().zip(&pool.rows).enumerate() {
        let wide: Vec<f64> = written.iter().map(|&number| number.into()).collect();
        prop_assert_eq!(reader.row(row), wide.as_slice());
        if has_ids {
            prop_assert_eq!(read.ids.get(row), Some(id.clone()));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(pool in pools(), group in 1_usize..50) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("pool.csv"), csv(&pool, ',')).unwrap();
        std::fs::write(at("pool.tsv"), csv(&pool, '\t')).unwrap();
        std::fs::write(at("pool.jsonl"), jsonl(&pool)).unwrap();
        std::fs::write(at("probs.npy"), npy(&pool)).unwrap();
        write_parquet(&pool, &at("pool.parquet"), group);
        for name in ["pool.csv", "pool.tsv", "pool.jsonl", "pool.parquet"] {
            assert_read(&pool, &at(name), true)?;
        }
        assert_read(&pool, &at("probs.npy"), false)?;
    }
}
