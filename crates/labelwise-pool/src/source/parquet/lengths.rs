//! Lengths of texts in a page, which the decoder allocates memory for before it reads them.

use parquet::basic::Encoding;
use parquet::column::page::Page;

use super::header::unsigned;

/// Checks that a page has no more lengths than values; none if it does, or if it is damaged.
pub(super) fn check_lengths(page: &Page, [repetition, definition]: [bool; 2]) -> Option<()> {
    let lists = match page.encoding() {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        // Lengths of what is shared with the text before, and of the rest.
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => return Some(()),
    };
    let mut values = match page {
        Page::DataPage { buf, .. } => {
            let mut bytes = buf.as_ref();
            for is_there in [repetition, definition] {
                if is_there {
                    let (length, rest) = bytes.split_first_chunk()?;
                    bytes = rest.get(usize::try_from(u32::from_le_bytes(*length)).ok()?..)?;
                }
            }
            bytes
        }
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
            buf.get(usize::try_from(levels).ok()?..)?
        }
        Page::DictionaryPage { .. } => return Some(()),
    };
    let most = u64::from(page.num_values());
    (0..lists).try_for_each(|_| pass(&mut values, most))
}

/// Passes over numbers in DELTA_BINARY_PACKED, of which there may be at most so many.
fn pass(bytes: &mut &[u8], most: u64) -> Option<()> {
    let (block, parts) = (unsigned(bytes)?, unsigned(bytes)?);
    let count = unsigned(bytes).filter(|&count| count <= most)?;
    unsigned(bytes)?;
    let in_part = block.checked_div(parts).filter(|&size| size > 0 && size <= 1 << 20)?;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        // The smallest difference, then the number of bits of every part.
        unsigned(bytes)?;
        let (widths, rest) = bytes.split_at_checked(usize::try_from(parts).ok()?)?;
        *bytes = rest;
        for &width in widths {
            // Parts after the last value may be left out.
            if left == 0 {
                break;
            }
            let size = u64::from(width) * in_part / 8;
            *bytes = bytes.get(usize::try_from(size).ok()?..)?;
            left = left.saturating_sub(in_part);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn page(bytes: Vec<u8>, encoding: Encoding) -> Page {
        Page::DataPage {
            buf: Bytes::from(bytes),
            num_values: 3,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }

    /// Three numbers: blocks of 128 in 4 parts, the first number, and differences of no bits.
    const THREE: [u8; 10] = [0x80, 0x01, 4, 3, 2, 0, 0, 0, 0, 0];

    #[test]
    fn as_many_lengths_as_values_are_fine() {
        assert!(
            check_lengths(&page(THREE.to_vec(), Encoding::DELTA_LENGTH_BYTE_ARRAY), [false; 2]).is_some()
        );
        let both = [THREE, THREE].concat();
        assert!(check_lengths(&page(both.clone(), Encoding::DELTA_BYTE_ARRAY), [false; 2]).is_some());
        let with_levels = [[2, 0, 0, 0, 6, 1].as_slice(), &both].concat();
        assert!(check_lengths(&page(with_levels, Encoding::DELTA_BYTE_ARRAY), [false, true]).is_some());
        assert!(check_lengths(&page(Vec::new(), Encoding::PLAIN), [true; 2]).is_some());
    }

    #[test]
    fn more_lengths_than_values_are_refused() {
        // 2^42 of them.
        let many = [0x80, 0x01, 4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 2, 0, 0, 0, 0, 0];
        assert!(check_lengths(&page(many.to_vec(), Encoding::DELTA_LENGTH_BYTE_ARRAY), [false; 2]).is_none());
        let second = [THREE.as_slice(), &many].concat();
        assert!(check_lengths(&page(second, Encoding::DELTA_BYTE_ARRAY), [false; 2]).is_none());
        assert!(check_lengths(&page(THREE[..3].to_vec(), Encoding::DELTA_BYTE_ARRAY), [false; 2]).is_none());
    }
}
