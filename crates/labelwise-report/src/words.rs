//! Text for HTML: names that may be hostile, numbers without noise, and nouns with their count.

use std::fmt::Write;

/// Longer names are cut, or one of them fills a page.
const LONGEST: usize = 160;

/// What stands for a number that there is none of.
pub(super) const NONE: &str = "–";

/// Text of others as it may be shown. Characters that cannot be seen, or that change the order in which others are
/// read, are spelt out, and what is too long is cut.
pub(super) fn visible(text: &str) -> String {
    let mut safe = String::with_capacity(text.len().min(LONGEST));
    for letter in text.chars().take(LONGEST) {
        if is_unseen(letter) {
            // Writing to a string cannot fail.
            let _ = write!(safe, "⟨U+{:04X}⟩", u32::from(letter));
        } else {
            safe.push(letter);
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        safe.push('…');
    }
    safe
}

/// Text between tags or in an attribute, where it means nothing but itself.
pub(super) fn literal(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

/// Text of others between tags or in an attribute.
pub(super) fn escaped(text: &str) -> String {
    literal(&visible(text))
}

/// A name in a frame of its own, so that letters read from right to left do not move what stands beside it.
pub(super) fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escaped(text))
}

/// Controls, marks of direction, and letters without width that two names could differ in unseen. The joiners of
/// scripts that need them are left alone.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A number with so many decimals, a true minus sign, and thousands parted from ten thousand on.
pub(super) fn number(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) =
        text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut digits = if whole.len() > 4 { grouped(whole) } else { whole.to_owned() };
    if let Some(rest) = rest {
        digits.push('.');
        digits.push_str(rest);
    }
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if value < 0.0 && !is_zero { format!("−{digits}") } else { digits }
}

/// The decimals that show two digits of a width.
pub(super) fn decimals_for(width: f64) -> usize {
    if !(width > 0.0 && width.is_finite()) {
        return 4;
    }
    let decimals = 1.0 - width.log10().floor();
    decimals.clamp(0.0, 9.0) as usize
}

/// A number with so many digits that count; small whole ones as they are, very small and very large ones as powers of
/// ten.
pub(super) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return NONE.to_owned();
    }
    if value.fract() == 0.0 && value.abs() < 1000.0 {
        return number(value, 0);
    }
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = digits as i32 - 1 - exponent;
        return number(value, usize::try_from(decimals).unwrap_or(0));
    }
    format!("{}×10{}", mantissa.replace('-', "−"), raised(exponent))
}

fn raised(exponent: i32) -> String {
    let raise = |letter| match letter {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    };
    exponent.to_string().chars().map(raise).collect()
}

/// A count: 1,597.
pub(super) fn count(count: usize) -> String {
    grouped(&count.to_string())
}

/// 1 label, 2 labels.
pub(super) fn counted(many: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(many), if many == 1 { "" } else { "s" })
}

fn grouped(digits: &str) -> String {
    let mut groups = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            groups.push(',');
        }
        groups.push(digit);
    }
    groups
}

/// A part of a whole in per cent, with a decimal where it is small.
pub(super) fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    let decimals = usize::from(percent.abs() < 10.0 && percent != 0.0);
    format!("{}\u{a0}%", number(percent, decimals))
}

/// A level in per cent, as exact as it was given: rounded to a tenth of a millionth, so that 0.999 is 99.9 %.
pub(super) fn level(level: f64) -> String {
    format!("{}\u{a0}%", (1e9 * level).round() / 1e7)
}

/// The first letter as a sentence begins.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_cannot_leave_its_place() {
        assert_eq!(escaped("<script>&\"'"), "&lt;script&gt;&amp;&quot;&#39;");
        assert_eq!(escaped("a\u{202e}b\u{7}c\u{200b}"), "a⟨U+202E⟩b⟨U+0007⟩c⟨U+200B⟩");
        assert_eq!(escaped("می\u{200c}خواهم"), "می\u{200c}خواهم");
        let long = escaped(&"x".repeat(LONGEST + 1));
        assert_eq!(long.chars().count(), LONGEST + 1);
        assert!(long.ends_with('…'));
        assert_eq!(escaped(&"x".repeat(LONGEST)).chars().count(), LONGEST);
    }

    #[test]
    fn numbers_have_no_noise() {
        assert_eq!(number(-0.001, 2), "0.00");
        assert_eq!(number(-1.25, 1), "−1.2");
        assert_eq!(number(12345.678, 1), "12,345.7");
        assert_eq!(number(f64::NAN, 1), NONE);
        assert_eq!(significant(0.000_626_3, 3), "0.000626");
        assert_eq!(significant(0.000_099_96, 3), "0.000100");
        assert_eq!(significant(-1.0, 3), "−1");
        assert_eq!(significant(1.5, 3), "1.50");
        assert_eq!(significant(6.263e-8, 3), "6.26×10⁻⁸");
        assert_eq!(significant(123_456.0, 3), "123,456");
        assert_eq!(significant(f64::INFINITY, 3), NONE);
        let cases = [(0.034, 3), (0.34, 2), (12.0, 0), (0.0, 4), (f64::INFINITY, 4)];
        for (width, decimals) in cases {
            assert_eq!(decimals_for(width), decimals, "of {width}");
        }
    }

    #[test]
    fn counts_and_parts_are_words() {
        assert_eq!(counted(1, "label"), "1 label");
        assert_eq!(counted(1597, "item"), "1,597 items");
        assert_eq!(percent(0.0939), "9.4\u{a0}%");
        assert_eq!(percent(0.42), "42\u{a0}%");
        assert_eq!(level(0.999), "99.9\u{a0}%");
    }
}
