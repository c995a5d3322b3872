//! Answers that are refused.

use std::fmt;

/// An answer that is refused.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RefusedAnswer {
    /// The line of the file it comes from, if it comes from one.
    pub line: Option<usize>,
    /// The id of the item.
    pub id: String,
    /// Why it is refused.
    pub reason: AnswerError,
}

impl fmt::Display for RefusedAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "item {:?} {}", self.id, self.reason)
    }
}

/// Why an answer about an item is refused. The sentence continues after the name of the item.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum AnswerError {
    /// The item was not drawn.
    #[error("was not asked for{}", waiting(*.open))]
    NeverAsked { open: usize },
    /// One call has two different answers for one item.
    #[error("has two different answers")]
    AnsweredTwice,
    /// The item has another label.
    #[error("already has label {known:?}, not {told:?}: use amend to correct a label")]
    LabelDiffers { known: String, told: String },
    /// A labelled item cannot be skipped.
    #[error("already has label {known:?}, so it cannot be skipped")]
    LabelKept { known: String },
    /// Only a labelled item can be amended.
    #[error("has no label to amend: tell it first")]
    NothingToAmend,
    /// The text is not a label of this evaluation.
    #[error("has label {text:?}, but a label must be {wanted}")]
    BadLabel { text: String, wanted: LabelWanted },
    /// The label makes the loss infinite or NaN.
    #[error("has label {text:?}, which makes its loss {loss}: check the label")]
    LossNotFinite { text: String, loss: f64 },
    /// The label makes the loss exceed its bounds.
    #[error("has label {text:?}, which makes its loss {loss}, not between {low} and {high}: check the label")]
    LossOutOfBounds { text: String, loss: f64, low: f64, high: f64 },
    /// The core refuses the label.
    #[error("cannot have label {text:?}: {error}")]
    Core { text: String, error: labelwise::Error },
}

/// What a label must be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum LabelWanted {
    /// One of these classes.
    Class(Vec<String>),
    /// Any class.
    NotBlank,
    /// A class that differs from the predicted one in more than upper and lower case.
    SameSpelling { predicted: String },
    /// A number.
    Number,
}

/// How many classes a sentence names.
const NAMED: usize = 12;

impl fmt::Display for LabelWanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Class(names) => {
                let shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
                let more = if names.len() > NAMED { ", ..." } else { "" };
                write!(f, "one of the classes {}{more}", shown.join(", "))
            }
            Self::NotBlank => f.write_str("a class, not a blank"),
            Self::SameSpelling { predicted } => {
                write!(f, "spelled as the model spells it, {predicted:?}, if it is the same class")
            }
            Self::Number => f.write_str("a finite number"),
        }
    }
}

fn waiting(open: usize) -> String {
    match open {
        0 => ", and no item waits for a label: ask first".to_owned(),
        1 => "; 1 other item waits for its label".to_owned(),
        _ => format!("; {open} other items wait for their labels"),
    }
}

/// How many refusals are shown.
const SHOWN: usize = 5;

pub(super) fn first_refusals(refusals: &[RefusedAnswer]) -> String {
    let lines: Vec<String> = refusals.iter().take(SHOWN).map(|refusal| format!("  {refusal}")).collect();
    lines.join("\n")
}

pub(super) fn more(refusals: &[RefusedAnswer]) -> String {
    match refusals.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    }
}
