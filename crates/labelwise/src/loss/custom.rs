//! Any loss of the user's own, from a closure.

use super::classification::extremes;
use super::{Bounds, Loss, Moments, Sign};
use crate::error::{Error, Result};
use crate::numerics::standard_normal;
use crate::task::{Classification, Gaussian, GaussianBelief, Regression};

/// A loss given as a closure: `|prediction: &[f64], label: usize|` in classification, where the moments are sums over
/// the classes, or `|prediction: Gaussian, label: f64|` in regression, where they come from Gauss-Hermite quadrature
/// under the belief.
///
/// ```
/// use labelwise::loss::{Custom, Loss};
/// use labelwise::task::Gaussian;
/// let pinball = Custom::non_negative(|f: Gaussian, y: f64| (0.9 * (y - f.mean)).max(0.1 * (f.mean - y)));
/// assert_eq!(pinball.loss(Gaussian { mean: 1.0, variance: 0.0 }, 3.0), 1.8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Custom<F> {
    loss: F,
    sign: Sign,
    bounds: Option<Bounds>,
}

impl<F> Custom<F> {
    /// A loss that is never below 0.
    pub fn non_negative(loss: F) -> Self {
        Self { loss, sign: Sign::NonNegative, bounds: None }
    }

    /// A loss that may be negative.
    pub fn signed(loss: F) -> Self {
        Self { loss, sign: Sign::Signed, bounds: None }
    }

    /// What a regression loss lies between, for every item; in classification the classes tell.
    pub fn with_bounds(mut self, low: f64, high: f64) -> Result<Self> {
        if !(low.is_finite() && high.is_finite() && low <= high) {
            return Err(Error::Option {
                name: "the upper bound of the loss",
                value: high,
                range: "finite and not below the lower bound",
            });
        }
        self.bounds = Some(Bounds { low, high });
        Ok(self)
    }
}

impl<F: Fn(&[f64], usize) -> f64 + Send + Sync> Loss<Classification> for Custom<F> {
    fn name(&self) -> &'static str {
        "custom loss"
    }

    fn loss(&self, prediction: &[f64], label: usize) -> f64 {
        (self.loss)(prediction, label)
    }

    fn moments(&self, prediction: &[f64], belief: &[f64]) -> Moments {
        weighted(belief.iter().enumerate().map(|(label, &pi)| (pi, (self.loss)(prediction, label))))
    }

    fn bounds(&self, prediction: &[f64]) -> Option<Bounds> {
        let (low, high) = extremes((0..prediction.len()).map(|label| (self.loss)(prediction, label)));
        Some(self.bounds.unwrap_or(Bounds { low, high }))
    }

    fn range(&self) -> Option<Bounds> {
        self.bounds
    }

    fn sign(&self) -> Sign {
        self.sign
    }
}

impl<F: Fn(Gaussian, f64) -> f64 + Send + Sync> Loss<Regression> for Custom<F> {
    fn name(&self) -> &'static str {
        "custom loss"
    }

    fn loss(&self, prediction: Gaussian, label: f64) -> f64 {
        (self.loss)(prediction, label)
    }

    fn moments(&self, prediction: Gaussian, belief: GaussianBelief) -> Moments {
        let std_dev = belief.variance.sqrt();
        let nodes = standard_normal().iter();
        weighted(nodes.map(|&(z, weight)| (weight, (self.loss)(prediction, belief.mean + std_dev * z))))
    }

    fn bounds(&self, _prediction: Gaussian) -> Option<Bounds> {
        self.bounds
    }

    fn range(&self) -> Option<Bounds> {
        self.bounds
    }

    fn sign(&self) -> Sign {
        self.sign
    }
}

fn weighted(terms: impl Iterator<Item = (f64, f64)>) -> Moments {
    let (mut first, mut second) = (0.0, 0.0);
    for (weight, loss) in terms {
        first += weight * loss;
        second += weight * loss * loss;
    }
    Moments { first, second }
}
