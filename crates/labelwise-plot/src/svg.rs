//! Writing SVG: numbers with at most two decimals, escaped text, one element per line.

use std::fmt::Write;

/// The text of an SVG in the making.
#[derive(Debug, Default)]
pub(crate) struct Svg {
    text: String,
}

impl Svg {
    /// One element or tag, as it stands.
    pub(crate) fn push(&mut self, element: &str) {
        self.text.push_str(element);
        self.text.push('\n');
    }

    /// A straight line with the given attributes.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), attributes: &str) {
        let (x1, y1, x2, y2) = (number(from.0), number(from.1), number(to.0), number(to.1));
        self.push(&format!(r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {attributes}/>"#));
    }

    /// A rectangle from its upper left corner, with the given attributes.
    pub(crate) fn rect(&mut self, corner: (f64, f64), size: (f64, f64), attributes: &str) {
        let (x, y, w, h) = (number(corner.0), number(corner.1), number(size.0), number(size.1));
        let attributes = if attributes.is_empty() { String::new() } else { format!(" {attributes}") };
        self.push(&format!(r#"<rect x="{x}" y="{y}" width="{w}" height="{h}"{attributes}/>"#));
    }

    /// A path with the given attributes; an empty path is left out.
    pub(crate) fn path(&mut self, path: &Path, attributes: &str) {
        if !path.d.is_empty() {
            self.push(&format!(r#"<path d="{}" {attributes}/>"#, path.d));
        }
    }

    /// The text written so far.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// The `d` of a path in the making.
#[derive(Debug, Default)]
pub(crate) struct Path {
    d: String,
}

impl Path {
    /// Begins a new stretch.
    pub(crate) fn to(&mut self, x: f64, y: f64) -> &mut Self {
        self.command('M', &[x, y])
    }

    /// Goes on in a straight line.
    pub(crate) fn line(&mut self, x: f64, y: f64) -> &mut Self {
        self.command('L', &[x, y])
    }

    /// Goes back to the beginning of the stretch.
    pub(crate) fn close(&mut self) -> &mut Self {
        self.d.push('Z');
        self
    }

    /// A whole circle.
    pub(crate) fn circle(&mut self, x: f64, y: f64, r: f64) -> &mut Self {
        self.to(x - r, y).command('a', &[r, r, 0.0, 1.0, 0.0, 2.0 * r, 0.0]);
        self.command('a', &[r, r, 0.0, 1.0, 0.0, -2.0 * r, 0.0])
    }

    /// Any command with its numbers.
    pub(crate) fn command(&mut self, letter: char, numbers: &[f64]) -> &mut Self {
        self.d.push(letter);
        for (i, &value) in numbers.iter().enumerate() {
            let value = number(value);
            // A minus sign parts two numbers as well as a space does.
            if i > 0 && !value.starts_with('-') {
                self.d.push(' ');
            }
            self.d.push_str(&value);
        }
        self
    }
}

/// A number with at most two decimals and no trailing zeros; a coordinate is never NaN by construction.
pub(crate) fn number(value: f64) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// Text as it may stand between tags and in attributes. Characters that XML cannot carry become U+FFFD.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\r' | '\t' => escaped.push(' '),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{Path, escape, number};

    #[test]
    fn numbers_are_short() {
        let cases =
            [(1.0, "1"), (0.126, "0.13"), (-0.001, "0"), (10.5, "10.5"), (-3.25, "-3.25"), (100.0, "100")];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn paths_part_numbers_once() {
        let mut path = Path::default();
        path.to(1.0, -2.0).line(3.0, 4.5).close();
        assert_eq!(path.d, "M1-2L3 4.5Z");
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a < b & \"c\" > d\u{1}"), "a &lt; b &amp; &quot;c&quot; &gt; d\u{FFFD}");
    }
}
