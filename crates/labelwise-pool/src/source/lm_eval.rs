//! Samples that lm-evaluation-harness logs: one JSON object for each document and filter.

use std::cell::Cell as Counter;
use std::collections::BTreeSet;

use serde::de::DeserializeSeed as _;

use super::cell::Cell;
use super::json_lines::JsonLines;
use super::json_value::{Json, Parse, Shape};
use super::rows::RowWriter;
use super::{Field, Kind, Loaded, Selection, Source, too_wide};
use crate::error::RowFault;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::{self, Budget};
use crate::offences::Offences;
use crate::predictions::softmax;
use crate::reading::Reading;
use crate::text::TextFile;

/// The keys by which a line is recognised.
pub(crate) const KEYS: [&str; 3] = ["doc_id", "filtered_resps", "target"];

/// Columns for answers in words and for probabilities of choices.
const ANSWER: &str = "answer";
const PROBABILITIES: &str = "probs";

/// A log whose filters, metrics and number of choices are known.
pub(crate) struct LmEvalFile {
    text: TextFile,
    fields: Vec<Field>,
    filter: Option<String>,
    choices: usize,
}

impl LmEvalFile {
    pub(crate) fn open(text: TextFile, reading: &Reading) -> Result<Self> {
        let mut lines = JsonLines::open(&text)?;
        let path = || text.path().to_owned();
        let mut filters = BTreeSet::new();
        let mut choices = 0;
        let mut fields: Vec<Field> = Vec::new();
        while let Some((line, number)) = lines.next()? {
            let row = Line::parse(line, text.budget()).map_err(|fault| Error::Damaged {
                path: path(),
                format: Format::LmEval,
                reason: format!("line {number} {fault}"),
            })?;
            filters.extend(row.value.get("filter").and_then(Json::text).map(str::to_owned));
            // Documents may differ in their number of choices; the missing ones have probability 0.
            choices = choices.max(log_likelihoods(&row.value).map_or(0, |choices| choices.len()));
            if fields.is_empty() {
                fields = fields_of(&row.value);
            }
        }
        if fields.is_empty() {
            return Err(Error::Empty { path: path() });
        }
        match &reading.filter {
            None if filters.len() > 1 => {
                let filters = filters.into_iter().collect();
                return Err(Error::Filters { path: path(), filters });
            }
            Some(filter) if !filters.contains(filter) => {
                return Err(Error::NoFilter {
                    path: path(),
                    filter: filter.clone(),
                    filters: filters.into_iter().collect(),
                });
            }
            _ => {}
        }
        if choices > limits::COLUMNS {
            return Err(too_wide(text.path(), choices));
        }
        // A single choice is the likelihood of a text, not a distribution.
        let (name, kind) = if choices >= 2 { (PROBABILITIES, Kind::List) } else { (ANSWER, Kind::Text) };
        fields.push(Field { name: name.to_owned(), kind });
        Ok(Self { text, fields, filter: reading.filter.clone(), choices })
    }

    fn cell<'a>(&self, row: &'a Json, field: &Field) -> Option<Cell<'a>> {
        match field.name.as_str() {
            PROBABILITIES if field.kind == Kind::List => {
                let mut logits = log_likelihoods(row)?;
                logits.resize(self.choices, f64::NEG_INFINITY);
                softmax(&mut logits);
                Some(Cell::List(logits))
            }
            ANSWER if field.kind == Kind::Text => match row.get("filtered_resps")? {
                Json::List(answers) => Some(answers.first()?.cell()),
                answer => Some(answer.cell()),
            },
            name => match name.strip_prefix("doc.") {
                Some(key) => row.get("doc")?.get(key).map(Json::cell),
                None => row.get(name).map(Json::cell),
            },
        }
    }
}

impl Source for LmEvalFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut lines = JsonLines::open(&self.text)?;
        let mut writer = RowWriter::new(&self.fields, wanted, offences, self.text.budget());
        while let Some((line, number)) = lines.next()? {
            let parsed = Line::parse(line, self.text.budget());
            let filter = parsed.as_ref().ok().and_then(|row| row.value.get("filter")?.text());
            if self.filter.as_deref().is_some_and(|wanted| filter != Some(wanted)) {
                continue;
            }
            writer.begin()?;
            writer.at_line(number);
            match parsed {
                Ok(row) => {
                    for (at, field) in self.fields.iter().enumerate() {
                        let cell = self.cell(&row.value, field).unwrap_or(Cell::Nothing);
                        writer.put(at, &cell)?;
                    }
                }
                Err(fault) => writer.refuse(|| fault),
            }
            if !writer.end()? {
                break;
            }
        }
        writer.finish()
    }

    fn answer_field(&self) -> Option<usize> {
        self.fields.iter().position(|field| field.name == ANSWER && field.kind == Kind::Text)
    }

    fn id_field(&self) -> Option<usize> {
        self.fields.iter().position(|field| field.name == "doc_id")
    }
}

/// An object whose memory is returned with it.
struct Line<'b> {
    value: Json,
    spent: Counter<u64>,
    budget: &'b Budget,
}

impl<'b> Line<'b> {
    fn parse(line: &[u8], budget: &'b Budget) -> Result<Self, RowFault> {
        let mut parsed = Self { value: Json::Null, spent: Counter::new(0), budget };
        let mut deserializer = serde_json::Deserializer::from_slice(line);
        let value = Parse::new(budget, &parsed.spent, Shape::All).deserialize(&mut deserializer);
        let value = value.and_then(|value| deserializer.end().map(|()| value));
        parsed.value = value.map_err(|error| RowFault::not_an_object(&error))?;
        match parsed.value {
            Json::Object(_) => Ok(parsed),
            _ => Err(RowFault::NotAnObject { reason: "expected an object".to_owned(), column: 1 }),
        }
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.spent.get());
    }
}

/// The columns of a log: what names the document, its texts, its label and its metrics.
fn fields_of(row: &Json) -> Vec<Field> {
    let field = |name: String, kind| Field { name, kind };
    let has = |key: &str| row.get(key).is_some();
    let plain = ["doc_id", "doc_hash", "target", "filter"].into_iter().filter(|key| has(key));
    let doc = row.get("doc").into_iter().flat_map(Json::entries).map(|(name, _)| name);
    let metrics = row.get("metrics").and_then(Json::list).into_iter().flatten().filter_map(Json::text);
    plain
        .map(|name| field(name.to_owned(), Kind::Cell))
        .chain(doc.map(|name| field(format!("doc.{name}"), Kind::Cell)))
        .chain(metrics.filter(|name| has(name)).map(|name| field(name.to_owned(), Kind::Score)))
        .collect()
}

/// Log-likelihoods of the choices, which the log spells as texts.
fn log_likelihoods(row: &Json) -> Option<Vec<f64>> {
    let choices = row.get("filtered_resps")?.list()?;
    choices.iter().map(|choice| choice.list()?.first()?.cell().number()).collect()
}
