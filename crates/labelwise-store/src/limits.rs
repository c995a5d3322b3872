//! How much of a file is believed before it is seen.

/// The longest line or record of a text file, in bytes. A quote that is never closed makes a record of all the rest.
pub(crate) const LINE: u64 = 64 << 20;

/// The most columns of a file.
pub(crate) const COLUMNS: usize = 100_000;

/// The most numbers or bytes that a compressed file of so many bytes may become. Files of real predictions stay far
/// below; a damaged length, or a file made to fill the memory, does not.
pub(crate) fn expanded(file_bytes: u64) -> u64 {
    file_bytes.saturating_mul(1000).saturating_add(256 << 20)
}
