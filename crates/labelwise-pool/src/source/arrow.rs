//! Arrow IPC, as a file or as a stream: batch after batch, and of each only the columns that are wanted.
//!
//! A file is a stream between two marks, followed by a table of contents, so one reader reads both.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_ipc::{Message, MessageHeader, root_as_message};
use arrow_schema::{ArrowError, DataType, SchemaRef};

use super::batches::{self, Sink};
use super::guard::guarded;
use super::{Field, Loaded, Selection, Source, empty};
use crate::block::zeros;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::{Budget, Loan};
use crate::offences::Offences;

/// The longest description of a batch or of the columns, in bytes.
const LONGEST_HEADER: u32 = 64 << 20;

/// The mark at the start of a file with the longest padding, in bytes.
const LONGEST_MARK: u64 = 64;

/// A file whose columns are known.
pub(crate) struct ArrowFile {
    path: PathBuf,
    messages: Messages,
    schema: SchemaRef,
    fields: Vec<Field>,
    budget: Arc<Budget>,
}

/// The header of a message, and the position of its buffers in the file.
type Found = (Vec<u8>, Range<u64>);

/// The messages of a stream, one after the other.
struct Messages {
    file: BufReader<File>,
    bytes: u64,
    /// Position of the next message.
    next: u64,
}

impl Messages {
    /// The next message; none at the end.
    fn next(&mut self) -> Result<Option<Found>, String> {
        let said = |error: std::io::Error| error.to_string();
        // A stream may end without a mark.
        if self.next >= self.bytes {
            return Ok(None);
        }
        self.file.seek(SeekFrom::Start(self.next)).map_err(said)?;
        let mut word = [0; 4];
        self.file.read_exact(&mut word).map_err(said)?;
        if word != [0xff; 4] {
            return Err("a message does not begin with the continuation mark".to_owned());
        }
        self.file.read_exact(&mut word).map_err(said)?;
        let length = u32::from_le_bytes(word);
        if length == 0 {
            return Ok(None);
        }
        let start = self.next + 8 + u64::from(length);
        if length > LONGEST_HEADER || start > self.bytes {
            return Err(format!("a message of {length} bytes does not fit in it"));
        }
        let mut header = vec![0; length as usize];
        self.file.read_exact(&mut header).map_err(said)?;
        let body = u64::try_from(message(&header)?.bodyLength()).ok();
        let end = body.and_then(|body| start.checked_add(body)).filter(|&end| end <= self.bytes);
        self.next = end.ok_or("it ends inside a batch")?;
        Ok(Some((header, start..self.next)))
    }

    /// The body of a message, and the memory that its buffers take. Memory of unwanted buffers is never touched, so it
    /// costs nothing.
    fn body<'b>(
        &mut self,
        batch: arrow_ipc::RecordBatch<'_>,
        body: &Range<u64>,
        is_wanted: impl Fn(usize) -> bool,
        budget: &'b Budget,
    ) -> Result<(Buffer, Vec<Loan<'b>>), String> {
        const OUTSIDE: &str = "a buffer is outside of its batch";
        let said = |error: std::io::Error| error.to_string();
        let size = usize::try_from(body.end - body.start).map_err(|_| OUTSIDE)?;
        let mut bytes: Vec<u8> = zeros(size).map_err(|_| format!("no memory for a batch of {size} bytes"))?;
        let is_compressed = batch.compression().is_some();
        let mut loans = Vec::new();
        for (place, buffer) in batch.buffers().iter().flatten().enumerate() {
            let range = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
            let range = range.and_then(|(start, length)| Some(start..start.checked_add(length)?));
            let range = range.ok_or(OUTSIDE)?;
            let start = body.start.saturating_add(range.start as u64);
            let part = bytes.get_mut(range).ok_or(OUTSIDE)?;
            if !is_wanted(place) || part.is_empty() {
                continue;
            }
            loans.push(budget.lend(part.len() as u64).map_err(|error| error.to_string())?);
            self.file.seek(SeekFrom::Start(start)).map_err(said)?;
            self.file.read_exact(part).map_err(said)?;
            let unpacked = match part.first_chunk() {
                // A size of -1 marks a buffer that is not compressed.
                Some(size) if is_compressed => u64::try_from(i64::from_le_bytes(*size)).unwrap_or(0),
                _ => 0,
            };
            loans.push(budget.lend(unpacked).map_err(|error| error.to_string())?);
        }
        Ok((Buffer::from_vec(bytes), loans))
    }
}

/// Bytes that a schema takes. Its entries may all refer to the same long name, so their sizes say nothing.
fn schema_cost<'a>(fields: impl Iterator<Item = arrow_ipc::Field<'a>>) -> u64 {
    let cost = |field: arrow_ipc::Field<'a>| {
        let texts =
            field.custom_metadata().into_iter().flatten().flat_map(|entry| [entry.key(), entry.value()]);
        let letters: usize = texts.chain([field.name()]).flatten().map(str::len).sum();
        schema_cost(field.children().into_iter().flatten()).saturating_add(256 + letters as u64)
    };
    fields.map(cost).fold(0, u64::saturating_add)
}

/// A message whose parts were verified to be inside it.
fn message(header: &[u8]) -> Result<Message<'_>, String> {
    root_as_message(header).map_err(|error| format!("a message cannot be read ({error})"))
}

impl ArrowFile {
    pub(crate) fn open(path: &Path, budget: &Arc<Budget>) -> Result<Self> {
        let at_file = |source| Error::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(at_file)?;
        let bytes = file.metadata().map_err(at_file)?.len();
        let mut file = BufReader::new(file);
        let mut mark = Vec::new();
        (&mut file).take(LONGEST_MARK).read_to_end(&mut mark).map_err(at_file)?;
        let next = if mark.starts_with(b"ARROW1") {
            // Writers pad the mark with zeros to align their buffers.
            let words = mark.as_chunks::<8>().0.iter().skip(1);
            8 + 8 * words.take_while(|word| **word == [0; 8]).count() as u64
        } else {
            0
        };
        let mut messages = Messages { file, bytes, next };
        let schema = messages.next().and_then(|found| {
            let (header, _) = found.ok_or("it is empty")?;
            let message = message(&header)?;
            let schema = message.header_as_schema().ok_or("it does not begin with a schema")?;
            if !schema.endianness().equals_to_target_endianness() {
                return Err("its numbers are big-endian, which labelwise does not read".to_owned());
            }
            budget
                .take(schema_cost(schema.fields().into_iter().flatten()))
                .map_err(|error| error.to_string())?;
            guarded(|| try_fb_to_schema(schema))
        });
        let schema = schema.map_err(|reason| damaged(path, reason))?;
        let fields = batches::fields(&schema);
        let (path, budget) = (path.to_owned(), Arc::clone(budget));
        Ok(Self { path, messages, schema: Arc::new(schema), fields, budget })
    }
}

impl Source for ArrowFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let Self { path, messages, schema, fields, budget } = self;
        let mut loaded = empty(wanted, fields);
        let sink = Sink::new((path, Format::Arrow), fields, wanted, budget);
        let mut dictionaries = Dictionaries::default();
        loop {
            let batch = next_batch(messages, schema, &mut dictionaries, sink.places(), budget);
            match batch.map_err(|reason| sink.damaged(reason))? {
                Some((batch, _memory)) => sink.append(&batch, &mut loaded, offences)?,
                None => return Ok(loaded),
            }
        }
    }
}

/// The dictionaries that came so far, and the memory that they take.
#[derive(Default)]
struct Dictionaries<'b> {
    arrays: HashMap<i64, ArrayRef>,
    loans: Vec<Loan<'b>>,
}

/// The wanted columns of the next batch, and the memory that they take; none at the end. Dictionaries that come before it
/// are kept or added to.
fn next_batch<'b>(
    messages: &mut Messages,
    schema: &SchemaRef,
    dictionaries: &mut Dictionaries<'b>,
    places: &[usize],
    budget: &'b Budget,
) -> Result<Option<(RecordBatch, Vec<Loan<'b>>)>, String> {
    while let Some((header, body)) = messages.next()? {
        let message = message(&header)?;
        let version = message.version();
        let unread = || format!("a message of kind {} cannot be read", message.header_type().0);
        match message.header_type() {
            MessageHeader::DictionaryBatch => {
                let batch = message.header_as_dictionary_batch().ok_or_else(unread)?;
                let (body, memory) =
                    messages.body(batch.data().ok_or_else(unread)?, &body, |_| true, budget)?;
                dictionaries.loans.extend(memory);
                guarded(|| read_dictionary(&body, batch, schema, &mut dictionaries.arrays, &version))?;
            }
            MessageHeader::RecordBatch => {
                let batch = message.header_as_record_batch().ok_or_else(unread)?;
                let wanted = wanted_buffers(schema, batch, places);
                let is_wanted =
                    |at| wanted.as_ref().is_none_or(|ranges| ranges.iter().any(|one| one.contains(&at)));
                let (body, memory) = messages.body(batch, &body, is_wanted, budget)?;
                let decode = || -> Result<RecordBatch, ArrowError> {
                    let arrays = &dictionaries.arrays;
                    RecordBatchDecoder::try_new(&body, batch, Arc::clone(schema), arrays, &version)?
                        .with_projection(Some(places))
                        .read_record_batch()
                };
                return guarded(decode).map(|batch| Some((batch, memory)));
            }
            _ => return Err(unread()),
        }
    }
    Ok(None)
}

/// The buffers of each column of a batch. None if the buffers of a type are not known here; then all buffers are
/// read.
fn wanted_buffers(
    schema: &SchemaRef,
    batch: arrow_ipc::RecordBatch<'_>,
    places: &[usize],
) -> Option<Vec<Range<usize>>> {
    let mut variadic = batch.variadicBufferCounts().into_iter().flatten();
    let mut next = 0;
    let mut wanted = Vec::new();
    for (place, field) in schema.fields().iter().enumerate() {
        let start = next;
        next += buffers_of(field.data_type(), &mut variadic)?;
        if places.binary_search(&place).is_ok() {
            wanted.push(start..next);
        }
    }
    Some(wanted)
}

/// Number of buffers of a column of this type, with those of its children.
fn buffers_of(data_type: &DataType, variadic: &mut impl Iterator<Item = i64>) -> Option<usize> {
    Some(match data_type {
        DataType::Null => 0,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => 3,
        DataType::Utf8View | DataType::BinaryView => 2 + usize::try_from(variadic.next()?).ok()?,
        DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => {
            2 + buffers_of(item.data_type(), variadic)?
        }
        DataType::FixedSizeList(item, _) => 1 + buffers_of(item.data_type(), variadic)?,
        DataType::Struct(fields) => {
            let mut sum = 1_usize;
            for field in fields {
                sum = sum.checked_add(buffers_of(field.data_type(), variadic)?)?;
            }
            sum
        }
        DataType::Boolean | DataType::FixedSizeBinary(_) | DataType::Dictionary(..) => 2,
        primitive if primitive.is_primitive() => 2,
        _ => return None,
    })
}

fn damaged(path: &Path, reason: impl Into<String>) -> Error {
    Error::Damaged { path: path.to_owned(), format: Format::Arrow, reason: reason.into() }
}
