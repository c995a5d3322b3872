//! Errors of sketches.

use std::fmt;

use labelwise::words::quoted;
use thiserror::Error as ThisError;

/// A result with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason that a score cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// No value.
    Null,
    /// Not a number.
    NotANumber,
    /// Infinite.
    Infinite,
    /// Below zero.
    Negative,
}

impl Fault {
    /// What is wrong with a score; none if it can be used.
    pub fn of(score: Option<f64>) -> Option<Self> {
        match score {
            None => Some(Self::Null),
            Some(score) if score.is_nan() => Some(Self::NotANumber),
            Some(score) if score < 0.0 => Some(Self::Negative),
            Some(score) if score.is_infinite() => Some(Self::Infinite),
            Some(_) => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::NotANumber => "NaN",
            Self::Infinite => "infinite",
            Self::Negative => "negative",
        })
    }
}

/// Everything that can go wrong with a sketch.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// Scores that cannot be used.
    #[error("{count} items have a score that cannot be used: {}; give them a score of 0 or more, or leave them out", bad(.first))]
    Scores {
        /// Number of such items.
        count: u64,
        /// The first five by id.
        first: Vec<(String, Fault)>,
    },
    /// Ids that occur more than once.
    #[error("ids occur more than once, such as {}; an id must name one item, so make the ids unique and start again", ids(.first))]
    Duplicates {
        /// The first five by id.
        first: Vec<String>,
    },
    /// A sketch of another evaluation.
    #[error("the sketches have different seeds, refreshes or sizes: only sketches of one draw can be merged")]
    Different,
    /// Bytes that are not a sketch.
    #[error("these bytes are not a sketch of this version of labelwise")]
    Damaged,
    /// A pool without items.
    #[error("the pool has no items")]
    Empty,
    /// A sum of scores that no float holds.
    #[error("the scores sum to more than a number can hold; divide them by a constant")]
    Overflow,
    /// A floor outside of its range.
    #[error("rho is {0}, but must be above 0 and at most 1")]
    Rho(f64),
}

labelwise::error_codes! {
    pub Error {
        Scores => "scores",
        Duplicates => "repeated-ids",
        Different => "different-sketches",
        Damaged => "not-a-sketch",
        Empty => "empty-pool",
        Overflow => "overflow",
        Rho => "rho",
    }
}

fn bad(first: &[(String, Fault)]) -> String {
    let each = |(id, fault): &(String, Fault)| format!("{} ({fault})", quoted(id));
    first.iter().map(each).collect::<Vec<_>>().join(", ")
}

fn ids(first: &[String]) -> String {
    first.iter().map(|id| quoted(id)).collect::<Vec<_>>().join(", ")
}
