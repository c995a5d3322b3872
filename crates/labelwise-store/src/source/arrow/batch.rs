//! One batch of rows: its buffers, and the values of a column in them.

use std::io::{Read, Seek, SeekFrom};

use super::flatbuffer::Table;
use super::schema::{Holds, Node};
use crate::source::npy_items::half;
use crate::strings::Strings;

/// Values of one column in one batch.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) values: Values,
    /// One bit a value, where some may be empty.
    valid: Option<Vec<u8>>,
}

#[derive(Debug)]
pub(super) enum Values {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I64(Vec<i64>),
    Truth(Vec<u8>),
    Texts(Strings),
    /// Where each list begins and the last ends, and all their items.
    Lists(Vec<usize>, Box<Array>),
}

impl Array {
    pub(super) fn is_valid(&self, row: usize) -> bool {
        let bit = |bits: &Vec<u8>| bits.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1);
        self.valid.as_ref().is_none_or(bit)
    }

    pub(super) fn all_valid(&self, rows: std::ops::Range<usize>) -> bool {
        self.valid.is_none() || rows.into_iter().all(|row| self.is_valid(row))
    }
}

/// A batch whose buffers are known and not yet read.
pub(super) struct Batch {
    pub(super) rows: usize,
    nodes: Vec<[i64; 2]>,
    buffers: Vec<[i64; 2]>,
    codec: Option<u8>,
    variadic: Vec<[i64; 1]>,
    /// Where the buffers lie in the file, and how long all of them are.
    body: (u64, u64),
}

/// Reads buffers, of which there are no more than this left.
pub(super) struct Body<'f, F> {
    pub(super) file: &'f mut F,
    pub(super) left: &'f mut u64,
}

type Outcome<T> = Result<T, String>;

const OUTSIDE: &str = "a buffer lies outside of its batch";
const SHORT: &str = "a buffer is too short for its column";

impl Batch {
    pub(super) fn of(header: Table<'_>, body: (u64, u64)) -> Option<Self> {
        Some(Self {
            rows: usize::try_from(header.i64(0).unwrap_or(0)).ok()?,
            nodes: header.numbers(1)?,
            buffers: header.numbers(2)?,
            codec: header.table(3).map(|compression| compression.u8(0).unwrap_or(0)),
            variadic: header.numbers(4)?,
            body,
        })
    }

    /// The values of columns, those that are wanted.
    pub(super) fn read<F: Read + Seek>(
        &self,
        columns: &[Node],
        wanted: &[bool],
        body: &mut Body<'_, F>,
        mut take: impl FnMut(usize, Array) -> Outcome<()>,
    ) -> Outcome<()> {
        let mut at = Place::default();
        for (column, node) in columns.iter().enumerate() {
            let mut used = Place { ..at };
            self.pass(node, &mut used);
            if wanted.get(column) == Some(&true) {
                take(column, self.array(node, node.holds, Some(self.rows), &mut at, body)?)?;
            }
            at = used;
        }
        Ok(())
    }

    /// The entries of a dictionary.
    pub(super) fn entries<F: Read + Seek>(&self, holds: Holds, body: &mut Body<'_, F>) -> Outcome<Array> {
        let node = Node { name: String::new(), holds, dictionary: None, entries: None, children: Vec::new() };
        self.array(&node, holds, Some(self.rows), &mut Place::default(), body)
    }

    /// Goes past the buffers of a column.
    fn pass(&self, node: &Node, at: &mut Place) {
        at.node += 1;
        at.buffer += match node.holds {
            Holds::Text { .. } => 3,
            Holds::FixedList { .. } => 1,
            Holds::TextView => 2 + self.variadic_at(at),
            Holds::Other { buffers, view: true } => buffers + self.variadic_at(at),
            Holds::Other { buffers, view: false } => buffers,
            _ => 2,
        };
        node.children.iter().for_each(|child| self.pass(child, at));
    }

    fn variadic_at(&self, at: &mut Place) -> usize {
        at.variadic += 1;
        self.variadic.get(at.variadic - 1).and_then(|&[count]| usize::try_from(count).ok()).unwrap_or(0)
    }

    fn array<F: Read + Seek>(
        &self,
        node: &Node,
        holds: Holds,
        rows: Option<usize>,
        at: &mut Place,
        body: &mut Body<'_, F>,
    ) -> Outcome<Array> {
        let &[length, empty] = self.nodes.get(at.node).ok_or(SHORT)?;
        at.node += 1;
        let length = usize::try_from(length).map_err(|_| SHORT)?;
        if rows.is_some_and(|rows| rows != length) {
            return Err(format!("a column has {length} rows in a batch of {}", self.rows));
        }
        let valid = self.next(at, body)?;
        let valid = (empty != 0 && !valid.is_empty()).then_some(valid);
        if valid.as_ref().is_some_and(|bits| bits.len() < length.div_ceil(8)) {
            return Err(SHORT.to_owned());
        }
        let values = match holds {
            Holds::Single => Values::F32(numbers(&self.next(at, body)?, length, f32::from_le_bytes)?),
            Holds::Half => {
                Values::F32(numbers(&self.next(at, body)?, length, |bytes| half(u16::from_le_bytes(bytes)))?)
            }
            Holds::Double => Values::F64(numbers(&self.next(at, body)?, length, f64::from_le_bytes)?),
            Holds::Integer { bytes, signed } => {
                Values::I64(integers(&self.next(at, body)?, length, bytes, signed)?)
            }
            Holds::Truth => {
                let bits = self.next(at, body)?;
                let bit = |row: usize| bits.get(row / 8).map(|byte| byte >> (row % 8) & 1).ok_or(SHORT);
                if bits.len() < length.div_ceil(8) {
                    return Err(SHORT.to_owned());
                }
                Values::Truth((0..length).map(bit).collect::<Result<_, _>>()?)
            }
            Holds::Text { offset } => {
                let ends = offsets(&self.next(at, body)?, length, offset)?;
                let data = self.next(at, body)?;
                let text =
                    |(&start, &end): (&usize, &usize)| data.get(start..end).ok_or(OUTSIDE).and_then(utf8);
                let texts: Result<Vec<&str>, &str> = ends.iter().zip(ends.iter().skip(1)).map(text).collect();
                Values::Texts(texts?.into_iter().collect())
            }
            Holds::TextView => Values::Texts(self.views(length, at, body)?),
            Holds::List { offset } => {
                let ends = offsets(&self.next(at, body)?, length, offset)?;
                Values::Lists(ends, Box::new(self.child(node, at, body)?))
            }
            Holds::FixedList { size } => {
                let items = self.child(node, at, body)?;
                let held = items.values.len();
                if size.checked_mul(length).is_none_or(|needed| needed > held) || size == 0 {
                    return Err(SHORT.to_owned());
                }
                Values::Lists((0..=length).map(|row| row * size).collect(), Box::new(items))
            }
            Holds::Other { .. } => return Err("a column of a kind that is not read".to_owned()),
        };
        Ok(Array { values, valid })
    }

    fn child<F: Read + Seek>(&self, node: &Node, at: &mut Place, body: &mut Body<'_, F>) -> Outcome<Array> {
        let item = node.children.first().ok_or("a list has no items")?;
        self.array(item, item.holds, None, at, body)
    }

    fn views<F: Read + Seek>(
        &self,
        length: usize,
        at: &mut Place,
        body: &mut Body<'_, F>,
    ) -> Outcome<Strings> {
        let count = self.variadic_at(at);
        let views = self.next(at, body)?;
        let pieces: Outcome<Vec<Vec<u8>>> =
            (0..count.min(self.buffers.len())).map(|_| self.next(at, body)).collect();
        let pieces = pieces?;
        if views.len() / 16 < length {
            return Err(SHORT.to_owned());
        }
        let mut texts = Strings::default();
        for view in views.chunks_exact(16).take(length) {
            let word = |at: usize| {
                let bytes = view.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
                bytes.map(u32::from_le_bytes).map_or(0, |word| word as usize)
            };
            // Short texts lie in the view itself.
            let bytes = match word(0) {
                short @ ..=12 => view.get(4..4 + short),
                long => {
                    pieces.get(word(8)).and_then(|piece| piece.get(word(12)..word(12).checked_add(long)?))
                }
            };
            *body.left = body.left.checked_sub(word(0) as u64).ok_or("its texts are too long to believe")?;
            texts.push(utf8(bytes.ok_or(OUTSIDE)?)?);
        }
        Ok(texts)
    }

    /// The next buffer, without its compression.
    fn next<F: Read + Seek>(&self, at: &mut Place, body: &mut Body<'_, F>) -> Outcome<Vec<u8>> {
        let &[offset, length] = self.buffers.get(at.buffer).ok_or(SHORT)?;
        at.buffer += 1;
        let (offset, length) = u64::try_from(offset).ok().zip(u64::try_from(length).ok()).ok_or(OUTSIDE)?;
        if offset.checked_add(length).is_none_or(|end| end > self.body.1) {
            return Err(OUTSIDE.to_owned());
        }
        let said = |error: std::io::Error| error.to_string();
        body.file.seek(SeekFrom::Start(self.body.0 + offset)).map_err(said)?;
        let mut bytes = Vec::new();
        body.file.take(length).read_to_end(&mut bytes).map_err(said)?;
        if bytes.len() as u64 != length {
            return Err("it ends within a buffer".to_owned());
        }
        if let (Some(codec), Some((size, rest))) = (self.codec, bytes.split_first_chunk::<8>()) {
            bytes = match i64::from_le_bytes(*size) {
                // A buffer that would not shrink stays as it is.
                -1 => rest.to_vec(),
                size => inflated(codec, rest, u64::try_from(size).map_err(|_| SHORT)?.min(*body.left))?,
            };
        }
        *body.left =
            body.left.checked_sub(bytes.len() as u64).ok_or("its buffers are too long to believe")?;
        Ok(bytes)
    }
}

/// Where in the lists of a batch reading is.
#[derive(Default)]
struct Place {
    node: usize,
    buffer: usize,
    variadic: usize,
}

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::Truth(values) => values.len(),
            Self::Texts(texts) => texts.len(),
            Self::Lists(ends, _) => ends.len().saturating_sub(1),
        }
    }
}

fn inflated(codec: u8, bytes: &[u8], size: u64) -> Outcome<Vec<u8>> {
    let mut inflated = Vec::new();
    let read = match codec {
        0 => lz4_flex::frame::FrameDecoder::new(bytes).take(size).read_to_end(&mut inflated),
        1 => zstd::Decoder::new(bytes).and_then(|decoder| decoder.take(size).read_to_end(&mut inflated)),
        _ => return Err(format!("its buffers are compressed in a way ({codec}) that is not known")),
    };
    match read {
        Ok(read) if read as u64 == size => Ok(inflated),
        Ok(read) => Err(format!("a buffer holds {read} bytes instead of {size}")),
        Err(error) => Err(format!("a buffer cannot be decompressed ({error})")),
    }
}

fn numbers<const SIZE: usize, N>(
    bytes: &[u8],
    length: usize,
    convert: impl Fn([u8; SIZE]) -> N,
) -> Outcome<Vec<N>> {
    let items = bytes.as_chunks::<SIZE>().0.get(..length).ok_or(SHORT)?;
    Ok(items.iter().map(|&item| convert(item)).collect())
}

fn integers(bytes: &[u8], length: usize, size: usize, signed: bool) -> Outcome<Vec<i64>> {
    match (size, signed) {
        (1, true) => numbers(bytes, length, |item| i64::from(i8::from_le_bytes(item))),
        (1, false) => numbers(bytes, length, |item| i64::from(u8::from_le_bytes(item))),
        (2, true) => numbers(bytes, length, |item| i64::from(i16::from_le_bytes(item))),
        (2, false) => numbers(bytes, length, |item| i64::from(u16::from_le_bytes(item))),
        (4, true) => numbers(bytes, length, |item| i64::from(i32::from_le_bytes(item))),
        (4, false) => numbers(bytes, length, |item| i64::from(u32::from_le_bytes(item))),
        _ => numbers(bytes, length, i64::from_le_bytes),
    }
}

/// Where each item begins and the last ends; they may not go back.
fn offsets(bytes: &[u8], length: usize, size: usize) -> Outcome<Vec<usize>> {
    // A column without rows may have no offsets at all.
    if length == 0 && bytes.is_empty() {
        return Ok(vec![0]);
    }
    let places = integers(bytes, length.checked_add(1).ok_or(SHORT)?, size, true)?;
    let places: Option<Vec<usize>> = places.into_iter().map(|place| usize::try_from(place).ok()).collect();
    places.filter(|places| places.is_sorted()).ok_or_else(|| OUTSIDE.to_owned())
}

fn utf8(bytes: &[u8]) -> Result<&str, &'static str> {
    std::str::from_utf8(bytes).map_err(|_| "a text is not UTF-8")
}
