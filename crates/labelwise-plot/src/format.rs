//! Numbers and counts as people read them. Charts, pages and the program share these rules.

/// Stands where a number is missing or not finite.
pub const NONE: &str = "–";

/// A count with commas between thousands: 1,597.
#[must_use]
pub fn thousands(count: usize) -> String {
    grouped(&count.to_string())
}

/// A count with its noun: 1 label, 2 labels.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// A number with `decimals` decimals and a true minus sign, which zero never has. Commas separate thousands from ten
/// thousand on, where digits become hard to count.
#[must_use]
pub fn number(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let whole = if whole.len() > 4 { grouped(whole) } else { whole.to_owned() };
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    format!("{sign}{whole}{rest}")
}

/// A confidence level in per cent, as exact as it was given: 0.95 is 95 %, 0.999 is 99.9 %. Rounding hides that 100
/// times 0.57 is not quite 57, but never turns a level into certainty. The space does not break.
#[must_use]
pub fn level(level: f64) -> String {
    let exact = 100.0 * level;
    let rounded = (exact * 1e8).round() / 1e8;
    format!("{}\u{a0}%", if rounded > 0.0 && rounded < 100.0 { rounded } else { exact })
}

/// Text with its first letter in upper case.
#[must_use]
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn grouped(digits: &str) -> String {
    let mut groups = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            groups.push(',');
        }
        groups.push(digit);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas_and_nouns() {
        assert_eq!([0, 999, 1597, 1_000_000].map(thousands), ["0", "999", "1,597", "1,000,000"]);
        assert_eq!([1, 1597].map(|count| counted(count, "item")), ["1 item", "1,597 items"]);
    }

    #[test]
    fn numbers_have_no_noise() {
        assert_eq!(number(-0.001, 2), "0.00");
        assert_eq!(number(-1.25, 1), "−1.2");
        assert_eq!([1234.5, 12_345.678].map(|value| number(value, 1)), ["1234.5", "12,345.7"]);
        assert_eq!(number(f64::NAN, 1), NONE);
    }

    #[test]
    fn levels_are_as_exact_as_given() {
        let cases = [(0.95, "95"), (0.5, "50"), (0.999, "99.9"), (0.57, "57")];
        for (value, text) in cases {
            assert_eq!(level(value), format!("{text}\u{a0}%"));
        }
        assert_eq!(level(1.0 - f64::EPSILON / 2.0), "99.99999999999999\u{a0}%");
    }
}
