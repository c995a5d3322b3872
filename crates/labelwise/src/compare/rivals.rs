//! Several models on one pool: their predictions side by side, and labels and beliefs as one model has them.

use crate::error::Table;
use std::fmt;
use std::marker::PhantomData;

use crate::error::{CompareError, Error, Result};
use crate::loss::{Bounds, Loss, Moments, classification::extremes};
use crate::matrix::{Matrix, Rows};
use crate::numerics::standard_normal;
use crate::pool::Pool;
use crate::surrogate::Beliefs;
use crate::task::{Classification, Regression, Task};

/// The task of comparing models of task `T`: a prediction is the row of every model, one after the other; labels and
/// beliefs are those of `T`. Its pools are made by [`Pool::rivals`], its losses are [`Versus`](super::Versus).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rivals<T>(PhantomData<T>);

impl<T> fmt::Debug for Rivals<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rivals")
    }
}

/// A task whose models can be compared.
pub trait Rival: Task {
    /// What is expected of the difference between the losses of two predictions, and its bounds; or of one loss alone.
    fn expected_difference(
        loss: &dyn Loss<Self>,
        pair: Pair<'_>,
        belief: Self::Belief<'_>,
        scratch: &mut Scratch,
    ) -> ExpectedDifference;
    /// The bounds alone.
    fn bounds(loss: &dyn Loss<Self>, pair: Pair<'_>, scratch: &mut Scratch) -> Option<Bounds>;
    /// The ensemble of all the models.
    fn ensemble(models: Vec<Matrix>, pool: &Pool<Self>) -> Result<Beliefs<Self>>;
}

/// What is expected of the difference on one item, and what it lies between.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedDifference {
    pub(super) moments: Moments,
    pub(super) bounds: Option<Bounds>,
}

/// The rows of one model, and of the other if it is about a difference.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    pub(super) one: &'a [f64],
    pub(super) other: Option<&'a [f64]>,
}

impl Pair<'_> {
    /// Whether both say the same, to the last bit: then no label can part them.
    fn same(&self) -> bool {
        self.other == Some(self.one)
    }
}

const NOTHING: Bounds = Bounds { low: 0.0, high: 0.0 };

/// Losses of every class, kept from one item to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    one: Vec<f64>,
    other: Vec<f64>,
}

impl Scratch {
    /// The difference for every class.
    fn fill(&mut self, loss: &dyn Loss<Classification>, pair: Pair<'_>) -> &[f64] {
        of_every_class(loss, pair.one, &mut self.one);
        if let Some(other) = pair.other {
            of_every_class(loss, other, &mut self.other);
            self.one.iter_mut().zip(&self.other).for_each(|(one, other)| *one -= other);
        }
        &self.one
    }
}

fn of_every_class(loss: &dyn Loss<Classification>, prediction: &[f64], losses: &mut Vec<f64>) {
    if !loss.of_every_class(prediction, losses) {
        losses.clear();
        losses.extend((0..prediction.len()).map(|label| loss.loss(prediction, label)));
    }
}

/// What rounding leaves of an expected difference that is 0, as it is where the surrogate is midway between two models, is
/// swept away: as a control it would be noise, of whatever size the fit makes it.
fn swept(first: f64, second: f64) -> Moments {
    let dust = 1e-12 * second.max(0.0).sqrt();
    Moments { first: if first.abs() <= dust { 0.0 } else { first }, second }
}

impl Rival for Classification {
    fn expected_difference(
        loss: &dyn Loss<Self>,
        pair: Pair<'_>,
        belief: &[f64],
        scratch: &mut Scratch,
    ) -> ExpectedDifference {
        if pair.same() {
            return ExpectedDifference {
                moments: Moments { first: 0.0, second: 0.0 },
                bounds: Some(NOTHING),
            };
        }
        let differences = scratch.fill(loss, pair);
        let (mut first, mut second) = (0.0, 0.0);
        for (&difference, &pi) in differences.iter().zip(belief) {
            first += pi * difference;
            second += pi * difference * difference;
        }
        let (low, high) = extremes(differences.iter().copied());
        ExpectedDifference { moments: swept(first, second), bounds: Some(Bounds { low, high }) }
    }

    fn bounds(loss: &dyn Loss<Self>, pair: Pair<'_>, scratch: &mut Scratch) -> Option<Bounds> {
        if pair.same() {
            return Some(NOTHING);
        }
        let (low, high) = extremes(scratch.fill(loss, pair).iter().copied());
        Some(Bounds { low, high })
    }

    fn ensemble(models: Vec<Matrix>, pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        Beliefs::<Self>::from_members(models, pool)
    }
}

impl Rival for Regression {
    fn expected_difference(
        loss: &dyn Loss<Self>,
        pair: Pair<'_>,
        belief: Self::Belief<'_>,
        scratch: &mut Scratch,
    ) -> ExpectedDifference {
        let bounds = Self::bounds(loss, pair, scratch);
        if pair.same() {
            return ExpectedDifference { moments: Moments { first: 0.0, second: 0.0 }, bounds };
        }
        let one = Self::prediction(pair.one);
        let Some(other) = pair.other.map(Self::prediction) else {
            return ExpectedDifference { moments: loss.moments(one, belief), bounds };
        };
        // Differences of squared errors and of Gaussian likelihoods are polynomials, for which this is exact.
        let std_dev = belief.variance.sqrt();
        let (mut first, mut second) = (0.0, 0.0);
        for &(z, weight) in standard_normal() {
            let label = belief.mean + std_dev * z;
            let difference = loss.loss(one, label) - loss.loss(other, label);
            first += weight * difference;
            second += weight * difference * difference;
        }
        ExpectedDifference { moments: swept(first, second), bounds }
    }

    fn bounds(loss: &dyn Loss<Self>, pair: Pair<'_>, _scratch: &mut Scratch) -> Option<Bounds> {
        let one = Self::prediction(pair.one);
        let Some(other) = pair.other else { return loss.bounds(one) };
        if pair.same() {
            return Some(NOTHING);
        }
        let other = Self::prediction(other);
        if let Some(labels) = loss.extreme_labels(one, other) {
            let differences = labels.iter().map(|&label| loss.loss(one, label) - loss.loss(other, label));
            let (low, high) = extremes(differences);
            return Some(Bounds { low, high });
        }
        let (one, other) = (loss.bounds(one)?, loss.bounds(other)?);
        Some(Bounds { low: one.low - other.high, high: one.high - other.low })
    }

    fn ensemble(models: Vec<Matrix>, pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        Beliefs::<Self>::from_members(&models, pool)
    }
}

impl<T: Rival> Task for Rivals<T> {
    type Label = T::Label;
    type Prediction<'a> = &'a [f64];
    type Belief<'a> = T::Belief<'a>;

    fn prediction(row: &[f64]) -> &[f64] {
        row
    }

    fn belief(row: &[f64]) -> T::Belief<'_> {
        T::belief(row)
    }

    fn check_prediction_columns(_columns: usize) -> Result<()> {
        // Which of them are whose is known to the pool, which checks them model by model.
        Ok(())
    }

    fn check_belief_columns(columns: usize, prediction_columns: usize) -> Result<()> {
        T::check_belief_columns(columns, prediction_columns)
    }

    fn check_rows(what: Table, start: usize, rows: Rows<'_>) -> Result<()> {
        T::check_rows(what, start, rows)
    }

    fn check_predictions(_start: usize, _rows: Rows<'_>) -> Result<()> {
        // The rows of every model were checked when they were laid side by side.
        Ok(())
    }

    fn check_label(item: usize, label: T::Label, prediction_columns: usize) -> Result<()> {
        T::check_label(item, label, prediction_columns)
    }

    fn own_beliefs(pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        let models = (0..pool.models()).map(|model| pool.of_model(model)).collect::<Result<Vec<_>>>()?;
        let first = pool.model(0)?;
        Ok(T::ensemble(models, &first)?.for_rivals())
    }
}

impl<T: Rival> Pool<Rivals<T>> {
    /// A pool of two models or more: a table of predictions each, all of one width and in one order of items.
    ///
    /// ```
    /// use labelwise::compare::Rivals;
    /// use labelwise::{Classification, Matrix, Pool};
    /// let one = Matrix::f64(vec![0.9, 0.1, 0.2, 0.8], 2)?;
    /// let other = Matrix::f64(vec![0.7, 0.3, 0.6, 0.4], 2)?;
    /// let pool = Pool::<Rivals<Classification>>::rivals(&[one, other])?;
    /// assert_eq!((pool.pool_size(), pool.models()), (2, 2));
    /// # Ok::<(), labelwise::Error>(())
    /// ```
    pub fn rivals(models: &[Matrix]) -> Result<Self> {
        let [first, _, ..] = models else {
            return Err(CompareError::TooFew { models: models.len() }.into());
        };
        let (rows, columns) = (first.rows(), first.columns());
        for (model, matrix) in models.iter().enumerate() {
            if matrix.rows() != rows || matrix.columns() != columns {
                let there = (matrix.rows(), matrix.columns());
                return Err(CompareError::Shapes { model, there, first: (rows, columns) }.into());
            }
        }
        let mut readers: Vec<_> = models.iter().map(Matrix::reader).collect();
        let mut values = Vec::with_capacity(rows * columns * models.len());
        for item in 0..rows {
            readers.iter_mut().for_each(|reader| values.extend_from_slice(reader.row(item)));
        }
        let width = columns * models.len();
        let stacked = if models.iter().all(|model| model.singles().is_some()) {
            #[allow(clippy::cast_possible_truncation, reason = "they were f32 before")]
            let narrow: Vec<f32> = values.into_iter().map(|value| value as f32).collect();
            Matrix::f32(narrow, width)?
        } else {
            Matrix::f64(values, width)?
        };
        Self::stacked(stacked, models.len())
    }

    /// The same of a table in which the rows of the models stand side by side already.
    pub fn stacked(predictions: Matrix, models: usize) -> Result<Self> {
        if models < 2 {
            return Err(CompareError::TooFew { models }.into());
        }
        if !predictions.columns().is_multiple_of(models) {
            return Err(Error::Shape { values: predictions.columns(), columns: models });
        }
        let columns = predictions.columns() / models;
        T::check_prediction_columns(columns)?;
        let pool = Self::side_by_side(predictions, columns)?;
        for model in 0..models {
            let matrix = pool.of_model(model)?;
            let mut reader = matrix.reader();
            T::check_predictions(0, reader.rows(0..matrix.rows()))
                .map_err(|error| CompareError::Model { model, error: Box::new(error) })?;
        }
        Ok(pool)
    }

    /// How many models there are.
    pub fn models(&self) -> usize {
        self.predictions().columns() / self.model_columns()
    }

    /// One model by itself.
    pub fn model(&self, model: usize) -> Result<Pool<T>> {
        Pool::from_predictions(self.of_model(model)?)
    }

    /// The predictions of one model.
    fn of_model(&self, model: usize) -> Result<Matrix> {
        let (columns, models) = (self.model_columns(), self.models());
        if model >= models {
            return Err(CompareError::NoSuchModel { model, models }.into());
        }
        let mut reader = self.predictions().reader();
        let mut values = Vec::with_capacity(self.pool_size() * columns);
        for item in 0..self.pool_size() {
            values.extend(reader.row(item).iter().skip(model * columns).take(columns));
        }
        Matrix::f64(values, columns)
    }
}

impl<T: Rival> Beliefs<T> {
    /// The same beliefs, for models that are compared.
    pub fn for_rivals(self) -> Beliefs<Rivals<T>> {
        let members = self.members().to_vec();
        Beliefs::from_parts(self.rows().clone(), members)
    }
}
