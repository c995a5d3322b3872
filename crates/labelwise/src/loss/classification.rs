//! Losses of class probabilities. Their moments are sums over the classes, E(ℒᵏ) = Σ_y π_y ℒ(f, y)ᵏ.

use crate::error::Table;
use std::hint::select_unpredictable;

use super::{Bounds, ExpectedLosses, Loss, Moments, Outcomes, Sign};
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Rows};
use crate::numerics::{
    Eight, LANES, Lanes, SideBySide, Wide, eight_at, expected_losses, moments, one_by_one, widely,
};
use crate::pool::Pool;
use crate::task::Classification;

/// 1 if the most probable class (the first of equals) is not the label: one minus accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ZeroOne;

impl Loss<Classification> for ZeroOne {
    fn name(&self) -> &'static str {
        "zero-one loss"
    }

    fn loss(&self, prediction: &[f64], label: usize) -> f64 {
        if most_probable(prediction) == label { 0.0 } else { 1.0 }
    }

    /// Eq. (14): the surrogate's probability of any other class. The loss is its own square, and so are its moments.
    fn moments(&self, prediction: &[f64], belief: &[f64]) -> Moments {
        let right = belief.get(most_probable(prediction)).copied().unwrap_or(f64::NAN);
        let wrong = (belief.iter().sum::<f64>() - right).max(0.0);
        Moments { first: wrong, second: wrong }
    }

    fn bounds(&self, _prediction: &[f64]) -> Option<Bounds> {
        self.range()
    }

    fn of_every_class(&self, prediction: &[f64], losses: &mut Vec<f64>) -> bool {
        let chosen = most_probable(prediction);
        losses.clear();
        losses.extend((0..prediction.len()).map(|label| if label == chosen { 0.0 } else { 1.0 }));
        true
    }

    fn of_every_class_of_eight(&self, predictions: &[Lanes], losses: &mut [Lanes]) -> bool {
        widely(Misses { predictions, losses });
        true
    }

    fn range(&self) -> Option<Bounds> {
        Some(Bounds { low: 0.0, high: 1.0 })
    }

    fn outcomes(&self) -> Outcomes {
        Outcomes::ZeroOne
    }

    fn takes_any_numbers(&self) -> bool {
        true
    }

    fn expected_losses(&self, predictions: Rows<'_>, beliefs: Rows<'_>, into: &mut ExpectedLosses) {
        expected_losses(self, predictions, beliefs, into);
    }

    fn expected_eight(
        &self,
        predictions: &[Lanes],
        beliefs: &[Lanes],
        place: usize,
        into: &mut ExpectedLosses,
    ) -> bool {
        eight_at(self, predictions, beliefs, place, into);
        true
    }
}

impl SideBySide for ZeroOne {
    #[inline(always)]
    #[allow(
        clippy::indexing_slicing,
        clippy::needless_range_loop,
        reason = "a kernel: every index is a lane or a class"
    )]
    fn eight(&self, predictions: &[Lanes], beliefs: &[Lanes]) -> Eight {
        let (mut best, mut right, mut mass) = ([f64::NEG_INFINITY; LANES], [0.0; LANES], [0.0; LANES]);
        for class in one_by_one(predictions.len()) {
            let (p, pi) = (predictions[class], beliefs[class]);
            for lane in 0..LANES {
                let (p, pi) = (p[lane], pi[lane]);
                mass[lane] += pi;
                right[lane] = select_unpredictable(p > best[lane], pi, right[lane]);
                best[lane] = select_unpredictable(p > best[lane], p, best[lane]);
            }
        }
        let wrong = std::array::from_fn(|lane| (mass[lane] - right[lane]).max(0.0));
        Eight { first: wrong, second: wrong, low: [0.0; LANES], high: [1.0; LANES] }
    }
}

/// Zero-one losses of every class of eight items.
struct Misses<'a> {
    predictions: &'a [Lanes],
    losses: &'a mut [Lanes],
}

impl Wide for Misses<'_> {
    #[inline(always)]
    #[allow(
        clippy::indexing_slicing,
        clippy::needless_range_loop,
        reason = "a kernel: every index is a lane or a class"
    )]
    fn run(self) {
        let Self { predictions, losses } = self;
        let (mut best, mut chosen) = ([f64::NEG_INFINITY; LANES], [0.0; LANES]);
        for class in one_by_one(predictions.len()) {
            let (p, label) = (predictions[class], class as f64);
            for lane in 0..LANES {
                chosen[lane] = select_unpredictable(p[lane] > best[lane], label, chosen[lane]);
                best[lane] = select_unpredictable(p[lane] > best[lane], p[lane], best[lane]);
            }
        }
        for class in one_by_one(losses.len()) {
            let (label, mut found) = (class as f64, [0.0; LANES]);
            for lane in 0..LANES {
                found[lane] = select_unpredictable(chosen[lane] == label, 0.0, 1.0);
            }
            losses[class] = found;
        }
    }
}

/// Σ_k (f(x)_k − 1[k = y])², between 0 and 2: the sum over all classes, which for two classes is twice the square of
/// one probability's error.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Brier;

impl Loss<Classification> for Brier {
    fn name(&self) -> &'static str {
        "Brier score"
    }

    fn loss(&self, prediction: &[f64], label: usize) -> f64 {
        prediction.iter().enumerate().map(|(k, p)| if k == label { (p - 1.0).powi(2) } else { p * p }).sum()
    }

    fn moments(&self, prediction: &[f64], belief: &[f64]) -> Moments {
        moments(self, prediction, belief)
    }

    fn bounds(&self, prediction: &[f64]) -> Option<Bounds> {
        let squares: f64 = prediction.iter().map(|p| p * p).sum();
        let (least, most) = extremes(prediction.iter().copied());
        Some(Bounds { low: (squares - 2.0 * most + 1.0).max(0.0), high: squares - 2.0 * least + 1.0 })
    }

    fn range(&self) -> Option<Bounds> {
        Some(Bounds { low: 0.0, high: 2.0 + 1e-2 })
    }

    fn of_every_class(&self, prediction: &[f64], losses: &mut Vec<f64>) -> bool {
        let squares: f64 = prediction.iter().map(|p| p * p).sum();
        losses.clear();
        losses.extend(prediction.iter().map(|p| squares - p * p + (p - 1.0).powi(2)));
        true
    }

    fn takes_any_numbers(&self) -> bool {
        true
    }

    fn expected_losses(&self, predictions: Rows<'_>, beliefs: Rows<'_>, into: &mut ExpectedLosses) {
        expected_losses(self, predictions, beliefs, into);
    }

    fn expected_eight(
        &self,
        predictions: &[Lanes],
        beliefs: &[Lanes],
        place: usize,
        into: &mut ExpectedLosses,
    ) -> bool {
        eight_at(self, predictions, beliefs, place, into);
        true
    }
}

impl SideBySide for Brier {
    #[inline(always)]
    #[allow(
        clippy::indexing_slicing,
        clippy::needless_range_loop,
        reason = "a kernel: every index is a lane or a class"
    )]
    fn eight(&self, predictions: &[Lanes], beliefs: &[Lanes]) -> Eight {
        let (mut squares, mut mass) = ([0.0; LANES], [0.0; LANES]);
        let (mut mean, mut square_mean) = ([0.0; LANES], [0.0; LANES]);
        let (mut least, mut most) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for class in one_by_one(predictions.len()) {
            let (p, pi) = (predictions[class], beliefs[class]);
            for lane in 0..LANES {
                let (p, pi) = (p[lane], pi[lane]);
                let part = pi * p;
                squares[lane] += p * p;
                mass[lane] += pi;
                mean[lane] += part;
                square_mean[lane] += part * p;
                least[lane] = select_unpredictable(p < least[lane], p, least[lane]);
                most[lane] = select_unpredictable(p > most[lane], p, most[lane]);
            }
        }
        // The loss of class y is a − 2 p_y, with the same a for all.
        let a: Lanes = std::array::from_fn(|lane| squares[lane] + 1.0);
        let first = std::array::from_fn(|lane| (mass[lane] * a[lane] - 2.0 * mean[lane]).max(0.0));
        let second = std::array::from_fn(|lane| {
            (a[lane] * (mass[lane] * a[lane] - 4.0 * mean[lane]) + 4.0 * square_mean[lane]).max(0.0)
        });
        let low = std::array::from_fn(|lane| (squares[lane] - 2.0 * most[lane] + 1.0).max(0.0));
        let high = std::array::from_fn(|lane| squares[lane] - 2.0 * least[lane] + 1.0);
        Eight { first, second, low, high }
    }
}

/// Σ_y π_y ℒ_y and Σ_y π_y ℒ_y² for a loss that depends on f(x)_y.
fn over_classes(prediction: &[f64], belief: &[f64], loss: impl Fn(f64) -> f64) -> Moments {
    let (mut first, mut second) = (0.0, 0.0);
    for (&probability, &pi) in prediction.iter().zip(belief) {
        let loss = loss(probability);
        first += pi * loss;
        second += pi * loss * loss;
    }
    Moments { first, second }
}

/// What it costs to decide for one class when the label is another. The decision is the most probable class.
#[derive(Debug, Clone)]
pub struct CostMatrix {
    costs: Vec<f64>,
    classes: usize,
}

impl CostMatrix {
    /// One row per decision, one column per label.
    ///
    /// ```
    /// use labelwise::loss::{CostMatrix, Loss};
    /// use labelwise::Matrix;
    /// // Missing an illness (class 1) costs ten times a false alarm.
    /// let costs = CostMatrix::new(&Matrix::f64(vec![0.0, 10.0, 1.0, 0.0], 2)?)?;
    /// assert_eq!(costs.loss(&[0.8, 0.2], 1), 10.0);
    /// # Ok::<(), labelwise::Error>(())
    /// ```
    pub fn new(costs: &Matrix) -> Result<Self> {
        let classes = costs.columns();
        if costs.rows() != classes {
            return Err(Error::CostShape { rows: costs.rows(), columns: classes });
        }
        crate::task::check_finite(Table::Other("the cost matrix"), costs)?;
        let mut reader = costs.reader();
        Ok(Self { costs: (0..classes).flat_map(|row| reader.row(row).to_vec()).collect(), classes })
    }

    /// The costs of the decision for this prediction, one per label.
    fn decided(&self, prediction: &[f64]) -> &[f64] {
        let start = most_probable(prediction) * self.classes;
        self.costs.get(start..start + self.classes).unwrap_or_default()
    }
}

impl Loss<Classification> for CostMatrix {
    fn name(&self) -> &'static str {
        "cost"
    }

    fn loss(&self, prediction: &[f64], label: usize) -> f64 {
        self.decided(prediction).get(label).copied().unwrap_or(f64::NAN)
    }

    fn moments(&self, prediction: &[f64], belief: &[f64]) -> Moments {
        over_classes(self.decided(prediction), belief, |cost| cost)
    }

    fn bounds(&self, prediction: &[f64]) -> Option<Bounds> {
        let (low, high) = extremes(self.decided(prediction).iter().copied());
        Some(Bounds { low, high })
    }

    fn range(&self) -> Option<Bounds> {
        let (low, high) = extremes(self.costs.iter().copied());
        Some(Bounds { low, high })
    }

    fn of_every_class(&self, prediction: &[f64], losses: &mut Vec<f64>) -> bool {
        losses.clear();
        losses.extend_from_slice(self.decided(prediction));
        true
    }

    fn sign(&self) -> Sign {
        if self.costs.iter().any(|&cost| cost < 0.0) { Sign::Signed } else { Sign::NonNegative }
    }

    fn check(&self, pool: &Pool<Classification>) -> Result<()> {
        if pool.predictions().columns() == self.classes {
            return Ok(());
        }
        let expected = format!("{} (one per class of the predictions)", pool.predictions().columns());
        Err(Error::Columns { what: Table::Other("the cost matrix"), columns: self.classes, expected })
    }
}

/// y*(x): the first class of the largest probability.
pub fn most_probable(prediction: &[f64]) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (class, &probability) in prediction.iter().enumerate() {
        if probability > best.1 {
            best = (class, probability);
        }
    }
    best.0
}

/// The smallest and the largest.
pub(crate) fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}
