//! The header of a page, read before the decoder does.

/// What the header of a page says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Header {
    pub(super) is_dictionary: bool,
    pub(super) unpacked: u64,
    pub(super) packed: u64,
    pub(super) values: u64,
    pub(super) encoding: u64,
    /// Bytes of levels in front of a page that are never packed.
    pub(super) levels: u64,
    /// Size of the header itself.
    pub(super) bytes: u64,
}

/// The types of pages.
const DICTIONARY: u64 = 2;
const SECOND_VERSION: u64 = 3;

/// Structs inside of structs that are read; a header has two levels.
const DEPTH: usize = 8;

impl Header {
    /// Reads a header; none if it is damaged or longer than `bytes`.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut left = bytes;
        let mut page = Struct::read(&mut left, DEPTH)?;
        let kind = page.number(1)?;
        // Data, dictionary, and data of the second version.
        let inner =
            [5, 7, 8].into_iter().find_map(|id| page.inner.iter().position(|(place, _)| *place == id));
        let inner = inner.map(|place| page.inner.swap_remove(place).1);
        let number = |id| inner.as_ref().map_or(Some(0), |inner| inner.number(id));
        let is_second = kind == SECOND_VERSION;
        Some(Self {
            is_dictionary: kind == DICTIONARY,
            unpacked: page.number(2)?,
            packed: page.number(3)?,
            values: number(1)?,
            encoding: number(if is_second { 4 } else { 2 })?,
            levels: if is_second { number(5)?.checked_add(number(6)?)? } else { 0 },
            bytes: (bytes.len() - left.len()) as u64,
        })
    }
}

/// Number of entries in the schema of a file, from the start of its footer: a version, then the list of entries.
pub(super) fn entries(mut footer: &[u8]) -> Option<u64> {
    const NUMBER: u8 = 0x15;
    const LIST: u8 = 0x19;
    (byte(&mut footer)? == NUMBER).then_some(())?;
    unsigned(&mut footer)?;
    (byte(&mut footer)? == LIST).then_some(())?;
    match byte(&mut footer)? >> 4 {
        15 => unsigned(&mut footer),
        few => Some(few.into()),
    }
}

/// The whole numbers of a struct in Thrift's compact protocol, and the structs in it.
#[derive(Default)]
struct Struct {
    numbers: Vec<(i64, i64)>,
    inner: Vec<(i64, Struct)>,
}

impl Struct {
    /// A number that is not negative.
    fn number(&self, id: i64) -> Option<u64> {
        let (_, number) = self.numbers.iter().find(|(field, _)| *field == id)?;
        u64::try_from(*number).ok()
    }

    /// Reads a struct. Fields must come in order, as all writers write them: of two fields with the same number, another
    /// reader could believe the other one.
    fn read(bytes: &mut &[u8], depth: usize) -> Option<Self> {
        let mut fields = Self::default();
        let mut last = 0;
        loop {
            let head = byte(bytes)?;
            if head == 0 {
                return Some(fields);
            }
            let id = match head >> 4 {
                0 => signed(bytes)?,
                more => last + i64::from(more),
            };
            if id <= last || id > 100 {
                return None;
            }
            last = id;
            match head & 0x0f {
                4..=6 => fields.numbers.push((id, signed(bytes)?)),
                12 => fields.inner.push((id, Self::read(bytes, depth.checked_sub(1)?)?)),
                kind => skip(bytes, kind, depth)?,
            }
        }
    }
}

/// Passes over a value that is not used.
fn skip(bytes: &mut &[u8], kind: u8, depth: usize) -> Option<()> {
    let length = match kind {
        // Truth values are part of the head of their field.
        1 | 2 => 0,
        3 => 1,
        7 => 8,
        8 => usize::try_from(unsigned(bytes)?).ok()?,
        9 | 10 => return skip_list(bytes, depth.checked_sub(1)?),
        _ => return None,
    };
    *bytes = bytes.get(length..)?;
    Some(())
}

fn skip_list(bytes: &mut &[u8], depth: usize) -> Option<()> {
    let head = byte(bytes)?;
    let size = match head >> 4 {
        15 => unsigned(bytes)?,
        size => u64::from(size),
    };
    for _ in 0..size {
        match head & 0x0f {
            // In a list, a truth value is a byte.
            1 | 2 => skip(bytes, 3, depth)?,
            4..=6 => signed(bytes).map(drop)?,
            12 => Struct::read(bytes, depth.checked_sub(1)?).map(drop)?,
            kind => skip(bytes, kind, depth)?,
        }
    }
    Some(())
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

/// A whole number: seven bits per byte.
pub(super) fn unsigned(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..63).step_by(7) {
        let byte = byte(bytes)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// A whole number whose lowest bit is the sign.
fn signed(bytes: &mut &[u8]) -> Option<i64> {
    let number = unsigned(bytes)?;
    Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_both_versions_are_read() {
        // Type 0, sizes 300 and 100; 50 values in encoding 7, levels in encoding 3, statistics of one text.
        let mut first = vec![0x15, 0, 0x15, 0xd8, 0x04, 0x15, 0xc8, 0x01, 0x2c];
        first.extend([0x15, 100, 0x15, 14, 0x15, 6, 0x15, 6, 0x1c, 0x18, 2, b'a', b'b', 0, 0, 0]);
        let header = Header::read(&first).unwrap();
        let expected = Header { unpacked: 300, packed: 100, values: 50, encoding: 7, ..Header::default() };
        assert_eq!(header, Header { bytes: first.len() as u64, ..expected });
        // Type 3; 50 values, no nulls, 50 rows, encoding 6, 4 and 2 bytes of levels, packed.
        let mut second = vec![0x15, 6, 0x15, 20, 0x15, 10, 0x5c];
        second.extend([0x15, 100, 0x15, 0, 0x15, 100, 0x15, 12, 0x15, 8, 0x15, 4, 0x11, 0, 0]);
        let header = Header::read(&second).unwrap();
        assert_eq!((header.encoding, header.levels, header.values), (6, 6, 50));
        for length in 0..second.len() {
            assert_eq!(Header::read(second.get(..length).unwrap()), None, "{length}");
        }
    }

    #[test]
    fn the_entries_of_a_schema_are_counted() {
        assert_eq!(entries(&[0x15, 2, 0x19, 0x4c, 0]), Some(4));
        assert_eq!(entries(&[0x15, 2, 0x19, 0xfc, 0x80, 0x89, 0x7a]), Some(2_000_000));
        assert_eq!(entries(&[0x15, 2, 0x15]), None);
    }

    #[test]
    fn a_field_is_not_given_twice() {
        // After the size of field 2, the same field again with its number in full.
        let bytes = [0x15, 0, 0x15, 2, 0x05, 4, 0x7e, 0x15, 2, 0x2c, 0x15, 2, 0x15, 0, 0, 0];
        assert_eq!(Header::read(&bytes), None);
    }
}
