//! Appends rows within one transaction.

use std::path::Path;

use rusqlite::{Connection, Transaction, params};

use super::failure::failure;
use super::head::{Head, Tip};
use super::rows::{AheadRow, Appended, DrawRow, EventRow, RefreshRow, RequestRow};
use super::snapshot::{Snapshot, are_many};
use super::tables;
use crate::error::{Error, Result};

/// Maximum size of a label, a name or a note, in bytes.
pub(crate) const LONGEST_TEXT: usize = 1 << 20;

/// A transaction. When [`super::File::write`] returns, all of it is on the disk or nothing.
pub struct Write<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) path: &'a Path,
    /// The start of every chain.
    pub(super) settings: u64,
    pub(super) head: Head,
}

impl Write<'_> {
    /// The file with the rows of this transaction so far.
    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot { conn: self.transaction, path: self.path, settings: self.settings, head: self.head }
    }

    /// Moves prepared draws to the draws. They must be the next ones, in order.
    pub fn take_ahead(&mut self, draws: &[DrawRow]) -> Result<()> {
        self.alive()?;
        let next = self.snapshot().ahead(draws.len())?;
        for (offset, draw) in draws.iter().enumerate() {
            let expected = next.get(offset).map(|ahead| ahead.item);
            if expected != Some(draw.item) {
                let place = self.head.draws.rows + offset as u64;
                return Err(Error::NotNext { place, item: draw.item, expected });
            }
            short("id", &draw.id)?;
            short("author's name", &draw.who)?;
        }
        self.snapshot().last::<DrawRow>(self.head.draws)?;
        append(self.transaction, self.path, &mut self.head.draws, draws)?;
        let delete = "DELETE FROM ahead WHERE position < ?1";
        self.run("ahead", |conn, head| {
            conn.prepare_cached(delete)?.execute([head.draws.rows.cast_signed()]).map(|_| ())
        })
    }

    /// Records events.
    pub fn append_events(&mut self, events: &[EventRow]) -> Result<()> {
        self.alive()?;
        for event in events {
            if event.place >= self.head.draws.rows {
                return Err(Error::NoSuchDraw { place: event.place, draws: self.head.draws.rows });
            }
            short("label", event.label.as_deref().unwrap_or_default())?;
            short("author's name", &event.who)?;
            short("note", event.note.as_deref().unwrap_or_default())?;
        }
        self.snapshot().last::<EventRow>(self.head.events)?;
        if are_many(events.len(), self.head.events.rows) {
            let mut tally = self.snapshot().tally()?;
            events.iter().for_each(|event| tally.count(event));
            self.head.fates = tally.fates;
            return append(self.transaction, self.path, &mut self.head.events, events);
        }
        for event in events {
            let before = self.snapshot().last_event(event.place)?;
            self.head.fates.count(before.map(|before| before.kind), event.kind);
            let rows = std::slice::from_ref(event);
            append(self.transaction, self.path, &mut self.head.events, rows)?;
        }
        Ok(())
    }

    /// Records a refresh, whose draws replace the prepared ones. More draws of the last refresh are appended to the
    /// prepared ones.
    pub fn refresh(&mut self, refresh: &RefreshRow, ahead: &[AheadRow]) -> Result<()> {
        self.alive()?;
        let next = self.head.refreshes.rows;
        if refresh.number == next {
            self.snapshot().last::<RefreshRow>(self.head.refreshes)?;
            let rows = std::slice::from_ref(refresh);
            append(self.transaction, self.path, &mut self.head.refreshes, rows)?;
            self.run("ahead", |conn, _| conn.prepare_cached("DELETE FROM ahead")?.execute(()).map(|_| ()))?;
            self.head.ahead = self.head.draws.rows;
        } else if refresh.number + 1 != next {
            return Err(Error::NotThisRefresh { number: refresh.number, next });
        }
        self.run("ahead", |conn, head| tables::add_ahead(conn, head, ahead))
    }

    /// Records an answer under its idempotency key.
    pub fn answer(&mut self, request: &RequestRow) -> Result<()> {
        self.alive()?;
        short("key", &request.key)?;
        let insert =
            "INSERT INTO request(key, checksum, digest, at, verb, answer) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.run("request", |conn, head| {
            let RequestRow { key, verb, digest, answer, at } = request;
            let checksum = request.checksum().cast_signed();
            conn.prepare_cached(insert)?.execute(params![
                key,
                checksum,
                digest.cast_signed(),
                at,
                verb,
                answer
            ])?;
            head.requests += 1;
            Ok(())
        })
    }

    fn run(
        &mut self,
        table: &'static str,
        work: impl FnOnce(&Connection, &mut Head) -> rusqlite::Result<()>,
    ) -> Result<()> {
        work(self.transaction, &mut self.head).map_err(failure(self.path, table))
    }

    /// SQLite ends a transaction by itself when the disk is full; later statements would be committed without the
    /// earlier ones.
    fn alive(&self) -> Result<()> {
        match self.transaction.is_autocommit() {
            true => Err(Error::Poisoned { path: self.path.to_owned() }),
            false => Ok(()),
        }
    }
}

/// Appends rows to a table that only grows.
pub(super) fn append<R: Appended>(conn: &Connection, path: &Path, tip: &mut Tip, rows: &[R]) -> Result<()> {
    let failed = failure(path, R::TABLE);
    let mut statement = conn.prepare_cached(R::INSERT).map_err(&failed)?;
    for row in rows {
        let chain = row.chain(tip.rows, tip.chain);
        row.insert(&mut statement, tip.rows.cast_signed(), chain.cast_signed()).map_err(&failed)?;
        *tip = Tip { rows: tip.rows + 1, chain };
    }
    Ok(())
}

fn short(what: &'static str, text: &str) -> Result<()> {
    match text.len() > LONGEST_TEXT {
        true => Err(Error::LongText { what, bytes: text.len(), most: LONGEST_TEXT }),
        false => Ok(()),
    }
}
