//! Exact sums of floats: the order of the terms does not matter.

#![allow(clippy::indexing_slicing, reason = "every index is one of 68 limbs, by the exponent's 11 bits")]

use crate::bytes::{Bytes, Rest};

/// Limbs of 32 bits: from 2⁻¹⁰⁷⁴ to the largest float, and 2⁶⁴ times more.
const LIMBS: usize = 68;

/// A sum without rounding, as a fixed-point number that holds every finite float (a superaccumulator).
///
/// ```
/// use labelwise_sketch::ExactSum;
/// let sum: ExactSum = [1e300, 1.0, -1e300, 2e-300].into_iter().collect();
/// assert_eq!(sum.value(), 1.0);
/// let sum: ExactSum = [0.1; 10].into_iter().collect();
/// assert_eq!(sum.value(), 1.0); // The nearest float to ten times the float 0.1.
/// ```
#[derive(Clone)]
pub struct ExactSum {
    /// Little-endian; each may be outside of 32 bits until carries are passed on.
    limbs: [i64; LIMBS],
    /// Additions since the carries were passed on.
    pending: u32,
    /// Terms that were not finite.
    invalid: u64,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { limbs: [0; LIMBS], pending: 0, invalid: 0 }
    }
}

impl ExactSum {
    /// Adds a number. Numbers that are not finite are counted and make the value NaN.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let bits = term.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as usize;
        if exponent == 0x7ff {
            self.invalid += 1;
            return;
        }
        let fraction = bits & ((1 << 52) - 1);
        // A number is its significand · 2^(place − 1074).
        let (significand, place) =
            if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
        let wide = u128::from(significand) << (place % 32);
        let sign = if bits >> 63 == 0 { 1 } else { -1 };
        for (part, limb) in (0..3).zip(&mut self.limbs[place / 32..]) {
            *limb += sign * i64::from((wide >> (32 * part)) as u32);
        }
        self.pending += 1;
        if self.pending >= 1 << 30 {
            self.carry();
        }
    }

    /// Adds a number several times.
    pub fn add_times(&mut self, term: f64, times: u64) {
        if !term.is_finite() {
            self.invalid += times;
            return;
        }
        let mut all = Self::default();
        for bit in (0..64 - times.leading_zeros()).rev() {
            all.merge(&all.clone());
            if times >> bit & 1 == 1 {
                all.add(term);
            }
        }
        self.merge(&all);
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        self.carry();
        other.carry();
        self.limbs.iter_mut().zip(other.limbs).for_each(|(limb, more)| *limb += more);
        self.invalid += other.invalid;
        self.carry();
    }

    /// Adds an integer times 2^(−32 `places`), which is how SQL sums parts of floats exactly. `places` is at most 33.
    pub fn add_parts(&mut self, parts: i128, places: usize) {
        self.carry();
        // 2⁰ is bit 1074: limb 33, bit 18.
        let magnitude = parts.unsigned_abs();
        let sign = if parts < 0 { -1 } else { 1 };
        let first = 33 - places.min(33);
        let (low, high) = (magnitude << 18, (magnitude >> (128 - 18)) as u32);
        for part in 0..4 {
            self.limbs[first + part] += sign * i64::from((low >> (32 * part)) as u32);
        }
        self.limbs[first + 4] += sign * i64::from(high);
        self.carry();
    }

    /// Passes carries on, so that every limb but the last has 32 bits: equal sums have equal limbs then.
    fn carry(&mut self) {
        let mut carry = 0;
        let (last, rest) = (LIMBS - 1, LIMBS - 1);
        for limb in &mut self.limbs[..rest] {
            let sum = *limb + carry;
            carry = sum >> 32;
            *limb = sum & 0xffff_ffff;
        }
        self.limbs[last] += carry;
        self.pending = 0;
    }

    /// The nearest float (of two, the even one). NaN if a term was not finite.
    pub fn value(&self) -> f64 {
        if self.invalid > 0 {
            return f64::NAN;
        }
        let mut sum = self.clone();
        sum.carry();
        let negative = sum.limbs[LIMBS - 1] < 0;
        if negative {
            sum.limbs.iter_mut().for_each(|limb| *limb = -*limb);
            sum.carry();
        }
        let Some(top) = sum.limbs.iter().rposition(|limb| *limb != 0) else { return 0.0 };
        let low = top.saturating_sub(2);
        let mut leading =
            sum.limbs[low..=top].iter().rev().fold(0_u128, |all, &limb| all << 32 | limb as u128);
        // The leading 65 to 96 bits decide unless the rest breaks a tie.
        leading |= u128::from(sum.limbs[..low].iter().any(|limb| *limb != 0));
        let exponent = 32 * low as i32 - 1074;
        let scale = if exponent < -1022 {
            f64::from_bits(1_u64 << (exponent + 1074))
        } else {
            power_of_two(exponent)
        };
        let value = leading as f64 * scale;
        if negative { -value } else { value }
    }

    /// Appends the sum; equal sums have equal bytes.
    pub fn write(&self, bytes: &mut Bytes) {
        let mut sum = self.clone();
        sum.carry();
        let first = sum.limbs.iter().position(|limb| *limb != 0).unwrap_or(0);
        let end = sum.limbs.iter().rposition(|limb| *limb != 0).map_or(first, |last| last + 1);
        bytes.whole(sum.invalid);
        bytes.whole(first as u64);
        bytes.whole((end - first) as u64);
        sum.limbs[first..end].iter().for_each(|limb| bytes.whole(limb.cast_unsigned()));
    }

    /// Reads a sum.
    pub fn read(rest: &mut Rest<'_>) -> Option<Self> {
        let mut sum = Self { invalid: rest.whole()?, ..Self::default() };
        let (first, count) = (rest.count()?, rest.count()?);
        let end = first.checked_add(count).filter(|end| *end <= LIMBS)?;
        for limb in &mut sum.limbs[first..end] {
            *limb = rest.whole()?.cast_signed();
            // Carried limbs have 32 bits, and the last has few more: sums of them cannot overflow.
            (-(1 << 48)..1 << 48).contains(limb).then_some(())?;
        }
        Some(sum)
    }
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl PartialEq for ExactSum {
    fn eq(&self, other: &Self) -> bool {
        let (mut one, mut two) = (self.clone(), other.clone());
        one.carry();
        two.carry();
        one.limbs == two.limbs && one.invalid == two.invalid
    }
}

impl std::fmt::Debug for ExactSum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ExactSum({})", self.value())
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}
