//! Text on the page: names from the data, which may be hostile, and numbers with as many digits as they are worth.
//!
//! `maud` escapes text by its type. [`visible`] handles what is valid HTML but misleads a reader.

use std::fmt::Write;

pub(super) use labelwise_plot::format::{NONE, capitalised, counted, level, number, thousands};
use maud::{Markup, Render, html};

/// Longer names are cut, or one of them fills a page.
const LONGEST: usize = 160;

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

/// A name in an isolated span, so that right-to-left letters do not move the text around it.
pub(super) struct Name<'a>(pub(super) &'a str);

impl Render for Name<'_> {
    fn render(&self) -> Markup {
        html! { bdi { (visible(self.0)) } }
    }
}

/// Controls, marks of direction, and letters without width that two names could differ in unseen. The joiners of
/// scripts that need them are left alone.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The decimals that show two digits of a width.
pub(super) fn decimals_for(width: f64) -> usize {
    if !(width > 0.0 && width.is_finite()) {
        return 4;
    }
    let decimals = 1.0 - width.log10().floor();
    decimals.clamp(0.0, 9.0) as usize
}

/// A number with `digits` significant digits; small whole ones as they are, very small and very large ones as powers of
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

/// A part of a whole in per cent, with a decimal where it is small.
pub(super) fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    let decimals = usize::from(percent.abs() < 10.0 && percent != 0.0);
    format!("{}\u{a0}%", number(percent, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_cannot_leave_its_place() {
        assert_eq!(Name("<script>&\"").render().0, "<bdi>&lt;script&gt;&amp;&quot;</bdi>");
        assert_eq!(visible("a\u{202e}b\u{7}c\u{200b}"), "a⟨U+202E⟩b⟨U+0007⟩c⟨U+200B⟩");
        assert_eq!(visible("می\u{200c}خواهم"), "می\u{200c}خواهم");
        let long = visible(&"x".repeat(LONGEST + 1));
        assert_eq!(long.chars().count(), LONGEST + 1);
        assert!(long.ends_with('…'));
        assert_eq!(visible(&"x".repeat(LONGEST)).chars().count(), LONGEST);
    }

    #[test]
    fn numbers_have_no_noise() {
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
    fn small_parts_have_a_decimal() {
        assert_eq!(percent(0.0939), "9.4\u{a0}%");
        assert_eq!(percent(0.42), "42\u{a0}%");
    }
}
