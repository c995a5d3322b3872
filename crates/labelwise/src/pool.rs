//! 𝒟_test: the items that may be labelled, as the model's predictions on them. The model under test is data.

use crate::error::Table;
use std::marker::PhantomData;

use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::surrogate::Beliefs;
use crate::task::{Classification, Regression, Task, check_finite};

/// A pool of N items: predictions, and features where a surrogate or the distance needs them. A clone shares them.
///
/// Predictions may be large, so their values are checked as they are first read, when an evaluation is built.
///
/// ```
/// use labelwise::{Matrix, Pool};
/// let pool = Pool::classification(Matrix::f64(vec![0.9, 0.1, 0.2, 0.8, 0.5, 0.5], 2)?)?;
/// assert_eq!(pool.pool_size(), 3);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pool<T: Task> {
    predictions: Matrix,
    features: Option<Matrix>,
    /// Number of columns of one model's predictions.
    model_columns: usize,
    task: PhantomData<T>,
}

impl Pool<Classification> {
    /// A pool of class probabilities, one column per class.
    pub fn classification(probabilities: Matrix) -> Result<Self> {
        Self::from_predictions(probabilities)
    }
}

impl Pool<Regression> {
    /// A pool of predicted means (one column) or means and variances (two).
    pub fn regression(predictions: Matrix) -> Result<Self> {
        Self::from_predictions(predictions)
    }
}

impl<T: Task> Pool<T> {
    pub(crate) fn from_predictions(predictions: Matrix) -> Result<Self> {
        if predictions.rows() == 0 {
            return Err(Error::EmptyPool);
        }
        T::check_prediction_columns(predictions.columns())?;
        let model_columns = predictions.columns();
        Ok(Self { predictions, features: None, model_columns, task: PhantomData })
    }

    /// The same, where the predictions of several models lie side by side.
    pub(crate) fn side_by_side(predictions: Matrix, model_columns: usize) -> Result<Self> {
        Ok(Self { model_columns, ..Self::from_predictions(predictions)? })
    }

    /// The same pool with features x_i, one row per item.
    pub fn with_features(mut self, features: Matrix) -> Result<Self> {
        if features.rows() != self.pool_size() {
            return Err(Error::Rows {
                what: Table::Features,
                rows: features.rows(),
                expected: self.pool_size(),
            });
        }
        check_finite(Table::Features, &features)?;
        self.features = Some(features);
        Ok(self)
    }

    /// N.
    pub fn pool_size(&self) -> usize {
        self.predictions.rows()
    }

    /// f(x_i) for all i.
    pub fn predictions(&self) -> &Matrix {
        &self.predictions
    }

    /// Number of columns of one model's predictions: all of them, but for [`Rivals`](crate::compare::Rivals).
    pub fn model_columns(&self) -> usize {
        self.model_columns
    }

    /// x_i for all i, where given.
    pub fn features(&self) -> Option<&Matrix> {
        self.features.as_ref()
    }

    /// The model's own predictions as beliefs: the model is its own surrogate. Regression needs predicted variances. Of
    /// rivals it is the ensemble of them all.
    pub fn own_beliefs(&self) -> Result<Beliefs<T>> {
        T::own_beliefs(self)
    }

    /// Eq. (1): the pool risk, if all labels are known.
    pub fn risk(&self, loss: &dyn Loss<T>, labels: &[T::Label]) -> Result<f64> {
        if labels.len() != self.pool_size() {
            return Err(Error::Rows {
                what: Table::Other("labels"),
                rows: labels.len(),
                expected: self.pool_size(),
            });
        }
        let mut reader = self.predictions.reader();
        let mut sum = 0.0;
        for (item, &label) in labels.iter().enumerate() {
            T::check_label(item, label, self.model_columns)?;
            sum += loss.loss(T::prediction(reader.row(item)), label);
        }
        Ok(sum / self.pool_size() as f64)
    }

    /// Refuses an item that is not in the pool.
    pub(crate) fn check_item(&self, item: usize) -> Result<()> {
        let pool_size = self.pool_size();
        if item < pool_size { Ok(()) } else { Err(Error::UnknownItem { item, pool_size }) }
    }
}
