//! Small files that become very large: each is refused with a sentence, within little memory. Large files that people
//! have are not.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use flate2::Compression as Level;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use zip::write::SimpleFileOptions;

use crate::run::Folder;

/// Address space of a run in kilobytes: 1 GiB, and what a program has mapped before it reads anything.
const ADDRESSES: u64 = (1 << 20) + (1 << 19);

/// Runs `labelwise new` in limited memory. A program that asks for more is aborted.
fn new_in_little_memory(folder: &Folder, pool: &str, arguments: &[&str]) -> Output {
    let program = folder.command(&[]);
    let script = format!("ulimit -v {ADDRESSES} && exec \"$0\" new \"$@\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(program.get_program()).arg(pool).args(["--out", "e.labelwise"]);
    // Each thread has a heap of its own, which reserves addresses.
    command.args(arguments).env("RAYON_NUM_THREADS", "2").env("MALLOC_ARENA_MAX", "2");
    command.current_dir(folder.path("")).output().unwrap()
}

fn is_refused(folder: &Folder, pool: &str, arguments: &[&str], sentence: &str) {
    let size = folder.path(pool).metadata().unwrap().len();
    assert!(size < 2 << 20, "{pool} has {size} bytes");
    let output = new_in_little_memory(folder, pool, arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{pool}: {said}");
    assert!(said.starts_with("error: ") && said.contains(sentence), "{pool}: {said}");
    assert!(!folder.path("e.labelwise").exists(), "{pool}");
}

const TOO_LARGE: &str = "of memory, the limit for a file of this size: read fewer columns";

fn zstd() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()))
}

fn write_parquet(path: &Path, batch: &RecordBatch, properties: WriterPropertiesBuilder) {
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn write_arrow(path: &Path, batch: &RecordBatch) {
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
    let mut writer =
        FileWriter::try_new_with_options(File::create(path).unwrap(), &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

fn halves(rows: usize) -> [(&'static str, ArrayRef); 2] {
    ["prob_0", "prob_1"].map(|name| (name, Arc::new(Float32Array::from(vec![0.5; rows])) as ArrayRef))
}

/// Rows that all hold one text, by a dictionary of one entry.
fn one_text(rows: usize, length: usize) -> RecordBatch {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(length)]));
    let keys = Int32Array::from(vec![0; rows]);
    let texts: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::try_new(keys, text).unwrap());
    RecordBatch::try_from_iter(halves(rows).into_iter().chain([("text", texts)])).unwrap()
}

#[test]
fn one_text_of_many_rows() {
    let folder = Folder::new();
    let long = zstd().set_dictionary_page_size_limit(1 << 30).set_statistics_truncate_length(Some(8));
    write_parquet(&folder.path("text.parquet"), &one_text(200, 50 << 20), long);
    is_refused(&folder, "text.parquet", &[], TOO_LARGE);
    write_arrow(&folder.path("dict.arrow"), &one_text(100_000, 1 << 20));
    is_refused(&folder, "dict.arrow", &[], TOO_LARGE);
}

/// Texts that repeat the one before them are stored as almost nothing.
#[test]
fn texts_stored_as_differences() {
    let folder = Folder::new();
    let text = "x".repeat(1 << 20);
    let texts: ArrayRef = Arc::new(StringArray::from(vec![text.as_str(); 600]));
    let batch = RecordBatch::try_from_iter(halves(600).into_iter().chain([("text", texts)])).unwrap();
    let properties = zstd()
        .set_dictionary_enabled(false)
        .set_column_encoding("text".into(), Encoding::DELTA_BYTE_ARRAY)
        .set_data_page_size_limit(1 << 30)
        .set_statistics_truncate_length(Some(8));
    write_parquet(&folder.path("differences.parquet"), &batch, properties);
    is_refused(&folder, "differences.parquet", &[], TOO_LARGE);
}

#[test]
fn one_row_with_a_long_list() {
    let folder = Folder::new();
    let zeros = vec![Some(0.0); 20_000_000];
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>([Some(zeros)]));
    let batch = RecordBatch::try_from_iter([("probs", list)]).unwrap();
    write_parquet(&folder.path("list.parquet"), &batch, zstd());
    is_refused(&folder, "list.parquet", &[], TOO_LARGE);
}

/// Writes an archive with one entry: a start, a piece many times, and an end.
fn write_zip(path: &Path, name: &str, start: &[u8], (piece, times): (&[u8], usize), end: &[u8]) {
    let mut archive = zip::ZipWriter::new(File::create(path).unwrap());
    archive.start_file(name, SimpleFileOptions::default().large_file(true)).unwrap();
    archive.write_all(start).unwrap();
    (0..times).for_each(|_| archive.write_all(piece).unwrap());
    archive.write_all(end).unwrap();
    archive.finish().unwrap();
}

#[test]
fn samples_of_inspect() {
    let folder = Folder::new();
    let sample = "samples/1_epoch_1.json";
    let zeros = b"0,".repeat(1 << 19);
    write_zip(&folder.path("array.eval"), sample, b"{\"id\":1,\"input\":[", (&zeros, 40), b"0]}");
    is_refused(&folder, "array.eval", &[], TOO_LARGE);
    let spaces = vec![b' '; 1 << 20];
    write_zip(&folder.path("spaces.eval"), sample, b"", (&spaces, 400), b"{\"id\":1}");
    is_refused(&folder, "spaces.eval", &[], TOO_LARGE);
}

#[test]
fn a_constant_array() {
    let folder = Folder::new();
    let shape = "{'descr': '<f4', 'fortran_order': False, 'shape': (52428800, 2), }\n";
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(u16::try_from(shape.len()).unwrap().to_le_bytes());
    header.extend(shape.as_bytes());
    let halves = 0.5_f32.to_le_bytes().repeat(1 << 18);
    write_zip(&folder.path("pool.npz"), "probs.npy", &header, (&halves, 400), b"");
    is_refused(&folder, "pool.npz", &[], TOO_LARGE);
}

fn write_gzip(path: &Path, start: &[u8], (piece, times): (&[u8], usize), end: &[u8]) {
    let mut file = GzEncoder::new(File::create(path).unwrap(), Level::default());
    file.write_all(start).unwrap();
    (0..times).for_each(|_| file.write_all(piece).unwrap());
    file.write_all(end).unwrap();
    file.finish().unwrap();
}

#[test]
fn packed_text() {
    let folder = Folder::new();
    write_gzip(&folder.path("ones.csv.gz"), b"s\n", (&b"1\n".repeat(1 << 19), 60), b"");
    is_refused(&folder, "ones.csv.gz", &["--scores", "s"], TOO_LARGE);
    write_gzip(&folder.path("commas.csv.gz"), b"id,prob_0", (&b",".repeat(1 << 20), 60), b"\n");
    is_refused(&folder, "commas.csv.gz", &[], "a record has more than 4194304 delimiters");
    let zeros = b"0,".repeat(1 << 19);
    write_gzip(&folder.path("list.jsonl.gz"), b"{\"probs\":[", (&zeros, 60), b"0]}\n");
    is_refused(&folder, "list.jsonl.gz", &[], "`probs` has more than 100000 numbers");
    let start = b"{\"doc_id\":1,\"target\":\"a\",\"filtered_resps\":[\"a\"],\"doc\":{\"x\":[";
    let objects = b"{\"\":0},".repeat(1 << 17);
    write_gzip(&folder.path("objects.jsonl.gz"), start, (&objects, 60), b"0]}}\n");
    is_refused(&folder, "objects.jsonl.gz", &[], TOO_LARGE);
    let table = b"{\"columns\":[\"prob_0\",\"prob_1\",\"x\"],\"data\":[[0.5,0.5,\"";
    write_gzip(&folder.path("text.json.gz"), table, (&b"x".repeat(1 << 20), 300), b"\"]]}");
    is_refused(&folder, "text.json.gz", &[], TOO_LARGE);
}

/// Predictions that are all the same and a few texts are stored in next to nothing, and are still a pool.
#[test]
fn files_that_people_have_are_read() {
    let folder = Folder::new();
    let rows = 1_000_000;
    let sources: DictionaryArray<Int32Type> = (0..rows).map(|row| ["news", "web", "mail"][row % 3]).collect();
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    let columns = halves(rows).into_iter().chain([("id", ids), ("source", Arc::new(sources) as ArrayRef)]);
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let delta = zstd().set_column_dictionary_enabled("id".into(), false);
    let delta = delta.set_column_encoding("id".into(), Encoding::DELTA_BINARY_PACKED);
    write_parquet(&folder.path("pool.parquet"), &batch, delta);
    let size = folder.path("pool.parquet").metadata().unwrap().len();
    assert!(size < 20_000, "{size} bytes");
    let output = new_in_little_memory(&folder, "pool.parquet", &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("1,000,000 items"));
}
