//! What both linear models do with features: check them, take off their means, and go over a pool's rows in parallel.

use labelwise::surrogate::Data;
use labelwise::task::Table;
use labelwise::{Error, Matrix, Result, Task};
use rayon::prelude::*;

/// How many rows one thread predicts at a time.
const ROWS_AT_A_TIME: usize = 256;

/// Rows and columns of data to learn from. The fields of [`Data`] are open, so what its constructor checks is checked
/// again.
pub(crate) fn check_training<T: Task>(data: &Data<T>) -> Result<(usize, usize)> {
    let (rows, columns) = (data.features.rows(), data.features.columns());
    if rows != data.labels.len() {
        return Err(Error::TrainingRows { features: rows, labels: data.labels.len() });
    }
    let mut reader = data.features.reader();
    (0..rows).try_for_each(|item| check_finite(Table::TrainingFeatures, item, reader.row(item)))?;
    Ok((rows, columns))
}

fn check_finite(what: Table, item: usize, row: &[f64]) -> Result<()> {
    match row.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((column, &value)) => Err(Error::NotFinite { what, item, column, value }),
        None => Ok(()),
    }
}

/// Features without their means. The intercept takes the means up, so the fit is the same; but a large offset no longer
/// swallows digits, and a constant feature is exactly 0.
pub(crate) struct Centred {
    pub(crate) means: Vec<f64>,
    values: Vec<f64>,
}

impl Centred {
    /// `features` has rows.
    pub(crate) fn new(features: &Matrix) -> Self {
        let mut reader = features.reader();
        // Distances from the first row are averaged: those of a constant are 0, whatever its size.
        let first = reader.row(0).to_vec();
        let mut means = vec![0.0; first.len()];
        for item in 0..features.rows() {
            let row = reader.row(item).iter().zip(&first);
            means.iter_mut().zip(row).for_each(|(sum, (x, shift))| *sum += x - shift);
        }
        let count = features.rows() as f64;
        means.iter_mut().zip(&first).for_each(|(mean, shift)| *mean = shift + *mean / count);
        let mut values = Vec::with_capacity(features.rows() * first.len());
        for item in 0..features.rows() {
            values.extend(reader.row(item).iter().zip(&means).map(|(x, mean)| x - mean));
        }
        Self { means, values }
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.means.len())
    }
}

/// One row of `width` numbers for each row of features, which `predict` is given without their means, to read and to
/// spoil. Rows do not depend on each other, and so not on the number of threads.
pub(crate) fn predict_rows(
    features: &Matrix,
    means: &[f64],
    width: usize,
    predict: impl Fn(&mut [f64], &mut [f64]) + Sync,
) -> Result<Matrix> {
    if features.columns() != means.len() {
        let expected = format!("{} (as in the training features)", means.len());
        return Err(Error::Columns { what: Table::Features, columns: features.columns(), expected });
    }
    let mut rows = vec![0.0; features.rows() * width];
    let parts = rows.par_chunks_mut(ROWS_AT_A_TIME * width).enumerate().map(|(part, rows)| {
        let mut reader = features.reader();
        let mut centred = vec![0.0; means.len()];
        for (item, row) in (part * ROWS_AT_A_TIME..).zip(rows.chunks_exact_mut(width)) {
            let raw = reader.row(item);
            check_finite(Table::Features, item, raw)?;
            centred.iter_mut().zip(raw.iter().zip(means)).for_each(|(c, (x, mean))| *c = x - mean);
            predict(&mut centred, row);
            check_finite(Table::Predictions, item, row)?;
        }
        Ok(())
    });
    // The first part that failed is the one with the first bad row, whichever thread was done first.
    parts.collect::<Vec<Result<()>>>().into_iter().collect::<Result<()>>()?;
    Matrix::f64(rows, width)
}

/// The mean of numbers that are not none, as distances from the first: that of a constant is exactly the constant.
pub(crate) fn mean(numbers: &[f64]) -> f64 {
    let first = numbers.first().copied().unwrap_or(f64::NAN);
    first + numbers.iter().map(|number| number - first).sum::<f64>() / numbers.len() as f64
}

/// The scalar product, summed in four lanes so that it fills vector registers.
pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    let (mut fours, mut others) = (left.chunks_exact(4), right.chunks_exact(4));
    let mut sums = [0.0; 4];
    for (a, b) in fours.by_ref().zip(others.by_ref()) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (x, y))| *sum += x * y);
    }
    let rest: f64 = fours.remainder().iter().zip(others.remainder()).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}
