//! Columns of a pool in blocks of a few hundred kilobytes, so that single items can be read without the others, and
//! whole columns at the speed of the disk.

use labelwise::Matrix;
use labelwise_file::{Draft, Error as FileError, File};
use labelwise_pool::{Column, Strings};
use serde::{Deserialize, Serialize};

use crate::error::{Result, damaged};

/// f(x_i).
pub(crate) const PREDICTIONS: &str = "predictions";
/// Predicted classes without probabilities, as text.
pub(crate) const PREDICTED: &str = "predicted";
/// Ids, if they are a column.
pub(crate) const IDS: &str = "ids";
/// x_i.
pub(crate) const FEATURES: &str = "features";
/// What judges and other models say of the items, as log-odds.
pub(crate) const JUDGES: &str = "judges";
/// Features of the training rows.
pub(crate) const TRAIN_FEATURES: &str = "train features";
/// Labels of the training rows.
pub(crate) const TRAIN_LABELS: &str = "train labels";
/// Predictions of the items of a held-out set.
pub(crate) const CALIBRATION_PREDICTIONS: &str = "calibration predictions";
/// Their labels, as numbers of classes.
pub(crate) const CALIBRATION_LABELS: &str = "calibration labels";

/// The beliefs of a given surrogate about the items of a held-out set.
pub(crate) fn calibration_belief(member: usize) -> String {
    format!("calibration belief {member}")
}

/// The beliefs of a given surrogate, or of a member of an ensemble.
pub(crate) fn belief(member: usize) -> String {
    format!("belief {member}")
}

/// A passthrough column.
pub(crate) fn carried(name: &str) -> String {
    format!("carried {name}")
}

/// Predicted classes of another model, as text.
pub(crate) fn predicted(model: usize) -> String {
    if model == 0 { PREDICTED.to_owned() } else { format!("{PREDICTED} {model}") }
}

/// Approximate size of a block in bytes.
const BLOCK_BYTES: usize = 256 << 10;

/// The layout of a column in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Layout {
    pub(crate) kind: Kind,
    /// Numbers per row.
    pub(crate) width: usize,
    /// All rows.
    pub(crate) rows: usize,
    /// Rows per block; the last block can have fewer.
    pub(crate) block: usize,
}

impl Layout {
    /// Whether a file of this size can hold the column.
    pub(crate) fn fits(&self, file_bytes: u64) -> bool {
        let item = match self.kind {
            Kind::F32 | Kind::Text => 4,
            Kind::F64 | Kind::I64 => 8,
        };
        let bytes = self.rows.checked_mul(self.width).and_then(|items| items.checked_mul(item));
        self.block > 0 && bytes.is_some_and(|bytes| bytes as u64 <= file_bytes)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    F32,
    F64,
    I64,
    /// Texts: the length of each in four bytes, then all texts.
    Text,
}

fn layout(kind: Kind, width: usize, rows: usize, row_bytes: usize) -> Layout {
    let block = (BLOCK_BYTES / row_bytes.max(1)).clamp(1, 1 << 16).min(rows.max(1));
    Layout { kind, width, rows, block }
}

/// The layout of a table of numbers.
pub(crate) fn matrix_layout(matrix: &Matrix) -> Layout {
    let (kind, bytes) = if matrix.singles().is_some() { (Kind::F32, 4) } else { (Kind::F64, 8) };
    layout(kind, matrix.columns(), matrix.rows(), matrix.columns() * bytes)
}

/// Writes a table of numbers.
pub(crate) fn write_matrix(draft: &mut Draft, name: &str, matrix: &Matrix) -> Result<()> {
    let layout = matrix_layout(matrix);
    let mut buffer = Vec::new();
    if let Some(values) = matrix.singles() {
        for (number, values) in (0..).zip(values.chunks(layout.block * layout.width)) {
            draft.block(name, number, bytes(&mut buffer, values, f32::to_le_bytes))?;
        }
        return Ok(());
    }
    let mut reader = matrix.reader();
    for (number, start) in (0..).zip((0..layout.rows).step_by(layout.block)) {
        let rows = reader.rows(start..layout.rows.min(start + layout.block));
        draft.block(name, number, bytes(&mut buffer, rows.values(), f64::to_le_bytes))?;
    }
    Ok(())
}

/// Numbers in the encoding of the file.
fn bytes<'a, const N: usize, V: Copy>(
    buffer: &'a mut Vec<u8>,
    values: &[V],
    of: fn(V) -> [u8; N],
) -> &'a [u8] {
    buffer.resize(N * values.len(), 0);
    let places = buffer.as_chunks_mut::<N>().0.iter_mut();
    places.zip(values).for_each(|(place, value)| *place = of(*value));
    buffer
}

/// The layout of a column of single values.
pub(crate) fn column_layout(column: &Column) -> Layout {
    let rows = column.len();
    match column {
        Column::Integers(_) => layout(Kind::I64, 1, rows, 8),
        Column::Numbers(_) => layout(Kind::F64, 1, rows, 8),
        Column::Texts(texts) => layout(Kind::Text, 1, rows, 4 + texts.bytes() / rows.max(1)),
    }
}

/// Writes a column of single values.
pub(crate) fn write_column(draft: &mut Draft, name: &str, column: &Column) -> Result<()> {
    let (rows, layout) = (column.len(), column_layout(column));
    let mut buffer = Vec::new();
    for (number, start) in (0_u32..).zip((0..rows).step_by(layout.block)) {
        let range = start..rows.min(start + layout.block);
        buffer.clear();
        match column {
            Column::Integers(values) => {
                bytes(&mut buffer, values.get(range).unwrap_or_default(), i64::to_le_bytes);
            }
            Column::Numbers(values) => {
                bytes(&mut buffer, values.get(range).unwrap_or_default(), f64::to_le_bytes);
            }
            Column::Texts(texts) => {
                let texts = || range.clone().filter_map(|row| texts.get(row));
                for text in texts() {
                    let length = u32::try_from(text.len()).map_err(|_| FileError::LongText {
                        what: "text for the labeller",
                        bytes: text.len(),
                        most: u32::MAX as usize,
                    })?;
                    buffer.extend_from_slice(&length.to_le_bytes());
                }
                texts().for_each(|text| buffer.extend_from_slice(text.as_bytes()));
            }
        }
        draft.block(name, number, &buffer)?;
    }
    Ok(())
}

/// Reads a whole table of numbers.
pub(crate) fn read_matrix(file: &File, name: &str, layout: &Layout) -> Result<Matrix> {
    let blocks = u32::try_from(layout.rows.div_ceil(layout.block)).unwrap_or(u32::MAX);
    let values = layout.rows * layout.width;
    Ok(match layout.kind {
        Kind::F32 => {
            let mut all: Vec<f32> = Vec::with_capacity(values);
            for number in 0..blocks {
                all.extend(numbers(&file.block(name, number)?, f32::from_le_bytes));
            }
            whole(file, name, all.len(), values)?;
            Matrix::f32(all, layout.width)?
        }
        _ => {
            let mut all: Vec<f64> = Vec::with_capacity(values);
            for number in 0..blocks {
                all.extend(numbers(&file.block(name, number)?, f64::from_le_bytes));
            }
            whole(file, name, all.len(), values)?;
            Matrix::f64(all, layout.width)?
        }
    })
}

fn whole(file: &File, name: &str, there: usize, wanted: usize) -> Result<()> {
    if there == wanted { Ok(()) } else { Err(damaged(file.path(), "block", name)) }
}

fn numbers<const N: usize, V>(bytes: &[u8], of: fn([u8; N]) -> V) -> impl Iterator<Item = V> {
    bytes.as_chunks::<N>().0.iter().map(move |&chunk| of(chunk))
}

/// The values of a column for some items, as text, in the order of the items.
pub(crate) fn read_texts(file: &File, name: &str, layout: &Layout, items: &[usize]) -> Result<Vec<String>> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_unstable_by_key(|&place| items.get(place));
    let mut texts = vec![String::new(); items.len()];
    let mut held: Option<(usize, Column)> = None;
    for place in order {
        let item = items.get(place).copied().unwrap_or_default();
        let number = item / layout.block;
        let column = match held.take() {
            Some((there, column)) if there == number => column,
            _ => read_block(file, name, layout, number)?,
        };
        let text = column.text(item % layout.block).ok_or_else(|| damaged(file.path(), "block", name))?;
        if let Some(slot) = texts.get_mut(place) {
            *slot = text;
        }
        held = Some((number, column));
    }
    Ok(texts)
}

/// Visits a column block by block; tables of numbers in row order.
pub(crate) fn each_block(
    file: &File,
    name: &str,
    layout: &Layout,
    mut with: impl FnMut(&Column),
) -> Result<()> {
    (0..layout.rows.div_ceil(layout.block)).try_for_each(|number| {
        with(&read_block(file, name, layout, number)?);
        Ok(())
    })
}

fn read_block(file: &File, name: &str, layout: &Layout, number: usize) -> Result<Column> {
    let bytes = file.block(name, u32::try_from(number).unwrap_or(u32::MAX))?;
    Ok(match layout.kind {
        Kind::I64 => Column::Integers(numbers(&bytes, i64::from_le_bytes).collect()),
        Kind::F32 => Column::Numbers(numbers(&bytes, f32::from_le_bytes).map(f64::from).collect()),
        Kind::F64 => Column::Numbers(numbers(&bytes, f64::from_le_bytes).collect()),
        Kind::Text => {
            let rows = layout.block.min(layout.rows.saturating_sub(number * layout.block));
            let damaged = || damaged(file.path(), "block", name);
            let (lengths, mut rest) = bytes.split_at_checked(4 * rows).ok_or_else(damaged)?;
            let mut texts = Strings::default();
            for length in numbers(lengths, u32::from_le_bytes) {
                let (text, after) = rest.split_at_checked(length as usize).ok_or_else(damaged)?;
                texts.push(std::str::from_utf8(text).map_err(|_| damaged())?);
                rest = after;
            }
            Column::Texts(texts)
        }
    })
}
