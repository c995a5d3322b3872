//! Simulations on a pool whose labels are all known.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use labelwise_study::simulate::{Plan, Simulation, Strategy};
use labelwise_study::{AcquisitionName, BeliefName, Column, EstimatorName, Named};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::error::{Error, Outcome, Raised, detached};
use crate::labels::label_texts;
use crate::options::{Options, When, floor};

/// A strategy as Python names it; what is left out is as the options of the evaluation have it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct StrategyOptions {
    name: String,
    belief: Option<String>,
    acquisition: Option<String>,
    floor: Option<(String, f64)>,
    rescore: Option<When>,
    estimator: String,
    strata: Option<usize>,
}

impl StrategyOptions {
    fn strategy(&self) -> Outcome<Strategy> {
        let name: Cow<'static, str> = Cow::Owned(self.name.clone());
        Ok(Strategy {
            key: name.clone(),
            title: name,
            belief: self.belief.as_deref().map(BeliefName::named).transpose()?,
            acquisition: self.acquisition.as_deref().map(AcquisitionName::named).transpose()?,
            floor: self.floor.as_ref().map(|(kind, value)| floor(kind, *value)).transpose()?,
            rescore: self.rescore.clone().map(Into::into),
            estimator: EstimatorName::named(&self.estimator)?,
            strata: self.strata,
        })
    }
}

/// The estimates of all runs of a strategy, and the ends of their intervals.
type Runs<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Spends labels many times over by each strategy: the metric on the whole pool, and what the runs came to.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "what Python's keywords come down to")]
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    options: Options<'py>,
    labels: &Bound<'py, PyAny>,
    strategies: Vec<StrategyOptions>,
    budget: usize,
    runs: usize,
    level: f64,
    seed: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<(f64, Vec<Runs<'py>>)> {
    let raised = Raised::default();
    let table = options.table(py)?;
    let texts = label_texts(labels, table.predictions.classes().unwrap_or_default())?;
    if texts.len() != table.rows() {
        let (given, items) = (texts.len(), table.rows());
        return Err(
            Error::Argument(format!("labels has {given} entries, but the pool has {items} items")).into()
        );
    }
    let known = Column::Texts(texts.iter().map(String::as_str).collect());
    let table = table.with_labels(&known).map_err(Error::from)?;
    let choices = options.choices(py, &table, &raised, 0)?;
    let strategies = strategies.iter().map(StrategyOptions::strategy).collect::<Outcome<Vec<_>>>()?;
    let done = AtomicUsize::new(0);
    let step = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        let Some(progress) = &progress else { return };
        Python::attach(|py| {
            if let Err(error) = progress.call1(py, (done, runs)) {
                raised.keep_fatal(error);
            }
        });
    };
    let (simulation, found) = detached(py, &raised, || {
        let simulation = Simulation::new(&table, &choices)?;
        let found = simulation.run(&strategies, &Plan::new(budget, runs, seed, level), &step)?;
        Ok((simulation, found))
    })?;
    let metric = simulation.metric();
    let column = |values: Vec<f64>| PyArray1::from_vec(py, values);
    let results = found.iter().flat_map(|stop| &stop.strategies).map(|result| {
        let ends = result.outcomes.iter().map(|outcome| {
            let interval =
                outcome.interval.map(|interval| metric.shown_interval(interval.low, interval.high));
            interval.unwrap_or((f64::NAN, f64::NAN))
        });
        let (low, high) = ends.unzip();
        let values = result.outcomes.iter().map(|outcome| metric.shown(outcome.estimate)).collect();
        (column(values), column(low), column(high))
    });
    Ok((metric.shown(simulation.truth().risk), results.collect()))
}
