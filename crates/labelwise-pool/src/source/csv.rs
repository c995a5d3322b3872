//! Separated values: a line of names, then records.

use std::borrow::Cow;
use std::cell::Cell as Counter;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::cell::Cell;
use super::rows::RowWriter;
use super::{Field, Kind, Loaded, Selection, Source, too_wide};
use crate::error::RowFault;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::{self, Budget};
use crate::offences::Offences;
use crate::text::{RecordLines, START, TextFile, delimiter, peek};

/// Maximum number of delimiters in a record: the reader keeps the place of each.
const DELIMITERS: u64 = 4 << 20;

/// A text file of separated values, read up to the names of its columns.
pub(crate) struct CsvFile {
    path: PathBuf,
    format: Format,
    delimiter: u8,
    reader: csv::Reader<Metered>,
    left: Rc<Left>,
    lines: RecordLines,
    fields: Vec<Field>,
    budget: Arc<Budget>,
}

/// What a record may still hold.
#[derive(Debug)]
struct Left {
    bytes: Counter<u64>,
    delimiters: Counter<u64>,
}

impl Left {
    fn reset(&self) {
        self.bytes.set(limits::LINE);
        self.delimiters.set(DELIMITERS);
    }
}

/// Limits the length of a record.
struct Metered {
    bytes: Box<dyn Read>,
    delimiter: u8,
    left: Rc<Left>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        let piece = buffer.get(..read).unwrap_or_default();
        let delimiters = piece.iter().filter(|&&byte| byte == self.delimiter).count() as u64;
        let take = |left: &Counter<u64>, taken: u64| left.get().checked_sub(taken).map(|now| left.set(now));
        if take(&self.left.bytes, read as u64).is_none() {
            return Err(io::Error::other(format!("a record is longer than {} bytes", limits::LINE)));
        }
        if take(&self.left.delimiters, delimiters).is_none() {
            return Err(io::Error::other(format!("a record has more than {DELIMITERS} delimiters")));
        }
        Ok(read)
    }
}

impl CsvFile {
    pub(crate) fn open(text: &TextFile, format: Format) -> Result<Self> {
        Self::new(text.path(), format, text.open()?, text.budget())
    }

    /// Reads text that need not be a file; errors name it `path`.
    pub(crate) fn new(
        path: &Path,
        format: Format,
        mut bytes: Box<dyn Read>,
        budget: &Arc<Budget>,
    ) -> Result<Self> {
        let start = peek(bytes.as_mut(), START).map_err(|error| damaged(path, format, &error.into()))?;
        let delimiter = delimiter(&start, usual(format));
        let lines = RecordLines::new(&start);
        let left = Rc::new(Left { bytes: Counter::new(0), delimiters: Counter::new(0) });
        left.reset();
        let bytes = Box::new(Cursor::new(start).chain(bytes));
        let metered = Metered { bytes, delimiter, left: Rc::clone(&left) };
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(metered);
        let names = reader.headers().map_err(|error| damaged(path, format, &error))?;
        if names.len() > limits::COLUMNS {
            return Err(too_wide(path, names.len()));
        }
        let fields = names
            .iter()
            // Text in memory may still have its byte order mark.
            .map(|name| Field { name: name.trim_start_matches('\u{feff}').to_owned(), kind: Kind::Cell })
            .collect();
        let (path, budget) = (path.to_owned(), Arc::clone(budget));
        Ok(Self { path, format, delimiter, reader, left, lines, fields, budget })
    }
}

fn usual(format: Format) -> u8 {
    if format == Format::Tsv { b'\t' } else { b',' }
}

impl Source for CsvFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut writer = RowWriter::new(&self.fields, wanted, offences, &self.budget);
        let taken: Vec<usize> = (0..self.fields.len()).filter(|&field| writer.wants(field)).collect();
        let mut record = csv::ByteRecord::new();
        loop {
            self.left.reset();
            let more = self.reader.read_byte_record(&mut record);
            if !more.map_err(|error| damaged(&self.path, self.format, &error))? {
                return writer.finish();
            }
            writer.begin()?;
            writer.at_line(self.lines.first(&record, self.reader.position().line()));
            if record.len() != self.fields.len() {
                let (found, named) = (record.len(), self.fields.len());
                writer.refuse(|| RowFault::Width { parts: "fields", found, named });
            }
            for &field in &taken {
                let bytes = record.get(field).unwrap_or_default();
                match std::str::from_utf8(bytes) {
                    Ok(text) => writer.put(field, &Cell::Text(Cow::Borrowed(text)))?,
                    Err(_) => writer.refuse(|| RowFault::NotUtf8),
                }
            }
            if !writer.end()? {
                return writer.finish();
            }
        }
    }

    fn note(&self) -> Option<String> {
        let name = match self.delimiter {
            b';' => "semicolons",
            b'\t' => "tabs",
            _ => "commas",
        };
        let is_usual = self.delimiter == usual(self.format);
        (!is_usual).then(|| format!("the values of {} are separated by {name}", self.path.display()))
    }
}

fn damaged(path: &Path, format: Format, error: &csv::Error) -> Error {
    Error::Damaged { path: path.to_owned(), format, reason: error.to_string() }
}
