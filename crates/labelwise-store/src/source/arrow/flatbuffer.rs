//! FlatBuffers, read where they lie and never beyond.

/// A table in a buffer: its place, and that of the list of its fields' offsets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    place: usize,
    offsets: usize,
    /// How many bytes the list of offsets takes.
    size: usize,
}

impl<'a> Table<'a> {
    /// The table that a buffer is about.
    pub(super) fn root(bytes: &'a [u8]) -> Option<Self> {
        Self::at(bytes, u32_at(bytes, 0)? as usize)
    }

    fn at(bytes: &'a [u8], place: usize) -> Option<Self> {
        let back = i64::from(u32_at(bytes, place)?.cast_signed());
        let offsets = usize::try_from(i64::try_from(place).ok()?.checked_sub(back)?).ok()?;
        let size = usize::from(u16_at(bytes, offsets)?);
        Some(Self { bytes, place, offsets, size })
    }

    /// The place of a field; none when it is left at its default.
    fn field(self, number: usize) -> Option<usize> {
        let at = 4 + 2 * number;
        if at + 2 > self.size {
            return None;
        }
        let offset = usize::from(u16_at(self.bytes, self.offsets.checked_add(at)?)?);
        if offset == 0 { None } else { self.place.checked_add(offset) }
    }

    pub(super) fn u8(self, number: usize) -> Option<u8> {
        self.bytes.get(self.field(number)?).copied()
    }

    pub(super) fn i16(self, number: usize) -> Option<i16> {
        u16_at(self.bytes, self.field(number)?).map(u16::cast_signed)
    }

    pub(super) fn i32(self, number: usize) -> Option<i32> {
        u32_at(self.bytes, self.field(number)?).map(u32::cast_signed)
    }

    pub(super) fn i64(self, number: usize) -> Option<i64> {
        i64_at(self.bytes, self.field(number)?)
    }

    fn target(self, number: usize) -> Option<usize> {
        let at = self.field(number)?;
        at.checked_add(u32_at(self.bytes, at)? as usize)
    }

    pub(super) fn table(self, number: usize) -> Option<Table<'a>> {
        Self::at(self.bytes, self.target(number)?)
    }

    pub(super) fn text(self, number: usize) -> Option<&'a str> {
        let at = self.target(number)?;
        let length = u32_at(self.bytes, at)? as usize;
        let start = at.checked_add(4)?;
        std::str::from_utf8(self.bytes.get(start..start.checked_add(length)?)?).ok()
    }

    /// The tables of a list; none when one of them lies outside.
    pub(super) fn tables(self, number: usize) -> Option<Vec<Table<'a>>> {
        let Some(at) = self.target(number) else { return Some(Vec::new()) };
        let items = self.items(at, 4)?;
        let start = at.checked_add(4)?;
        let places = items.chunks_exact(4).enumerate().map(|(item, _)| start + 4 * item);
        places
            .map(|place| Self::at(self.bytes, place.checked_add(u32_at(self.bytes, place)? as usize)?))
            .collect()
    }

    /// Numbers of a list, of which each item has so many.
    pub(super) fn numbers<const EACH: usize>(self, number: usize) -> Option<Vec<[i64; EACH]>> {
        let Some(at) = self.target(number) else { return Some(Vec::new()) };
        let items = self.items(at, 8 * EACH)?;
        let item = |bytes: &[u8]| {
            let mut numbers = [0; EACH];
            for (place, number) in numbers.iter_mut().enumerate() {
                *number = i64_at(bytes, 8 * place)?;
            }
            Some(numbers)
        };
        items.chunks_exact(8 * EACH).map(item).collect()
    }

    fn items(self, at: usize, size: usize) -> Option<&'a [u8]> {
        let count = u32_at(self.bytes, at)? as usize;
        let start = at.checked_add(4)?;
        self.bytes.get(start..start.checked_add(count.checked_mul(size)?)?)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn i64_at(bytes: &[u8], at: usize) -> Option<i64> {
    Some(i64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}
