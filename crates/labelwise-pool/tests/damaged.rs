//! Damaged files: an error or a table, never a panic, never much memory.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and so may what it calls"
)]

use std::path::PathBuf;
use std::sync::Once;

use labelwise_pool::{PoolTable, Reading};
use proptest::prelude::*;
use rustix::process::{Resource, Rlimit, setrlimit};

/// What the process may take: a length that is believed would go beyond.
const MEMORY: u64 = 3 << 30;

fn limit_memory() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        setrlimit(Resource::As, Rlimit { current: Some(MEMORY), maximum: None }).unwrap();
    });
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pools");
    std::fs::read(folder.join(name)).unwrap()
}

/// Every fixture with a way to read as much of it as there is.
fn files() -> Vec<(&'static str, Reading)> {
    let whole =
        || Reading::new().surrogate("other_*").features("x*").labels("label").carry("text").carry("number");
    let mut files: Vec<(&str, Reading)> = [
        "pool.csv",
        "pool.tsv",
        "pool.jsonl",
        "table.json",
        "pool.parquet",
        "required.parquet",
        "none.parquet",
        "gzip.parquet",
        "zstd.parquet",
        "lz4.parquet",
        "pool.arrow",
        "pool.arrows",
        "lz4.feather",
        "zstd.feather",
        "dictionary.arrow",
        "large.arrow",
        "view.arrow",
    ]
    .map(|name| (name, whole()))
    .to_vec();
    files.extend(
        [
            "lists.jsonl",
            "lists.parquet",
            "lists.arrow",
            "large_lists.arrow",
            "fixed_lists.arrow",
            "probs.npy",
            "fortran.npy",
            "big_endian.npy",
            "half.npy",
        ]
        .map(|name| (name, Reading::new())),
    );
    files.extend(
        ["pool.npz", "compressed.npz"]
            .map(|name| (name, Reading::new().labels("labels").features("features").carry("texts"))),
    );
    files.push(("lm_eval_choices.jsonl", Reading::new().labels("acc").carry("doc.question")));
    files.push(("lm_eval_filters.jsonl", Reading::new().filter("strict-match").labels("target")));
    files.extend(
        ["inspect.eval", "inspect.json"].map(|name| (name, Reading::new().labels("match").carry("input"))),
    );
    files
}

fn read(name: &str, bytes: &[u8], reading: &Reading) -> Result<usize, String> {
    limit_memory();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let pool = PoolTable::open(&path, reading).map_err(|error| error.to_string())?;
    // What is read must hang together, whatever it says.
    assert_eq!(pool.ids.len(), pool.rows());
    assert!(pool.surrogates.iter().all(|beliefs| beliefs.len() == pool.rows()));
    assert!(pool.features.as_ref().is_none_or(|features| features.rows.rows() == pool.rows()));
    assert!(pool.carried.iter().all(|(_, column)| column.len() == pool.rows()));
    Ok(pool.rows())
}

#[test]
fn whole_files_are_read() {
    for (name, reading) in files() {
        assert!(read(name, &fixture(name), &reading).is_ok_and(|rows| rows > 0), "{name}");
    }
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_a_shorter_pool() {
    for (name, reading) in files() {
        let bytes = fixture(name);
        let rows = read(name, &bytes, &reading).unwrap();
        // Every length of a small file; of a larger one, every few bytes.
        let step = bytes.len().div_ceil(300).max(1);
        for length in (0..bytes.len()).step_by(step) {
            if let Ok(left) = read(name, &bytes[..length], &reading) {
                assert!(left <= rows, "{name} cut to {length} bytes");
            }
        }
    }
}

/// Files whose decoders are not ours: every part of them is damaged, byte by byte.
#[test]
fn bytes_of_arrow_and_parquet_files_may_be_anything() {
    let is_columnar =
        |name: &str| [".parquet", ".arrow", ".arrows", ".feather"].iter().any(|end| name.ends_with(end));
    for (name, reading) in files().into_iter().filter(|(name, _)| is_columnar(name)) {
        let whole = fixture(name);
        let step = whole.len().div_ceil(200);
        for place in (0..whole.len()).step_by(step) {
            for change in [0xff, 0x01, whole[place]] {
                let mut bytes = whole.clone();
                bytes[place] ^= change;
                let _ = read(name, &bytes, &reading);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bits_are_an_error_or_a_pool(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..8), 1..6),
    ) {
        for (name, reading) in files() {
            let mut bytes = fixture(name);
            for (place, bit) in &flips {
                let place = place.index(bytes.len());
                bytes[place] ^= 1 << bit;
            }
            let _ = read(name, &bytes, &reading);
        }
    }

    #[test]
    fn overwritten_bytes_are_an_error_or_a_pool(
        place in any::<prop::sample::Index>(),
        // Lengths and offsets are little-endian words: large ones, small ones, negative ones.
        word in prop::sample::select(vec![
            [0xff; 8], [0x7f; 8], [0, 0, 0, 0, 0, 0, 0, 0x80], [0; 8], [0, 0, 0, 0x40, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0],
        ]),
        length in 1_usize..=8,
    ) {
        for (name, reading) in files() {
            let mut bytes = fixture(name);
            let place = place.index(bytes.len());
            for (to, from) in bytes[place..].iter_mut().zip(&word[..length]) {
                *to = *from;
            }
            let _ = read(name, &bytes, &reading);
        }
    }

    #[test]
    fn any_bytes_are_an_error_or_a_pool(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for (name, reading) in files() {
            // Readers look further once a file begins as it should.
            let mut whole: Vec<u8> = fixture(name).into_iter().take(12).collect();
            whole.extend(&bytes);
            let _ = read(name, &whole, &reading);
            let _ = read(name, &bytes, &reading);
        }
    }
}
