//! Errors of evaluations that keep their draws, and not the pool.

use std::path::PathBuf;

use labelwise::words::{quoted, shell, thousands};
use labelwise_sketch::Error as SketchError;

/// Why a request to an evaluation without its pool, or the making of one, fails.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum ElsewhereError {
    /// The draws cannot be made from what the parts of the pool gave.
    #[error(transparent)]
    Sketch(#[from] SketchError),
    /// The request reads the pool.
    #[error(
        "{} keeps its draws, and not the pool: {what} needs a pass over {pool}; ask it of an evaluation made without --elsewhere",
        .path.display()
    )]
    NeedsPool { path: PathBuf, what: &'static str, pool: String },
    /// All draws that were made ahead are used.
    #[error(
        "{} has {} more {} that were made ahead, but {} were asked for: ask for fewer, or make more by a pass over {} with \
         `labelwise refresh {} {}`",
        .path.display(), thousands(*.left), if *.left == 1 { "draw" } else { "draws" }, thousands(*.wanted),
        reads(.pool, *.bytes), shell(.path), quoted_pattern(.pool)
    )]
    Spent { path: PathBuf, wanted: usize, left: usize, pool: String, bytes: u64 },
    /// A refresh of scores without the pool.
    #[error(
        "{} keeps its draws, and not the pool, so new scores need a pass over {}: `labelwise refresh {} {}`",
        .path.display(), reads(.pool, *.bytes), shell(.path), quoted_pattern(.pool)
    )]
    RefreshNeedsPool { path: PathBuf, pool: String, bytes: u64 },
    /// A pool is given to an evaluation that has one.
    #[error("{} has a copy of its pool: run the command without a pool", .path.display())]
    HasPool { path: PathBuf },
    /// The pool is not the one that the evaluation was made of.
    #[error(
        "{there} is not the pool that {} was made of: it has {}, but the evaluation {}; give the same files, or make a \
         new evaluation",
        .path.display(), fingerprint(*.items, .found), fingerprint(*.recorded_items, .recorded)
    )]
    OtherPool {
        path: PathBuf,
        there: String,
        items: u64,
        found: String,
        recorded_items: u64,
        recorded: String,
    },
    /// The pool changed between two passes.
    #[error(
        "{there} changed while it was read: the first pass found {first} items, the second {second}; start again"
    )]
    Changed { there: String, first: u64, second: u64 },
    /// A choice that needs the whole pool at once.
    #[error("{what} needs the whole pool at once, so --elsewhere cannot be used with it: {way_out}")]
    WholePool { what: String, way_out: &'static str },
    /// Rows that cannot be used.
    #[error(
        "{there}: {} {} cannot be used: {}; correct {} or leave {} out",
        thousands(usize::try_from(*.count).unwrap_or(usize::MAX)), if *.count == 1 { "item" } else { "items" },
        .first.iter().map(|(id, why)| format!("{} ({why})", quoted(id))).collect::<Vec<_>>().join(", "),
        it(*.count), it(*.count)
    )]
    Rows {
        there: String,
        count: u64,
        /// The first five by id, and what is wrong with them.
        first: Vec<(String, String)>,
    },
    /// Parts with different predictions.
    #[error("{there} has parts with {one} and parts with {other}: write the same columns to every part")]
    Parts { there: String, one: String, other: String },
    /// Sketches of different passes.
    #[error("these sketches are of different passes: merge only what was made with the same `work`")]
    Different,
    /// Bytes that are not what they should be.
    #[error("these bytes are not {what} of this version of labelwise: run the same version everywhere")]
    Bytes { what: &'static str },
    /// Drawn ids without passthrough columns.
    #[error(
        "the passthrough columns have no row for {} drawn {}, such as {}: give the same pool again",
        thousands(*.count), if *.count == 1 { "item" } else { "items" }, quoted(.first)
    )]
    NotFound { count: usize, first: String },
    /// Drawn ids that occur more than once.
    #[error("ids occur more than once, such as {}; an id must name one item", .first.iter().map(|id| quoted(id)).collect::<Vec<_>>().join(", "))]
    Repeated { first: Vec<String> },
    /// Steps in a wrong order.
    #[error("{0}")]
    Order(&'static str),
    /// Totals that cannot be read.
    #[error("{}: {reason}", .path.display())]
    Totals { path: PathBuf, reason: String },
}

fn it(count: u64) -> &'static str {
    if count == 1 { "it" } else { "them" }
}

fn fingerprint(items: u64, fingerprint: &str) -> String {
    let items = thousands(usize::try_from(items).unwrap_or(usize::MAX));
    format!("{items} items (fingerprint {})", fingerprint.get(..12).unwrap_or(fingerprint))
}

fn quoted_pattern(pool: &str) -> String {
    format!("'{pool}'")
}

/// What a pass reads.
fn reads(pool: &str, bytes: u64) -> String {
    if bytes == 0 {
        return pool.to_owned();
    }
    format!("{pool}, which reads up to {}", in_bytes(bytes))
}

/// A size in a unit that keeps it short.
#[allow(clippy::cast_precision_loss, reason = "one digit is printed")]
pub(crate) fn in_bytes(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 1000.0 && unit + 1 < units.len() {
        size /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && size < 10.0);
    format!("{size:.digits$} {}", units.get(unit).unwrap_or(&"bytes"))
}
