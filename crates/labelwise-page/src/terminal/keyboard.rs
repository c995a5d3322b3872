//! Keys of a terminal: one at a time where the terminal allows it, lines otherwise.

use std::io::{self, BufRead};
#[cfg(unix)]
use std::sync::{Mutex, PoisonError};

#[cfg(unix)]
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The terminal as it was, so that it can be restored from anywhere.
#[cfg(unix)]
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

const ESCAPE: u8 = 0x1b;

/// What a person types.
pub struct Keyboard<'a> {
    input: &'a mut dyn BufRead,
    /// Whether single keys can be read.
    raw: bool,
}

impl<'a> Keyboard<'a> {
    /// Lines alone: for pipes.
    pub fn lines(input: &'a mut dyn BufRead) -> Self {
        Self { input, raw: false }
    }

    /// The terminal of this process. Where it cannot give single keys, lines are read.
    pub fn terminal(input: &'a mut dyn BufRead) -> Self {
        Self { input, raw: single_keys(true) }
    }

    pub(super) fn is_raw(&self) -> bool {
        self.raw
    }

    /// The next key, or the next line if keys cannot be read one at a time; `None` at the end.
    pub(super) fn key(&mut self) -> io::Result<Option<String>> {
        if !self.raw {
            return self.line();
        }
        let mut bytes = Vec::new();
        let mut is_escaped = false;
        loop {
            let Some(byte) = self.byte()? else { return Ok(None) };
            // An arrow sends an escape and `[A`, which must not be the key of a class A.
            if is_escaped && matches!(byte, b'[' | b'O') {
                self.skip_sequence()?;
                is_escaped = false;
                continue;
            }
            is_escaped = byte == ESCAPE;
            if is_escaped {
                bytes.clear();
                continue;
            }
            bytes.push(byte);
            match std::str::from_utf8(&bytes) {
                // Ctrl-D ends the input.
                Ok("\u{4}") => return Ok(None),
                Ok(key) => return Ok(Some(key.trim().to_owned())),
                Err(error) if error.error_len().is_some() => bytes.clear(),
                Err(_) => {}
            }
        }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.input.fill_buf()?.first().copied();
        self.input.consume(usize::from(byte.is_some()));
        Ok(byte)
    }

    /// Leaves out the rest of what a special key sends, up to its last byte.
    fn skip_sequence(&mut self) -> io::Result<()> {
        while let Some(byte) = self.byte()? {
            // On the console of Linux, F1 is `[[A`.
            if (0x40..=0x7e).contains(&byte) && byte != b'[' {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The next line, which the terminal shows and lets people correct.
    pub(super) fn line(&mut self) -> io::Result<Option<String>> {
        if self.raw {
            single_keys(false);
        }
        let mut line = String::new();
        let read = self.input.read_line(&mut line);
        if self.raw {
            single_keys(true);
        }
        Ok(if read? == 0 { None } else { Some(line.trim().to_owned()) })
    }
}

impl Drop for Keyboard<'_> {
    fn drop(&mut self) {
        if self.raw {
            restore();
        }
    }
}

/// Gives the terminal back as it was.
pub fn restore() {
    single_keys(false);
}

/// Switches single keys on or off; `false` if there is no terminal.
#[cfg(unix)]
fn single_keys(on: bool) -> bool {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    let stdin = io::stdin();
    if !on {
        return before.as_ref().is_some_and(|before| tcsetattr(&stdin, OptionalActions::Now, before).is_ok());
    }
    let Ok(now) = tcgetattr(&stdin) else { return false };
    let mut keys = now.clone();
    before.get_or_insert(now);
    // Ctrl-C still ends the program.
    keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Now, &keys).is_ok()
}

#[cfg(not(unix))]
fn single_keys(_on: bool) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::Keyboard;

    #[test]
    fn special_keys_are_no_letters() {
        let typed = "\u{1b}[A1\u{1b}[1;5D\u{1b}OP\u{1b}[[BA\u{1b}2\u{1b}\u{1b}[3~\u{e4}\u{4}x";
        let mut input = typed.as_bytes();
        let mut keys = Keyboard { input: &mut input, raw: true };
        let mut seen = Vec::new();
        while let Some(key) = keys.key().unwrap() {
            seen.push(key);
        }
        assert_eq!(seen, ["1", "A", "2", "\u{e4}"]);
    }
}
