//! Single rows of the file at one moment, found by indices and checked as if everything had been read.
//!
//! An appended row is checked by its own bytes and the checksum of the row before it; the last row must also match
//! the head. So every reader of a row notices a bit flip in it, without reading the rows before.
//!
//! An index has no checksums, and a damaged one can lose an entry. A labelled draw must not look open because of
//! that. So the last event of a draw is looked up in two equal indices on different pages; if they disagree, this is
//! an error. A draw that is not in the index of ids is searched in the table row by row; only answers that will be
//! refused need this.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::failure::{broken, failure};
use super::head::{Head, Tally, Tip, chained, follow, visit};
use super::rows::{AheadRow, Appended, DrawRow, EventRow, RecordRow, RefreshRow, RequestRow, unsigned};
use super::{schema, tables};
use crate::error::{Error, Result};

/// Whether reading all rows is cheaper than looking up some of them. A single row is always looked up.
pub(super) fn are_many(wanted: usize, rows: u64) -> bool {
    const COST: u64 = 8;
    COST * (wanted as u64).saturating_sub(1) > rows
}

/// The file at one moment: the connection is inside a transaction.
pub struct Snapshot<'a> {
    pub(super) conn: &'a Connection,
    pub(super) path: &'a Path,
    /// What every chain starts from.
    pub(super) settings: u64,
    pub(super) head: Head,
}

/// Numbers of rows that a reader has seen.
#[derive(Debug, Clone, Copy)]
pub struct Seen(pub(super) Head);

/// Numbers of rows, and of draws by their last event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Rows of draws.
    pub draws: u64,
    /// Rows of events.
    pub events: u64,
    /// Rows of refreshes.
    pub refreshes: u64,
    /// Prepared draws.
    pub ahead: u64,
    /// Draws that have a label.
    pub labels: u64,
    /// Draws that were skipped.
    pub skipped: u64,
    /// Draws that are missing at random.
    pub missing: u64,
}

/// A draw, found by the id of its item, with its last event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its place in draw order.
    pub place: u64,
    /// The row of the draw.
    pub draw: DrawRow,
    /// The last event about it.
    pub last: Option<EventRow>,
}

impl Snapshot<'_> {
    /// The counts of the head.
    pub fn counts(&self) -> Counts {
        let Head { draws, events, refreshes, ahead, fates, .. } = self.head;
        Counts {
            draws: draws.rows,
            events: events.rows,
            refreshes: refreshes.rows,
            ahead: ahead.saturating_sub(draws.rows),
            labels: fates.labelled,
            skipped: fates.skipped,
            missing: fates.missing,
        }
    }

    /// Compares the first and the last row of every table with the settings and the head.
    pub(super) fn check_ends(&self) -> Result<()> {
        self.ends::<DrawRow>(self.head.draws)?;
        self.ends::<EventRow>(self.head.events)?;
        self.ends::<RefreshRow>(self.head.refreshes)
    }

    fn ends<R: Appended>(&self, end: Tip) -> Result<()> {
        self.rows::<R>(end, 0..end.rows.min(1))?;
        self.has::<R>(end)
    }

    /// Checks that an earlier head is followed by the rows since.
    pub(super) fn check_since(&self, earlier: Head) -> Result<()> {
        self.has::<DrawRow>(earlier.draws)?;
        self.has::<EventRow>(earlier.events)?;
        self.has::<RefreshRow>(earlier.refreshes)?;
        visit(self.conn, self.path, &self.head, &mut { earlier }, &mut |_| Ok(()))
    }

    /// Checks that a table had an end at some time.
    fn has<R: Appended>(&self, end: Tip) -> Result<()> {
        self.last::<R>(end)?;
        match end.rows == 0 && end.chain != self.settings {
            true => Err(broken(self.path, "head", Some("1".to_owned()), "does not fit the settings")),
            false => Ok(()),
        }
    }

    /// Visits everything that any process appended after `seen`: refreshes, then draws, then events. Rows that were
    /// visited before an error count as seen.
    pub fn visit(&self, seen: &mut Seen, visitor: &mut dyn FnMut(RecordRow) -> Result<()>) -> Result<()> {
        visit(self.conn, self.path, &self.head, &mut seen.0, visitor)
    }

    /// The next draws, at most `count`.
    pub fn ahead(&self, count: usize) -> Result<Vec<AheadRow>> {
        tables::ahead(self.conn, self.path, &self.head, count as u64)
    }

    /// The answer to an idempotency key.
    pub fn request(&self, key: &str) -> Result<Option<RequestRow>> {
        tables::request(self.conn, self.path, key)
    }

    /// All answers to requests, or to one kind of them, in the order of their keys.
    pub fn requests(&self, verb: Option<&str>) -> Result<Vec<RequestRow>> {
        tables::requests(self.conn, self.path, verb)
    }

    /// The last refresh. Only a file that is being created has none.
    pub fn last_refresh(&self) -> Result<Option<RefreshRow>> {
        self.last(self.head.refreshes)
    }

    /// The last row of a table, which must match the head.
    pub(super) fn last<R: Appended>(&self, end: Tip) -> Result<Option<R>> {
        Ok(self.rows(end, end.rows.saturating_sub(1)..end.rows)?.pop())
    }

    /// Draws by the ids of their items, in the order of `ids`.
    pub fn find(&self, ids: &[&str]) -> Result<Vec<Option<Found>>> {
        if self.lacks_indices()? || are_many(ids.len(), self.head.draws.rows) {
            return self.search(ids);
        }
        let found = ids.iter().map(|id| self.look_up(id)).collect::<Result<Vec<_>>>()?;
        if found.iter().any(Option::is_none) {
            let searched = self.search(ids)?;
            let lost = found.iter().zip(searched).find_map(|(found, searched)| {
                searched.filter(|_| found.is_none()).map(|lost| self.misplaced("draw", lost.place))
            });
            return lost.map_or(Ok(found), Err);
        }
        Ok(found)
    }

    /// Files of the first version have no indices of ids and events.
    fn lacks_indices(&self) -> Result<bool> {
        Ok(schema::version(self.conn).map_err(failure(self.path, "draw"))? == schema::FIRST)
    }

    /// Whether the last `count` draws have no event. No means nothing where looking them up takes more than reading all.
    pub fn last_wait(&self, count: usize) -> Result<bool> {
        let draws = self.head.draws.rows;
        if are_many(count, draws) || self.lacks_indices()? {
            return Ok(false);
        }
        for place in draws.saturating_sub(count as u64)..draws {
            if self.last_event(place)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A draw by the index of ids.
    fn look_up(&self, id: &str) -> Result<Option<Found>> {
        let failed = failure(self.path, "draw");
        let mut statement =
            self.conn.prepare_cached("SELECT place FROM draw WHERE id = ?1").map_err(&failed)?;
        let place = statement.query_row([id], |row| unsigned(row, 0)).optional().map_err(&failed)?;
        let Some(place) = place else { return Ok(None) };
        let draw: DrawRow = self.row(self.head.draws, place)?;
        if draw.id != id {
            return Err(self.misplaced("draw", place));
        }
        Ok(Some(Found { place, draw, last: self.last_event(place)? }))
    }

    /// Draws by reading every draw and every event.
    fn search(&self, ids: &[&str]) -> Result<Vec<Option<Found>>> {
        let mut start = Head::start(self.settings);
        let mut wanted: HashMap<&str, Option<Found>> = ids.iter().map(|id| (*id, None)).collect();
        let mut places: HashMap<u64, &str> = HashMap::new();
        follow(self.conn, self.path, &mut start.draws, self.head.draws, &mut |place, draw: DrawRow| {
            if let Some((&id, _)) = wanted.get_key_value(draw.id.as_str()) {
                places.insert(place, id);
                wanted.insert(id, Some(Found { place, draw, last: None }));
            }
            Ok(())
        })?;
        follow(self.conn, self.path, &mut start.events, self.head.events, &mut |_, event: EventRow| {
            if let Some(Some(found)) = places.get(&event.place).and_then(|id| wanted.get_mut(id)) {
                found.last = Some(event);
            }
            Ok(())
        })?;
        Ok(ids.iter().map(|id| wanted.get(id).cloned().flatten()).collect())
    }

    /// The fate of each draw, from all events.
    pub(super) fn tally(&self) -> Result<Tally> {
        let (mut tally, mut start) = (Tally::default(), Head::start(self.settings));
        follow(self.conn, self.path, &mut start.events, self.head.events, &mut |_, event| {
            tally.count(&event);
            Ok(())
        })?;
        match tally.fates == self.head.fates {
            true => Ok(tally),
            false => {
                Err(broken(self.path, "head", Some("1".to_owned()), "does not have the counts of the events"))
            }
        }
    }

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
                return Err(wrong(number, "is not listed in the head"));
            }
            rows.push(row);
            tip = after;
        }
        Ok(rows)
    }
}
