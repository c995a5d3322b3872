//! CSV and TSV: a line of names, then records.

use std::borrow::Cow;
use std::cell::Cell as Counter;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::cell::Cell;
use super::rows::RowWriter;
use super::{Field, Kind, Loaded, Selection, Source};
use crate::error::RowFault;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits;
use crate::offences::Offences;

/// A text file of separated values, read up to the names of its columns.
pub(crate) struct CsvFile {
    path: PathBuf,
    format: Format,
    reader: csv::Reader<Metered>,
    left: Rc<Counter<u64>>,
    fields: Vec<Field>,
}

/// Limits the length of a record.
struct Metered {
    bytes: Box<dyn Read>,
    left: Rc<Counter<u64>>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        match self.left.get().checked_sub(read as u64) {
            Some(left) => self.left.set(left),
            None => return Err(io::Error::other(format!("a record is longer than {} bytes", limits::LINE))),
        }
        Ok(read)
    }
}

impl CsvFile {
    pub(crate) fn open(path: &Path, format: Format, delimiter: u8) -> Result<Self> {
        let file = File::open(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        Self::new(path, format, delimiter, Box::new(file))
    }

    /// Reads text that need not be a file; errors name it `path`.
    pub(crate) fn new(path: &Path, format: Format, delimiter: u8, bytes: Box<dyn Read>) -> Result<Self> {
        let left = Rc::new(Counter::new(limits::LINE));
        let metered = Metered { bytes, left: Rc::clone(&left) };
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(metered);
        let names = reader.headers().map_err(|error| damaged(path, format, &error))?;
        let fields = names
            .iter()
            // Some programs write a byte order mark in front of the first name.
            .map(|name| Field { name: name.trim_start_matches('\u{feff}').to_owned(), kind: Kind::Cell })
            .collect();
        Ok(Self { path: path.to_owned(), format, reader, left, fields })
    }
}

impl Source for CsvFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let mut writer = RowWriter::new(&self.fields, wanted, offences);
        let taken: Vec<usize> = (0..self.fields.len()).filter(|&field| writer.wants(field)).collect();
        let mut record = csv::ByteRecord::new();
        loop {
            self.left.set(limits::LINE);
            let more = self.reader.read_byte_record(&mut record);
            if !more.map_err(|error| damaged(&self.path, self.format, &error))? {
                return Ok(writer.finish());
            }
            writer.begin()?;
            writer.at_line(first_line(&record, self.reader.position().line()));
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
                return Ok(writer.finish());
            }
        }
    }
}

/// The first line of a record, computed from the reader's line after it. The reader's own number is that of blank
/// lines before the record.
fn first_line(record: &csv::ByteRecord, after: u64) -> u64 {
    let before = record.position().map_or(after, csv::Position::line);
    if after - before <= 1 {
        return before;
    }
    let inside = record.iter().flatten().filter(|&&byte| byte == b'\n').count() as u64;
    after.saturating_sub(1 + inside).max(before)
}

fn damaged(path: &Path, format: Format, error: &csv::Error) -> Error {
    Error::Damaged { path: path.to_owned(), format, reason: error.to_string() }
}
