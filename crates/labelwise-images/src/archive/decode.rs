//! Archives from files: those that were written here, and predictions that were made elsewhere. Both are read as any pool
//! is, with all checks of rows.

use std::fs::File;
use std::path::Path;

use labelwise::Matrix;
use labelwise_store::{Column, Ids, Labels, PoolTable, Predictions, Reading};
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::provenance::{Head, KEY, SCHEMA};
use super::{Archive, Provenance};
use crate::error::{Error, Result};

/// What predictions of others are called in their file. Left alone: the one family of probabilities that is recognised
/// (`prob_*`, or an array `probs`), and labels in `label`, or in an array `labels`.
#[derive(Debug, Clone)]
pub struct Foreign {
    labels: Option<String>,
    members: Vec<String>,
    provenance: Provenance,
}

impl Foreign {
    /// Predictions on items of this provenance.
    pub fn new(provenance: Provenance) -> Self {
        Self { labels: None, members: Vec::new(), provenance }
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
}

pub(super) fn foreign(path: &Path, foreign: &Foreign) -> Result<Archive> {
    let reading = |labels: &str| {
        let reading = Reading::new().labels(labels);
        match foreign.members.as_slice() {
            [] => reading,
            [first, others @ ..] => {
                others.iter().fold(reading.probabilities(first), |reading, other| reading.surrogate(other))
            }
        }
    };
    let table = match &foreign.labels {
        Some(labels) => PoolTable::open(path, &reading(labels))?,
        // Where there is neither, the first name is the one that is missed.
        None => PoolTable::open(path, &reading("label"))
            .or_else(|error| PoolTable::open(path, &reading("labels")).map_err(|_| error))?,
    };
    archive(path, table, foreign.provenance.clone())
}

pub(super) fn read(path: &Path) -> Result<Archive> {
    let head = head(path)?;
    let wrong = |why: String| Error::NoArchive { path: path.to_owned(), why };
    if head.schema != SCHEMA {
        return Err(wrong(format!("its schema is {}, and {SCHEMA} is what is read here", head.schema)));
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
        return Err(wrong("its rows and its checksum do not belong together".to_owned()));
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

/// The predictions of a table and of the surrogates beside them as members.
fn archive(path: &Path, table: PoolTable, provenance: Provenance) -> Result<Archive> {
    let not_there = |what| Error::NotClasses { path: path.to_owned(), what };
    let members = std::iter::once(table.predictions).chain(table.surrogates).map(|member| match member {
        Predictions::Classes { rows, .. } => Ok(rows),
        _ => Err(not_there("probabilities")),
    });
    let members: Vec<Matrix> = members.collect::<Result<_>>()?;
    let Some(Labels::Classes(labels)) = table.labels else { return Err(not_there("labels")) };
    let ids = match table.ids {
        Ids::Column(Column::Integers(ids)) => ids.into_iter().map(|id| u32::try_from(id).ok()).collect(),
        // Items of another name are counted.
        ids => (0..u32::try_from(ids.len()).unwrap_or(u32::MAX)).map(Some).collect::<Option<Vec<u32>>>(),
    };
    Archive::new(ids.ok_or_else(|| not_there("ids from 0 on"))?, labels, members, provenance)
}
