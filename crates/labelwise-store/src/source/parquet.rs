//! Parquet: row group after row group, and of each only the columns that are wanted.

use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use parquet::basic::{ConvertedType, Type as Physical};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::parquet_column::{Buffers, Target, read_into};
use super::parquet_pages::Pages;
use super::{Field, Kind, Loaded, Source, Wanted, empty};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits;
use crate::offences::Offences;

/// How many rows are read of one column before the next: a few tables' worth of cache.
const BATCH: usize = 8192;

/// A file whose footer is known.
pub(crate) struct ParquetFile {
    path: PathBuf,
    bytes: u64,
    reader: SerializedFileReader<File>,
    fields: Vec<Field>,
    /// For each field, its one column of values, where it has one.
    leaves: Vec<Option<usize>>,
}

impl ParquetFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let at_file = |source| Error::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(at_file)?;
        let bytes = file.metadata().map_err(at_file)?.len();
        let reader = guarded(path, || SerializedFileReader::new(file))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let names = schema.root_schema().get_fields().iter().map(|field| field.name().to_owned());
        let mut fields: Vec<Field> = names.map(|name| Field { name, kind: Kind::Other }).collect();
        let mut leaves = vec![None; fields.len()];
        let mut seen = vec![0_usize; fields.len()];
        for (leaf, column) in schema.columns().iter().enumerate() {
            let root = schema.get_column_root_idx(leaf);
            let (Some(field), Some(place), Some(seen)) =
                (fields.get_mut(root), leaves.get_mut(root), seen.get_mut(root))
            else {
                continue;
            };
            *seen += 1;
            (field.kind, *place) = if *seen == 1 { (kind(column), Some(leaf)) } else { (Kind::Other, None) };
        }
        Ok(Self { path: path.to_owned(), bytes, reader, fields, leaves })
    }

    /// Refuses a column whose pages lie outside of the file.
    fn check_chunk(&self, chunk: &ColumnChunkMetaData) -> Result<()> {
        let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
        let size = |number: i64| u64::try_from(number).ok();
        let end =
            size(start).zip(size(chunk.compressed_size())).and_then(|(start, size)| start.checked_add(size));
        let starts = size(chunk.data_page_offset()).is_some();
        match end {
            Some(end) if end <= self.bytes && starts => Ok(()),
            _ => Err(damaged(&self.path, "the pages of a column lie outside of the file")),
        }
    }

    /// The number of rows that the footer declares, if such a file may have them.
    fn declared_rows(&self, wanted: &Wanted) -> Result<usize> {
        let groups = self.reader.metadata().row_groups();
        let rows = groups
            .iter()
            .try_fold(0_u64, |sum, group| sum.checked_add(u64::try_from(group.num_rows()).ok()?));
        let rows = rows.ok_or_else(|| damaged(&self.path, "a row group has a negative number of rows"))?;
        let wide: usize =
            wanted.blocks.iter().map(|block| block.fields.len()).sum::<usize>() + wanted.columns.len();
        let most = limits::expanded(self.bytes) / (4 * wide as u64).max(1);
        if rows > most {
            let path = self.path.clone();
            return Err(Error::Unbelievable { path, bytes: self.bytes, what: "rows", declared: rows, most });
        }
        Ok(usize::try_from(rows).unwrap_or(usize::MAX))
    }
}

impl Source for ParquetFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Wanted, offences: &mut Offences) -> Result<Loaded> {
        let rows = self.declared_rows(wanted)?;
        let mut loaded = empty(wanted, &self.fields);
        for block in &mut loaded.blocks {
            block.reserve(rows);
        }
        let targets = targets(wanted);
        let mut buffers = Buffers::default();
        for group in 0..self.reader.num_row_groups() {
            let group = guarded(&self.path, || self.reader.get_row_group(group))?;
            let size = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let mut columns: Vec<(ColumnReader, i16, Target, &str)> = Vec::new();
            for &(field, target) in &targets {
                let Some(leaf) = self.leaves.get(field).copied().flatten() else { continue };
                let name = self.fields.get(field).map_or("", |field| field.name.as_str());
                self.check_chunk(group.metadata().column(leaf))?;
                let column = group.metadata().column(leaf).column_descr_ptr();
                let reader = guarded(&self.path, || {
                    let pages = Pages::new(group.get_column_page_reader(leaf)?);
                    Ok(get_column_reader(column, Box::new(pages)))
                })?;
                let levels = group.metadata().column(leaf).column_descr().max_def_level();
                columns.push((reader, levels, target, name));
            }
            let mut done = 0;
            while done < size {
                let batch = BATCH.min(size - done);
                for block in loaded.blocks.iter_mut().filter(|block| block.columns() > 0) {
                    block.resize(loaded.rows + batch)?;
                }
                for (reader, levels, target, name) in &mut columns {
                    let into = (&mut loaded, &mut *offences);
                    let read = guarded(&self.path, || {
                        read_into(reader, *levels, batch, *target, name, &mut buffers, into)
                    })??;
                    if read != batch {
                        return Err(damaged(&self.path, "a column ends before its row group does"));
                    }
                }
                loaded.rows += batch;
                done += batch;
            }
        }
        Ok(loaded)
    }
}

fn targets(wanted: &Wanted) -> Vec<(usize, Target)> {
    let mut targets = Vec::new();
    for (block, table) in wanted.blocks.iter().enumerate() {
        for (column, &field) in table.fields.iter().enumerate() {
            let target = if table.lists { Target::List { block } } else { Target::Number { block, column } };
            targets.push((field, target));
        }
    }
    for (column, one) in wanted.columns.iter().enumerate() {
        targets.push((one.field, Target::Value { column, empty: one.empty }));
    }
    targets
}

fn kind(column: &ColumnDescriptor) -> Kind {
    let physical = column.physical_type();
    let unsigned = column.converted_type() == ConvertedType::UINT_64;
    let decimal = column.converted_type() == ConvertedType::DECIMAL;
    match (physical, column.max_rep_level(), column.path().parts().len()) {
        _ if unsigned || decimal => Kind::Other,
        (Physical::FLOAT, 0, 1) => Kind::Single,
        (Physical::DOUBLE | Physical::INT32 | Physical::INT64 | Physical::BOOLEAN, 0, 1) => Kind::Number,
        (Physical::BYTE_ARRAY, 0, 1) => Kind::Text,
        (Physical::FLOAT, 1, _) => Kind::SingleList,
        (Physical::DOUBLE | Physical::INT32 | Physical::INT64, 1, _) => Kind::List,
        _ => Kind::Other,
    }
}

/// Runs the decoder. A page that is damaged in a way that it does not foresee trips one of its assertions; that is an
/// error of the file too.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    match panic::catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => read.map_err(|error| damaged(path, &error.to_string())),
        // Nothing that the decoder left half done is used again.
        Err(_) => Err(damaged(path, "its pages contradict one another")),
    }
}

fn damaged(path: &Path, reason: &str) -> Error {
    Error::Damaged { path: path.to_owned(), format: Format::Parquet, reason: reason.to_owned() }
}
