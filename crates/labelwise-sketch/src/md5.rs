//! MD5 (RFC 1321) of several short texts side by side. SQL engines have it too, so it is the hash of the draws; it protects
//! nothing.

#![allow(
    clippy::indexing_slicing,
    clippy::needless_range_loop,
    reason = "a kernel: every index is a lane or one of 16 words, and plain loops over lanes become vector instructions"
)]

const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// ⌊2³² |sin(i + 1)|⌋.
const SINES: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];

const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// Bytes of a text that fits one block, with its end mark and its length.
pub(crate) const SHORT: usize = 55;

/// Adds one block of each lane to its state.
#[inline(always)]
fn compress<const L: usize>(state: &mut [[u32; L]; 4], words: &[[u32; L]; 16]) {
    let [mut a, mut b, mut c, mut d] = *state;
    macro_rules! round {
        ($round:literal, $mix:expr, $word:expr) => {
            for step in 0..16 {
                let (sine, word, shift) =
                    (SINES[16 * $round + step], &words[$word(step) & 15], SHIFTS[$round][step & 3]);
                for lane in 0..L {
                    let mixed: u32 = $mix(b[lane], c[lane], d[lane]);
                    let sum = a[lane].wrapping_add(mixed).wrapping_add(sine).wrapping_add(word[lane]);
                    a[lane] = b[lane].wrapping_add(sum.rotate_left(shift));
                }
                (a, b, c, d) = (d, a, b, c);
            }
        };
    }
    round!(0, |b: u32, c, d| d ^ (b & (c ^ d)), |step: usize| step);
    round!(1, |b: u32, c: u32, d| c ^ (d & (b ^ c)), |step: usize| 5 * step + 1);
    round!(2, |b: u32, c: u32, d: u32| b ^ c ^ d, |step: usize| 3 * step + 5);
    round!(3, |b: u32, c: u32, d: u32| c ^ (b | !d), |step: usize| 7 * step);
    for lane in 0..L {
        for (sum, part) in state.iter_mut().zip([a[lane], b[lane], c[lane], d[lane]]) {
            sum[lane] = sum[lane].wrapping_add(part);
        }
    }
}

/// The digests of texts of at most [`SHORT`] bytes, as numbers: the first hexadecimal digit is the highest.
pub(crate) fn of_short<const L: usize>(texts: [&[u8]; L]) -> [u128; L] {
    let mut words = [[0_u32; L]; 16];
    for (lane, text) in texts.iter().enumerate() {
        let mut block = [0_u8; 64];
        block[..text.len()].copy_from_slice(text);
        block[text.len()] = 0x80;
        block[56..].copy_from_slice(&(8 * text.len() as u64).to_le_bytes());
        for (word, four) in words.iter_mut().zip(block.as_chunks::<4>().0) {
            word[lane] = u32::from_le_bytes(*four);
        }
    }
    let mut state = START.map(|word| [word; L]);
    compress(&mut state, &words);
    std::array::from_fn(|lane| number(state.map(|words| words[lane])))
}

/// The digest of a text of any length.
pub(crate) fn of(text: &[u8]) -> u128 {
    if text.len() <= SHORT {
        return of_short([text])[0];
    }
    let mut padded = text.to_vec();
    padded.push(0x80);
    padded.resize((text.len() + 9).next_multiple_of(64), 0);
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(8 * text.len() as u64).to_le_bytes());
    let mut state = START.map(|word| [word; 1]);
    for block in padded.as_chunks::<64>().0 {
        let mut words = [[0; 1]; 16];
        words
            .iter_mut()
            .zip(block.as_chunks::<4>().0)
            .for_each(|(word, four)| *word = [u32::from_le_bytes(*four)]);
        compress(&mut state, &words);
    }
    number(state.map(|words| words[0]))
}

fn number(state: [u32; 4]) -> u128 {
    state.iter().fold(0, |number, word| number << 32 | u128::from(word.swap_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digests_of_the_standard() {
        let known = [
            ("", 0xd41d_8cd9_8f00_b204_e980_0998_ecf8_427e),
            ("a", 0x0cc1_75b9_c0f1_b6a8_31c3_99e2_6977_2661),
            ("abc", 0x9001_5098_3cd2_4fb0_d696_3f7d_28e1_7f72),
            ("message digest", 0xf96b_697d_7cb7_938d_525a_2f31_aaf1_61d0),
            ("abcdefghijklmnopqrstuvwxyz", 0xc3fc_d3d7_6192_e400_7dfb_496c_ca67_e13b),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                0x57ed_f4a2_2be3_c955_ac49_da2e_2107_b67a,
            ),
        ];
        for (text, digest) in known {
            assert_eq!(of(text.as_bytes()), digest, "{text:?}");
        }
        let texts = known.map(|(text, _)| text.as_bytes());
        let short: [&[u8]; 5] = std::array::from_fn(|place| texts[place]);
        assert_eq!(of_short(short), std::array::from_fn(|place| known[place].1));
        // Every length around the ends of blocks, as one block after the other has it.
        let text = [b'x'; 200];
        let digests = [54, 55, 56, 57, 63, 64, 65, 119, 120, 121].map(|length| of(&text[..length]));
        // hashlib.md5(b"x" * n).hexdigest() for these lengths.
        assert_eq!(digests, LENGTHS);
    }

    const LENGTHS: [u128; 10] = [
        0x61ea_0974_c662_328d_a964_d977_a825_3873,
        0x0436_4420_e25c_512f_d958_a707_38aa_8f72,
        0x668a_72d5_ba17_f08e_62da_bcaf_ad6d_b14b,
        0x6930_3787_1c4a_9d3d_8685_0189_05cb_530a,
        0x7dc2_ca20_8106_a2f7_0356_7bdf_f99d_8981,
        0xc1bb_4f81_d892_b2d5_7947_682a_eb25_2456,
        0x1bc9_3205_2302_d074_bdec_3979_5fe0_0cf6,
        0xab34_7a5f_68c8_a443_cfcd_dc63_3f12_c24f,
        0xfb98_667f_9809_6de9_2620_b64f_46e1_c5b5,
        0xe8bb_0ccd_8375_0100_b37f_4831_cd5d_7ee2,
    ];
}
