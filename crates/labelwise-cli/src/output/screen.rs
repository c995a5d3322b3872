//! Stdout and stderr for people: characters that a terminal would obey are shown as escapes. Ids, texts, classes, columns
//! and names are written by others, and could otherwise move the cursor, forge lines or hide words.

use std::borrow::Cow;
use std::io::{self, Write};

/// A text on one line: line breaks and tabs are shown as escapes too.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_control)
}

/// Text of several lines.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| letter != '\n' && is_control(letter))
}

/// Whether a terminal would obey the character instead of showing it: C0 and C1 controls, and the controls of text that runs
/// from right to left.
fn is_control(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The escapes are those of JSON, so that a line of JSON stays the same document.
fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            _ if !is_escaped(letter) => shown.push(letter),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ => shown += &format!("\\u{:04x}", u32::from(letter)),
        }
    }
    Cow::Owned(shown)
}

/// A stream that people read.
#[derive(Debug)]
pub(crate) struct Screen<W>(W);

impl<W: Write> Screen<W> {
    pub(crate) fn new(stream: W) -> Self {
        Self(stream)
    }

    /// The stream as it is, for CSV and other data of which every byte counts.
    pub(crate) fn data(&mut self) -> &mut W {
        &mut self.0
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.0.write_all(lines(text).as_bytes())?,
            Err(_) => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Screen, one_line};

    #[test]
    fn a_terminal_gets_nothing_to_obey() {
        let hostile = "a\u{1b}[31m\u{1b}]0;title\u{7}\u{9b}2J\r\n\tb\u{202e}c\u{2066}\u{7f}";
        let shown = "a\\u001b[31m\\u001b]0;title\\u0007\\u009b2J\\r\\n\\tb\\u202ec\\u2066\\u007f";
        assert_eq!(one_line(hostile), shown);
        assert_eq!(one_line("Größe, 大, 😀 e\u{301} שלום"), "Größe, 大, 😀 e\u{301} שלום");
        let mut screen = Screen::new(Vec::new());
        writeln!(screen, "{}", hostile).unwrap();
        assert_eq!(screen.0, format!("{}\n", shown.replace("\\r\\n", "\\r\n")).as_bytes());
        screen.data().write_all(hostile.as_bytes()).unwrap();
        assert!(screen.0.ends_with(hostile.as_bytes()));
    }

    #[test]
    fn json_stays_the_same_document() {
        let value = serde_json::json!({"id": "a\u{1b}\u{202e}\u{9b}\u{7f}\n\"\\b"});
        let mut screen = Screen::new(Vec::new());
        writeln!(screen, "{value}").unwrap();
        assert!(screen.0.is_ascii());
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&screen.0).unwrap(), value);
    }
}
