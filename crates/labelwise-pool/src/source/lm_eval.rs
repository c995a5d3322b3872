//! Samples that lm-evaluation-harness logs: one JSON object for each document and filter.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::cell::Cell;
use super::json_lines::JsonLines;
use super::rows::RowWriter;
use super::{Field, Kind, Loaded, Selection, Source};
use crate::error::RowFault;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::offences::Offences;
use crate::predictions::softmax;
use crate::reading::Reading;

/// The keys by which a line is recognised.
pub(crate) const KEYS: [&str; 3] = ["doc_id", "filtered_resps", "target"];

/// Columns for answers in words and for probabilities of choices.
const ANSWER: &str = "answer";
const PROBABILITIES: &str = "probs";

/// A log whose filters, metrics and number of choices are known.
pub(crate) struct LmEvalFile {
    path: PathBuf,
    fields: Vec<Field>,
    filter: Option<String>,
    choices: usize,
}

impl LmEvalFile {
    pub(crate) fn open(path: &Path, reading: &Reading) -> Result<Self> {
        let mut lines = JsonLines::open(path)?;
        let mut filters = BTreeSet::new();
        let mut choices = 0;
        let mut fields: Vec<Field> = Vec::new();
        while let Some((line, number)) = lines.next()? {
            let row = parse(line).map_err(|fault| Error::Damaged {
                path: path.to_owned(),
                format: Format::LmEval,
                reason: format!("line {number} {fault}"),
            })?;
            filters.extend(row.get("filter").and_then(Value::as_str).map(str::to_owned));
            // Documents may differ in their number of choices; the missing ones have probability 0.
            choices = choices.max(log_likelihoods(&row).map_or(0, |choices| choices.len()));
            if fields.is_empty() {
                fields = fields_of(&row);
            }
        }
        if fields.is_empty() {
            return Err(Error::Empty { path: path.to_owned() });
        }
        match &reading.filter {
            None if filters.len() > 1 => {
                let filters = filters.into_iter().collect();
                return Err(Error::Filters { path: path.to_owned(), filters });
            }
            Some(filter) if !filters.contains(filter) => {
                return Err(Error::NoFilter {
                    path: path.to_owned(),
                    filter: filter.clone(),
                    filters: filters.into_iter().collect(),
                });
            }
            _ => {}
        }
        // A single choice is the likelihood of a text, not a distribution.
        let (name, kind) = if choices >= 2 { (PROBABILITIES, Kind::List) } else { (ANSWER, Kind::Text) };
        fields.push(Field { name: name.to_owned(), kind });
        Ok(Self { path: path.to_owned(), fields, filter: reading.filter.clone(), choices })
    }

    fn cell<'a>(&self, row: &'a Map<String, Value>, field: &Field) -> Option<Cell<'a>> {
        match field.name.as_str() {
            PROBABILITIES if field.kind == Kind::List => {
                let mut logits = log_likelihoods(row)?;
                logits.resize(self.choices, f64::NEG_INFINITY);
                softmax(&mut logits);
                Some(Cell::List(logits))
            }
            ANSWER if field.kind == Kind::Text => match row.get("filtered_resps")? {
                Value::Array(answers) => Some(cell_of(answers.first()?)),
                answer => Some(cell_of(answer)),
            },
            name => match name.strip_prefix("doc.") {
                Some(key) => row.get("doc")?.get(key).map(cell_of),
                None => row.get(name).map(cell_of),
            },
        }
    }
}

impl Source for LmEvalFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut lines = JsonLines::open(&self.path)?;
        let mut writer = RowWriter::new(&self.fields, wanted, offences);
        while let Some((line, number)) = lines.next()? {
            let parsed = parse(line);
            let filter = parsed.as_ref().ok().and_then(|row| row.get("filter")?.as_str());
            if self.filter.as_deref().is_some_and(|wanted| filter != Some(wanted)) {
                continue;
            }
            writer.begin()?;
            writer.at_line(number);
            match parsed {
                Ok(row) => {
                    for (at, field) in self.fields.iter().enumerate() {
                        let cell = self.cell(&row, field).unwrap_or(Cell::Nothing);
                        writer.put(at, &cell)?;
                    }
                }
                Err(fault) => writer.refuse(|| fault),
            }
            if !writer.end()? {
                break;
            }
        }
        Ok(writer.finish())
    }

    fn answer_field(&self) -> Option<usize> {
        self.fields.iter().position(|field| field.name == ANSWER && field.kind == Kind::Text)
    }

    fn id_field(&self) -> Option<usize> {
        self.fields.iter().position(|field| field.name == "doc_id")
    }
}

fn parse(line: &[u8]) -> Result<Map<String, Value>, RowFault> {
    serde_json::from_slice(line).map_err(|error| RowFault::not_an_object(&error))
}

/// The columns of a log: what names the document, its texts, its label and its metrics.
fn fields_of(row: &Map<String, Value>) -> Vec<Field> {
    let field = |name: String, kind| Field { name, kind };
    let plain = ["doc_id", "doc_hash", "target", "filter"].into_iter().filter(|key| row.contains_key(*key));
    let doc = row.get("doc").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let metrics =
        row.get("metrics").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    plain
        .map(|name| field(name.to_owned(), Kind::Cell))
        .chain(doc.map(|name| field(format!("doc.{name}"), Kind::Cell)))
        .chain(metrics.filter(|name| row.contains_key(*name)).map(|name| field(name.to_owned(), Kind::Score)))
        .collect()
}

/// Log-likelihoods of the choices, which the log spells as texts.
fn log_likelihoods(row: &Map<String, Value>) -> Option<Vec<f64>> {
    let choices = row.get("filtered_resps")?.as_array()?;
    choices.iter().map(|choice| cell_of(choice.as_array()?.first()?).number()).collect()
}

fn cell_of(value: &Value) -> Cell<'_> {
    match value {
        Value::Null => Cell::Nothing,
        Value::Bool(truth) => Cell::Truth(*truth),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Cell::Integer(whole),
            None => Cell::Number(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Cell::Text(Cow::Borrowed(text)),
        Value::Array(items) => {
            Cell::List(items.iter().map(|item| cell_of(item).number().unwrap_or(f64::NAN)).collect())
        }
        Value::Object(_) => Cell::Other,
    }
}
