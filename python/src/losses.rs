//! Losses of the caller's own: a number for every item and class, a matrix of costs, or a function of Python.

use std::sync::Arc;

use labelwise::loss::{Bounds, CostMatrix, Custom, Loss, Moments, Sign};
use labelwise::task::Gaussian;
use labelwise::{Classification, Matrix};
use labelwise_study::SuppliedLoss;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::error::{Error, Outcome, Raised};

/// Costs of decisions.
pub(crate) fn of_costs(costs: &Matrix) -> Outcome<SuppliedLoss> {
    let costs = CostMatrix::new(costs)?;
    Ok(SuppliedLoss::Classes { loss: Arc::new(move || Box::new(costs.clone())), codes: None })
}

/// A function of a predicted mean (and variance) and a label; `bounds` are what its values lie between. What it raises is
/// kept, and NaN stands in its place, which the core refuses.
pub(crate) fn of_function(
    function: Py<PyAny>,
    variances: bool,
    signed: bool,
    bounds: Option<(f64, f64)>,
    raised: &Raised,
) -> Outcome<SuppliedLoss> {
    let (function, raised) = (Arc::new(function), raised.clone());
    let value = move |prediction: Gaussian, label: f64| {
        if raised.is_some() {
            return f64::NAN;
        }
        Python::attach(|py| {
            let called = if variances {
                function.call1(py, ((prediction.mean, prediction.variance), label))
            } else {
                function.call1(py, (prediction.mean, label))
            };
            called.and_then(|value| value.extract::<f64>(py)).unwrap_or_else(|error| {
                raised.keep_fatal(error);
                f64::NAN
            })
        })
    };
    let custom = if signed { Custom::signed(value) } else { Custom::non_negative(value) };
    let custom = match bounds {
        Some((low, high)) => custom.with_bounds(low, high)?,
        None => custom,
    };
    Ok(SuppliedLoss::Values(Arc::new(move || Box::new(custom.clone()))))
}

/// The values of a function of probabilities and a label, for every item and class.
pub(crate) fn of_every_class(
    py: Python<'_>,
    function: &Py<PyAny>,
    predictions: &Matrix,
    labels: &[Bound<'_, PyAny>],
) -> Outcome<Matrix> {
    let mut reader = predictions.reader();
    let mut losses = Vec::with_capacity(predictions.rows() * labels.len());
    for item in 0..predictions.rows() {
        let row = PyArray1::from_slice(py, reader.row(item));
        for label in labels {
            losses.push(function.call1(py, (&row, label))?.extract::<f64>(py)?);
        }
    }
    Ok(Matrix::f64(losses, labels.len())?)
}

/// A loss for every item and class, made elsewhere.
///
/// A loss sees predictions and no items. So what it is given in the place of predictions is a code for the item: two
/// probabilities that sum to one, and zeros.
#[derive(Debug, Clone)]
struct PerClass {
    losses: Matrix,
    sign: Sign,
}

/// A table of losses with a row per item and a column per class.
pub(crate) fn of_table(
    losses: Matrix,
    (items, classes): (usize, usize),
    signed: bool,
) -> Outcome<SuppliedLoss> {
    if (losses.rows(), losses.columns()) != (items, classes) {
        let (rows, columns) = (losses.rows(), losses.columns());
        return Err(Error::Argument(format!(
            "loss: an array of losses needs {items} rows and {classes} columns, not {rows} and {columns}"
        )));
    }
    let mut reader = losses.reader();
    for item in 0..items {
        for (class, &loss) in reader.row(item).iter().enumerate() {
            let wrong = if !loss.is_finite() {
                "losses must be finite"
            } else if loss < 0.0 && !signed {
                "say signed=True if losses may be negative"
            } else {
                continue;
            };
            return Err(Error::Argument(format!(
                "loss: that of item {item} with label {class} is {loss}: {wrong}"
            )));
        }
    }
    drop(reader);
    let sign = if signed { Sign::Signed } else { Sign::NonNegative };
    let loss = PerClass { losses, sign };
    Ok(SuppliedLoss::Classes {
        loss: Arc::new(move || Box::new(loss.clone())),
        codes: Some(codes(items, classes)?),
    })
}

/// Predictions that say which item each row is.
fn codes(items: usize, classes: usize) -> Outcome<Matrix> {
    let mut rows = vec![0.0; items * classes];
    for (item, row) in rows.chunks_exact_mut(classes.max(1)).enumerate() {
        let code = (item as f64 + 0.5) / items as f64;
        if let [first, second, ..] = row {
            (*first, *second) = (code, 1.0 - code);
        }
    }
    Ok(Matrix::f64(rows, classes)?)
}

impl PerClass {
    fn item(&self, code: &[f64]) -> usize {
        let code = code.first().copied().unwrap_or(0.0);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a code is between 0 and 1"
        )]
        let item = (code * self.losses.rows() as f64) as usize;
        item.min(self.losses.rows().saturating_sub(1))
    }
}

impl Loss<Classification> for PerClass {
    fn name(&self) -> &'static str {
        "custom loss"
    }

    fn loss(&self, prediction: &[f64], label: usize) -> f64 {
        let mut reader = self.losses.reader();
        reader.row(self.item(prediction)).get(label).copied().unwrap_or(f64::NAN)
    }

    fn moments(&self, prediction: &[f64], belief: &[f64]) -> Moments {
        let mut reader = self.losses.reader();
        let losses = reader.row(self.item(prediction)).iter().zip(belief);
        losses.fold(Moments { first: 0.0, second: 0.0 }, |moments, (loss, pi)| Moments {
            first: moments.first + pi * loss,
            second: moments.second + pi * loss * loss,
        })
    }

    fn bounds(&self, prediction: &[f64]) -> Option<Bounds> {
        let mut reader = self.losses.reader();
        let losses = reader.row(self.item(prediction)).iter();
        let none = Bounds { low: f64::INFINITY, high: f64::NEG_INFINITY };
        Some(losses.fold(none, |b, &loss| Bounds { low: b.low.min(loss), high: b.high.max(loss) }))
    }

    fn sign(&self) -> Sign {
        self.sign
    }
}
