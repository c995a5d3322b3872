//! Reads SQLite's log directly, to notice a part of it that SQLite ignores silently.
//!
//! SQLite uses the frames of a log up to the last commit with correct checksums, and ignores the rest. The rest can
//! be an interrupted write, or labels that were acknowledged and damaged later. These cannot be distinguished, so an
//! ignored part is a warning.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::thread;

use super::connect::beside;
use super::{ATTEMPTS, PAUSE};

/// The bytes before the first frame, and before the page of a frame.
const HEADER: usize = 32;
const FRAME: usize = 24;
/// The first word of a log; its last bit is the byte order of the checksums.
const MAGIC: u32 = 0x377f_0682;

/// A part of a log that SQLite ignores although it seems to belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IgnoredLog {
    /// The log.
    pub log: PathBuf,
    /// Number of transactions before the ignored part, which count.
    pub kept: u64,
    /// Number of ignored bytes.
    pub bytes: u64,
}

/// How much of a log is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Only until it is known whether any transaction is used.
    First,
    /// Every frame.
    All,
}

/// The ignored part of the log of an evaluation. A log that changes meanwhile is read again.
pub(super) fn ignored(path: &Path, depth: Depth) -> Option<IgnoredLog> {
    let log = beside(path, "-wal");
    let look = || -> io::Result<Option<IgnoredLog>> {
        let length = match log.metadata() {
            Ok(metadata) if metadata.len() > 0 => metadata.len(),
            _ => return Ok(None),
        };
        let (kept, fits) = Frames::open(&log)?.map_or(Ok((0, 0)), |mut frames| frames.committed(depth))?;
        let looked_at_all = depth == Depth::All || kept == 0;
        let ignored = length.saturating_sub(fits);
        let suspicious = looked_at_all && ignored > 0 && is_of_this_log(&log, fits)?;
        Ok(suspicious.then(|| IgnoredLog { log: log.clone(), kept, bytes: ignored }))
    };
    let mut found = look().ok().flatten();
    for _ in 0..ATTEMPTS {
        let Some(before) = &found else { return None };
        thread::sleep(PAUSE / 10);
        let again = look().ok().flatten();
        if again.as_ref() == Some(before) {
            return found;
        }
        found = again;
    }
    // The log keeps changing, so a process uses it.
    None
}

/// The frames of a log, one after the other.
struct Frames {
    file: BufReader<File>,
    page: Vec<u8>,
    salts: [u8; 8],
    big_endian: bool,
    sum: (u32, u32),
}

impl Frames {
    /// A log whose header fits its checksum.
    fn open(log: &Path) -> io::Result<Option<Self>> {
        let mut file = BufReader::new(File::open(log)?);
        let mut header = [0; HEADER];
        if !filled(&mut file, &mut header)? {
            return Ok(None);
        }
        let magic = word(&header, 0);
        let page = word(&header, 8) as usize;
        if magic & !1 != MAGIC || !page.is_power_of_two() || !(512..=65_536).contains(&page) {
            return Ok(None);
        }
        let big_endian = magic & 1 == 1;
        let (start, _) = header.split_at(HEADER - 8);
        let sum = checksum((0, 0), start, big_endian);
        if sum != (word(&header, 24), word(&header, 28)) {
            return Ok(None);
        }
        let mut salts = [0; 8];
        salts.copy_from_slice(header.get(16..24).unwrap_or(&[0; 8]));
        Ok(Some(Self { file, page: vec![0; page], salts, big_endian, sum }))
    }

    /// Number of complete transactions, and the end of the last one.
    fn committed(&mut self, depth: Depth) -> io::Result<(u64, u64)> {
        let (mut commits, mut fits, mut position) = (0, HEADER as u64, HEADER as u64);
        let mut frame = [0; FRAME];
        while filled(&mut self.file, &mut frame)? && filled(&mut self.file, &mut self.page)? {
            let (numbers, rest) = frame.split_at(8);
            self.sum = checksum(self.sum, numbers, self.big_endian);
            self.sum = checksum(self.sum, &self.page, self.big_endian);
            if !rest.starts_with(&self.salts) || self.sum != (word(&frame, 16), word(&frame, 20)) {
                break;
            }
            position += (FRAME + self.page.len()) as u64;
            // The number of pages after a commit is 0 in the frames before it.
            if word(&frame, 4) != 0 {
                (commits, fits) = (commits + 1, position);
                if depth == Depth::First {
                    break;
                }
            }
        }
        Ok((commits, fits))
    }
}

/// Whether the bytes after a position belong to the current use of the log; frames of an earlier use are normal.
fn is_of_this_log(log: &Path, position: u64) -> io::Result<bool> {
    use std::io::{Seek, SeekFrom};
    let mut file = File::open(log)?;
    let (mut header, mut frame) = ([0; HEADER], [0; FRAME]);
    if position < HEADER as u64 || !filled(&mut file, &mut header)? {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(position))?;
    Ok(!filled(&mut file, &mut frame)? || frame.get(8..16) == header.get(16..24))
}

/// Fills a buffer; false at the end of the file.
fn filled(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The word at an offset.
fn word(bytes: &[u8], offset: usize) -> u32 {
    let four = bytes.get(offset..offset + 4).and_then(|four| four.try_into().ok());
    u32::from_be_bytes(four.unwrap_or_default())
}

/// SQLite's checksum of a log, continued over more bytes.
fn checksum(sum: (u32, u32), bytes: &[u8], big_endian: bool) -> (u32, u32) {
    let value =
        |bytes: [u8; 4]| if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    bytes.as_chunks::<8>().0.iter().fold(sum, |(first, second), &[a, b, c, d, e, f, g, h]| {
        let first = first.wrapping_add(value([a, b, c, d])).wrapping_add(second);
        (first, second.wrapping_add(value([e, f, g, h])).wrapping_add(first))
    })
}
