//! Comparisons: models that were compared from the start, and another model on shared labels.

use labelwise_study::{Column, IdOrigin, Ids, Metric, OnSharedLabels, PairVerdict, Standings};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Study;
use super::how::{How, one_name};
use crate::answers;
use crate::error::Error;
use crate::pool::PoolOptions;

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
    let metric = metric.as_deref().map(one_name).transpose()?;
    let found = study.with(py, |kept| {
        let size = kept.settings().pool.size;
        if let (IdOrigin::Column, Ids::Rows(rows)) = (kept.settings().pool.ids, &table.ids)
            && *rows == size
        {
            // Arrays are in the order of the pool.
            let ids = kept.ids(&(0..size).collect::<Vec<_>>())?;
            table.ids = Ids::Column(Column::Texts(ids.iter().map(String::as_str).collect()));
        }
        let wanted = how.compared(kept).wanted(Vec::new())?;
        Ok(kept.compare_by(&table, metric.as_ref(), positive.as_deref(), &wanted)?)
    })?;
    match found {
        OnSharedLabels::Mean(found) => answers::transfer(py, &found, what),
        OnSharedLabels::Scores(mut found) => match (found.pop(), found.is_empty()) {
            (Some(only), true) => answers::score_transfer(py, only, what),
            (one, _) => {
                let name = one.map_or_else(String::new, |one| one.own.name);
                let sentence = "is one number for each class: name one class with positive, or compare by the mean over \
                                classes";
                Err(Error::Argument(format!("{name} {sentence}")).into())
            }
        },
    }
}

/// Where the models of a comparison stand: the one that the others are compared with, and each of them.
pub(super) fn standings<'py>(
    study: &Study,
    py: Python<'py>,
    baseline: Option<String>,
    how: How,
) -> PyResult<(String, Vec<Bound<'py, PyDict>>)> {
    enum Found {
        Models(Box<Standings>, Metric),
        Pair(Box<PairVerdict>),
    }
    let what = how.what()?;
    let found = study.with(py, |kept| {
        let wanted = how.compared(kept).wanted(Vec::new())?;
        if let Some(pair) = kept.pair_verdict(&wanted)? {
            return match baseline {
                Some(name) if name != pair.systems[0] => {
                    let first = &pair.systems[0];
                    let sentence = format!(
                        "baseline is {name:?}, but the first of two systems is the baseline: {first}"
                    );
                    Err(Error::Argument(sentence))
                }
                _ => Ok(Found::Pair(Box::new(pair))),
            };
        }
        let standings = kept.compare(&wanted, baseline.as_deref())?;
        Ok(Found::Models(Box::new(standings), kept.settings().metric.clone()))
    })?;
    match found {
        Found::Models(found, metric) => answers::standings(py, &found, &metric, what),
        Found::Pair(found) => answers::pair(py, *found, what),
    }
}
