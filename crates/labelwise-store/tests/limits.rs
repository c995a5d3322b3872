//! What a file says of itself is held against what it is.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and so may what it calls"
)]

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use labelwise_store::{Error, PoolTable, Reading};
use parquet::data_type::FloatType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// A file of some text and then so many bytes of nothing, which takes no room on the disk.
fn with_a_tail(folder: &tempfile::TempDir, name: &str, text: &str, bytes: u64) -> PathBuf {
    let path = folder.path().join(name);
    let mut file = File::create(&path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.set_len(bytes).unwrap();
    path
}

#[test]
fn a_record_that_never_ends_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("pool.csv", "id,p_a,p_b\n\"1,0.5,0.5\n"),
        ("pool.tsv", "id\tp_a\tp_b"),
        ("pool.jsonl", "{\"probs\": [0.5, 0.5]}\n{\"probs"),
    ] {
        let path = with_a_tail(&folder, name, text, 200 << 20);
        let Err(error) = PoolTable::open(&path, &Reading::new()) else { panic!("{name}") };
        assert!(error.to_string().contains("longer than 67108864 bytes"), "{name}: {error}");
    }
}

#[test]
fn an_array_is_as_long_as_its_shape() {
    let folder = tempfile::tempdir().unwrap();
    for shape in
        ["(1000000000000, 2)", "(18446744073709551615, 4)", "(2, 2)", "(4, 2)", "(3, 0)", "()", "(7,"]
    {
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend([0; 24]);
        let path = folder.path().join("probs.npy");
        std::fs::write(&path, bytes).unwrap();
        let read = PoolTable::open(&path, &Reading::new());
        assert!(matches!(read, Err(Error::Damaged { .. })), "{shape}: {read:?}");
    }
}

#[test]
fn few_bytes_are_not_believed_to_be_very_many_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.parquet");
    let schema =
        Arc::new(parse_message_type("message p { required float p_a; required float p_b; }").unwrap());
    let properties = Arc::new(WriterProperties::builder().set_data_page_row_count_limit(1 << 24).build());
    let mut writer = SerializedFileWriter::new(File::create(&path).unwrap(), schema, properties).unwrap();
    let halves = vec![0.5_f32; 1 << 20];
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        for _ in 0..36 {
            column.typed::<FloatType>().write_batch(&halves, None, None).unwrap();
        }
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    let Err(Error::Unbelievable { declared, bytes, most, .. }) = PoolTable::open(&path, &Reading::new())
    else {
        panic!()
    };
    assert_eq!(declared, 36 << 20);
    assert!(most < declared && bytes < 100_000);
}

#[test]
fn nesting_has_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let deep = "[".repeat(1_000_000);
    for (name, text) in [
        ("pool.jsonl", format!("{{\"probs\": {deep}")),
        ("late.jsonl", format!("{{\"probs\": [1, 0], \"x\": 1}}\n{{\"probs\": [1, 0], \"x\": {deep}}}\n")),
        ("table.json", format!("{{\"columns\": [\"p_a\", \"p_b\"], \"data\": {deep}")),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        assert!(PoolTable::open(&path, &Reading::new()).is_err(), "{name}");
    }
}
