//! Results of other models in files of their own: tables, and logs of evaluations. Items are matched by id.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::column::Column;
use crate::content;
use crate::error::{Error, MatchError, Purpose, Result};
use crate::families;
use crate::format::Format;
use crate::ids::Ids;
use crate::limits::Budget;
use crate::offences::Offences;
use crate::reading::Reading;
use crate::rivals::Unmatched;
use crate::source::{self, Empty, Field, Kind, SelectedColumn, Selection};
use crate::table::PoolTable;

/// Columns of verdicts, in the files of programs that have several.
const VERDICTS: [&str; 2] = ["win", "success"];

/// Columns that are never results.
const NOT_RESULTS: [&str; 10] =
    ["label", "labels", "target", "truth", "gold", "epoch", "order", "index", "doc_id", "doc_hash"];

/// Whether a history is named by its file: `FILE`, `FILE:COLUMNS`, or either with a `*` in the name of the file.
pub(crate) fn is_file(pattern: &str) -> bool {
    let (file, _) = split(pattern);
    Format::of(Path::new(file)).is_ok()
}

/// The file and the columns of a pattern. A colon can also be a part of the file's name.
fn split(pattern: &str) -> (&str, Option<&str>) {
    match pattern.rsplit_once(':') {
        Some((file, columns))
            if Format::of(Path::new(pattern)).is_err() && Format::of(Path::new(file)).is_ok() =>
        {
            (file, Some(columns))
        }
        _ => (pattern, None),
    }
}

/// The files that a pattern names, in the order of their names. One without a `*` is a file, whether it exists or not.
fn files(pattern: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(pattern);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !name.contains('*') || path.exists() {
        return Ok(vec![path.to_owned()]);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let at_folder = |source| Error::File { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(at_folder)? {
        let entry = entry.map_err(at_folder)?.path();
        let fits = entry.file_name().and_then(|entry| entry.to_str()).is_some_and(|entry| fits(name, entry));
        if fits && entry.is_file() {
            found.push(entry);
        }
    }
    found.sort();
    if found.is_empty() {
        let source = std::io::Error::new(std::io::ErrorKind::NotFound, "no file has such a name");
        return Err(Error::File { path: path.to_owned(), source });
    }
    Ok(found)
}

/// Whether a name fits a pattern, in which each `*` is any text.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.is_empty()
}

impl PoolTable {
    /// Adds the results of other models in the files that the histories of a reading name.
    pub(crate) fn with_history_files(mut self, reading: &Reading) -> Result<Self> {
        for pattern in reading.history.iter().filter(|pattern| is_file(pattern)) {
            let (file, columns) = split(pattern);
            for path in files(file)? {
                self = self.with_history(&path, columns, reading)?;
            }
        }
        Ok(self)
    }

    fn with_history(mut self, path: &Path, columns: Option<&str>, reading: &Reading) -> Result<Self> {
        let found = results(path, columns, reading)?;
        let other = Self {
            ids: found.ids,
            path: path.to_owned(),
            ..Self::new(crate::Predictions::Scores(vec![0.0; found.rows]))
        };
        let rows = self.matched(&other, Unmatched::Dropped).map_err(|error| match error {
            Error::Match(MatchError::NothingCommon { here, there }) => {
                let first = |ids: &Ids| ids.get(0).unwrap_or_default();
                let (own, theirs) = (first(&self.ids), first(&other.ids));
                Error::HistoryIds { here, there, own, theirs }
            }
            other => other,
        })?;
        let known = rows.iter().flatten().count();
        if known < rows.len() {
            self.notes.push(format!(
                "{} has results of {known} of the {} items; the others count as unknown",
                path.display(),
                rows.len()
            ));
        }
        let extra = found.rows - known;
        if extra > 0 {
            let file = path.display();
            self.notes.push(match extra {
                1 => format!("1 item of {file} is ignored, because the pool does not have it"),
                _ => format!("{extra} items of {file} are ignored, because the pool does not have them"),
            });
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let alone = found.models.len() == 1;
        let models = found.models.into_iter().map(|(name, column)| {
            let name = if alone { stem.clone() } else { format!("{stem}:{name}") };
            (name, column.joined(&rows))
        });
        if let Some(judged) = &mut self.judged {
            judged.history.extend(models);
        }
        self.take_notes(found.notes);
        Ok(self)
    }
}

/// What a file says of other models.
struct Results {
    rows: usize,
    ids: Ids,
    models: Vec<(String, Column)>,
    notes: Vec<String>,
}

fn results(path: &Path, columns: Option<&str>, reading: &Reading) -> Result<Results> {
    let at_file = |source| Error::File { path: path.to_owned(), source };
    // Grades are results here, whatever else the reading takes them for.
    let reading = &Reading { judges: Vec::new(), history: Vec::new(), ..reading.clone() };
    let bytes = std::fs::metadata(path).map_err(at_file)?.len();
    let budget = Arc::new(Budget::of_file(path, bytes));
    let (format, note) = content::recognise(path, None, &budget)?;
    let read = || -> Result<Results> {
        let mut source = source::open(path, format, reading, &budget)?;
        let fields = source.fields().to_vec();
        source::check_names(path, &fields)?;
        let named = reading.ids.as_ref().and_then(|name| fields.iter().position(|field| field.name == *name));
        let id = named.or_else(|| source.id_field());
        let sure = columns.is_some();
        let chosen = match columns {
            Some(pattern) if pattern.contains('*') => families::matching(pattern, &fields).fields,
            Some(name) => vec![families::place(path, &fields, name, Purpose::History)?],
            None => candidates(path, &fields, id)?,
        };
        let column = |field, empty| SelectedColumn { field, empty };
        let mut wanted = Selection::default();
        wanted.columns.extend(id.map(|field| column(field, Empty::Refused)));
        wanted.columns.extend(chosen.iter().map(|&field| column(field, Empty::Kept)));
        let mut offences = Offences::default();
        let loaded = source.read(&wanted, &mut offences)?;
        let mut read = loaded.columns.into_iter();
        let ids = match id {
            Some(_) => Ids::Column(read.next().unwrap_or_default()),
            None => Ids::Rows(loaded.rows),
        };
        ids.note_twins(&loaded.places, &mut offences);
        if !offences.is_empty() {
            return Err(crate::assemble::refusal(path, offences, &loaded.places));
        }
        let names = chosen.iter().filter_map(|&at| Some(fields.get(at)?.name.clone()));
        let mut models: Vec<(String, Column)> = names.zip(read).collect();
        if !sure && models.len() > 1 {
            models.retain(|(_, column)| is_numbers(column));
        }
        if models.is_empty() {
            let columns = fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>().join(", ");
            return Err(Error::NoResults { path: path.to_owned(), columns });
        }
        let notes = source.note().into_iter().chain(note.clone()).collect();
        Ok(Results { rows: loaded.rows, ids, models, notes })
    };
    read().map_err(|error| budget.explain(error))
}

/// The columns that can be results: the score of a log, the verdict of a program's results, or every column of a table that
/// is not something else.
fn candidates(path: &Path, fields: &[Field], id: Option<usize>) -> Result<Vec<usize>> {
    let places = |of: &dyn Fn(&Field) -> bool| -> Vec<usize> {
        fields
            .iter()
            .enumerate()
            .filter(|(at, field)| Some(*at) != id && of(field))
            .map(|(at, _)| at)
            .collect()
    };
    let scores = places(&|field| field.kind == Kind::Score);
    match scores.as_slice() {
        [_] => return Ok(scores),
        [] => {}
        _ => {
            let names = scores.iter().filter_map(|&at| Some(fields.get(at)?.name.clone())).collect();
            return Err(Error::ManyResults { path: path.to_owned(), names });
        }
    }
    for verdict in VERDICTS {
        let found = places(&|field| field.name == verdict);
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let may = |field: &Field| {
        matches!(field.kind, Kind::Single | Kind::Number | Kind::Cell | Kind::Text)
            && !NOT_RESULTS.contains(&field.name.to_ascii_lowercase().as_str())
    };
    Ok(places(&may))
}

/// Whether all values are numbers or missing, and at least one is there.
fn is_numbers(column: &Column) -> bool {
    let mut any = false;
    let number = |row: usize| match column.number(row) {
        Some(_) => Some(true),
        None if column.text(row).is_none_or(|text| text.trim().is_empty()) => Some(false),
        None => None,
    };
    (0..column.len()).all(|row| {
        number(row).is_some_and(|known| {
            any |= known;
            true
        })
    }) && any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_columns_are_told_apart() {
        assert!(is_file("old.csv") && is_file("runs/*.eval") && is_file("m.csv:m_*") && is_file("a:b.jsonl"));
        assert!(!is_file("m_*") && !is_file("gpt4") && !is_file("m:x"));
        assert_eq!(split("m.csv:m_*"), ("m.csv", Some("m_*")));
        assert_eq!(split("c:x.csv"), ("c:x.csv", None));
    }

    #[test]
    fn stars_are_any_text() {
        assert!(fits("*.eval", "a.eval") && fits("run*_v*.json", "run_1_v2.json") && fits("a*", "a"));
        assert!(!fits("*.eval", "a.json") && !fits("a*b", "ab.c") && !fits("ab*ba", "aba"));
    }
}
