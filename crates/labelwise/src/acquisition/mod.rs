//! Acquisition functions: a score for each candidate, non-negative and not normalised. The proposal makes q of it.

mod active_risk;
mod distance;
mod metrics;
mod mutual_information;

pub use active_risk::{ActiveRiskEstimation, squared_error_score, zero_one_score};
pub use distance::Distance;
pub use metrics::{Decided, ForMetrics, SamplingTarget};
pub use mutual_information::MutualInformation;

use rayon::prelude::*;

use crate::error::Table;
use crate::error::{Error, Result};
use crate::loss::{ExpectedLosses, Loss};
use crate::matrix::Matrix;
use crate::numerics::{LANES, TURNED, Turned};
use crate::pool::Pool;
use crate::surrogate::{BETWEEN, Beliefs, Schedule};
use crate::task::Task;

/// Items that a thread takes at a time.
const RUN: usize = 4096;

/// What an acquisition may look at. Every column has one entry an item of the pool; those of items that are not open
/// any more hold nothing of meaning.
pub struct Candidates<'a, T: Task> {
    /// The pool.
    pub pool: &'a Pool<T>,
    /// The loss.
    pub loss: &'a dyn Loss<T>,
    /// The surrogate's beliefs.
    pub beliefs: &'a Beliefs<T>,
    /// E(ℒ) of each item; empty for an acquisition that [needs none](Acquisition::needs_expectation).
    pub first: &'a [f64],
    /// E(ℒ²) of each item, to keep: an acquisition may make it its column of scores.
    pub second: Vec<f64>,
    /// Which items may still be drawn.
    pub open: &'a [bool],
    /// Items and labels told so far.
    pub observed: &'a [(usize, T::Label)],
}

/// Scores candidates.
pub trait Acquisition<T: Task>: Send + Sync {
    /// The name.
    fn name(&self) -> &'static str;
    /// A score for each item of the pool; those of items that are not open are ignored.
    fn scores(&mut self, candidates: Candidates<'_, T>) -> Result<Vec<f64>>;
    /// Whether it looks at E(ℒ): one that does not spares large pools a column.
    fn needs_expectation(&self) -> bool {
        true
    }
    /// When scores change although the beliefs did not.
    fn schedule(&self) -> Schedule {
        Schedule::Never
    }
}

/// Eq. (6), the paper's: E_π(ℒ(f(x_i), y)).
#[derive(Debug, Clone, Copy, Default)]
pub struct ExpectedLoss;

impl<T: Task> Acquisition<T> for ExpectedLoss {
    fn name(&self) -> &'static str {
        "expected loss"
    }

    fn scores(&mut self, mut candidates: Candidates<'_, T>) -> Result<Vec<f64>> {
        candidates.second.copy_from_slice(candidates.first);
        Ok(candidates.second)
    }
}

/// √E_π(ℒ²), our default: the proposal of least variance when the label is not certain given x. The expected loss is
/// optimal only if it is; for a calibrated surrogate and the zero-one loss it gains nothing over uniform sampling.
#[derive(Debug, Clone, Copy, Default)]
pub struct RootMeanSquare;

impl<T: Task> Acquisition<T> for RootMeanSquare {
    fn name(&self) -> &'static str {
        "root mean square"
    }

    fn needs_expectation(&self) -> bool {
        false
    }

    fn scores(&mut self, mut candidates: Candidates<'_, T>) -> Result<Vec<f64>> {
        candidates.second.iter_mut().for_each(|second| *second = second.max(0.0).sqrt());
        Ok(candidates.second)
    }
}

/// √Var_π(ℒ), our default for losses that may be negative: it does not change when a constant is added to the loss.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandardDeviation;

impl<T: Task> Acquisition<T> for StandardDeviation {
    fn name(&self) -> &'static str {
        "standard deviation"
    }

    fn scores(&mut self, mut candidates: Candidates<'_, T>) -> Result<Vec<f64>> {
        let moments = candidates.first.iter().zip(candidates.second.iter_mut());
        moments.for_each(|(first, second)| *second = (*second - first * first).max(0.0).sqrt());
        Ok(candidates.second)
    }
}

/// √(Var_π(ℒ) + 0.2 (E_π(ℒ) − mean)²), where the mean is over the items that can be drawn.
///
/// It does not change when a constant is added to the loss or when a loss is counted from its other side (b − ℒ), so both
/// ways to state a rate give the same draws. The second part insures against expectations that are wrong.
#[derive(Debug, Clone, Copy, Default)]
pub struct Centred;

impl<T: Task> Acquisition<T> for Centred {
    fn name(&self) -> &'static str {
        "centred deviation"
    }

    fn scores(&mut self, candidates: Candidates<'_, T>) -> Result<Vec<f64>> {
        let Candidates { pool, loss, beliefs, first, mut second, open, .. } = candidates;
        centred(first, &mut second, open);
        let Some((share, rows)) = beliefs.as_given().filter(|(share, _)| *share > 0.0) else {
            return Ok(second);
        };
        // Of beliefs that hold as they were given, the flattened average expects too much where the model is sure.
        let (raw_first, mut raw) = moments_under(pool, loss, rows);
        centred(&raw_first, &mut raw, open);
        let (mut sum, mut raw_sum) = (0.0, 0.0);
        for ((score, raw), open) in second.iter().zip(&raw).zip(open) {
            sum += if *open { *score } else { 0.0 };
            raw_sum += if *open { *raw } else { 0.0 };
        }
        if sum > 0.0 && raw_sum > 0.0 {
            for (score, raw) in second.iter_mut().zip(&raw) {
                *score = (1.0 - share) * *score / sum + share * raw / raw_sum;
            }
        }
        Ok(second)
    }
}

/// E(ℒ) and E(ℒ²) of every item under other beliefs.
fn moments_under<T: Task>(pool: &Pool<T>, loss: &dyn Loss<T>, rows: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let size = pool.pool_size();
    let (mut first, mut second) = (vec![0.0; size], vec![0.0; size]);
    let own = rows.is(pool.predictions());
    let columns = first.par_chunks_mut(RUN).zip(second.par_chunks_mut(RUN)).enumerate();
    columns.for_each(|(run, (first, second))| {
        let start = run * RUN;
        let (mut predictions, mut given) = (pool.predictions().reader(), rows.reader());
        let mut turned = Turned::new(pool.predictions().columns());
        let mut expected = ExpectedLosses::new(TURNED);
        let parts = first.chunks_mut(TURNED).zip(second.chunks_mut(TURNED));
        for (start, (first, second)) in (start..).step_by(TURNED).zip(parts) {
            let items = start..start + first.len();
            expected.truncate(first.len());
            // A table that is its own surrogate is turned once.
            let by_eights = own && {
                predictions.turn(items.clone(), &mut turned);
                let mut eights = turned.iter().zip((0..).step_by(LANES));
                eights.all(|(eight, place)| loss.expected_eight(eight, eight, place, &mut expected))
            };
            if !by_eights {
                let predictions = predictions.rows(items.clone());
                let beliefs = if own { predictions } else { given.rows(items) };
                loss.expected_losses(predictions, beliefs, &mut expected);
            }
            first.copy_from_slice(&expected.first);
            second.copy_from_slice(&expected.second);
        }
    });
    (first, second)
}

/// √(E(ℒ²) − E(ℒ)² + 0.2 (E(ℒ) − mean)²) in place of E(ℒ²).
fn centred(first: &[f64], second: &mut [f64], open: &[bool]) {
    // Items that are not open add 0, which changes no sum.
    let (mut sum, mut count) = (0.0, 0.0);
    for (first, open) in first.iter().zip(open) {
        sum += if *open { *first } else { 0.0 };
        count += f64::from(u8::from(*open));
    }
    centred_about(if count > 0.0 { sum / count } else { 0.0 }, first, second);
}

/// The same about a mean that is known already: E(ℒ) and E(ℒ²) are those of a part of the pool.
///
/// ```
/// use labelwise::acquisition::centred_about;
/// let mut second = [0.5, 0.25];
/// centred_about(0.25, &[0.5, 0.25], &mut second);
/// assert_eq!(second, [(0.25_f64 + 0.2 * 0.0625).sqrt(), 0.1875_f64.sqrt()]);
/// ```
pub fn centred_about(mean: f64, first: &[f64], second: &mut [f64]) {
    for (first, second) in first.iter().zip(second) {
        let within = (*second - first * first).max(0.0);
        *second = (within + BETWEEN * (first - mean).powi(2)).sqrt();
    }
}

/// The same score for all: uniform sampling.
#[derive(Debug, Clone, Copy, Default)]
pub struct Uniform;

impl<T: Task> Acquisition<T> for Uniform {
    fn name(&self) -> &'static str {
        "uniform"
    }

    fn needs_expectation(&self) -> bool {
        false
    }

    fn scores(&mut self, candidates: Candidates<'_, T>) -> Result<Vec<f64>> {
        Ok(vec![1.0; candidates.pool.pool_size()])
    }
}

/// The true loss, which only an oracle knows: LURE then is exact from the first label.
#[derive(Debug, Clone)]
pub struct TrueLoss<T: Task> {
    labels: Vec<T::Label>,
}

impl<T: Task> TrueLoss<T> {
    /// From the labels of the whole pool.
    pub fn new(labels: Vec<T::Label>) -> Self {
        Self { labels }
    }
}

impl<T: Task> Acquisition<T> for TrueLoss<T> {
    fn name(&self) -> &'static str {
        "true loss"
    }

    fn needs_expectation(&self) -> bool {
        false
    }

    fn scores(&mut self, candidates: Candidates<'_, T>) -> Result<Vec<f64>> {
        let pool = candidates.pool;
        if self.labels.len() != pool.pool_size() {
            return Err(Error::Rows {
                what: Table::Other("true labels"),
                rows: self.labels.len(),
                expected: pool.pool_size(),
            });
        }
        let mut reader = pool.predictions().reader();
        let labelled = self.labels.iter().enumerate();
        // For a signed loss the optimum is its size.
        labelled
            .map(|(item, &label)| {
                T::check_label(item, label, pool.model_columns())?;
                Ok(candidates.loss.loss(T::prediction(reader.row(item)), label).abs())
            })
            .collect()
    }
}
