//! Single rows of the file at one moment, found by indices and checked as if everything had been read.
//!
//! A row that is only ever appended is checked by its own bytes and the chain of the row before it; the last row also has
//! the chain that the head knows. So a bit that turned over in a row is noticed by whoever reads that row, without the
//! rows before it.
//!
//! An index has no checksums, and may have lost an entry. That must not make a labelled draw look open. So the last event
//! of a draw is looked up in two indices alike, which lie on different pages: what only one of them says is an error.

use std::ops::Range;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::failure::{broken, failure};
use super::head::{Head, Tip, chained};
use super::rows::{Appended, EventRow, unsigned};
use crate::error::file::{Error, Result};

/// The file at one moment: the connection is inside a transaction.
pub(crate) struct Snapshot<'a> {
    pub(super) conn: &'a Connection,
    pub(super) path: &'a Path,
    /// What every chain starts from.
    pub(super) settings: u64,
    pub(super) head: Head,
}

impl Snapshot<'_> {
    /// The last event of a draw.
    pub(super) fn last_event(&self, place: u64) -> Result<Option<EventRow>> {
        let failed = failure(self.path, "event");
        let last = |select: &str| {
            let mut statement = self.conn.prepare_cached(select)?;
            statement.query_row([place.cast_signed()], |row| unsigned(row, 0)).optional()
        };
        let seq =
            last("SELECT seq FROM event INDEXED BY event_place WHERE place = ?1 ORDER BY seq DESC LIMIT 1");
        let again = last(
            "SELECT seq FROM event INDEXED BY event_place_again WHERE place = ?1 ORDER BY seq DESC LIMIT 1",
        );
        let (seq, again) = (seq.map_err(&failed)?, again.map_err(&failed)?);
        if seq != again {
            return Err(self.misplaced("event", seq.max(again).unwrap_or_default()));
        }
        let Some(seq) = seq else { return Ok(None) };
        let event: EventRow = self.row(self.head.events, seq)?;
        if event.place == place { Ok(Some(event)) } else { Err(self.misplaced("event", seq)) }
    }

    fn misplaced(&self, table: &'static str, row: u64) -> Error {
        broken(self.path, table, Some(row.to_string()), "is not where its index says")
    }

    fn row<R: Appended>(&self, end: Tip, number: u64) -> Result<R> {
        let missing = || broken(self.path, R::TABLE, Some(number.to_string()), "is missing");
        self.rows(end, number..number.saturating_add(1))?.pop().ok_or_else(missing)
    }

    /// Rows by their numbers, checked by the chain of the row before them.
    fn rows<R: Appended>(&self, end: Tip, numbers: Range<u64>) -> Result<Vec<R>> {
        let failed = failure(self.path, R::TABLE);
        let wrong = |row: u64, reason| broken(self.path, R::TABLE, Some(row.to_string()), reason);
        let mut statement = self.conn.prepare_cached(R::SELECT).map_err(&failed)?;
        let first = numbers.start.saturating_sub(1);
        let mut found = statement.query([first.cast_signed()]).map_err(&failed)?;
        let mut tip = Tip { rows: 0, chain: self.settings };
        if numbers.start > 0 && !numbers.is_empty() {
            let before = found.next().map_err(&failed)?.ok_or_else(|| wrong(first, "is missing"))?;
            if unsigned(before, 0).map_err(&failed)? != first {
                return Err(wrong(first, "is missing"));
            }
            tip = Tip { rows: numbers.start, chain: unsigned(before, 1).map_err(&failed)? };
        }
        let mut rows = Vec::new();
        for number in numbers {
            let row = found.next().map_err(&failed)?.ok_or_else(|| wrong(number, "is missing"))?;
            let (row, after) = chained(row, self.path, tip)?;
            if after.rows > end.rows || after.rows == end.rows && after != end {
                return Err(wrong(number, "is not known to the head"));
            }
            rows.push(row);
            tip = after;
        }
        Ok(rows)
    }
}
