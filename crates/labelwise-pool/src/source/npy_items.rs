//! The items of a NumPy array, in pieces, into a table or a column.

use std::io::Read;

use super::Empty;
use super::npy::{Header, Item};
use crate::block::{Block, Number};
use crate::column::Column;
use crate::error::Result;
use crate::error::RowFault;
use crate::limits::{Budget, Meter};
use crate::offences::Offences;

/// Number of items that are converted at a time.
const PIECE: usize = 1 << 14;

/// Reads all items of an array into a table, or into one of its columns.
pub(super) fn fill_block(
    reader: &mut impl Read,
    header: &Header,
    block: &mut Block,
    column: Option<usize>,
    offences: &mut Offences,
    budget: &Budget,
) -> Result<Result<(), String>> {
    block.resize(header.rows())?;
    let (rows, columns) = (header.rows(), header.columns());
    let mut place = 0;
    let big = header.big_endian;
    let mut texts = Column::Texts(crate::Strings::default());
    Ok(match header.item {
        Item::Float(2) => numbers(
            reader,
            header,
            |bytes| half(number(bytes, big, u16::from_be_bytes)),
            |items| {
                put(block, column, &mut place, (rows, columns, header.fortran), items);
            },
        ),
        Item::Float(4) => numbers(
            reader,
            header,
            |bytes| number(bytes, big, f32::from_be_bytes),
            |items| {
                put(block, column, &mut place, (rows, columns, header.fortran), items);
            },
        ),
        Item::Float(_) => numbers(
            reader,
            header,
            |bytes| number(bytes, big, f64::from_be_bytes),
            |items| {
                put(block, column, &mut place, (rows, columns, header.fortran), items);
            },
        ),
        Item::Signed(_) | Item::Unsigned(_) | Item::Truth => numbers(
            reader,
            header,
            |bytes| integer(bytes, header),
            |items| {
                put(block, column, &mut place, (rows, columns, header.fortran), items);
            },
        ),
        Item::Text(_) | Item::Bytes(_) => {
            fill_column(reader, header, &mut texts, Empty::Kept, offences, budget).map(|()| {
                for row in 0..rows {
                    match texts.number(row) {
                        Some(number) => block.put(row, column.unwrap_or(0), number),
                        None => offences.note(row, || RowFault::NotANumber),
                    }
                }
            })
        }
    })
}

fn put<N: Number>(
    block: &mut Block,
    column: Option<usize>,
    place: &mut usize,
    (rows, columns, fortran): (usize, usize, bool),
    mut items: &[N],
) {
    if let Some(column) = column {
        block.put_run(*place, column, items);
        *place += items.len();
        return;
    }
    if !fortran {
        // A piece can end inside a row.
        for item in items {
            block.put(*place / columns.max(1), *place % columns.max(1), *item);
            *place += 1;
        }
        return;
    }
    while !items.is_empty() && rows > 0 {
        let (row, column) = (*place % rows, *place / rows);
        let (run, rest) = items.split_at(items.len().min(rows - row));
        block.put_run(row, column, run);
        *place += run.len();
        items = rest;
    }
}

/// Reads all items of an array into a column of single values.
pub(super) fn fill_column(
    reader: &mut impl Read,
    header: &Header,
    column: &mut Column,
    empty: Empty,
    offences: &mut Offences,
    budget: &Budget,
) -> Result<(), String> {
    let big = header.big_endian;
    match header.item {
        Item::Float(2) => numbers(
            reader,
            header,
            |bytes| half(number(bytes, big, u16::from_be_bytes)),
            |items| {
                items.iter().for_each(|&item| column.push_number(f64::from(item)));
            },
        ),
        Item::Float(4) => numbers(
            reader,
            header,
            |bytes| number(bytes, big, f32::from_be_bytes),
            |items| {
                items.iter().for_each(|&item| column.push_number(f64::from(item)));
            },
        ),
        Item::Float(_) => numbers(
            reader,
            header,
            |bytes| number(bytes, big, f64::from_be_bytes),
            |items| {
                items.iter().for_each(|&item| column.push_number(item));
            },
        ),
        Item::Signed(_) | Item::Unsigned(_) | Item::Truth => numbers(
            reader,
            header,
            |bytes| integer(bytes, header),
            |items| {
                items.iter().for_each(|&item| column.push_integer(item));
            },
        ),
        Item::Text(size) | Item::Bytes(size) => {
            let wide = matches!(header.item, Item::Text(_));
            let mut bytes = vec![0; size];
            let mut meter = Meter::new(budget);
            for row in 0..header.rows() {
                reader.read_exact(&mut bytes).map_err(|error| error.to_string())?;
                let text = if wide { utf32(&bytes, big) } else { utf8(&bytes) };
                let letters = text.as_ref().map_or(0, String::len) as u64;
                meter.add(letters).map_err(|error| error.to_string())?;
                column.push_text(text.as_deref().unwrap_or_default());
                match text.as_deref() {
                    Some("") if empty == Empty::Refused => offences.note(row, || RowFault::EmptyText),
                    None => offences.note(row, || RowFault::NotUnicode),
                    _ => {}
                }
            }
            meter.settle().map_err(|error| error.to_string())
        }
    }
}

fn numbers<N>(
    reader: &mut impl Read,
    header: &Header,
    convert: impl Fn(&[u8]) -> N,
    mut take: impl FnMut(&[N]),
) -> Result<(), String> {
    let size = header.item.size();
    let mut left = header.shape.iter().product::<usize>();
    let mut bytes = vec![0; PIECE * size];
    let mut items = Vec::with_capacity(PIECE);
    while left > 0 {
        let piece = left.min(PIECE);
        let filled = bytes.get_mut(..piece * size).unwrap_or_default();
        reader.read_exact(filled).map_err(|error| error.to_string())?;
        items.clear();
        items.extend(filled.chunks_exact(size).map(&convert));
        take(&items);
        left -= piece;
    }
    Ok(())
}

/// A number from its bytes in either order.
fn number<const SIZE: usize, N>(bytes: &[u8], big_endian: bool, convert: impl Fn([u8; SIZE]) -> N) -> N {
    let mut array: [u8; SIZE] = bytes.try_into().unwrap_or([0; SIZE]);
    if !big_endian {
        array.reverse();
    }
    convert(array)
}

#[allow(clippy::cast_possible_wrap, reason = "ids and classes beyond 63 bits are not met")]
fn integer(bytes: &[u8], header: &Header) -> i64 {
    let big = header.big_endian;
    match (header.item, bytes) {
        (Item::Signed(_), &[byte]) => i64::from(byte.cast_signed()),
        (_, &[byte]) => i64::from(byte),
        (Item::Signed(2), _) => i64::from(number(bytes, big, i16::from_be_bytes)),
        (Item::Signed(4), _) => i64::from(number(bytes, big, i32::from_be_bytes)),
        (Item::Signed(_), _) => number(bytes, big, i64::from_be_bytes),
        (Item::Unsigned(2), _) => i64::from(number(bytes, big, u16::from_be_bytes)),
        (Item::Unsigned(4), _) => i64::from(number(bytes, big, u32::from_be_bytes)),
        _ => number(bytes, big, u64::from_be_bytes) as i64,
    }
}

/// A half-precision number in single precision, which holds each of them exactly.
pub(super) fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f32::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2.0_f32.powi(exponent - 25),
    }
}

fn utf32(bytes: &[u8], big_endian: bool) -> Option<String> {
    let letters = bytes.chunks_exact(4).map(|bytes| number(bytes, big_endian, u32::from_be_bytes));
    let text: Option<String> = letters.map(char::from_u32).collect();
    text.map(|text| text.trim_end_matches('\0').to_owned())
}

fn utf8(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(text.trim_end_matches('\0').to_owned())
}
