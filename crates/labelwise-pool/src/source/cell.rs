//! One cell of a file that is read row by row.

use std::borrow::Cow;

/// A value as in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell<'a> {
    Nothing,
    Truth(bool),
    Integer(i64),
    Number(f64),
    Text(Cow<'a, str>),
    /// The numbers of a list; any other element is NaN.
    List(Vec<f64>),
    /// A value of another type.
    Other,
}

impl Cell<'_> {
    /// As a number; a text that spells a number counts, because logs write such texts.
    #[allow(clippy::cast_precision_loss, reason = "numbers are read in f64")]
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Integer(value) => Some(*value as f64),
            Self::Truth(value) => Some(f64::from(u8::from(*value))),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Nothing | Self::List(_) | Self::Other => None,
        }
    }

    /// Whether there is no value.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(text) => text.is_empty(),
            _ => false,
        }
    }
}

/// The numbers of a list that is written in a text, such as `[0.1, 0.9]` or `0.1 0.9`.
pub(crate) fn list_in(text: &str) -> Option<Vec<f64>> {
    let inner = text.trim().trim_start_matches(['[', '(']).trim_end_matches([']', ')']);
    let parts = inner.split([',', ';', ' ']).map(str::trim).filter(|part| !part.is_empty());
    let numbers: Option<Vec<f64>> = parts.map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}
