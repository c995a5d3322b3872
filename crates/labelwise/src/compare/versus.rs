//! The difference between the losses of two models, which is a loss itself: so everything there is for losses, there is
//! for differences.

use std::sync::Arc;

use rayon::prelude::*;

use super::rivals::{ExpectedDifference, Pair, Rival, Rivals, Scratch};
use crate::acquisition::{Acquisition, Candidates};
use crate::error::{CompareError, Result};
use crate::loss::{Bounds, ExpectedLosses, Loss, Moments, Sign};
use crate::matrix::Rows;
use crate::pool::Pool;

/// The loss of one model minus that of another: below 0 where the first is better. Or the loss of one model alone.
///
/// ```
/// use labelwise::compare::Versus;
/// use labelwise::loss::{Loss, ZeroOne};
/// // Two models of two classes: the first says class 0, the other class 1.
/// let versus = Versus::between(ZeroOne, 2, 0, 1);
/// assert_eq!(versus.loss(&[0.9, 0.1, 0.4, 0.6], 0), -1.0);
/// assert_eq!(versus.loss(&[0.9, 0.1, 0.4, 0.6], 1), 1.0);
/// ```
pub struct Versus<T: Rival> {
    loss: Arc<dyn Loss<T>>,
    /// Columns of one model.
    columns: usize,
    one: usize,
    other: Option<usize>,
}

impl<T: Rival> Versus<T> {
    /// The loss of model `one` minus that of model `other`, of models with `columns` columns each.
    pub fn between(loss: impl Loss<T> + 'static, columns: usize, one: usize, other: usize) -> Self {
        Self { loss: Arc::new(loss), columns, one, other: Some(other) }
    }

    /// The loss of one model alone.
    pub fn alone(loss: impl Loss<T> + 'static, columns: usize, one: usize) -> Self {
        Self { loss: Arc::new(loss), columns, one, other: None }
    }

    /// The same loss of another pair.
    pub fn of(&self, one: usize, other: Option<usize>) -> Self {
        Self { loss: Arc::clone(&self.loss), columns: self.columns, one, other }
    }

    fn row<'a>(&self, rows: &'a [f64], model: usize) -> &'a [f64] {
        rows.get(model * self.columns..(model + 1) * self.columns).unwrap_or_default()
    }

    fn pair<'a>(&self, rows: &'a [f64]) -> Pair<'a> {
        Pair { one: self.row(rows, self.one), other: self.other.map(|other| self.row(rows, other)) }
    }

    pub(super) fn expected_difference(
        &self,
        row: &[f64],
        belief: T::Belief<'_>,
        scratch: &mut Scratch,
    ) -> ExpectedDifference {
        T::expected_difference(&*self.loss, self.pair(row), belief, scratch)
    }

    pub(super) fn bounds_of(&self, row: &[f64], scratch: &mut Scratch) -> Option<Bounds> {
        T::bounds(&*self.loss, self.pair(row), scratch)
    }
}

impl<T: Rival> Clone for Versus<T> {
    fn clone(&self) -> Self {
        self.of(self.one, self.other)
    }
}

impl<T: Rival> std::fmt::Debug for Versus<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Versus");
        debug.field("loss", &self.loss.name()).field("one", &self.one).field("other", &self.other).finish()
    }
}

impl<T: Rival> Loss<Rivals<T>> for Versus<T> {
    fn name(&self) -> &'static str {
        self.loss.name()
    }

    fn loss(&self, prediction: &[f64], label: T::Label) -> f64 {
        let Pair { one, other } = self.pair(prediction);
        let loss = |row| self.loss.loss(T::prediction(row), label);
        if other == Some(one) { 0.0 } else { loss(one) - other.map_or(0.0, loss) }
    }

    fn moments(&self, prediction: &[f64], belief: T::Belief<'_>) -> Moments {
        self.expected_difference(prediction, belief, &mut Scratch::default()).moments
    }

    fn bounds(&self, prediction: &[f64]) -> Option<Bounds> {
        self.bounds_of(prediction, &mut Scratch::default())
    }

    fn range(&self) -> Option<Bounds> {
        let Bounds { low, high } = self.loss.range()?;
        Some(match self.other {
            Some(_) => Bounds { low: low - high, high: high - low },
            None => Bounds { low, high },
        })
    }

    fn expected_losses(&self, predictions: Rows<'_>, beliefs: Rows<'_>, expected: &mut ExpectedLosses) {
        let mut scratch = Scratch::default();
        for ((row, belief), place) in predictions.iter().zip(beliefs.iter()).zip(0..) {
            let ExpectedDifference { moments, bounds } =
                self.expected_difference(row, T::belief(belief), &mut scratch);
            expected.put(place, moments, bounds);
        }
    }

    fn sign(&self) -> Sign {
        match self.other {
            Some(_) => Sign::Signed,
            None => self.loss.sign(),
        }
    }

    fn check(&self, pool: &Pool<Rivals<T>>) -> Result<()> {
        let models = pool.models();
        for model in [Some(self.one), self.other].into_iter().flatten() {
            if model >= models || self.columns != pool.model_columns() {
                return Err(CompareError::NoSuchModel { model, models }.into());
            }
            self.loss
                .check(&pool.model(model)?)
                .map_err(|error| CompareError::Model { model, error: Box::new(error) })?;
        }
        Ok(())
    }
}

/// How the items are scored on which several models are compared: √Σ E[(ℒ_j − ℒ_k)²] over all pairs, or over the pairs
/// with a baseline. With two models it is the root mean square of their difference.
///
/// The leader is not known in advance, and a proposal made for a wrong leader would serve the pairs with the right one
/// badly; all pairs together serve each.
#[derive(Debug, Clone)]
pub struct Contest<T: Rival> {
    pairs: Vec<Versus<T>>,
}

impl<T: Rival> Contest<T> {
    /// Between all pairs of the models, or between each of them and the baseline.
    pub fn new(versus: &Versus<T>, models: usize, baseline: Option<usize>) -> Self {
        Self { pairs: pairs(models, baseline).map(|(one, other)| versus.of(one, Some(other))).collect() }
    }
}

impl<T: Rival> Acquisition<Rivals<T>> for Contest<T> {
    fn name(&self) -> &'static str {
        "root mean square of differences"
    }

    fn needs_expectation(&self) -> bool {
        false
    }

    fn scores(&mut self, candidates: Candidates<'_, Rivals<T>>) -> Result<Vec<f64>> {
        let (pool, beliefs, open) = (candidates.pool, candidates.beliefs.rows(), candidates.open);
        let mut scores = candidates.second;
        let ready = || (pool.predictions().reader(), beliefs.reader(), Scratch::default());
        scores.par_iter_mut().zip(open).enumerate().with_min_len(4096).for_each_init(
            ready,
            |(predictions, beliefs, scratch), (item, (score, open))| {
                let (row, belief) = (predictions.row(item), beliefs.row(item));
                let second = |versus: &Versus<T>| {
                    versus.expected_difference(row, T::belief(belief), scratch).moments.second
                };
                *score = if *open { self.pairs.iter().map(second).sum::<f64>().max(0.0).sqrt() } else { 0.0 };
            },
        );
        Ok(scores)
    }
}

/// Every pair of models once, or the pairs with a baseline, which then comes second.
pub(super) fn pairs(models: usize, baseline: Option<usize>) -> impl Iterator<Item = (usize, usize)> {
    let all = (0..models).flat_map(move |one| (one + 1..models).map(move |other| (one, other)));
    let with = baseline.into_iter().flat_map(move |baseline| (0..models).map(move |one| (one, baseline)));
    let all = all.filter(move |_| baseline.is_none());
    all.chain(with.filter(|(one, baseline)| one != baseline))
}

/// The items on which the models cannot differ, whatever the label: by the zero-one loss those on which they agree, by any
/// loss those on which they say the same. Their differences are known to be 0 without a label.
pub fn ties<T: Rival>(pool: &Pool<Rivals<T>>, loss: &Versus<T>) -> Vec<usize> {
    // If everybody ties with the first, everybody ties with everybody.
    let versus: Vec<Versus<T>> = (1..pool.models()).map(|other| loss.of(0, Some(other))).collect();
    let (mut reader, mut scratch) = (pool.predictions().reader(), Scratch::default());
    let mut tied = |item: &usize| {
        let row = reader.row(*item);
        let nothing = |bounds: Bounds| bounds.low == 0.0 && bounds.high == 0.0;
        versus.iter().all(|versus| versus.bounds_of(row, &mut scratch).is_some_and(nothing))
    };
    (0..pool.pool_size()).filter(|item| tied(item)).collect()
}
