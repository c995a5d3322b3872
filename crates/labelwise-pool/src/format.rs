//! The formats of pool files, and how to recognise them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::{Error, Result};

/// The format of a pool file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Values under a line of names, separated by commas, or by semicolons or tabs if the contents show it.
    Csv,
    /// The same, with tabs as the usual delimiter.
    Tsv,
    /// One JSON object per line. Samples of lm-evaluation-harness are recognised by their keys.
    Jsonl,
    /// One JSON object: a table of MLflow or W&B, or a log of Inspect, recognised by their keys.
    Json,
    /// Parquet.
    Parquet,
    /// Arrow IPC, as a file (also Feather) or as a stream.
    Arrow,
    /// One NumPy array.
    Npy,
    /// Several NumPy arrays by name.
    Npz,
    /// Samples logged by lm-evaluation-harness, one JSON object per line.
    LmEval,
    /// A log of Inspect, as a ZIP archive.
    Inspect,
    /// Not a file: arrays of the calling program.
    Arrays,
}

impl Format {
    /// Every format of a file.
    pub const ALL: [Self; 10] = [
        Self::Csv,
        Self::Tsv,
        Self::Jsonl,
        Self::Json,
        Self::Parquet,
        Self::Arrow,
        Self::Npy,
        Self::Npz,
        Self::LmEval,
        Self::Inspect,
    ];

    /// Its name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Jsonl => "jsonl",
            Self::Json => "json",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::LmEval => "lm-eval",
            Self::Inspect => "inspect",
            Self::Arrays => "arrays",
        }
    }

    /// The format of a file, from its extension; one more extension `gz` is ignored.
    ///
    /// ```
    /// use labelwise_pool::Format;
    /// assert_eq!(Format::of("pool.parquet".as_ref())?, Format::Parquet);
    /// # Ok::<(), labelwise_pool::Error>(())
    /// ```
    pub fn of(path: &Path) -> Result<Self> {
        let extension =
            path.extension().and_then(|text| text.to_str()).unwrap_or_default().to_ascii_lowercase();
        Ok(match extension.as_str() {
            "gz" => return path.file_stem().map_or(Err(unknown(path)), |stem| Self::of(Path::new(stem))),
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "jsonl" | "ndjson" => Self::Jsonl,
            "json" => Self::Json,
            "parquet" | "pq" => Self::Parquet,
            "arrow" | "arrows" | "feather" | "ipc" => Self::Arrow,
            "npy" => Self::Npy,
            "npz" => Self::Npz,
            "eval" => Self::Inspect,
            _ => return Err(unknown(path)),
        })
    }
}

fn unknown(path: &Path) -> Error {
    Error::UnknownFormat { path: path.to_owned(), known: names() }
}

pub(crate) fn names() -> String {
    Format::ALL.map(Format::name).join(", ")
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Csv => "CSV",
            Self::Tsv => "TSV",
            Self::Jsonl => "JSON Lines",
            Self::Json => "JSON",
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
            Self::Npy => "NPY",
            Self::Npz => "NPZ",
            Self::LmEval => "lm-eval samples",
            Self::Inspect => "Inspect",
            Self::Arrays => "arrays",
        })
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| Error::NoFormat { name: text.to_owned(), known: names() })
    }
}
