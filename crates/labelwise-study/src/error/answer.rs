//! Answers that cannot be recorded, and why.

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

/// Why an answer about an item is refused. The sentence goes on after the name of the item.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The item was not drawn.
    #[error("was never asked{}", waiting(*.open))]
    NeverAsked {
        /// How many items wait for a label.
        open: usize,
    },
    /// One call has two different answers for one item.
    #[error("is answered twice, and not alike")]
    AnsweredTwice,
    /// The item has another label.
    #[error("is labelled {known:?} already, not {told:?}: amend it if that was wrong")]
    LabelDiffers {
        /// The label on record.
        known: String,
        /// The label told now.
        told: String,
    },
    /// A labelled item cannot be skipped.
    #[error("is labelled {known:?} already, and a label that is there is not given up")]
    LabelKept {
        /// The label on record.
        known: String,
    },
    /// Only a labelled item can be amended.
    #[error("has no label to amend: tell it")]
    NothingToAmend,
    /// The text is not a label of this evaluation.
    #[error("has the label {text:?}, but it should be {wanted}")]
    BadLabel {
        /// What was told.
        text: String,
        /// What labels are.
        wanted: LabelWanted,
    },
    /// The label makes the loss infinite or NaN.
    #[error("has the label {text:?}, whose loss would be {loss}: check the label")]
    LossNotFinite {
        /// What was told.
        text: String,
        /// Its loss.
        loss: f64,
    },
    /// The label makes a loss that the loss function cannot have.
    #[error("has the label {text:?}, whose loss {loss} is not between {low} and {high}: check the label")]
    LossOutOfBounds {
        /// What was told.
        text: String,
        /// Its loss.
        loss: f64,
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// The core refuses the label.
    #[error("cannot have the label {text:?}: {error}")]
    Core {
        /// What was told.
        text: String,
        /// What the core says.
        error: labelwise::Error,
    },
}

/// What the label of an item can be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabelWanted {
    /// One of these classes.
    Class(Vec<String>),
    /// Any class.
    NotBlank,
    /// A class that differs from the predicted one in more than upper and lower case.
    SameSpelling {
        /// How the model writes it.
        predicted: String,
    },
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
            Self::NotBlank => f.write_str("the right class, not a blank"),
            Self::SameSpelling { predicted } => {
                write!(f, "written as the model writes it, {predicted:?}, if it is the same class")
            }
            Self::Number => f.write_str("a finite number"),
        }
    }
}

fn waiting(open: usize) -> String {
    match open {
        0 => ", and nothing waits for a label: ask first".to_owned(),
        1 => "; 1 other item waits for its label".to_owned(),
        _ => format!("; {open} others wait for their labels"),
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
