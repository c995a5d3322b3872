//! A pool in many files: a folder of Parquet files, or a pattern such as `scores/dt=*/part-*.parquet`.
//!
//! Folders named `column=value` give every item of their files a passthrough column, as Hive, Spark and DuckDB do.

use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use labelwise::words::natural;

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

/// The folder of rows without a value in Hive.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// Names of the files that programs leave next to their output.
fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_'])
}

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
            for path in matching(pattern)? {
                if path.is_dir() { within(&path, &mut files)? } else { files.push(path) }
            }
            if files.is_empty() {
                return Err(Error::NoFiles { pattern: pattern.to_owned() });
            }
        } else if pattern.is_dir() {
            within(pattern, &mut files)?;
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

/// The parts of a file; none but the whole for formats other than Parquet.
fn parts(path: &Path, reading: &Reading) -> Result<Vec<Option<Range<usize>>>> {
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

fn part(path: &Path, reading: &Reading, groups: Option<Range<usize>>) -> Result<PoolTable> {
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
    path: PathBuf,
    /// Row groups of a Parquet file; none for a whole file of another format.
    groups: Option<Range<usize>>,
    hive: Vec<(String, String)>,
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

/// The columns that the names of folders give, with their value.
fn hive_columns(path: &Path) -> Vec<(String, String)> {
    let folders = path.parent().into_iter().flat_map(Path::components);
    let columns = folders.filter_map(|folder| match folder {
        Component::Normal(name) => name.to_str()?.split_once('='),
        _ => None,
    });
    let value = |value: &str| if value == NO_VALUE { String::new() } else { decoded(value) };
    columns.map(|(name, text)| (decoded(name), value(text))).collect()
}

/// A text whose special bytes are written as % and two hexadecimal digits.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code =
            after.get(..2).and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        (bytes, rest) = match (byte, code) {
            (b'%', Some(code)) => ([bytes, vec![code]].concat(), after.get(2..).unwrap_or_default()),
            _ => ([bytes, vec![byte]].concat(), after),
        };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The names in a folder that are not hidden.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::File { path: folder.to_owned(), source };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if !path.file_name().is_none_or(|name| is_hidden(&name.to_string_lossy())) {
            entries.push(path);
        }
    }
    Ok(entries)
}

/// The Parquet files of a folder and its folders.
fn within(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for path in entries(folder)? {
        if path.is_dir() {
            within(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "parquet") {
            files.push(path);
        }
    }
    Ok(())
}

/// The files and folders that match a pattern.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let name = part.as_os_str().to_string_lossy();
        if !name.contains(['*', '?']) {
            found.iter_mut().for_each(|path| path.push(part));
            found.retain(|path| path.exists());
            continue;
        }
        let mut next = Vec::new();
        for folder in found {
            let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
            if folder.is_dir() {
                let fits = |path: &PathBuf| {
                    path.file_name().is_some_and(|file| fits(&name, &file.to_string_lossy()))
                };
                next.extend(entries(&folder)?.into_iter().filter(fits));
            }
        }
        found = next;
    }
    Ok(found)
}

/// Whether a name fits a pattern with `*` (any characters) and `?` (one).
fn fits(pattern: &str, name: &str) -> bool {
    let mut places = vec![true];
    let name: Vec<char> = name.chars().collect();
    places.resize(name.len() + 1, false);
    for wanted in pattern.chars() {
        let mut next = vec![false; name.len() + 1];
        let mut any = false;
        for (place, fits) in places.iter().enumerate() {
            any |= *fits;
            let (here, after) = match wanted {
                '*' => (any, false),
                '?' => (false, *fits),
                letter => (false, *fits && name.get(place) == Some(&letter)),
            };
            if let Some(slot) = next.get_mut(place) {
                *slot |= here;
            }
            if let Some(slot) = next.get_mut(place + 1) {
                *slot |= after;
            }
        }
        places = next;
    }
    places.last().copied().unwrap_or_default()
}

impl PoolTable {
    /// The same with the columns that the names of folders give. A column of the file with the same name stays.
    fn with_hive(mut self, hive: &[(String, String)]) -> Self {
        for (name, value) in hive {
            if !self.carried.iter().any(|(known, _)| known == name) {
                let texts = std::iter::repeat_n(value.as_str(), self.rows()).collect();
                self.carried.push((name.clone(), Column::Texts(texts)));
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_within_a_name() {
        for (pattern, name, does) in [
            ("part-*.parquet", "part-00.parquet", true),
            ("part-*.parquet", "part-.parquet", true),
            ("part-*.parquet", "part-1.csv", false),
            ("*", "", true),
            ("a*b*c", "aXbYbc", true),
            ("a*b*c", "aXcYb", false),
            ("dt=2026-1?-*", "dt=2026-11-03", true),
            ("?", "é", true),
            ("?", "", false),
        ] {
            assert_eq!(fits(pattern, name), does, "{pattern} {name}");
        }
    }

    #[test]
    fn folders_name_columns() {
        let columns = hive_columns(Path::new(
            "scores/dt=2026-11-01/country=C%C3%B4te/none=__HIVE_DEFAULT_PARTITION__/x=y.csv",
        ));
        let expected = [("dt", "2026-11-01"), ("country", "Côte"), ("none", "")];
        assert_eq!(columns, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
