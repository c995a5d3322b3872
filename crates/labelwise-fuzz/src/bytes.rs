//! Damage to bytes, whatever they mean.

use crate::random::Random;

/// Lengths, offsets and counts that are wrong in a way that matters.
const WORDS: [u64; 14] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Damages a file in 1 to 4 places.
pub fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        damage_once(bytes, random);
    }
}

fn damage_once(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        bytes.push(random.byte());
        return;
    }
    let at = random.below(bytes.len());
    let length = 1 + random.below(16.min(bytes.len() - at));
    match random.below(12) {
        0..=3 => bytes[at] ^= 1 << random.below(8),
        4 | 5 => bytes[at] = random.byte(),
        6 => {
            let word = random.pick(&WORDS).to_le_bytes();
            let size = random.pick(&[1, 2, 4, 8]);
            bytes[at..].iter_mut().zip(&word[..size]).for_each(|(to, from)| *to = *from);
        }
        7 => {
            bytes.drain(at..at + length);
        }
        8 => {
            let piece = bytes[at..at + length].to_vec();
            bytes.splice(at..at, piece);
        }
        9 => bytes.insert(at, random.byte()),
        10 => {
            let other = random.below(bytes.len() - length + 1);
            bytes.copy_within(at..at + length, other);
        }
        _ => bytes.truncate(at),
    }
}

/// Swaps, wipes or repeats whole pages of a database.
pub fn damage_pages(bytes: &mut [u8], page: usize, random: &mut Random) {
    let pages = bytes.len() / page;
    if pages < 2 {
        return;
    }
    let (one, other) = (random.below(pages) * page, random.below(pages) * page);
    match random.below(3) {
        0 => (0..page).for_each(|at| bytes.swap(one + at, other + at)),
        1 => bytes[one..one + page].fill(0),
        _ => bytes.copy_within(one..one + page, other),
    }
}
