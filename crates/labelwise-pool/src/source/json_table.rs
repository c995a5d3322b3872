//! Tables `{"columns": [...], "data": [[...], ...]}`, as MLflow and W&B write them; and which other kind a JSON file is.

use std::fmt;
use std::io::{BufReader, Read};

use serde::de::{Deserialize, DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;

use super::cell::Cell;
use super::inspect::InspectFile;
use super::records::RecordsFile;
use super::rows::RowWriter;
use super::{Field, Kind, Loaded, Selection, Source};
use crate::error::RowFault;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits;
use crate::offences::Offences;
use crate::reading::Reading;
use crate::text::{START, TextFile, peek};

/// A table whose columns are known.
pub(crate) struct JsonTable {
    text: TextFile,
    fields: Vec<Field>,
}

/// Opens a JSON file as a table, as a log or as a list of objects, by its keys.
pub(crate) fn open(text: TextFile, reading: &Reading) -> Result<Box<dyn Source>> {
    let start = peek(text.open()?.as_mut(), START)
        .map_err(|source| Error::File { path: text.path().to_owned(), source })?;
    if start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Ok(Box::new(RecordsFile::open(&text, reading)?));
    }
    let keys = parse(&text, |deserializer| deserializer.deserialize_map(Keys::default()))?;
    if keys.samples && keys.eval {
        return Ok(Box::new(InspectFile::open_json(&text, reading)?));
    }
    match keys.columns {
        Some(columns) if keys.data => {
            let fields = columns.into_iter().map(|name| Field { name, kind: Kind::Cell }).collect();
            Ok(Box::new(JsonTable { text, fields }))
        }
        _ => Ok(Box::new(RecordsFile::open(&text, reading)?)),
    }
}

impl Source for JsonTable {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut writer = RowWriter::new(&self.fields, wanted, offences, self.text.budget());
        let mut failed = Ok(());
        let rows = Data { writer: &mut writer, columns: self.fields.len(), failed: &mut failed };
        parse(&self.text, |deserializer| deserializer.deserialize_map(rows))?;
        failed?;
        writer.finish()
    }
}

pub(super) type FileDeserializer = Deserializer<serde_json::de::IoRead<BufReader<Box<dyn Read>>>>;

/// Reads a whole file as one JSON value, in pieces.
pub(super) fn parse<T>(
    text: &TextFile,
    value: impl FnOnce(&mut FileDeserializer) -> serde_json::Result<T>,
) -> Result<T> {
    let mut deserializer = Deserializer::from_reader(BufReader::with_capacity(1 << 16, text.document()?));
    value(&mut deserializer).and_then(|value| deserializer.end().map(|()| value)).map_err(|error| {
        Error::Damaged { path: text.path().to_owned(), format: Format::Json, reason: error.to_string() }
    })
}

/// The top level of the file.
#[derive(Default)]
struct Keys {
    columns: Option<Vec<String>>,
    data: bool,
    samples: bool,
    eval: bool,
}

impl<'de> Visitor<'de> for Keys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> std::result::Result<Self, A::Error> {
        while let Some(key) = entries.next_key::<String>()? {
            if key == "columns" {
                // W&B numbers its columns when it has no names for them.
                let Names(names) = entries.next_value()?;
                self.columns = Some(names);
                continue;
            }
            match key.as_str() {
                "data" => self.data = true,
                "samples" => self.samples = true,
                "eval" => self.eval = true,
                _ => {}
            }
            entries.next_value::<IgnoredAny>()?;
        }
        Ok(self)
    }
}

/// The names of columns, and of one more than a file may have.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_seq(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Names {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of names")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut names: A) -> std::result::Result<Self, A::Error> {
        while let Some(name) = names.next_element::<Cell<'de>>()? {
            if self.0.len() <= limits::COLUMNS {
                self.0.push(match name {
                    Cell::Text(text) => text.into_owned(),
                    cell => cell.number().map(|number| number.to_string()).unwrap_or_default(),
                });
            }
        }
        Ok(self)
    }
}

/// Reads the rows under the key `data`.
struct Data<'w, 'a> {
    writer: &'w mut RowWriter<'a>,
    columns: usize,
    failed: &'w mut Result<()>,
}

impl<'de> Visitor<'de> for Data<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> std::result::Result<(), A::Error> {
        while let Some(key) = entries.next_key::<String>()? {
            if key == "data" {
                entries.next_value_seed(Rows(&mut self))?;
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

struct Rows<'d, 'w, 'a>(&'d mut Data<'w, 'a>);

impl<'de> DeserializeSeed<'de> for Rows<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> std::result::Result<(), A::Error> {
        while rows.next_element_seed(Row(self.0))?.is_some() {
            let ended = self.0.writer.end();
            if !matches!(ended, Ok(true)) || self.0.failed.is_err() {
                if let Err(error) = ended {
                    *self.0.failed = Err(error);
                }
                while rows.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(());
            }
        }
        Ok(())
    }
}

struct Row<'d, 'w, 'a>(&'d mut Data<'w, 'a>);

impl<'de> DeserializeSeed<'de> for Row<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> std::result::Result<(), A::Error> {
        let Data { writer, columns, failed } = self.0;
        let mut done = writer.begin();
        let mut found = 0;
        while let Some(cell) = cells.next_element::<Cell<'de>>()? {
            if done.is_ok() {
                done = writer.put(found, &cell);
            }
            found += 1;
        }
        if found != *columns {
            writer.refuse(|| RowFault::Width { parts: "values", found, named: *columns });
        }
        if done.is_err() {
            **failed = done;
        }
        Ok(())
    }
}
