//! The head: how many rows each table has.
//!
//! The head is written in every transaction, so that rows missing at the end of a table are noticed like rows that
//! were changed. It also counts labels, skips and missing items, so that commands need not read all events.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, Row, params_from_iter};

use super::digest::Digest;
use super::failure::{broken, failure};
use super::rows::{Appended, EventKind, EventRow, RecordRow, unsigned};
use super::{schema, tables};
use crate::error::Result;

pub(super) const SELECT: &str = "SELECT checksum, draws, draw_chain, events, event_chain, refreshes, refresh_chain, \
     ahead, requests, labelled, skipped, missing FROM head WHERE id = 1";
const SELECT_FIRST: &str = "SELECT checksum, draws, draw_chain, events, event_chain, refreshes, refresh_chain, \
     ahead, requests FROM head WHERE id = 1";

/// Number of rows of a table, and the chain over all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tip {
    pub(super) rows: u64,
    pub(super) chain: u64,
}

/// Numbers of draws that are labelled, skipped or missing, by their last event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fates {
    pub(super) labelled: u64,
    pub(super) skipped: u64,
    pub(super) missing: u64,
}

impl Fates {
    /// Counts an event of a draw whose last event was `before`.
    pub(super) fn count(&mut self, before: Option<EventKind>, now: EventKind) {
        if let Some(before) = before {
            let fate = self.of(before);
            *fate = fate.saturating_sub(1);
        }
        *self.of(now) += 1;
    }

    fn of(&mut self, kind: EventKind) -> &mut u64 {
        match kind {
            EventKind::Told | EventKind::Amended => &mut self.labelled,
            EventKind::Skipped => &mut self.skipped,
            EventKind::Missing => &mut self.missing,
        }
    }
}

/// The last event of each draw.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) fates: Fates,
    last: HashMap<u64, EventKind>,
}

impl Tally {
    pub(super) fn count(&mut self, event: &EventRow) {
        self.fates.count(self.last.insert(event.place, event.kind), event.kind);
    }
}

/// The ends of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) draws: Tip,
    pub(super) events: Tip,
    pub(super) refreshes: Tip,
    /// The place after the last prepared draw; the first prepared draw has the place `draws.rows`.
    pub(super) ahead: u64,
    pub(super) requests: u64,
    pub(super) fates: Fates,
}

impl Head {
    /// The head of an empty file. Each chain starts from the checksum of the settings, so that rows cannot be moved to a
    /// file with other settings.
    pub(super) fn start(settings: u64) -> Self {
        Self::of([0, settings, 0, settings, 0, settings, 0, 0], Fates::default())
    }

    pub(super) fn read(conn: &Connection, path: &Path) -> Result<Self> {
        if schema::version(conn).map_err(failure(path, "sqlite_schema"))? == schema::FIRST {
            return Self::read_first(conn, path);
        }
        let [a, b, c, d, e, f, g, h, labelled, skipped, missing] = numbers(conn, path, SELECT)?;
        Ok(Self::of([a, b, c, d, e, f, g, h], Fates { labelled, skipped, missing }))
    }

    /// The head of a file of the first version, which does not count labels: all events are read.
    fn read_first(conn: &Connection, path: &Path) -> Result<Self> {
        let head = Self::of(numbers(conn, path, SELECT_FIRST)?, Fates::default());
        let (_, settings) = tables::settings(conn, path)?;
        let mut tally = Tally::default();
        follow(conn, path, &mut Self::start(settings).events, head.events, &mut |_, event| {
            tally.count(&event);
            Ok(())
        })?;
        Ok(Self { fates: tally.fates, ..head })
    }

    pub(super) fn write(&self, conn: &Connection) -> rusqlite::Result<()> {
        let replace = "INSERT OR REPLACE INTO head(id, checksum, draws, draw_chain, events, event_chain, refreshes, \
                       refresh_chain, ahead, requests, labelled, skipped, missing) \
                       VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let Self { draws, events, refreshes, ahead, requests, fates } = *self;
        let Fates { labelled, skipped, missing } = fates;
        let numbers = [
            draws.rows,
            draws.chain,
            events.rows,
            events.chain,
            refreshes.rows,
            refreshes.chain,
            ahead,
            requests,
            labelled,
            skipped,
            missing,
        ];
        let values = [checksum(&numbers)].into_iter().chain(numbers).map(u64::cast_signed);
        conn.prepare_cached(replace)?.execute(params_from_iter(values))?;
        Ok(())
    }

    fn of(numbers: [u64; 8], fates: Fates) -> Self {
        let [draws, draw_chain, events, event_chain, refreshes, refresh_chain, ahead, requests] = numbers;
        Self {
            draws: Tip { rows: draws, chain: draw_chain },
            events: Tip { rows: events, chain: event_chain },
            refreshes: Tip { rows: refreshes, chain: refresh_chain },
            ahead,
            requests,
            fates,
        }
    }
}

/// The numbers of the head, behind their checksum.
pub(super) fn numbers<const N: usize>(conn: &Connection, path: &Path, select: &str) -> Result<[u64; N]> {
    let failed = failure(path, "head");
    let mut statement = conn.prepare_cached(select).map_err(&failed)?;
    let read = |row: &Row<'_>| {
        let mut numbers = [0; N];
        for (column, number) in (1..).zip(&mut numbers) {
            *number = unsigned(row, column)?;
        }
        Ok((unsigned(row, 0)?, numbers))
    };
    match statement.query_row((), read).map_err(failed)? {
        (expected, numbers) if expected == checksum(&numbers) => Ok(numbers),
        _ => Err(broken(path, "head", Some("1".to_owned()), "does not fit its checksum")),
    }
}

pub(super) fn checksum(numbers: &[u64]) -> u64 {
    numbers.iter().copied().fold(Digest::of("head"), Digest::number).finish()
}

/// Visits the rows between `seen`, which advances with every row, and `head`, and checks that they are complete.
pub(super) fn visit(
    conn: &Connection,
    path: &Path,
    head: &Head,
    seen: &mut Head,
    visit: &mut dyn FnMut(RecordRow) -> Result<()>,
) -> Result<()> {
    let (refreshes, draws, events) = (&mut seen.refreshes, &mut seen.draws, &mut seen.events);
    follow(conn, path, refreshes, head.refreshes, &mut |_, row| visit(RecordRow::Refresh(row)))?;
    follow(conn, path, draws, head.draws, &mut |_, row| visit(RecordRow::Draw(row)))?;
    follow(conn, path, events, head.events, &mut |seq, row: EventRow| match row.place < head.draws.rows {
        true => visit(RecordRow::Event(row)),
        false => Err(broken(path, "event", Some(seq.to_string()), "is about a draw that does not exist")),
    })?;
    *seen = *head;
    Ok(())
}

/// Visits the rows from `seen` to `end`, and checks that they are complete.
pub(super) fn follow<R: Appended>(
    conn: &Connection,
    path: &Path,
    seen: &mut Tip,
    end: Tip,
    visit: &mut dyn FnMut(u64, R) -> Result<()>,
) -> Result<()> {
    walk(conn, path, seen, visit)?;
    if *seen == end {
        return Ok(());
    }
    let (row, reason) = match seen.rows.cmp(&end.rows) {
        Ordering::Less => (seen.rows, "is missing"),
        Ordering::Equal => (end.rows.saturating_sub(1), "is not the one that the head lists"),
        Ordering::Greater => (end.rows, "is not listed in the head"),
    };
    Err(broken(path, R::TABLE, Some(row.to_string()), reason))
}

/// Visits the rows after `seen` with their numbers, as long as they fit the chain.
pub(super) fn walk<R: Appended>(
    conn: &Connection,
    path: &Path,
    seen: &mut Tip,
    visit: &mut dyn FnMut(u64, R) -> Result<()>,
) -> Result<()> {
    let failed = failure(path, R::TABLE);
    let mut statement = conn.prepare_cached(R::SELECT).map_err(&failed)?;
    let mut found = statement.query([seen.rows.cast_signed()]).map_err(&failed)?;
    while let Some(row) = found.next().map_err(&failed)? {
        let (read, next) = chained(row, path, *seen)?;
        visit(seen.rows, read)?;
        *seen = next;
    }
    Ok(())
}

/// A row that must follow `tip`.
pub(super) fn chained<R: Appended>(row: &Row<'_>, path: &Path, tip: Tip) -> Result<(R, Tip)> {
    let failed = failure(path, R::TABLE);
    let here = || Some(tip.rows.to_string());
    if unsigned(row, 0).map_err(&failed)? != tip.rows {
        return Err(broken(path, R::TABLE, here(), "is missing"));
    }
    let read = R::read(row).map_err(|error| broken(path, R::TABLE, here(), &error.to_string()))?;
    let chain = read.chain(tip.rows, tip.chain);
    if unsigned(row, 1).map_err(&failed)? != chain {
        return Err(broken(path, R::TABLE, here(), "does not fit the chain of checksums"));
    }
    Ok((read, Tip { rows: tip.rows + 1, chain }))
}
