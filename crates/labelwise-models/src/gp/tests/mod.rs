//! What the fixtures and the properties in `tests/gp.rs` leave: draws, the surrogate, gradients, and errors.

mod draws;
mod errors;
mod gradients;
mod surrogate;

use labelwise::surrogate::Data;
use labelwise::{Matrix, Regression};

/// A table of one column.
fn column(values: impl IntoIterator<Item = f64>) -> Matrix {
    Matrix::f64(values.into_iter().collect::<Vec<f64>>(), 1).unwrap()
}

/// Labelled numbers.
fn data(features: &[f64], labels: &[f64]) -> Data<Regression> {
    Data::new(column(features.iter().copied()), labels.to_vec()).unwrap()
}
