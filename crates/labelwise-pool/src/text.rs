//! Text files as people have them: packed with gzip, in UTF-16, with a byte order mark, separated by semicolons.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};
use crate::limits::Budget;

/// Bytes at the start of a text by which its form is recognised.
pub(crate) const START: usize = 1 << 16;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const UTF_8_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// A text file that can be opened several times.
#[derive(Debug, Clone)]
pub(crate) struct TextFile {
    path: PathBuf,
    budget: Arc<Budget>,
}

impl TextFile {
    pub(crate) fn new(path: &Path, budget: &Arc<Budget>) -> Self {
        Self { path: path.to_owned(), budget: Arc::clone(budget) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// The text from its start, in UTF-8 if it is text at all.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>> {
        self.opened(u64::MAX)
    }

    /// The same for a JSON document, whose parser holds whole texts.
    pub(crate) fn document(&self) -> Result<Box<dyn Read>> {
        self.opened(self.budget.document())
    }

    fn opened(&self, most: u64) -> Result<Box<dyn Read>> {
        let at_file = |source| Error::File { path: self.path.clone(), source };
        let file = File::open(&self.path).map_err(at_file)?;
        text_of(Box::new(file), &self.budget, most).map_err(at_file)
    }
}

/// The text in bytes from anywhere, in UTF-8 if it is text at all: gzip is unpacked, UTF-16 is decoded, and a byte
/// order mark is removed.
///
/// ```
/// let bytes = "\u{feff}id,label\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
/// let text = labelwise_pool::text::plain("labels.csv".as_ref(), bytes)?;
/// assert_eq!(text, b"id,label\n");
/// # Ok::<(), labelwise_pool::Error>(())
/// ```
pub fn plain(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>> {
    let budget = Arc::new(Budget::of_file(path, bytes.len() as u64));
    let mut text = Vec::new();
    let most = budget.document();
    let read = text_of(Box::new(Cursor::new(bytes)), &budget, most)
        .and_then(|mut reader| reader.read_to_end(&mut text));
    match read {
        Ok(_) => Ok(text),
        Err(source) => Err(budget.explain(Error::File { path: path.to_owned(), source })),
    }
}

/// Unpacks and decodes; `most` limits what packed bytes become.
fn text_of(mut bytes: Box<dyn Read>, budget: &Arc<Budget>, most: u64) -> io::Result<Box<dyn Read>> {
    let mut start = peek(&mut bytes, 3)?;
    if start.starts_with(&GZIP) {
        let unpacked = MultiGzDecoder::new(Cursor::new(start).chain(bytes));
        bytes = Box::new(Unpacked::new(unpacked, budget, most));
        start = peek(&mut bytes, 3)?;
    }
    Ok(match *start.as_slice() {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            let is_big = start.first() == Some(&0xfe);
            let rest = Cursor::new(start.split_off(2)).chain(bytes);
            Box::new(Utf16 { bytes: rest, is_big, held: Vec::new(), text: Cursor::default() })
        }
        _ if start == UTF_8_MARK => bytes,
        _ => Box::new(Cursor::new(start).chain(bytes)),
    })
}

/// Reads up to `most` bytes.
pub(crate) fn peek(bytes: &mut dyn Read, most: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    bytes.take(most as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Counts what is unpacked.
pub(crate) struct Unpacked<R> {
    bytes: R,
    budget: Arc<Budget>,
    left: u64,
}

impl<R> Unpacked<R> {
    /// Unpacked bytes, of which at most `most` are read.
    pub(crate) fn new(bytes: R, budget: &Arc<Budget>, most: u64) -> Self {
        Self { bytes, budget: Arc::clone(budget), left: most }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        let counted = self.budget.decode(read as u64);
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(self.budget.exceed().to_string())),
        }
        counted.map(|()| read).map_err(|error| io::Error::other(error.to_string()))
    }
}

/// Decodes UTF-16, a few kilobytes at a time.
struct Utf16<R> {
    bytes: R,
    is_big: bool,
    /// Bytes of a letter whose end was not read yet.
    held: Vec<u8>,
    text: Cursor<Vec<u8>>,
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.text.read(buffer)?;
            if read > 0 || buffer.is_empty() || !self.decode()? {
                return Ok(read);
            }
        }
    }
}

impl<R: Read> Utf16<R> {
    /// Decodes the next piece; false at the end.
    fn decode(&mut self) -> io::Result<bool> {
        let invalid = || io::Error::new(io::ErrorKind::InvalidData, "it is not valid UTF-16");
        let mut piece = [0; 4096];
        let read = self.bytes.read(&mut piece)?;
        if read == 0 {
            return if self.held.is_empty() { Ok(false) } else { Err(invalid()) };
        }
        self.held.extend(piece.get(..read).unwrap_or_default());
        let number = if self.is_big { u16::from_be_bytes } else { u16::from_le_bytes };
        let mut units: Vec<u16> = self.held.as_chunks().0.iter().map(|&unit| number(unit)).collect();
        // The second half of a letter may be in the next piece.
        if units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) {
            units.pop();
        }
        let text: Result<String, _> = char::decode_utf16(units.iter().copied()).collect();
        self.text = Cursor::new(text.map_err(|_| invalid())?.into_bytes());
        self.held.drain(..2 * units.len());
        Ok(true)
    }
}

/// The delimiter of a text of separated values, from its start: the `usual` one if the first two records have the same
/// number of fields by it; otherwise a comma, a tab or a semicolon that fits better.
///
/// ```
/// use labelwise_pool::text::delimiter;
/// assert_eq!(delimiter(b"id;prob_a;prob_b, or c\n1;0.5;0.5\n", b','), b';');
/// assert_eq!(delimiter(b"id,text;more\n1,a\n", b','), b',');
/// ```
pub fn delimiter(start: &[u8], usual: u8) -> u8 {
    let rank = |delimiter: u8| {
        let (first, second) = widths(start, delimiter);
        let fits = first > 1 && second.is_none_or(|second| second == first);
        (fits, fits && delimiter == usual, first)
    };
    let mut best = usual;
    for delimiter in [b',', b'\t', b';'] {
        if rank(delimiter) > rank(best) {
            best = delimiter;
        }
    }
    best
}

/// Number of fields of the first two records by a delimiter; none if the second is not there as a whole.
pub(crate) fn widths(start: &[u8], delimiter: u8) -> (usize, Option<usize>) {
    let mut form = csv::ReaderBuilder::new();
    let mut reader = form.delimiter(delimiter).flexible(true).has_headers(false).from_reader(start);
    let mut record = csv::ByteRecord::new();
    let mut width = || {
        let is_there = reader.read_byte_record(&mut record).unwrap_or(false);
        let is_cut = start.len() >= START && reader.position().byte() >= start.len() as u64;
        (is_there && !is_cut).then(|| record.len())
    };
    (width().unwrap_or(0), width())
}

/// Computes the lines on which records begin. The reader of CSV counts a line when it reads the `\n`, which at the end
/// of a record in `\r\n` belongs to the record after it.
#[derive(Debug, Clone, Copy)]
pub struct RecordLines {
    ends_in_cr: bool,
}

impl RecordLines {
    /// Takes the form of line ends from the start of a text.
    pub fn new(start: &[u8]) -> Self {
        let end = start.iter().position(|&byte| byte == b'\n').and_then(|at| at.checked_sub(1));
        Self { ends_in_cr: end.and_then(|at| start.get(at)) == Some(&b'\r') }
    }

    /// The first line of a record, from the reader's line after it. The record's own position is that of blank lines
    /// before it.
    pub fn first(self, record: &csv::ByteRecord, after: u64) -> u64 {
        let before = record.position().map_or(after, csv::Position::line);
        if !self.ends_in_cr && after - before <= 1 {
            return before;
        }
        let inside = record.iter().flatten().filter(|&&byte| byte == b'\n').count() as u64;
        after.saturating_sub(inside + u64::from(!self.ends_in_cr)).max(before)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn the_same_text_comes_of_every_encoding() {
        // Letters of two halves fall on the borders of pieces.
        let text = "é😀".repeat(5000);
        let big: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
        let little: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = format!("\u{feff}{text}").into_bytes();
        for bytes in
            [text.clone().into_bytes(), marked, big.clone(), little, gzip(&big), gzip(text.as_bytes())]
        {
            assert_eq!(plain(Path::new("t"), bytes).unwrap(), text.as_bytes());
        }
        let mut cut = big;
        cut.pop();
        assert!(plain(Path::new("t"), cut).unwrap_err().to_string().contains("not valid UTF-16"));
        let mut cut = gzip(text.as_bytes());
        cut.truncate(cut.len() / 2);
        assert!(matches!(plain(Path::new("t"), cut), Err(Error::File { .. })));
        assert_eq!(plain(Path::new("t"), Vec::new()).unwrap(), b"");
    }

    #[test]
    fn packed_text_has_a_limit() {
        let packed = gzip(&vec![b' '; 200 << 20]);
        assert!(matches!(plain(Path::new("t"), packed), Err(Error::TooLarge { .. })));
    }

    #[test]
    fn delimiters_are_chosen_by_two_records() {
        for (text, usual, found) in [
            ("a,b\n1,2\n", b',', b','),
            ("a;b\n1;2\n", b',', b';'),
            ("a\tb\n1\t2\n", b',', b'\t'),
            ("a,b\n1,2\n", b'\t', b','),
            ("a\tb,c,d\n1\t2\n", b'\t', b'\t'),
            ("\"x,y\";b\n0,5;1\n", b',', b';'),
            ("text;a;b,id\nx,1\n", b',', b','),
            // One row too short does not change it.
            ("id,p_a,p_b\n1,0.5\n", b',', b','),
            ("alone\n1\n", b',', b','),
            ("", b'\t', b'\t'),
        ] {
            assert_eq!(delimiter(text.as_bytes(), usual), found, "{text:?}");
        }
    }

    #[test]
    fn records_begin_where_an_editor_shows_them() {
        let text = "id,x\n1,a\n\n\n2,\"b\nc\"\n3,d\n\n4,e\n";
        for (text, end) in [(text.to_owned(), "\n"), (text.replace('\n', "\r\n"), "\r\n")] {
            let lines = RecordLines::new(text.as_bytes());
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let mut record = csv::ByteRecord::new();
            let mut found = Vec::new();
            while reader.read_byte_record(&mut record).unwrap() {
                found.push(lines.first(&record, reader.position().line()));
            }
            assert_eq!(found, [2, 5, 7, 9], "{end:?}");
        }
    }
}
