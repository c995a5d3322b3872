//! Ticks of a logarithmic axis: powers of ten, and where few of them are in view, numbers between them.

use super::linear;
use super::number::{exponent, label, power};
use super::{FEW, Tick};

/// Labels at about `wanted` places from `low` to `high`, and short ticks between powers of ten.
pub(super) fn ticks(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    let all = multiples(low, high);
    let decades = all.iter().filter(|(_, digit, _)| *digit == 1).count();
    if decades >= 3 || (decades == 2 && wanted < 3) {
        let stride = decades.div_ceil(wanted.max(1)).max(1);
        let stride = i32::try_from(stride).unwrap_or(i32::MAX);
        // Past twenty powers of ten, the ticks between them are a smear.
        let keep = |digit: i32| digit == 1 || decades <= 20;
        let named = |value, digit, power_of_ten: i32| {
            (digit == 1 && power_of_ten % stride == 0).then(|| power(value, 0))
        };
        return all
            .into_iter()
            .filter(|&(_, digit, _)| keep(digit))
            .map(|(value, digit, exponent)| Tick { value, label: named(value, digit, exponent) })
            .collect();
    }
    // From the fullest choice of digits to the sparsest; the first with no more labels than wanted is taken.
    let choices: [&[i32]; 4] = [&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[1, 2, 3, 5], &[1, 2, 5], &[1, 3]];
    let count = |digits: &[i32]| all.iter().filter(|(_, digit, _)| digits.contains(digit)).count();
    let chosen = choices.into_iter().find(|digits| count(digits) <= wanted.max(2));
    match chosen {
        Some(digits) if count(digits) >= wanted.clamp(2, FEW) => all
            .into_iter()
            .map(|(value, digit, _)| Tick { value, label: digits.contains(&digit).then(|| between(value)) })
            .collect(),
        // So short a range is nearly linear.
        _ if decades <= 1 => {
            linear::ticks(low, high, wanted, false).into_iter().filter(|t| t.value > 0.0).collect()
        }
        _ => all
            .into_iter()
            .map(|(value, digit, _)| Tick { value, label: (digit == 1).then(|| between(value)) })
            .collect(),
    }
}

/// A number between powers of ten: written out where that is short.
fn between(value: f64) -> String {
    match exponent(value) {
        size @ -2..=3 => label(value, (-size).max(0)),
        _ => power(value, 0),
    }
}

/// All digits times powers of ten in the range: (value, digit, exponent).
fn multiples(low: f64, high: f64) -> Vec<(f64, i32, i32)> {
    let inside = |value: f64| value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9);
    let value = |digit: i32, size: i32| {
        if size < 0 { f64::from(digit) / 10f64.powi(-size) } else { f64::from(digit) * 10f64.powi(size) }
    };
    (exponent(low)..=exponent(high) + 1)
        .flat_map(|size| (1..10).map(move |digit| (value(digit, size), digit, size)))
        .filter(|&(value, ..)| inside(value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::ticks;

    fn labels(low: f64, high: f64, wanted: usize) -> String {
        ticks(low, high, wanted).into_iter().filter_map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn powers_of_ten() {
        let cases = [
            (1e-6, 1.0, 8, "10^{−6} 10^{−5} 10^{−4} 10^{−3} 10^{−2} 10^{−1} 10^{0}"),
            (1e-6, 1.0, 4, "10^{−6} 10^{−4} 10^{−2} 10^{0}"),
            (3e-5, 2e-2, 5, "10^{−4} 10^{−3} 10^{−2}"),
            (0.01, 0.5, 6, "0.01 0.02 0.05 0.1 0.2 0.5"),
            (2e-4, 3e-3, 5, "2×10^{−4} 5×10^{−4} 10^{−3} 2×10^{−3}"),
            (0.2, 0.3, 4, "0.20 0.25 0.30"),
            (1.0, 9.0, 9, "1 2 3 4 5 6 7 8 9"),
            (1.0, 1000.0, 5, "10^{0} 10^{1} 10^{2} 10^{3}"),
        ];
        for (low, high, wanted, expected) in cases {
            assert_eq!(labels(low, high, wanted), expected, "{low} to {high}");
        }
    }

    #[test]
    fn short_ticks_lie_between() {
        let ticks = ticks(1e-3, 1.0, 5);
        assert_eq!(ticks.len(), 28);
        assert_eq!(ticks.iter().filter(|tick| tick.label.is_some()).count(), 4);
    }

    #[test]
    fn extremes_end() {
        for (low, high) in [(1e-249, 1e249), (1.0, 1.0000001), (9.99, 10.01)] {
            let labels = ticks(low, high, 5).into_iter().filter_map(|tick| tick.label).count();
            assert!((1..=12).contains(&labels), "{low} to {high} has {labels}");
        }
    }
}
