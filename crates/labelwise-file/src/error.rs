//! Errors of reading and writing the file of an evaluation.

use std::io;
use std::path::PathBuf;

/// A result of reading or writing the file of an evaluation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the file of an evaluation cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// The file could not be opened or read.
    #[error("{} cannot be read: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    /// The name of the new evaluation is taken.
    #[error(
        "{} already exists and was not changed: choose another name for the new evaluation",
        .path.display()
    )]
    Exists { path: PathBuf },
    /// A file of an earlier evaluation would become part of the new one.
    #[error(
        "{} is left from an earlier evaluation {} and would be mixed into the new one: move it away, or \
         choose another name for the new evaluation",
        .left.display(), .path.display()
    )]
    Leftover { path: PathBuf, left: PathBuf },
    /// The new evaluation could not be created.
    #[error("{} cannot be created: {source}", .path.display())]
    NotMade { path: PathBuf, source: io::Error },
    /// The new evaluation has no settings yet, so nothing can be drawn.
    #[error("{} has no settings yet: write them before the first draw", .path.display())]
    NoSettings { path: PathBuf },
    /// The evaluation does not exist.
    #[error("{} does not exist: check the spelling, or create it with `labelwise new`", .path.display())]
    NoEvaluation { path: PathBuf },
    /// The file is not an evaluation.
    #[error(
        "{} is not an evaluation of labelwise, or its first bytes are damaged: give a file that `labelwise \
         new` created",
        .path.display()
    )]
    NotAnEvaluation { path: PathBuf },
    /// The file was written by a newer version.
    #[error(
        "{} was written by a newer version of labelwise (schema {schema}; this version knows {known}): \
         update labelwise",
        .path.display()
    )]
    NewerSchema { path: PathBuf, schema: i32, known: i32 },
    /// Another process keeps writing to the file.
    #[error(
        "{}: another process was writing for {seconds} seconds; nothing was recorded, run the command again",
        .path.display()
    )]
    Busy { path: PathBuf, seconds: u64 },
    /// The disk is full.
    #[error("the disk of {} is full: nothing was recorded; free some space and run the command again", .path.display())]
    DiskFull { path: PathBuf },
    /// The file or its folder is not writable.
    #[error("{} cannot be written ({reason}): make the file and its folder writable", .path.display())]
    ReadOnly { path: PathBuf, reason: String },
    /// The last changes are in a log that cannot be read in a read-only folder.
    #[error(
        "the last changes of {} are in {}, which cannot be read in a read-only folder: copy both files to another \
         folder and read them there", .path.display(), .log.display()
    )]
    LogApart { path: PathBuf, log: PathBuf },
    /// The log lacks draws or labels that are in the file: it is from another copy, or damaged.
    #[error(
        "{} does not belong to {}: it lacks draws or labels that are in the file; move the log to another folder and run \
         the command again", .log.display(), .path.display()
    )]
    ForeignLog { path: PathBuf, log: PathBuf },
    /// Reading or writing failed.
    #[error(
        "reading or writing {} failed ({reason}): nothing was recorded, run the command again",
        .path.display()
    )]
    Disk { path: PathBuf, reason: String },
    /// An earlier write failed.
    #[error(
        "an earlier write to {} failed, so nothing more is written: nothing was recorded; open the \
         evaluation again and repeat the request",
        .path.display()
    )]
    Poisoned { path: PathBuf },
    /// The path no longer names the open file; nothing was written.
    #[error(
        "{} was moved or deleted while it was open: nothing was recorded; run the command again with its \
         present path",
        .path.display()
    )]
    Moved { path: PathBuf },
    /// The file was moved or deleted during a write.
    #[error(
        "{} was moved or deleted during a write, which may be lost: run the command again with its present \
         path; repeating a label is harmless",
        .path.display()
    )]
    MovedMeanwhile { path: PathBuf },
    /// The contents of the file were changed or damaged.
    #[error(
        "{} is damaged: {} {reason}; restore a copy, or save the undamaged records with `labelwise export \
         --salvage`",
        .path.display(), row_of(.table, .row.as_deref())
    )]
    Broken {
        path: PathBuf,
        table: &'static str,
        /// The row, if it is known.
        row: Option<String>,
        reason: String,
    },
    /// A row breaks a rule of its table.
    #[error("nothing was recorded in {}: table `{table}` refuses the row ({reason})", .path.display())]
    NotRecorded { path: PathBuf, table: &'static str, reason: String },
    /// A text is too long.
    #[error("the {what} has {bytes} bytes, but at most {most} are allowed; nothing was recorded")]
    LongText { what: &'static str, bytes: usize, most: usize },
    /// A draw is out of order.
    #[error("draw {place} cannot be item {item}: {}", next_is(*.expected))]
    NotNext { place: u64, item: u64, expected: Option<u64> },
    /// The draw does not exist.
    #[error("draw {place} does not exist: there are {draws} draws")]
    NoSuchDraw { place: u64, draws: u64 },
    /// A refresh is out of order.
    #[error("refresh {number} cannot be recorded: the next one is {next}")]
    NotThisRefresh { number: u64, next: u64 },
}

fn row_of(table: &str, row: Option<&str>) -> String {
    row.map_or_else(|| format!("table `{table}`"), |row| format!("row {row} of table `{table}`"))
}

fn next_is(expected: Option<u64>) -> String {
    expected.map_or_else(|| "no draw is prepared".to_owned(), |item| format!("item {item} is next"))
}

labelwise::error_codes! {
    pub Error {
        File => "file",
        Exists => "exists",
        Leftover => "leftover",
        NotMade => "not-made",
        NoSettings => "no-settings",
        NoEvaluation => "no-evaluation",
        NotAnEvaluation => "not-an-evaluation",
        NewerSchema => "newer-schema",
        Busy => "busy",
        DiskFull => "disk-full",
        ReadOnly => "read-only",
        LogApart => "log-apart",
        ForeignLog => "foreign-log",
        Disk => "disk",
        Poisoned => "poisoned",
        Moved => "moved",
        MovedMeanwhile => "moved-meanwhile",
        Broken => "broken",
        NotRecorded => "not-recorded",
        LongText => "long-text",
        NotNext => "not-next",
        NoSuchDraw => "no-such-draw",
        NotThisRefresh => "not-this-refresh",
    }
}
