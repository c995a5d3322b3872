//! The pages of a row group of Parquet, checked before their decoders allocate memory.
//!
//! The decoders believe what a page says of itself: its size, its number of values, and the number of lengths in front of
//! texts. Each of these is held against the budget or against the others here.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;

use super::header::Header;
use super::lengths::check_lengths;
use crate::limits::Budget;

/// The longest header of a page, in bytes.
const LONGEST_HEADER: u64 = 1 << 20;

/// One row group of a file.
pub(super) struct Group {
    pub(super) file: Arc<File>,
    pub(super) metadata: Arc<ParquetMetaData>,
    pub(super) place: usize,
    /// Number of rows that are decoded at a time.
    pub(super) run: usize,
    /// Number of runs that were begun.
    pub(super) runs: Arc<AtomicU64>,
    pub(super) budget: Arc<Budget>,
}

impl Group {
    fn group(&self) -> ParquetResult<&RowGroupMetaData> {
        self.metadata.row_groups().get(self.place).ok_or_else(|| general("a row group is missing"))
    }
}

impl RowGroups for Group {
    fn num_rows(&self) -> usize {
        self.group().map_or(0, |group| usize::try_from(group.num_rows()).unwrap_or(0))
    }

    fn column_chunks(&self, column: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let chunk = self.group()?.columns().get(column).ok_or_else(|| general("a column is missing"))?;
        let descriptor = chunk.column_descr();
        let pages = ColumnPages {
            file: Arc::clone(&self.file),
            compression: chunk.compression(),
            costs: Costs::new(descriptor, self.run),
            runs: Arc::clone(&self.runs),
            held: Mutex::default(),
            budget: Arc::clone(&self.budget),
        };
        let reader = SerializedPageReader::new(Arc::new(pages), chunk, self.num_rows(), None)?;
        let levels = [descriptor.max_rep_level(), descriptor.max_def_level()];
        Ok(Box::new(OneReader(Some(CheckedPages { reader, levels: levels.map(|level| level > 0) }))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.group().ok().into_iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

struct OneReader(Option<CheckedPages>);

impl Iterator for OneReader {
    type Item = ParquetResult<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(|pages| Ok(Box::new(pages) as Box<dyn PageReader>))
    }
}

impl PageIterator for OneReader {}

/// Pages whose lengths of texts are as many as their values.
struct CheckedPages {
    reader: SerializedPageReader<ColumnPages>,
    /// Whether pages have repetition levels, and definition levels.
    levels: [bool; 2],
}

impl Iterator for CheckedPages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        let page = self.reader.get_next_page()?;
        if let Some(page) = &page {
            check_lengths(page, self.levels)
                .ok_or_else(|| general("the lengths of its texts are damaged"))?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.reader.peek_next_page()
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.reader.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> ParquetResult<bool> {
        self.reader.at_record_boundary()
    }
}

/// A column of a row group, whose page headers are read before memory is allocated.
struct ColumnPages {
    file: Arc<File>,
    compression: Compression,
    costs: Costs,
    runs: Arc<AtomicU64>,
    held: Mutex<Held>,
    budget: Arc<Budget>,
}

/// The memory of the pages that a column holds.
#[derive(Default)]
struct Held {
    dictionary: u64,
    pages: Vec<u64>,
    /// The run in which the last page came.
    run: u64,
    /// Where the page of the last header begins.
    body: Option<u64>,
}

impl ColumnPages {
    /// Takes the memory of a page. Texts of a run refer to all of its pages; of the runs before it, the last page may
    /// still have rows.
    fn hold(&self, header: &Header) -> ParquetResult<()> {
        let cost = self.costs.of(header, self.compression);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let run = self.runs.load(Ordering::Relaxed);
        if held.run != run {
            let last = held.pages.pop();
            held.pages.drain(..).for_each(|page| self.budget.give_back(page));
            held.pages.extend(last);
            held.run = run;
        }
        self.budget.take(cost).map_err(|error| general(&error.to_string()))?;
        if header.is_dictionary {
            held.dictionary += cost
        } else {
            held.pages.push(cost)
        }
        Ok(())
    }
}

impl Drop for ColumnPages {
    fn drop(&mut self) {
        let held = self.held.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.budget.give_back(held.dictionary + held.pages.iter().sum::<u64>());
    }
}

impl Length for ColumnPages {
    fn len(&self) -> u64 {
        self.budget.file_bytes()
    }
}

impl ChunkReader for ColumnPages {
    type T = BufReader<File>;

    /// The decoder calls this for the header of every page, and for the page itself if it looked ahead at the header.
    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let mut reader = self.file.get_read(start)?;
        if self.held.lock().unwrap_or_else(PoisonError::into_inner).body.take() == Some(start) {
            return Ok(reader);
        }
        let header = match Header::read(reader.fill_buf()?) {
            Some(header) => header,
            // A header with long statistics.
            None => {
                let left = self.len().saturating_sub(start).min(LONGEST_HEADER);
                let bytes = self.get_bytes(start, usize::try_from(left).unwrap_or(0))?;
                reader = self.file.get_read(start)?;
                Header::read(&bytes).ok_or_else(|| general("the header of a page is damaged"))?
            }
        };
        self.hold(&header)?;
        let body = (header.packed > 0).then(|| start.saturating_add(header.bytes));
        self.held.lock().unwrap_or_else(PoisonError::into_inner).body = body;
        if matches!(self.compression, Compression::GZIP(_)) {
            self.check_gzip(start, &header)?;
        }
        Ok(reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        match start.checked_add(length as u64) {
            Some(end) if end <= self.len() => self.file.get_bytes(start, length),
            _ => Err(general("the pages of a column are outside of the file")),
        }
    }
}

impl ColumnPages {
    /// The decoder of gzip unpacks a page to its end, whatever the header says, so it is unpacked into nothing first.
    fn check_gzip(&self, start: u64, header: &Header) -> ParquetResult<()> {
        let length =
            usize::try_from(header.packed).map_err(|_| general("the header of a page is damaged"))?;
        let page = self.get_bytes(start + header.bytes, length)?;
        let page = page.slice(usize::try_from(header.levels).unwrap_or(length).min(length)..);
        let mut unpacked = MultiGzDecoder::new(page.as_ref()).take(header.unpacked.saturating_add(1));
        let mut piece = [0; 1 << 13];
        let mut size = 0;
        // A page that is not packed fails here, and the decoder knows better.
        while let Ok(read @ 1..) = unpacked.read(&mut piece) {
            size += read as u64;
        }
        match size > header.unpacked {
            true => Err(general("a page is larger than its header says")),
            false => Ok(()),
        }
    }
}

/// What decoders allocate for a page of a column.
struct Costs {
    is_text: bool,
    is_nested: bool,
    run: u64,
}

impl Costs {
    fn new(column: &ColumnDescriptor, run: usize) -> Self {
        let is_text = column.physical_type() == Type::BYTE_ARRAY;
        Self { is_text, is_nested: column.max_rep_level() > 0, run: run as u64 }
    }

    fn of(&self, header: &Header, compression: Compression) -> u64 {
        /// Bytes that one packed byte of the old LZ4 can become; its decoder does not stop at the size in the header.
        const OLD_LZ4: u64 = 255;
        let unpacked = match compression {
            Compression::LZ4 => header.unpacked.max(header.packed.saturating_mul(OLD_LZ4)),
            _ => header.unpacked,
        };
        // Texts of a dictionary are found by views of 16 bytes, those of a page by two lengths. Items of lists are copied,
        // with their levels.
        let per_value = match header.is_dictionary || self.is_nested {
            true => 16,
            false if self.is_text => 8,
            false => 0,
        };
        let values = header.values.saturating_mul(per_value);
        // Each text may repeat the whole one before it.
        let texts = match header.encoding == DELTA_BYTE_ARRAY && self.is_text {
            true => header.values.min(self.run).saturating_mul(header.unpacked),
            false => 0,
        };
        // Packed bytes and unpacked ones are there at the same time.
        header.packed.saturating_add(unpacked).saturating_add(values).saturating_add(texts)
    }
}

/// The number of the encoding in files.
const DELTA_BYTE_ARRAY: u64 = Encoding::DELTA_BYTE_ARRAY as u64;

fn general(reason: &str) -> ParquetError {
    ParquetError::General(reason.to_owned())
}
