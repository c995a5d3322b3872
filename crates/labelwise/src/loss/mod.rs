//! ℒ(f(x), y), and what is expected of it under a belief. Acquisition follows from the loss: every loss gives its
//! value, its first two moments and, where one exists, a bound; surrogate and loss are chosen independently.

pub(crate) mod classification;
mod cross_entropy;
mod custom;
mod decision;
mod pinball;
mod regression;
mod worths;

pub use classification::most_probable;
pub use classification::{Brier, CostMatrix, ZeroOne};
pub use cross_entropy::CrossEntropy;
pub use custom::Custom;
pub use decision::{Decision, Misjudged};
pub use pinball::Pinball;
pub use regression::{AbsoluteError, GaussianNll, SquaredError};
pub use worths::{ClassWorths, LabelValue};

use crate::error::{Error, Result};
use crate::matrix::Rows;
use crate::pool::Pool;
use crate::task::Task;

/// E(ℒ) and E(ℒ²) of one item under a belief.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// E[ℒ(f(x), y)], y ~ π(y | x).
    pub first: f64,
    /// E[ℒ(f(x), y)²].
    pub second: f64,
}

/// What the loss of an item lies between, whatever its label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The smallest loss.
    pub low: f64,
    /// The largest loss.
    pub high: f64,
}

impl Bounds {
    /// What is known of a loss without bounds.
    pub(crate) const NONE: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
}

/// What is expected of the losses of a run of items, and what they lie between: one column a number, all of one length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExpectedLosses {
    /// E(ℒ).
    pub first: Vec<f64>,
    /// E(ℒ²).
    pub second: Vec<f64>,
    /// Lower bounds; −∞ where there is none.
    pub low: Vec<f64>,
    /// Upper bounds; ∞ where there is none.
    pub high: Vec<f64>,
}

impl ExpectedLosses {
    /// Expectations of `items` items, all unknown yet.
    pub fn new(items: usize) -> Self {
        let (first, second) = (vec![0.0; items], vec![0.0; items]);
        Self { first, second, low: vec![f64::NEG_INFINITY; items], high: vec![f64::INFINITY; items] }
    }

    /// Sets the expectation of one item; does nothing if `place` is too large.
    pub fn put(&mut self, place: usize, moments: Moments, bounds: Option<Bounds>) {
        let Bounds { low, high } = bounds.unwrap_or(Bounds::NONE);
        let numbers = [moments.first, moments.second, low, high];
        let columns = [&mut self.first, &mut self.second, &mut self.low, &mut self.high];
        for (column, number) in columns.into_iter().zip(numbers) {
            if let Some(cell) = column.get_mut(place) {
                *cell = number;
            }
        }
    }

    /// Of the first of these items only.
    pub(crate) fn truncate(&mut self, items: usize) {
        [&mut self.first, &mut self.second, &mut self.low, &mut self.high]
            .into_iter()
            .for_each(|column| column.truncate(items));
    }
}

/// Whether a loss can be negative. The interval of a non-negative loss is made on the log scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Never below 0.
    NonNegative,
    /// Of either sign, as a negative log-likelihood.
    Signed,
}

/// Which values the loss of an item can take. A belief that learns from labels judges itself by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcomes {
    /// 0 or 1.
    ZeroOne,
    /// −ln of the probability of the label: a few confident errors can carry the risk.
    LogProbability,
    /// Anything else.
    Other,
}

/// A loss of task `T`.
pub trait Loss<T: Task>: Send + Sync {
    /// The name.
    fn name(&self) -> &'static str;
    /// ℒ(f(x), y).
    fn loss(&self, prediction: T::Prediction<'_>, label: T::Label) -> f64;
    /// Both moments at once: they share the work.
    fn moments(&self, prediction: T::Prediction<'_>, belief: T::Belief<'_>) -> Moments;
    /// The bounds of one item's loss, if it has any.
    fn bounds(&self, prediction: T::Prediction<'_>) -> Option<Bounds>;
    /// Bounds that hold for any item of the population, not only for those of the pool.
    fn range(&self) -> Option<Bounds> {
        None
    }
    /// Moments and bounds of a run of items at once, for losses in which they share work.
    fn expected_losses(&self, predictions: Rows<'_>, beliefs: Rows<'_>, expected: &mut ExpectedLosses) {
        for ((row, belief), place) in predictions.iter().zip(beliefs.iter()).zip(0..) {
            let prediction = T::prediction(row);
            expected.put(place, self.moments(prediction, T::belief(belief)), self.bounds(prediction));
        }
    }
    /// Moments and bounds of eight items, for losses that work on them side by side: one array per class. Says whether they were
    /// put into `expected` from this place on.
    #[doc(hidden)]
    fn expected_eight(
        &self,
        _predictions: &[[f64; 8]],
        _beliefs: &[[f64; 8]],
        _place: usize,
        _expected: &mut ExpectedLosses,
    ) -> bool {
        false
    }
    /// Whether [`expected_losses`](Self::expected_losses) accepts invalid input (NaN, out of range). If so, rows are
    /// checked after the arithmetic and its result is discarded if they are invalid. Memory is then read once, while
    /// there is arithmetic to do.
    fn takes_any_numbers(&self) -> bool {
        false
    }
    /// The loss of every class at once, where labels are classes: says whether `losses` was filled. Differences of losses
    /// look at every class, and one by one they would share no work.
    fn of_every_class(&self, _prediction: T::Prediction<'_>, _losses: &mut Vec<f64>) -> bool {
        false
    }
    /// The same for eight items, for losses that work on them side by side: one array per class, in `losses` too.
    #[doc(hidden)]
    fn of_every_class_of_eight(&self, _predictions: &[[f64; 8]], _losses: &mut [[f64; 8]]) -> bool {
        false
    }
    /// Labels among which the difference between the losses of two predictions is at its least and at its greatest, where
    /// labels are numbers of a known range.
    fn extreme_labels(&self, _one: T::Prediction<'_>, _other: T::Prediction<'_>) -> Option<Vec<T::Label>> {
        None
    }
    /// Which values it can take.
    fn outcomes(&self) -> Outcomes {
        Outcomes::Other
    }
    /// Whether it can be negative; most cannot.
    fn sign(&self) -> Sign {
        Sign::NonNegative
    }
    /// Refuses a pool the loss is not made for.
    fn check(&self, _pool: &Pool<T>) -> Result<()> {
        Ok(())
    }
}

/// Chosen at run time.
impl<T: Task> Loss<T> for Box<dyn Loss<T>> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn loss(&self, prediction: T::Prediction<'_>, label: T::Label) -> f64 {
        (**self).loss(prediction, label)
    }

    fn moments(&self, prediction: T::Prediction<'_>, belief: T::Belief<'_>) -> Moments {
        (**self).moments(prediction, belief)
    }

    fn bounds(&self, prediction: T::Prediction<'_>) -> Option<Bounds> {
        (**self).bounds(prediction)
    }

    fn range(&self) -> Option<Bounds> {
        (**self).range()
    }

    fn expected_losses(&self, predictions: Rows<'_>, beliefs: Rows<'_>, expected: &mut ExpectedLosses) {
        (**self).expected_losses(predictions, beliefs, expected);
    }

    fn expected_eight(
        &self,
        predictions: &[[f64; 8]],
        beliefs: &[[f64; 8]],
        place: usize,
        expected: &mut ExpectedLosses,
    ) -> bool {
        (**self).expected_eight(predictions, beliefs, place, expected)
    }

    fn takes_any_numbers(&self) -> bool {
        (**self).takes_any_numbers()
    }

    fn of_every_class(&self, prediction: T::Prediction<'_>, losses: &mut Vec<f64>) -> bool {
        (**self).of_every_class(prediction, losses)
    }

    fn of_every_class_of_eight(&self, predictions: &[[f64; 8]], losses: &mut [[f64; 8]]) -> bool {
        (**self).of_every_class_of_eight(predictions, losses)
    }

    fn extreme_labels(&self, one: T::Prediction<'_>, other: T::Prediction<'_>) -> Option<Vec<T::Label>> {
        (**self).extreme_labels(one, other)
    }

    fn outcomes(&self) -> Outcomes {
        (**self).outcomes()
    }

    fn sign(&self) -> Sign {
        (**self).sign()
    }

    fn check(&self, pool: &Pool<T>) -> Result<()> {
        (**self).check(pool)
    }
}

/// ℒ(f(x_i), y) of an item, refused if it is not finite or not within the bounds that intervals rely on.
pub fn checked_loss<T: Task>(
    loss: &dyn Loss<T>,
    item: usize,
    prediction: T::Prediction<'_>,
    label: T::Label,
) -> Result<f64> {
    let value = loss.loss(prediction, label);
    if !value.is_finite() {
        return Err(Error::LossNotFinite { item, label: label.to_string(), loss: value });
    }
    let free = match loss.sign() {
        Sign::NonNegative => Bounds { low: 0.0, high: f64::INFINITY },
        Sign::Signed => Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY },
    };
    let Bounds { low, high } = loss.bounds(prediction).unwrap_or(free);
    let low = low.max(free.low);
    let slack = 1e-9 * (1.0 + value.abs());
    if value < low - slack || value > high + slack {
        return Err(Error::LossOutOfBounds { item, label: label.to_string(), loss: value, low, high });
    }
    Ok(value)
}
