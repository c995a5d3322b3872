//! Another model on shared labels.

use labelwise::interval::Method;
use labelwise_study::{Column, IdOrigin, Ids, Measurable, MetricError, ScoreTransfer, Transfer};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Study;
use super::how::{How, one_metric};
use crate::answers::{self, For};
use crate::error::Error;
use crate::pool::PoolOptions;

/// Another model on shared labels, by a mean loss or by another metric.
enum Shared {
    Mean(Box<Transfer>),
    Score(Box<ScoreTransfer>),
}

/// Another model on the labels of an evaluation.
pub(super) fn compare_with<'py>(
    study: &Study,
    py: Python<'py>,
    pool: PoolOptions<'_>,
    metric: Option<String>,
    how: How,
    positive: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut table = pool.table(py)?;
    let what = how.what()?;
    let found = study.with(py, |kept| {
        let metric = one_metric(kept, metric.as_deref())?;
        let size = kept.settings().pool.size;
        if let (IdOrigin::Column, Ids::Rows(rows)) = (kept.settings().pool.ids, &table.ids)
            && *rows == size
        {
            // Arrays are in the order of the pool.
            let ids = kept.ids(&(0..size).collect::<Vec<_>>())?;
            table.ids = Ids::Column(Column::Texts(ids.iter().map(String::as_str).collect()));
        }
        let score = match &metric {
            Measurable::Loss(metric) if positive.is_none() => {
                let wanted = how.compared(kept).wanted(vec![metric.clone()])?;
                return Ok(Shared::Mean(Box::new(kept.compare_with(&table, &wanted)?)));
            }
            Measurable::Loss(_) => {
                return Err(labelwise_study::Error::from(MetricError::PositiveUnused).into());
            }
            Measurable::Score(score) => score,
        };
        if how.method()? != Method::Ordinary {
            let metric = score.name.clone();
            return Err(labelwise_study::Error::from(MetricError::OrdinaryOnly { metric }).into());
        }
        let For { level, target } = what;
        let mut found = kept.compare_scores(&table, score, positive.as_deref(), (target, level))?;
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(Shared::Score(Box::new(only))),
            _ => Err(Error::Argument(format!(
                "{} is one number for each class: name one class with positive, or compare by the mean over classes",
                score.name
            ))),
        }
    })?;
    match found {
        Shared::Mean(found) => answers::transfer(py, &found, what),
        Shared::Score(found) => answers::score_transfer(py, *found, what),
    }
}
