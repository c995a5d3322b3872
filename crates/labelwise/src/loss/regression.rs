//! Losses of a predicted mean, with moments in closed form under a Gaussian belief.

use std::f64::consts::PI;

use statrs::function::erf::erf;

use super::{Bounds, Loss, Moments, Sign};
use crate::error::{Error, Result};
use crate::pool::Pool;
use crate::task::{Gaussian, GaussianBelief, Regression, Task};

/// Where labels are known to lie; only then has a regression loss a bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LabelRange {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl LabelRange {
    pub(super) fn new(low: f64, high: f64) -> Result<Self> {
        if !low.is_finite() {
            return Err(Error::Option {
                name: "the lower end of the label range",
                value: low,
                range: "finite",
            });
        }
        if !(high.is_finite() && high >= low) {
            let range = "finite and not below the lower end";
            return Err(Error::Option { name: "the upper end of the label range", value: high, range });
        }
        Ok(Self { low, high })
    }

    /// The label closest to `mean`.
    pub(super) fn nearest(self, mean: f64) -> f64 {
        mean.clamp(self.low, self.high)
    }

    /// The smallest and the largest distance of a label from `mean`.
    fn distances(self, mean: f64) -> (f64, f64) {
        ((mean - self.nearest(mean)).abs(), (mean - self.low).abs().max((mean - self.high).abs()))
    }
}

/// (f(x) − y)².
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SquaredError {
    labels: Option<LabelRange>,
}

impl SquaredError {
    /// For labels known to lie between `low` and `high`: the loss then has a bound, which guaranteed intervals need.
    pub fn with_label_range(low: f64, high: f64) -> Result<Self> {
        Ok(Self { labels: Some(LabelRange::new(low, high)?) })
    }
}

impl Loss<Regression> for SquaredError {
    fn name(&self) -> &'static str {
        "squared error"
    }

    fn loss(&self, prediction: Gaussian, label: f64) -> f64 {
        (prediction.mean - label).powi(2)
    }

    /// Eq. (8): the squared distance of the means plus the total variance; and the fourth moment about f(x).
    fn moments(&self, prediction: Gaussian, belief: GaussianBelief) -> Moments {
        let (d2, v) = ((prediction.mean - belief.mean).powi(2), belief.variance);
        Moments { first: d2 + v, second: d2 * d2 + 6.0 * d2 * v + 3.0 * v * v }
    }

    fn bounds(&self, prediction: Gaussian) -> Option<Bounds> {
        let (near, far) = self.labels?.distances(prediction.mean);
        Some(Bounds { low: near * near, high: far * far })
    }

    /// The difference of two squared errors is linear in the label.
    fn extreme_labels(&self, _one: Gaussian, _other: Gaussian) -> Option<Vec<f64>> {
        self.labels.map(|LabelRange { low, high }| vec![low, high])
    }
}

/// |f(x) − y|.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AbsoluteError {
    labels: Option<LabelRange>,
}

impl AbsoluteError {
    /// For labels known to lie between `low` and `high`.
    pub fn with_label_range(low: f64, high: f64) -> Result<Self> {
        Ok(Self { labels: Some(LabelRange::new(low, high)?) })
    }
}

impl Loss<Regression> for AbsoluteError {
    fn name(&self) -> &'static str {
        "absolute error"
    }

    fn loss(&self, prediction: Gaussian, label: f64) -> f64 {
        (prediction.mean - label).abs()
    }

    /// The mean of a folded normal; its second moment is that of the squared error's first.
    fn moments(&self, prediction: Gaussian, belief: GaussianBelief) -> Moments {
        let (d, v) = ((prediction.mean - belief.mean).abs(), belief.variance);
        let first = if v > 0.0 {
            (2.0 * v / PI).sqrt() * (-d * d / (2.0 * v)).exp() + d * erf(d / (2.0 * v).sqrt())
        } else {
            d
        };
        Moments { first, second: d * d + v }
    }

    fn bounds(&self, prediction: Gaussian) -> Option<Bounds> {
        let (low, high) = self.labels?.distances(prediction.mean);
        Some(Bounds { low, high })
    }

    /// The difference of two distances never turns back.
    fn extreme_labels(&self, _one: Gaussian, _other: Gaussian) -> Option<Vec<f64>> {
        self.labels.map(|LabelRange { low, high }| vec![low, high])
    }
}

/// −log N(y; f(x), σ²) = ½ log(2πσ²) + (y − f(x))² / (2σ²), with the model's own predicted variance σ². It is
/// negative where the model is rightly confident.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GaussianNll {
    labels: Option<LabelRange>,
}

impl GaussianNll {
    /// For labels known to lie between `low` and `high`.
    pub fn with_label_range(low: f64, high: f64) -> Result<Self> {
        Ok(Self { labels: Some(LabelRange::new(low, high)?) })
    }
}

/// ½ log(2πσ²), and 1 / (2σ²): the loss is affine in the squared error.
fn affine(prediction: Gaussian) -> (f64, f64) {
    (0.5 * (2.0 * PI * prediction.variance).ln(), 0.5 / prediction.variance)
}

impl Loss<Regression> for GaussianNll {
    fn name(&self) -> &'static str {
        "Gaussian negative log-likelihood"
    }

    fn loss(&self, prediction: Gaussian, label: f64) -> f64 {
        let (offset, slope) = affine(prediction);
        offset + slope * (prediction.mean - label).powi(2)
    }

    fn moments(&self, prediction: Gaussian, belief: GaussianBelief) -> Moments {
        let (offset, slope) = affine(prediction);
        let square = SquaredError::default().moments(prediction, belief);
        Moments {
            first: offset + slope * square.first,
            second: offset * offset + 2.0 * offset * slope * square.first + slope * slope * square.second,
        }
    }

    fn bounds(&self, prediction: Gaussian) -> Option<Bounds> {
        let (offset, slope) = affine(prediction);
        let (near, far) = self.labels?.distances(prediction.mean);
        Some(Bounds { low: offset + slope * near * near, high: offset + slope * far * far })
    }

    /// The difference of two likelihoods is a parabola in the label.
    fn extreme_labels(&self, one: Gaussian, other: Gaussian) -> Option<Vec<f64>> {
        let LabelRange { low, high } = self.labels?;
        let (slope, against) = (affine(one).1, affine(other).1);
        let vertex = (slope * one.mean - against * other.mean) / (slope - against);
        let inside = Some(vertex).filter(|vertex| (low..=high).contains(vertex));
        Some([low, high].into_iter().chain(inside).collect())
    }

    fn sign(&self) -> Sign {
        Sign::Signed
    }

    fn check(&self, pool: &Pool<Regression>) -> Result<()> {
        let mut reader = pool.predictions().reader();
        for item in 0..pool.pool_size() {
            let value = Regression::prediction(reader.row(item)).variance;
            if value <= 0.0 {
                return Err(Error::NeedsVariance { item, value });
            }
        }
        Ok(())
    }
}
