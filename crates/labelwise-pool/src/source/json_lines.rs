//! Lines of a text file, one JSON object each.

use std::io::{BufRead, BufReader, Read};

use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits;
use crate::text::TextFile;

/// Reads a file line by line, with a limit on the length of a line.
pub(crate) struct JsonLines {
    text: TextFile,
    reader: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    number: u64,
    /// Bytes that were taken from the budget for the line.
    taken: u64,
}

impl JsonLines {
    pub(crate) fn open(text: &TextFile) -> Result<Self> {
        let reader = BufReader::with_capacity(1 << 16, text.open()?);
        Ok(Self { text: text.clone(), reader, line: Vec::new(), number: 0, taken: 0 })
    }

    /// The next line that is not blank, and its number.
    pub(crate) fn next(&mut self) -> Result<Option<(&[u8], u64)>> {
        loop {
            self.line.clear();
            let read = (&mut self.reader).take(limits::LINE).read_until(b'\n', &mut self.line);
            let read = read.map_err(|source| Error::File { path: self.text.path().to_owned(), source })?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            if read as u64 > self.taken {
                self.text.budget().take(read as u64 - self.taken)?;
                self.taken = read as u64;
            }
            if read as u64 == limits::LINE {
                return Err(Error::Damaged {
                    path: self.text.path().to_owned(),
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

impl Drop for JsonLines {
    fn drop(&mut self) {
        self.text.budget().give_back(self.taken);
    }
}
