//! Ticks of a linear axis: steps of 1, 2 or 5 times a power of ten.

use super::Tick;
use super::number::{exponent, label, power};

/// About `wanted` ticks from `low` to `high`, at least one where one is possible.
pub(super) fn ticks(low: f64, high: f64, wanted: usize, integer: bool) -> Vec<Tick> {
    let (digit, size) = step((high - low) / wanted.max(1) as f64);
    // Below a step of one there are no whole numbers.
    let (digit, size) = if integer && size < 0 { (1, 0) } else { (digit, size) };
    let step = f64::from(digit) * 10f64.powi(size);
    // A hair more than the range, for ends that are round numbers but for their last bit.
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let count = (last - first).clamp(-1.0, 1000.0) as i64 + 1;
    // Dividing by a power of ten is exact where multiplying by a tenth is not.
    let value = |i: i64| {
        let steps = (first + i as f64) * f64::from(digit);
        if size < 0 { steps / 10f64.powi(-size) } else { steps * 10f64.powi(size) }
    };
    let largest = exponent(low.abs().max(high.abs()));
    let written_out = (-3..=5).contains(&largest) && size >= -4 || size == 0 && largest < 6;
    let text = |value: f64| {
        if written_out {
            label(value, (-size).max(0))
        } else {
            let decimals = if value == 0.0 { 0 } else { exponent(value.abs()) - size };
            // Numbers that differ only past the digits of a double are not told apart by more of them.
            power(value, decimals.clamp(0, 15))
        }
    };
    (0..count).map(value).map(|value| Tick { value, label: Some(text(value)) }).collect()
}

/// The smallest step that is not below `least`, as a digit and a power of ten.
fn step(least: f64) -> (i32, i32) {
    let size = exponent(least);
    let digit = least / 10f64.powi(size);
    // A hair of tolerance keeps a step that is exact but for its last bit.
    match [1, 2, 5].into_iter().find(|&d| digit <= f64::from(d) * (1.0 + 1e-9)) {
        Some(digit) => (digit, size),
        None => (1, size + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::ticks;

    fn labels(low: f64, high: f64, wanted: usize, integer: bool) -> String {
        ticks(low, high, wanted, integer)
            .into_iter()
            .filter_map(|tick| tick.label)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn round_numbers() {
        let cases = [
            (0.0, 1.0, 5, "0 0.2 0.4 0.6 0.8 1.0"),
            (0.0, 50.0, 5, "0 10 20 30 40 50"),
            (-0.05, 0.05, 5, "−0.04 −0.02 0 0.02 0.04"),
            (0.0, 0.1, 5, "0 0.02 0.04 0.06 0.08 0.10"),
            (0.0, 0.003, 3, "0 0.001 0.002 0.003"),
            (0.0, 3e-4, 3, "0 10^{−4} 2×10^{−4} 3×10^{−4}"),
            (-2e-5, 2e-5, 4, "−2×10^{−5} −10^{−5} 0 10^{−5} 2×10^{−5}"),
            (0.0, 4e-5, 2, "0 2×10^{−5} 4×10^{−5}"),
            (0.0, 60000.0, 3, "0 20,000 40,000 60,000"),
            (0.0, 2000.0, 4, "0 500 1000 1500 2000"),
            (0.0, 4e6, 2, "0 2×10^{6} 4×10^{6}"),
            (1.0, 30.0, 6, "5 10 15 20 25 30"),
            (998.0, 1002.0, 4, "998 999 1000 1001 1002"),
            (100.0, 100.4, 2, "100.0 100.2 100.4"),
        ];
        for (low, high, wanted, expected) in cases {
            assert_eq!(labels(low, high, wanted, false), expected, "{low} to {high}");
        }
    }

    #[test]
    fn whole_numbers_for_counts() {
        assert_eq!(labels(0.0, 3.0, 10, true), "0 1 2 3");
        assert_eq!(labels(0.0, 3.0, 10, false), "0 0.5 1.0 1.5 2.0 2.5 3.0");
        assert_eq!(labels(0.2, 0.8, 5, true), "");
    }

    #[test]
    fn extremes_end() {
        for (low, high) in [(-1e300, 1e300), (1e9, 1e9 + 1e-2), (0.0, 1e-300), (-1e-290, 1e-290)] {
            let ticks = ticks(low, high, 5, false);
            assert!((1..=12).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
            assert!(ticks.iter().all(|tick| tick.value.is_finite()));
        }
    }
}
