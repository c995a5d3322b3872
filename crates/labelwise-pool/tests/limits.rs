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

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float32Array, Int32Array, ListArray, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use labelwise_pool::{Error, PoolTable, Reading};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::data_type::FloatType;
use parquet::file::properties::{WriterProperties, WriterVersion};
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
    let Err(Error::TooLarge { bytes, most, .. }) = PoolTable::open(&path, &Reading::new()) else { panic!() };
    assert!(most < 36 << 24 && bytes < 100_000);
}

/// Rows that all hold one text, by a dictionary of one entry.
fn one_text(rows: usize, length: usize) -> RecordBatch {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(length)]));
    let keys = Int32Array::from(vec![0; rows]);
    let columns: [(&str, ArrayRef); 3] = [
        ("prob_a", Arc::new(Float32Array::from(vec![0.5; rows]))),
        ("prob_b", Arc::new(Float32Array::from(vec![0.5; rows]))),
        ("text", Arc::new(DictionaryArray::<Int32Type>::try_new(keys, text).unwrap())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn write_parquet(path: &PathBuf, batch: &RecordBatch) {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_page_size_limit(1 << 30)
        .set_statistics_truncate_length(Some(8))
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn write_arrow(path: &PathBuf, batch: &RecordBatch) {
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
    let file = File::create(path).unwrap();
    let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

/// Each of these files is a few kilobytes, and would become many gigabytes.
#[test]
fn a_text_is_not_copied_to_very_many_rows() {
    let folder = tempfile::tempdir().unwrap();
    for (name, write) in
        [("pool.parquet", write_parquet as fn(&PathBuf, &RecordBatch)), ("pool.arrow", write_arrow)]
    {
        let path = folder.path().join(name);
        write(&path, &one_text(5000, 4 << 20));
        let size = std::fs::metadata(&path).unwrap().len();
        assert!(size < 100_000, "{name} has {size} bytes");
        let error = PoolTable::open(&path, &Reading::new().carry("text")).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{name}: {error}");
        // Without the text, it is a pool as any other.
        assert_eq!(PoolTable::open(&path, &Reading::new()).unwrap().rows(), 5000, "{name}");
    }
}

#[test]
fn pages_and_buffers_do_not_become_more_than_a_file_may() {
    let folder = tempfile::tempdir().unwrap();
    for (name, write) in
        [("pool.parquet", write_parquet as fn(&PathBuf, &RecordBatch)), ("pool.arrow", write_arrow)]
    {
        let path = folder.path().join(name);
        write(&path, &one_text(3, 300 << 20));
        let error = PoolTable::open(&path, &Reading::new().carry("text")).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{name}: {error}");
    }
}

#[test]
fn a_list_has_no_more_numbers_than_a_file_may_have_columns() {
    let folder = tempfile::tempdir().unwrap();
    let list: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<arrow_array::types::Float32Type, _, _>([Some(
            vec![Some(0.0); 2_000_000],
        )]));
    let batch = RecordBatch::try_from_iter([("probs", list)]).unwrap();
    for (name, write) in
        [("pool.parquet", write_parquet as fn(&PathBuf, &RecordBatch)), ("pool.arrow", write_arrow)]
    {
        let path = folder.path().join(name);
        write(&path, &batch);
        let error = PoolTable::open(&path, &Reading::new()).unwrap_err();
        let Error::TooWide { columns, most, .. } = error else { panic!("{name}: {error}") };
        assert_eq!((columns, most), (2_000_000, 100_000), "{name}");
    }
}

/// The decoder looks at the next page of a list before it reads it.
#[test]
fn lists_over_several_pages_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.parquet");
    let rows = (0..40).map(|_| Some(vec![Some(0.25), Some(0.75)]));
    let list: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<arrow_array::types::Float64Type, _, _>(rows));
    let batch = RecordBatch::try_from_iter([("probs", list)]).unwrap();
    let properties = WriterProperties::builder().set_data_page_row_count_limit(4).set_write_batch_size(4);
    let file = File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert_eq!(PoolTable::open(&path, &Reading::new()).unwrap().rows(), 40);
}

/// Texts as differences from the one before, and lengths apart from texts: what other writers choose.
#[test]
fn texts_in_every_encoding_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let texts: Vec<String> =
        (0..3000).map(|row| format!("text {} {}", row / 7, "x".repeat(row % 50))).collect();
    let columns: [(&str, ArrayRef); 3] = [
        ("prob_a", Arc::new(Float32Array::from(vec![0.5; 3000]))),
        ("prob_b", Arc::new(Float32Array::from(vec![0.5; 3000]))),
        ("text", Arc::new(StringArray::from_iter((0..3000).map(|row| (row % 11 > 0).then(|| &texts[row]))))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    for encoding in [Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for compression in [
                Compression::UNCOMPRESSED,
                Compression::ZSTD(ZstdLevel::default()),
                Compression::GZIP(GzipLevel::default()),
                Compression::SNAPPY,
                Compression::LZ4_RAW,
            ] {
                let properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_dictionary_enabled(false)
                    .set_compression(compression)
                    .set_data_page_row_count_limit(700)
                    .set_write_batch_size(100)
                    .set_column_encoding("text".into(), encoding)
                    .build();
                let path = folder.path().join("pool.parquet");
                let mut writer =
                    ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), Some(properties))
                        .unwrap();
                writer.write(&batch).unwrap();
                writer.close().unwrap();
                let pool = PoolTable::open(&path, &Reading::new().carry("text")).unwrap();
                let (_, column) = &pool.carried[0];
                for (row, text) in texts.iter().enumerate() {
                    let expected = if row % 11 > 0 { text.as_str() } else { "" };
                    assert_eq!(column.text(row).as_deref(), Some(expected), "{encoding} {compression} {row}");
                }
            }
        }
    }
}

/// The decoder of gzip unpacks to the end, whatever size the page says it has.
#[test]
fn a_page_is_as_large_as_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.parquet");
    let rows = 1_000_000;
    let columns: [(&str, ArrayRef); 2] =
        ["prob_a", "prob_b"].map(|name| (name, Arc::new(Float32Array::from(vec![0.5; rows])) as ArrayRef));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_compression(Compression::GZIP(GzipLevel::default()))
        .set_data_page_size_limit(1 << 30)
        .set_data_page_row_count_limit(rows)
        .set_write_batch_size(rows)
        .build();
    let mut writer =
        ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert_eq!(PoolTable::open(&path, &Reading::new()).unwrap().rows(), rows);
    // The number of bytes as Thrift writes it: doubled, seven bits per byte.
    let varint = |mut number: usize| {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    };
    let mut bytes = std::fs::read(&path).unwrap();
    let (whole, half) = (varint(2 * 4 * rows), varint(4 * rows));
    assert_eq!(whole.len(), half.len());
    let place = bytes.windows(whole.len()).position(|window| window == whole).unwrap();
    bytes[place..place + half.len()].copy_from_slice(&half);
    std::fs::write(&path, bytes).unwrap();
    let error = PoolTable::open(&path, &Reading::new()).unwrap_err().to_string();
    assert!(error.contains("a page is larger than its header says"), "{error}");
}

/// Eight bytes of a footer become hundreds in memory, so its entries are counted before it is decoded.
#[test]
fn a_schema_has_no_more_entries_than_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.parquet");
    // A version, a list of 2^19 + 1 entries, the root with as many children, and the children, called `a`.
    let mut footer = vec![0x15, 2, 0x19, 0xfc, 0x81, 0x80, 0x20, 0x48, 1, b'r', 0x15, 0x80, 0x80, 0x40, 0];
    footer.extend([0x15, 2, 0x25, 0, 0x18, 1, b'a', 0].repeat(1 << 19));
    footer.extend([0x16, 0, 0x19, 0x0c, 0]);
    let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
    std::fs::write(&path, [b"PAR1".as_slice(), &footer, &length, b"PAR1"].concat()).unwrap();
    let error = PoolTable::open(&path, &Reading::new()).unwrap_err();
    // Counted with the root, which is not a column.
    assert!(matches!(error, Error::TooWide { columns: 524_289, .. }), "{error}");
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
