//! Arrow IPC, as a file or as a stream: batch after batch, and of each only the columns that are wanted.
//!
//! A file is a stream between two marks with a table of contents behind it, so that one reader serves both.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use self::batch::{Array, Batch, Body};
use self::flatbuffer::Table;
use self::put::put;
use self::schema::Node;
use super::{Field, Loaded, Source, Wanted, empty};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits;
use crate::offences::Offences;

mod batch;
mod flatbuffer;
mod put;
mod schema;

/// The longest description of a batch or of the columns, in bytes.
const LONGEST_HEADER: u32 = 64 << 20;

/// A file whose columns are known.
pub(crate) struct ArrowFile {
    path: PathBuf,
    messages: Messages,
    columns: Vec<Node>,
    fields: Vec<Field>,
}

/// What a message says, its kind, and where its buffers begin and how long they are.
type Message<'a> = (Table<'a>, u8, (u64, u64));

/// The messages of a stream, one after the other.
struct Messages {
    file: BufReader<File>,
    bytes: u64,
    /// Where the next message begins.
    next: u64,
    header: Vec<u8>,
}

impl Messages {
    /// The next message; none at the end.
    fn next(&mut self) -> Result<Option<Message<'_>>, String> {
        let said = |error: std::io::Error| error.to_string();
        self.file.seek(SeekFrom::Start(self.next)).map_err(said)?;
        let mut word = [0; 4];
        // A stream may end without a mark.
        if self.next >= self.bytes {
            return Ok(None);
        }
        self.file.read_exact(&mut word).map_err(said)?;
        if word != [0xff; 4] {
            return Err("a message does not begin with its mark".to_owned());
        }
        self.file.read_exact(&mut word).map_err(said)?;
        let length = u32::from_le_bytes(word);
        if length == 0 {
            return Ok(None);
        }
        let start = self.next + 8;
        if length > LONGEST_HEADER || start + u64::from(length) > self.bytes {
            return Err(format!("a message of {length} bytes does not fit in it"));
        }
        self.header.resize(length as usize, 0);
        self.file.read_exact(&mut self.header).map_err(said)?;
        let unreadable = || "a message cannot be read".to_owned();
        let message = Table::root(&self.header).ok_or_else(unreadable)?;
        let body = u64::try_from(message.i64(3).unwrap_or(0)).map_err(|_| unreadable())?;
        let at = start + u64::from(length);
        if at.checked_add(body).is_none_or(|end| end > self.bytes) {
            return Err("it ends within a batch".to_owned());
        }
        self.next = at + body;
        let header = message.table(2).ok_or_else(unreadable)?;
        Ok(Some((header, message.u8(1).unwrap_or(0), (at, body))))
    }
}

impl ArrowFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let at_file = |source| Error::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(at_file)?;
        let bytes = file.metadata().map_err(at_file)?.len();
        let mut file = BufReader::new(file);
        let mut mark = Vec::new();
        (&mut file).take(8).read_to_end(&mut mark).map_err(at_file)?;
        let next = if mark.starts_with(b"ARROW1") { 8 } else { 0 };
        let mut messages = Messages { file, bytes, next, header: Vec::new() };
        let damaged = |reason| damaged(path, reason);
        let columns = match messages.next().map_err(damaged)? {
            Some((schema, 1, _)) => Node::columns(schema),
            _ => None,
        };
        let columns = columns.ok_or_else(|| damaged("it does not begin with its columns".to_owned()))?;
        let fields =
            columns.iter().map(|node| Field { name: node.name.clone(), kind: node.kind() }).collect();
        Ok(Self { path: path.to_owned(), messages, columns, fields })
    }

    fn read_all(
        &mut self,
        wanted: &Wanted,
        loaded: &mut Loaded,
        offences: &mut Offences,
    ) -> Result<Result<(), String>> {
        let Self { messages, columns, fields, .. } = self;
        let needed = needed(wanted, columns.len());
        let mut known = Vec::new();
        columns.iter().for_each(|node| node.dictionaries(&mut known));
        let known: HashMap<i64, _> = known.into_iter().collect();
        let mut dictionaries: HashMap<i64, Array> = HashMap::new();
        let mut left = limits::expanded(messages.bytes);
        let mut failed = Ok(());
        loop {
            let (kind, dictionary, batch) = match messages.next() {
                Ok(Some((header, 3, body))) => (3, None, Batch::of(header, body)),
                Ok(Some((header, 2, body))) => {
                    if header.u8(2).unwrap_or(0) != 0 {
                        return Ok(Err("it adds to a dictionary, which is not read".to_owned()));
                    }
                    (2, header.i64(0).or(Some(0)), header.table(1).and_then(|data| Batch::of(data, body)))
                }
                Ok(Some((_, kind, _))) => (kind, None, None),
                Ok(None) => return Ok(Ok(())),
                Err(reason) => return Ok(Err(reason)),
            };
            let Some(batch) = batch else {
                return Ok(Err(format!("a message of kind {kind} cannot be read")));
            };
            let mut body = Body { file: &mut messages.file, left: &mut left };
            if let Some(dictionary) = dictionary {
                let Some(&holds) = known.get(&dictionary) else { continue };
                match batch.entries(holds, &mut body) {
                    Ok(entries) => dictionaries.insert(dictionary, entries),
                    Err(reason) => return Ok(Err(reason)),
                };
                continue;
            }
            let read = batch.read(columns, &needed, &mut body, |column, array| {
                let node = columns.get(column);
                let entries = node.and_then(|node| node.dictionary).map(|number| dictionaries.get(&number));
                let name = fields.get(column).map_or("", |field| field.name.as_str());
                if entries.is_some_and(|entries| entries.is_none()) {
                    return Err("a column comes before its dictionary".to_owned());
                }
                failed = put(loaded, wanted, column, name, batch.rows, &array, entries.flatten(), offences);
                if failed.is_ok() { Ok(()) } else { Err(String::new()) }
            });
            std::mem::replace(&mut failed, Ok(()))?;
            if read.is_err() {
                return Ok(read);
            }
            loaded.rows += batch.rows;
        }
    }
}

impl Source for ArrowFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Wanted, offences: &mut Offences) -> Result<Loaded> {
        let mut loaded = empty(wanted, &self.fields);
        let read = self.read_all(wanted, &mut loaded, offences)?;
        read.map_err(|reason| damaged(&self.path, reason))?;
        Ok(loaded)
    }
}

fn needed(wanted: &Wanted, columns: usize) -> Vec<bool> {
    let mut needed = vec![false; columns];
    let in_blocks = wanted.blocks.iter().flat_map(|block| &block.fields);
    for &field in in_blocks.chain(wanted.columns.iter().map(|column| &column.field)) {
        if let Some(needed) = needed.get_mut(field) {
            *needed = true;
        }
    }
    needed
}

fn damaged(path: &Path, reason: String) -> Error {
    Error::Damaged { path: path.to_owned(), format: Format::Arrow, reason }
}
