//! A natural logarithm for whole columns of probabilities. The acquisition of cross-entropy is little else than
//! logarithms, and the system's own comes one at a time and differs in the last bit from one system to the next; this
//! one fills vector registers and gives the same bits, and so the same draws, everywhere.

/// The logarithm of one positive, normal number.
///
/// x = m 2^e with m between √½ and √2, and log m = 2 artanh s with s = (m − 1)/(m + 1), whose series converges fast.
/// No fused multiplication: that would make the last bits depend on the processor.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const FRACTION: u64 = 0x000f_ffff_ffff_ffff;
    // Integers below 2^52 become floats by being put behind this exponent: no conversion instruction is needed.
    const INTEGER: u64 = 0x4330_0000_0000_0000;

    // Shifted so that the exponent field steps where the fraction passes √½.
    let shifted = x.to_bits().wrapping_add(ONE - ROOT_HALF);
    let exponent = f64::from_bits((shifted >> 52) | INTEGER) - (f64::from_bits(INTEGER) + 1023.0);
    let m = f64::from_bits((shifted & FRACTION) + ROOT_HALF);

    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    // (log m − 2s)/(s z) as a polynomial in z, with an error of 3e-16 (a Chebyshev fit on [0, 0.0295]); its even and
    // odd powers apart, so that they can be computed side by side.
    let w = z * z;
    let even = ((0.146_165_854_248_886_22 * w + 0.181_828_894_556_749_46) * w + 0.285_714_286_260_032_7) * w;
    let odd = ((0.153_317_106_182_107_72 * w + 0.222_222_111_302_598_77) * w + 0.399_999_999_998_994_43) * z;
    let series = 0.666_666_666_666_667 + (odd + even);
    // The logarithm of 2 in two parts, the first with zeros at its end: its products with exponents are exact.
    const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_3800);
    const LN2_LOW: f64 = 5.497_923_018_708_371e-14;
    exponent * LN2_HIGH + (2.0 * s + (s * (z * series) + exponent * LN2_LOW))
}

/// The natural logarithm of a positive, normal number, with the same bits on every machine.
pub fn logarithm(x: f64) -> f64 {
    ln(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_system() {
        let mut values: Vec<f64> = (1..200_000).map(|i| f64::from(i) * 5e-6).collect();
        values.extend((0..600).map(|i| 10_f64.powi(-(i % 300)) * (1.0 + f64::from(i) * 1e-3)));
        values.extend([
            1.0,
            0.5,
            2.0,
            1.0 - 1e-15,
            1.0 + 1e-15,
            1e-15,
            f64::MIN_POSITIVE,
            f64::MAX,
            0.5_f64.sqrt(),
        ]);
        for x in values {
            let (log, exact) = (ln(x), x.ln());
            assert!((log - exact).abs() <= 4.5e-16 * exact.abs(), "ln({x}) = {log}, not {exact}");
        }
    }
}
