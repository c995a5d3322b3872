//! Parts of a pool in files: some row groups of a Parquet file, or a whole file of another format.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::assemble;
use crate::column::Column;
use crate::content;
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::format::Format;
use crate::ids::Ids;
use crate::limits::Budget;
use crate::reading::Reading;
use crate::source::{self, ParquetFile, Source};
use crate::table::PoolTable;

/// Rows of a Parquet file that are read at a time, unless one row group has more.
const ROWS: usize = 1 << 18;

/// The parts of a file; none but the whole for formats other than Parquet.
pub(super) fn parts(path: &Path, reading: &Reading) -> Result<Vec<Option<Range<usize>>>> {
    let bytes = fs::metadata(path).map_err(|source| Error::File { path: path.to_owned(), source })?.len();
    let budget = Arc::new(Budget::of_file(path, bytes));
    let (format, _) = content::recognise(path, reading.format, &budget)?;
    if format != Format::Parquet {
        return Ok(vec![None]);
    }
    let file = ParquetFile::open(path, &budget).map_err(|error| budget.explain(error))?;
    let (mut parts, mut start, mut rows) = (Vec::new(), 0, 0);
    for (place, group) in file.group_rows().enumerate() {
        if rows > 0 && rows + group > ROWS {
            parts.push(Some(start..place));
            (start, rows) = (place, 0);
        }
        rows += group;
    }
    parts.push(Some(start..file.group_rows().count()));
    Ok(parts)
}

pub(super) fn part(path: &Path, reading: &Reading, groups: Option<Range<usize>>) -> Result<PoolTable> {
    let Some(groups) = groups else { return PoolTable::of_file(path, reading) };
    within_budget(path, |budget| {
        let mut file = ParquetFile::open(path, budget)?.only(groups);
        assemble::assemble(path, Format::Parquet, &mut file, reading, budget, |ids, predictions| {
            Ok(if reading.of_part { Fingerprint::default() } else { Fingerprint::of_rows(ids, predictions) })
        })
    })
}

/// Reads a file within the memory that its size allows.
fn within_budget<R>(path: &Path, read: impl FnOnce(&Arc<Budget>) -> Result<R>) -> Result<R> {
    let bytes = fs::metadata(path).map_err(|source| Error::File { path: path.to_owned(), source })?.len();
    let budget = Arc::new(Budget::of_file(path, bytes));
    read(&budget).map_err(|error| budget.explain(error))
}

/// A part of a pool in files, which can be read without the others.
#[derive(Debug, Clone)]
pub struct FilePart {
    pub(super) path: PathBuf,
    /// Row groups of a Parquet file; none for a whole file of another format.
    pub(super) groups: Option<Range<usize>>,
    pub(super) hive: Vec<(String, String)>,
}

/// The passthrough columns of some rows, by name, with the ids of the rows.
pub type Carried = (Ids, Vec<(String, Column)>);

impl FilePart {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The columns that the names of its folders give, with their value.
    pub fn hive(&self) -> &[(String, String)] {
        &self.hive
    }

    /// Ids and predictions, without what is of the whole pool ([`Reading::of_part`]). `None` if it has no rows.
    pub fn read(&self, reading: &Reading) -> Result<Option<PoolTable>> {
        match part(&self.path, &reading.of_part(), self.groups.clone()) {
            Err(Error::Empty { .. }) => Ok(None),
            part => part.map(Some),
        }
    }

    /// What is read of the file itself: passthrough columns that are not those of folders.
    fn without_hive(&self, reading: &Reading) -> Reading {
        let is_hive = |name: &String| self.hive.iter().any(|(known, _)| known == name);
        let own = reading.carried.iter().filter(|name| !is_hive(name)).cloned();
        Reading { carried: own.collect(), ..reading.clone() }
    }

    /// Opens the file, only these rows of it.
    fn opened<R>(
        &self,
        reading: &Reading,
        with: impl FnOnce(Format, &mut dyn Source) -> Result<R>,
    ) -> Result<R> {
        within_budget(&self.path, |budget| match self.groups.clone() {
            Some(groups) => {
                let mut file = ParquetFile::open(&self.path, budget)?.only(groups);
                with(Format::Parquet, &mut file)
            }
            None => {
                let (format, _) = content::recognise(&self.path, reading.format, budget)?;
                let mut file = source::open(&self.path, format, reading, budget)?;
                with(format, file.as_mut())
            }
        })
    }

    /// Whether a folder's column is wanted: all are, unless passthrough columns are named.
    fn wants_hive(reading: &Reading, name: &str) -> bool {
        reading.carried.is_empty() || reading.carried.iter().any(|known| known == name)
    }

    /// The names of the passthrough columns.
    pub fn passthrough_names(&self, reading: &Reading) -> Result<Vec<String>> {
        let own = self.without_hive(reading);
        let mut names =
            self.opened(&own, |format, file| assemble::passthrough_names(&self.path, format, file, &own))?;
        names.extend(
            self.hive.iter().map(|(name, _)| name).filter(|name| Self::wants_hive(reading, name)).cloned(),
        );
        Ok(names)
    }

    /// Ids and passthrough columns: those of the file, then those that the names of folders give.
    pub fn passthrough(&self, reading: &Reading) -> Result<Carried> {
        let own = self.without_hive(reading);
        let (ids, mut carried) =
            self.opened(&own, |format, file| assemble::passthrough(&self.path, format, file, &own))?;
        for (name, value) in self.hive.iter().filter(|(name, _)| Self::wants_hive(reading, name)) {
            if !carried.iter().any(|(known, _)| known == name) {
                let texts = std::iter::repeat_n(value.as_str(), ids.len()).collect();
                carried.push((name.clone(), Column::Texts(texts)));
            }
        }
        Ok((ids, carried))
    }
}
