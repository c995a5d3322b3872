//! Whole numbers on the command line.

use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

/// A number without sign or fraction; its range is a question for later.
pub(crate) fn whole<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "give a smaller number, below 2^64",
        _ => "give a whole number that is not negative, such as 100",
    })
}
