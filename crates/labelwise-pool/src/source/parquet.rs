//! Parquet: several row groups at once, and of each only the columns that are wanted.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, Length};
use rayon::prelude::*;

use super::batches::{self, RUN, Sink};
use super::guard::guarded;
use super::{Field, Kind, Loaded, Selection, Source, empty};
use crate::block::Part;
use crate::column::Column;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::{self, Budget};
use crate::offences::Offences;

/// A file whose footer is known.
pub(crate) struct ParquetFile {
    path: PathBuf,
    bytes: u64,
    metadata: ArrowReaderMetadata,
    fields: Vec<Field>,
}

impl ParquetFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let at_file = |source| Error::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(at_file)?;
        let bytes = file.metadata().map_err(at_file)?.len();
        let metadata = guarded(|| {
            // The types of Parquet itself: those of the writer's library may be dictionaries of numbers.
            let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
            let found = ArrowReaderMetadata::load(&file, options)?;
            let options = ArrowReaderOptions::new().with_schema(Arc::new(with_views(found.schema())));
            ArrowReaderMetadata::try_new(Arc::clone(found.metadata()), options)
        });
        let metadata = metadata.map_err(|reason| damaged(path, reason))?;
        let mut fields = batches::fields(metadata.schema());
        for (field, found) in fields.iter_mut().zip(metadata.schema().fields()) {
            // Many writers do not declare that bytes are a text.
            if *found.data_type() == DataType::BinaryView {
                field.kind = Kind::Text;
            }
        }
        Ok(Self { path: path.to_owned(), bytes, metadata, fields })
    }

    fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups()
    }

    /// The number of rows in the footer, if a file of this size can have them.
    fn declared_rows(&self, wanted: &Selection) -> Result<usize> {
        let rows = self
            .groups()
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

    /// Passes on the batches of a row group, with their first rows.
    fn each_batch(
        &self,
        group: usize,
        sink: &Sink<'_>,
        budget: &Arc<Budget>,
        mut take: impl FnMut(usize, &RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let at_file = |source| Error::File { path: self.path.clone(), source };
        // A new handle: cloned handles share one position in the file.
        let file = File::open(&self.path).map_err(at_file)?;
        if file.metadata().map_err(at_file)?.len() != self.bytes {
            return Err(sink.damaged("it was changed while it was read"));
        }
        let pages = Pages { file, bytes: self.bytes, budget: Arc::clone(budget) };
        let rows = self.groups().get(group).map_or(0, rows_of);
        let roots = ProjectionMask::roots(self.metadata.parquet_schema(), sink.places().iter().copied());
        let reader = guarded(|| {
            ParquetRecordBatchReaderBuilder::new_with_metadata(pages, self.metadata.clone())
                .with_row_groups(vec![group])
                .with_projection(roots)
                .with_batch_size(RUN)
                .build()
        });
        let mut reader = reader.map_err(|reason| sink.damaged(reason))?;
        let mut done = 0;
        while let Some(batch) =
            guarded(|| reader.next().transpose()).map_err(|reason| sink.damaged(reason))?
        {
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
        let rows = self.declared_rows(wanted)?;
        let mut loaded = empty(wanted, &self.fields);
        let budget = Arc::new(Budget::of_file(self.bytes));
        let sink = Sink::new((&self.path, Format::Parquet, self.bytes), &self.fields, wanted, &budget);
        let groups = self.groups();
        // The first list shows the width of the table, so columns of lists are read in order.
        if groups.len() == 1 || wanted.blocks.iter().any(|block| block.lists) {
            loaded.blocks.iter_mut().for_each(|block| block.reserve(rows));
            for group in 0..groups.len() {
                self.each_batch(group, &sink, &budget, |_, batch| sink.append(batch, &mut loaded, offences))?;
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
                self.each_batch(group, &sink, &budget, |first, batch| {
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

/// A file whose page headers are checked before memory is allocated.
struct Pages {
    file: File,
    bytes: u64,
    budget: Arc<Budget>,
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for Pages {
    type T = PageReader;

    /// The decoder calls this for the header of every page, and again for its contents, which it does not read from here, if it
    /// has looked at the header before.
    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let (reader, budget) = (self.file.get_read(start)?, Arc::clone(&self.budget));
        Ok(PageReader { reader, budget: Some(budget), most: limits::expanded(self.bytes) })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        match start.checked_add(length as u64) {
            Some(end) if end <= self.bytes => self.file.get_bytes(start, length),
            _ => Err(general("the pages of a column are outside of the file")),
        }
    }
}

/// A reader of the header of a page. The first bytes that are read are checked.
struct PageReader {
    reader: BufReader<File>,
    budget: Option<Arc<Budget>>,
    most: u64,
}

impl Read for PageReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(budget) = self.budget.take() {
            let header = self.reader.fill_buf()?;
            let size =
                decoded_size(header).ok_or_else(|| io::Error::other("the header of a page is damaged"))?;
            if !budget.take(size) {
                let most = self.most;
                return Err(io::Error::other(format!(
                    "its pages need more than {most} bytes, the limit for a file of this size"
                )));
            }
        }
        self.reader.read(buffer)
    }
}

/// The size of a decoded page, from the size and the number of values in its header.
///
/// The header is a struct in Thrift's compact protocol. The whole numbers at its start are the type of the page, its size
/// without compression, its size in the file and perhaps a checksum; then a struct follows that begins with the number of
/// values.
fn decoded_size(header: &[u8]) -> Option<u64> {
    /// A whole number in the field after the last one.
    const NEXT_INTEGER: u8 = 0x15;
    const STRUCT: u8 = 0x0c;
    let mut bytes = header.iter().copied();
    let mut integers = Vec::new();
    while integers.len() < 5 {
        match bytes.next()? {
            NEXT_INTEGER => integers.push(integer(&mut bytes)?),
            field if field & 0x0f == STRUCT => break,
            _ => return None,
        }
    }
    let values = (bytes.next()? == NEXT_INTEGER).then(|| integer(&mut bytes)).flatten()?;
    let positive = |number: i64| u64::try_from(number).ok();
    Some(positive(*integers.get(1)?)?.max(positive(values)?.saturating_mul(4)))
}

/// A whole number of Thrift's compact protocol: seven bits per byte, the sign in the lowest bit.
fn integer(bytes: &mut impl Iterator<Item = u8>) -> Option<i64> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let byte = bytes.next()?;
        number |= i64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((number >> 1) ^ -(number & 1));
        }
    }
    None
}

fn general(reason: &str) -> ParquetError {
    ParquetError::General(reason.to_owned())
}

fn damaged(path: &Path, reason: impl Into<String>) -> Error {
    Error::Damaged { path: path.to_owned(), format: Format::Parquet, reason: reason.into() }
}
