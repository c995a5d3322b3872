//! Algorithm 1 to the end of the budget, with estimates after every label.

use super::{Curve, curves};

use labelwise::estimator::{RegressionLure, RunningLure, Sample};
use labelwise::ledger::Outcome;
use labelwise::{Error, Evaluation, Result, Task};

/// How the risk is estimated after each label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// R̂_LURE.
    Lure,
    /// R̂_iid.
    Iid,
    /// Our default.
    Regression,
}

impl Reading {
    /// The estimator of a curve.
    pub(super) fn of(curve: Curve) -> Self {
        match curve.estimator {
            estimator if estimator == curves::UNIFORM.estimator => Self::Iid,
            estimator if estimator == curves::OURS.estimator => Self::Regression,
            _ => Self::Lure,
        }
    }
}

/// Estimates that go on from label to label.
pub(super) struct Running {
    lure: RunningLure,
    weighted: f64,
    sum: f64,
    labels: usize,
}

impl Running {
    pub(super) fn new(pool_size: usize) -> Self {
        Self { lure: RunningLure::new(pool_size), weighted: 0.0, sum: 0.0, labels: 0 }
    }

    /// One more label.
    pub(super) fn push(&mut self, q: f64, loss: f64) {
        self.weighted = self.lure.push(q, loss);
        self.sum += loss;
        self.labels += 1;
    }

    /// What the labels so far come to, by estimators that need nothing else.
    pub(super) fn read(&self, reading: Reading) -> Option<f64> {
        match reading {
            Reading::Lure => Some(self.weighted),
            Reading::Iid => Some(self.sum / self.labels as f64),
            Reading::Regression => None,
        }
    }
}

/// Spends a budget of `steps` labels. One column of estimates a reading.
pub(super) fn spend<T: Task>(
    mut evaluation: Evaluation<T>,
    labels: &[T::Label],
    steps: usize,
    readings: &[Reading],
) -> Result<Vec<Vec<f64>>> {
    let mut columns = vec![Vec::with_capacity(steps); readings.len()];
    let mut running = Running::new(evaluation.pool().pool_size());
    for _ in 0..steps {
        let Sample { q, loss, .. } = label_next(&mut evaluation, labels)?;
        running.push(q, loss);
        for (column, reading) in columns.iter_mut().zip(readings) {
            column.push(match running.read(*reading) {
                Some(value) => value,
                None => evaluation.estimate(&RegressionLure)?.value,
            });
        }
    }
    Ok(columns)
}

/// One step of Algorithm 1: draws an item and tells its label.
pub(super) fn label_next<T: Task>(evaluation: &mut Evaluation<T>, labels: &[T::Label]) -> Result<Sample> {
    let draw = evaluation.ask()?;
    let Some(&label) = labels.get(draw.index) else {
        return Err(Error::UnknownItem { item: draw.index, pool_size: labels.len() });
    };
    evaluation.tell(draw.index, label)?;
    match evaluation.outcomes().last() {
        Some(Outcome::Labelled { loss, .. }) => Ok(Sample::plain(draw.index, draw.q, *loss)),
        // It has just been told.
        _ => Err(Error::NotAsked { item: draw.index, open: 0, next: None }),
    }
}
