//! Record batches of Arrow into the tables and columns that want them.
//!
//! Arrow files, Parquet files and tables of other libraries in memory all arrive as batches. This module decides for
//! all of them which types are read and what a null means.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};

use self::values::Values;
use super::cell::Cell;
use super::{Empty, Field, Kind, Loaded, Selection, too_wide};
use crate::block::{Block, Number, Part};
use crate::column::Column;
use crate::error::{CellFault, RowFault};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::{self, Budget, Meter};
use crate::offences::Offences;

mod values;

/// Number of rows that are written to a table at a time: all their columns stay in the cache.
pub(crate) const RUN: usize = 8192;

/// The columns of a schema.
pub(crate) fn fields(schema: &Schema) -> Vec<Field> {
    let field =
        |field: &arrow_schema::FieldRef| Field { name: field.name().clone(), kind: kind(field.data_type()) };
    schema.fields().iter().map(field).collect()
}

/// The type of a column, in our terms.
pub(crate) fn kind(data_type: &DataType) -> Kind {
    match data_type {
        DataType::Float16 | DataType::Float32 => Kind::Single,
        DataType::Float64 | DataType::Boolean => Kind::Number,
        DataType::Interval(_) => Kind::Other,
        // Times are whole numbers of their unit.
        whole if whole.is_integer() || whole.is_temporal() => Kind::Number,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Kind::Text,
        DataType::Dictionary(_, entries) => match kind(entries) {
            known @ (Kind::Text | Kind::Single | Kind::Number) => known,
            _ => Kind::Other,
        },
        // Lists without items need no bytes, so a file could declare any number of rows.
        DataType::FixedSizeList(_, ..=0) => Kind::Other,
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            match kind(item.data_type()) {
                Kind::Single => Kind::SingleList,
                Kind::Number if *item.data_type() != DataType::Boolean => Kind::List,
                _ => Kind::Other,
            }
        }
        _ => Kind::Other,
    }
}

/// Collects batches of the wanted columns, in the order of [`Selection::places`].
pub(crate) struct Sink<'a> {
    path: &'a Path,
    format: Format,
    fields: &'a [Field],
    wanted: &'a Selection,
    places: Vec<usize>,
    budget: &'a Budget,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(
        (path, format): (&'a Path, Format),
        fields: &'a [Field],
        wanted: &'a Selection,
        budget: &'a Budget,
    ) -> Self {
        Self { path, format, fields, wanted, places: wanted.places(), budget }
    }

    /// The columns that batches must hold, in order.
    pub(crate) fn places(&self) -> &[usize] {
        &self.places
    }

    pub(crate) fn damaged(&self, reason: impl Into<String>) -> Error {
        Error::Damaged { path: self.path.to_owned(), format: self.format, reason: reason.into() }
    }

    /// Appends the rows of a batch.
    pub(crate) fn append(
        &self,
        batch: &RecordBatch,
        loaded: &mut Loaded,
        offences: &mut Offences,
    ) -> Result<()> {
        let (first, rows) = (loaded.rows, batch.num_rows());
        for (block, table) in loaded.blocks.iter_mut().zip(&self.wanted.blocks) {
            if let (0, true, [field]) = (block.columns(), table.lists, table.fields.as_slice()) {
                let width = first_length(self.column(batch, *field)?.1);
                if width > limits::COLUMNS {
                    return Err(too_wide(self.path, width));
                }
                block.widen_to(width);
                // Rows before these had no list, and get their numbers now.
                self.budget.take(block.row_bytes().saturating_mul(first as u64))?;
            }
        }
        self.budget.take(loaded.row_cost().of(first, rows))?;
        for block in &mut loaded.blocks {
            block.resize(first + rows)?;
        }
        let mut parts: Vec<Part<'_>> = loaded.blocks.iter_mut().map(Block::part).collect();
        for start in (0..rows).step_by(RUN) {
            let run = batch.slice(start, RUN.min(rows - start));
            self.fill(&run, first + start, &mut parts, &mut loaded.columns, offences)?;
        }
        loaded.rows += rows;
        Ok(())
    }

    /// Writes a run of rows at their place in tables, and adds them to columns.
    pub(crate) fn fill(
        &self,
        run: &RecordBatch,
        first: usize,
        parts: &mut [Part<'_>],
        columns: &mut [Column],
        offences: &mut Offences,
    ) -> Result<()> {
        for (part, table) in parts.iter_mut().zip(&self.wanted.blocks) {
            for (place, &field) in table.fields.iter().enumerate() {
                let (name, array) = self.column(run, field)?;
                let mut note = |row: usize, fault: CellFault| {
                    offences.note(first + row, || RowFault::cell(name, fault));
                };
                match lists_of(array) {
                    Some(lists) if table.lists => put_lists(part, first, array, &lists, &mut note),
                    _ => put_numbers(part, first, place, array, &mut note),
                }
            }
        }
        for (column, one) in columns.iter_mut().zip(&self.wanted.columns) {
            let (name, array) = self.column(run, one.field)?;
            let note = |row: usize, fault: CellFault| {
                offences.note(first + row, || RowFault::cell(name, fault));
            };
            self.push(column, one.empty, array, note)?;
        }
        Ok(())
    }

    fn column<'b>(&self, batch: &'b RecordBatch, field: usize) -> Result<(&'a str, &'b ArrayRef)> {
        let array = self.places.binary_search(&field).ok().and_then(|at| batch.columns().get(at));
        let array = array.ok_or_else(|| self.damaged("a batch does not have a column of its schema"))?;
        Ok((self.fields.get(field).map_or("", |field| field.name.as_str()), array))
    }

    fn push(
        &self,
        column: &mut Column,
        empty: Empty,
        array: &ArrayRef,
        mut note: impl FnMut(usize, CellFault),
    ) -> Result<()> {
        let values = Values::of(array);
        if let (Column::Integers(all), Values::Integers(more)) = (&mut *column, &values)
            && more.null_count() == 0
        {
            all.extend_from_slice(more.values());
            return Ok(());
        }
        let mut meter = Meter::new(self.budget);
        for row in 0..array.len() {
            match values.cell(row) {
                Cell::Integer(value) => column.push_integer(value),
                Cell::Number(value) => column.push_number(value),
                Cell::Truth(truth) => column.push_text(if truth { "true" } else { "false" }),
                Cell::Text(text) if text.len() as u64 > limits::LINE => {
                    column.push_text("");
                    note(row, CellFault::Long { bytes: text.len(), most: limits::LINE });
                }
                Cell::Text(text) => {
                    // A dictionary with a few texts can describe any number of rows.
                    meter.add(text.len() as u64)?;
                    column.push_text(&text);
                }
                Cell::Nothing => {
                    column.push_text("");
                    if empty == Empty::Refused {
                        note(row, CellFault::Empty);
                    }
                }
                Cell::List(_) | Cell::Other => {
                    column.push_text("");
                    note(row, CellFault::NotUtf8);
                }
            }
        }
        meter.settle()
    }
}

/// Writes a run of rows of one column of a table.
fn put_numbers(
    part: &mut Part<'_>,
    first: usize,
    place: usize,
    array: &ArrayRef,
    note: &mut impl FnMut(usize, CellFault),
) {
    let values = Values::of(array);
    match &values {
        Values::Singles(values) => part.put_run(first, place, values.values()),
        Values::Doubles(values) => part.put_run(first, place, values.values()),
        Values::Integers(values) => part.put_run(first, place, values.values()),
        Values::Unsigned(values) => part.put_run(first, place, values.values()),
        Values::Truths(truths) => {
            let bits: Vec<u8> = truths.values().iter().map(u8::from).collect();
            part.put_run(first, place, &bits);
        }
        Values::Texts(_) | Values::Other => {
            for row in 0..array.len() {
                let cell = values.cell(row);
                match (cell.number(), &cell) {
                    (Some(number), _) => part.put_run(first + row, place, &[number]),
                    (None, Cell::Nothing) => note(row, CellFault::Empty),
                    (None, Cell::Text(text)) => note(row, CellFault::text(text, "number")),
                    (None, _) => note(row, CellFault::Other { wanted: "number" }),
                }
            }
            return;
        }
    }
    if array.null_count() > 0 {
        for row in (0..array.len()).filter(|&row| array.is_null(row)) {
            part.put_run(first + row, place, &[f64::NAN]);
            note(row, CellFault::Empty);
        }
    }
}

/// The offsets and the items of a column of lists; none if it is not one.
fn lists_of(array: &ArrayRef) -> Option<(Vec<usize>, ArrayRef)> {
    let places: Vec<usize>;
    let items = match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            places = lists.value_offsets().iter().filter_map(|&at| usize::try_from(at).ok()).collect();
            lists.values()
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            places = lists.value_offsets().iter().filter_map(|&at| usize::try_from(at).ok()).collect();
            lists.values()
        }
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).ok()?;
            places = (0..=array.len()).map(|row| row * size).collect();
            array.as_fixed_size_list().values()
        }
        _ => return None,
    };
    // A slice of a column of lists keeps the items of all of them.
    let (start, end) = (*places.first()?, *places.last()?);
    let places = places.into_iter().map(|place| place - start).collect();
    Some((places, items.slice(start, end - start)))
}

/// Length of the first list that is not null.
fn first_length(array: &ArrayRef) -> usize {
    let Some((places, _)) = lists_of(array) else { return 0 };
    let mut lengths = places.iter().zip(places.iter().skip(1)).map(|(start, end)| end - start).enumerate();
    lengths.find(|&(row, _)| array.is_valid(row)).map_or(0, |(_, length)| length)
}

/// Writes a run of rows of a table from a column of lists.
fn put_lists(
    part: &mut Part<'_>,
    first: usize,
    lists: &ArrayRef,
    (places, items): &(Vec<usize>, ArrayRef),
    note: &mut impl FnMut(usize, CellFault),
) {
    let mut put = ListWriter { part, first, places, lists, items };
    match Values::of(items) {
        Values::Singles(values) => put.rows(values.values(), note),
        Values::Doubles(values) => put.rows(values.values(), note),
        Values::Integers(values) => put.rows(values.values(), note),
        Values::Unsigned(values) => put.rows(values.values(), note),
        Values::Truths(_) | Values::Texts(_) | Values::Other => {}
    }
}

struct ListWriter<'a, 'p> {
    part: &'a mut Part<'p>,
    first: usize,
    places: &'a [usize],
    lists: &'a ArrayRef,
    items: &'a ArrayRef,
}

impl ListWriter<'_, '_> {
    fn rows<N: Number>(&mut self, values: &[N], note: &mut impl FnMut(usize, CellFault)) {
        let width = self.part.columns();
        let has_nulls = self.lists.null_count() + self.items.null_count() > 0;
        for (row, (&start, &end)) in self.places.iter().zip(self.places.iter().skip(1)).enumerate() {
            let length = end - start;
            let empty = || self.lists.is_null(row) || (start..end).any(|item| self.items.is_null(item));
            if has_nulls && empty() {
                note(row, CellFault::EmptyPlace);
            } else if length != width {
                note(row, CellFault::Length { found: length, expected: width });
            } else {
                self.part.put_rows(self.first + row, values.get(start..end).unwrap_or_default());
            }
        }
    }
}
