//! One number that makes probabilities as sure as they have been right.

use labelwise::{Error, Matrix, Result};

/// Temperatures that are looked at.
const COLDEST: f64 = 0.05;
const HOTTEST: f64 = 100.0;

/// The weight, in labels, of a prior that the logarithm of the temperature is 0 with a standard deviation of 1: the
/// pull toward leaving probabilities as they are.
const PRIOR: f64 = 1.0;

/// p^(1/T), normalised. Above 1 it makes probabilities less sure, below 1 more.
///
/// ```
/// use labelwise::Matrix;
/// use labelwise_models::Temperature;
/// // Right nine times in ten, but only 60 % sure of it.
/// let unsure = Matrix::f64([0.6, 0.4].repeat(100), 2)?;
/// let labels: Vec<usize> = (0..100).map(|i| usize::from(i % 10 == 0)).collect();
/// let temperature = Temperature::fit(&unsure, &labels, 1e-6)?;
/// let sure = temperature.apply(&unsure)?;
/// assert!((sure.reader().row(0)[0] - 0.9).abs() < 0.01);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Temperature {
    temperature: f64,
    floor: f64,
}

impl Temperature {
    /// The temperature that minimises the cross-entropy of out-of-sample probabilities, with a weak pull toward 1.
    /// Probabilities below `floor` are raised to it: a forest's zero is a small number that it could not see.
    pub fn fit(probabilities: &Matrix, labels: &[usize], floor: f64) -> Result<Self> {
        if !(floor > 0.0 && floor < 0.5) {
            return Err(Error::Option {
                name: "the floor of probabilities",
                value: floor,
                range: "above 0 and below 0.5",
            });
        }
        if probabilities.rows() != labels.len() {
            return Err(Error::TrainingRows { features: probabilities.rows(), labels: labels.len() });
        }
        let classes = probabilities.columns();
        let mut reader = probabilities.reader();
        let mut logs = Vec::with_capacity(labels.len() * classes);
        for (item, &label) in labels.iter().enumerate() {
            if label >= classes {
                return Err(Error::LabelOutOfRange { item, label, classes });
            }
            logs.extend(reader.row(item).iter().map(|p| p.max(floor).ln()));
        }
        let loss = |log_temperature: f64| {
            let rows = logs.chunks_exact(classes).zip(labels);
            let sum: f64 = rows.map(|(row, label)| surprise(row, *label, (-log_temperature).exp())).sum();
            sum + 0.5 * PRIOR * log_temperature * log_temperature
        };
        let temperature = minimum(COLDEST.ln(), HOTTEST.ln(), loss).exp();
        Ok(Self { temperature, floor })
    }

    /// T.
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// The tempered probabilities of every row.
    pub fn apply(&self, probabilities: &Matrix) -> Result<Matrix> {
        let mut reader = probabilities.reader();
        let mut values = Vec::with_capacity(probabilities.rows() * probabilities.columns());
        for item in 0..probabilities.rows() {
            let row = reader.row(item);
            let most = row.iter().fold(self.floor, |most, p| most.max(*p)).ln();
            let start = values.len();
            values.extend(row.iter().map(|p| ((p.max(self.floor).ln() - most) / self.temperature).exp()));
            let tempered = values.get_mut(start..).unwrap_or_default();
            let sum: f64 = tempered.iter().sum();
            tempered.iter_mut().for_each(|p| *p /= sum);
        }
        Matrix::f64(values, probabilities.columns())
    }
}

/// −log of the tempered probability of the label.
fn surprise(logs: &[f64], label: usize, inverse: f64) -> f64 {
    let most = logs.iter().fold(f64::NEG_INFINITY, |most, log| most.max(*log));
    let sum: f64 = logs.iter().map(|log| ((log - most) * inverse).exp()).sum();
    sum.ln() - logs.get(label).map_or(f64::NAN, |log| (log - most) * inverse)
}

/// The minimum of a function with one valley, by golden section.
fn minimum(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..60 {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - ratio * (high - low);
            at_a = f(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + ratio * (high - low);
            at_b = f(b);
        }
    }
    0.5 * (low + high)
}
