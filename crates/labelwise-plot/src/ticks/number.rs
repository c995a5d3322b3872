//! Numbers as they are printed at ticks.

use crate::format::number;

/// A number with as many decimals as its neighbours need.
pub(super) fn label(value: f64, decimals: i32) -> String {
    if value == 0.0 { "0".to_owned() } else { number(value, usize::try_from(decimals).unwrap_or(0)) }
}

/// A number as a multiple of a power of ten: `2×10^{−4}`, and `10^{−4}` for 1. The mantissa has `decimals` decimals.
pub(super) fn power(value: f64, decimals: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let places = usize::try_from(decimals).unwrap_or(0);
    let text = format!("{:.places$e}", value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent = exponent.replace('-', "−");
    let sign = if value < 0.0 { "−" } else { "" };
    if mantissa.parse() == Ok(1.0) {
        format!("{sign}10^{{{exponent}}}")
    } else {
        format!("{sign}{mantissa}×10^{{{exponent}}}")
    }
}

/// The exponent of the first digit of a positive number. Rounding of logarithms is corrected.
pub(super) fn exponent(value: f64) -> i32 {
    let text = format!("{value:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}
