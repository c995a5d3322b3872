//! Limits on what a file may cost to read. Memory is counted before it is allocated.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Maximum size of a line, of a record and of one text, in bytes. A quote that is never closed makes one record of the
/// rest of the file.
pub(crate) const LINE: u64 = 64 << 20;

/// Maximum number of columns of a file, and of numbers in a list.
pub(crate) const COLUMNS: usize = 100_000;

/// Bytes that every item costs besides its columns: its weight, and its key among the ids.
const ITEM: u64 = 16;

/// Number of items whose predictions an evaluation copies, because it makes their draws in advance, and the bytes that
/// each number of these takes.
const AHEAD: usize = 1 << 14;
const AHEAD_NUMBER: u64 = 16;

/// Bytes that the name of a class takes besides its letters.
pub(crate) const CLASS: u64 = 160;

/// Bytes that every text costs besides its letters.
const TEXT: u64 = 8;

/// Memory that the smallest file may take.
const FLOOR: u64 = 64 << 20;

/// Small files compress well, because repetition costs them next to nothing.
const SMALL: u64 = 64 << 10;
const PER_SMALL_BYTE: u64 = 4096;

/// A plain file needs at most 24 bytes of memory per byte: an array of one byte per item.
const PER_BYTE: u64 = 32;

/// Bytes of memory that reading a file of `bytes` bytes may take. Real predictions stay far below it; damaged lengths
/// and files made to exhaust memory do not.
fn memory(bytes: u64) -> u64 {
    let small = bytes.min(SMALL) * PER_SMALL_BYTE;
    bytes.saturating_mul(PER_BYTE).saturating_add(FLOOR + small)
}

/// Bytes that the streams of a compressed file may decode to. They need no memory, but time.
fn decoded(bytes: u64) -> u64 {
    bytes.saturating_mul(256).saturating_add(256 << 20)
}

/// The memory that reading a file may still take. Every reader takes from it what it is about to allocate, and
/// threads that read the same file share it.
///
/// The decoders of other libraries have their own errors, so a budget remembers that it was exceeded: whatever error
/// comes of it, [`Budget::explain`] names the limit.
#[derive(Debug)]
pub(crate) struct Budget {
    path: PathBuf,
    bytes: u64,
    most: u64,
    left: AtomicU64,
    decodable: AtomicU64,
    exceeded: AtomicBool,
}

impl Budget {
    /// The budget of a file of this size.
    pub(crate) fn of_file(path: &Path, bytes: u64) -> Self {
        Self::new(path, bytes, memory(bytes), decoded(bytes))
    }

    /// An unlimited budget, for data that is already in memory.
    pub(crate) fn unlimited(path: &Path) -> Self {
        Self::new(path, 0, u64::MAX, u64::MAX)
    }

    fn new(path: &Path, bytes: u64, most: u64, decodable: u64) -> Self {
        let (left, decodable) = (AtomicU64::new(most), AtomicU64::new(decodable));
        Self { path: path.to_owned(), bytes, most, left, decodable, exceeded: AtomicBool::new(false) }
    }

    /// Size of the file.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes memory before it is allocated.
    pub(crate) fn take(&self, bytes: u64) -> Result<()> {
        self.subtract(&self.left, bytes)
    }

    /// Takes memory that is free again when the loan is dropped.
    pub(crate) fn lend(&self, bytes: u64) -> Result<Loan<'_>> {
        self.take(bytes)?;
        Ok(Loan { budget: self, bytes })
    }

    /// Returns memory that was taken.
    pub(crate) fn give_back(&self, bytes: u64) {
        let more = |left: u64| Some(left.saturating_add(bytes));
        // The closure always gives a number.
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// Counts bytes that a stream decoded.
    pub(crate) fn decode(&self, bytes: u64) -> Result<()> {
        self.subtract(&self.decodable, bytes)
    }

    fn subtract(&self, from: &AtomicU64, bytes: u64) -> Result<()> {
        let less = |left: u64| left.checked_sub(bytes);
        match from.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Ok(()),
            Err(_) => Err(self.exceed()),
        }
    }

    /// Bytes that one JSON document in a compressed file may decode to. A parser holds a text up to three times before
    /// anyone can count it.
    pub(crate) fn document(&self) -> u64 {
        self.most / 4
    }

    /// Marks the budget as exceeded.
    pub(crate) fn exceed(&self) -> Error {
        self.exceeded.store(true, Ordering::Relaxed);
        Error::TooLarge { path: self.path.clone(), bytes: self.bytes, most: self.most }
    }

    /// The error of a reader, or the limit that is behind it.
    pub(crate) fn explain(&self, error: Error) -> Error {
        if self.exceeded.load(Ordering::Relaxed) { self.exceed() } else { error }
    }
}

/// Bytes that a row costs without its texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowCost {
    held: u64,
    ahead: u64,
}

impl RowCost {
    /// The cost of a row with these numbers and single values.
    pub(crate) fn new(numbers: usize, bytes_of_numbers: u64, columns: usize) -> Self {
        let held = ITEM + bytes_of_numbers + TEXT * columns as u64;
        Self { held, ahead: AHEAD_NUMBER * numbers as u64 }
    }

    /// The cost of rows from `first` on.
    pub(crate) fn of(self, first: usize, rows: usize) -> u64 {
        let ahead = first.saturating_add(rows).min(AHEAD) - first.min(AHEAD);
        let held = (rows as u64).saturating_mul(self.held);
        held.saturating_add((ahead as u64).saturating_mul(self.ahead))
    }
}

/// Memory that is returned to its budget when it is dropped.
#[derive(Debug)]
pub(crate) struct Loan<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

/// Takes many small sizes from a budget, a few kilobytes at a time: threads share the budget.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    budget: &'a Budget,
    counted: u64,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, counted: 0 }
    }

    pub(crate) fn add(&mut self, bytes: u64) -> Result<()> {
        self.counted = self.counted.saturating_add(bytes);
        if self.counted < 1 << 16 { Ok(()) } else { self.settle() }
    }

    /// Takes what was counted.
    pub(crate) fn settle(&mut self) -> Result<()> {
        self.budget.take(std::mem::take(&mut self.counted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What docs/reliability.md says of files below 10 MB.
    #[test]
    fn small_files_never_get_a_gigabyte() {
        assert!(memory(10_000_000) < 660_000_000);
        assert!((0..10_000_000).step_by(999).all(|bytes| memory(bytes) <= memory(10_000_000)));
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let budget = Budget::of_file(Path::new("pool.csv"), 0);
        let all = budget.most;
        assert_eq!(all, 64 << 20);
        {
            let _loan = budget.lend(all).unwrap();
            assert!(!budget.exceeded.load(Ordering::Relaxed));
        }
        budget.take(all).unwrap();
        let other = || Error::Empty { path: "pool.csv".into() };
        assert!(matches!(budget.explain(other()), Error::Empty { .. }));
        assert!(matches!(budget.take(1), Err(Error::TooLarge { bytes: 0, .. })));
        assert!(matches!(budget.explain(other()), Error::TooLarge { .. }));
    }

    #[test]
    fn the_limit_grows_with_the_file_and_never_overflows() {
        assert_eq!(memory(0), 64 << 20);
        assert_eq!(memory(1000), (64 << 20) + 4128 * 1000);
        assert_eq!(memory(10 << 20), (64 + 256 + 320) << 20);
        assert_eq!(memory(u64::MAX), u64::MAX);
        let sizes = [0, 1, 1000, 1 << 16, 1 << 20, 1 << 40, u64::MAX].map(memory);
        assert!(sizes.is_sorted());
        let budget = Budget::unlimited(Path::new("(table)"));
        budget.take(u64::MAX / 2).unwrap();
        budget.give_back(u64::MAX);
        budget.take(RowCost::new(1, 8, 0).of(0, usize::MAX)).unwrap();
        let cost = RowCost::new(3, 12, 2);
        assert_eq!(cost.of(0, 2), 2 * (ITEM + 12 + 16 + 48));
        assert_eq!(cost.of(AHEAD - 1, 2), 2 * (ITEM + 12 + 16) + 48);
    }
}
