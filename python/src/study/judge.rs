//! What labels say of judges: what one label is worth, where a judge was wrong, and the next batch.

use labelwise_study::{AppliedRate, Misjudgement, SystemRate};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Study;
use crate::error::Error;
use crate::options::PriorNumbers;
use crate::pool::PoolOptions;

/// What one label is worth: by the judge alone and with choosing, the range of each, the labels behind it, and words.
type Worth = (f64, f64, (f64, f64), (f64, f64), usize, String);

/// An item on which a judge was wrong: row, id, verdict, label, how sure, its passthrough columns.
type Wrong = (usize, String, String, String, f64, Vec<(String, String)>);

/// An estimate with its interval.
type Rate = (f64, f64, f64);

/// A next batch: items, labels, what the judges say of both, by error rates or why not, by verdicts, what is unseen.
type Next = (usize, usize, (f64, f64), Option<Rate>, Option<String>, Rate, f64);

/// What one label is worth.
#[pyfunction]
pub(crate) fn judge_worth(py: Python<'_>, study: &Study) -> PyResult<Worth> {
    let worth = study.with(py, |kept| Ok(kept.worth()?))?;
    let words = worth.to_string();
    Ok((worth.judge, worth.choosing, worth.judge_range, worth.choosing_range, worth.labels, words))
}

/// Labelled items on which the judge was surest and wrong.
#[pyfunction]
pub(crate) fn disagreements(py: Python<'_>, study: &Study, count: usize) -> PyResult<Vec<Wrong>> {
    let found = study.with(py, |kept| Ok(kept.disagreements(count)?))?;
    let row = |one: Misjudgement| (one.item, one.id, one.judge, one.label, one.surety, one.texts);
    Ok(found.into_iter().map(row).collect())
}

/// The names of the judges.
#[pyfunction]
pub(crate) fn judges(py: Python<'_>, study: &Study) -> PyResult<Vec<String>> {
    study.with(py, |kept| {
        let judges = kept.settings().judge.iter().flat_map(|judge| &judge.judges);
        Ok(judges.map(|judge| judge.name.clone()).collect())
    })
}

/// The rate of a next batch with the same judges and no labels, by two assumptions.
#[pyfunction]
pub(crate) fn apply(py: Python<'_>, study: &Study, next: PoolOptions<'_>, level: f64) -> PyResult<Next> {
    let table = next.table(py)?;
    let found = study.with(py, |kept| Ok(kept.apply(&table, level)?))?;
    let ends = |rate: AppliedRate| (rate.value, rate.low, rate.high);
    let (rates, reason) = (found.by_error_rates.map(ends), found.without_error_rates);
    Ok((found.items, found.labels, found.judged, rates, reason, ends(found.by_verdicts), found.unseen))
}

/// What an evaluation of the next batch takes over from this one.
#[pyfunction]
pub(crate) fn successor<'py>(
    py: Python<'py>,
    study: &Study,
    next: PoolOptions<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let table = next.table(py)?;
    let choices = study.with(py, |kept| Ok(kept.successor(&table)?))?;
    let own = choices.metric.iter().map(|metric| metric.name.clone());
    let aims = own.chain(choices.aims.iter().map(|aim| aim.name().to_owned()));
    let dict = PyDict::new(py);
    dict.set_item("aims", aims.collect::<Vec<_>>())?;
    dict.set_item("positive", &choices.positive)?;
    dict.set_item("worths", &choices.worths)?;
    dict.set_item("label_classes", &choices.labels)?;
    dict.set_item("range", choices.range)?;
    dict.set_item("seed", choices.seed)?;
    let prior: Option<PriorNumbers> = choices.prior.map(|prior| prior.to_numbers());
    dict.set_item("prior", prior)?;
    Ok(dict)
}

/// The rate or the mean value of each of two systems.
#[pyfunction]
pub(crate) fn pair_rates(
    py: Python<'_>,
    study: &Study,
    level: f64,
) -> PyResult<Vec<(String, f64, f64, f64)>> {
    let row = |rate: SystemRate| (rate.system, rate.estimate, rate.low, rate.high);
    study.with(py, |kept| {
        let is_pair = kept.settings().judge.as_ref().is_some_and(|judge| judge.pair.is_some());
        if !is_pair {
            let sentence = "rates are of two systems whose answers each have a label: use estimates()";
            return Err(Error::Argument(sentence.to_owned()));
        }
        Ok(kept.pair_rates(level)?.into_iter().map(row).collect())
    })
}
