//! Lines of a text file, one JSON object each.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits;

/// Reads a file line by line, with a limit on the length of a line.
pub(crate) struct JsonLines {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    number: u64,
}

impl JsonLines {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(Self { path: path.to_owned(), reader, line: Vec::new(), number: 0 })
    }

    /// The next line that is not blank, and its number.
    pub(crate) fn next(&mut self) -> Result<Option<(&[u8], u64)>> {
        loop {
            self.line.clear();
            let read = (&mut self.reader).take(limits::LINE).read_until(b'\n', &mut self.line);
            let read = read.map_err(|source| Error::File { path: self.path.clone(), source })?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            if read as u64 == limits::LINE {
                return Err(Error::Damaged {
                    path: self.path.clone(),
                    format: Format::Jsonl,
                    reason: format!("line {} is longer than {} bytes", self.number, limits::LINE),
                });
            }
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                break;
            }
        }
        Ok(Some((&self.line, self.number)))
    }
}
