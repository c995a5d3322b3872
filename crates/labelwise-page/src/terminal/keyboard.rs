//! Keys of a terminal: one at a time where the terminal allows it, lines otherwise.

use std::io::{self, BufRead};
#[cfg(unix)]
use std::sync::{Mutex, PoisonError};

#[cfg(unix)]
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The terminal as it was, so that it can be restored from anywhere.
#[cfg(unix)]
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

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
        loop {
            let Some(&byte) = self.input.fill_buf()?.first() else { return Ok(None) };
            self.input.consume(1);
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
