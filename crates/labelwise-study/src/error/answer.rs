//! Answers that are refused.

use std::fmt;

use labelwise::words::{did_you_mean, listed, quoted, thousands};

/// An answer that is refused.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RefusedAnswer {
    /// Its place among the answers of the call, from 0.
    pub place: usize,
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
        write!(f, "item {} {}", quoted(&self.id), self.reason)
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
    #[error("already has label {}, not {}: use amend to correct a label", quoted(.known), quoted(.told))]
    LabelDiffers { known: String, told: String },
    /// A labelled item cannot be skipped.
    #[error("already has label {}, so it cannot be skipped", quoted(.known))]
    LabelKept { known: String },
    /// Only a labelled item can be amended.
    #[error("has no label to amend: tell it first")]
    NothingToAmend,
    /// The text is not a label of this evaluation.
    #[error("has label {}, but a label must be {wanted}{}", quoted(.text), .wanted.near(.text))]
    BadLabel { text: String, wanted: LabelWanted },
    /// The label makes the loss infinite or NaN.
    #[error("has label {}, which makes its loss {loss}: check the label", quoted(.text))]
    LossNotFinite { text: String, loss: f64 },
    /// The label makes the loss exceed its bounds.
    #[error(
        "has label {}, which makes its loss {loss}, not between {low} and {high}: check the label",
        quoted(.text)
    )]
    LossOutOfBounds { text: String, loss: f64, low: f64, high: f64 },
    /// The refusal of an earlier request with the same idempotency key.
    #[error("{sentence}")]
    Before { sentence: String },
    /// The core refuses the label.
    #[error("cannot have label {}: {error}", quoted(.text))]
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
    /// A class for each of two answers.
    Pair(Vec<String>),
    /// A number of samples, or a class for each.
    Group { classes: Vec<String>, size: usize },
}

impl LabelWanted {
    /// The end of a sentence about a text that is not a label: the classes it is close to.
    fn near(&self, text: &str) -> String {
        match self {
            Self::Class(names) => did_you_mean(text, names.iter().map(String::as_str)),
            _ => String::new(),
        }
    }
}

impl fmt::Display for LabelWanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Class(names) => {
                write!(f, "one of the classes {}", listed(names))
            }
            Self::NotBlank => f.write_str("a class, not a blank"),
            Self::SameSpelling { predicted } => {
                write!(f, "spelled as the model spells it, {}, if it is the same class", quoted(predicted))
            }
            Self::Number => f.write_str("a finite number"),
            Self::Pair(names) => write!(
                f,
                "two of the classes {} with | between, for the first and the second answer as they were shown, or by the systems' names \
                 (v3={first}|v4={first})",
                listed(names),
                first = names.first().map_or("", String::as_str)
            ),
            Self::Group { classes, size } => write!(
                f,
                "how many of the {size} samples are {}, or one of the classes {} for each, with | between",
                classes.last().map_or("", String::as_str),
                listed(classes)
            ),
        }
    }
}

fn waiting(open: usize) -> String {
    match open {
        0 => ", and no item waits for a label: ask first".to_owned(),
        1 => "; 1 other item waits for its label".to_owned(),
        _ => format!("; {} other items wait for their labels", thousands(open)),
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
        more => format!("\n  and {} more", thousands(more)),
    }
}
