//! Parquet: row group after row group, and of each only the columns that are wanted.

use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{ConvertedType, Type as Physical};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;
use rayon::prelude::*;

use super::parquet_column::{Buffers, Target, read_into};
use super::parquet_pages::Pages;
use super::{Field, Kind, Loaded, Source, Wanted, empty};
use crate::block::Part;
use crate::column::Column;
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
        let targets = targets(wanted);
        let groups = self.reader.metadata().row_groups();
        // How wide lists are shows in the first, so that those are read one after the other.
        if groups.len() == 1 || wanted.blocks.iter().any(|block| block.lists) {
            loaded.blocks.iter_mut().for_each(|block| block.reserve(rows));
            for group in groups {
                self.read_group(group, &targets, &mut loaded, offences)?;
            }
            return Ok(loaded);
        }
        let mut parts: Vec<Vec<Part<'_>>> = groups.iter().map(|_| Vec::new()).collect();
        for block in &mut loaded.blocks {
            let columns = block.columns();
            let sizes = groups.iter().map(|group| columns * rows_of(group));
            parts.iter_mut().zip(block.parts(rows, sizes)?).for_each(|(parts, part)| parts.push(part));
        }
        let read: Vec<Result<(Vec<Column>, Offences)>> = groups
            .par_iter()
            .zip(parts)
            // A thread fills the same memory again and again: new pages cost as much as what is written on them.
            .map_init(
                || empty(wanted, &self.fields),
                |own, (group, parts)| {
                    let mut offences = Offences::default();
                    own.clear();
                    self.read_group(group, &targets, own, &mut offences)?;
                    parts.into_iter().zip(&own.blocks).for_each(|(part, block)| part.copy(block));
                    Ok((own.columns.iter_mut().map(std::mem::take).collect(), offences))
                },
            )
            .collect();
        for (read, group) in read.into_iter().zip(groups) {
            let (columns, noted) = read?;
            offences.take(noted, loaded.rows);
            loaded.columns.iter_mut().zip(columns).for_each(|(all, more)| all.append(more));
            loaded.rows += rows_of(group);
        }
        Ok(loaded)
    }
}

fn rows_of(group: &RowGroupMetaData) -> usize {
    usize::try_from(group.num_rows()).unwrap_or(0)
}

impl ParquetFile {
    /// Reads a row group behind what is loaded, through a handle of its own: those that are cloned share one place.
    fn read_group(
        &self,
        group: &RowGroupMetaData,
        targets: &[(usize, Target)],
        loaded: &mut Loaded,
        offences: &mut Offences,
    ) -> Result<()> {
        let at_file = |source| Error::File { path: self.path.clone(), source };
        let file = Arc::new(File::open(&self.path).map_err(at_file)?);
        if file.metadata().map_err(at_file)?.len() != self.bytes {
            return Err(damaged(&self.path, "it was changed while it was read"));
        }
        let size = rows_of(group);
        let mut columns: Vec<(ColumnReader, i16, Target, &str)> = Vec::new();
        for &(field, target) in targets {
            let Some(leaf) = self.leaves.get(field).copied().flatten() else { continue };
            let name = self.fields.get(field).map_or("", |field| field.name.as_str());
            let chunk = group.column(leaf);
            self.check_chunk(chunk)?;
            let column = chunk.column_descr_ptr();
            let reader = guarded(&self.path, || {
                let pages = SerializedPageReader::new(Arc::clone(&file), chunk, size, None)?;
                Ok(get_column_reader(column, Box::new(Pages::new(Box::new(pages)))))
            })?;
            columns.push((reader, chunk.column_descr().max_def_level(), target, name));
        }
        let mut buffers = Buffers::default();
        let mut done = 0;
        while done < size {
            let batch = BATCH.min(size - done);
            for block in loaded.blocks.iter_mut().filter(|block| block.columns() > 0) {
                block.resize(loaded.rows + batch)?;
            }
            for (reader, levels, target, name) in &mut columns {
                let into = (&mut *loaded, &mut *offences);
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
        Ok(())
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
