//! The two tasks: what a label, a prediction f(x_i) and a belief π(y | x_i) are.

pub use crate::error::Table;
use std::fmt::{Debug, Display};
use std::ops::RangeInclusive;

use crate::error::{Error, Result};
use crate::matrix::{Matrix, Rows};
use crate::pool::Pool;
use crate::surrogate::Beliefs;

/// How far class probabilities may sum from one; f32 files and four printed decimals stay within it.
const SUM_TOLERANCE: f64 = 1e-3;

/// Names three types: label, prediction and belief. There are two tasks, [`Classification`] and [`Regression`], and each of
/// them with several models side by side, [`Rivals`](crate::compare::Rivals).
pub trait Task: Debug + Clone + Copy + PartialEq + Send + Sync + sealed::Sealed + 'static {
    /// y_i.
    type Label: Debug + Display + Copy + PartialEq + Send + Sync + 'static;
    /// f(x_i).
    type Prediction<'a>: Copy;
    /// π(y | x_i).
    type Belief<'a>: Copy;

    /// A row of predictions, read as one.
    fn prediction(row: &[f64]) -> Self::Prediction<'_>;
    /// A row of beliefs, read as one.
    fn belief(row: &[f64]) -> Self::Belief<'_>;
    /// Refuses a number of columns that predictions cannot have.
    fn check_prediction_columns(columns: usize) -> Result<()>;
    /// Refuses a number of columns that beliefs cannot have with these predictions.
    fn check_belief_columns(columns: usize, prediction_columns: usize) -> Result<()>;
    /// Refuses rows whose values are neither predictions nor beliefs; `start` is the first row's item.
    fn check_rows(what: Table, start: usize, rows: Rows<'_>) -> Result<()>;
    /// Refuses rows that are not predictions.
    fn check_predictions(start: usize, rows: Rows<'_>) -> Result<()> {
        Self::check_rows(Table::Predictions, start, rows)
    }
    /// Refuses a label that is impossible with this number of columns of predictions.
    fn check_label(item: usize, label: Self::Label, prediction_columns: usize) -> Result<()>;
    /// The predictions of a pool as beliefs.
    fn own_beliefs(pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        Beliefs::new(pool.predictions().clone(), pool)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Classification {}
    impl Sealed for super::Regression {}
    impl<T: Sealed> Sealed for crate::compare::Rivals<T> {}
}

/// The label is a class from 0; predictions and beliefs are one probability a class. A model that gives classes only
/// predicts rows of one 1 and zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classification {}

/// The label is a number; predictions are a mean and, where the model gives one, a variance; beliefs are Gaussian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Regression {}

impl Task for Classification {
    type Label = usize;
    type Prediction<'a> = &'a [f64];
    type Belief<'a> = &'a [f64];

    fn prediction(row: &[f64]) -> &[f64] {
        row
    }

    fn belief(row: &[f64]) -> &[f64] {
        row
    }

    fn check_prediction_columns(columns: usize) -> Result<()> {
        if columns > 1 {
            return Ok(());
        }
        Err(Error::Columns {
            what: Table::Predictions,
            columns,
            expected: "at least 2 (one per class)".to_owned(),
        })
    }

    fn check_belief_columns(columns: usize, prediction_columns: usize) -> Result<()> {
        if columns == prediction_columns {
            return Ok(());
        }
        let expected = format!("{prediction_columns} (one per class of the predictions)");
        Err(Error::Columns { what: Table::Beliefs, columns, expected })
    }

    /// A class probability is in [0, 1], and a row of them sums to one.
    fn check_rows(what: Table, start: usize, rows: Rows<'_>) -> Result<()> {
        // Numbers that are not negative and sum to one are probabilities. This is done for every row there is, so two
        // plain loops look for a sign and for a sum that is off or no number; only then each row is looked at.
        let signs = rows.values().iter().fold(0, |signs, value| signs | value.to_bits()) >> 63;
        if signs == 0 && sum_to_one(rows) {
            return Ok(());
        }
        (start..).zip(rows.iter()).try_for_each(|(item, row)| check_row(what, item, row))
    }

    fn check_label(item: usize, label: usize, classes: usize) -> Result<()> {
        if label < classes { Ok(()) } else { Err(Error::LabelOutOfRange { item, label, classes }) }
    }
}

/// Whether every row sums to one. The sums of eight rows go on at once.
#[allow(clippy::indexing_slicing, reason = "a kernel: eight rows are there, of `columns` columns each")]
fn sum_to_one(rows: Rows<'_>) -> bool {
    let columns = rows.columns();
    let fits = |sum: f64| (sum - 1.0).abs() <= SUM_TOLERANCE;
    let eights = rows.values().chunks_exact(8 * columns);
    let rest = eights.remainder().chunks(columns).all(|row| fits(row.iter().sum()));
    let all = eights.fold(true, |all, eight| {
        let mut sums = [0.0; 8];
        for column in 0..columns {
            for row in 0..8 {
                sums[row] += eight[row * columns + column];
            }
        }
        sums.iter().fold(all, |all, &sum| all & fits(sum))
    });
    all && rest
}

fn check_row(what: Table, item: usize, row: &[f64]) -> Result<()> {
    if let Some((class, &value)) =
        row.iter().enumerate().find(|(_, value)| !(0.0..=1.0 + SUM_TOLERANCE).contains(*value))
    {
        return Err(Error::Probability { what, item, class, value });
    }
    let sum: f64 = row.iter().sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE { Err(Error::ProbabilitySum { what, item, sum }) } else { Ok(()) }
}

/// f(x_i) of a regression model: its mean and its variance, which is 0 when the model gives none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaussian {
    /// The predicted mean.
    pub mean: f64,
    /// The predicted variance σ².
    pub variance: f64,
}

/// π(y | x_i) in regression: mean and total variance, with its epistemic part where that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GaussianBelief {
    /// E(y).
    pub mean: f64,
    /// Var(y), aleatoric and epistemic.
    pub variance: f64,
    /// The variance of the members' means; `None` when beliefs came as mean and total variance only.
    pub epistemic: Option<f64>,
}

impl Task for Regression {
    type Label = f64;
    type Prediction<'a> = Gaussian;
    type Belief<'a> = GaussianBelief;

    fn prediction(row: &[f64]) -> Gaussian {
        match *row {
            [mean, variance, ..] => Gaussian { mean, variance },
            [mean] => Gaussian { mean, variance: 0.0 },
            [] => Gaussian { mean: f64::NAN, variance: f64::NAN },
        }
    }

    fn belief(row: &[f64]) -> GaussianBelief {
        match *row {
            [mean, aleatoric, epistemic, ..] => {
                GaussianBelief { mean, variance: aleatoric + epistemic, epistemic: Some(epistemic) }
            }
            [mean, variance] => GaussianBelief { mean, variance, epistemic: None },
            _ => GaussianBelief { mean: f64::NAN, variance: f64::NAN, epistemic: None },
        }
    }

    fn check_prediction_columns(columns: usize) -> Result<()> {
        check_columns(Table::Predictions, columns, 1..=2, "1 (mean) or 2 (mean, variance)")
    }

    fn check_belief_columns(columns: usize, _prediction_columns: usize) -> Result<()> {
        check_columns(
            Table::Beliefs,
            columns,
            2..=3,
            "2 (mean, variance) or 3 (mean, aleatoric and epistemic variance)",
        )
    }

    /// Every number is finite, and those behind the mean are variances.
    fn check_rows(what: Table, start: usize, rows: Rows<'_>) -> Result<()> {
        // All at once, without a branch, since nearly always nothing is wrong.
        let finite = rows.values().iter().fold(true, |all, value| all & value.is_finite());
        let mut variances = rows.iter().flat_map(|row| row.iter().skip(1));
        if finite && variances.all(|variance| *variance >= 0.0) {
            return Ok(());
        }
        for (item, row) in (start..).zip(rows.iter()) {
            if let Some((column, &value)) = row.iter().enumerate().find(|(_, value)| !value.is_finite()) {
                return Err(Error::NotFinite { what, item, column, value });
            }
            if let Some(&value) = row.iter().skip(1).find(|&&variance| variance < 0.0) {
                return Err(Error::NegativeVariance { what, item, value });
            }
        }
        Ok(())
    }

    fn check_label(item: usize, label: f64, _prediction_columns: usize) -> Result<()> {
        if label.is_finite() { Ok(()) } else { Err(Error::LabelNotFinite { item, label }) }
    }
}

fn check_columns(what: Table, columns: usize, right: RangeInclusive<usize>, expected: &str) -> Result<()> {
    if right.contains(&columns) {
        return Ok(());
    }
    Err(Error::Columns { what, columns, expected: expected.to_owned() })
}

/// Every number is finite.
pub(crate) fn check_finite(what: Table, rows: &Matrix) -> Result<()> {
    match rows.find(f64::is_finite) {
        Some((item, column, value)) => Err(Error::NotFinite { what, item, column, value }),
        None => Ok(()),
    }
}
