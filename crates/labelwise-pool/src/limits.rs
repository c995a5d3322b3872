//! Limits on the sizes that a file declares, checked before memory is allocated.

use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum size of a line or record of a text file, in bytes. A quote that is never closed makes one record of the
/// rest of the file.
pub(crate) const LINE: u64 = 64 << 20;

/// Maximum number of columns of a file, and of numbers in a list.
pub(crate) const COLUMNS: usize = 100_000;

/// Maximum number of numbers or bytes that a compressed file of `bytes` bytes may decode to. Real predictions stay
/// far below it; damaged lengths and files made to exhaust memory do not.
pub(crate) fn expanded(file_bytes: u64) -> u64 {
    file_bytes.saturating_mul(1000).saturating_add(256 << 20)
}

/// Number of bytes that a file may still decode to. Threads that read the same file share it.
#[derive(Debug)]
pub(crate) struct Budget(AtomicU64);

impl Budget {
    /// The budget of a compressed file of this size.
    pub(crate) fn of_file(bytes: u64) -> Self {
        Self(AtomicU64::new(expanded(bytes)))
    }

    /// An unlimited budget, for data that is already in memory.
    pub(crate) fn unlimited() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }

    /// Reserves bytes before memory is allocated; false if fewer are left.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}
