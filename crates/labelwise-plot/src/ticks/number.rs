//! Numbers as they are printed at ticks.

/// A round number: `digit` times ten to `exponent`, with as many decimals as its neighbours need.
///
/// From a thousandth to a million numbers are written out, others as a power of ten.
pub(super) fn label(value: f64, decimals: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let places = usize::try_from(decimals).unwrap_or(0);
    let digits = grouped(&format!("{:.places$}", value.abs()));
    if value < 0.0 { format!("−{digits}") } else { digits }
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

/// Thousands parted by commas from ten thousand on, where digits become hard to count.
fn grouped(text: &str) -> String {
    let (whole, rest) =
        text.split_once('.').map_or((text, String::new()), |(whole, rest)| (whole, format!(".{rest}")));
    if whole.len() < 5 {
        return text.to_owned();
    }
    let mut groups = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            groups.push(',');
        }
        groups.push(digit);
    }
    groups + &rest
}

/// The exponent of the first digit of a positive number. Rounding of logarithms is corrected.
pub(super) fn exponent(value: f64) -> i32 {
    let text = format!("{value:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}
