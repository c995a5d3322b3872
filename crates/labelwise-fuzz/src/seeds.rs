//! Files that other libraries wrote: the fixtures of `labelwise-pool`.

use crate::target::Target;

macro_rules! fixtures {
    ($($name:literal),* $(,)?) => {
        const {
            &[$(include_bytes!(concat!("../../labelwise-pool/tests/fixtures/pools/", $name)) as &[u8]),*]
        }
    };
}

/// The fixtures of a target.
pub(crate) fn fixtures(target: Target) -> &'static [&'static [u8]] {
    match target {
        Target::Csv => fixtures!["pool.csv"],
        Target::Jsonl => fixtures!["pool.jsonl", "lists.jsonl"],
        Target::Json => fixtures!["table.json", "inspect.json", "inspect_failed.json"],
        Target::Parquet => fixtures![
            "pool.parquet",
            "required.parquet",
            "none.parquet",
            "gzip.parquet",
            "zstd.parquet",
            "lz4.parquet",
            "holes.parquet",
            "lists.parquet",
        ],
        Target::Arrow => fixtures![
            "pool.arrow",
            "pool.arrows",
            "lz4.feather",
            "zstd.feather",
            "dictionary.arrow",
            "large.arrow",
            "view.arrow",
            "lists.arrow",
            "large_lists.arrow",
            "fixed_lists.arrow",
        ],
        Target::Npy => {
            fixtures!["probs.npy", "values.npy", "fortran.npy", "big_endian.npy", "half.npy", "objects.npy"]
        }
        Target::Npz => fixtures!["pool.npz", "compressed.npz"],
        Target::Inspect => fixtures!["inspect.eval", "inspect_epochs.eval"],
        Target::LmEval => fixtures!["lm_eval_choices.jsonl", "lm_eval_filters.jsonl"],
        Target::Labels | Target::Evaluation => &[],
    }
}
