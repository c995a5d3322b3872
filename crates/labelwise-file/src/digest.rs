//! Checksums of rows: XXH3 over every field in a fixed encoding.
//!
//! SQLite has no checksums, so a bit flip on the disk could change a label. Rows that are only appended are chained:
//! the checksum of each covers the checksum of the one before, and therefore all earlier rows.

use twox_hash::XxHash3_64;

/// The fields of a row in order. Texts and bytes have their length before them, so that different rows have different
/// encodings.
pub(super) struct Digest {
    bytes: Vec<u8>,
}

impl Digest {
    /// A row that follows another row, or the start of the chain.
    pub(super) fn after(previous: u64, table: &str) -> Self {
        Self { bytes: Vec::with_capacity(256) }.number(previous).text(table)
    }

    /// A row outside of a chain.
    pub(super) fn of(table: &str) -> Self {
        Self::after(0, table)
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        self.bytes.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub(super) fn signed(self, number: i64) -> Self {
        self.number(number.cast_unsigned())
    }

    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        self = self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub(super) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    pub(super) fn optional(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.number(1).text(text),
            None => self.number(0),
        }
    }

    /// Many bytes, as their own checksum, so that they are not copied.
    pub(super) fn large(self, bytes: &[u8]) -> Self {
        self.number(bytes.len() as u64).number(XxHash3_64::oneshot(bytes))
    }

    pub(super) fn finish(&self) -> u64 {
        XxHash3_64::oneshot(&self.bytes)
    }
}

/// Hash of the texts of a request, in order.
pub fn digest(parts: &[&str]) -> u64 {
    parts.iter().fold(Digest::of("parts"), |digest, part| digest.text(part)).finish()
}

/// Hash of a text, for tables in memory. It can change in any version.
pub fn hash(text: &str) -> u64 {
    XxHash3_64::oneshot(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Old files must stay readable, so these numbers never change.
    #[test]
    fn the_encoding_stays() {
        let digest =
            Digest::after(7, "draw").number(3).signed(-1).text("ä").optional(None).optional(Some("x"));
        assert_eq!(digest.finish(), 13_285_466_289_158_802_455);
        assert_eq!(Digest::of("block").large(&[5; 1000]).finish(), 4_853_702_287_811_561_724);
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let digest = || Digest::of("draw");
        assert_ne!(digest().text("ab").text("c").finish(), digest().text("a").text("bc").finish());
        assert_ne!(digest().optional(None).finish(), digest().optional(Some("")).finish());
        assert_ne!(digest().finish(), Digest::of("event").finish());
        assert_ne!(digest().finish(), Digest::after(1, "draw").finish());
    }
}
