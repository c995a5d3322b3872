//! Values of a batch, into the tables and columns that want them.

use super::batch::{Array, Values};
use crate::block::{Block, Number};
use crate::column::Column;
use crate::error::{CellFault, Result, RowFault};
use crate::offences::Offences;
use crate::source::{Empty, Loaded, Wanted};

/// Puts one column of a batch wherever it is wanted.
#[allow(clippy::too_many_arguments, reason = "one call, which gathers what two loops know")]
pub(super) fn put(
    loaded: &mut Loaded,
    wanted: &Wanted,
    field: usize,
    name: &str,
    rows: usize,
    array: &Array,
    entries: Option<&Array>,
    offences: &mut Offences,
) -> Result<()> {
    let first = loaded.rows;
    for (block, table) in loaded.blocks.iter_mut().zip(&wanted.blocks) {
        for (place, _) in table.fields.iter().enumerate().filter(|&(_, &other)| other == field) {
            match (&array.values, table.lists) {
                (Values::Lists(ends, items), true) => {
                    put_lists(block, first, name, ends, array, items, offences)?
                }
                _ => {
                    block.resize(first + rows)?;
                    put_numbers(block, first, place, name, array, entries, offences);
                }
            }
        }
    }
    for (column, one) in loaded.columns.iter_mut().zip(&wanted.columns).filter(|(_, one)| one.field == field)
    {
        for row in 0..rows {
            let value = text_or_number(array, entries, row);
            match value {
                Value::Integer(value) => column.push_integer(value),
                Value::Number(value) => column.push_number(value),
                Value::Text(text) => column.push_text(text),
                Value::Nothing => {
                    column.push_text("");
                    if one.empty == Empty::Refused {
                        offences.note(first + row, || RowFault::cell(name, CellFault::Empty));
                    }
                }
            }
        }
    }
    Ok(())
}

enum Value<'a> {
    Integer(i64),
    Number(f64),
    Text(&'a str),
    Nothing,
}

fn text_or_number<'a>(array: &'a Array, entries: Option<&'a Array>, row: usize) -> Value<'a> {
    if !array.is_valid(row) {
        return Value::Nothing;
    }
    let found = match &array.values {
        Values::F32(values) => values.get(row).map(|&value| Value::Number(value.into())),
        Values::F64(values) => values.get(row).map(|&value| Value::Number(value)),
        Values::I64(values) => values.get(row).and_then(|&value| match entries {
            Some(entries) => Some(text_or_number(entries, None, usize::try_from(value).ok()?)),
            None => Some(Value::Integer(value)),
        }),
        Values::Truth(values) => {
            values.get(row).map(|&bit| Value::Text(if bit == 0 { "false" } else { "true" }))
        }
        Values::Texts(texts) => texts.get(row).map(Value::Text),
        Values::Lists(..) => None,
    };
    found.unwrap_or(Value::Nothing)
}

fn put_numbers(
    block: &mut Block,
    first: usize,
    place: usize,
    name: &str,
    array: &Array,
    entries: Option<&Array>,
    offences: &mut Offences,
) {
    let rows = array.values.len();
    if array.all_valid(0..rows) && entries.is_none() {
        match &array.values {
            Values::F32(values) => return block.put_run(first, place, values),
            Values::F64(values) => return block.put_run(first, place, values),
            Values::I64(values) => return block.put_run(first, place, values),
            Values::Truth(values) => return block.put_run(first, place, values),
            Values::Texts(_) | Values::Lists(..) => {}
        }
    }
    for row in 0..rows {
        let number = match text_or_number(array, entries, row) {
            Value::Nothing => {
                offences.note(first + row, || RowFault::cell(name, CellFault::Empty));
                continue;
            }
            Value::Text(text) => {
                let mut column = Column::default();
                column.push_text(text);
                column.number(0)
            }
            Value::Number(number) => Some(number),
            Value::Integer(value) => Some(value.wide()),
        };
        match number {
            Some(number) => block.put(first + row, place, number),
            None => {
                offences.note(first + row, || RowFault::cell(name, CellFault::Other { wanted: "number" }))
            }
        }
    }
}

fn put_lists(
    block: &mut Block,
    first: usize,
    name: &str,
    ends: &[usize],
    lists: &Array,
    items: &Array,
    offences: &mut Offences,
) -> Result<()> {
    match &items.values {
        Values::F32(values) => put_rows(block, first, name, ends, (lists, items), values, offences),
        Values::F64(values) => put_rows(block, first, name, ends, (lists, items), values, offences),
        Values::I64(values) => put_rows(block, first, name, ends, (lists, items), values, offences),
        _ => Ok(()),
    }
}

fn put_rows<N: Number>(
    block: &mut Block,
    first: usize,
    name: &str,
    ends: &[usize],
    (lists, items): (&Array, &Array),
    values: &[N],
    offences: &mut Offences,
) -> Result<()> {
    let ranges = || ends.iter().zip(ends.iter().skip(1)).map(|(&start, &end)| start..end).enumerate();
    if block.columns() == 0 {
        block.widen_to(ranges().find(|(row, _)| lists.is_valid(*row)).map_or(0, |(_, range)| range.len()));
    }
    block.resize(first + ends.len().saturating_sub(1))?;
    let width = block.columns();
    for (row, range) in ranges() {
        let length = range.len();
        if !lists.is_valid(row) || !items.all_valid(range.clone()) {
            offences.note(first + row, || RowFault::cell(name, CellFault::EmptyPlace));
            continue;
        }
        match values.get(range) {
            Some(numbers) if length == width => block.put_rows(first + row, numbers),
            _ => offences.note(first + row, || {
                RowFault::cell(name, CellFault::Length { found: length, expected: width })
            }),
        }
    }
    Ok(())
}
