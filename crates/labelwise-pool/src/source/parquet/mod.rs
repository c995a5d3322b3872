//! Parquet: several row groups at once, and of each only the columns that are wanted.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::RowGroupMetaData;
use rayon::prelude::*;

use self::header::entries;
use self::pages::Group;
use super::batches::{self, RUN, Sink};
use super::guard::guarded;
use super::{Field, Kind, Loaded, Selection, Source, empty, too_wide};
use crate::block::{Block, Part};
use crate::column::Column;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::{self, Budget};
use crate::offences::Offences;

mod header;
mod lengths;
mod pages;

/// Bytes of memory that the footer takes per byte: a few numbers of each column become long structs.
const FOOTER: u64 = 24;

/// Maximum number of entries in a schema: a column of lists has three.
const ENTRIES: u64 = 4 * limits::COLUMNS as u64;

/// Rows of lists that are decoded at a time.
const RUN_OF_LISTS: usize = 1024;

/// Rows that are decoded at a time if texts are stored as differences: each may repeat the whole one before it.
const RUN_OF_DIFFERENCES: usize = 32;

/// A file whose footer is known.
pub(crate) struct ParquetFile {
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    fields: Vec<Field>,
    budget: Arc<Budget>,
    /// The row groups that are read.
    chosen: Range<usize>,
}

impl ParquetFile {
    pub(crate) fn open(path: &Path, budget: &Arc<Budget>) -> Result<Self> {
        let at_file = |source| Error::File { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(at_file)?;
        if let Some((bytes, entries)) = footer(&mut file) {
            budget.take(bytes.saturating_mul(FOOTER))?;
            if entries > ENTRIES {
                return Err(too_wide(path, usize::try_from(entries).unwrap_or(usize::MAX)));
            }
        }
        let metadata = guarded(|| {
            // The types of Parquet itself: those of the writer's library may be dictionaries of numbers.
            let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
            let found = ArrowReaderMetadata::load(&file, options)?;
            let options = ArrowReaderOptions::new().with_schema(Arc::new(with_views(found.schema())));
            ArrowReaderMetadata::try_new(Arc::clone(found.metadata()), options)
        });
        let metadata = metadata.map_err(|reason| damaged(path, reason))?;
        check_compression(path, metadata.metadata().row_groups())?;
        let mut fields = batches::fields(metadata.schema());
        for (field, found) in fields.iter_mut().zip(metadata.schema().fields()) {
            // Many writers do not declare that bytes are a text.
            if *found.data_type() == DataType::BinaryView {
                field.kind = Kind::Text;
            }
        }
        let chosen = 0..metadata.metadata().row_groups().len();
        Ok(Self { path: path.to_owned(), metadata, fields, budget: Arc::clone(budget), chosen })
    }

    fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups().get(self.chosen.clone()).unwrap_or_default()
    }

    /// The rows of each row group.
    pub(crate) fn group_rows(&self) -> impl Iterator<Item = usize> {
        self.groups().iter().map(rows_of)
    }

    /// Only these row groups of the file.
    pub(crate) fn only(self, groups: Range<usize>) -> Self {
        Self { chosen: groups, ..self }
    }

    /// The number of rows in the footer.
    fn declared_rows(&self) -> Result<usize> {
        let rows = self
            .groups()
            .iter()
            .try_fold(0_usize, |sum, group| sum.checked_add(usize::try_from(group.num_rows()).ok()?));
        rows.ok_or_else(|| damaged(&self.path, "a row group has a negative number of rows"))
    }

    /// The decoders of the wanted columns.
    fn levels(&self, sink: &Sink<'_>) -> Result<FieldLevels> {
        let schema = self.metadata.parquet_schema();
        let roots = ProjectionMask::roots(schema, sink.places().iter().copied());
        let hint = self.metadata.schema().fields();
        guarded(|| parquet_to_arrow_field_levels(schema, roots, Some(hint)))
            .map_err(|error| sink.damaged(error))
    }

    /// Number of rows that are decoded at a time.
    fn run(&self, wanted: &Selection, row_bytes: u64) -> usize {
        /// Bytes of numbers that are decoded at a time.
        const NUMBERS: u64 = 32 << 20;
        let chunks = || self.groups().iter().flat_map(RowGroupMetaData::columns);
        if chunks().any(|chunk| chunk.encodings().any(|one| one == Encoding::DELTA_BYTE_ARRAY)) {
            return RUN_OF_DIFFERENCES;
        }
        if wanted.blocks.iter().any(|block| block.lists) {
            return RUN_OF_LISTS;
        }
        usize::try_from(NUMBERS / row_bytes.max(1)).unwrap_or(RUN).clamp(64, RUN)
    }

    /// Passes on the batches of a row group, with their first rows.
    fn each_batch(
        &self,
        place: usize,
        run: usize,
        (sink, levels): (&Sink<'_>, &FieldLevels),
        mut take: impl FnMut(usize, &RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let at_file = |source| Error::File { path: self.path.clone(), source };
        // A new handle: cloned handles share one position in the file.
        let file = File::open(&self.path).map_err(at_file)?;
        if file.metadata().map_err(at_file)?.len() != self.budget.file_bytes() {
            return Err(sink.damaged("it was changed while it was read"));
        }
        let runs = Arc::new(AtomicU64::new(0));
        let group = Group {
            file: Arc::new(file),
            metadata: Arc::clone(self.metadata.metadata()),
            place: self.chosen.start + place,
            run,
            runs: Arc::clone(&runs),
            budget: Arc::clone(&self.budget),
        };
        let rows = self.groups().get(place).map_or(0, rows_of);
        let reader = guarded(|| ParquetRecordBatchReader::try_new_with_row_groups(levels, &group, run, None));
        let mut reader = reader.map_err(|reason| sink.damaged(reason))?;
        let mut done = 0;
        loop {
            runs.fetch_add(1, Ordering::Relaxed);
            let batch = guarded(|| reader.next().transpose()).map_err(|reason| sink.damaged(reason))?;
            let Some(batch) = batch else { break };
            if done + batch.num_rows() > rows {
                return Err(sink.damaged("a column has more rows than its row group"));
            }
            take(done, &batch)?;
            done += batch.num_rows();
        }
        if done < rows { Err(sink.damaged("a column ends before its row group does")) } else { Ok(()) }
    }
}

impl Source for ParquetFile {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let rows = self.declared_rows()?;
        let mut loaded = empty(wanted, &self.fields);
        let sink = Sink::new((&self.path, Format::Parquet), &self.fields, wanted, &self.budget);
        let levels = self.levels(&sink)?;
        let numbers = loaded.blocks.iter().map(Block::row_bytes).sum();
        let run = self.run(wanted, numbers);
        let cost = loaded.row_cost().of(0, rows);
        self.budget.take(cost)?;
        let groups = self.groups();
        // The first list shows the width of the table, so columns of lists are read in order.
        if groups.len() == 1 || wanted.blocks.iter().any(|block| block.lists) {
            loaded.blocks.iter_mut().for_each(|block| block.reserve(rows));
            // Rows are counted again as they come, with the numbers in their lists.
            self.budget.give_back(cost);
            for group in 0..groups.len() {
                self.each_batch(group, run, (&sink, &levels), |_, batch| {
                    sink.append(batch, &mut loaded, offences)
                })?;
            }
            return Ok(loaded);
        }
        let mut parts: Vec<Vec<Part<'_>>> = groups.iter().map(|_| Vec::new()).collect();
        for block in &mut loaded.blocks {
            let sizes = groups.iter().map(rows_of);
            parts.iter_mut().zip(block.parts(rows, sizes)?).for_each(|(parts, part)| parts.push(part));
        }
        let read: Vec<Result<(Vec<Column>, Offences)>> = parts
            .into_par_iter()
            .enumerate()
            .map(|(group, mut parts)| {
                let mut columns = vec![Column::default(); wanted.columns.len()];
                let mut offences = Offences::default();
                self.each_batch(group, run, (&sink, &levels), |first, batch| {
                    sink.fill(batch, first, &mut parts, &mut columns, &mut offences)
                })?;
                Ok((columns, offences))
            })
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

/// The schema with texts as views: rows that share one entry of a dictionary then share its bytes too.
fn with_views(schema: &Schema) -> Schema {
    let field = |field: &arrow_schema::FieldRef| match field.data_type() {
        DataType::Utf8 => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
        DataType::Binary => Arc::new(field.as_ref().clone().with_data_type(DataType::BinaryView)),
        _ => Arc::clone(field),
    };
    Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>())
}

/// Size of the footer, which stands before the last eight bytes of the file, and the number of entries in its schema.
fn footer(file: &mut File) -> Option<(u64, u64)> {
    let mut end = [0; 8];
    let last = file.seek(SeekFrom::End(-8)).ok()?;
    file.read_exact(&mut end).ok()?;
    let [a, b, c, d, b'P', b'A', b'R', b'1'] = end else { return None };
    let bytes = u64::from(u32::from_le_bytes([a, b, c, d])).min(last);
    file.seek(SeekFrom::Start(last - bytes)).ok()?;
    let mut start = Vec::new();
    file.take(32).read_to_end(&mut start).ok()?;
    file.rewind().ok()?;
    Some((bytes, entries(&start).unwrap_or(0)))
}

/// Refuses compressions that are not read, before their pages look damaged.
fn check_compression(path: &Path, groups: &[RowGroupMetaData]) -> Result<()> {
    let mut chunks = groups.iter().flat_map(RowGroupMetaData::columns);
    let other = chunks.find(|chunk| matches!(chunk.compression(), Compression::BROTLI(_) | Compression::LZO));
    match other {
        Some(chunk) => Err(Error::Unsupported {
            path: path.to_owned(),
            what: match chunk.compression() {
                Compression::LZO => "columns that are packed with LZO".to_owned(),
                _ => "columns that are packed with brotli".to_owned(),
            },
            way_out: "write it with zstd, snappy, gzip, lz4 or no compression",
        }),
        None => Ok(()),
    }
}

fn damaged(path: &Path, reason: impl Into<String>) -> Error {
    Error::Damaged { path: path.to_owned(), format: Format::Parquet, reason: reason.into() }
}
