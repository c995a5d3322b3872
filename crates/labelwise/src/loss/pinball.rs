//! The pinball loss of a predicted quantile, with moments in closed form under a Gaussian belief.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf::erfc;

use super::regression::LabelRange;
use super::{Bounds, Loss, Moments};
use crate::error::{Error, Result};
use crate::task::{Gaussian, GaussianBelief, Regression};

/// max(τ (y − f(x)), (τ − 1) (y − f(x))): the loss of f(x) as a prediction of the label's quantile of level τ. The
/// quantile itself has the least expected loss. With τ = ½ it is half the absolute error.
///
/// ```
/// use labelwise::loss::{Loss, Pinball};
/// use labelwise::task::Gaussian;
///
/// let loss = Pinball::new(0.9)?;
/// let prediction = Gaussian { mean: 10.0, variance: 0.0 };
/// // A label above the predicted 90 % quantile costs nine times as much as one below it.
/// assert!((loss.loss(prediction, 12.0) - 1.8).abs() < 1e-12);
/// assert!((loss.loss(prediction, 8.0) - 0.2).abs() < 1e-12);
/// assert!(Pinball::new(1.0).is_err());
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pinball {
    level: f64,
    labels: Option<LabelRange>,
}

impl Pinball {
    /// For predictions of the quantile of level τ, which lies strictly between 0 and 1.
    pub fn new(level: f64) -> Result<Self> {
        if level > 0.0 && level < 1.0 {
            return Ok(Self { level, labels: None });
        }
        Err(Error::Option { name: "the quantile level", value: level, range: "above 0 and below 1" })
    }

    /// For labels known to lie between `low` and `high`: the loss then has a bound, which guaranteed intervals need.
    pub fn with_label_range(level: f64, low: f64, high: f64) -> Result<Self> {
        Ok(Self { labels: Some(LabelRange::new(low, high)?), ..Self::new(level)? })
    }

    /// τ.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// The loss of a label that lies `residual` above the prediction.
    fn of(&self, residual: f64) -> f64 {
        (self.level * residual).max((self.level - 1.0) * residual)
    }
}

impl Loss<Regression> for Pinball {
    fn name(&self) -> &'static str {
        "pinball loss"
    }

    fn loss(&self, prediction: Gaussian, label: f64) -> f64 {
        self.of(label - prediction.mean)
    }

    /// Moments of the two parts of y − f(x), above and below 0. Only the part on the far side of the belief's mean is
    /// computed from Φ and φ; the near part follows by adding what the two have in common. So 1 − Φ is never formed. The far
    /// part is still a difference of two close numbers, and loses digits when the belief lies far to one side.
    fn moments(&self, prediction: Gaussian, belief: GaussianBelief) -> Moments {
        let (d, v) = (belief.mean - prediction.mean, belief.variance);
        if v <= 0.0 {
            let value = self.of(d);
            return Moments { first: value, second: value * value };
        }
        let (distance, s) = (d.abs(), v.sqrt());
        let z = distance / s;
        let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
        let tail = 0.5 * erfc(z / SQRT_2);
        let total = d * d + v;
        let far = (s * density - distance * tail).max(0.0);
        let far_square = (total * tail - distance * s * density).clamp(0.0, total);
        let (near, near_square) = (far + distance, total - far_square);
        let (ahead, behind) =
            if d >= 0.0 { (self.level, 1.0 - self.level) } else { (1.0 - self.level, self.level) };
        Moments {
            first: ahead * near + behind * far,
            second: ahead * ahead * near_square + behind * behind * far_square,
        }
    }

    fn bounds(&self, prediction: Gaussian) -> Option<Bounds> {
        let labels = self.labels?;
        let [nearest, low, high] =
            [labels.nearest(prediction.mean), labels.low, labels.high].map(|y| self.loss(prediction, y));
        Some(Bounds { low: nearest, high: low.max(high) })
    }

    /// The difference of two pinball losses of one level never turns back.
    fn extreme_labels(&self, _one: Gaussian, _other: Gaussian) -> Option<Vec<f64>> {
        self.labels.map(|LabelRange { low, high }| vec![low, high])
    }
}
