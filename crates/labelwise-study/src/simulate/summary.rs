//! Sums over the runs of one strategy at one number of labels.
#![allow(clippy::cast_precision_loss, reason = "labels and runs are counted in thousands")]

use serde::Serialize;

use super::{Outcome, Stop, Strategy, Truth};
use crate::spec::metric::Metric;
use crate::spec::settings::Settings;

/// How the strategies did at one stop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StopResult {
    /// The number of labels.
    pub labels: usize,
    /// One entry per strategy; a stratified sample has none at some stops.
    pub strategies: Vec<StrategyResult>,
}

/// How one strategy did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrategyResult {
    /// The key of the strategy.
    pub strategy: String,
    /// Its name in tables.
    #[serde(skip)]
    pub title: String,
    /// The name of its estimator.
    pub estimator: &'static str,
    /// The mean of estimate minus truth, as the metric is shown.
    pub bias: Measured,
    /// √ of the mean squared distance from the truth.
    pub root_mean_squared_error: f64,
    /// The same by the formula for uniform sampling; `None` for other strategies.
    pub exact_root_mean_squared_error: Option<f64>,
    /// The share of the intervals that covered the truth.
    pub coverage: Option<f64>,
    /// The mean width of the intervals.
    pub mean_width: Option<f64>,
    /// The median width of the intervals: a few that were guarded may be far wider.
    pub median_width: Option<f64>,
    /// The number of runs without an interval.
    pub without_interval: usize,
    /// The number of runs in which the metric had no value; the other numbers are about the rest.
    #[serde(skip_serializing_if = "is_zero")]
    pub undefined: usize,
    /// The labels that uniform sampling needs for the same root mean squared error.
    pub uniform_labels: Option<Measured>,
    /// Labels over those.
    pub relative_labelling_cost: Option<f64>,
    /// What one label is worth: the mean squared error of uniform sampling, by its formula, over the strategy's own.
    pub worth: Option<Measured>,
    /// The outcome of each run, by the loss behind the metric.
    #[serde(skip)]
    pub outcomes: Vec<Outcome>,
}

/// A number from repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measured {
    /// The number.
    pub value: f64,
    /// Its standard error; a single repetition has none.
    pub standard_error: Option<f64>,
}

impl StrategyResult {
    /// Sums up the runs of one strategy at one stop; `None` without runs.
    pub(super) fn new(
        strategy: &Strategy,
        outcomes: Vec<Outcome>,
        stop: Stop,
        pool_size: usize,
        truth: Truth,
        metric: &Metric,
        settings: &Settings,
    ) -> Option<Self> {
        if outcomes.is_empty() {
            return None;
        }
        let labels = stop.labels;
        let uniform = strategy.is_uniform();
        let errors: Vec<f64> = outcomes.iter().map(|outcome| outcome.estimate - truth.risk).collect();
        let squares: Vec<f64> = errors.iter().map(|error| error * error).collect();
        let (bias, square) = (mean(&errors), mean(&squares));
        let intervals = outcomes.iter().filter_map(|outcome| outcome.interval);
        let (widths, covering): (Vec<f64>, Vec<f64>) = intervals
            .map(|interval| (interval.high - interval.low, f64::from(u8::from(interval.covers))))
            .unzip();
        let some = |values: &[f64]| (!values.is_empty()).then(|| mean(values).value);
        let uniform_labels = uniform_labels(square, truth.variance, labels, pool_size).filter(|_| !uniform);
        Some(Self {
            strategy: strategy.key.to_string(),
            title: strategy.title.to_string(),
            estimator: strategy.estimator_name(settings),
            bias: Measured { value: metric.shown_difference(bias.value), ..bias },
            root_mean_squared_error: square.value.sqrt(),
            exact_root_mean_squared_error: uniform
                .then(|| uniform_variance(truth.variance, labels, pool_size).sqrt()),
            coverage: some(&covering),
            mean_width: some(&widths),
            median_width: median(&widths),
            without_interval: if stop.interval { outcomes.len() - widths.len() } else { 0 },
            undefined: 0,
            uniform_labels,
            relative_labelling_cost: uniform_labels.map(|measured| labels as f64 / measured.value),
            worth: worth(square, uniform_variance(truth.variance, labels, pool_size)).filter(|_| !uniform),
            outcomes,
        })
    }
}

impl StrategyResult {
    /// The same for a metric that is not an average: uniform sampling has no exact error, and some runs no value.
    pub(super) fn of_score(self, runs: usize) -> Self {
        let undefined = runs - self.outcomes.len();
        Self { exact_root_mean_squared_error: None, worth: None, undefined, ..self }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A strategy compared with uniform sampling over the same runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// The mean squared error of uniform sampling over the strategy's own.
    pub squared_error_ratio: Measured,
    /// The uniform labels that would have been as good as one label.
    pub uniform_labels_a_label: Measured,
}

impl Comparison {
    /// From the squared errors of each run.
    ///
    /// The mean squared error of M uniform labels is S² (1/M − 1/N). It shrinks faster than 1/M as the pool runs out, so
    /// the ratio alone would promise more labels than uniform sampling needs.
    pub(super) fn new(uniform: &[f64], own: &[f64], labels: usize, pool_size: usize) -> Option<Self> {
        let ratio = ratio_of_means(uniform, own).filter(|ratio| ratio.value > 0.0 && labels < pool_size)?;
        let (m, n) = (labels as f64, pool_size as f64);
        let open = 1.0 / m - 1.0 / n;
        let equivalent = 1.0 / (1.0 / n + open / ratio.value);
        let slope = (equivalent / ratio.value).powi(2) * open;
        let uniform_labels_a_label = Measured {
            value: equivalent / m,
            standard_error: ratio.standard_error.map(|error| error * slope / m),
        };
        Some(Self { squared_error_ratio: ratio, uniform_labels_a_label })
    }
}

/// The ratio of two means over the same runs, with its standard error by linearisation.
fn ratio_of_means(above: &[f64], below: &[f64]) -> Option<Measured> {
    let below_mean = mean(below).value;
    let value = mean(above).value / below_mean;
    let runs = below.len() as f64;
    let squares = above.iter().zip(below).map(|(above, below)| (above - value * below).powi(2));
    let standard_error = (squares.sum::<f64>() / (runs * (runs - 1.0))).sqrt() / below_mean;
    let standard_error = Some(standard_error).filter(|error| error.is_finite());
    value.is_finite().then_some(Measured { value, standard_error })
}

/// The variance of the mean of M uniform labels: S² (1/M − 1/N).
fn uniform_variance(variance: f64, labels: usize, pool_size: usize) -> f64 {
    (variance * (1.0 / labels as f64 - 1.0 / pool_size as f64)).max(0.0)
}

/// Solved for M: how many uniform labels have such a mean squared error. None where nothing varies, or nothing is left
/// to estimate.
fn uniform_labels(square: Measured, variance: f64, labels: usize, pool_size: usize) -> Option<Measured> {
    if labels >= pool_size || variance <= 0.0 {
        return None;
    }
    let value = 1.0 / (square.value / variance + 1.0 / pool_size as f64);
    let standard_error = square.standard_error.map(|error| error * value * value / variance);
    Some(Measured { value, standard_error })
}

/// The error of uniform sampling over that of a strategy. None where either of them is never off.
fn worth(square: Measured, uniform: f64) -> Option<Measured> {
    if square.value <= 0.0 || uniform <= 0.0 {
        return None;
    }
    let value = uniform / square.value;
    Some(Measured { value, standard_error: square.standard_error.map(|error| error * value / square.value) })
}

fn mean(values: &[f64]) -> Measured {
    let count = values.len() as f64;
    let value = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|other| (other - value).powi(2)).sum();
    let standard_error = (values.len() > 1).then(|| (squares / (count * (count - 1.0))).sqrt());
    Measured { value, standard_error }
}

/// The middle value, or the mean of the two in the middle.
fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let high = *sorted.get(sorted.len() / 2)?;
    let low = *sorted.get((sorted.len() - 1) / 2)?;
    Some(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Measured, mean, median, uniform_labels, uniform_variance, worth};

    #[test]
    fn uniform_labels_have_the_error_of_so_many_uniform_labels() {
        for labels in [1, 10, 99] {
            let value = uniform_variance(2.5, labels, 100);
            let square = Measured { value, standard_error: Some(0.0) };
            let found = uniform_labels(square, 2.5, 7, 100).expect("it varies").value;
            assert!((found - labels as f64).abs() < 1e-9, "{found}");
        }
    }

    #[test]
    fn the_variance_of_uniform_sampling_is_that_of_all_samples() {
        // The means of all pairs of 1, 2, 6: 1.5, 3.5 and 4, about their mean 3.
        let pool = [1.0, 2.0, 6.0];
        let pairs = [1.5, 3.5, 4.0_f64];
        let expected = pairs.iter().map(|pair| (pair - 3.0).powi(2)).sum::<f64>() / 3.0;
        let variance = pool.iter().map(|value: &f64| (value - 3.0).powi(2)).sum::<f64>() / 2.0;
        assert!((uniform_variance(variance, 2, 3) - expected).abs() < 1e-12);
        assert_eq!(uniform_variance(variance, 3, 3), 0.0);
    }

    #[test]
    fn the_standard_error_follows_the_slope() {
        let at =
            |value| uniform_labels(Measured { value, standard_error: Some(1e-6) }, 2.0, 10, 1000).unwrap();
        let (low, high) = (at(0.05 - 5e-7).value, at(0.05 + 5e-7).value);
        assert!(((low - high) / at(0.05).standard_error.unwrap() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn nothing_compares_where_nothing_varies_or_nothing_is_left() {
        let square = Measured { value: 0.1, standard_error: None };
        assert_eq!(uniform_labels(square, 0.0, 10, 100), None);
        assert_eq!(uniform_labels(square, 1.0, 100, 100), None);
    }

    #[test]
    fn a_worth_is_the_error_of_uniform_labels_over_the_own_one() {
        let square = Measured { value: 0.02, standard_error: Some(0.001) };
        let found = worth(square, 0.05).unwrap();
        assert!((found.value - 2.5).abs() < 1e-12 && (found.standard_error.unwrap() - 0.125).abs() < 1e-12);
        assert_eq!(worth(Measured { value: 0.0, standard_error: None }, 0.05), None);
        assert_eq!(worth(square, 0.0), None);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 9.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 9.0, 3.0]), Some(3.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn a_single_run_has_no_standard_error() {
        assert_eq!(mean(&[3.0]), Measured { value: 3.0, standard_error: None });
        assert_eq!(mean(&[1.0, 3.0]), Measured { value: 2.0, standard_error: Some(1.0) });
    }

    #[test]
    fn a_quarter_of_the_error_is_four_labels_in_a_pool_without_end() {
        let comparison = Comparison::new(&[4.0, 8.0], &[1.0, 2.0], 100, usize::MAX).expect("both are off");
        assert_eq!(comparison.squared_error_ratio, Measured { value: 4.0, standard_error: Some(0.0) });
        assert!((comparison.uniform_labels_a_label.value - 4.0).abs() < 1e-9);
    }

    #[test]
    fn no_label_is_worth_more_than_the_pool() {
        let comparison = Comparison::new(&[1000.0], &[1.0], 50, 100).expect("both are off");
        // 1/100 + (1/50 − 1/100) / 1000 = 1 / 99.9...
        assert!((comparison.uniform_labels_a_label.value * 50.0 - 100.0 / 1.001).abs() < 1e-9);
    }

    #[test]
    fn uniform_labels_are_worth_themselves() {
        let comparison = Comparison::new(&[1.0, 3.0], &[1.0, 3.0], 30, 100).expect("both are off");
        assert!((comparison.uniform_labels_a_label.value - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_repetition_has_no_standard_error() {
        let comparison = Comparison::new(&[4.0], &[1.0], 10, 100).expect("both are off");
        assert_eq!(comparison.squared_error_ratio.standard_error, None);
        assert_eq!(comparison.uniform_labels_a_label.standard_error, None);
    }

    #[test]
    fn nothing_compares_when_nothing_is_left() {
        assert_eq!(Comparison::new(&[1e-32, 0.0], &[1e-32, 1e-33], 100, 100), None);
        assert_eq!(Comparison::new(&[1.0, 2.0], &[0.0, 0.0], 10, 100), None);
    }
}
