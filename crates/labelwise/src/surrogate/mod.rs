//! π: beliefs about the labels of unlabelled items, and how they change as labels arrive.

mod judges;
mod mixture;
mod recalibrated;
mod residuals;
mod retrained;

use crate::error::Table;
use std::marker::PhantomData;

use rand_chacha::ChaCha8Rng;

use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::pool::Pool;
use crate::task::{Classification, Regression, Task};

pub use judges::{
    History, HistoryFeatures, JudgePrior, Judges, PairedJudges, RatioEstimate, RatioLoss, RatioScale,
    WorthOf, WorthScale, judged_mean, of_rating, of_raw, of_score, of_verdict, rating_of,
};
pub use mixture::{ComponentSums, ExpectedDraw, FittedDraw, FittedSums, KeptProposal, Mixture, MixtureSums};
pub(crate) use recalibrated::BETWEEN;
pub use recalibrated::{Fit, Foreseen, Origin, Posterior, Recalibrated, Recalibration};
pub use residuals::{Residuals, Seen};
pub use retrained::{Data, Learner, Model, RetrainOn, Retrained, Schedule};

/// π(y | x_i) for every item of a pool; members of an ensemble are kept where mutual information needs them.
#[derive(Debug, Clone)]
pub struct Beliefs<T: Task> {
    rows: Matrix,
    members: Vec<Matrix>,
    /// Beliefs before they were recalibrated, and the share of the score that they have.
    as_given: Option<(f64, Matrix)>,
    task: PhantomData<T>,
}

impl<T: Task> Beliefs<T> {
    /// Beliefs about the items of `pool`, one row per item. Classification: one probability per class. Regression: mean
    /// and total variance, or mean, aleatoric and epistemic variance. Values are checked as they are first read.
    pub fn new(rows: Matrix, pool: &Pool<T>) -> Result<Self> {
        if rows.rows() != pool.pool_size() {
            return Err(Error::Rows { what: Table::Beliefs, rows: rows.rows(), expected: pool.pool_size() });
        }
        T::check_belief_columns(rows.columns(), pool.model_columns())?;
        Ok(Self { rows, members: Vec::new(), as_given: None, task: PhantomData })
    }

    /// The same beliefs with the members they are the mean of.
    pub(crate) fn with_members(mut self, members: Vec<Matrix>, pool: &Pool<T>) -> Result<Self> {
        for member in &members {
            Self::new(member.clone(), pool)?;
        }
        self.members = members;
        Ok(self)
    }

    pub(crate) fn from_parts(rows: Matrix, members: Vec<Matrix>) -> Self {
        Self { rows, members, as_given: None, task: PhantomData }
    }

    /// The belief of each item, one row per item.
    pub fn rows(&self) -> &Matrix {
        &self.rows
    }

    /// With the beliefs that they were recalibrated from, and the share of the score that those have.
    pub(crate) fn with_given(mut self, share: f64, rows: Matrix) -> Self {
        self.as_given = Some((share, rows));
        self
    }

    /// The beliefs before they were recalibrated, and the share of the score that those have
    /// ([`Centred`](crate::acquisition::Centred)); `None` for beliefs that are used as they are.
    pub fn as_given(&self) -> Option<(f64, &Matrix)> {
        self.as_given.as_ref().map(|(share, rows)| (*share, rows))
    }

    /// The members θ of the ensemble, where they were kept.
    pub fn members(&self) -> &[Matrix] {
        &self.members
    }
}

impl Beliefs<Classification> {
    /// The mean of the members' probabilities, π(y | x) = E_θ(π(y | x, θ)); the members are kept.
    pub fn from_members(members: Vec<Matrix>, pool: &Pool<Classification>) -> Result<Self> {
        if members.is_empty() {
            return Err(Error::NoMembers);
        }
        let classes = pool.predictions().columns();
        let mut mean = vec![0.0; pool.pool_size() * classes];
        for member in &members {
            Self::new(member.clone(), pool)?;
            let mut reader = member.reader();
            Classification::check_rows(Table::MemberPredictions, 0, reader.rows(0..member.rows()))?;
            for (item, row) in mean.chunks_exact_mut(classes).enumerate() {
                row.iter_mut().zip(reader.row(item)).for_each(|(sum, p)| *sum += p);
            }
        }
        mean.iter_mut().for_each(|sum| *sum /= members.len() as f64);
        Ok(Self { members, ..Self::new(Matrix::f64(mean, classes)?, pool)? })
    }
}

impl Beliefs<Regression> {
    /// Eq. (9), the decomposition of the total variance: epistemic is the variance of the members' means, aleatoric the mean
    /// of their variances. Each member gives means (one column) or means and variances (two).
    pub fn from_members(members: &[Matrix], pool: &Pool<Regression>) -> Result<Self> {
        let mut readers = Vec::with_capacity(members.len());
        for member in members {
            if member.rows() != pool.pool_size() {
                return Err(Error::Rows {
                    what: Table::Member,
                    rows: member.rows(),
                    expected: pool.pool_size(),
                });
            }
            Regression::check_prediction_columns(member.columns())?;
            let mut reader = member.reader();
            Regression::check_rows(Table::MemberPredictions, 0, reader.rows(0..member.rows()))?;
            readers.push(reader);
        }
        if members.is_empty() {
            return Err(Error::NoMembers);
        }
        let count = members.len() as f64;
        let mut rows = Vec::with_capacity(pool.pool_size() * 3);
        for item in 0..pool.pool_size() {
            let outputs: Vec<_> = readers.iter_mut().map(|r| Regression::prediction(r.row(item))).collect();
            let mean = outputs.iter().map(|o| o.mean).sum::<f64>() / count;
            let aleatoric = outputs.iter().map(|o| o.variance).sum::<f64>() / count;
            let epistemic = outputs.iter().map(|o| (o.mean - mean).powi(2)).sum::<f64>() / count;
            rows.extend([mean, aleatoric, epistemic]);
        }
        Self::new(Matrix::f64(rows, 3)?, pool)
    }
}

/// The labels told so far, in the order they were told.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a, T: Task> {
    /// The pool they belong to.
    pub pool: &'a Pool<T>,
    /// Item and label.
    pub labels: &'a [(usize, T::Label)],
}

/// What a surrogate answers: its beliefs, and whether they are new.
#[derive(Debug, Clone, Copy)]
pub struct Updated<'a, T: Task> {
    /// Beliefs about every item; rows of items already drawn must be valid, but are not used.
    pub beliefs: &'a Beliefs<T>,
    /// Whether they changed since the last call.
    pub change: Change,
}

/// Whether beliefs changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The same beliefs as before.
    Unchanged,
    /// New beliefs: the proposal is computed again.
    Refitted,
}

/// A source of beliefs: [`Fixed`], [`Retrained`], or one that knows how to update itself.
pub trait Surrogate<T: Task>: Send + Sync {
    /// Brings the beliefs up to date with the labels told so far; called before each draw, and so cheap when nothing
    /// is due. What it answers depends on the labels and `rng` alone.
    fn update(&mut self, observed: Observed<'_, T>, rng: &mut ChaCha8Rng) -> Result<Updated<'_, T>>;

    /// The components of the beliefs, where they are an average that can say what it expects of the estimate.
    fn mixture(&self) -> Option<&dyn Mixture<T>> {
        None
    }
}

/// Chosen at run time.
impl<T: Task> Surrogate<T> for Box<dyn Surrogate<T>> {
    fn update(&mut self, observed: Observed<'_, T>, rng: &mut ChaCha8Rng) -> Result<Updated<'_, T>> {
        (**self).update(observed, rng)
    }

    fn mixture(&self) -> Option<&dyn Mixture<T>> {
        (**self).mixture()
    }
}

/// Beliefs that stay as they are: another model's predictions, or the model's own ([`Pool::own_beliefs`]).
#[derive(Debug, Clone)]
pub struct Fixed<T: Task>(
    /// The beliefs.
    pub Beliefs<T>,
);

impl<T: Task> Surrogate<T> for Fixed<T> {
    fn update(&mut self, _observed: Observed<'_, T>, _rng: &mut ChaCha8Rng) -> Result<Updated<'_, T>> {
        Ok(Updated { beliefs: &self.0, change: Change::Unchanged })
    }
}
