//! A journal in a file: converts its rows to typed values and back.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use labelwise::Matrix;
use labelwise_file::{
    self as file, AheadRow, DrawRow, File, RecordRow, RefreshRow, Result as FileResult, Seen,
};
use labelwise_pool::Column;

use super::{
    Appended, Batch, Counts, Drawn, Fate, Found, IgnoredLog, Journal, Record, Refresh, Request, Row,
};
use crate::columns::{self, Layout};
use crate::error::{Error, Result, damaged, meaningless};

/// A file, and the records that were read.
#[derive(Debug)]
pub(crate) struct OnFile {
    file: File,
    path: PathBuf,
    /// The layouts of the columns of the pool.
    layouts: BTreeMap<String, Layout>,
    /// The whole record, if a question needed it.
    read: OnceCell<Read>,
}

/// A record, and its numbers of rows.
#[derive(Debug)]
struct Read {
    record: Record,
    seen: Seen,
}

impl OnFile {
    /// Nothing of the record is read yet.
    pub(crate) fn new(file: File, layouts: BTreeMap<String, Layout>) -> Self {
        Self { path: file.path().to_owned(), file, layouts, read: OnceCell::new() }
    }

    /// The undamaged part of the record, and the error in the rest.
    pub(crate) fn salvaged(self) -> (Self, Option<Error>) {
        let mut record = Record::default();
        let wrong = self.file.salvage(&mut |row| take_in(&mut record, row, &self.path));
        let read = Read { record, seen: self.file.unseen() };
        (Self { read: OnceCell::from(read), ..self }, wrong.err().map(Error::from))
    }

    fn layout(&self, name: &str) -> Result<&Layout> {
        self.layouts.get(name).ok_or_else(|| damaged(&self.path, "settings", name))
    }
}

/// Adds the next row of the file.
fn take_in(record: &mut Record, row: RecordRow, path: &Path) -> FileResult<()> {
    match row {
        RecordRow::Draw(draw) => record.draw(drawn(draw, path)?),
        RecordRow::Refresh(row) => record.refresh(refresh(&row, path)?),
        RecordRow::Event(event) => {
            let seq = record.events.len();
            record.happen(event).ok_or_else(|| meaningless(path, "event", seq))?;
        }
    }
    Ok(())
}

fn drawn(DrawRow { item, id, row: bytes, at, who }: DrawRow, path: &Path) -> FileResult<Drawn> {
    let row = row(item, &bytes).ok_or_else(|| meaningless(path, "draw", &id))?;
    Ok(Drawn { id, at, who, row })
}

fn refresh(row: &RefreshRow, path: &Path) -> FileResult<Refresh> {
    let origin = serde_json::from_str(&row.json).map_err(|_| meaningless(path, "refresh", row.number))?;
    Ok(Refresh { labels: whole(row.labels), at: row.at, origin })
}

fn found(file::Found { place, draw, last }: file::Found, path: &Path) -> Result<Found<'static>> {
    let fate = match last {
        Some(event) => Fate::of(&event).ok_or_else(|| damaged(path, "event", place))?,
        None => Fate::Open,
    };
    let row = Cow::Owned(drawn(draw, path)?.row);
    Ok(Found { place: whole(place), row, fate: Cow::Owned(fate) })
}

fn counts(counts: file::Counts) -> Counts {
    let file::Counts { draws, events, refreshes, labels, skipped, missing, .. } = counts;
    let waiting = draws.saturating_sub(labels + skipped + missing);
    Counts {
        draws: whole(draws),
        events: whole(events),
        refreshes: whole(refreshes),
        labels: whole(labels),
        waiting: whole(waiting),
        skipped: whole(skipped),
    }
}

fn whole(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A draw from its bytes.
fn row(item: u64, bytes: &[u8]) -> Option<Row> {
    Row::decode(whole(item), bytes)
}

fn ahead_row(row: &Row) -> AheadRow {
    AheadRow { item: row.draw.index as u64, row: row.encode() }
}

/// A refresh as its row of the file.
pub(crate) fn refresh_row(number: usize, refresh: &Refresh) -> Result<RefreshRow> {
    let json = serde_json::to_string(&refresh.origin).map_err(Error::json)?;
    Ok(RefreshRow { number: number as u64, labels: refresh.labels as u64, json, at: refresh.at })
}

/// Prepared draws as rows of the file.
pub(crate) fn ahead_rows(rows: &[Row]) -> Vec<AheadRow> {
    rows.iter().map(ahead_row).collect()
}

impl Journal for OnFile {
    fn path(&self) -> &Path {
        &self.path
    }

    fn is_durable(&self) -> bool {
        true
    }

    fn follow(&mut self) -> Result<()> {
        // Without locks, the file can change between two reads, so all of it is read at one moment.
        if self.read.get().is_none() && self.file.is_frozen() {
            self.read = OnceCell::from(Read { record: Record::default(), seen: self.file.unseen() });
        }
        let path = &self.path;
        match self.read.get_mut() {
            Some(Read { record, seen }) => {
                Ok(self.file.follow(seen, &mut |row| take_in(record, row, path))?)
            }
            None => Ok(()),
        }
    }

    fn record(&self) -> Result<&Record> {
        let read = match self.read.get() {
            Some(read) => read,
            None => {
                let (mut record, mut seen) = (Record::default(), self.file.unseen());
                self.file.look(|at| at.visit(&mut seen, &mut |row| take_in(&mut record, row, &self.path)))?;
                self.read.get_or_init(|| Read { record, seen })
            }
        };
        Ok(&read.record)
    }

    fn counts(&self) -> Result<Counts> {
        match self.read.get() {
            Some(read) => Ok(read.record.counts()),
            None => Ok(self.file.look(|at| Ok(counts(at.counts())))?),
        }
    }

    fn find(&self, ids: &[&str]) -> Result<Vec<Option<Found<'_>>>> {
        match self.read.get() {
            Some(read) => Ok(ids.iter().map(|id| read.record.find(id)).collect()),
            None => {
                let rows = self.file.look(|at| at.find(ids))?.into_iter();
                rows.map(|row| row.map(|row| found(row, &self.path)).transpose()).collect()
            }
        }
    }

    fn last_wait(&self, count: usize) -> Result<bool> {
        match self.read.get() {
            Some(read) => Ok(read.record.last_wait(count)),
            None => Ok(self.file.look(|at| at.last_wait(count))?),
        }
    }

    fn last_refresh(&self) -> Result<Option<Cow<'_, Refresh>>> {
        match self.read.get() {
            Some(read) => Ok(read.record.refreshes.last().map(Cow::Borrowed)),
            None => {
                let last = self.file.look(|at| at.last_refresh())?;
                Ok(last.map(|row| refresh(&row, &self.path).map(Cow::Owned)).transpose()?)
            }
        }
    }

    fn ahead(&mut self, count: usize) -> Result<Vec<Row>> {
        let rows = self.file.look(|at| at.ahead(count))?.into_iter().enumerate();
        rows.map(|(place, ahead)| {
            row(ahead.item, &ahead.row).ok_or_else(|| damaged(&self.path, "ahead", place))
        })
        .collect()
    }

    fn request(&self, key: &str) -> Result<Option<Request>> {
        Ok(self.file.look(|at| at.request(key))?)
    }

    fn requests(&self, verb: Option<&str>) -> Result<Vec<Request>> {
        Ok(self.file.look(|at| at.requests(verb))?)
    }

    fn append(&mut self, batch: Batch, seen: Counts) -> Result<Appended> {
        let Batch { refresh, draws, from_ahead, ahead, events, request } = batch;
        let number = seen.refreshes;
        let refresh = match refresh {
            Some(refresh) => Some(refresh_row(number, &refresh)?),
            // More draws of the present refresh.
            None if draws.len() > from_ahead || !ahead.is_empty() => {
                let number = number.saturating_sub(1) as u64;
                Some(RefreshRow { number, labels: 0, json: String::new(), at: 0 })
            }
            None => None,
        };
        let new: Vec<AheadRow> =
            draws.iter().skip(from_ahead).map(|drawn| &drawn.row).chain(&ahead).map(ahead_row).collect();
        let rows: Vec<DrawRow> = draws
            .into_iter()
            .map(|Drawn { id, at, who, row }| DrawRow {
                item: row.draw.index as u64,
                id,
                row: row.encode(),
                at,
                who,
            })
            .collect();
        let appended = self.file.write(|write| {
            if let Some(request) = &request
                && let Some(before) = write.snapshot().request(&request.key)?
            {
                return Ok(Appended::Answered(before));
            }
            let there = counts(write.snapshot().counts());
            let answers_differ = !events.is_empty() && there.events != seen.events;
            if answers_differ || (there.draws, there.refreshes) != (seen.draws, seen.refreshes) {
                return Ok(Appended::Outdated);
            }
            if let Some(refresh) = &refresh {
                write.refresh(refresh, &new)?;
            }
            if !rows.is_empty() {
                write.take_ahead(&rows)?;
            }
            write.append_events(&events)?;
            if let Some(request) = &request {
                write.answer(request)?;
            }
            Ok(Appended::Recorded)
        })?;
        self.follow()?;
        Ok(appended)
    }

    fn matrix(&self, name: &str) -> Result<Matrix> {
        columns::read_matrix(&self.file, name, self.layout(name)?)
    }

    fn texts(&self, name: &str, items: &[usize]) -> Result<Vec<String>> {
        columns::read_texts(&self.file, name, self.layout(name)?, items)
    }

    fn each_block(&self, name: &str, with: &mut dyn FnMut(&Column)) -> Result<()> {
        columns::each_block(&self.file, name, self.layout(name)?, with)
    }

    fn check_everything(&self) -> Result<Option<IgnoredLog>> {
        Ok(self.file.check_everything()?)
    }

    fn ignored_log(&self) -> Option<&IgnoredLog> {
        self.file.ignored_log()
    }

    fn backup(&self, to: &Path) -> Result<()> {
        Ok(self.file.backup(to)?)
    }
}
