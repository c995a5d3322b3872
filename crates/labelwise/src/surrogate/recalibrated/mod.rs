//! π as an average over recalibrations of what was given, weighted by the labels seen.
//!
//! A model that is its own surrogate is as over-confident about its errors as about its predictions. Each label says how
//! far its probabilities can be trusted: [`Recalibrated`] keeps every expert at eight temperatures, and averages them by
//! how well they predicted the labels told so far. The average is a belief like any other.

mod grid;
mod item;

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::mixture::{ComponentSums, Mixture, MixtureSums};
use super::{Beliefs, Change, Observed, Schedule, Surrogate, Updated};
use crate::error::{Error, Result, Table};
use crate::loss::{Loss, Outcomes};
use crate::matrix::{Matrix, Reader};
use crate::numerics::{LOWEST, exponential, ln};
use crate::pool::Pool;
use crate::task::{Classification, Task};
use grid::{CONSTANTS_FROM, Component, Shape};
use item::Item;

/// Items that a thread works on at a time. Sums are taken in blocks of it, so they do not depend on the thread count.
const BLOCK: usize = 4096;

/// Number of items that show the spread of losses, which the prior of each component is divided by.
const SURVEYED: usize = 1 << 16;

/// Share of the squared distance between items in the score; see [`Centred`](crate::acquisition::Centred).
pub(crate) const BETWEEN: f64 = 0.2;

/// Smallest probability of an outcome in a likelihood.
const LEAST: f64 = 1e-6;

/// The Bayesian average over temperatures of one or several experts.
///
/// Experts are the model's own probabilities, other models' predictions, or both; several are joined by their normalised
/// geometric mean. Before labels, ln T is normal about 0.1; the labels told so far decide the rest, when 10, 20, 50, 100,
/// 200, 400, ... of them are in. Cross-entropy adds variants with label noise, zero-one losses add constant error rates.
#[derive(Clone)]
pub struct Recalibrated {
    experts: Vec<Matrix>,
    loss: Arc<dyn Loss<Classification>>,
    components: Vec<Component>,
    /// ln of the prior weights, for the proposal and for the interval.
    log_priors: Vec<[f64; 2]>,
    schedule: Schedule,
    /// Labels at the last refresh, and its beliefs.
    current: Option<(usize, Beliefs<Classification>)>,
}

impl Recalibrated {
    /// From the beliefs of one or several experts about the pool; the loss decides which components there are.
    pub fn new(
        experts: Vec<Beliefs<Classification>>,
        pool: &Pool<Classification>,
        loss: Arc<dyn Loss<Classification>>,
    ) -> Result<Self> {
        let experts: Vec<Matrix> = experts.iter().map(|beliefs| beliefs.rows().clone()).collect();
        if experts.is_empty() {
            return Err(Error::NoMembers);
        }
        for rows in &experts {
            Beliefs::new(rows.clone(), pool)?;
            if !rows.is(pool.predictions()) {
                Classification::check_rows(Table::Beliefs, 0, rows.reader().rows(0..rows.rows()))?;
            }
        }
        let predictions = pool.predictions();
        Classification::check_predictions(0, predictions.reader().rows(0..predictions.rows()))?;
        let (classes, outcomes) = (pool.model_columns(), loss.outcomes());
        let components = grid::components(item::experts(experts.len()), classes, outcomes);
        let mut made = Self {
            experts,
            loss,
            components,
            log_priors: Vec::new(),
            schedule: Schedule::doubling(),
            current: None,
        };
        made.log_priors = made.priors(pool);
        Ok(made)
    }

    /// When the weights follow the labels; at 10, 20, 50, 100, 200, 400, ... labels by default.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// prior / v^t with v = (mean s)²: the average then minimises the expected *relative* variance, and components with
    /// huge losses do not dictate the proposal. t is 1 for the proposal and 1/2 for the interval.
    fn priors(&self, pool: &Pool<Classification>) -> Vec<[f64; 2]> {
        let count = self.components.len();
        let stride = BLOCK * (pool.pool_size() / SURVEYED).max(1);
        let surveyed = self.blocks(pool, stride, |_, item, sums: &mut Vec<f64>| {
            sums.resize(count + 1, 0.0);
            let firsts = self.components.iter().map(|component| item.moments(component).first);
            sums.iter_mut().zip(firsts.chain([1.0])).for_each(|(sum, first)| *sum += first);
        });
        let sums = total(surveyed);
        let items = sums.last().copied().unwrap_or(1.0);
        let means: Vec<f64> = sums.iter().map(|sum| sum / items).collect();
        let spreads = self.blocks(pool, stride, |_, item, sums: &mut Vec<f64>| {
            sums.resize(count, 0.0);
            for ((sum, component), mean) in sums.iter_mut().zip(&self.components).zip(&means) {
                let moments = item.moments(component);
                let within = (moments.second - moments.first * moments.first).max(0.0);
                *sum += (within + BETWEEN * (moments.first - mean).powi(2)).sqrt();
            }
        });
        let spreads = total(spreads);
        let priors = self.components.iter().zip(&spreads);
        priors
            .map(|(component, spread)| {
                let log = ln((spread / items).max(f64::MIN_POSITIVE));
                [log_weight(component.proposal) - 2.0 * log, log_weight(component.interval) - log]
            })
            .collect()
    }

    /// Folds every item of each block of the pool into a value; blocks begin at multiples of `stride`.
    fn blocks<V: Default + Send>(
        &self,
        pool: &Pool<Classification>,
        stride: usize,
        fold: impl Fn(usize, &Item, &mut V) + Sync,
    ) -> Vec<V> {
        let size = pool.pool_size();
        let starts: Vec<usize> = (0..size).step_by(stride).collect();
        let of_block = |start: usize| {
            let mut value = V::default();
            let mut rows = ExpertRows::new(&self.experts, pool);
            for index in start..size.min(start + BLOCK) {
                rows.read(index, &*self.loss);
                fold(index, &rows.item, &mut value);
            }
            value
        };
        starts.into_par_iter().map(of_block).collect()
    }

    /// Σ ln-likelihood of the labels under each component. Selection depends on x and on earlier labels only, so labels
    /// count alike however they were drawn.
    fn log_likelihoods(&self, observed: Observed<'_, Classification>) -> Vec<f64> {
        let mut sums = vec![0.0; self.components.len()];
        let mut rows = ExpertRows::new(&self.experts, observed.pool);
        let zero_one = self.loss.outcomes() == Outcomes::ZeroOne;
        for &(index, label) in observed.labels {
            rows.read(index, &*self.loss);
            let wrong = zero_one && rows.loss_of(label, &*self.loss) > 0.5;
            for (sum, component) in sums.iter_mut().zip(&self.components) {
                *sum += if zero_one {
                    let rate = rows.item.moments(component).first.clamp(LEAST, 1.0 - LEAST);
                    ln(if wrong { rate } else { 1.0 - rate })
                } else {
                    ln(rows.item.probability(component, label) + 1e-12)
                };
            }
        }
        sums
    }

    /// Posterior weights for the proposal (0) or for the interval (1).
    fn posterior<const PURPOSE: usize>(&self, observed: Observed<'_, Classification>) -> Vec<f64> {
        let early = PURPOSE == 0 && observed.labels.len() < CONSTANTS_FROM;
        let likelihoods = self.log_likelihoods(observed);
        let parts = self.components.iter().zip(&self.log_priors).zip(likelihoods);
        let logs = parts.map(|((component, prior), likelihood)| {
            let late = early && matches!(component.shape, Shape::Constant(_));
            let prior = prior.get(PURPOSE).copied().unwrap_or(f64::NEG_INFINITY);
            if late { f64::NEG_INFINITY } else { prior + likelihood }
        });
        normalised(logs.collect())
    }

    fn averaged(&self, pool: &Pool<Classification>, weights: &[f64]) -> Result<Beliefs<Classification>> {
        let classes = pool.model_columns();
        let mut values = vec![0.0; pool.pool_size() * classes];
        values.par_chunks_mut(BLOCK * classes).enumerate().for_each(|(block, values)| {
            let mut rows = ExpertRows::new(&self.experts, pool);
            for (offset, row) in values.chunks_exact_mut(classes).enumerate() {
                rows.read(block * BLOCK + offset, &*self.loss);
                rows.item.average(&self.components, weights, row);
            }
        });
        Beliefs::new(Matrix::f64(values, classes)?, pool)
    }
}

impl Surrogate<Classification> for Recalibrated {
    fn update(
        &mut self,
        observed: Observed<'_, Classification>,
        _rng: &mut ChaCha8Rng,
    ) -> Result<Updated<'_, Classification>> {
        let now = observed.labels.len();
        let due = self.current.as_ref().is_none_or(|(last, _)| self.schedule.due(*last, now));
        let (change, current) = match self.current.take() {
            Some(current) if !due => (Change::Unchanged, current),
            _ => {
                let weights = self.posterior::<0>(observed);
                (Change::Refitted, (now, self.averaged(observed.pool, &weights)?))
            }
        };
        Ok(Updated { beliefs: &self.current.insert(current).1, change })
    }

    fn mixture(&self) -> Option<&dyn Mixture<Classification>> {
        Some(self)
    }
}

impl Mixture<Classification> for Recalibrated {
    fn sums(&self, pool: &Pool<Classification>, open: &[bool], weights: &[f64]) -> Result<MixtureSums> {
        let count = self.components.len();
        let Some((_, beliefs)) = &self.current else {
            return Ok(MixtureSums::default());
        };
        let empty =
            || MixtureSums { components: vec![ComponentSums::default(); count], ..Default::default() };
        let blocks = self.blocks(pool, BLOCK, |index, item, sums: &mut Option<MixtureSums>| {
            let (Some(true), Some(&weight)) = (open.get(index), weights.get(index)) else {
                return;
            };
            let sums = sums.get_or_insert_with(empty);
            let control = item.expected_under(beliefs.rows().reader().row(index));
            sums.mass += weight;
            sums.control += control;
            sums.control_square += control * control / weight;
            for (sum, component) in sums.components.iter_mut().zip(&self.components) {
                let moments = item.moments(component);
                sum.first += moments.first;
                sum.second += moments.second / weight;
                sum.cross += control * moments.first / weight;
            }
        });
        let mut sums = empty();
        blocks.iter().flatten().for_each(|block| sums.add(block));
        Ok(sums)
    }

    fn interval_weights(&self, observed: Observed<'_, Classification>) -> Result<Vec<f64>> {
        Ok(self.posterior::<1>(observed))
    }

    fn expected(&self, pool: &Pool<Classification>, items: &[usize], weights: &[f64]) -> Result<f64> {
        let mut rows = ExpertRows::new(&self.experts, pool);
        let mut sum = 0.0;
        for &index in items {
            rows.read(index, &*self.loss);
            let moments = self.components.iter().map(|component| rows.item.moments(component).first);
            sum += moments.zip(weights).map(|(first, weight)| first * weight).sum::<f64>();
        }
        Ok(sum)
    }
}

impl std::fmt::Debug for Recalibrated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Recalibrated");
        debug.field("experts", &self.experts).field("components", &self.components.len());
        debug.field("schedule", &self.schedule).finish_non_exhaustive()
    }
}

/// Reads the rows of one item from every expert.
struct ExpertRows<'a> {
    experts: Vec<Reader<'a>>,
    predictions: Reader<'a>,
    item: Item,
    prediction: Vec<f64>,
}

impl<'a> ExpertRows<'a> {
    fn new(experts: &'a [Matrix], pool: &'a Pool<Classification>) -> Self {
        let classes = pool.model_columns();
        Self {
            experts: experts.iter().map(Matrix::reader).collect(),
            predictions: pool.predictions().reader(),
            item: Item::new(experts.len(), classes),
            prediction: Vec::with_capacity(classes),
        }
    }

    fn read(&mut self, index: usize, loss: &dyn Loss<Classification>) {
        self.item.temper(self.experts.iter_mut().map(|reader| reader.row(index)));
        self.prediction.clear();
        self.prediction.extend_from_slice(self.predictions.row(index));
        self.item.expect(loss, &self.prediction);
    }

    fn loss_of(&self, label: usize, loss: &dyn Loss<Classification>) -> f64 {
        loss.loss(&self.prediction, label)
    }
}

/// Sums of columns over the blocks, in their order.
fn total(blocks: Vec<Vec<f64>>) -> Vec<f64> {
    let mut blocks = blocks.into_iter();
    let mut sums = blocks.next().unwrap_or_default();
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, part)| *sum += part);
    }
    sums
}

fn log_weight(weight: f64) -> f64 {
    if weight > 0.0 { ln(weight) } else { f64::NEG_INFINITY }
}

/// e^log, divided by the sum.
fn normalised(logs: Vec<f64>) -> Vec<f64> {
    let top = logs.iter().fold(f64::NEG_INFINITY, |top, log| top.max(*log));
    let weight = |log: f64| if log - top < LOWEST { 0.0 } else { exponential(log - top) };
    let weights: Vec<f64> = logs.into_iter().map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}
