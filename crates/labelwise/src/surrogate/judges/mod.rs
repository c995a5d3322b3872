//! Beliefs from judges and histories: a regression of what a label is worth on a few log-odds, with an informative prior.
//!
//! Hard verdicts, scores, ratings, preferences, several judges and other models' results differ in features and prior alone.
//! The belief is an average over shares ε of items on which the features say nothing: a judge that is confidently wrong is
//! found out by its labels. Selection depends on features and on earlier labels only, so labels count alike however they
//! were drawn. Stated from the other side (worths 1 − w, features −z), everything is mirrored.

mod history;
mod learnt;
mod logistic;
mod pairs;
mod prior;
mod ratio;
mod scale;

use std::sync::{Arc, OnceLock};

use rand_chacha::ChaCha8Rng;

use super::{
    Beliefs, Change, ExpectedDraw, KeptProposal, Mixture, MixtureSums, Observed, Schedule, Surrogate, Updated,
};
use crate::error::{Error, Result, Table};
use crate::ledger::{BeliefExpectation, Draw};
use crate::loss::{Loss, Moments};
use crate::matrix::Matrix;
use crate::numerics::{LOWEST, exponential, ln};
use crate::pool::Pool;
use crate::task::{Task, check_finite};

pub use history::{History, HistoryFeatures};
use learnt::{Learnt, Part, RUN};
pub use pairs::PairedJudges;
use prior::CONTAMINATION;
pub use prior::{JudgePrior, of_rating, of_raw, of_score, of_verdict, rating_of};
pub use ratio::{RatioEstimate, RatioLoss, RatioScale, judged_mean};
use scale::Seen;
pub use scale::{WorthOf, WorthScale};

/// Numbers of labels at which the belief follows them.
const REFRESHES: [usize; 16] =
    [10, 20, 35, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1200, 1600, 2400, 3200];

/// The belief of judges and histories.
///
/// ```
/// use std::sync::{Arc, OnceLock};
/// use labelwise::loss::ClassWorths;
/// use labelwise::surrogate::{JudgePrior, Judges, of_score};
/// use labelwise::{Evaluation, Matrix, Pool};
/// let scores = [0.9, 0.2, 0.7, 0.1, 0.6, 0.8];
/// let pool = Pool::classification(Matrix::f64(scores.map(|s| [1.0 - s, s]).concat(), 2)?)?;
/// let features = Matrix::f64(scores.map(of_score).to_vec(), 1)?;
/// let rate = ClassWorths::rate(1, 2);
/// let judges = Judges::new(features, JudgePrior::judges(1), vec![0.0, 1.0], Arc::new(rate.clone()), &pool)?;
/// let mut evaluation = Evaluation::builder(pool, rate, judges).build()?;
/// let drawn = evaluation.ask()?;
/// evaluation.tell(drawn.index, 1)?;
/// # Ok::<(), labelwise::Error>(())
/// ```
pub struct Judges<T: WorthOf> {
    features: Matrix,
    prior: JudgePrior,
    scale: T::Scale,
    loss: Arc<dyn Loss<T>>,
    schedule: Schedule,
    current: Option<(usize, Beliefs<T>)>,
    /// What is believed before the first label, once it was wanted: clones share it, as the runs of a simulation do.
    before: Arc<OnceLock<Beliefs<T>>>,
}

impl<T: WorthOf> Clone for Judges<T> {
    fn clone(&self) -> Self {
        Self {
            features: self.features.clone(),
            prior: self.prior.clone(),
            scale: self.scale.clone(),
            loss: Arc::clone(&self.loss),
            schedule: self.schedule.clone(),
            current: self.current.clone(),
            before: Arc::clone(&self.before),
        }
    }
}

impl<T: WorthOf> Judges<T> {
    /// Features of every item, one row each, what is believed of their coefficients, and what labels are worth.
    pub fn new(
        features: Matrix,
        prior: JudgePrior,
        scale: T::Scale,
        loss: Arc<dyn Loss<T>>,
        pool: &Pool<T>,
    ) -> Result<Self> {
        if features.rows() != pool.pool_size() {
            let (rows, expected) = (features.rows(), pool.pool_size());
            return Err(Error::Rows { what: Table::Features, rows, expected });
        }
        if features.columns() != prior.features() {
            let expected = format!("{} (one per coefficient)", prior.features());
            return Err(Error::Columns { what: Table::Features, columns: features.columns(), expected });
        }
        check_finite(Table::Features, &features)?;
        let schedule = Schedule::At(REFRESHES.to_vec());
        Ok(Self { features, prior, scale, loss, schedule, current: None, before: Arc::default() })
    }

    /// When the belief follows the labels; at 10, 20, 35, 50, 75, 100, 150, 200, ... labels by default.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// The default numbers of labels at which the belief follows them.
    pub fn refreshes() -> &'static [usize] {
        &REFRESHES
    }

    fn row(features: &[f64], into: &mut Vec<f64>) {
        into.clear();
        into.push(1.0);
        into.extend_from_slice(features);
    }

    fn learnt(&self, labels: &[(usize, T::Label)]) -> Learnt {
        let mut reader = self.features.reader();
        let mut rows = Vec::with_capacity(labels.len());
        for (item, label) in labels {
            let mut row = Vec::new();
            Self::row(reader.row(*item), &mut row);
            rows.push((row, self.scale.worth(*label)));
        }
        let fits = CONTAMINATION.iter().zip(&self.prior.contamination).map(|(&epsilon, weight)| {
            let fitted = logistic::fit(&rows, &self.prior.coefficients, epsilon);
            (epsilon, ln(*weight) + fitted.log_posterior, fitted.coefficients)
        });
        let mut parts: Vec<Part> = fits.collect();
        let top = parts.iter().fold(f64::NEG_INFINITY, |top, (_, log, _)| top.max(*log));
        parts.iter_mut().for_each(|(_, log, _)| *log = exponential((*log - top).max(LOWEST)));
        let sum: f64 = parts.iter().map(|(_, weight, _)| weight).sum();
        parts.iter_mut().for_each(|(_, weight, _)| *weight /= sum);
        let mut learnt = Learnt { parts, seen: Seen::default() };
        let told: Vec<(T::Label, f64)> =
            labels.iter().zip(&rows).map(|((_, label), (row, _))| (*label, learnt.expected(row))).collect();
        learnt.seen = self.scale.seen(&told);
        learnt
    }

    /// The beliefs that these labels make.
    fn believed(&self, labels: &[(usize, T::Label)], pool: &Pool<T>) -> Result<Beliefs<T>> {
        if let (true, Some(before)) = (labels.is_empty(), self.before.get()) {
            return Ok(before.clone());
        }
        let rows = self.believed_rows(labels, pool.pool_size());
        let beliefs = Beliefs::new(Matrix::f64(rows, self.scale.columns())?, pool)?;
        if labels.is_empty() {
            // Another thread may have been faster, with the same numbers.
            let _ = self.before.set(beliefs.clone());
        }
        Ok(beliefs)
    }

    /// The belief about each of the first `size` items, row after row.
    fn believed_rows(&self, labels: &[(usize, T::Label)], size: usize) -> Vec<f64> {
        let learnt = self.learnt(labels);
        let mut values = Vec::with_capacity(size * self.scale.columns());
        self.each_run(&learnt, &self.features, size, |expected| {
            self.scale.believe_all(expected, &learnt.seen, &mut values);
        });
        values
    }

    /// E(worth) of the first `size` rows of features, a run of them at a time.
    fn each_run(&self, learnt: &Learnt, features: &Matrix, size: usize, mut of: impl FnMut(&[f64])) {
        let (mut reader, mut expected) = (features.reader(), Vec::new());
        for start in (0..size).step_by(RUN) {
            learnt.expected_of(reader.rows(start..size.min(start + RUN)), &mut expected);
            of(&expected);
        }
    }

    /// What these labels leave to believe of the judges' coefficients on another batch, which may have drifted; `None` if a fit
    /// has no variance.
    pub fn successor(&self, labels: &[(usize, T::Label)]) -> Option<JudgePrior> {
        let learnt = self.learnt(labels);
        let mut contamination = [0.0; 4];
        contamination.iter_mut().zip(&learnt.parts).for_each(|(share, (_, weight, _))| *share = *weight);
        let mut mean = vec![0.0; self.prior.features() + 1];
        for (_, weight, b) in &learnt.parts {
            mean.iter_mut().zip(b).for_each(|(mean, b)| *mean += weight * b);
        }
        let mut reader = self.features.reader();
        let rows = labels.iter().map(|(item, label)| {
            let mut row = Vec::new();
            Self::row(reader.row(*item), &mut row);
            (row, self.scale.worth(*label))
        });
        let rows: Vec<(Vec<f64>, f64)> = rows.collect();
        let best =
            learnt.parts.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |(epsilon, ..)| *epsilon);
        let information = logistic::information(&rows, &self.prior.coefficients, &mean, best);
        JudgePrior::after(mean, &information, contamination)
    }

    /// The beliefs that labels make of another pool's features, in the order of its rows.
    pub fn elsewhere(&self, labels: &[(usize, T::Label)], features: &Matrix) -> Result<Vec<f64>> {
        check_finite(Table::Features, features)?;
        let learnt = self.learnt(labels);
        let mut all = Vec::with_capacity(features.rows());
        self.each_run(&learnt, features, features.rows(), |expected| all.extend_from_slice(expected));
        Ok(all)
    }

    /// What the belief that all labels make expects of the estimate of any loss from these draws. Every refresh must have
    /// kept its proposal.
    pub fn expectation_of(
        &self,
        observed: Observed<'_, T>,
        refreshes: &[MixtureSums],
        draws: &[Draw],
        loss: &dyn Loss<T>,
    ) -> Result<Option<BeliefExpectation>> {
        let beliefs = self.believed(observed.labels, observed.pool)?;
        Ok(expectation_of(observed.pool, beliefs.rows(), refreshes, draws, loss))
    }
}

/// What beliefs expect of the estimate of a loss from these draws; `None` if a refresh did not keep its proposal.
fn expectation_of<T: Task>(
    pool: &Pool<T>,
    beliefs: &Matrix,
    refreshes: &[MixtureSums],
    draws: &[Draw],
    loss: &dyn Loss<T>,
) -> Option<BeliefExpectation> {
    let now = moments_under(pool, beliefs, loss);
    let mut made = Vec::new();
    for sums in refreshes.iter().filter(|sums| sums.drawn < draws.len()) {
        made.push((sums.drawn, expected_draw(pool, sums.proposal.as_ref()?, &now, loss)));
    }
    if made.is_empty() {
        return None;
    }
    let all: f64 = now.iter().map(|moments| moments.first).sum();
    let drawn: f64 = draws.iter().filter_map(|draw| Some(now.get(draw.index)?.first)).sum();
    Some(BeliefExpectation { unseen: all - drawn, refreshes: made, outcomes: loss.outcomes() })
}

/// A proposal, kept whole.
fn kept(open: &[bool], weights: &[f64], beliefs: &Matrix) -> MixtureSums {
    let weights: Vec<f64> =
        open.iter().zip(weights).map(|(open, weight)| if *open { *weight } else { 0.0 }).collect();
    let items = weights.iter().filter(|weight| **weight > 0.0).count();
    let mass = weights.iter().sum();
    let proposal = Some(Arc::new(KeptProposal { weights, beliefs: beliefs.clone() }));
    MixtureSums { items, mass, proposal, ..MixtureSums::default() }
}

/// E(ℒ) and E(ℒ²) of every item under rows of beliefs.
pub(super) fn moments_under<T: Task>(pool: &Pool<T>, beliefs: &Matrix, loss: &dyn Loss<T>) -> Vec<Moments> {
    let (mut predictions, mut beliefs) = (pool.predictions().reader(), beliefs.reader());
    let moments =
        |item: usize| loss.moments(T::prediction(predictions.row(item)), T::belief(beliefs.row(item)));
    (0..pool.pool_size()).map(moments).collect()
}

/// What beliefs expect of one draw's Σ-estimate of the losses that were left at a proposal.
fn expected_draw<T: Task>(
    pool: &Pool<T>,
    kept: &KeptProposal,
    now: &[Moments],
    loss: &dyn Loss<T>,
) -> ExpectedDraw {
    let then = moments_under(pool, &kept.beliefs, loss);
    let (mut mass, mut second, mut first) = (0.0, 0.0, 0.0);
    for ((weight, now), then) in
        kept.weights.iter().zip(now).zip(&then).filter(|((weight, _), _)| **weight > 0.0)
    {
        let h = then.first;
        mass += weight;
        second += (now.second - 2.0 * h * now.first + h * h) / weight;
        first += now.first - h;
    }
    ExpectedDraw { mass, second, first, fitted: None }
}

impl<T: WorthOf> Surrogate<T> for Judges<T> {
    fn update(&mut self, observed: Observed<'_, T>, _rng: &mut ChaCha8Rng) -> Result<Updated<'_, T>> {
        let now = observed.labels.len();
        let due = self.current.as_ref().is_none_or(|(last, _)| self.schedule.due(*last, now));
        let (change, current) = match self.current.take() {
            Some(current) if !due => (Change::Unchanged, current),
            _ => (Change::Refitted, (now, self.believed(observed.labels, observed.pool)?)),
        };
        Ok(Updated { beliefs: &self.current.insert(current).1, change })
    }

    fn mixture(&self) -> Option<&dyn Mixture<T>> {
        Some(self)
    }
}

impl<T: WorthOf> Mixture<T> for Judges<T> {
    fn sums(&self, _pool: &Pool<T>, open: &[bool], weights: &[f64]) -> Result<MixtureSums> {
        Ok(self.current.as_ref().map(|(_, beliefs)| kept(open, weights, beliefs.rows())).unwrap_or_default())
    }

    fn interval_weights(&self, _observed: Observed<'_, T>) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    fn expected(&self, _pool: &Pool<T>, _items: &[usize], _weights: &[f64]) -> Result<f64> {
        Ok(0.0)
    }

    fn expectation(
        &self,
        observed: Observed<'_, T>,
        refreshes: &[MixtureSums],
        draws: &[Draw],
        loss: &dyn Loss<T>,
    ) -> Result<Option<BeliefExpectation>> {
        self.expectation_of(observed, refreshes, draws, loss)
    }
}

impl<T: WorthOf> std::fmt::Debug for Judges<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Judges");
        debug.field("features", &self.features).field("prior", &self.prior).field("scale", &self.scale);
        debug.field("loss", &self.loss.name()).field("schedule", &self.schedule).finish_non_exhaustive()
    }
}
