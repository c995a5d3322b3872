//! What the statistics refuse, as sentences that name the thing, the value and the way out.

/// Everything the statistics refuse.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to describe.
    #[error("{what}: there are no values: give at least one")]
    Empty {
        /// Which sample or curve.
        what: &'static str,
    },
    /// NaN, infinite, or so large that sums would be infinite.
    #[error("{what}: value {place}, counted from 0, is {value}: give numbers of a size below {limit:e}")]
    Value {
        /// Which sample or curve.
        what: &'static str,
        /// Where it stands.
        place: usize,
        /// What was found.
        value: f64,
        /// How large it may not be.
        limit: f64,
    },
    /// A quantile is asked for by a share.
    #[error("the quantile of {share} was asked for: give a share from 0 to 1, such as 0.95")]
    Share {
        /// What was asked for.
        share: f64,
    },
    /// Errors, standard deviations and the like are never negative.
    #[error(
        "{what}: after {labels} labels it is {value}: give a curve of sizes of errors, none of them negative"
    )]
    Negative {
        /// Which curve.
        what: &'static str,
        /// After how many labels.
        labels: usize,
        /// What was found.
        value: f64,
    },
    /// Pairs need two of each.
    #[error("the samples have {first} and {second} values: give both for the same runs in the same order")]
    Unpaired {
        /// The size of the first sample.
        first: usize,
        /// The size of the second.
        second: usize,
    },
    /// Without a difference there is nothing to rank.
    #[error(
        "all {pairs} pairs are equal, which no signed-rank test can judge: compare other methods or steps"
    )]
    NoDifferences {
        /// How many pairs there are.
        pairs: usize,
    },
    /// The exact law is for small samples.
    #[error("{pairs} pairs differ, and the exact law is for {most} at most: use the normal approximation")]
    TooManyPairs {
        /// How many pairs differ.
        pairs: usize,
        /// How many may.
        most: usize,
    },
}

/// From this size on, sums of a sample may be infinite.
pub(super) const SUMMED: f64 = 1e290;

/// From this size on, sums of fourth powers may be infinite, of which the standard error of a mean square is made.
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
