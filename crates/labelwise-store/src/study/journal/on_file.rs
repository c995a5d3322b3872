//! A journal in a file: typed values out of its rows, and back.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use labelwise::Matrix;

use super::{Appended, Batch, Counts, Drawn, Found, Journal, Record, Refresh, Request, Row};
use crate::column::Column;
use crate::error::{Error, Result, damaged};
use crate::file::{AheadRow, DrawRow, File, RefreshRow};
use crate::study::columns::{self, Layout};

/// A file, and what was read of it.
#[derive(Debug)]
pub(crate) struct OnFile {
    file: File,
    path: PathBuf,
    /// How the columns of the pool lie in the file.
    layouts: BTreeMap<String, Layout>,
    record: Record,
}

impl OnFile {
    /// Nothing of the record is read yet.
    pub(crate) fn new(file: File, layouts: BTreeMap<String, Layout>) -> Self {
        Self { path: file.path().to_owned(), file, layouts, record: Record::default() }
    }

    /// As much of the record as is whole, and what is wrong with the rest.
    pub(crate) fn salvaged(mut self) -> (Self, Option<Error>) {
        let (file, wrong) = self.file.salvaged();
        self.file = file;
        let decoded = self.decode();
        (self, wrong.map(Error::from).or(decoded.err()))
    }

    /// Takes in the rows that the file has read.
    fn decode(&mut self) -> Result<()> {
        let (path, rows, record) = (&self.path, self.file.known(), &mut self.record);
        for (place, draw) in rows.draws.iter().enumerate().skip(record.draws.len()) {
            let row = row(draw.item, &draw.row).ok_or_else(|| damaged(path, "draw", place))?;
            record.draw(Drawn { id: draw.id.clone(), at: draw.at, who: draw.who.clone(), row });
        }
        for (seq, event) in rows.events.iter().enumerate().skip(record.events.len()) {
            record.happen(event.clone()).ok_or_else(|| damaged(path, "event", seq))?;
        }
        for refresh in rows.refreshes.iter().skip(record.refreshes.len()) {
            let origin =
                serde_json::from_str(&refresh.json).map_err(|_| damaged(path, "refresh", refresh.number))?;
            let labels = usize::try_from(refresh.labels).unwrap_or(usize::MAX);
            record.refresh(Refresh { labels, at: refresh.at, origin });
        }
        Ok(())
    }

    fn layout(&self, name: &str) -> Result<&Layout> {
        self.layouts.get(name).ok_or_else(|| damaged(&self.path, "settings", name))
    }
}

/// A draw from its bytes.
fn row(item: u64, bytes: &[u8]) -> Option<Row> {
    Row::decode(usize::try_from(item).unwrap_or(usize::MAX), bytes)
}

fn ahead_row(row: &Row) -> AheadRow {
    AheadRow { item: row.draw.index as u64, row: row.encode() }
}

/// A refresh as its row of the file.
pub(crate) fn refresh_row(number: usize, refresh: &Refresh) -> Result<RefreshRow> {
    let json = serde_json::to_string(&refresh.origin).map_err(Error::json)?;
    Ok(RefreshRow { number: number as u64, labels: refresh.labels as u64, json, at: refresh.at })
}

/// Draws made ahead as rows of the file.
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
        self.file.record()?;
        self.decode()
    }

    fn record(&self) -> Result<&Record> {
        Ok(&self.record)
    }

    fn counts(&self) -> Result<Counts> {
        Ok(self.record.counts())
    }

    fn find(&self, id: &str) -> Result<Option<Found<'_>>> {
        Ok(self.record.find(id))
    }

    fn last_refresh(&self) -> Result<Option<Cow<'_, Refresh>>> {
        Ok(self.record.refreshes.last().map(Cow::Borrowed))
    }

    fn ahead(&self, count: usize) -> Result<Vec<Row>> {
        let rows = self.file.ahead(count)?.into_iter().enumerate();
        rows.map(|(place, ahead)| {
            row(ahead.item, &ahead.row).ok_or_else(|| damaged(&self.path, "ahead", place))
        })
        .collect()
    }

    fn request(&self, key: &str) -> Result<Option<Request>> {
        Ok(self.file.request(key)?)
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
                && let Some(before) = write.request(&request.key)?
            {
                return Ok(Appended::Answered(before));
            }
            let record = write.record();
            let there = (record.draws.len(), record.events.len(), record.refreshes.len());
            if there != (seen.draws, seen.events, seen.refreshes) {
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

    fn check_everything(&self) -> Result<()> {
        Ok(self.file.check_everything()?)
    }
}
