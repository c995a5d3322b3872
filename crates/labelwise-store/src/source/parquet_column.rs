//! A run of rows of one Parquet column, into the table or column that wants it.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result as ParquetResult};

use super::{Empty, Loaded};
use crate::block::{Block, Number};
use crate::column::Column;
use crate::error::{CellFault, Result, RowFault};
use crate::offences::Offences;

/// Where the values of a column go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    Number { block: usize, column: usize },
    List { block: usize },
    Value { column: usize, empty: Empty },
}

/// Memory that is used again for every run.
#[derive(Default)]
pub(super) struct Buffers {
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    f32s: Vec<f32>,
    f64s: Vec<f64>,
    i32s: Vec<i32>,
    i64s: Vec<i64>,
    bools: Vec<bool>,
    texts: Vec<ByteArray>,
}

/// Levels of a run, and how deep a value lies.
struct Levels<'a> {
    definitions: &'a mut Vec<i16>,
    repetitions: &'a mut Vec<i16>,
    deepest: i16,
}

/// Reads a run of rows; the number of rows that there were.
pub(super) fn read_into(
    reader: &mut ColumnReader,
    deepest: i16,
    rows: usize,
    target: Target,
    name: &str,
    buffers: &mut Buffers,
    (loaded, offences): (&mut Loaded, &mut Offences),
) -> ParquetResult<Result<usize>> {
    let Buffers { definitions, repetitions, f32s, f64s, i32s, i64s, bools, texts } = buffers;
    let mut levels = Levels { definitions, repetitions, deepest };
    let mut sink = Sink { loaded, offences, target, name };
    Ok(match reader {
        ColumnReader::FloatColumnReader(reader) => {
            let read = run(reader, rows, &mut levels, f32s)?;
            sink.numbers(read, &levels, f32s, |column, value| column.push_number(value.into())).map(|()| read)
        }
        ColumnReader::DoubleColumnReader(reader) => {
            let read = run(reader, rows, &mut levels, f64s)?;
            sink.numbers(read, &levels, f64s, Column::push_number).map(|()| read)
        }
        ColumnReader::Int32ColumnReader(reader) => {
            let read = run(reader, rows, &mut levels, i32s)?;
            sink.numbers(read, &levels, i32s, |column, value| column.push_integer(value.into()))
                .map(|()| read)
        }
        ColumnReader::Int64ColumnReader(reader) => {
            let read = run(reader, rows, &mut levels, i64s)?;
            sink.numbers(read, &levels, i64s, Column::push_integer).map(|()| read)
        }
        ColumnReader::BoolColumnReader(reader) => {
            let read = run(reader, rows, &mut levels, bools)?;
            let numbers: Vec<u8> = bools.iter().map(|&truth| u8::from(truth)).collect();
            let push =
                |column: &mut Column, truth| column.push_text(if truth == 0 { "false" } else { "true" });
            sink.numbers(read, &levels, &numbers, push).map(|()| read)
        }
        ColumnReader::ByteArrayColumnReader(reader) => {
            let read = run(reader, rows, &mut levels, texts)?;
            sink.texts(read, &levels, texts);
            Ok(read)
        }
        _ => return Err(ParquetError::General("a column of a kind that is not read".to_owned())),
    })
}

fn run<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Levels<'_>,
    values: &mut Vec<T::T>,
) -> ParquetResult<usize> {
    levels.definitions.clear();
    levels.repetitions.clear();
    values.clear();
    let (definitions, repetitions) = (Some(&mut *levels.definitions), Some(&mut *levels.repetitions));
    reader.read_records(rows, definitions, repetitions, values).map(|(records, _, _)| records)
}

struct Sink<'a> {
    loaded: &'a mut Loaded,
    offences: &'a mut Offences,
    target: Target,
    name: &'a str,
}

impl Sink<'_> {
    fn numbers<N: Number>(
        &mut self,
        rows: usize,
        levels: &Levels<'_>,
        values: &[N],
        push: impl Fn(&mut Column, N),
    ) -> Result<()> {
        let first = self.loaded.rows;
        match self.target {
            Target::Number { block, column } => {
                let Some(block) = self.loaded.blocks.get_mut(block) else { return Ok(()) };
                if values.len() == rows {
                    block.put_run(first, column, values);
                    return Ok(());
                }
                each(rows, levels, values, |row, value| match value {
                    Some(&value) => block.put(first + row, column, value),
                    None => self.offences.note(first + row, || RowFault::cell(self.name, CellFault::Empty)),
                });
            }
            Target::List { block } => {
                let Some(block) = self.loaded.blocks.get_mut(block) else { return Ok(()) };
                lists(block, first, rows, levels, values, self.name, self.offences)?;
            }
            Target::Value { column, empty } => {
                let Some(column) = self.loaded.columns.get_mut(column) else { return Ok(()) };
                each(rows, levels, values, |row, value| match value {
                    Some(&value) => push(column, value),
                    None => {
                        column.push_text("");
                        if empty == Empty::Refused {
                            self.offences.note(first + row, || RowFault::cell(self.name, CellFault::Empty));
                        }
                    }
                });
            }
        }
        Ok(())
    }

    fn texts(&mut self, rows: usize, levels: &Levels<'_>, values: &[ByteArray]) {
        let first = self.loaded.rows;
        let (name, offences) = (self.name, &mut *self.offences);
        each(rows, levels, values, |row, value| {
            let text = value.map(|value| std::str::from_utf8(value.data()));
            match (self.target, text) {
                (Target::Value { column, .. }, Some(Ok(text))) => {
                    if let Some(column) = self.loaded.columns.get_mut(column) {
                        column.push_text(text);
                    }
                }
                (Target::Value { column, empty }, text) => {
                    if let Some(column) = self.loaded.columns.get_mut(column) {
                        column.push_text("");
                    }
                    match text {
                        Some(_) => offences.note(first + row, || RowFault::cell(name, CellFault::NotUtf8)),
                        None if empty == Empty::Kept => {}
                        None => offences.note(first + row, || RowFault::cell(name, CellFault::Empty)),
                    }
                }
                (Target::Number { block, column }, Some(Ok(text))) => match text.trim().parse::<f64>() {
                    Ok(number) => {
                        if let Some(block) = self.loaded.blocks.get_mut(block) {
                            block.put(first + row, column, number);
                        }
                    }
                    Err(_) => offences.note(first + row, || {
                        RowFault::cell(name, CellFault::Text { text: text.to_owned(), wanted: "number" })
                    }),
                },
                _ => {
                    offences.note(first + row, || RowFault::cell(name, CellFault::Other { wanted: "number" }))
                }
            }
        });
    }
}

/// Calls `f` with every row and its value, if it has one.
fn each<'v, V>(rows: usize, levels: &Levels<'_>, values: &'v [V], mut f: impl FnMut(usize, Option<&'v V>)) {
    if values.len() == rows {
        (0..rows).zip(values).for_each(|(row, value)| f(row, Some(value)));
        return;
    }
    let mut values = values.iter();
    for (row, &level) in (0..rows).zip(levels.definitions.iter()) {
        f(row, if level == levels.deepest { values.next() } else { None });
    }
}

/// Rows of a table from a column of lists.
fn lists<N: Number>(
    block: &mut Block,
    first: usize,
    rows: usize,
    levels: &Levels<'_>,
    values: &[N],
    name: &str,
    offences: &mut Offences,
) -> Result<()> {
    let lengths = levels.repetitions.chunk_by(|_, &next| next != 0).map(<[i16]>::len);
    if block.columns() == 0 {
        block.widen_to(first_whole(lengths.clone(), levels));
    }
    block.resize(first + rows)?;
    let width = block.columns();
    if values.len() == levels.definitions.len() && lengths.clone().all(|length| length == width) {
        block.put_rows(first, values);
        return Ok(());
    }
    let (mut level, mut value) = (0, 0);
    for (row, length) in (first..first + rows).zip(lengths) {
        let of_row = levels.definitions.get(level..level + length).unwrap_or_default();
        let held = of_row.iter().filter(|&&definition| definition == levels.deepest).count();
        if held != length {
            offences.note(row, || RowFault::cell(name, CellFault::EmptyPlace));
        } else if length != width {
            offences.note(row, || RowFault::cell(name, CellFault::Length { found: length, expected: width }));
        } else {
            block.put_rows(row, values.get(value..value + held).unwrap_or_default());
        }
        level += length;
        value += held;
    }
    Ok(())
}

/// How long the first list is that is there; one that is empty takes a level too.
fn first_whole(lengths: impl Iterator<Item = usize>, levels: &Levels<'_>) -> usize {
    let mut start = 0;
    for length in lengths {
        let of_row = levels.definitions.get(start..start + length).unwrap_or_default();
        if of_row.iter().all(|&definition| definition == levels.deepest) {
            return length;
        }
        start += length;
    }
    0
}
