//! The level of intervals on the command line.

use crate::failure::Failure;

/// A number; whether it is a probability is a question for later.
pub(crate) fn probability(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "give a number between 0 and 1, such as 0.95")
}

/// Refuses a level that no interval can have.
pub(crate) fn checked(level: f64) -> Result<f64, Failure> {
    if level > 0.0 && level < 1.0 { Ok(level) } else { Err(Failure::Level { level }) }
}
