//! A Parquet file that several threads read at once, each from a place of its own. Handles of the system's kind share one
//! place among all that are cloned from another.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// How much is read at a time.
const PIECE: usize = 1 << 16;

/// A file that is read by place.
#[derive(Debug)]
pub(super) struct ByPlace {
    file: Arc<File>,
    bytes: u64,
}

impl ByPlace {
    pub(super) fn new(file: File, bytes: u64) -> Self {
        Self { file: Arc::new(file), bytes }
    }

    fn at(&self, place: u64) -> Place {
        Place { file: Arc::clone(&self.file), place }
    }
}

impl Length for ByPlace {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for ByPlace {
    type T = BufReader<Place>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::with_capacity(PIECE, self.at(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let left = usize::try_from(self.bytes.saturating_sub(start)).unwrap_or(usize::MAX);
        let mut bytes = Vec::with_capacity(length.min(left));
        let read = self.at(start).take(length as u64).read_to_end(&mut bytes)?;
        if read == length {
            return Ok(bytes.into());
        }
        Err(ParquetError::EOF(format!("{length} bytes were to be at {start}, but there are {read}")))
    }
}

/// Where one of the readers is.
#[derive(Debug)]
pub(super) struct Place {
    file: Arc<File>,
    place: u64,
}

impl Read for Place {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, buffer, self.place)?;
        self.place += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, place)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, place)
}
