//! One reader per format: it lists the columns of a file and reads the requested ones.

use std::path::Path;
use std::sync::Arc;

use crate::block::Block;
use crate::column::Column;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::{self, Budget, RowCost};
use crate::offences::{Offences, Places};
use crate::reading::Reading;
use crate::text::TextFile;

mod arrow;
mod batches;
mod cell;
mod csv;
mod guard;
mod in_memory;
mod inspect;
mod json_cell;
mod json_lines;
mod json_table;
mod json_value;
mod jsonl;
mod lm_eval;
mod npy;
mod npy_items;
mod npz;
mod parquet;
mod records;
mod rows;

pub(crate) use csv::CsvFile;
pub(crate) use in_memory::{InMemory, read_numbers};
pub(crate) use parquet::ParquetFile;

/// A column of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// The type of a column, as far as the file declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Numbers in f32.
    Single,
    /// Any other numbers.
    Number,
    /// Texts.
    Text,
    /// Known scores of items, as logs keep them.
    Score,
    /// Lists of numbers in f32.
    SingleList,
    /// Lists of any other numbers.
    List,
    /// Each cell has its own type.
    Cell,
    /// A type that is not read.
    Other,
}

impl Kind {
    /// Whether a cell may hold a whole row of numbers.
    pub(crate) fn may_be_list(self) -> bool {
        matches!(self, Self::SingleList | Self::List | Self::Cell)
    }

    fn is_single(self) -> bool {
        matches!(self, Self::Single | Self::SingleList)
    }
}

/// The columns to read.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// Columns whose numbers become one table each.
    pub(crate) blocks: Vec<SelectedBlock>,
    /// Columns of single values.
    pub(crate) columns: Vec<SelectedColumn>,
    /// Whether wider numbers are rounded to f32.
    pub(crate) single: bool,
}

impl Selection {
    /// The fields that are read, in the order of the file, each once.
    pub(crate) fn places(&self) -> Vec<usize> {
        let in_blocks = self.blocks.iter().flat_map(|block| &block.fields);
        let mut places: Vec<usize> =
            in_blocks.chain(self.columns.iter().map(|column| &column.field)).copied().collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// Columns whose numbers become one table.
#[derive(Debug, Clone)]
pub(crate) struct SelectedBlock {
    pub(crate) fields: Vec<usize>,
    /// Whether it is one column, each of whose cells is a whole row.
    pub(crate) lists: bool,
}

/// A column of single values to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SelectedColumn {
    pub(crate) field: usize,
    pub(crate) empty: Empty,
}

/// The meaning of a cell without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Empty {
    /// The row is invalid.
    Refused,
    /// An empty text.
    Kept,
}

/// The columns that were read.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) rows: usize,
    pub(crate) blocks: Vec<Block>,
    pub(crate) columns: Vec<Column>,
    pub(crate) places: Places,
}

impl Loaded {
    /// What a row costs without its texts.
    pub(crate) fn row_cost(&self) -> RowCost {
        let numbers = self.blocks.iter().map(Block::columns).sum();
        RowCost::new(numbers, self.blocks.iter().map(Block::row_bytes).sum(), self.columns.len())
    }
}

/// A file whose columns are known.
pub(crate) trait Source {
    fn fields(&self) -> &[Field];

    /// Reads the columns. Invalid cells are noted, and become NaN or nothing.
    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded>;

    /// The names of the classes, if the file stores them separately.
    fn classes(&mut self) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    /// A sentence about how the file is read, if that is not the usual way.
    fn note(&self) -> Option<String> {
        None
    }

    /// Whether a column of texts can be a passthrough column of the wanted rows.
    fn may_carry(&self, _field: usize, _wanted: &Selection) -> bool {
        true
    }

    /// The column of predicted texts of a log format.
    fn answer_field(&self) -> Option<usize> {
        None
    }

    /// The column of ids of the format.
    fn id_field(&self) -> Option<usize> {
        self.fields().iter().position(|field| field.name == "id")
    }
}

/// Opens a file and reads its columns' names and types.
pub(crate) fn open(
    path: &Path,
    format: Format,
    reading: &Reading,
    budget: &Arc<Budget>,
) -> Result<Box<dyn Source>> {
    let text = || TextFile::new(path, budget);
    let source: Box<dyn Source> = match format {
        Format::Csv | Format::Tsv => Box::new(CsvFile::open(&text(), format)?),
        Format::Jsonl => jsonl::open(text(), reading)?,
        Format::LmEval => Box::new(lm_eval::LmEvalFile::open(text(), reading)?),
        Format::Json => json_table::open(text(), reading)?,
        Format::Inspect => Box::new(inspect::InspectFile::open(path, reading, budget)?),
        Format::Parquet => Box::new(parquet::ParquetFile::open(path, budget)?),
        Format::Arrow => Box::new(arrow::ArrowFile::open(path, budget)?),
        Format::Npy => Box::new(npy::NpyFile::open(path, budget)?),
        Format::Npz => Box::new(npz::NpzFile::open(path, budget)?),
        Format::Arrays => {
            return Err(Error::UnknownFormat { path: path.to_owned(), known: crate::format::names() });
        }
    };
    if source.fields().len() > limits::COLUMNS {
        return Err(too_wide(path, source.fields().len()));
    }
    Ok(source)
}

fn too_wide(path: &Path, columns: usize) -> Error {
    Error::TooWide { path: path.to_owned(), columns, most: limits::COLUMNS }
}

/// Refuses two columns with the same name.
pub(crate) fn check_names(path: &Path, fields: &[Field]) -> Result<()> {
    let mut names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    if let Some((name, _)) = names.iter().zip(names.iter().skip(1)).find(|(a, b)| a == b) {
        return Err(Error::TwiceNamed { path: path.to_owned(), name: (*name).to_owned() });
    }
    Ok(())
}

/// Empty tables for the wanted columns; f32 if all columns of a table are.
pub(crate) fn empty(wanted: &Selection, fields: &[Field]) -> Loaded {
    let kind = |place: &usize| fields.get(*place).map_or(Kind::Other, |field| field.kind);
    let block = |block: &SelectedBlock| {
        let single = wanted.single || block.fields.iter().all(|place| kind(place).is_single());
        // The first row shows the width of a column of lists.
        Block::new(if block.lists { 0 } else { block.fields.len() }, single)
    };
    Loaded {
        blocks: wanted.blocks.iter().map(block).collect(),
        columns: wanted.columns.iter().map(|_| Column::default()).collect(),
        ..Loaded::default()
    }
}
