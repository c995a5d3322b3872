//! Rows of a pool file that cannot be used, and why.

use std::fmt;

use crate::families::shown;
use crate::offences::Place;

/// A row that cannot be used.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RowError {
    /// Where the row is.
    pub place: Place,
    /// Why it cannot be used.
    pub fault: RowFault,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

/// Why a row cannot be used. The sentence goes on after the place of the row.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RowFault {
    /// The row has more or fewer fields than the file has columns.
    #[error("has {found} {parts}, but {named} columns are named")]
    Width {
        /// What the format calls the parts of a row.
        parts: &'static str,
        /// How many the row has.
        found: usize,
        /// How many columns the file names.
        named: usize,
    },
    /// The line is not a JSON object.
    #[error("is not a JSON object ({reason} at column {column})")]
    NotAnObject {
        /// What the parser says.
        reason: String,
        /// Where on the line.
        column: usize,
    },
    /// The row is not text.
    #[error("is not UTF-8")]
    NotUtf8,
    /// The row of an array is a text that is not Unicode.
    #[error("has a text that is not Unicode")]
    NotUnicode,
    /// The row of an array is a blank.
    #[error("has an empty text")]
    EmptyText,
    /// The row of an array is not a number.
    #[error("is not a number")]
    NotANumber,
    /// A cell cannot be what its column is used for.
    #[error("{} {fault}", shown(.column))]
    Cell {
        /// The column.
        column: String,
        /// What is wrong with the cell.
        fault: CellFault,
    },
    /// The log says that the sample failed.
    #[error("the sample {id} ended in the error {}", shown(.message))]
    SampleFailed {
        /// The sample, as JSON writes its id.
        id: String,
        /// The error in the log.
        message: String,
    },
    /// No row has probabilities.
    #[error("has no probabilities")]
    NoProbabilities,
    /// A probability is negative or not a number.
    #[error("probability {place} of {of} is {value}")]
    Probability {
        /// Its place, from 1.
        place: usize,
        /// How many the row has.
        of: usize,
        /// The value.
        value: f64,
    },
    /// The probabilities of the row do not sum to 1.
    #[error("its probabilities sum to {sum:.4} instead of 1")]
    ProbabilitySum {
        /// Their sum.
        sum: f64,
    },
    /// A logit has no softmax.
    #[error("logit {place} of {of} is {value}")]
    Logit {
        /// Its place, from 1.
        place: usize,
        /// How many the row has.
        of: usize,
        /// The value.
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
        /// How many the row has.
        of: usize,
        /// The value.
        value: f64,
    },
    /// A predicted value is not a finite number.
    #[error("its predicted value is {value}")]
    Mean {
        /// The value.
        value: f64,
    },
    /// A variance is negative or not finite.
    #[error("its variance is {value}, but must be finite and not negative")]
    Variance {
        /// The value.
        value: f64,
    },
    /// A score is negative or not finite.
    #[error("its score is {value}, but must be finite and not negative")]
    Score {
        /// The value.
        value: f64,
    },
    /// The label is not a class of the predictions.
    #[error("the label {} is none of the classes", shown(.text))]
    UnknownLabel {
        /// What the file has.
        text: String,
    },
    /// The label is not a finite number.
    #[error("the label {} is not a finite number", shown(.text))]
    LabelNotFinite {
        /// What the file has.
        text: String,
    },
    /// An earlier row has the same id.
    #[error("the id {} is that of {first} too", shown(.id))]
    SameId {
        /// The id.
        id: String,
        /// The earlier row.
        first: Place,
    },
}

impl RowFault {
    /// Something is wrong with a cell.
    pub(crate) fn cell(column: &str, fault: CellFault) -> Self {
        Self::Cell { column: column.to_owned(), fault }
    }

    /// What is wrong with a line, without the parser's own count of lines.
    pub(crate) fn not_an_object(error: &serde_json::Error) -> Self {
        let said = error.to_string();
        let reason = said.split(" at line ").next().unwrap_or_default().to_owned();
        Self::NotAnObject { reason, column: error.column() }
    }
}

/// What is wrong with a cell. The sentence goes on after the name of the column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellFault {
    /// The cell is empty.
    #[error("is empty")]
    Empty,
    /// The list is empty, or one of its places is.
    #[error("is empty, or has an empty place")]
    EmptyPlace,
    /// The text is not UTF-8.
    #[error("is not UTF-8")]
    NotUtf8,
    /// A text cannot be what is needed.
    #[error("is {}, not a {wanted}", shown(.text))]
    Text {
        /// The text.
        text: String,
        /// What is needed.
        wanted: &'static str,
    },
    /// A value of another kind cannot be what is needed.
    #[error("is {value}, not a {wanted}")]
    Value {
        /// The value, as JSON writes it.
        value: String,
        /// What is needed.
        wanted: &'static str,
    },
    /// The cell cannot be what is needed, and has no short form.
    #[error("is not a {wanted}")]
    Other {
        /// What is needed.
        wanted: &'static str,
    },
    /// The list is longer or shorter than those before.
    #[error("has {found} numbers, but the rows before have {expected}")]
    Length {
        /// How long it is.
        found: usize,
        /// How long the others are.
        expected: usize,
    },
}

/// How the list of rows begins.
pub(super) fn first_of(more: bool, rows: &[RowError]) -> String {
    if more { format!("; the first {} are", rows.len()) } else { ":".to_owned() }
}

pub(super) fn lines(rows: &[RowError]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| format!("  {row}")).collect();
    lines.join("\n")
}
