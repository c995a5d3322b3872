//! JSON Lines: one object per item; the first line names the columns.

use std::collections::HashMap;

use serde::de::Deserializer as _;
use serde_json::Deserializer;

use super::cell::Cell;
use super::json_cell::{Entries, TakeEntries};
use super::json_lines::JsonLines;
use super::lm_eval::{self, LmEvalFile};
use super::records::{Program, RecordsFile};
use super::rows::RowWriter;
use super::{Field, Kind, Loaded, Selection, Source};
use crate::error::RowFault;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits;
use crate::offences::Offences;
use crate::reading::Reading;
use crate::text::TextFile;

/// A file of JSON Lines whose first line is known.
pub(crate) struct JsonlFile {
    text: TextFile,
    fields: Vec<Field>,
}

/// Opens a file as plain lines, or as a log if its keys are those of one.
pub(crate) fn open(text: TextFile, reading: &Reading) -> Result<Box<dyn Source>> {
    let mut lines = JsonLines::open(&text)?;
    let path = || text.path().to_owned();
    let Some((line, number)) = lines.next()? else { return Err(Error::Empty { path: path() }) };
    let mut fields = FirstLine(Vec::new());
    Deserializer::from_slice(line).deserialize_map(Entries(&mut fields)).map_err(|error| Error::Damaged {
        path: path(),
        format: Format::Jsonl,
        reason: format!("line {number} {}", RowFault::not_an_object(&error)),
    })?;
    let FirstLine(fields) = fields;
    if lm_eval::KEYS.iter().all(|key| fields.iter().any(|field| field.name == *key)) {
        return Ok(Box::new(LmEvalFile::open(text, reading)?));
    }
    if Program::of_keys(fields.iter().map(|field| field.name.as_str())) != Program::Other {
        return Ok(Box::new(RecordsFile::open_lines(&text, reading)?));
    }
    Ok(Box::new(JsonlFile { text, fields }))
}

impl Source for JsonlFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut lines = JsonLines::open(&self.text)?;
        let mut writer = RowWriter::new(&self.fields, wanted, offences, self.text.budget());
        let places: HashMap<&str, usize> =
            (0..).zip(&self.fields).map(|(at, field)| (field.name.as_str(), at)).collect();
        while let Some((line, number)) = lines.next()? {
            writer.begin()?;
            writer.at_line(number);
            let mut row = Row { writer: &mut writer, places: &places, done: Ok(()) };
            let mut deserializer = Deserializer::from_slice(line);
            let parsed = deserializer.deserialize_map(Entries(&mut row)).and_then(|()| deserializer.end());
            row.done?;
            if let Err(error) = parsed {
                writer.refuse(|| RowFault::not_an_object(&error));
            }
            if !writer.end()? {
                break;
            }
        }
        writer.finish()
    }
}

/// Learns the columns.
struct FirstLine(Vec<Field>);

impl TakeEntries for FirstLine {
    fn wants(&self, _key: &str) -> bool {
        // One column more than a file may have is enough to refuse it.
        self.0.len() <= limits::COLUMNS
    }

    fn take(&mut self, key: &str, cell: &Cell<'_>) {
        let kind = match cell {
            Cell::List(_) => Kind::List,
            Cell::Other => Kind::Other,
            _ => Kind::Cell,
        };
        self.0.push(Field { name: key.to_owned(), kind });
    }
}

/// Takes the values of a line.
struct Row<'w, 'a> {
    writer: &'w mut RowWriter<'a>,
    places: &'w HashMap<&'w str, usize>,
    done: Result<()>,
}

impl TakeEntries for Row<'_, '_> {
    fn wants(&self, key: &str) -> bool {
        self.places.get(key).is_some_and(|&field| self.writer.wants(field))
    }

    fn take(&mut self, key: &str, cell: &Cell<'_>) {
        if let (Some(&field), Ok(())) = (self.places.get(key), &self.done) {
            self.done = self.writer.put(field, cell);
        }
    }
}
