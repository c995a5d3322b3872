//! π as an average over recalibrations of what was given, weighted by the labels seen.
//!
//! A model that is its own surrogate is as over-confident about its errors as about its predictions. Each label says how
//! far its probabilities can be trusted: [`Recalibrated`] keeps every expert at eight temperatures, and averages them by
//! how well they predicted the labels told so far. The average is a belief like any other.

mod grid;
mod item;
mod recalibration;

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::mixture::{ComponentSums, Mixture, MixtureSums};
use super::{Beliefs, Change, Observed, Schedule, Surrogate, Updated};
use crate::error::{Error, Result, Table};
use crate::loss::{Loss, Outcomes};
use crate::matrix::{Matrix, Reader};
use crate::numerics::ln;
use crate::pool::Pool;
use crate::task::{Classification, Task};
pub use grid::Origin;
use item::Item;
use recalibration::ItemRow;
pub use recalibration::{Posterior, Recalibration};

/// Items that a thread works on at a time. Sums are taken in blocks of it, so they do not depend on the thread count.
const BLOCK: usize = 4096;

/// The prior of each component is divided by the spread of its losses; this many items are enough to know it.
const SURVEYED: usize = 1 << 16;

/// Share of the squared distance between items in the score; see [`Centred`](crate::acquisition::Centred).
pub(crate) const BETWEEN: f64 = 0.2;

/// Largest share of the score that the probabilities have as they were given; see [`Beliefs::as_given`].
const RAW_SHARE: f64 = 0.5;

/// The Bayesian average over temperatures of one or several experts.
///
/// Experts are the model's own probabilities, other models' predictions, or both; several are joined by their normalised
/// geometric mean. Before labels, ln T is normal about 0.1; the labels told so far decide the rest, when 10, 20, 50, 100,
/// 200, 400, ... of them are in. Cross-entropy adds variants with label noise, zero-one losses add constant error rates.
#[derive(Clone)]
pub struct Recalibrated {
    experts: Vec<Matrix>,
    loss: Arc<dyn Loss<Classification>>,
    recalibration: Recalibration,
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
        Self::with_origin(experts, pool, loss, Origin::Classes)
    }

    /// The same for probabilities that come from somewhere else than a classifier.
    pub fn with_origin(
        experts: Vec<Beliefs<Classification>>,
        pool: &Pool<Classification>,
        loss: Arc<dyn Loss<Classification>>,
        origin: Origin,
    ) -> Result<Self> {
        let recalibration = Recalibration::new(experts.len(), pool.model_columns(), loss.outcomes(), origin);
        let mut made = Self::resumed(experts, pool, loss, recalibration)?;
        made.recalibration.log_priors = made.priors(pool);
        Ok(made)
    }

    /// The same with prior weights that are known ([`Recalibrated::recalibration`]).
    pub fn resumed(
        experts: Vec<Beliefs<Classification>>,
        pool: &Pool<Classification>,
        loss: Arc<dyn Loss<Classification>>,
        recalibration: Recalibration,
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
        Ok(Self { experts, loss, recalibration, schedule: Schedule::doubling(), current: None })
    }

    /// When the weights follow the labels; at 10, 20, 50, 100, 200, 400, ... labels by default.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// With labels of other items, seen before the first draw: the rows of each expert, the model's predictions, and the
    /// classes. All tables have one row per label.
    pub fn calibrated(mut self, experts: &[Matrix], predictions: &Matrix, labels: &[usize]) -> Result<Self> {
        let (expected, classes) = (labels.len(), self.recalibration.classes);
        if experts.len() != self.experts.len() {
            return Err(Error::Rows {
                what: Table::Member,
                rows: experts.len(),
                expected: self.experts.len(),
            });
        }
        for table in experts.iter().chain([predictions]) {
            if table.rows() != expected {
                return Err(Error::Rows { what: Table::Beliefs, rows: table.rows(), expected });
            }
            Classification::check_belief_columns(table.columns(), classes)?;
            Classification::check_rows(Table::Beliefs, 0, table.reader().rows(0..table.rows()))?;
        }
        let mut readers: Vec<Reader<'_>> = experts.iter().map(Matrix::reader).collect();
        let mut predictions = predictions.reader();
        let mut posterior = self.recalibration.posterior(&*self.loss);
        for (item, &label) in labels.iter().enumerate() {
            if label >= classes {
                return Err(Error::LabelOutOfRange { item, label, classes });
            }
            posterior.tell(readers.iter_mut().map(|reader| reader.row(item)), predictions.row(item), label);
        }
        let likelihoods = posterior.log_likelihoods().to_vec();
        if let Some(seen) = self.recalibration.clone().with_calibration(labels.len(), likelihoods) {
            self.recalibration = seen;
        }
        Ok(self)
    }

    /// The components with their prior weights.
    pub fn recalibration(&self) -> &Recalibration {
        &self.recalibration
    }

    /// The rows of the experts.
    pub fn experts(&self) -> &[Matrix] {
        &self.experts
    }

    /// prior / v^t with v = (mean s)²: the average then minimises the expected *relative* variance, and components with
    /// huge losses do not dictate the proposal. t is 1 for the proposal and 1/2 for the interval.
    fn priors(&self, pool: &Pool<Classification>) -> Vec<[f64; 2]> {
        let components = &self.recalibration.components;
        let count = components.len();
        let stride = BLOCK * (pool.pool_size() / SURVEYED).max(1);
        let surveyed = self.blocks(pool, stride, |_, item, sums: &mut Vec<f64>| {
            sums.resize(count + 1, 0.0);
            let firsts = components.iter().map(|component| item.moments(component).first);
            sums.iter_mut().zip(firsts.chain([1.0])).for_each(|(sum, first)| *sum += first);
        });
        let sums = total(surveyed);
        let items = sums.last().copied().unwrap_or(1.0);
        let means: Vec<f64> = sums.iter().map(|sum| sum / items).collect();
        let spreads = self.blocks(pool, stride, |_, item, sums: &mut Vec<f64>| {
            sums.resize(count, 0.0);
            for ((sum, component), mean) in sums.iter_mut().zip(components).zip(&means) {
                let moments = item.moments(component);
                let within = (moments.second - moments.first * moments.first).max(0.0);
                *sum += (within + BETWEEN * (moments.first - mean).powi(2)).sqrt();
            }
        });
        let spreads = total(spreads);
        let priors = components.iter().zip(&spreads);
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
            let mut rows = ExpertRows::new(self, pool);
            for index in start..size.min(start + BLOCK) {
                rows.read(index, &*self.loss);
                fold(index, &rows.row.item, &mut value);
            }
            value
        };
        starts.into_par_iter().map(of_block).collect()
    }

    /// The labels told so far.
    fn posterior<'a>(&'a self, observed: Observed<'_, Classification>) -> Posterior<'a> {
        let mut posterior = self.recalibration.posterior(&*self.loss);
        let mut experts: Vec<Reader<'_>> = self.experts.iter().map(Matrix::reader).collect();
        let mut predictions = observed.pool.predictions().reader();
        for &(index, label) in observed.labels {
            let rows = experts.iter_mut().map(|reader| reader.row(index));
            posterior.tell(rows, predictions.row(index), label);
        }
        posterior
    }

    fn averaged(&self, observed: Observed<'_, Classification>) -> Result<Beliefs<Classification>> {
        let pool = observed.pool;
        let posterior = self.posterior(observed);
        let weights = posterior.proposal_weights();
        let components = &self.recalibration.components;
        let average = |item: &Item, row: &mut [f64]| item.average(components, &weights, row);
        let beliefs = Beliefs::new(self.rows(pool, average)?, pool)?;
        // Two classes have no ranking that a temperature could spoil.
        if self.recalibration.outcomes != Outcomes::LogProbability || pool.model_columns() == 2 {
            return Ok(beliefs);
        }
        let (trust, by_expert) = posterior.trust(&weights, item::experts(self.experts.len()));
        let given = match self.experts.as_slice() {
            [only] => only.clone(),
            _ => self.rows(pool, |item, row| item.as_given(&by_expert, row))?,
        };
        Ok(beliefs.with_given(RAW_SHARE * trust, given))
    }

    /// A table of one row per item.
    fn rows(&self, pool: &Pool<Classification>, fill: impl Fn(&Item, &mut [f64]) + Sync) -> Result<Matrix> {
        let classes = pool.model_columns();
        let mut values = vec![0.0; pool.pool_size() * classes];
        values.par_chunks_mut(BLOCK * classes).enumerate().for_each(|(block, values)| {
            let mut rows = ExpertRows::new(self, pool);
            for (offset, row) in values.chunks_exact_mut(classes).enumerate() {
                rows.read(block * BLOCK + offset, &*self.loss);
                fill(&rows.row.item, row);
            }
        });
        Matrix::f64(values, classes)
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
            _ => (Change::Refitted, (now, self.averaged(observed)?)),
        };
        Ok(Updated { beliefs: &self.current.insert(current).1, change })
    }

    fn mixture(&self) -> Option<&dyn Mixture<Classification>> {
        Some(self)
    }
}

impl Mixture<Classification> for Recalibrated {
    fn sums(&self, pool: &Pool<Classification>, open: &[bool], weights: &[f64]) -> Result<MixtureSums> {
        let components = &self.recalibration.components;
        let Some((_, beliefs)) = &self.current else {
            return Ok(MixtureSums::default());
        };
        let empty = || MixtureSums {
            components: vec![ComponentSums::default(); components.len()],
            ..Default::default()
        };
        let blocks = self.blocks(pool, BLOCK, |index, item, sums: &mut Option<MixtureSums>| {
            let (Some(true), Some(&weight)) = (open.get(index), weights.get(index)) else {
                return;
            };
            let sums = sums.get_or_insert_with(empty);
            let control = item.expected_under(beliefs.rows().reader().row(index));
            sums.items += 1;
            sums.mass += weight;
            sums.control += control;
            sums.control_square += control * control / weight;
            for (sum, component) in sums.components.iter_mut().zip(components) {
                let moments = item.moments(component);
                sum.first += moments.first;
                sum.second += moments.second / weight;
                sum.cross += control * moments.first / weight;
                sum.square += moments.second;
            }
        });
        let mut sums = empty();
        blocks.iter().flatten().for_each(|block| sums.add(block));
        Ok(sums)
    }

    fn interval_weights(&self, observed: Observed<'_, Classification>) -> Result<Vec<f64>> {
        Ok(self.posterior(observed).interval_weights())
    }

    fn expected(&self, pool: &Pool<Classification>, items: &[usize], weights: &[f64]) -> Result<f64> {
        let mut posterior = self.recalibration.posterior(&*self.loss);
        let mut experts: Vec<Reader<'_>> = self.experts.iter().map(Matrix::reader).collect();
        let mut predictions = pool.predictions().reader();
        let mut expected = |&index: &usize| {
            let rows = experts.iter_mut().map(|reader| reader.row(index));
            posterior.expected(rows, predictions.row(index), weights)
        };
        Ok(items.iter().map(&mut expected).sum())
    }
}

impl std::fmt::Debug for Recalibrated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Recalibrated");
        debug.field("experts", &self.experts).field("components", &self.recalibration.components.len());
        debug.field("schedule", &self.schedule).finish_non_exhaustive()
    }
}

/// Reads the rows of one item from every expert.
struct ExpertRows<'a> {
    experts: Vec<Reader<'a>>,
    predictions: Reader<'a>,
    row: ItemRow,
}

impl<'a> ExpertRows<'a> {
    fn new(of: &'a Recalibrated, pool: &'a Pool<Classification>) -> Self {
        Self {
            experts: of.experts.iter().map(Matrix::reader).collect(),
            predictions: pool.predictions().reader(),
            row: ItemRow::new(&of.recalibration),
        }
    }

    fn read(&mut self, index: usize, loss: &dyn Loss<Classification>) {
        let experts = self.experts.iter_mut().map(|reader| reader.row(index));
        self.row.read(experts, self.predictions.row(index), loss);
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
