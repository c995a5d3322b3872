//! Colour of the words before messages and of the headings of help. The text can be understood without it.

use std::ffi::OsString;
use std::fmt::Display;

use clap::ValueEnum;
use clap::builder::Styles;
use clap::builder::styling::{AnsiColor, Style};
use serde::Serialize;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb
    Auto,
    /// Even into files and pipes
    Always,
    /// Not at all
    Never,
}

/// Styles of clap's headings and errors.
pub(crate) const STYLES: Styles = Styles::plain().header(HEADING).usage(HEADING).error(ERROR);

const HEADING: Style = Style::new().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();

impl Colour {
    /// The choice on the command line, found before parsing: an error of parsing is printed with it too.
    pub(crate) fn asked(arguments: &[OsString]) -> Option<Self> {
        let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
        let mut asked = None;
        while let Some(argument) = arguments.next() {
            let value = match argument.strip_prefix("--color") {
                Some("") => arguments.next(),
                Some(rest) => rest.strip_prefix('=').map(|value| value.to_owned().into()),
                None => None,
            };
            asked = value.and_then(|value| Self::from_str(&value, false).ok()).or(asked);
        }
        asked
    }

    /// Applies the choice to everything on stderr.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

impl From<Colour> for clap::ColorChoice {
    fn from(colour: Colour) -> Self {
        match colour {
            Colour::Auto => Self::Auto,
            Colour::Always => Self::Always,
            Colour::Never => Self::Never,
        }
    }
}

/// The word before an error. The stream that it is written to removes the colour if none is wanted.
pub(crate) fn error(word: &str) -> impl Display {
    format!("{ERROR}{word}{ERROR:#}")
}

/// The word before a note.
pub(crate) fn note(word: &str) -> impl Display {
    format!("{NOTE}{word}{NOTE:#}")
}

#[cfg(test)]
mod tests {
    use super::Colour;

    #[test]
    fn it_is_found_before_the_command_line_is_understood() {
        let asked = |arguments: &[&str]| Colour::asked(&arguments.iter().map(Into::into).collect::<Vec<_>>());
        assert_eq!(asked(&["labelwise", "--color", "never", "demmo"]), Some(Colour::Never));
        assert_eq!(asked(&["labelwise", "demo", "--color=always"]), Some(Colour::Always));
        assert_eq!(asked(&["labelwise", "demo", "--color=mauve"]), None);
        assert_eq!(asked(&["labelwise", "demo", "--color"]), None);
        assert_eq!(asked(&["labelwise", "--colorful", "never"]), None);
    }
}
