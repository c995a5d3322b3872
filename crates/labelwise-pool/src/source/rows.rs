//! Files that are read row by row: cells go to the tables and columns that want them.

use super::cell::{Cell, list_in};
use super::{Empty, Field, Loaded, Selection, empty};
use crate::error::Result;
use crate::error::{CellFault, RowFault};
use crate::limits::{self, Budget, Meter};
use crate::offences::Offences;

/// Collects cells row by row.
#[derive(Debug)]
pub(crate) struct RowWriter<'a> {
    fields: &'a [Field],
    routes: Vec<Vec<Target>>,
    /// Whether the current row has a cell for each field.
    filled: Vec<bool>,
    loaded: Loaded,
    offences: &'a mut Offences,
    meter: Meter<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Target {
    /// A number of a table.
    Number { block: usize, column: usize },
    /// A whole row of a table.
    List { block: usize },
    /// A single value.
    Value { column: usize, empty: Empty },
}

impl<'a> RowWriter<'a> {
    pub(crate) fn new(
        fields: &'a [Field],
        wanted: &Selection,
        offences: &'a mut Offences,
        budget: &'a Budget,
    ) -> Self {
        let loaded = empty(wanted, fields);
        let mut routes = vec![Vec::new(); fields.len()];
        let mut route = |field: usize, target| {
            if let Some(targets) = routes.get_mut(field) {
                targets.push(target);
            }
        };
        for (block, table) in wanted.blocks.iter().enumerate() {
            for (column, &field) in table.fields.iter().enumerate() {
                route(
                    field,
                    if table.lists { Target::List { block } } else { Target::Number { block, column } },
                );
            }
        }
        for (column, &one) in wanted.columns.iter().enumerate() {
            route(one.field, Target::Value { column, empty: one.empty });
        }
        let (filled, meter) = (vec![false; routes.len()], Meter::new(budget));
        Self { fields, filled, routes, loaded, offences, meter }
    }

    /// Whether a field is wanted.
    pub(crate) fn wants(&self, field: usize) -> bool {
        self.routes.get(field).is_some_and(|targets| !targets.is_empty())
    }

    /// Begins the next row.
    pub(crate) fn begin(&mut self) -> Result<()> {
        self.filled.fill(false);
        let rows = self.loaded.rows + 1;
        self.meter.add(self.loaded.row_cost().of(self.loaded.rows, 1))?;
        for block in &mut self.loaded.blocks {
            block.resize(rows)?;
        }
        Ok(())
    }

    /// Sets the first line of the row.
    pub(crate) fn at_line(&mut self, line: u64) {
        self.loaded.places.begin(self.loaded.rows, line);
    }

    /// Adds a cell to the row. A second cell of the same field is ignored.
    pub(crate) fn put(&mut self, field: usize, cell: &Cell<'_>) -> Result<()> {
        match self.filled.get_mut(field) {
            Some(filled) if !*filled => *filled = true,
            _ => return Ok(()),
        }
        let name = self.fields.get(field).map_or("", |field| field.name.as_str());
        let row = self.loaded.rows;
        for &target in self.routes.get(field).map(Vec::as_slice).unwrap_or_default() {
            let refused = match target {
                Target::Number { block, column } => match cell.number() {
                    Some(number) => {
                        if let Some(block) = self.loaded.blocks.get_mut(block) {
                            block.put(row, column, number);
                        }
                        None
                    }
                    None => Some(not_a(cell, "number")),
                },
                Target::List { block } => put_list(&mut self.loaded, block, row, cell, &mut self.meter)?,
                Target::Value { column, empty } => {
                    if let Cell::Text(text) = cell {
                        self.meter.add(text.len() as u64)?;
                    }
                    put_value(&mut self.loaded, column, empty, cell)
                }
            };
            if let Some(fault) = refused {
                self.offences.note(row, || RowFault::cell(name, fault));
            }
        }
        Ok(())
    }

    /// Marks the current row as invalid.
    pub(crate) fn refuse(&mut self, fault: impl FnOnce() -> RowFault) {
        self.offences.note(self.loaded.rows, fault);
    }

    /// Ends the row. False if enough invalid rows are known, so that reading can stop.
    pub(crate) fn end(&mut self) -> Result<bool> {
        for field in 0..self.filled.len() {
            if self.wants(field) && self.filled.get(field) == Some(&false) {
                self.put(field, &Cell::Nothing)?;
            }
        }
        self.loaded.rows += 1;
        let go_on = !self.offences.full();
        if !go_on {
            self.offences.stopped();
        }
        Ok(go_on)
    }

    pub(crate) fn finish(mut self) -> Result<Loaded> {
        self.meter.settle()?;
        Ok(self.loaded)
    }
}

fn put_list(
    loaded: &mut Loaded,
    block: usize,
    row: usize,
    cell: &Cell<'_>,
    meter: &mut Meter<'_>,
) -> Result<Option<CellFault>> {
    let Some(block) = loaded.blocks.get_mut(block) else { return Ok(None) };
    let spelt;
    let numbers = match cell {
        Cell::List(numbers) => numbers,
        Cell::Text(text) => match list_in(text) {
            Some(numbers) => {
                spelt = numbers;
                &spelt
            }
            None => return Ok(Some(not_a(cell, "list of numbers"))),
        },
        // One number is a list of one, as it is where a text spells it.
        Cell::Number(_) | Cell::Integer(_) => {
            spelt = cell.number().into_iter().collect();
            &spelt
        }
        _ => return Ok(Some(not_a(cell, "list of numbers"))),
    };
    if numbers.len() > limits::COLUMNS {
        return Ok(Some(CellFault::TooWide { most: limits::COLUMNS }));
    }
    if block.columns() == 0 && !numbers.is_empty() {
        block.widen_to(numbers.len());
        // Rows before this one had no list, and get their numbers now.
        meter.add(block.row_bytes().saturating_mul(row as u64 + 1))?;
        block.resize(row + 1)?;
    }
    if numbers.len() != block.columns() {
        return Ok(Some(CellFault::Length { found: numbers.len(), expected: block.columns() }));
    }
    block.put_rows(row, numbers);
    Ok(None)
}

fn put_value(loaded: &mut Loaded, column: usize, empty: Empty, cell: &Cell<'_>) -> Option<CellFault> {
    let column = loaded.columns.get_mut(column)?;
    if cell.is_empty() {
        column.push_text("");
        return (empty == Empty::Refused).then(|| not_a(cell, "value"));
    }
    match cell {
        Cell::Integer(value) => column.push_integer(*value),
        Cell::Number(value) => column.push_number(*value),
        Cell::Text(text) if text.len() as u64 > limits::LINE => {
            column.push_text("");
            return Some(CellFault::Long { bytes: text.len(), most: limits::LINE });
        }
        Cell::Text(text) => column.push_text(text),
        Cell::Truth(truth) => column.push_text(if *truth { "true" } else { "false" }),
        Cell::Nothing | Cell::List(_) | Cell::Other => {
            column.push_text("");
            return Some(not_a(cell, "single value"));
        }
    }
    None
}

fn not_a(cell: &Cell<'_>, wanted: &'static str) -> CellFault {
    let value = match cell {
        cell if cell.is_empty() => return CellFault::Empty,
        Cell::Text(text) => return CellFault::text(text, wanted),
        Cell::Nothing | Cell::Other => return CellFault::Other { wanted },
        Cell::List(_) => "a list".to_owned(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Integer(value) => value.to_string(),
        Cell::Number(value) => value.to_string(),
    };
    CellFault::Value { value, wanted }
}
