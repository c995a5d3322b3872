//! The exponential. Ours, because the system's differs from machine to machine in its last bit, and then a journal could
//! not be replayed on another one; and because a loop over it fills vector registers.

/// Lowest argument of [`exponential`]: below it, the result would not be a normal number.
pub const LOWEST: f64 = -708.0;

/// e^x for `LOWEST` ≤ x ≤ 0, to about one unit in the last place.
///
/// x = k ln 2 + r with a whole k and |r| ≤ ln 2 / 2; the series of e^r has converged after thirteen terms.
#[inline(always)]
pub fn exponential(x: f64) -> f64 {
    // Adding this number leaves k in the lowest bits of the sum, rounded to nearest.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // ln 2 in two parts; k times the first, which ends in zeros, is exact.
    const LN_2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let k = rounded - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    // Written out: a loop over the terms would keep the compiler from filling vector registers.
    let series = 1.0 / 6_227_020_800.0;
    let series = series * r + 1.0 / 479_001_600.0;
    let series = series * r + 1.0 / 39_916_800.0;
    let series = series * r + 1.0 / 3_628_800.0;
    let series = series * r + 1.0 / 362_880.0;
    let series = series * r + 1.0 / 40_320.0;
    let series = series * r + 1.0 / 5_040.0;
    let series = series * r + 1.0 / 720.0;
    let series = series * r + 1.0 / 120.0;
    let series = series * r + 1.0 / 24.0;
    let series = series * r + 1.0 / 6.0;
    let series = series * r + 0.5;
    let series = series * r + 1.0;
    let power_of_two = f64::from_bits((rounded.to_bits().wrapping_add(1023)) << 52);
    (series * r + 1.0) * power_of_two
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential() {
        let steps = 200_000;
        for step in 0..=steps {
            let x = LOWEST * (f64::from(step) / f64::from(steps)).powi(3);
            let (ours, exact) = (exponential(x), x.exp());
            assert!((ours / exact - 1.0).abs() <= 2.0 * f64::EPSILON, "e^{x} is {exact:e}, not {ours:e}");
        }
        assert_eq!(exponential(0.0), 1.0);
        assert_eq!(exponential(-0.0), 1.0);
    }
}
