//! Errors of the statistics.

/// Why a statistic cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// There are no values.
    #[error("{what}: there are no values: give at least one")]
    Empty { what: &'static str },
    /// A value is NaN, infinite, or too large to sum.
    #[error("{what}: value {place}, counted from 0, is {value}: give numbers below {limit:e}")]
    Value { what: &'static str, place: usize, value: f64, limit: f64 },
    /// The share of a quantile is not between 0 and 1.
    #[error("the quantile {share} was asked for: give a share from 0 to 1, such as 0.95")]
    Share { share: f64 },
    /// An error or a standard deviation is negative.
    #[error(
        "{what}: after {labels} labels it is {value}: give a curve of sizes of errors, none of them negative"
    )]
    Negative { what: &'static str, labels: usize, value: f64 },
    /// The samples of a paired test have different sizes.
    #[error("the samples have {first} and {second} values: give both for the same runs in the same order")]
    Unpaired { first: usize, second: usize },
    /// All pairs are equal, so there is nothing to rank.
    #[error(
        "all {pairs} pairs are equal, which no signed-rank test can judge: compare other methods or steps"
    )]
    NoDifferences { pairs: usize },
    /// The exact distribution is only for small samples.
    #[error(
        "{pairs} pairs differ, but the exact distribution is for at most {most}: use the normal \
         approximation"
    )]
    TooManyPairs { pairs: usize, most: usize },
}

/// Values of this size and more can have infinite sums.
pub(super) const SUMMED: f64 = 1e290;

/// Values of this size and more can have infinite sums of fourth powers, which the standard error of a mean square needs.
pub(super) const SQUARED: f64 = 1e72;

/// The values, if there are any and each of them is of a size below the limit.
pub(super) fn checked<'a>(what: &'static str, values: &'a [f64], limit: f64) -> Result<&'a [f64], Error> {
    if values.is_empty() {
        return Err(Error::Empty { what });
    }
    let is_fine = |value: &f64| value.abs() < limit;
    match values.iter().enumerate().find(|(_, value)| !is_fine(value)) {
        Some((place, &value)) => Err(Error::Value { what, place, value, limit }),
        None => Ok(values),
    }
}
