//! A file is read by its contents, whatever its name.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and so may what it calls"
)]

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use labelwise_pool::{Error, Format, PoolTable, Predictions, Reading};

fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pools");
    std::fs::read(folder.join(name)).unwrap()
}

#[test]
fn every_fixture_is_recognised_under_every_name() {
    let folder = tempfile::tempdir().unwrap();
    let endings = ["csv", "jsonl", "json", "parquet", "arrow", "npy", "npz", "eval", "txt"];
    for (name, format) in [
        ("pool.csv", Format::Csv),
        ("pool.tsv", Format::Tsv),
        ("pool.jsonl", Format::Jsonl),
        ("lists.jsonl", Format::Jsonl),
        ("table.json", Format::Json),
        ("inspect.json", Format::Json),
        ("pool.parquet", Format::Parquet),
        ("pool.arrow", Format::Arrow),
        ("pool.arrows", Format::Arrow),
        ("zstd.feather", Format::Arrow),
        ("probs.npy", Format::Npy),
        ("pool.npz", Format::Npz),
        ("inspect.eval", Format::Inspect),
    ] {
        let bytes = fixture(name);
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let honest = PoolTable::open(&path, &Reading::new()).unwrap();
        assert_eq!((honest.format, honest.notes.len()), (format, 0), "{name}: {:?}", honest.notes);
        for ending in endings {
            let lying = folder.path().join(format!("lying.{ending}"));
            std::fs::write(&lying, &bytes).unwrap();
            let pool = PoolTable::open(&lying, &Reading::new());
            let pool = pool.unwrap_or_else(|error| panic!("{name} as {ending}: {error}"));
            // Tabs are found in a file of commas, without a word about formats.
            let tabs = name == "pool.tsv" && ending == "csv";
            assert!(pool.format == format || tabs, "{name} as {ending}: {}", pool.format);
            let is_honest = Format::of(&lying).is_ok_and(|by_name| by_name == format);
            assert_eq!(pool.notes.is_empty(), is_honest, "{name} as {ending}: {:?}", pool.notes);
            assert_eq!(pool.ids, honest.ids, "{name} as {ending}");
            assert_eq!(format!("{:?}", pool.predictions), format!("{:?}", honest.predictions), "{name}");
        }
    }
}

#[test]
fn text_may_be_packed_or_in_utf16() {
    let folder = tempfile::tempdir().unwrap();
    let text = "id,prob_a,prob_b,text\nx,0.5,0.5,né\ny,1,0,\"a\nb\"\n";
    let lines = "{\"id\": \"x\", \"probs\": [0.5, 0.5]}\n{\"id\": \"y\", \"probs\": [1, 0]}\n";
    let gzip = |bytes: &[u8]| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    };
    let marked = |text: &str| format!("\u{feff}{text}");
    let big = |text: &str| marked(text).encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let little = |text: &str| marked(text).encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (name, text) in [("pool.csv", text), ("pool.jsonl", lines)] {
        for (form, bytes) in [
            ("mark", marked(text).into_bytes()),
            ("big", big(text)),
            ("little", little(text)),
            ("gzip", gzip(text.as_bytes())),
            ("both", gzip(&little(text))),
        ] {
            for ending in ["", ".gz"] {
                let path = folder.path().join(format!("{name}{ending}"));
                std::fs::write(&path, &bytes).unwrap();
                let pool = PoolTable::open(&path, &Reading::new());
                let pool = pool.unwrap_or_else(|error| panic!("{name}{ending} {form}: {error}"));
                assert_eq!(pool.ids.get(1).as_deref(), Some("y"), "{name}{ending} {form}");
                let Predictions::Classes { rows, .. } = &pool.predictions else { panic!() };
                assert_eq!(rows.reader().row(1), [1.0, 0.0], "{name}{ending} {form}");
            }
        }
    }
    let mut cut = gzip(text.as_bytes());
    cut.truncate(cut.len() - 9);
    let path = folder.path().join("cut.csv.gz");
    std::fs::write(&path, cut).unwrap();
    assert!(PoolTable::open(&path, &Reading::new()).is_err());
}

#[test]
fn classes_in_an_archive_are_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["pool.npz", "compressed.npz"] {
        let path = folder.path().join(name);
        std::fs::write(&path, fixture(name)).unwrap();
        let pool = PoolTable::open(&path, &Reading::new().carry_texts()).unwrap();
        assert_eq!(pool.predictions.classes().unwrap().len(), 3, "{name}");
        let carried: Vec<&str> = pool.carried.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(carried, ["texts"], "{name}");
    }
}

#[test]
fn an_archive_with_two_arrays_of_one_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.npz");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for name in ["probs.npy", "other.npy"] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&fixture("probs.npy")).unwrap();
    }
    archive.finish().unwrap();
    assert!(PoolTable::open(&path, &Reading::new()).is_ok());
    let mut bytes = std::fs::read(&path).unwrap();
    for place in 0..bytes.len() - 9 {
        if &bytes[place..place + 9] == b"other.npy" {
            bytes[place..place + 9].copy_from_slice(b"probs.npy");
        }
    }
    std::fs::write(&path, bytes).unwrap();
    let error = PoolTable::open(&path, &Reading::new()).unwrap_err();
    assert!(error.to_string().contains("two arrays of the same name"), "{error}");
}

#[test]
fn numbers_in_dictionaries_are_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.arrow");
    let halves: ArrayRef = Arc::new(Float64Array::from(vec![0.25, 0.75]));
    let keys = |keys: Vec<i8>| arrow_array::Int8Array::from(keys);
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![70, 80, 90]));
    let number = |places, values: &ArrayRef| -> ArrayRef {
        Arc::new(DictionaryArray::<Int8Type>::try_new(keys(places), Arc::clone(values)).unwrap())
    };
    let ids = DictionaryArray::<Int32Type>::try_new(vec![2, 0, 1].into(), whole).unwrap();
    let batch = RecordBatch::try_from_iter([
        ("prob_a", number(vec![0, 1, 0], &halves)),
        ("prob_b", number(vec![1, 0, 1], &halves)),
        ("id", Arc::new(ids) as ArrayRef),
    ])
    .unwrap();
    let mut writer = FileWriter::try_new(std::fs::File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let pool = PoolTable::open(&path, &Reading::new()).unwrap();
    assert_eq!([0, 1, 2].map(|row| pool.ids.get(row).unwrap()), ["90", "70", "80"]);
    let Predictions::Classes { rows, .. } = &pool.predictions else { panic!() };
    assert_eq!(rows.reader().row(1), [0.75, 0.25]);
}

#[test]
fn text_that_is_too_long_is_named_with_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.json");
    let long = "x".repeat((64 << 20) + 1);
    let table =
        format!("{{\"columns\":[\"p_a\",\"p_b\",\"text\"],\"data\":[[1,0,\"short\"],[1,0,\"{long}\"]]}}");
    std::fs::write(&path, table).unwrap();
    let Err(Error::Rows { rows, .. }) = PoolTable::open(&path, &Reading::new().carry("text")) else {
        panic!()
    };
    assert_eq!(
        rows[0].to_string(),
        "row 2: `text` has a text of 67108865 bytes, but at most 67108864 are read"
    );
}

/// Brotli is not compiled in, so its number is put in place of another's.
#[test]
fn a_compression_that_is_not_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.parquet");
    let mut bytes = fixture("gzip.parquet");
    // In the footer, the codec stands after the path of the column: a list of one text, then the field.
    let name = b"\x19\x18\x02id\x15\x04";
    let places: Vec<usize> =
        (0..bytes.len() - name.len()).filter(|&at| &bytes[at..at + name.len()] == name).collect();
    assert!(!places.is_empty());
    for place in places {
        bytes[place + name.len() - 1] = 8;
    }
    std::fs::write(&path, bytes).unwrap();
    let error = PoolTable::open(&path, &Reading::new()).unwrap_err().to_string();
    assert!(error.contains("columns that are packed with brotli"), "{error}");
}
