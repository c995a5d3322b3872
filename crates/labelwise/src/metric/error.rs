//! Errors of metrics that are not averages.

/// Why draws cannot be used for a metric that is not an average.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum MetricError {
    /// A skipped item can have any class or value, so the metric has no bounds.
    #[error(
        "item {item} was skipped, and its effect on a metric that is not an average has no bounds: give its \
         label, declare it missing at random, or estimate a mean loss"
    )]
    Skipped { item: usize },
    /// Only the losses of known items are known, not their labels.
    #[error(
        "known losses ({count}) come without labels, but a metric that is not an average needs labels: let \
         these items be drawn, or estimate a mean loss"
    )]
    Known { count: usize },
    /// A column has too many or too few entries.
    #[error("{what}: {entries} entries, but {expected} are needed")]
    Entries { what: &'static str, entries: usize, expected: usize },
    /// The class is not one of the classes of the predictions.
    #[error(
        "class {class} is not one of the {classes} classes: give a number from 0 to {}",
        classes.saturating_sub(1)
    )]
    Class { class: usize, classes: usize },
    /// The number of bins is not between 1 and 1000.
    #[error("{bins} bins of calibration are not possible: give 1 to 1000, such as 10")]
    Bins { bins: usize },
}
