//! Gaussian beliefs about numbers whose expectation of squared errors follows the residuals seen.
//!
//! The variances of a surrogate rank items, but their size and their tails are rarely right: a few large errors can carry
//! the risk, and a run that has not met one yet underestimates its variance. [`Residuals`] draws by the beliefs as they are,
//! and lets the interval expect residuals like those seen and one more, whose square is twice the largest.

use rand_chacha::ChaCha8Rng;

use super::mixture::{ComponentSums, FittedSums, Mixture, MixtureSums};
use super::{Beliefs, Change, Observed, Surrogate, Updated};
use crate::error::Result;
use crate::ledger::{BeliefExpectation, Draw};
use crate::loss::Loss;
use crate::pool::Pool;
use crate::task::{GaussianBelief, Regression, Task};

/// This share of the mean variance is added to every variance: none is taken for zero.
const OFFSET: f64 = 0.02;

/// The square of the residual that is expected though it was not seen, over the largest square seen.
const UNSEEN: f64 = 2.0;

/// Beliefs that stay as they are, with intervals for the squared error that follow the residuals.
///
/// Given d = f − μ and the variance v of an item, squared errors are expected to be d² + k₂√v, and their squares
/// d⁴ + 6 k₂ d²√v + k₄ v. k₂ and k₄ are means of (y − μ)²/√v and of its square over the labels seen. Large errors grow less
/// than in proportion to v, hence its root.
#[derive(Debug, Clone)]
pub struct Residuals {
    beliefs: Beliefs<Regression>,
    offset: f64,
}

impl Residuals {
    /// Of these beliefs. Where no item has a variance, intervals are those of the beliefs as given.
    pub fn new(beliefs: Beliefs<Regression>) -> Self {
        let rows = beliefs.rows();
        let mut reader = rows.reader();
        let variances = (0..rows.rows()).map(|item| Regression::belief(reader.row(item)).variance);
        let mean = variances.sum::<f64>() / (rows.rows() as f64).max(1.0);
        let offset = if mean.is_finite() && mean > 0.0 { OFFSET * mean } else { 0.0 };
        Self { beliefs, offset }
    }
}

/// What the labels told so far say of the size of residuals.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Seen {
    offset: f64,
    labels: f64,
    sum: f64,
    squares: f64,
    most: f64,
}

impl Seen {
    /// Before the first label; `offset` is that of [`FittedSums`].
    pub fn new(offset: f64) -> Self {
        Self { offset, ..Self::default() }
    }

    /// One more label of an item, and the belief about it.
    pub fn tell(&mut self, belief: GaussianBelief, label: f64) {
        let size = (label - belief.mean).powi(2) / (belief.variance + self.offset).sqrt();
        self.labels += 1.0;
        self.sum += size;
        self.squares += size * size;
        self.most = self.most.max(size);
    }

    /// The weights of the components: 1, k₂ and k₄.
    pub fn weights(&self) -> Vec<f64> {
        let mean = |sum: f64| sum / (self.labels + 1.0);
        vec![1.0, mean(self.sum + self.most), mean(self.squares + (UNSEEN * self.most).powi(2))]
    }

    /// The squared error that is expected of an item.
    pub fn expected(&self, predicted: f64, belief: GaussianBelief, weights: &[f64]) -> f64 {
        let parts = parts(predicted, belief, self.offset);
        parts.iter().zip(weights).map(|([first, _], weight)| first * weight).sum()
    }
}

/// First and second moments of the squared error by component, to be multiplied by 1, k₂ and k₄.
fn parts(predicted: f64, belief: GaussianBelief, offset: f64) -> [[f64; 2]; 3] {
    let distance = (predicted - belief.mean).powi(2);
    let variance = belief.variance + offset;
    let root = variance.sqrt();
    [[distance, distance * distance], [root, 6.0 * distance * root], [0.0, variance]]
}

impl Surrogate<Regression> for Residuals {
    fn update(
        &mut self,
        _observed: Observed<'_, Regression>,
        _rng: &mut ChaCha8Rng,
    ) -> Result<Updated<'_, Regression>> {
        Ok(Updated { beliefs: &self.beliefs, change: Change::Unchanged })
    }

    fn mixture(&self) -> Option<&dyn Mixture<Regression>> {
        (self.offset > 0.0).then_some(self)
    }
}

impl Mixture<Regression> for Residuals {
    fn sums(&self, pool: &Pool<Regression>, open: &[bool], weights: &[f64]) -> Result<MixtureSums> {
        let (mut predictions, mut rows) = (pool.predictions().reader(), self.beliefs.rows().reader());
        let mut found =
            MixtureSums { components: vec![ComponentSums::default(); 3], ..MixtureSums::default() };
        let mut fitted = FittedSums { firsts: vec![0.0; 3], offset: self.offset, ..FittedSums::default() };
        for (item, (open, &weight)) in open.iter().zip(weights).enumerate() {
            if !open {
                continue;
            }
            let predicted = Regression::prediction(predictions.row(item)).mean;
            let belief = Regression::belief(rows.row(item));
            // The control in force knows nothing of residuals.
            let control = (predicted - belief.mean).powi(2) + belief.variance;
            found.items += 1;
            found.mass += weight;
            found.control += control;
            found.control_square += control * control / weight;
            fitted.inverse += 1.0 / weight;
            fitted.control += control / weight;
            let parts = parts(predicted, belief, self.offset);
            for ((sums, of_fitted), [first, second]) in
                found.components.iter_mut().zip(&mut fitted.firsts).zip(parts)
            {
                sums.first += first;
                sums.second += second / weight;
                sums.cross += control * first / weight;
                sums.square += second;
                *of_fitted += first / weight;
            }
        }
        found.fitted = Some(fitted);
        Ok(found)
    }

    fn interval_weights(&self, observed: Observed<'_, Regression>) -> Result<Vec<f64>> {
        Ok(self.seen(observed).weights())
    }

    fn expected(&self, pool: &Pool<Regression>, items: &[usize], weights: &[f64]) -> Result<f64> {
        let (mut predictions, mut rows) = (pool.predictions().reader(), self.beliefs.rows().reader());
        let seen = Seen::new(self.offset);
        let mut of = |&item: &usize| {
            let predicted = Regression::prediction(predictions.row(item)).mean;
            seen.expected(predicted, Regression::belief(rows.row(item)), weights)
        };
        Ok(items.iter().map(&mut of).sum())
    }

    fn expectation(
        &self,
        observed: Observed<'_, Regression>,
        refreshes: &[MixtureSums],
        draws: &[Draw],
        loss: &dyn Loss<Regression>,
    ) -> Result<Option<BeliefExpectation>> {
        // Without a residual there is nothing to expect.
        if observed.labels.is_empty() {
            return Ok(None);
        }
        let weights = self.interval_weights(observed)?;
        let expected = |since: &[Draw]| {
            let items: Vec<usize> = since.iter().map(|draw| draw.index).collect();
            self.expected(observed.pool, &items, &weights)
        };
        BeliefExpectation::new(refreshes, draws, &weights, loss.outcomes(), expected)
    }
}

impl Residuals {
    fn seen(&self, observed: Observed<'_, Regression>) -> Seen {
        let mut rows = self.beliefs.rows().reader();
        let mut seen = Seen::new(self.offset);
        for &(item, label) in observed.labels {
            seen.tell(Regression::belief(rows.row(item)), label);
        }
        seen
    }
}
