//! Bytes of a sketch: numbers in little-endian order, texts with their lengths.

/// Bytes that are written.
#[derive(Debug, Clone, Default)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    /// Appends a whole number.
    pub fn whole(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Appends a number.
    pub fn number(&mut self, number: f64) {
        self.whole(number.to_bits());
    }

    /// Appends bytes with their length.
    pub fn block(&mut self, bytes: &[u8]) {
        self.whole(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// Bytes that were not read yet.
#[derive(Debug, Clone)]
pub struct Rest<'a>(pub &'a [u8]);

impl<'a> Rest<'a> {
    /// A whole number.
    pub fn whole(&mut self) -> Option<u64> {
        let (&eight, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(eight))
    }

    /// A number.
    pub fn number(&mut self) -> Option<f64> {
        self.whole().map(f64::from_bits)
    }

    /// A number of things of which each takes a byte at least, so that a wrong number cannot take much memory.
    pub fn count(&mut self) -> Option<usize> {
        let count = self.whole()?;
        usize::try_from(count).ok().filter(|count| *count <= self.0.len())
    }

    /// Bytes with their length.
    pub fn block(&mut self) -> Option<&'a [u8]> {
        let count = self.count()?;
        let (block, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(block)
    }

    /// A text.
    pub fn text(&mut self) -> Option<String> {
        Some(std::str::from_utf8(self.block()?).ok()?.to_owned())
    }
}
