//! Losses: the core's by name, a number for every item and class, a matrix of costs, or a function of Python.

use labelwise::loss::{
    AbsoluteError, Bounds, Brier, CostMatrix, Custom, GaussianNll, Loss, Moments, Sign, ZeroOne,
};
use labelwise::task::Gaussian;
use labelwise::{Classification, CrossEntropy, Matrix, Regression, SquaredError};
use labelwise_study::LossName;
use pyo3::prelude::*;

use crate::error::{Error, Outcome, Raised};

/// A loss of classes by name.
pub(crate) fn of_classes(name: LossName) -> Outcome<Box<dyn Loss<Classification>>> {
    Ok(match name {
        LossName::CrossEntropy => Box::new(CrossEntropy::default()),
        LossName::ZeroOne => Box::new(ZeroOne),
        LossName::Brier => Box::new(Brier),
        other => return Err(not_of("probabilities", other)),
    })
}

/// A loss of values by name, with what labels lie between where that was said.
pub(crate) fn of_values(
    name: LossName,
    variances: bool,
    range: Option<(f64, f64)>,
) -> Outcome<Box<dyn Loss<Regression>>> {
    Ok(match (name, range) {
        (LossName::SquaredError, None) => Box::new(SquaredError::default()),
        (LossName::SquaredError, Some((low, high))) => Box::new(SquaredError::with_label_range(low, high)?),
        (LossName::AbsoluteError, None) => Box::new(AbsoluteError::default()),
        (LossName::AbsoluteError, Some((low, high))) => Box::new(AbsoluteError::with_label_range(low, high)?),
        (LossName::GaussianNll, _) if !variances => {
            return Err(Error::Argument("loss \"gaussian_nll\" needs `variance` beside `mean`".to_owned()));
        }
        (LossName::GaussianNll, None) => Box::new(GaussianNll::default()),
        (LossName::GaussianNll, Some((low, high))) => Box::new(GaussianNll::with_label_range(low, high)?),
        (other, _) => return Err(not_of("mean", other)),
    })
}

fn not_of(argument: &str, loss: LossName) -> Error {
    let known = if argument == "mean" {
        "squared_error, absolute_error and gaussian_nll"
    } else {
        "log_loss, zero_one, accuracy and brier"
    };
    Error::Argument(format!("loss \"{loss}\" is not one of `{argument}`, which has {known}"))
}

/// Costs of decisions: a row a predicted class, a column a label.
pub(crate) fn of_costs(costs: &Matrix) -> Outcome<Box<dyn Loss<Classification>>> {
    Ok(Box::new(CostMatrix::new(costs)?))
}

/// A function of a predicted mean (and variance) and a label. What it raises is kept, and NaN stands in its place, which
/// the core refuses.
pub(crate) fn of_function(
    function: Py<PyAny>,
    variances: bool,
    signed: bool,
    bounds: Option<(f64, f64)>,
    raised: &Raised,
) -> Outcome<Box<dyn Loss<Regression>>> {
    let raised = raised.clone();
    let loss = move |prediction: Gaussian, label: f64| {
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
                raised.keep(error);
                f64::NAN
            })
        })
    };
    let custom = if signed { Custom::signed(loss) } else { Custom::non_negative(loss) };
    Ok(match bounds {
        Some((low, high)) => Box::new(custom.with_bounds(low, high)?),
        None => Box::new(custom),
    })
}

/// A loss for every item and class, made elsewhere.
///
/// A loss sees predictions and no items. So the pool of such an evaluation holds, in the place of predictions, a code for
/// the item: two probabilities that sum to one, and zeros. See [`codes`].
#[derive(Debug, Clone)]
pub(crate) struct PerClass {
    losses: Matrix,
    sign: Sign,
}

/// Predictions that say which item each row is.
pub(crate) fn codes(items: usize, classes: usize) -> Outcome<Matrix> {
    let mut rows = vec![0.0; items * classes];
    for (item, row) in rows.chunks_exact_mut(classes).enumerate() {
        let code = (item as f64 + 0.5) / items as f64;
        if let [first, second, ..] = row {
            (*first, *second) = (code, 1.0 - code);
        }
    }
    Ok(Matrix::f64(rows, classes)?)
}

impl PerClass {
    /// From a table with a row an item and a column a class.
    pub(crate) fn new(losses: Matrix, signed: bool) -> Outcome<Self> {
        let mut reader = losses.reader();
        for item in 0..losses.rows() {
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
        Ok(Self { losses, sign })
    }

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
