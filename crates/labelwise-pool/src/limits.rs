//! Limits on the sizes that a file declares, checked before memory is allocated.

use std::sync::atomic::{AtomicU64, Ordering};

/// The longest line or record of a text file, in bytes. A quote that is never closed makes a record of all the rest.
pub(crate) const LINE: u64 = 64 << 20;

/// The most columns of a file, and the most numbers of a list in one of its cells.
pub(crate) const COLUMNS: usize = 100_000;

/// The most numbers or bytes that a compressed file of so many bytes may become. Files of real predictions stay far
/// below; a damaged length, or a file made to fill the memory, does not.
pub(crate) fn expanded(file_bytes: u64) -> u64 {
    file_bytes.saturating_mul(1000).saturating_add(256 << 20)
}

/// Bytes that a file may still become. Threads that read the same file share one budget.
#[derive(Debug)]
pub(crate) struct Budget(AtomicU64);

impl Budget {
    /// The budget of a compressed file of this size.
    pub(crate) fn of_file(bytes: u64) -> Self {
        Self(AtomicU64::new(expanded(bytes)))
    }

    /// A budget that never ends: what is in memory already needs no limit.
    pub(crate) fn unlimited() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }

    /// Takes bytes before memory is allocated for them; false when fewer are left.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}
