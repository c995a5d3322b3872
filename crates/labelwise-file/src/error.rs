//! What can be wrong with the file of an evaluation.

use std::io;
use std::path::PathBuf;

/// What reading or writing the file of an evaluation returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the file of an evaluation cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be opened or read.
    #[error("{} cannot be read: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The name of a new evaluation is taken.
    #[error("{} is there already and is left as it is: give the new evaluation another name", .path.display())]
    Exists {
        /// The name.
        path: PathBuf,
    },
    /// Part of an earlier evaluation lies where a new one would take it for its own.
    #[error(
        "{} is left of an earlier evaluation {}, and would be mixed into the new one: move it away, or give the new \
         evaluation another name", .left.display(), .path.display()
    )]
    Leftover {
        /// The name of the new evaluation.
        path: PathBuf,
        /// What is there.
        left: PathBuf,
    },
    /// A new evaluation cannot be made there.
    #[error("{} cannot be made: {source}", .path.display())]
    NotMade {
        /// The name.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A new evaluation was to be refreshed or finished without settings.
    #[error("{} has no settings yet: they are written before anything is drawn", .path.display())]
    NoSettings {
        /// The evaluation.
        path: PathBuf,
    },
    /// There is no evaluation of that name.
    #[error("there is no evaluation {}: look for a spelling mistake, or make it with `labelwise new`", .path.display())]
    NoEvaluation {
        /// The name.
        path: PathBuf,
    },
    /// The file is something else.
    #[error(
        "{} is not an evaluation of labelwise, or its first bytes are damaged: give a file that `labelwise new` made",
        .path.display()
    )]
    NotAnEvaluation {
        /// The file.
        path: PathBuf,
    },
    /// The file is of a later version.
    #[error("{} was made by a newer labelwise (schema {schema}, this one knows {known}): update labelwise", .path.display())]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// Its version.
        schema: i32,
        /// The newest that is known.
        known: i32,
    },
    /// Another process does not stop writing.
    #[error(
        "{} was being written by another process for {seconds} seconds: nothing was recorded, run the command again",
        .path.display()
    )]
    Busy {
        /// The evaluation.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// No space left.
    #[error("the disk of {} is full: nothing was recorded; free some space and run the command again", .path.display())]
    DiskFull {
        /// The evaluation.
        path: PathBuf,
    },
    /// No right to write.
    #[error("{} cannot be written to ({reason}): the file and its folder must be writable", .path.display())]
    ReadOnly {
        /// The evaluation.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Changes that a writer left in its log, in a folder where they cannot be read.
    #[error(
        "the last changes of {} are in {}, which cannot be read in a read-only folder: copy both files to another \
         folder and read them there", .path.display(), .log.display()
    )]
    LogApart {
        /// The evaluation.
        path: PathBuf,
        /// The log.
        log: PathBuf,
    },
    /// The disk failed.
    #[error("reading or writing {} failed ({reason}): nothing was acknowledged, run the command again", .path.display())]
    Disk {
        /// The evaluation.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The disk failed before.
    #[error(
        "an earlier write to {} failed, and nothing more is written: nothing was acknowledged, open it again and run \
         the command again", .path.display()
    )]
    Poisoned {
        /// The evaluation.
        path: PathBuf,
    },
    /// The path does not name the open file any more, and nothing was written.
    #[error(
        "{} was moved or deleted while it was open: nothing was recorded; run the command again with its present path",
        .path.display()
    )]
    Moved {
        /// Where the evaluation was.
        path: PathBuf,
    },
    /// The file was moved or deleted during a write.
    #[error(
        "{} was moved or deleted while this was written, and it may be lost: run the command again with its present \
         path, repeating a label is harmless", .path.display()
    )]
    MovedMeanwhile {
        /// Where the evaluation was.
        path: PathBuf,
    },
    /// The file is not as it was written.
    #[error(
        "{} is damaged: {} {reason}; restore a copy, or take what is whole with `labelwise export --salvage`", .path.display(),
        row_of(.table, .row.as_deref())
    )]
    Broken {
        /// The evaluation.
        path: PathBuf,
        /// The table.
        table: &'static str,
        /// The row, if it is known.
        row: Option<String>,
        /// What is wrong.
        reason: String,
    },
    /// A rule of a table was broken.
    #[error("nothing was recorded in {}: table `{table}` does not take the row ({reason})", .path.display())]
    NotRecorded {
        /// The evaluation.
        path: PathBuf,
        /// The table.
        table: &'static str,
        /// Which rule.
        reason: String,
    },
    /// A text that is too long to be meant.
    #[error("a {what} of {bytes} bytes is not recorded: at most {most} are")]
    LongText {
        /// What it is.
        what: &'static str,
        /// How long it is.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// A draw out of order.
    #[error("draw {place} cannot be item {item}: {}", next_is(*.expected))]
    NotNext {
        /// The place of the draw.
        place: u64,
        /// The item.
        item: u64,
        /// The item that comes next, if any is known.
        expected: Option<u64>,
    },
    /// Something said about a draw that was never made.
    #[error("draw {place} was never made: there are {draws}")]
    NoSuchDraw {
        /// The place.
        place: u64,
        /// How many there are.
        draws: u64,
    },
    /// A refresh out of order.
    #[error("refresh {number} cannot be recorded: the next one is {next}")]
    NotThisRefresh {
        /// Its number.
        number: u64,
        /// The number that comes next.
        next: u64,
    },
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
