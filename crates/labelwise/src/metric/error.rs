//! Why draws cannot be used for a metric that is not a mean.

/// Why draws cannot be used for metrics that are not means.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// A skipped item could be of any class or value.
    #[error(
        "item {item} was skipped, and what its label would have done to a metric that is no mean has no bound: tell its \
         label, declare it missing at random, or measure a mean loss"
    )]
    Skipped {
        /// The item.
        item: usize,
    },
    /// Of known items only the loss is known.
    #[error(
        "{count} items are known by their losses only, and a metric that is no mean needs their labels: leave them to be \
         drawn, or measure a mean loss"
    )]
    Known {
        /// How many.
        count: usize,
    },
    /// A column with too many or too few entries.
    #[error("{what}: {expected} entries are needed, one for each, not {entries}")]
    Entries {
        /// Which column.
        what: &'static str,
        /// How many there are.
        entries: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A class beyond those of the predictions.
    #[error("class {class} is none of the {classes} classes: give a number from 0 to {}", classes.saturating_sub(1))]
    Class {
        /// The class.
        class: usize,
        /// How many there are.
        classes: usize,
    },
    /// A number of bins nothing can be sorted into.
    #[error("calibration was asked for in {bins} bins: give 1 to 1000, such as 10")]
    Bins {
        /// The number.
        bins: usize,
    },
}
