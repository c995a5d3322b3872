//! What is reported of many runs at one step.

use super::error::{Error, SQUARED, checked};
use super::order::Ordered;
use super::sum::{mean_of, sum};
use serde::{Deserialize, Serialize};

/// The level of the interval of the median.
const LEVEL: f64 = 0.95;

/// Statistics of a sample of errors, one per run and all at one step. An error is an estimate minus the pool risk.
///
/// ```
/// use labelwise_paper::statistics::Summary;
/// let summary = Summary::of(&[0.1, -0.2, 0.0, 0.3])?;
/// assert_eq!(summary.runs, 4);
/// assert!((summary.mean - 0.05).abs() < 1e-15);
/// assert!((summary.mean_squared_error - 0.035).abs() < 1e-15);
/// assert_eq!(summary.exact_runs, 1);
/// // Four runs do not tell where the median is.
/// assert_eq!(summary.median_squared_error_range, None);
/// # Ok::<(), labelwise_paper::statistics::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many runs there are.
    pub runs: usize,
    /// The mean error: the bias, as far as the runs show it.
    pub mean: f64,
    /// Its standard error. None for a single run.
    pub mean_std_error: Option<f64>,
    /// The standard deviation of the error, with one degree of freedom less than runs. None for a single run.
    pub std_dev: Option<f64>,
    /// Its standard error, by the jackknife that leaves out one run at a time. For errors with heavy tails the formula
    /// with the fourth moment is far too small on average, since a sample seldom holds its share of the largest
    /// errors; the jackknife is not. Both are optimistic for most samples of such errors. None for fewer than three
    /// runs, or if all errors are the same.
    pub std_dev_std_error: Option<f64>,
    /// The mean of the squared error.
    pub mean_squared_error: f64,
    /// Its standard error. None for a single run.
    pub mean_squared_error_std_error: Option<f64>,
    /// The median of the squared error, which the paper plots.
    pub median_squared_error: f64,
    /// Where the median of the squared error lies with a probability of at least 95 %, by order statistics. None for
    /// five runs or fewer.
    pub median_squared_error_range: Option<Range>,
    /// Other quantiles of the squared error.
    pub squared_error_quantiles: Quantiles,
    /// The error that 10 %, 50 % and 90 % of the runs are below.
    pub error_quantiles: [f64; 3],
    /// The mean of the natural logarithm of the squared error, over the runs whose error is not exactly 0. None if it
    /// is 0 in every run.
    pub mean_log_squared_error: Option<f64>,
    /// Its standard error. None if fewer than two runs have an error other than 0.
    pub mean_log_squared_error_std_error: Option<f64>,
    /// How many runs have an error of exactly 0, as drawing by the true loss does. They have no logarithm: the two
    /// means above are of the other runs, and say little where this is not a small share of the runs. Errors of
    /// 1e-17, which are 0 but for rounding, do count there.
    pub exact_runs: usize,
}

/// From one value to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Quantiles of the squared error, with linear interpolation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// 5 %.
    pub q05: f64,
    /// 10 %.
    pub q10: f64,
    /// 25 %.
    pub q25: f64,
    /// 75 %.
    pub q75: f64,
    /// 90 %.
    pub q90: f64,
    /// 95 %.
    pub q95: f64,
}

impl Summary {
    /// The summary of the errors of all runs, in O(n log n). The order of the runs does not matter.
    ///
    /// # Errors
    /// If there are no runs, or an error is not finite.
    pub fn of(errors: &[f64]) -> Result<Self, Error> {
        let errors = checked("the errors of the runs", errors, SQUARED)?;
        let mean = mean_of(errors);
        let std_dev = std_dev(errors, mean);
        let squares: Vec<f64> = errors.iter().map(|error| error * error).collect();
        let mean_squared_error = mean_of(&squares);
        let mean_squared_error_std_error = std_error(&squares, mean_squared_error);
        let squares = Ordered::new(squares)?;
        let signed = Ordered::new(errors.to_vec())?;
        // Twice the logarithm of the error, since the square of a tiny error may be 0.
        let logs: Vec<f64> =
            errors.iter().filter(|error| **error != 0.0).map(|error| 2.0 * error.abs().ln()).collect();
        let mean_log = (!logs.is_empty()).then(|| mean_of(&logs));
        Ok(Self {
            runs: errors.len(),
            mean,
            mean_std_error: std_error(errors, mean),
            std_dev,
            std_dev_std_error: std_dev.and_then(|std_dev| jackknife(errors, mean, std_dev)),
            mean_squared_error,
            mean_squared_error_std_error,
            median_squared_error: squares.median(),
            median_squared_error_range: squares.median_interval(LEVEL).map(|(low, high)| Range { low, high }),
            squared_error_quantiles: Quantiles {
                q05: squares.at(0.05),
                q10: squares.at(0.1),
                q25: squares.at(0.25),
                q75: squares.at(0.75),
                q90: squares.at(0.9),
                q95: squares.at(0.95),
            },
            error_quantiles: [0.1, 0.5, 0.9].map(|share| signed.at(share)),
            mean_log_squared_error: mean_log,
            mean_log_squared_error_std_error: mean_log.and_then(|mean| std_error(&logs, mean)),
            exact_runs: errors.len() - logs.len(),
        })
    }
}

impl Summary {
    /// The standard error of the median of the squared error, from the width of its interval as if it were normal.
    pub fn median_std_error(&self) -> Option<f64> {
        self.median_squared_error_range.map(|range| (range.high - range.low) / (2.0 * 1.96))
    }
}

/// The standard deviation with n - 1, about a mean that is known already.
fn std_dev(values: &[f64], mean: f64) -> Option<f64> {
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let square = sum(values.iter().map(|value| (value - mean).powi(2)));
    Some((square / freedom as f64).sqrt())
}

/// The standard error of the mean.
fn std_error(values: &[f64], mean: f64) -> Option<f64> {
    std_dev(values, mean).map(|std_dev| std_dev / (values.len() as f64).sqrt())
}

/// The standard error of the standard deviation by the jackknife. Leaving out a run at z standard deviations from the
/// mean takes z² n / (n - 1) from the sum of squares, which is n - 1 in these units.
fn jackknife(errors: &[f64], mean: f64, std_dev: f64) -> Option<f64> {
    let n = errors.len() as f64;
    if errors.len() < 3 || std_dev == 0.0 {
        return None;
    }
    let left = |error: &f64| {
        let z = (error - mean) / std_dev;
        // If one run is all that varies, rounding could leave less than nothing.
        ((n - 1.0 - z * z * n / (n - 1.0)) / (n - 2.0)).max(0.0).sqrt()
    };
    let without: Vec<f64> = errors.iter().map(left).collect();
    let centre = mean_of(&without);
    let square = sum(without.iter().map(|value| (value - centre).powi(2)));
    Some(std_dev * ((n - 1.0) / n * square).sqrt())
}
