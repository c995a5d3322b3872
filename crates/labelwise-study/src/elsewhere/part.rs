//! The kernel: a part of a pool into a sketch, and sketches into one.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use labelwise_file::digest;
use labelwise_pool::{ColumnNames, Error as PoolError, PoolTable, Reading};
use labelwise_sketch::{Bytes, Key, Rest, Sketch};
use serde::{Deserialize, Serialize};

use super::chunk::{Chunk, Shape};
use super::scoring::{Scorer, Scoring};
use super::totals::Totals;
use crate::error::{ElsewhereError, Error, Result};
use crate::task::with_task;

/// The first bytes of a sketch of a part.
const MAGIC: &[u8; 8] = b"lwpart01";

/// Items that an error names.
const NAMED: usize = 5;

/// Rows that are widened at a time.
const RUN: usize = 1024;

/// Bad rows of a part that are looked for one by one; the others are only counted with their batch.
const SOUGHT: u64 = 1000;

/// Reads some of the rows of a batch.
pub type ReadRows<'a> = dyn Fn(Range<usize>, &Reading) -> Result<PoolTable, PoolError> + 'a;

/// The counter of the uniform sample that constants are made of: its random numbers are not those of any draw.
pub(crate) const PILOT: u64 = 1 << 63;

/// What a pass tells the workers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(crate) columns: ColumnNames,
    pub(crate) seed: u64,
    pub(crate) refresh: u64,
    /// Items that are kept.
    pub(crate) keep: usize,
    /// How items are scored; none in the pass that keeps a uniform sample.
    pub(crate) scoring: Option<Scoring>,
    /// Ids that were drawn before.
    pub(crate) drawn: Vec<String>,
}

impl Work {
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(Error::json)
    }
}

/// The sketch of a part of a pool.
///
/// Parts of one pool that are made with the same work are merged in any order and any grouping; the bytes are the same.
pub struct Part {
    work: Arc<Working>,
    state: PartSketch,
}

/// The work, ready to be done.
struct Working {
    reading: Reading,
    scoring: Option<Scoring>,
    drawn: HashSet<String>,
}

/// What parts are merged as.
#[derive(Debug, Clone)]
pub(crate) struct PartSketch {
    /// The digest of the work.
    work: u64,
    pub(crate) sketch: Sketch,
    pub(crate) totals: Totals,
    pub(crate) shape: Option<Shape>,
    /// Another shape that was seen.
    other: Option<Shape>,
    bad: u64,
    /// The first by id, with what is wrong.
    first_bad: Vec<(String, String)>,
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Part").field("items", &self.state.totals.items).finish_non_exhaustive()
    }
}

impl Part {
    /// An empty part, from the work of a pass ([`Scan::work`](super::scan::Scan::work)).
    pub fn new(work: &[u8]) -> Result<Self> {
        let not_work = || ElsewhereError::Bytes { what: "the work of a pass" };
        let digest = digest_of(work);
        let Work { columns, seed, refresh, keep, scoring, drawn } =
            serde_json::from_slice(work).map_err(|_| not_work())?;
        let sketch = Sketch::new(Key { seed, refresh }, keep);
        let reading = Reading::from(columns).of_part();
        let state = PartSketch {
            work: digest,
            sketch,
            totals: Totals::default(),
            shape: None,
            other: None,
            bad: 0,
            first_bad: Vec::new(),
        };
        let work = Working { reading, scoring, drawn: drawn.into_iter().collect() };
        Ok(Self { work: Arc::new(work), state })
    }

    /// Another empty part of the same pass.
    pub(crate) fn another(&self) -> Self {
        let PartSketch { work, sketch, .. } = &self.state;
        let state = PartSketch {
            work: *work,
            sketch: Sketch::new(sketch.key(), sketch.keep()),
            totals: Totals::default(),
            shape: None,
            other: None,
            bad: 0,
            first_bad: Vec::new(),
        };
        Self { work: Arc::clone(&self.work), state }
    }

    /// How the columns are read.
    pub fn reading(&self) -> &Reading {
        &self.work.reading
    }

    /// Adds the rows that `read` reads from `rows` rows, all of them (`0..rows`) or some. Rows that cannot be used are counted, and
    /// the first five are named when the pass ends.
    pub fn add_rows(&mut self, rows: usize, read: &ReadRows<'_>, id: &dyn Fn(usize) -> String) -> Result<()> {
        self.add_range(0..rows, read, id)
    }

    fn add_range(
        &mut self,
        rows: Range<usize>,
        read: &ReadRows<'_>,
        id: &dyn Fn(usize) -> String,
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        match read(rows.clone(), &self.work.reading) {
            Ok(table) => self.add(table),
            Err(PoolError::Rows { rows: faults, .. }) if rows.len() == 1 || self.state.bad >= SOUGHT => {
                self.state.bad += rows.len() as u64;
                let why = faults.first().map(|row| row.fault.to_string()).unwrap_or_default();
                self.state.name(vec![(id(rows.start), why)]);
                Ok(())
            }
            // Halves, until the bad rows are alone.
            Err(PoolError::Rows { .. }) => {
                let middle = rows.start + rows.len() / 2;
                self.add_range(rows.start..middle, read, id)?;
                self.add_range(middle..rows.end, read, id)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Adds rows that were read.
    pub(crate) fn add(&mut self, table: PoolTable) -> Result<()> {
        let chunk = Chunk::new(table)?;
        self.state.look_at(&chunk.shape);
        let Self { work, state } = self;
        let open: Vec<bool> = match work.drawn.is_empty() {
            true => Vec::new(),
            false => chunk.ids.iter().map(|id| !work.drawn.contains(id)).collect(),
        };
        state.totals.items += chunk.rows() as u64;
        let (mut reader, mut ids) = (chunk.predictions.reader(), chunk.ids.iter());
        for start in (0..chunk.rows()).step_by(RUN) {
            let rows = reader.rows(start..chunk.rows().min(start + RUN));
            for (row, id) in rows.iter().zip(&mut ids) {
                state.totals.fingerprint.add(id, row);
            }
        }
        let scores = match &work.scoring {
            None => vec![0.0; chunk.rows()],
            Some(scoring) => with_task!(scoring.settings, T => {
                Scorer::<T>::new(scoring.clone())?.score(&chunk, &open, &mut state.totals)
            })?,
        };
        let rows: Vec<usize> = (0..chunk.rows()).filter(|row| super::scoring::is_open(&open, *row)).collect();
        let ids: Vec<&str> = rows.iter().filter_map(|&row| chunk.ids.get(row)).collect();
        let scores: Vec<Option<f64>> = rows.iter().map(|&row| scores.get(row).copied()).collect();
        state
            .sketch
            .add_all(&ids, &scores, |place| chunk.payload(rows.get(place).copied().unwrap_or_default()));
        Ok(())
    }

    /// The sketch as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.state.to_bytes()
    }

    pub(crate) fn into_sketch(self) -> PartSketch {
        self.state
    }

    /// The sketches of several parts as one. Any order and any grouping gives the same bytes.
    pub fn merge<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>> {
        let mut merged: Option<PartSketch> = None;
        for part in parts {
            let part = PartSketch::from_bytes(part)?;
            match &mut merged {
                None => merged = Some(part),
                Some(merged) => merged.merge(part)?,
            }
        }
        let merged = merged.ok_or(ElsewhereError::Sketch(labelwise_sketch::Error::Empty))?;
        Ok(merged.to_bytes())
    }
}

pub(crate) fn digest_of(work: &[u8]) -> u64 {
    digest(&[&String::from_utf8_lossy(work)])
}

impl PartSketch {
    fn look_at(&mut self, shape: &Shape) {
        match &self.shape {
            None => self.shape = Some(shape.clone()),
            Some(known) if known == shape => {}
            Some(known) => {
                // The smaller comes first, whatever the order of the parts.
                let mut two = [known.clone(), shape.clone()];
                two.sort_by_key(Shape::in_words);
                let [one, other] = two;
                (self.shape, self.other) = (Some(one), Some(other));
            }
        }
    }

    fn name(&mut self, more: Vec<(String, String)>) {
        self.first_bad.extend(more);
        self.first_bad.sort_unstable();
        self.first_bad.truncate(NAMED);
    }

    /// Of lists that an engine made.
    pub(crate) fn of_lists(work: u64, sketch: Sketch, totals: Totals, shape: Shape) -> Self {
        Self { work, sketch, totals, shape: Some(shape), other: None, bad: 0, first_bad: Vec::new() }
    }

    pub(crate) fn merge(&mut self, other: Self) -> Result<()> {
        if self.work != other.work {
            return Err(ElsewhereError::Different.into());
        }
        self.sketch.merge(other.sketch).map_err(ElsewhereError::from)?;
        self.totals.merge(&other.totals);
        for shape in other.shape.iter().chain(&other.other) {
            self.look_at(shape);
        }
        self.bad += other.bad;
        self.name(other.first_bad);
        Ok(())
    }

    /// Refuses rows that cannot be used, parts that differ, and sketches of another pass.
    pub(crate) fn check(&self, there: &str, work: u64) -> Result<&Shape> {
        if self.work != work {
            return Err(ElsewhereError::Different.into());
        }
        if let Some((one, other)) = self.shape.as_ref().zip(self.other.as_ref()) {
            let (one, other) = (one.in_words(), other.in_words());
            return Err(ElsewhereError::Parts { there: there.to_owned(), one, other }.into());
        }
        if self.bad > 0 {
            let (there, count, first) = (there.to_owned(), self.bad, self.first_bad.clone());
            return Err(ElsewhereError::Rows { there, count, first }.into());
        }
        self.shape.as_ref().ok_or(ElsewhereError::Sketch(labelwise_sketch::Error::Empty).into())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Bytes(MAGIC.to_vec());
        bytes.whole(self.work);
        bytes.block(&self.sketch.to_bytes());
        self.totals.write(&mut bytes);
        for shape in [&self.shape, &self.other] {
            let json = shape.as_ref().and_then(|shape| serde_json::to_vec(shape).ok()).unwrap_or_default();
            bytes.block(&json);
        }
        bytes.whole(self.bad);
        bytes.whole(self.first_bad.len() as u64);
        for (id, why) in &self.first_bad {
            bytes.block(id.as_bytes());
            bytes.block(why.as_bytes());
        }
        bytes.0
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let read = || {
            let mut rest = Rest(bytes.strip_prefix(MAGIC)?);
            let work = rest.whole()?;
            let sketch = Sketch::from_bytes(rest.block()?).ok()?;
            let totals = Totals::read(&mut rest)?;
            let mut shape = || {
                let json = rest.block()?;
                if json.is_empty() { Some(None) } else { serde_json::from_slice(json).ok().map(Some) }
            };
            let (shape, other) = (shape()?, shape()?);
            let bad = rest.whole()?;
            let mut first_bad = Vec::new();
            for _ in 0..rest.count().filter(|count| *count <= NAMED)? {
                first_bad.push((rest.text()?, rest.text()?));
            }
            rest.0.is_empty().then_some(Self { work, sketch, totals, shape, other, bad, first_bad })
        };
        read().ok_or(ElsewhereError::Bytes { what: "a sketch of a part" }.into())
    }
}
