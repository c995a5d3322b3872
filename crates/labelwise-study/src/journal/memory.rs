//! A journal in memory: for notebooks, simulations, and the first proposal of an evaluation that will be a file.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;

use labelwise::Matrix;
use labelwise_pool::Column;

use super::{Appended, Batch, Counts, Found, IgnoredLog, Journal, Record, Refresh, Request, Row};
use crate::error::{Result, damaged};

/// The records and columns of a study in memory. Tables of numbers are shared, not copied.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Columns of single values, by name.
    pub(crate) values: BTreeMap<String, Column>,
    /// Tables of numbers, by name.
    pub(crate) tables: BTreeMap<String, Matrix>,
    /// Whether these are the columns of a file that is being created: its first proposal must then store everything.
    pub(crate) becomes_file: bool,
    record: Record,
    ahead: VecDeque<Row>,
    requests: HashMap<String, Request>,
}

impl Memory {
    /// The same with records.
    pub(crate) fn with_record(self, record: Record) -> Self {
        Self { record, ..self }
    }
}

impl Journal for Memory {
    fn path(&self) -> &Path {
        Path::new("(memory)")
    }

    fn is_durable(&self) -> bool {
        self.becomes_file
    }

    fn follow(&mut self) -> Result<()> {
        Ok(())
    }

    fn record(&self) -> Result<&Record> {
        Ok(&self.record)
    }

    fn counts(&self) -> Result<Counts> {
        Ok(self.record.counts())
    }

    fn find(&self, ids: &[&str]) -> Result<Vec<Option<Found<'_>>>> {
        Ok(ids.iter().map(|id| self.record.find(id)).collect())
    }

    fn find_one(&self, id: &str) -> Result<Option<Found<'_>>> {
        Ok(self.record.find(id))
    }

    fn last_wait(&self, count: usize) -> Result<bool> {
        Ok(self.record.last_wait(count))
    }

    fn last_refresh(&self) -> Result<Option<Cow<'_, Refresh>>> {
        Ok(self.record.refreshes.last().map(Cow::Borrowed))
    }

    fn ahead(&mut self, count: usize) -> Result<Vec<Row>> {
        Ok(self.ahead.drain(..count.min(self.ahead.len())).collect())
    }

    fn prepared(&self) -> usize {
        self.ahead.len()
    }

    fn request(&self, key: &str) -> Result<Option<Request>> {
        Ok(self.requests.get(key).cloned())
    }

    fn requests(&self, verb: Option<&str>) -> Result<Vec<Request>> {
        let wanted = self.requests.values().filter(|request| verb.is_none_or(|verb| request.verb == verb));
        Ok(wanted.cloned().collect())
    }

    fn append(&mut self, batch: Batch, _seen: Counts) -> Result<Appended> {
        let Batch { refresh, draws, from_ahead: _, ahead, events, request } = batch;
        if let Some(refresh) = refresh {
            self.ahead.clear();
            self.record.refresh(refresh);
        }
        if self.ahead.is_empty() {
            self.ahead = ahead.into();
        } else {
            self.ahead.extend(ahead);
        }
        draws.into_iter().for_each(|drawn| self.record.draw(drawn));
        for event in events {
            self.record.happen(event).ok_or_else(|| damaged(Path::new("(memory)"), "event", ""))?;
        }
        if let Some(request) = request {
            self.requests.insert(request.key.clone(), request);
        }
        Ok(Appended::Recorded)
    }

    fn matrix(&self, name: &str) -> Result<Matrix> {
        self.tables.get(name).cloned().ok_or_else(|| damaged(self.path(), "column", name))
    }

    fn texts(&self, name: &str, items: &[usize]) -> Result<Vec<String>> {
        let column = self.values.get(name);
        let text = |&item: &usize| column.and_then(|column| column.text(item));
        items.iter().map(|item| text(item).ok_or_else(|| damaged(self.path(), "column", name))).collect()
    }

    fn each_block(&self, name: &str, with: &mut dyn FnMut(&Column)) -> Result<()> {
        if let Some(column) = self.values.get(name) {
            with(column);
            return Ok(());
        }
        let table = self.matrix(name)?;
        let mut reader = table.reader();
        for start in (0..table.rows()).step_by(BLOCK_ROWS) {
            let rows = reader.rows(start..table.rows().min(start + BLOCK_ROWS));
            with(&Column::Numbers(rows.values().to_vec()));
        }
        Ok(())
    }

    fn check_everything(&self) -> Result<Option<IgnoredLog>> {
        Ok(None)
    }
}

/// Rows of a table that are copied at a time.
const BLOCK_ROWS: usize = 4096;
