//! What a label of one strategy was worth in labels of uniform sampling.

use serde::Serialize;

/// A strategy against uniform sampling, over the same repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Comparison {
    /// The mean squared error of uniform sampling over the strategy's own.
    pub(super) squared_error_ratio: Measured,
    /// The uniform labels that would have been as good as one label.
    pub(super) uniform_labels_a_label: Measured,
}

/// A number from repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Measured {
    /// What it is.
    pub(super) value: f64,
    /// Its standard error; a single repetition has none.
    pub(super) standard_error: Option<f64>,
}

impl Comparison {
    /// From the squared errors of each repetition; `None` where a strategy is never off, or the whole pool is labelled.
    ///
    /// The mean squared error of M uniform labels is S² (1/M − 1/N). It shrinks faster than 1/M as the pool runs out,
    /// so the ratio alone would promise more labels than uniform sampling needs.
    pub(super) fn new(uniform: &[f64], own: &[f64], budget: usize, pool_size: usize) -> Option<Self> {
        let ratio = ratio_of_means(uniform, own).filter(|ratio| ratio.value > 0.0 && budget < pool_size)?;
        let (m, n) = (budget as f64, pool_size as f64);
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

/// The ratio of two means over the same repetitions, with its standard error by linearisation.
fn ratio_of_means(above: &[f64], below: &[f64]) -> Option<Measured> {
    let value = mean(above) / mean(below);
    let runs = below.len() as f64;
    let squares = above.iter().zip(below).map(|(above, below)| (above - value * below).powi(2));
    let standard_error = (squares.sum::<f64>() / (runs * (runs - 1.0))).sqrt() / mean(below);
    let standard_error = Some(standard_error).filter(|error| error.is_finite());
    value.is_finite().then_some(Measured { value, standard_error })
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Measured};

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
