//! Ratios of one class as means. A ratio right / (x·predicted + y·labelled) is at least t if and only if the mean of
//! right − t (x·predicted + y·labelled) over the pool is at least 0. So whatever holds for means at every look holds for
//! such a ratio too: a value t is excluded when 0 is excluded for this mean, and the true ratio is one of the values t.

use super::ClassMetric;
use crate::loss::{Bounds, Loss, Moments, Sign};
use crate::task::Classification;

/// right − t (x·predicted + y·labelled) of one item. As a loss, its predictions are rows of two numbers: 1 if the item is
/// predicted as the class, and 1 if it is of the class.
///
/// ```
/// use labelwise::metric::{ClassMetric, Excess};
/// let excess = Excess::of(ClassMetric::Precision { class: 1 }, 0.9).unwrap();
/// // Nine right ones of ten that are predicted: the mean is 0.
/// assert!((9.0 * excess.at(true, true) + excess.at(true, false)).abs() < 1e-12);
/// assert_eq!(excess.at(false, true), 0.0);
/// assert!(Excess::of(ClassMetric::Auc { class: 1 }, 0.9).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Excess {
    of_predicted: f64,
    of_labelled: f64,
}

impl Excess {
    /// Of a ratio of one class over a threshold; `None` for other metrics.
    pub fn of(metric: ClassMetric, threshold: f64) -> Option<Self> {
        metric.class()?;
        let (x, y) = metric.ratio()?.0.parts();
        Some(Self { of_predicted: threshold * x, of_labelled: threshold * y })
    }

    /// Of an item, by whether it is predicted as the class and whether it is of it.
    pub fn at(self, predicted: bool, labelled: bool) -> f64 {
        let of = |is: bool, weight: f64| if is { weight } else { 0.0 };
        of(predicted && labelled, 1.0) - of(predicted, self.of_predicted) - of(labelled, self.of_labelled)
    }

    /// Its bounds for an item without a label.
    pub fn bounds(self, predicted: bool) -> Bounds {
        let (one, other) = (self.at(predicted, false), self.at(predicted, true));
        Bounds { low: one.min(other), high: one.max(other) }
    }
}

/// Whether the item is predicted as the class, and whether it is of it.
fn parts(row: &[f64]) -> (bool, bool) {
    let is = |place: usize| row.get(place).is_some_and(|value| *value > 0.5);
    (is(0), is(1))
}

impl Loss<Classification> for Excess {
    fn name(&self) -> &'static str {
        "excess over a threshold"
    }

    fn loss(&self, row: &[f64], _label: usize) -> f64 {
        let (predicted, labelled) = parts(row);
        self.at(predicted, labelled)
    }

    fn moments(&self, _row: &[f64], _belief: &[f64]) -> Moments {
        Moments { first: 0.0, second: 1.0 }
    }

    fn bounds(&self, row: &[f64]) -> Option<Bounds> {
        Some(Self::bounds(*self, parts(row).0))
    }

    fn range(&self) -> Option<Bounds> {
        let (one, other) = (Self::bounds(*self, true), Self::bounds(*self, false));
        Some(Bounds { low: one.low.min(other.low), high: one.high.max(other.high) })
    }

    fn sign(&self) -> Sign {
        Sign::Signed
    }
}
