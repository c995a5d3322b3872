//! Results of other programs, one object per item: JSON lists of objects, and the files of promptfoo, DeepEval, Langfuse and
//! AlpacaEval, which are recognised by their keys.

mod programs;

use std::cell::Cell as Counter;
use std::collections::HashMap;
use std::sync::Arc;

use serde::de::DeserializeSeed as _;

use super::json_lines::JsonLines;
use super::json_table::parse;
use super::json_value::{Json, Parse, Shape};
use super::rows::RowWriter;
use super::{Field, Kind, Loaded, Selection, Source};
use crate::error::{Error, Result, RowFault};
use crate::format::Format;
use crate::limits::{self, Budget};
use crate::offences::Offences;
use crate::reading::Reading;
use crate::text::TextFile;

/// The program that wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Promptfoo,
    DeepEval,
    Langfuse,
    AlpacaEval,
    /// Another one: a list of objects, whose keys are columns.
    Other,
}

impl Program {
    /// The program whose objects have these keys.
    pub(crate) fn of_keys<'a>(keys: impl Iterator<Item = &'a str>) -> Self {
        let keys: Vec<&str> = keys.collect();
        let has = |wanted: &[&str]| wanted.iter().all(|key| keys.contains(key));
        if has(&["testIdx", "promptIdx"]) {
            Self::Promptfoo
        } else if has(&["metricsData"]) || has(&["metrics_data"]) {
            Self::DeepEval
        } else if has(&["instruction", "preference"]) && (has(&["output_1"]) || has(&["generator_1"])) {
            Self::AlpacaEval
        } else if has(&["id", "input", "output"]) && (has(&["timestamp"]) || has(&["startTime"])) {
            Self::Langfuse
        } else {
            Self::Other
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Promptfoo => "promptfoo",
            Self::DeepEval => "DeepEval",
            Self::Langfuse => "Langfuse",
            Self::AlpacaEval => "AlpacaEval",
            Self::Other => "a list of objects",
        }
    }
}

/// One item: its columns by name, in the order of the file.
type Row = Vec<(String, Json)>;

/// A file whose items are in memory.
pub(crate) struct RecordsFile {
    fields: Vec<Field>,
    rows: Vec<Row>,
    note: Option<String>,
    budget: Arc<Budget>,
}

impl RecordsFile {
    /// Reads a JSON document: a list of objects, or an object that has one under a key that is known.
    pub(crate) fn open(text: &TextFile, reading: &Reading) -> Result<Self> {
        let spent = Counter::new(0);
        let document =
            parse(text, |parser| Parse::new(text.budget(), &spent, Shape::All).deserialize(parser))?;
        let Some(items) = items(document) else {
            return Err(Error::Unsupported {
                path: text.path().to_owned(),
                what: "no list of objects, no keys `columns` and `data`, and no keys of a log".to_owned(),
                way_out: "write a table as CSV, JSON Lines or Parquet",
            });
        };
        Self::of(text, items, reading)
    }

    /// Reads lines, one object each.
    pub(crate) fn open_lines(text: &TextFile, reading: &Reading) -> Result<Self> {
        let (mut lines, spent, mut items) = (JsonLines::open(text)?, Counter::new(0), Vec::new());
        while let Some((line, number)) = lines.next()? {
            let mut parser = serde_json::Deserializer::from_slice(line);
            let item = Parse::new(text.budget(), &spent, Shape::All).deserialize(&mut parser);
            items.push(item.and_then(|item| parser.end().map(|()| item)).map_err(|error| {
                Error::Damaged {
                    path: text.path().to_owned(),
                    format: Format::Jsonl,
                    reason: format!("line {number} {}", RowFault::not_an_object(&error)),
                }
            })?);
        }
        Self::of(text, items, reading)
    }

    fn of(text: &TextFile, items: Vec<Json>, reading: &Reading) -> Result<Self> {
        let path = || text.path().to_owned();
        if let Some(place) = items.iter().position(|item| !matches!(item, Json::Object(_))) {
            let reason = format!("item {place} of the list is not an object");
            return Err(Error::Damaged { path: path(), format: Format::Json, reason });
        }
        let Some(first) = items.first() else { return Err(Error::Empty { path: path() }) };
        let program = Program::of_keys(first.entries().iter().map(|(key, _)| key.as_str()));
        let made = match program {
            Program::Promptfoo => programs::promptfoo(items),
            Program::DeepEval => programs::deepeval(items),
            Program::Langfuse => programs::langfuse(items),
            Program::AlpacaEval => programs::alpaca_eval(items),
            Program::Other => items.into_iter().map(|item| (String::new(), flat(item))).collect(),
        };
        let mut rows = chosen(made, text, reading)?;
        if program == Program::Promptfoo {
            // Tests are written in the order in which they were done, which differs from run to run.
            rows.sort_by_key(|row| row.first().and_then(|(_, id)| id.cell().number()).map(f64::to_bits));
        }
        let fields = fields(&rows);
        if fields.len() > limits::COLUMNS {
            return Err(super::too_wide(text.path(), fields.len()));
        }
        let note = (program != Program::Other)
            .then(|| format!("{} is read as results of {}", text.path().display(), program.name()));
        Ok(Self { fields, rows, note, budget: Arc::clone(text.budget()) })
    }
}

/// Where the lists of objects are: promptfoo has results in results, DeepEval a run in the file of its last run.
const PATHS: [&[&str]; 6] = [
    &["results", "results"],
    &["results"],
    &["testRunData", "testCases"],
    &["testCases"],
    &["test_results"],
    &["data"],
];

/// The items of a document.
fn items(document: Json) -> Option<Vec<Json>> {
    if let Json::List(items) = document {
        return Some(items);
    }
    let is_there = |path: &&&[&str]| {
        let found = path.iter().try_fold(&document, |value, key| value.get(key));
        let items = found.and_then(Json::list).unwrap_or_default();
        !items.is_empty() && items.iter().all(|item| matches!(item, Json::Object(_)))
    };
    let path = PATHS.iter().find(is_there)?;
    match path.iter().fold(document, |mut value, key| value.take(key)) {
        Json::List(items) => Some(items),
        _ => None,
    }
}

/// The rows of one system, if the file has several.
fn chosen(made: Vec<(String, Row)>, text: &TextFile, reading: &Reading) -> Result<Vec<Row>> {
    let mut systems: Vec<String> = made.iter().map(|(system, _)| system.clone()).collect();
    systems.sort_unstable();
    systems.dedup();
    let path = || text.path().to_owned();
    let wanted = match (&reading.filter, systems.as_slice()) {
        (None, [_]) => None,
        (None, _) => return Err(Error::Filters { path: path(), filters: systems }),
        (Some(filter), _) if systems.contains(filter) => Some(filter),
        (Some(filter), _) => {
            return Err(Error::NoFilter { path: path(), filter: filter.clone(), filters: systems });
        }
    };
    let is_wanted = |system: &String| wanted.is_none_or(|wanted| wanted == system);
    Ok(made.into_iter().filter(|(system, _)| is_wanted(system)).map(|(_, row)| row).collect())
}

/// All columns, in the order in which they appear.
fn fields(rows: &[Row]) -> Vec<Field> {
    let (mut fields, mut places): (Vec<Field>, HashMap<&str, usize>) = (Vec::new(), HashMap::new());
    for (name, value) in rows.iter().flatten() {
        let kind = match value {
            Json::List(_) => Kind::List,
            _ => Kind::Cell,
        };
        match places.get(name.as_str()).and_then(|place| fields.get_mut(*place)) {
            Some(field) if kind == Kind::List => field.kind = kind,
            Some(_) => {}
            None => {
                places.insert(name, fields.len());
                fields.push(Field { name: name.clone(), kind });
            }
        }
    }
    fields
}

/// The columns of an object: nested objects get names with dots, and a list of one value is that value.
fn flat(item: Json) -> Row {
    let mut row = Vec::new();
    flatten(String::new(), item, &mut row);
    row
}

fn flatten(name: String, value: Json, row: &mut Row) {
    match value {
        Json::Object(entries) => {
            for (key, value) in entries {
                let name = if name.is_empty() { key } else { format!("{name}.{key}") };
                flatten(name, value, row);
            }
        }
        Json::List(mut items) => match items.len() {
            0 => row.push((name, Json::Null)),
            1 if !matches!(items.first(), Some(Json::Object(_) | Json::List(_))) => {
                row.push((name, items.pop().unwrap_or(Json::Null)));
            }
            _ if items.iter().all(|item| item.cell().number().is_some()) => {
                row.push((name, Json::List(items)))
            }
            _ => row.push((name, Json::Text(Json::List(items).to_string()))),
        },
        value => row.push((name, value)),
    }
}

/// A value in one cell: what is not single is its JSON.
fn single(value: Json) -> Json {
    match value {
        value @ (Json::Object(_) | Json::List(_)) => Json::Text(value.to_string()),
        value => value,
    }
}

impl Source for RecordsFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut writer = RowWriter::new(&self.fields, wanted, offences, &self.budget);
        let places: HashMap<&str, usize> =
            (0..).zip(&self.fields).map(|(at, field)| (field.name.as_str(), at)).collect();
        for row in &self.rows {
            writer.begin()?;
            for (name, value) in row {
                if let Some(at) = places.get(name.as_str()) {
                    writer.put(*at, &value.cell())?;
                }
            }
            if !writer.end()? {
                break;
            }
        }
        writer.finish()
    }

    fn note(&self) -> Option<String> {
        self.note.clone()
    }

    fn may_carry(&self, field: usize, _wanted: &Selection) -> bool {
        // Only single values, and nothing in which a verdict could be read.
        let hides = |name: &str| {
            ["score", "success", "reason", "metricsdata", "preference", "win", "annotator"]
                .iter()
                .any(|verdict| name.contains(verdict))
                || name.starts_with("assert")
        };
        let may = |field: &Field| field.kind == Kind::Cell && !hides(&field.name.to_ascii_lowercase());
        self.fields.get(field).is_some_and(|field| self.note.is_none() || may(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_by_their_keys() {
        let of = |keys: &[&str]| Program::of_keys(keys.iter().copied());
        assert_eq!(of(&["testIdx", "promptIdx", "success"]), Program::Promptfoo);
        assert_eq!(of(&["name", "input", "metricsData"]), Program::DeepEval);
        assert_eq!(of(&["instruction", "output_1", "preference"]), Program::AlpacaEval);
        assert_eq!(of(&["id", "timestamp", "input", "output", "quality"]), Program::Langfuse);
        assert_eq!(of(&["id", "timestamp", "text"]), Program::Other);
    }
}
