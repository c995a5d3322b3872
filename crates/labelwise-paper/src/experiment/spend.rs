//! Algorithm 1 to the end of the budget, with estimates after every label.

use super::{Curve, curves};

use labelwise::{Error, Evaluation, Outcome, RegressionLure, Result, RunningLure, Sample, Task};

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

/// Spends a budget of `steps` labels. One column of estimates a reading.
pub(super) fn spend<T: Task>(
    mut evaluation: Evaluation<T>,
    labels: &[T::Label],
    steps: usize,
    readings: &[Reading],
) -> Result<Vec<Vec<f64>>> {
    let mut columns = vec![Vec::with_capacity(steps); readings.len()];
    let (mut lure, mut sum) = (RunningLure::new(evaluation.pool().pool_size()), 0.0);
    for m in 1..=steps {
        let Sample { q, loss, .. } = label_next(&mut evaluation, labels)?;
        let weighted = lure.push(q, loss);
        sum += loss;
        for (column, reading) in columns.iter_mut().zip(readings) {
            column.push(match reading {
                Reading::Lure => weighted,
                Reading::Iid => sum / m as f64,
                Reading::Regression => evaluation.estimate(&RegressionLure)?.value,
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
