//! Algorithm 1 to the end of the budget, with estimates after every label.

use labelwise::{Evaluation, Outcome, RegressionLure, Result, RunningLure, Task};

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
        let draw = evaluation.ask()?;
        if let Some(label) = labels.get(draw.index) {
            evaluation.tell(draw.index, *label)?;
        }
        let Some(Outcome::Labelled { loss, .. }) = evaluation.outcomes().last() else { continue };
        let weighted = lure.push(draw.q, *loss);
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
