//! How far the file has come, and the rows up to there.
//!
//! The head is written in every transaction, so rows that are missing at the end of a table are noticed as surely as
//! rows that differ in its middle.

use std::cmp::Ordering;
use std::path::Path;

use rusqlite::{Connection, Row, params};

use super::digest::Digest;
use super::failure::{broken, failure};
use super::rows::{Appended, Record, unsigned};
use crate::error::Result;

/// How many rows a table has, and the chain over all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tip {
    pub(super) rows: u64,
    pub(super) chain: u64,
}

impl Tip {
    fn read(row: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
        Ok(Self { rows: unsigned(row, at)?, chain: unsigned(row, at + 1)? })
    }
}

/// The ends of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) draws: Tip,
    pub(super) events: Tip,
    pub(super) refreshes: Tip,
    /// The place behind the last draw that is ahead; the first that is ahead has the place `draws.rows`.
    pub(super) ahead: u64,
    pub(super) requests: u64,
}

impl Head {
    /// That of an empty file. Chains hang on the settings: other settings are another evaluation.
    pub(super) fn start(settings: u64) -> Self {
        let tip = Tip { rows: 0, chain: settings };
        Self { draws: tip, events: tip, refreshes: tip, ahead: 0, requests: 0 }
    }

    pub(super) fn read(conn: &Connection, path: &Path) -> Result<Self> {
        let failed = failure(path, "head");
        let select = "SELECT checksum, draws, draw_chain, events, event_chain, refreshes, refresh_chain, ahead, \
                      requests FROM head WHERE id = 1";
        let mut statement = conn.prepare_cached(select).map_err(&failed)?;
        let read = statement.query_row((), |row| {
            let (draws, events, refreshes) = (Tip::read(row, 1)?, Tip::read(row, 3)?, Tip::read(row, 5)?);
            let head =
                Self { draws, events, refreshes, ahead: unsigned(row, 7)?, requests: unsigned(row, 8)? };
            Ok((unsigned(row, 0)?, head))
        });
        let (checksum, head) = read.map_err(failed)?;
        if checksum != head.checksum() {
            return Err(broken(path, "head", Some("1".to_owned()), "does not fit its checksum"));
        }
        Ok(head)
    }

    pub(super) fn write(&self, conn: &Connection) -> rusqlite::Result<()> {
        let replace = "INSERT OR REPLACE INTO head(id, checksum, draws, draw_chain, events, event_chain, refreshes, \
                       refresh_chain, ahead, requests) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let [a, b, c, d, e, f, g, h] = self.numbers().map(u64::cast_signed);
        let checksum = self.checksum().cast_signed();
        conn.prepare_cached(replace)?.execute(params![checksum, a, b, c, d, e, f, g, h])?;
        Ok(())
    }

    fn numbers(&self) -> [u64; 8] {
        let Self { draws, events, refreshes, ahead, requests } = *self;
        [draws.rows, draws.chain, events.rows, events.chain, refreshes.rows, refreshes.chain, ahead, requests]
    }

    fn checksum(&self) -> u64 {
        self.numbers().into_iter().fold(Digest::of("head"), Digest::number).finish()
    }
}

impl Record {
    /// Forgets rows that were appended in a transaction that came to nothing.
    pub(super) fn cut(&mut self, head: &Head) {
        let rows = |tip: Tip| usize::try_from(tip.rows).unwrap_or(usize::MAX);
        self.draws.truncate(rows(head.draws));
        self.events.truncate(rows(head.events));
        self.refreshes.truncate(rows(head.refreshes));
    }

    /// Reads what was appended behind `known`, and checks that it is all there; says how far the file is now.
    pub(super) fn follow(&mut self, conn: &Connection, path: &Path, known: &Head) -> Result<Head> {
        self.cut(known);
        let head = Head::read(conn, path)?;
        follow(conn, path, &mut self.refreshes, known.refreshes, head.refreshes)?;
        follow(conn, path, &mut self.draws, known.draws, head.draws)?;
        follow(conn, path, &mut self.events, known.events, head.events)?;
        let fresh =
            self.events.iter().enumerate().skip(usize::try_from(known.events.rows).unwrap_or(usize::MAX));
        for (seq, event) in fresh {
            if event.place >= head.draws.rows {
                return Err(broken(
                    path,
                    "event",
                    Some(seq.to_string()),
                    "is about a draw that was never made",
                ));
            }
        }
        Ok(head)
    }
}

fn follow<R: Appended>(
    conn: &Connection,
    path: &Path,
    rows: &mut Vec<R>,
    known: Tip,
    end: Tip,
) -> Result<()> {
    let tip = read_on(conn, path, rows, known)?;
    if tip == end {
        return Ok(());
    }
    let (row, reason) = match tip.rows.cmp(&end.rows) {
        Ordering::Less => (tip.rows, "is missing"),
        Ordering::Equal => (end.rows.saturating_sub(1), "is not the one that the head knows"),
        Ordering::Greater => (end.rows, "is not known to the head"),
    };
    Err(broken(path, R::TABLE, Some(row.to_string()), reason))
}

/// Reads the rows behind `tip` while they fit the chain. Those before the first that does not are kept.
pub(super) fn read_on<R: Appended>(
    conn: &Connection,
    path: &Path,
    rows: &mut Vec<R>,
    mut tip: Tip,
) -> Result<Tip> {
    let failed = failure(path, R::TABLE);
    let mut statement = conn.prepare_cached(R::SELECT).map_err(&failed)?;
    let mut found = statement.query([tip.rows.cast_signed()]).map_err(&failed)?;
    while let Some(row) = found.next().map_err(&failed)? {
        let here = || Some(tip.rows.to_string());
        if unsigned(row, 0).map_err(&failed)? != tip.rows {
            return Err(broken(path, R::TABLE, here(), "is missing"));
        }
        let read = R::read(row).map_err(|error| broken(path, R::TABLE, here(), &error.to_string()))?;
        let chain = read.chain(tip.rows, tip.chain);
        if unsigned(row, 1).map_err(&failed)? != chain {
            return Err(broken(path, R::TABLE, here(), "does not fit the chain of checksums"));
        }
        rows.push(read);
        tip = Tip { rows: tip.rows + 1, chain };
    }
    Ok(tip)
}
