//! The label itself as the loss: how often it is a class, what classes are worth, or the number that was told. None of them
//! looks at the prediction.

use super::classification::extremes;
use super::{Bounds, Loss, Moments, Outcomes, Sign};
use crate::error::{Error, Result};
use crate::pool::Pool;
use crate::task::{Classification, Gaussian, GaussianBelief, Regression};

/// w_y, the worth of the label's class: 1 for pass, 0.5 for partial, 0 for fail. Its mean over the pool is a rate, a win rate
/// with ties, or a mean grade.
///
/// ```
/// use labelwise::loss::{ClassWorths, Loss};
/// let rate = ClassWorths::rate(1, 2);
/// assert_eq!(rate.moments(&[], &[0.25, 0.75]).first, 0.75);
/// let grade = ClassWorths::new(vec![0.0, 0.5, 1.0])?;
/// assert_eq!(grade.loss(&[], 1), 0.5);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ClassWorths {
    worths: Vec<f64>,
    name: &'static str,
}

impl ClassWorths {
    /// The worth of each class, in the order of the predictions' columns.
    pub fn new(worths: Vec<f64>) -> Result<Self> {
        if let Some(&value) = worths.iter().find(|worth| !worth.is_finite()) {
            return Err(Error::Option { name: "the worth of a class", value, range: "finite" });
        }
        Ok(Self { worths, name: "value" })
    }

    /// 1 for the positive class, 0 for all others.
    pub fn rate(positive: usize, classes: usize) -> Self {
        let worth = |class: usize| if class == positive { 1.0 } else { 0.0 };
        Self { worths: (0..classes).map(worth).collect(), name: "rate" }
    }

    /// The worth of each class.
    pub fn worths(&self) -> &[f64] {
        &self.worths
    }

    fn ends(&self) -> Bounds {
        let (low, high) = extremes(self.worths.iter().copied());
        Bounds { low, high }
    }
}

impl Loss<Classification> for ClassWorths {
    fn name(&self) -> &'static str {
        self.name
    }

    fn loss(&self, _prediction: &[f64], label: usize) -> f64 {
        self.worths.get(label).copied().unwrap_or(f64::NAN)
    }

    fn moments(&self, _prediction: &[f64], belief: &[f64]) -> Moments {
        let (mut first, mut second) = (0.0, 0.0);
        for (worth, pi) in self.worths.iter().zip(belief) {
            first += pi * worth;
            second += pi * worth * worth;
        }
        Moments { first, second }
    }

    fn bounds(&self, _prediction: &[f64]) -> Option<Bounds> {
        self.range()
    }

    fn range(&self) -> Option<Bounds> {
        Some(self.ends())
    }

    fn of_every_class(&self, _prediction: &[f64], losses: &mut Vec<f64>) -> bool {
        losses.clear();
        losses.extend(&self.worths);
        true
    }

    fn outcomes(&self) -> Outcomes {
        let all = self.worths.iter().all(|worth| *worth == 0.0 || *worth == 1.0);
        if all { Outcomes::ZeroOne } else { Outcomes::Other }
    }

    fn sign(&self) -> Sign {
        if self.ends().low < 0.0 { Sign::Signed } else { Sign::NonNegative }
    }

    fn check(&self, pool: &Pool<Classification>) -> Result<()> {
        if self.worths.len() == pool.model_columns() {
            return Ok(());
        }
        Err(Error::Columns {
            what: crate::task::Table::Predictions,
            columns: pool.model_columns(),
            expected: format!("{} (one per class that has a worth)", self.worths.len()),
        })
    }
}

/// y itself: ratings, scores, amounts.
///
/// ```
/// use labelwise::loss::{LabelValue, Loss};
/// use labelwise::task::Gaussian;
/// let rating = LabelValue::within(1.0, 5.0)?;
/// assert_eq!(rating.loss(Gaussian { mean: 0.0, variance: 0.0 }, 4.0), 4.0);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LabelValue {
    range: Option<Bounds>,
    /// Whether labels are 0 or 1.
    rate: bool,
}

impl LabelValue {
    /// Labels of a known range.
    pub fn within(low: f64, high: f64) -> Result<Self> {
        if !(low.is_finite() && high.is_finite() && low < high) {
            let range = "finite and above the smallest label";
            return Err(Error::Option { name: "the largest label", value: high, range });
        }
        Ok(Self { range: Some(Bounds { low, high }), rate: false })
    }

    /// Labels that are 1 where something is so, and 0 elsewhere.
    pub fn rate() -> Self {
        Self { range: Some(Bounds { low: 0.0, high: 1.0 }), rate: true }
    }
}

impl Loss<Regression> for LabelValue {
    fn name(&self) -> &'static str {
        if self.rate { "rate" } else { "value" }
    }

    fn loss(&self, _prediction: Gaussian, label: f64) -> f64 {
        label
    }

    fn moments(&self, _prediction: Gaussian, belief: GaussianBelief) -> Moments {
        if self.rate {
            let rate = belief.mean.clamp(0.0, 1.0);
            return Moments { first: rate, second: rate };
        }
        Moments { first: belief.mean, second: belief.mean * belief.mean + belief.variance }
    }

    fn bounds(&self, _prediction: Gaussian) -> Option<Bounds> {
        self.range
    }

    fn range(&self) -> Option<Bounds> {
        self.range
    }

    fn outcomes(&self) -> Outcomes {
        if self.rate { Outcomes::ZeroOne } else { Outcomes::Other }
    }

    fn sign(&self) -> Sign {
        match self.range {
            Some(Bounds { low, .. }) if low >= 0.0 => Sign::NonNegative,
            _ => Sign::Signed,
        }
    }
}
