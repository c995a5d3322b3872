//! A fingerprint of items that does not depend on their order.

/// The sum of the hashes of items. It notices items that are missing, added or changed; it is not a signature.
///
/// ```
/// use labelwise_sketch::SetFingerprint;
/// let of = |items: &[(&str, f64)]| {
///     let mut all = SetFingerprint::default();
///     items.iter().for_each(|(id, score)| all.add(id, &[*score]));
///     all
/// };
/// assert_eq!(of(&[("a", 0.5), ("b", 1.0)]), of(&[("b", 1.0), ("a", 0.5)]));
/// assert_ne!(of(&[("a", 0.5), ("b", 1.0)]), of(&[("a", 1.0), ("b", 0.5)]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetFingerprint(u128);

/// Odd numbers without structure: the golden ratio and digits of π.
const FACTORS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345];

/// A product folded to its half.
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

fn mixed(state: u64, word: u64) -> u64 {
    folded(state ^ word, FACTORS[0]) ^ state.rotate_left(23)
}

impl SetFingerprint {
    /// Adds an item with its numbers.
    #[inline]
    pub fn add(&mut self, id: &str, numbers: &[f64]) {
        let (eights, rest) = id.as_bytes().as_chunks::<8>();
        let mut state = mixed(FACTORS[1], id.len() as u64);
        for eight in eights {
            state = mixed(state, u64::from_le_bytes(*eight));
        }
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        state = mixed(state, u64::from_le_bytes(last));
        for number in numbers {
            // 0 and −0 are the same number.
            state = mixed(state, (number + 0.0).to_bits());
        }
        let high = folded(state, FACTORS[1]);
        self.0 = self.0.wrapping_add(u128::from(high) << 64 | u128::from(folded(state, FACTORS[2])));
    }

    /// Adds the items of another part.
    pub fn merge(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }

    /// As a number.
    pub fn number(self) -> u128 {
        self.0
    }

    /// From its number.
    pub fn of_number(number: u128) -> Self {
        Self(number)
    }
}

impl std::fmt::Display for SetFingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
