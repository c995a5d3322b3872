//! Invalid rows of a pool file.

use std::fmt;

use crate::families::{SHOWN, shown};
use crate::offences::Place;

/// An invalid row.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RowError {
    /// Its line or row.
    pub place: Place,
    /// The reason.
    pub fault: RowFault,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

/// Why a row is invalid. The sentence continues after the place of the row.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum RowFault {
    /// The row has more or fewer fields than the file has columns.
    #[error("has {found} {parts}, but the file has {named} columns")]
    Width { parts: &'static str, found: usize, named: usize },
    /// The line is not a JSON object.
    #[error("is not a JSON object ({reason} at column {column})")]
    NotAnObject { reason: String, column: usize },
    /// The row is not text.
    #[error("is not UTF-8")]
    NotUtf8,
    /// The row of an array is a text that is not Unicode.
    #[error("has a text that is not Unicode")]
    NotUnicode,
    /// The row of an array is an empty text.
    #[error("has an empty text")]
    EmptyText,
    /// The row of an array is not a number.
    #[error("is not a number")]
    NotANumber,
    /// The cell does not fit the use of its column.
    #[error("{} {fault}", shown(.column))]
    Cell { column: String, fault: CellFault },
    /// The sample failed, according to the log.
    #[error("sample {id} ended with the error {}", shown(.message))]
    SampleFailed {
        /// The sample, as JSON writes its id.
        id: String,
        message: String,
    },
    /// The row has no probabilities.
    #[error("has no probabilities")]
    NoProbabilities,
    /// A probability is negative or not a number.
    #[error("probability {place} of {of} is {value}")]
    Probability {
        /// Its place, from 1.
        place: usize,
        of: usize,
        value: f64,
    },
    /// The probabilities of the row do not sum to 1.
    #[error("its probabilities sum to {sum:.4} instead of 1")]
    ProbabilitySum { sum: f64 },
    /// The probability of one of two classes is not between 0 and 1.
    #[error("its probability is {value}, but must be between 0 and 1")]
    OneProbability { value: f64 },
    /// A logit is NaN or +inf.
    #[error("logit {place} of {of} is {value}")]
    Logit {
        /// Its place, from 1.
        place: usize,
        of: usize,
        value: f64,
    },
    /// No class has a finite logit.
    #[error("every logit is -inf")]
    EveryLogit,
    /// A feature is not a finite number.
    #[error("feature {place} of {of} is {value}")]
    Feature {
        /// Its place, from 1.
        place: usize,
        of: usize,
        value: f64,
    },
    /// A predicted value is not a finite number.
    #[error("its predicted value is {value}")]
    Mean { value: f64 },
    /// A variance is negative or not finite.
    #[error("its variance is {value}, but must be finite and not negative")]
    Variance { value: f64 },
    /// A standard deviation is negative or not finite.
    #[error("its standard deviation is {value}, but must be finite and not negative")]
    Deviation { value: f64 },
    /// A score is negative or not finite.
    #[error("its score is {value}, but must be finite and not negative")]
    Score { value: f64 },
    /// The label is not a class of the predictions.
    #[error("the label {} is not one of the classes", shown(.text))]
    UnknownLabel { text: String },
    /// The label is not a finite number.
    #[error("the label {} is not a finite number", shown(.text))]
    LabelNotFinite { text: String },
    /// An earlier row has the same id.
    #[error("the id {} is also the id of {first}", shown(.id))]
    SameId { id: String, first: Place },
}

impl RowFault {
    pub(crate) fn cell(column: &str, fault: CellFault) -> Self {
        Self::Cell { column: column.to_owned(), fault }
    }

    /// The reason without the parser's line number, which is always 1 here.
    pub(crate) fn not_an_object(error: &serde_json::Error) -> Self {
        let said = error.to_string();
        let reason = said.split(" at line ").next().unwrap_or_default().to_owned();
        Self::NotAnObject { reason, column: error.column() }
    }
}

/// Why a cell is invalid. The sentence continues after the name of the column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum CellFault {
    /// The cell is empty.
    #[error("is empty")]
    Empty,
    /// The list is empty, or an element of it is.
    #[error("is empty, or has an empty element")]
    EmptyPlace,
    /// The text is not UTF-8.
    #[error("is not UTF-8")]
    NotUtf8,
    /// The text is a number with a decimal comma.
    #[error("is {}: write numbers with a decimal point", shown(.text))]
    DecimalComma { text: String },
    /// The text is not what the column needs.
    #[error("is {}, not a {wanted}", shown(.text))]
    Text { text: String, wanted: &'static str },
    /// The value has the wrong type.
    #[error("is {value}, not a {wanted}")]
    Value {
        /// The value, as JSON writes it.
        value: String,
        wanted: &'static str,
    },
    /// The value has the wrong type, and no short form to show.
    #[error("is not a {wanted}")]
    Other { wanted: &'static str },
    /// The text is longer than a text may be.
    #[error("has a text of {bytes} bytes, but at most {most} are read")]
    Long { bytes: usize, most: u64 },
    /// The list has more numbers than labelwise reads.
    #[error("has more than {most} numbers, the longest list that is read")]
    TooWide { most: usize },
    /// The list is longer or shorter than those of the rows before.
    #[error("has {found} numbers, but the rows before it have {expected}")]
    Length { found: usize, expected: usize },
}

impl CellFault {
    /// A text where something else is wanted. The text is kept as far as it is shown.
    pub(crate) fn text(text: &str, wanted: &'static str) -> Self {
        let text: String = text.chars().take(SHOWN + 1).collect();
        let number = text.trim();
        if wanted == "number"
            && number.matches(',').count() == 1
            && number.replace(',', ".").parse::<f64>().is_ok()
        {
            return Self::DecimalComma { text };
        }
        Self::Text { text, wanted }
    }
}

pub(super) fn first_of(more: bool, rows: &[RowError]) -> String {
    if more { format!("; the first {} are", rows.len()) } else { ":".to_owned() }
}

pub(super) fn lines(rows: &[RowError]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| format!("  {row}")).collect();
    lines.join("\n")
}
