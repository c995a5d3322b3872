//! Sums over the runs of one strategy at one number of labels.

use labelwise_study::{Metric, View};
use serde::Serialize;

use super::findings::Showing;
use super::runs::{Outcome, Stop, Truth};
use super::strategy::Strategy;

/// A number from repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Measured {
    /// What it is.
    pub(super) value: f64,
    /// Its standard error; a single repetition has none.
    pub(super) standard_error: Option<f64>,
}

/// What sums over runs are made with.
pub(super) struct Sums<'a> {
    pub(super) strategy: Strategy,
    pub(super) stop: Stop,
    pub(super) pool_size: usize,
    pub(super) truth: Truth,
    pub(super) metric: &'a Metric,
}

impl Sums<'_> {
    /// Sums up the runs of one strategy at one stop.
    pub(super) fn of(&self, outcomes: &[Outcome]) -> Showing {
        let (labels, uniform) = (self.stop.labels, self.strategy == Strategy::Uniform);
        let errors: Vec<f64> = outcomes.iter().map(|outcome| outcome.error).collect();
        let squares: Vec<f64> = errors.iter().map(|error| error * error).collect();
        let (bias, square) = (mean(&errors), mean(&squares));
        let reaches = outcomes.iter().filter_map(|outcome| outcome.interval);
        let (widths, covering): (Vec<f64>, Vec<f64>) =
            reaches.map(|reach| (reach.width, f64::from(u8::from(reach.covers)))).unzip();
        let some = |values: &[f64]| (!values.is_empty()).then(|| mean(values).value);
        let uniform_labels = uniform_labels(square, self.truth.variance, labels, self.pool_size);
        let uniform_labels = uniform_labels.filter(|_| !uniform);
        // Errors have the other sign where means are shown so.
        let sign = if self.metric.view == View::Plain { 1.0 } else { -1.0 };
        Showing {
            strategy: self.strategy,
            estimator: self.strategy.estimator_name(),
            bias: Measured { value: sign * bias.value, ..bias },
            root_mean_squared_error: square.value.sqrt(),
            exact_root_mean_squared_error: uniform
                .then(|| uniform_variance(self.truth.variance, labels, self.pool_size).sqrt()),
            coverage: some(&covering),
            mean_width: some(&widths),
            median_width: median(&widths),
            without_interval: if self.stop.told { outcomes.len() - widths.len() } else { 0 },
            uniform_labels,
            relative_labelling_cost: uniform_labels.map(|measured| labels as f64 / measured.value),
        }
    }
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
    use super::{Measured, mean, median, uniform_labels, uniform_variance};

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
}
