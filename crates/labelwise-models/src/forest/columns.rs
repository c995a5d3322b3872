//! Training features as ranks, column by column. A split only asks which rows lie below which, so each column is
//! replaced once per fit by the ranks of its distinct values: small whole numbers that sort by counting, one byte each
//! where there are few of them, as in images.

#![allow(clippy::indexing_slicing, reason = "ranks and rows are made here, and lie within their tables")]

use labelwise::task::Table;
use std::ops::Range;

use labelwise::{Error, Matrix, Result};
use rayon::prelude::*;

/// All columns.
pub(super) struct Columns(pub(super) Vec<Column>);

/// One feature of every training row.
pub(super) struct Column {
    /// The rank of each row's value.
    pub(super) codes: Codes,
    /// The distinct values in ascending order: rank to value.
    pub(super) values: Vec<f64>,
}

/// Ranks in the narrowest type that holds them, since the speed of growing is that of the caches.
pub(super) enum Codes {
    Narrow(Vec<u8>),
    Medium(Vec<u16>),
    Wide(Vec<u32>),
}

/// How many columns are taken together: a few cache lines of each row.
const COLUMNS_AT_ONCE: usize = 32;

impl Columns {
    /// Ranks of every column; refuses numbers that are not finite.
    pub(super) fn new(features: &Matrix) -> Result<Self> {
        let (rows, columns) = (features.rows(), features.columns());
        let mut reader = features.reader();
        let values = reader.rows(0..rows).values();
        let starts: Vec<usize> = (0..columns).step_by(COLUMNS_AT_ONCE).collect();
        let groups: Option<Vec<_>> = starts
            .into_par_iter()
            .map_init(Scratch::default, |scratch, start| {
                let width = COLUMNS_AT_ONCE.min(columns - start);
                let transposed = transpose(values, columns, start..start + width);
                // The numbers are looked at where they are read anyway; which one is wrong can be found out later.
                all_finite(&transposed).then(|| scratch.encode_all(transposed.chunks_exact(rows)))
            })
            .collect();
        let groups = groups.ok_or_else(|| not_finite(Table::TrainingFeatures, features))?;
        Ok(Self(groups.into_iter().flatten().collect()))
    }
}

/// Some of the columns, column after column.
fn transpose(values: &[f64], columns: usize, some: Range<usize>) -> Vec<f64> {
    let rows = values.len() / columns;
    let mut transposed = vec![0.0; rows * some.len()];
    for (row, values) in values.chunks_exact(columns).enumerate() {
        for (column, value) in values[some.clone()].iter().enumerate() {
            // Adding zero makes one number of 0.0 and −0.0, which no split can tell apart.
            transposed[column * rows + row] = value + 0.0;
        }
    }
    transposed
}

/// Whether every number is finite: a look at the exponents alone, which fills vector registers.
pub(super) fn all_finite(values: &[f64]) -> bool {
    values.iter().fold(true, |all, value| all & value.is_finite())
}

/// The first number that is not finite, as an error: the same one on any number of threads.
pub(super) fn not_finite(what: Table, features: &Matrix) -> Error {
    let mut reader = features.reader();
    let wrong = (0..features.rows()).find_map(|item| {
        let mut row = reader.row(item).iter().enumerate();
        row.find(|(_, value)| !value.is_finite()).map(|(column, &value)| (item, column, value))
    });
    let (item, column, value) = wrong.unwrap_or((0, 0, f64::NAN));
    Error::NotFinite { what, item, column, value }
}

/// A hash table of the distinct values seen so far in a column, with more slots than it may ever fill.
struct Scratch {
    slots: Vec<(u64, u8)>,
    distinct: Vec<(f64, u8)>,
    arrivals: Vec<u8>,
}

const SLOTS: usize = 1 << 10;
const NARROW: usize = 1 << 8;
/// Bits that no finite number has.
const EMPTY: u64 = u64::MAX;

impl Default for Scratch {
    fn default() -> Self {
        Self { slots: vec![(EMPTY, 0); SLOTS], distinct: Vec::with_capacity(NARROW), arrivals: Vec::new() }
    }
}

impl Scratch {
    fn encode_all<'a>(&mut self, columns: impl Iterator<Item = &'a [f64]>) -> Vec<Column> {
        columns.map(|values| self.narrow(values).unwrap_or_else(|| sorted(values))).collect()
    }

    /// The column in one byte per row, if it has few enough distinct values: each is numbered as it arrives, and the
    /// arrivals are then ranked.
    fn narrow(&mut self, values: &[f64]) -> Option<Column> {
        self.slots.fill((EMPTY, 0));
        self.distinct.clear();
        self.arrivals.clear();
        for &value in values {
            let bits = value.to_bits();
            let mut slot = (bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize;
            while self.slots[slot].0 != bits {
                if self.slots[slot].0 == EMPTY {
                    if self.distinct.len() == NARROW {
                        return None;
                    }
                    let arrival = self.distinct.len() as u8;
                    self.slots[slot] = (bits, arrival);
                    self.distinct.push((value, arrival));
                    break;
                }
                slot = (slot + 1) % SLOTS;
            }
            self.arrivals.push(self.slots[slot].1);
        }
        self.distinct.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut ranks = [0; NARROW];
        for (rank, (_, arrival)) in self.distinct.iter().enumerate() {
            ranks[usize::from(*arrival)] = rank as u8;
        }
        let codes = self.arrivals.iter().map(|arrival| ranks[usize::from(*arrival)]).collect();
        Some(Column {
            codes: Codes::Narrow(codes),
            values: self.distinct.iter().map(|(value, _)| *value).collect(),
        })
    }
}

/// The column by sorting.
fn sorted(column: &[f64]) -> Column {
    let mut order: Vec<(f64, u32)> = column.iter().copied().zip(0..).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut values: Vec<f64> = Vec::with_capacity(column.len());
    let mut ranks = vec![0_u32; column.len()];
    for (value, row) in order {
        if values.last() != Some(&value) {
            values.push(value);
        }
        ranks[row as usize] = (values.len() - 1) as u32;
    }
    let codes = if values.len() <= 1 << 16 {
        Codes::Medium(ranks.iter().map(|&rank| rank as u16).collect())
    } else {
        Codes::Wide(ranks)
    };
    Column { codes, values }
}
