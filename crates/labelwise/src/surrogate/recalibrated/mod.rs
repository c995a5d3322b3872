//! π as an average over recalibrations of what was given, weighted by the labels seen.
//!
//! A model that is its own surrogate is as over-confident about its errors as about its predictions. Each label says how
//! far its probabilities can be trusted: [`Recalibrated`] keeps every expert at eight temperatures, and averages them by
//! how well they predicted the labels told so far. The average is a belief like any other.

mod average;
mod grid;
mod octet;
mod recalibration;
mod sums;
mod survey;

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::mixture::{Mixture, MixtureSums};
use super::{Beliefs, Change, Observed, Schedule, Surrogate, Updated};
use crate::error::{Error, Result, Table};
use crate::loss::{Loss, Outcomes};
use crate::matrix::{Matrix, Reader, Rows};
use crate::numerics::{LANES, Lanes};
use crate::pool::Pool;
use crate::task::{Classification, Task};
use average::{Eights, Items};
pub use grid::Origin;
pub use recalibration::{Fit, Foreseen, Posterior, Recalibration};

/// Items that a thread works on at a time. Sums are taken in blocks of it, so they do not depend on the thread count.
const BLOCK: usize = 4096;

/// Rows that are read at a time: they stay in the nearest cache.
const RUN: usize = 256;

/// Share of the squared distance between items in the score; see [`Centred`](crate::acquisition::Centred).
pub(crate) const BETWEEN: f64 = 0.2;

/// Largest share of the score that the probabilities have as they were given; see [`Beliefs::as_given`].
const RAW_SHARE: f64 = 0.5;

const ZERO: Lanes = [0.0; LANES];

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
    current: Option<Current>,
}

/// The last refresh.
#[derive(Clone)]
struct Current {
    /// Labels then.
    labels: usize,
    /// The components' weights.
    weights: Vec<f64>,
    beliefs: Beliefs<Classification>,
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
        let surveyed = made.surveyed(pool);
        made.recalibration.log_priors = made.priors(&surveyed);
        made.recalibration.prospects = surveyed.prospects;
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
                checked(rows, |start, rows| Classification::check_rows(Table::Beliefs, start, rows))?;
            }
        }
        checked(pool.predictions(), Classification::check_predictions)?;
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

    /// Folds every eight of these items into a value per block.
    fn blocks_of<V: Send>(
        &self,
        pool: &Pool<Classification>,
        items: &[(usize, f64)],
        empty: impl Fn() -> V + Sync,
        fold: impl Fn(&mut Eights<'_>, &Items<'_>, &mut V) + Sync,
    ) -> Vec<V> {
        let of_block = |block: &[(usize, f64)]| {
            let (mut value, mut octet) = (empty(), self.recalibration.octet());
            let mut eights = Eights::new(&self.experts, pool.predictions(), &mut octet);
            block.chunks(LANES).for_each(|some| fold(&mut eights, &Items::Some(some), &mut value));
            value
        };
        items.par_chunks(BLOCK).map(of_block).collect()
    }

    /// Folds every eight items of each block of the pool into a value; blocks begin at multiples of `stride`.
    fn blocks<V: Send>(
        &self,
        pool: &Pool<Classification>,
        stride: usize,
        empty: impl Fn() -> V + Sync,
        fold: impl Fn(&mut Eights<'_>, &Items<'_>, &mut V) + Sync,
    ) -> Vec<V> {
        let size = pool.pool_size();
        let starts: Vec<usize> = (0..size).step_by(stride).collect();
        let of_block = |start: usize| {
            let mut value = empty();
            let mut octet = self.recalibration.octet();
            let mut eights = Eights::new(&self.experts, pool.predictions(), &mut octet);
            let end = size.min(start + BLOCK);
            for first in (start..end).step_by(LANES) {
                fold(&mut eights, &Items::Run(first..end.min(first + LANES)), &mut value);
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

    fn refreshed(&self, observed: Observed<'_, Classification>) -> Result<Current> {
        let fit = self.posterior(observed).fit();
        let beliefs = self.beliefs_by(observed.pool, &fit)?;
        Ok(Current { labels: observed.labels.len(), weights: fit.weights, beliefs })
    }

    /// The beliefs about the items of this pool, given what labels made of the components ([`Posterior::fit`]).
    pub fn beliefs_by(&self, pool: &Pool<Classification>, fit: &Fit) -> Result<Beliefs<Classification>> {
        let beliefs = Beliefs::new(self.average(pool, &fit.weights), pool)?;
        // Two classes have no ranking that a temperature could spoil.
        if self.recalibration.outcomes != Outcomes::LogProbability || pool.model_columns() == 2 {
            return Ok(beliefs);
        }
        let given = match self.experts.as_slice() {
            [only] => only.clone(),
            _ => self.average(pool, &fit.given),
        };
        Ok(beliefs.with_given(RAW_SHARE * fit.trust, given))
    }
}

impl Surrogate<Classification> for Recalibrated {
    fn update(
        &mut self,
        observed: Observed<'_, Classification>,
        _rng: &mut ChaCha8Rng,
    ) -> Result<Updated<'_, Classification>> {
        let now = observed.labels.len();
        let due = self.current.as_ref().is_none_or(|last| self.schedule.due(last.labels, now));
        let (change, current) = match self.current.take() {
            Some(current) if !due => (Change::Unchanged, current),
            _ => (Change::Refitted, self.refreshed(observed)?),
        };
        Ok(Updated { beliefs: &self.current.insert(current).beliefs, change })
    }

    fn mixture(&self) -> Option<&dyn Mixture<Classification>> {
        Some(self)
    }
}

impl Mixture<Classification> for Recalibrated {
    fn sums(&self, pool: &Pool<Classification>, open: &[bool], weights: &[f64]) -> Result<MixtureSums> {
        Ok(self.sums_of(pool, open, weights))
    }

    fn sums_by(
        &self,
        pool: &Pool<Classification>,
        open: &[bool],
        weights: &[f64],
        losses: &[&dyn Loss<Classification>],
    ) -> Result<Vec<MixtureSums>> {
        // Shifts are of the odds of one loss alone.
        let shifts =
            self.recalibration.outcomes == Outcomes::ZeroOne && self.recalibration.origin == Origin::Scores;
        Ok(if shifts { Vec::new() } else { self.sums_of_others(pool, open, weights, losses) })
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

/// Checks a table, some rows at a time: all at once would be a copy of it.
fn checked(table: &Matrix, check: impl Fn(usize, Rows<'_>) -> Result<()>) -> Result<()> {
    let (mut reader, size) = (table.reader(), table.rows());
    (0..size).step_by(RUN).try_for_each(|start| check(start, reader.rows(start..size.min(start + RUN))))
}

impl std::fmt::Debug for Recalibrated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Recalibrated");
        debug.field("experts", &self.experts).field("components", &self.recalibration.components.len());
        debug.field("schedule", &self.schedule).finish_non_exhaustive()
    }
}
