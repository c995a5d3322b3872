//! A request for metrics, and what is answered.

use std::fmt;

use labelwise::Target;
use labelwise::estimator::Bias;

use crate::questions::slices::SliceOf;
use crate::spec::measurable::Measurable;

/// A request for metrics that are not averages, or for any metric by slices or groups.
#[derive(Debug, Clone)]
pub struct MetricOptions {
    /// The metrics.
    pub metrics: Vec<Measurable>,
    /// The positive class. Default: that of the settings.
    pub positive: Option<String>,
    /// The probability from which on the positive class is predicted. Default: that of the settings.
    pub threshold: Option<f64>,
    /// The column whose values are slices.
    pub by: Option<String>,
    /// The column whose values are groups of similar items.
    pub group: Option<String>,
    /// The probability with which each interval covers.
    pub level: f64,
    /// Pool or population.
    pub target: Target,
}

/// An estimate of one metric, of all items or of one slice.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Scored {
    /// The name in the request.
    pub name: String,
    /// The class, for a metric of one class.
    pub class: Option<String>,
    /// The slice; `None` for all items.
    pub slice: Option<SliceOf>,
    /// The estimate, or the reason that there is none.
    pub value: std::result::Result<f64, String>,
    /// The ends of the interval; `None` without a value or with too few labels.
    pub interval: Option<(f64, f64)>,
    /// The kind of the interval, in a few words.
    pub basis: Option<&'static str>,
    /// The estimates with the labels of skipped items that make it smallest and largest; `None` if none was skipped.
    pub skipped: Option<(f64, f64)>,
    /// The standard error about the target.
    pub standard_error: Option<f64>,
    /// Number of labels.
    pub labels: usize,
    /// Number of items in the pool or slice.
    pub pool_size: usize,
    /// Its bias.
    pub bias: Bias,
    /// Whether larger is better.
    pub higher_is_better: bool,
    /// Effective number of draws that carry the variance.
    pub effective_hits: f64,
    /// Warnings.
    pub notes: Vec<String>,
    /// The warnings without their numbers, in the same order: many estimates share them.
    pub kinds: Vec<String>,
}

impl fmt::Display for Scored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(class) = &self.class {
            write!(f, " of class {class}")?;
        }
        if let Some(slice) = &self.slice {
            write!(f, " where {} is {}", slice.column, slice.value)?;
        }
        match &self.value {
            Ok(value) => write!(f, " {value:.4} from {} of {} items", self.labels, self.pool_size)?,
            Err(why) => return write!(f, " undefined: {why}"),
        }
        match self.interval {
            Some((low, high)) => {
                write!(f, "; interval {low:.4} to {high:.4} ({})", self.basis.unwrap_or("ordinary"))?;
            }
            None => f.write_str("; no interval yet")?,
        }
        write!(f, "\nabout {:.1} labels carry the variance", self.effective_hits)?;
        self.notes.iter().try_for_each(|note| write!(f, "\nnote: {note}"))
    }
}
