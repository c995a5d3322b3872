//! Two uniform numbers per item, as a function of (seed, refresh, id).

use labelwise::numerics::logarithm;

use crate::md5;

/// The randomness of a sketch: the seed of the evaluation, and the counter of the refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Key {
    /// The seed of the evaluation.
    pub seed: u64,
    /// Counts refreshes from 0.
    pub refresh: u64,
}

/// Two uniform numbers between 0 and 1 of an item: hexadecimal digits 1 to 13 and 14 to 26 of md5("seed:refresh:id"), each
/// as (h + 1/2) / 2⁵². They are never 0 or 1.
///
/// ```
/// use labelwise_sketch::{Key, uniforms};
/// // md5("42:0:doc 7") = f05b2759bbdf7 00ed0cd909672 d5253c
/// let [first, second] = uniforms(Key { seed: 42, refresh: 0 }, "doc 7");
/// assert_eq!(first, 0.9388908952786305);
/// assert_eq!(second, 0.0036170987963514145);
/// ```
pub fn uniforms(key: Key, id: &str) -> [f64; 2] {
    of_digest(md5::of(message(key, id).as_bytes()))
}

fn message(key: Key, id: &str) -> String {
    format!("{}:{}:{id}", key.seed, key.refresh)
}

fn of_digest(digest: u128) -> [f64; 2] {
    const LOW: u128 = (1 << 52) - 1;
    [digest >> 76, digest >> 24 & LOW].map(|digits| (digits as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64))
}

/// The exponential number of a uniform one: −ln u, with the same bits on every machine.
pub(crate) fn exponential(uniform: f64) -> f64 {
    -logarithm(uniform)
}

/// Texts whose digests are computed side by side.
const LANES: usize = 8;

/// The uniform numbers of many items.
pub(crate) struct Uniforms {
    prefix: String,
    messages: Vec<u8>,
    ends: Vec<usize>,
}

impl Uniforms {
    pub(crate) fn new(key: Key) -> Self {
        Self { prefix: message(key, ""), messages: Vec::new(), ends: Vec::new() }
    }

    /// The uniform numbers of these items, in their order.
    pub(crate) fn of<'a>(&mut self, ids: impl Iterator<Item = &'a str>, numbers: &mut Vec<[f64; 2]>) {
        self.messages.clear();
        self.ends.clear();
        for id in ids {
            self.messages.extend_from_slice(self.prefix.as_bytes());
            self.messages.extend_from_slice(id.as_bytes());
            self.ends.push(self.messages.len());
        }
        numbers.clear();
        let mut start = 0;
        let (eights, rest) = self.ends.as_chunks::<LANES>();
        for ends in eights {
            let mut from = start;
            let texts = ends.map(|end| {
                let text = self.messages.get(from..end).unwrap_or_default();
                from = end;
                text
            });
            start = from;
            if texts.iter().all(|text| text.len() <= md5::SHORT) {
                numbers.extend(md5::of_short(texts).map(of_digest));
            } else {
                numbers.extend(texts.map(|text| of_digest(md5::of(text))));
            }
        }
        for &end in rest {
            numbers.push(of_digest(md5::of(self.messages.get(start..end).unwrap_or_default())));
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_have_the_numbers_of_one() {
        let ids: Vec<String> = (0..101_usize).map(|i| "é".repeat(i * i % 40) + &i.to_string()).collect();
        let key = Key { seed: u64::MAX, refresh: 3 };
        let mut numbers = Vec::new();
        Uniforms::new(key).of(ids.iter().map(String::as_str), &mut numbers);
        let each: Vec<_> = ids.iter().map(|id| uniforms(key, id)).collect();
        assert_eq!(numbers, each);
    }

    #[test]
    fn the_ends_are_never_reached() {
        let [low, high] = of_digest((1 << 76) - 1);
        assert_eq!((low, high), (0.5 / (1_u64 << 52) as f64, 1.0 - f64::EPSILON / 2.0));
        assert!(exponential(low) < 37.0 && exponential(high) > 0.0);
    }
}
