//! A pool in many files: a folder of Parquet files, or a pattern such as `scores/dt=*/part-*.parquet`.
//!
//! Folders named `column=value` give every item of their files a passthrough column, as Hive, Spark and DuckDB do.

mod hive;
mod part;
mod pattern;

use std::fs;
use std::path::{Path, PathBuf};

use labelwise::words::natural;

use crate::error::{Error, Result};
use crate::reading::Reading;
use crate::table::PoolTable;
use hive::hive_columns;
pub use part::{Carried, FilePart};
use part::{part, parts};

/// The files of a pool, in natural order of their paths.
#[derive(Debug, Clone)]
pub struct PoolFiles {
    pattern: PathBuf,
    files: Vec<PathBuf>,
}

impl PoolFiles {
    /// The Parquet files of a folder, or the files that match a pattern. `None` for any other path. `*` and `?` in a pattern match
    /// within a name; names that begin with a dot or `_` are left out.
    ///
    /// ```
    /// use labelwise_pool::{PoolFiles, Reading};
    /// # let folder = tempfile::tempdir()?;
    /// for (day, id) in [("1", "a"), ("2", "b")] {
    ///     let day = folder.path().join(format!("dt={day}"));
    ///     std::fs::create_dir(&day)?;
    ///     std::fs::write(day.join("part-0.csv"), format!("id,prob_cat,prob_dog\n{id},0.9,0.1\n"))?;
    /// }
    /// let files = PoolFiles::find(&folder.path().join("dt=*/part-*.csv"))?.unwrap();
    /// let pool = files.open(&Reading::new())?;
    /// assert_eq!(pool.rows(), 2);
    /// assert_eq!(pool.carried[0].1.text(1).as_deref(), Some("2")); // The column dt.
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(pattern: &Path) -> Result<Option<Self>> {
        let mut files = Vec::new();
        if pattern.to_string_lossy().contains(['*', '?']) && !pattern.exists() {
            for path in pattern::matching(pattern)? {
                if path.is_dir() { pattern::within(&path, &mut files)? } else { files.push(path) }
            }
            if files.is_empty() {
                return Err(Error::NoFiles { pattern: pattern.to_owned() });
            }
        } else if pattern.is_dir() {
            pattern::within(pattern, &mut files)?;
            if files.is_empty() {
                // A folder of anything else is not a pool.
                return Ok(None);
            }
        } else {
            return Ok(None);
        }
        files.sort_by(|one, other| natural(&one.to_string_lossy(), &other.to_string_lossy()));
        Ok(Some(Self { pattern: pattern.to_owned(), files }))
    }

    /// The pool as one table.
    pub fn open(&self, reading: &Reading) -> Result<PoolTable> {
        let mut parts = Vec::new();
        self.each_part(reading, |part| {
            parts.push(part);
            Ok::<_, Error>(())
        })?;
        PoolTable::stacked(&self.pattern, parts)
    }

    /// Passes on the parts of the pool in order: some row groups of a Parquet file, or a whole file of another format. Files
    /// without rows are passed over.
    pub fn each_part<E: From<Error>>(
        &self,
        reading: &Reading,
        mut with: impl FnMut(PoolTable) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut carry: Option<Reading> = None;
        for path in &self.files {
            let hive = hive_columns(path);
            for range in parts(path, reading)? {
                let part = match part(path, carry.as_ref().unwrap_or(reading), range) {
                    Err(Error::Empty { .. }) => continue,
                    part => part?,
                };
                // Every part has the passthrough columns of the first.
                carry.get_or_insert_with(|| {
                    reading.carrying(part.carried.iter().map(|(name, _)| name.clone()))
                });
                with(part.with_hive(&hive))?;
            }
        }
        if carry.is_none() {
            return Err(Error::Empty { path: self.pattern.clone() }.into());
        }
        Ok(())
    }
}

impl PoolFiles {
    /// The files of a folder or a pattern as [`find`](Self::find) does, or the one file of any other path.
    pub fn every(path: &Path) -> Result<Self> {
        match Self::find(path)? {
            Some(files) => Ok(files),
            None => Ok(Self { pattern: path.to_owned(), files: vec![path.to_owned()] }),
        }
    }

    /// The folder, the pattern or the file.
    pub fn pattern(&self) -> &Path {
        &self.pattern
    }

    /// Size of all files together.
    pub fn bytes(&self) -> Result<u64> {
        self.files.iter().try_fold(0, |sum: u64, path| {
            let size =
                fs::metadata(path).map_err(|source| Error::File { path: path.to_owned(), source })?.len();
            Ok(sum.saturating_add(size))
        })
    }

    /// The parts of the pool in order. The footers of Parquet files are read.
    pub fn file_parts(&self, reading: &Reading) -> Result<Vec<FilePart>> {
        let mut all = Vec::new();
        for path in &self.files {
            let hive = hive_columns(path);
            all.extend(parts(path, reading)?.into_iter().map(|groups| FilePart {
                path: path.clone(),
                groups,
                hive: hive.clone(),
            }));
        }
        Ok(all)
    }
}
