//! An evaluation in memory, as Python holds it.

use std::sync::{Mutex, MutexGuard, TryLockError};

use labelwise::ledger::Outcome as Became;
use labelwise::{Classification, Regression, Task};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::build::{Options, Running};
use crate::error::{Error, LabelwiseError, Outcome, Raised, detached, guarded};
use crate::estimates::{self, Answer, Asked};
use crate::verbs::{Numbered, again, entry, tell_all};
use crate::{calibration, names, page};

/// One of the two tasks.
pub(crate) enum Kind {
    /// Probabilities of classes.
    Classes(Box<Running<Classification>>),
    /// Values, with or without variances.
    Values(Box<Running<Regression>>),
}

/// Something done with the evaluation of either task.
macro_rules! either {
    ($kind:expr, $running:ident => $work:expr) => {
        match $kind {
            Kind::Classes($running) => $work,
            Kind::Values($running) => $work,
        }
    };
}

/// An evaluation in memory.
#[pyclass(frozen, module = "labelwise._engine")]
pub(crate) struct Engine {
    kind: Mutex<Kind>,
    raised: Raised,
}

/// A label of a task, from an object of Python.
trait Told: Task {
    fn label(item: usize, label: &Bound<'_, PyAny>) -> Outcome<Self::Label>;
    fn labels(labels: &Bound<'_, PyAny>) -> Outcome<Vec<Self::Label>>;
}

impl Told for Classification {
    fn label(item: usize, label: &Bound<'_, PyAny>) -> Outcome<usize> {
        if let Ok(class) = label.extract::<usize>() {
            return Ok(class);
        }
        let shown = label.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
        Err(Error::Argument(format!(
            "label of item {item} is {shown}, but must be the number of a class, from 0 (or give `classes` their names)"
        )))
    }

    fn labels(labels: &Bound<'_, PyAny>) -> Outcome<Vec<usize>> {
        arrays::counts("labels", labels)
    }
}

impl Told for Regression {
    fn label(item: usize, label: &Bound<'_, PyAny>) -> Outcome<f64> {
        if let Ok(number) = label.extract::<f64>() {
            return Ok(number);
        }
        let shown = label.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
        Err(Error::Argument(format!("label of item {item} is {shown}, but must be a number")))
    }

    fn labels(labels: &Bound<'_, PyAny>) -> Outcome<Vec<f64>> {
        arrays::numbers("labels", labels)
    }
}

impl Engine {
    fn lock(&self) -> PyResult<MutexGuard<'_, Kind>> {
        match self.kind.try_lock() {
            Ok(kind) => Ok(kind),
            // Nothing was half done: the core leaves an evaluation as it was when it refuses.
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(LabelwiseError::new_err(
                "this evaluation is in use, by another thread or by the surrogate that called it: wait until it is done",
            )),
        }
    }
}

#[pymethods]
impl Engine {
    #[new]
    fn new(py: Python<'_>, task: &str, options: Options<'_>) -> PyResult<Self> {
        let raised = Raised::default();
        let kind = if task == "classes" {
            let ready = options.classes(&raised)?;
            Kind::Classes(Box::new(detached(py, &raised, || ready.build())?))
        } else {
            let ready = options.values(&raised)?;
            Kind::Values(Box::new(detached(py, &raised, || ready.build())?))
        };
        Ok(Self { kind: Mutex::new(kind), raised })
    }

    /// The next item.
    fn ask(&self, py: Python<'_>) -> PyResult<usize> {
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        detached(py, &self.raised, || Ok(either!(kind, running => running.evaluation.ask())?.index))
    }

    /// The next items.
    fn ask_batch<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        let items = detached(py, &self.raised, || {
            let draws = either!(kind, running => running.evaluation.ask_batch(count))?;
            Ok(draws.iter().map(|draw| i64::try_from(draw.index).unwrap_or(i64::MAX)).collect::<Vec<i64>>())
        })?;
        Ok(PyArray1::from_vec(py, items))
    }

    /// Records one label; says whether it is new.
    fn tell(&self, item: usize, label: &Bound<'_, PyAny>) -> PyResult<bool> {
        let mut kind = self.lock()?;
        guarded(&self.raised, || {
            let told = match &mut *kind {
                Kind::Classes(running) => running.evaluation.tell(item, Classification::label(item, label)?),
                Kind::Values(running) => running.evaluation.tell(item, Regression::label(item, label)?),
            };
            Ok(told? == labelwise::evaluation::Told::Recorded)
        })
    }

    /// Records labels, all of them or none; says how many are new.
    fn tell_batch(&self, items: &Bound<'_, PyAny>, labels: &Bound<'_, PyAny>) -> PyResult<usize> {
        let items = arrays::counts("items", items)?;
        let mut kind = self.lock()?;
        guarded(&self.raised, || match &mut *kind {
            Kind::Classes(running) => tell_all(running, &items, Classification::labels(labels)?),
            Kind::Values(running) => tell_all(running, &items, Regression::labels(labels)?),
        })
    }

    /// Corrects a label.
    fn amend(&self, item: usize, label: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut kind = self.lock()?;
        guarded(&self.raised, || {
            match &mut *kind {
                Kind::Classes(running) => running.evaluation.amend(item, Classification::label(item, label)?),
                Kind::Values(running) => running.evaluation.amend(item, Regression::label(item, label)?),
            }?;
            Ok(())
        })
    }

    /// Gives a label up.
    fn skip(&self, item: usize) -> PyResult<()> {
        let mut kind = self.lock()?;
        guarded(&self.raised, || Ok(either!(&mut *kind, running => running.evaluation.skip(item))?))
    }

    /// Declares a label missing at random.
    fn missing_at_random(&self, item: usize) -> PyResult<()> {
        let mut kind = self.lock()?;
        guarded(&self.raised, || {
            Ok(either!(&mut *kind, running => running.evaluation.missing_at_random(item))?)
        })
    }

    /// Estimates, each as a dictionary.
    #[allow(clippy::too_many_arguments, reason = "what Python's keywords come down to")]
    fn estimate<'py>(
        &self,
        py: Python<'py>,
        metric: Option<String>,
        level: f64,
        target: String,
        interval: String,
        planned: Option<usize>,
        estimator: String,
        positive: Option<usize>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let asked = Asked { metric, level, target, interval, planned, estimator, positive };
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        let answers: Vec<Answer> =
            detached(py, &self.raised, || either!(kind, running => estimates::estimate(running, &asked)))?;
        answers.iter().map(|answer| answer.dict(py)).collect()
    }

    /// The report in words.
    fn report(
        &self,
        py: Python<'_>,
        level: f64,
        target: String,
        interval: String,
        estimator: String,
    ) -> PyResult<String> {
        let (metric, planned, positive) = (None, None, None);
        let asked = Asked { metric, level, target, interval, planned, estimator, positive };
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        detached(py, &self.raised, || either!(kind, running => estimates::report(running, &asked)))
    }

    /// The report as a page.
    #[allow(clippy::too_many_arguments, reason = "what Python's keywords come down to")]
    fn page(
        &self,
        py: Python<'_>,
        title: String,
        level: f64,
        target: String,
        classes: Option<Vec<String>>,
        seed: u64,
        settings: Vec<(String, String)>,
    ) -> PyResult<String> {
        let order = page::Order { title, level, target, classes, seed, settings };
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        detached(py, &self.raised, || {
            Ok(labelwise_report::html(&either!(kind, running => page::page(running, &order))?)?)
        })
    }

    /// The estimate as it was after some of the draws: how many, its value, its interval, and that of uniform sampling.
    fn course(&self, py: Python<'_>, level: f64, target: String) -> PyResult<Vec<page::Stop>> {
        let (title, classes, seed, settings) = (String::new(), None, 0, Vec::new());
        let order = page::Order { title, level, target, classes, seed, settings };
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        detached(py, &self.raised, || page::course(&either!(kind, running => page::page(running, &order))?))
    }

    /// Confidence minus accuracy, in bins.
    fn calibration<'py>(
        &self,
        py: Python<'py>,
        bins: usize,
        level: f64,
        target: &str,
    ) -> PyResult<Bound<'py, PyDict>> {
        let target = names::target(target)?;
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        let found = detached(py, &self.raised, || match kind {
            Kind::Classes(running) => calibration::of_running(running, bins, target, level),
            Kind::Values(_) => {
                Err(Error::Argument("calibration is of probabilities, but `mean` was given".to_owned()))
            }
        })?;
        calibration::dict(py, &found)
    }

    /// N, items left, draws, labels, and the length of the prefix that counts.
    fn counts(&self) -> PyResult<(usize, usize, usize, usize, usize)> {
        let kind = self.lock()?;
        Ok(either!(&*kind, running => {
            let evaluation = &running.evaluation;
            let labels = evaluation.observed().len();
            let size = running.pool.pool_size();
            (size, evaluation.left(), evaluation.draws().len(), labels, evaluation.complete())
        }))
    }

    /// The items that wait for a label, in draw order.
    fn open_items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let kind = self.lock()?;
        let items: Vec<i64> =
            either!(&*kind, running => running.evaluation.open_draws().map(|d| whole(d.index)).collect());
        Ok(PyArray1::from_vec(py, items))
    }

    /// Columns of all draws: item, q, label, loss, expected loss, refresh, and what became of each.
    fn draws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let kind = self.lock()?;
        let dict = PyDict::new(py);
        either!(&*kind, running => {
            let draws = running.evaluation.draws();
            let outcomes = running.evaluation.outcomes();
            let column = |of: &dyn Fn(&labelwise::ledger::Draw) -> f64| PyArray1::from_iter(py, draws.iter().map(of));
            dict.set_item("item", PyArray1::from_iter(py, draws.iter().map(|draw| whole(draw.index))))?;
            dict.set_item("q", column(&|draw| draw.q))?;
            let labels = outcomes.iter().map(|outcome| label_of(outcome).map_or(f64::NAN, |(label, _)| label));
            dict.set_item("label", PyArray1::from_iter(py, labels))?;
            let losses = outcomes.iter().map(|outcome| label_of(outcome).map_or(f64::NAN, |(_, loss)| loss));
            dict.set_item("loss", PyArray1::from_iter(py, losses))?;
            dict.set_item("expected_loss", column(&|draw| draw.control))?;
            dict.set_item("expected_total", column(&|draw| draw.control_total))?;
            let refreshes = draws.iter().map(|draw| i64::try_from(draw.refresh).unwrap_or(i64::MAX));
            dict.set_item("refresh", PyArray1::from_iter(py, refreshes))?;
            let states: Vec<&str> = outcomes.iter().map(state).collect();
            dict.set_item("state", states)?;
        });
        Ok(dict)
    }

    /// What happened, as tuples that [`replay`](Self::replay) takes.
    fn journal(&self) -> PyResult<Vec<(&'static str, usize, f64)>> {
        let kind = self.lock()?;
        Ok(either!(&*kind, running => running.evaluation.journal().iter().map(entry).collect()))
    }

    /// Makes everything happen again, in an evaluation that was just made.
    fn replay(&self, py: Python<'_>, journal: Vec<(String, usize, f64)>) -> PyResult<()> {
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        detached(py, &self.raised, || either!(kind, running => again(running, &journal)))
    }

    /// What labels will buy: see `plan`.
    fn plan<'py>(
        &self,
        py: Python<'py>,
        half_width: Option<f64>,
        bar: Option<f64>,
        level: f64,
        target: String,
        method: String,
    ) -> PyResult<Bound<'py, PyDict>> {
        let wish = crate::plan::Wish { half_width, bar, level, target, method };
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        let plan =
            detached(py, &self.raised, || either!(kind, running => crate::plan::plan(running, &wish)))?;
        plan.dict(py)
    }
}

fn whole(item: usize) -> i64 {
    i64::try_from(item).unwrap_or(i64::MAX)
}

fn state<T: Task>(outcome: &Became<T>) -> &'static str {
    match outcome {
        Became::Open => "open",
        Became::Labelled { .. } => "labelled",
        Became::Skipped => "skipped",
        Became::MissingAtRandom => "missing",
    }
}

fn label_of<T: Numbered>(outcome: &Became<T>) -> Option<(f64, f64)> {
    match outcome {
        Became::Labelled { label, loss } => Some((T::number(*label), *loss)),
        _ => None,
    }
}
