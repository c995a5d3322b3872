//! Blocks of numbers from several columns, row by row.

use std::collections::TryReserveError;
use std::ops::Range;

use labelwise::Matrix;
use labelwise::matrix::Rows;
use rayon::prelude::*;

use crate::error::RowFault;
use crate::error::{Error, Result};
use crate::offences::Offences;

/// Rows that are checked at a time.
const CHECKED: usize = 1 << 14;

/// Rows that are checked in one pass: they stay in the nearest cache.
const RUN: usize = 256;

/// A table of numbers that grows while a file is read. It is f32 as long as all numbers are.
#[derive(Debug, Default)]
pub(crate) struct Block {
    values: Values,
    columns: usize,
}

#[derive(Debug)]
enum Values {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Default for Values {
    fn default() -> Self {
        Self::F32(Vec::new())
    }
}

/// A number as a file holds it.
pub(crate) trait Number: Copy {
    fn narrow(self) -> f32;
    fn wide(self) -> f64;
}

impl Number for f32 {
    fn narrow(self) -> f32 {
        self
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

macro_rules! wide_number {
    ($($kind:ty)*) => {$(
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_lossless,
            reason = "numbers are read in f64, or in f32 when that is asked for")]
        impl Number for $kind {
            fn narrow(self) -> f32 {
                self as f32
            }
            fn wide(self) -> f64 {
                self as f64
            }
        }
    )*};
}
wide_number!(f64 i8 i16 i32 i64 u8 u16 u32 u64);

/// Rows of a table that are filled in place, by one thread.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    cells: Cells<'a>,
    columns: usize,
}

#[derive(Debug)]
enum Cells<'a> {
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
}

impl Part<'_> {
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Sets a run of rows of one column.
    pub(crate) fn put_run<N: Number>(&mut self, row: usize, column: usize, numbers: &[N]) {
        let start = row * self.columns + column;
        let columns = self.columns.max(1);
        match &mut self.cells {
            Cells::F32(cells) => {
                let cells = cells.get_mut(start..).unwrap_or_default().iter_mut().step_by(columns);
                cells.zip(numbers).for_each(|(cell, number)| *cell = number.narrow());
            }
            Cells::F64(cells) => {
                let cells = cells.get_mut(start..).unwrap_or_default().iter_mut().step_by(columns);
                cells.zip(numbers).for_each(|(cell, number)| *cell = number.wide());
            }
        }
    }

    /// Sets numbers in row order, from the start of a row.
    pub(crate) fn put_rows<N: Number>(&mut self, row: usize, numbers: &[N]) {
        let start = row * self.columns;
        match &mut self.cells {
            Cells::F32(cells) => {
                let cells = cells.get_mut(start..).unwrap_or_default().iter_mut();
                cells.zip(numbers).for_each(|(cell, number)| *cell = number.narrow());
            }
            Cells::F64(cells) => {
                let cells = cells.get_mut(start..).unwrap_or_default().iter_mut();
                cells.zip(numbers).for_each(|(cell, number)| *cell = number.wide());
            }
        }
    }
}

/// Zeros for a large table; its memory is touched first by the thread that fills it.
pub(crate) fn zeros<N: Clone + Default>(size: usize) -> Result<Vec<N>, TryReserveError> {
    Vec::<N>::new().try_reserve_exact(size)?;
    Ok(vec![N::default(); size])
}

fn split<N>(mut values: &mut [N], sizes: impl Iterator<Item = usize>) -> Vec<&mut [N]> {
    let parts = sizes.map(|size| {
        let (part, rest) = std::mem::take(&mut values).split_at_mut_checked(size).unwrap_or_default();
        values = rest;
        part
    });
    parts.collect()
}

impl Block {
    /// Makes an empty table hold rows, in parts of `sizes` rows each.
    pub(crate) fn parts(&mut self, rows: usize, sizes: impl Iterator<Item = usize>) -> Result<Vec<Part<'_>>> {
        let columns = self.columns;
        let memory = || Error::Memory { rows, columns };
        let size = rows.checked_mul(columns).ok_or_else(memory)?;
        let sizes = sizes.map(|rows| rows * columns);
        let cells: Vec<Cells<'_>> = match &mut self.values {
            Values::F32(values) => {
                *values = zeros(size).map_err(|_| memory())?;
                split(values, sizes).into_iter().map(Cells::F32).collect()
            }
            Values::F64(values) => {
                *values = zeros(size).map_err(|_| memory())?;
                split(values, sizes).into_iter().map(Cells::F64).collect()
            }
        };
        Ok(cells.into_iter().map(|cells| Part { cells, columns }).collect())
    }

    /// All rows as one part.
    pub(crate) fn part(&mut self) -> Part<'_> {
        let cells = match &mut self.values {
            Values::F32(values) => Cells::F32(values),
            Values::F64(values) => Cells::F64(values),
        };
        Part { cells, columns: self.columns }
    }

    /// An empty table with `columns` columns; with `single`, wider numbers are rounded to f32.
    pub(crate) fn new(columns: usize, is_f32: bool) -> Self {
        let values = if is_f32 { Values::F32(Vec::new()) } else { Values::F64(Vec::new()) };
        Self { values, columns }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Size of a row in bytes.
    pub(crate) fn row_bytes(&self) -> u64 {
        let size = match &self.values {
            Values::F32(_) => 4,
            Values::F64(_) => 8,
        };
        size * self.columns as u64
    }

    /// Takes the number of columns from the first row of a column of lists.
    pub(crate) fn widen_to(&mut self, columns: usize) {
        if self.columns == 0 {
            self.columns = columns;
        }
    }

    /// Number of numbers.
    pub(crate) fn len(&self) -> usize {
        match &self.values {
            Values::F32(values) => values.len(),
            Values::F64(values) => values.len(),
        }
    }

    /// Makes room for rows, so that a large table does not grow by copying.
    pub(crate) fn reserve(&mut self, rows: usize) {
        let numbers = rows.saturating_mul(self.columns).saturating_sub(self.len());
        // A failure happens again, with the same numbers, when rows are added.
        let _ = match &mut self.values {
            Values::F32(values) => values.try_reserve_exact(numbers),
            Values::F64(values) => values.try_reserve_exact(numbers),
        };
    }

    /// Resizes to `rows` rows; new ones are NaN until they are set.
    pub(crate) fn resize(&mut self, rows: usize) -> Result<()> {
        let size = rows.checked_mul(self.columns).ok_or(Error::Memory { rows, columns: self.columns })?;
        let more = size.saturating_sub(self.len());
        let memory = |_| Error::Memory { rows, columns: self.columns };
        match &mut self.values {
            Values::F32(values) => {
                values.try_reserve(more).map_err(memory)?;
                values.resize(size, f32::NAN);
            }
            Values::F64(values) => {
                values.try_reserve(more).map_err(memory)?;
                values.resize(size, f64::NAN);
            }
        }
        Ok(())
    }

    /// Sets one number.
    pub(crate) fn put<N: Number>(&mut self, row: usize, column: usize, number: N) {
        self.put_run(row, column, &[number]);
    }

    /// Sets a run of rows of one column.
    pub(crate) fn put_run<N: Number>(&mut self, row: usize, column: usize, numbers: &[N]) {
        self.part().put_run(row, column, numbers);
    }

    /// Sets numbers in row order, from the start of a row.
    pub(crate) fn put_rows<N: Number>(&mut self, row: usize, numbers: &[N]) {
        self.part().put_rows(row, numbers);
    }

    /// Runs `check` on every row that was not noted yet, except on runs of rows for which `fine` is true.
    pub(crate) fn check(
        &self,
        offences: &mut Offences,
        fine: impl Fn(Rows<'_>) -> bool + Sync,
        check: impl Fn(&[f64]) -> Option<RowFault> + Sync,
    ) {
        let rows = self.len().checked_div(self.columns).unwrap_or(0);
        // Runs are checked in parallel: nearly always all rows are valid, and then no order is needed.
        let starts: Vec<usize> = (0..rows).step_by(CHECKED).collect();
        let wrong: Vec<Vec<usize>> = starts
            .par_iter()
            .map(|&start| {
                let mut wide = Vec::new();
                let mut wrong = Vec::new();
                for start in (start..rows.min(start + CHECKED)).step_by(RUN) {
                    let run = self.read(start..rows.min(start + RUN), &mut wide);
                    if !fine(run) {
                        let rows = (start..).zip(run.iter()).filter(|(_, row)| check(row).is_some());
                        wrong.extend(rows.map(|(row, _)| row));
                    }
                }
                wrong
            })
            .collect();
        let mut wide = Vec::new();
        for row in wrong.into_iter().flatten() {
            if !offences.passes_over(row) {
                // Most faults are never shown, so they are computed again for the few that are.
                if let Some(fault) = check(self.read(row..row + 1, &mut wide).values()) {
                    offences.note(row, || fault);
                }
            }
        }
    }

    /// A run of rows, widened.
    fn read<'a>(&'a self, rows: Range<usize>, wide: &'a mut Vec<f64>) -> Rows<'a> {
        let range = rows.start * self.columns..rows.end * self.columns;
        let values = match &self.values {
            Values::F32(values) => {
                wide.clear();
                wide.extend(values.get(range).unwrap_or_default().iter().map(|&narrow| f64::from(narrow)));
                wide
            }
            Values::F64(values) => values.get(range).unwrap_or_default(),
        };
        Rows::new(values, self.columns)
    }

    /// Changes every row as f64, in place.
    #[allow(clippy::cast_possible_truncation, reason = "the table is in f32 already")]
    pub(crate) fn change_rows(&mut self, change: impl Fn(&mut [f64])) {
        let columns = self.columns.max(1);
        match &mut self.values {
            Values::F32(values) => {
                let mut wide = vec![0.0; columns];
                for row in values.chunks_exact_mut(columns) {
                    wide.iter_mut().zip(&*row).for_each(|(to, &from)| *to = f64::from(from));
                    change(&mut wide);
                    row.iter_mut().zip(&wide).for_each(|(to, &from)| *to = from as f32);
                }
            }
            Values::F64(values) => values.chunks_exact_mut(columns).for_each(change),
        }
    }

    /// The first rows, as f64.
    pub(crate) fn first_rows(&self, rows: usize) -> Vec<f64> {
        let rows = rows.min(self.len().checked_div(self.columns).unwrap_or(0));
        self.read(0..rows, &mut Vec::new()).values().to_vec()
    }

    /// One column of probabilities as two: 1 − p, then p.
    pub(crate) fn with_complement(self) -> Result<Self> {
        let ones = self.column(0);
        let mut block = Self::new(2, matches!(self.values, Values::F32(_)));
        block.resize(ones.len())?;
        block.put_run(0, 1, &ones);
        block.put_run(0, 0, &ones.iter().map(|p| 1.0 - p).collect::<Vec<f64>>());
        Ok(block)
    }

    /// A table of numbers as a block.
    pub(crate) fn copied(matrix: &Matrix) -> Result<Self> {
        let mut block = Self::new(matrix.columns(), matrix.singles().is_some());
        block.resize(matrix.rows())?;
        if let Some(values) = matrix.singles() {
            block.put_rows(0, values);
        } else {
            block.put_rows(0, matrix.reader().rows(0..matrix.rows()).values());
        }
        Ok(block)
    }

    /// The numbers of one column.
    pub(crate) fn column(&self, column: usize) -> Vec<f64> {
        let columns = self.columns.max(1);
        match &self.values {
            Values::F32(values) => {
                values.iter().skip(column).step_by(columns).map(|&v| f64::from(v)).collect()
            }
            Values::F64(values) => values.iter().skip(column).step_by(columns).copied().collect(),
        }
    }

    /// The finished table.
    pub(crate) fn into_matrix(self) -> Result<Matrix> {
        Ok(match self.values {
            Values::F32(values) => Matrix::f32(values, self.columns)?,
            Values::F64(values) => Matrix::f64(values, self.columns)?,
        })
    }
}
