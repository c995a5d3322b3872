//! Archives from files: those that were written here, and predictions that were made elsewhere. Both are read as any pool
//! is, with all checks of rows.

use std::fs::File;
use std::path::Path;

use labelwise_pool::{Error as PoolError, Format, Labels, PoolTable, Predictions, Reading};
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::classes::Order;
use super::provenance::{Head, KEY, SCHEMA};
use super::{Archive, Provenance};
use crate::error::{Error, Result};

/// The names of columns in a file of predictions made elsewhere. Defaults: the one recognised family of probabilities
/// (`prob_*`, or an array `probs`), labels in `label`, or in an array `labels`, and ids in `id`. Items without ids, or
/// with ids that are not numbers, are counted from 0.
#[derive(Debug, Clone)]
pub struct Foreign {
    format: Option<Format>,
    ids: Option<String>,
    labels: Option<String>,
    members: Vec<String>,
    logits: bool,
    provenance: Provenance,
}

impl Foreign {
    /// Predictions on items of this provenance.
    pub fn new(provenance: Provenance) -> Self {
        Self { format: None, ids: None, labels: None, members: Vec::new(), logits: false, provenance }
    }

    /// Reads the file as this, whatever its name.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// The column, or the array of an NPZ file, that has each item's number in its part of its set.
    pub fn ids(mut self, name: impl Into<String>) -> Self {
        self.ids = Some(name.into());
        self
    }

    /// The column, or the array of an NPZ file, that has the labels.
    pub fn labels(mut self, name: impl Into<String>) -> Self {
        self.labels = Some(name.into());
        self
    }

    /// The columns with the probabilities of a member, as a pattern such as `net1_*`, or the name of an array of an NPZ
    /// file. Said several times, it is an ensemble.
    pub fn member(mut self, pattern: impl Into<String>) -> Self {
        self.members.push(pattern.into());
        self
    }

    /// What members have are logits, of which a softmax makes probabilities.
    pub fn logits(mut self) -> Self {
        self.logits = true;
        self
    }

    fn reading(&self, labels: &str) -> Reading {
        let mut reading = Reading::new().labels(labels);
        if let Some(format) = self.format {
            reading = reading.format(format);
        }
        match &self.ids {
            Some(ids) => reading.ids(ids),
            None => reading,
        }
    }

    /// The first member with ids and labels, and the others as its surrogates.
    fn table(&self, path: &Path, labels: &str) -> std::result::Result<PoolTable, PoolError> {
        let reading = || self.reading(labels);
        let of = |pattern: &String| {
            let reading =
                if self.logits { reading().logits(pattern) } else { reading().probabilities(pattern) };
            PoolTable::open(path, &reading)
        };
        let [first, others @ ..] = self.members.as_slice() else { return PoolTable::open(path, &reading()) };
        let mut table = of(first)?;
        for other in others {
            table.surrogates.push(of(other)?.predictions);
        }
        Ok(table)
    }
}

pub(super) fn foreign(path: &Path, foreign: &Foreign) -> Result<Archive> {
    let misses =
        |error: &PoolError, column: &str| matches!(error, PoolError::NoColumn { name, .. } if name == column);
    let table = match &foreign.labels {
        Some(labels) => foreign.table(path, labels)?,
        None => match foreign.table(path, "label") {
            // Where there is neither, the first name is the one that is missed.
            Err(first) if misses(&first, "label") => foreign
                .table(path, "labels")
                .map_err(|second| if misses(&second, "labels") { first } else { second })?,
            read => read?,
        },
    };
    archive(path, table, foreign.provenance.clone())
}

pub(super) fn read(path: &Path) -> Result<Archive> {
    let head = head(path)?;
    let wrong = |why: String| Error::NoArchive { path: path.to_owned(), why };
    if head.schema != SCHEMA {
        return Err(wrong(format!("its schema is {}, but this version reads {SCHEMA}", head.schema)));
    }
    let mut reading = Reading::new().labels("label").probabilities("prob_*");
    if head.members > 1 {
        // As many as the head says are asked for by name, so that one that is not there is missed.
        reading = (0..head.members)
            .fold(reading, |reading, member| reading.surrogate(format!("member_{member}_prob_*")));
    }
    let mut table = PoolTable::open(path, &reading)?;
    if head.members > 1 {
        // The mean follows from the members.
        table.predictions = table.surrogates.remove(0);
    }
    let archive = archive(path, table, head.provenance.clone())?;
    let again = Head::of(&archive).map_err(|error| wrong(error.to_string()))?;
    if again != head {
        return Err(wrong("its rows do not fit its checksum".to_owned()));
    }
    Ok(archive)
}

/// What the file says of itself.
fn head(path: &Path) -> Result<Head> {
    let wrong = |why: String| Error::NoArchive { path: path.to_owned(), why };
    let file = File::open(path).map_err(Error::file(path, "read"))?;
    let reader = SerializedFileReader::new(file).map_err(|error| wrong(error.to_string()))?;
    let entries = reader.metadata().file_metadata().key_value_metadata();
    let text =
        entries.into_iter().flatten().find(|entry| entry.key == KEY).and_then(|entry| entry.value.as_deref());
    let text = text.ok_or_else(|| wrong(format!("its metadata has no {KEY}")))?;
    serde_json::from_str(text).map_err(|error| wrong(format!("its {KEY} cannot be read: {error}")))
}

/// The predictions and the surrogates of a table as members.
fn archive(path: &Path, table: PoolTable, provenance: Provenance) -> Result<Archive> {
    let not_there = |what| Error::NotClasses { path: path.to_owned(), what };
    let (mut order, mut members) = (None, Vec::with_capacity(1 + table.surrogates.len()));
    for member in std::iter::once(table.predictions).chain(table.surrogates) {
        let Predictions::Classes { names, rows } = member else { return Err(not_there("probabilities")) };
        let here = Order::of(names);
        let first: &Order = order.get_or_insert_with(|| here.clone());
        first.check(&here)?;
        members.push(here.rows(rows)?);
    }
    let (Some(Labels::Classes(labels)), Some(order)) = (table.labels, order) else {
        return Err(not_there("labels"));
    };
    let labels = order.labels(labels);
    // Items whose ids are not numbers are counted.
    let ids: Option<Vec<u32>> = (0..table.ids.len()).map(|row| table.ids.get(row)?.parse().ok()).collect();
    let ids = ids.unwrap_or_else(|| (0..u32::try_from(labels.len()).unwrap_or(u32::MAX)).collect());
    Archive::new(ids, labels, members, provenance)
}
