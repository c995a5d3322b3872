//! An evaluation on disk, as Python holds it: the same file as the program's.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use labelwise::report::Report;
use labelwise_study::{
    Answer as Said, By, Fate, Measurable, Metric, Reply, Scored, Study, Wanted, WantedScores, now,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::durable_options::DurableOptions;
use crate::error::{Error, LabelwiseError, Outcome, Raised, detached};
use crate::estimates::Answer;
use crate::plan::{Plan, Wish};
use crate::{names, page};

/// An evaluation on disk.
#[pyclass(frozen, module = "labelwise._engine")]
pub(crate) struct DurableEngine {
    durable: Mutex<Study>,
}

fn by(who: String, key: Option<String>) -> By {
    By { who, at: now(), key }
}

impl DurableEngine {
    /// What is made of the page of an evaluation.
    fn filled<R: Send>(
        &self,
        py: Python<'_>,
        title: Option<String>,
        metric: Option<String>,
        level: f64,
        target: String,
        made: impl Fn(&labelwise_report::Page) -> Outcome<R> + Sync,
    ) -> PyResult<R> {
        let mut durable = self.lock()?;
        let durable = &mut *durable;
        detached(py, &Raised::default(), || {
            durable.reload()?;
            let metric = mean_metric(durable, metric.as_deref())?;
            let order = labelwise_report::Order {
                title: title.clone(),
                metric: &metric,
                level,
                target: names::target(&target)?,
                now: now(),
            };
            made(&labelwise_report::page(durable, &order)?)
        })
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, Study>> {
        match self.durable.try_lock() {
            Ok(durable) => Ok(durable),
            Err(TryLockError::Poisoned(poisoned)) => Ok(PoisonError::into_inner(poisoned)),
            Err(TryLockError::WouldBlock) => Err(LabelwiseError::new_err(
                "this evaluation is in use by another thread: open the file once for each",
            )),
        }
    }

    fn happen(
        &self,
        py: Python<'_>,
        answers: Vec<Said>,
        by: By,
        verb: fn(&mut Study, &[Said], &By) -> labelwise_study::Result<labelwise_study::Told>,
    ) -> PyResult<(usize, usize)> {
        let mut durable = self.lock()?;
        let durable = &mut *durable;
        let told = detached(py, &Raised::default(), || Ok(verb(durable, &answers, &by)?))?;
        Ok((told.recorded, told.already))
    }
}

/// An item to be labelled: place, id, row of the pool, and what the labeller needs.
type Item = (usize, String, usize, Vec<(String, String)>);

#[pymethods]
impl DurableEngine {
    /// Opens an evaluation, to write or to read only.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, write: bool) -> PyResult<Self> {
        let opened = detached(py, &Raised::default(), || {
            Ok(if write { Study::open(path)? } else { Study::read(path)? })
        })?;
        Ok(Self { durable: Mutex::new(opened) })
    }

    /// Makes an evaluation, and says what was decided.
    #[staticmethod]
    fn create(py: Python<'_>, path: PathBuf, options: DurableOptions) -> PyResult<(Self, Vec<String>)> {
        let created = detached(py, &Raised::default(), || options.create(path, now()))?;
        Ok((Self { durable: Mutex::new(created.evaluation) }, created.decisions))
    }

    /// Draws the next items.
    fn ask(&self, py: Python<'_>, count: usize, who: String, key: Option<String>) -> PyResult<Vec<Item>> {
        let by = by(who, key);
        let mut durable = self.lock()?;
        let durable = &mut *durable;
        let asked = detached(py, &Raised::default(), || Ok(durable.ask(count, &by)?))?;
        Ok(asked.into_iter().map(|asked| (asked.place, asked.id, asked.item, asked.carried)).collect())
    }

    /// The items that wait for a label.
    fn open_items(&self, py: Python<'_>) -> PyResult<Vec<Item>> {
        let mut durable = self.lock()?;
        let durable = &mut *durable;
        let asked = detached(py, &Raised::default(), || {
            durable.reload()?;
            Ok(durable.waiting()?)
        })?;
        Ok(asked.into_iter().map(|asked| (asked.place, asked.id, asked.item, asked.carried)).collect())
    }

    /// Records labels by id.
    fn tell(
        &self,
        py: Python<'_>,
        answers: Vec<(String, String)>,
        who: String,
        key: Option<String>,
        note: Option<String>,
    ) -> PyResult<(usize, usize)> {
        let said = answers.into_iter().map(|(id, label)| Said { note: note.clone(), ..Said::new(id, label) });
        self.happen(py, said.collect(), by(who, key), Study::tell)
    }

    /// Corrects labels by id.
    fn amend(
        &self,
        py: Python<'_>,
        answers: Vec<(String, String)>,
        who: String,
        key: Option<String>,
        note: Option<String>,
    ) -> PyResult<(usize, usize)> {
        let said = answers.into_iter().map(|(id, label)| Said { note: note.clone(), ..Said::new(id, label) });
        self.happen(py, said.collect(), by(who, key), Study::amend)
    }

    /// Gives labels up by id; at random or not.
    fn give_up(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
        at_random: bool,
        who: String,
        note: Option<String>,
    ) -> PyResult<(usize, usize)> {
        let reply = if at_random { Reply::MissingAtRandom } else { Reply::Skip };
        let said =
            ids.into_iter().map(|id| Said { id, reply: reply.clone(), line: None, note: note.clone() });
        self.happen(py, said.collect(), by(who, None), Study::tell)
    }

    /// Estimates, each as a dictionary.
    #[allow(clippy::too_many_arguments, reason = "what Python's keywords come down to")]
    fn estimate<'py>(
        &self,
        py: Python<'py>,
        metrics: Vec<String>,
        level: f64,
        target: &str,
        interval: &str,
        planned: Option<usize>,
        estimator: &str,
        positive: Option<String>,
        by: Option<String>,
        group: Option<String>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let metrics = crate::build::measurables(&metrics)?;
        let target = names::target(target)?;
        let wanted = Wanted {
            metrics: Vec::new(),
            level,
            target,
            method: names::method(interval, planned)?,
            estimator: names::durable_estimator(estimator)?,
        };
        let scores = WantedScores { metrics: Vec::new(), positive, by, group, level, target };
        let mut durable = self.lock()?;
        let durable = &mut *durable;
        let answers = detached(py, &Raised::default(), || estimated(durable, metrics, &wanted, &scores))?;
        answers
            .iter()
            .map(|(answer, class, slice)| {
                let dict = answer.dict(py)?;
                dict.set_item("class", class)?;
                dict.set_item("slice", slice)?;
                Ok(dict)
            })
            .collect()
    }

    /// Confidence minus accuracy, in ten bins.
    fn calibration<'py>(&self, py: Python<'py>, level: f64, target: &str) -> PyResult<Bound<'py, PyDict>> {
        let target = names::target(target)?;
        let mut durable = self.lock()?;
        let durable = &mut *durable;
        let found = detached(py, &Raised::default(), move || {
            durable.reload()?;
            Ok((durable as &Study).calibration(labelwise_study::BINS, target, level)?)
        })?;
        crate::calibration::dict(py, &found)
    }

    /// N, items left, draws, labels.
    fn counts(&self) -> PyResult<(usize, usize, usize, usize)> {
        let mut durable = self.lock()?;
        durable.reload().map_err(Error::from)?;
        Ok((durable.settings().pool.size, durable.left(), durable.asked(), durable.labels()))
    }

    /// What the evaluation was made with.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let durable = self.lock()?;
        let settings = durable.settings();
        let dict = PyDict::new(py);
        dict.set_item("path", durable.path())?;
        dict.set_item("version", &settings.version)?;
        dict.set_item("pool", &settings.pool.path)?;
        dict.set_item("fingerprint", &settings.pool.fingerprint)?;
        dict.set_item("pool_size", settings.pool.size)?;
        dict.set_item("predictions", settings.subject.in_words())?;
        let classes = match &settings.subject {
            labelwise_study::Subject::Classes { names } => Some(names.clone()),
            _ => None,
        };
        dict.set_item("classes", classes)?;
        dict.set_item("loss", settings.made_for())?;
        dict.set_item("surrogate", settings.surrogate.in_words())?;
        dict.set_item("acquisition", settings.acquisition.in_words())?;
        dict.set_item("floor", settings.floor.in_words())?;
        dict.set_item("seed", settings.seed)?;
        Ok(dict)
    }

    /// Columns of all draws.
    fn draws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut durable = self.lock()?;
        durable.reload().map_err(Error::from)?;
        let dict = PyDict::new(py);
        let rows: Vec<_> = durable.history().map_err(Error::from)?.collect();
        let history = || rows.iter();
        dict.set_item("id", history().map(|row| row.id.to_owned()).collect::<Vec<String>>())?;
        let items = history().map(|row| i64::try_from(row.item).unwrap_or(i64::MAX));
        dict.set_item("item", PyArray1::from_vec(py, items.collect::<Vec<i64>>()))?;
        dict.set_item("q", PyArray1::from_vec(py, history().map(|row| row.q).collect::<Vec<f64>>()))?;
        let labels = history().map(|row| match row.fate {
            Fate::Labelled(label) => Some(label.clone()),
            _ => None,
        });
        dict.set_item("label", labels.collect::<Vec<Option<String>>>())?;
        let states = history().map(|row| match row.fate {
            Fate::Labelled(_) => "labelled",
            Fate::Skipped => "skipped",
            Fate::MissingAtRandom => "missing",
            _ => "open",
        });
        dict.set_item("state", states.collect::<Vec<&str>>())?;
        let refreshes = history().map(|row| i64::try_from(row.refresh).unwrap_or(i64::MAX));
        dict.set_item("refresh", PyArray1::from_vec(py, refreshes.collect::<Vec<i64>>()))?;
        dict.set_item("at", PyArray1::from_vec(py, history().map(|row| row.at).collect::<Vec<i64>>()))?;
        dict.set_item("who", history().map(|row| row.who.to_owned()).collect::<Vec<String>>())?;
        let losses = durable.losses(&durable.settings().metric).map_err(Error::from);
        if let Ok(losses) = losses {
            let losses = losses.into_iter().map(|loss| loss.unwrap_or(f64::NAN));
            dict.set_item("loss", PyArray1::from_vec(py, losses.collect::<Vec<f64>>()))?;
        }
        Ok(dict)
    }

    /// The report as a page.
    fn page(
        &self,
        py: Python<'_>,
        title: Option<String>,
        metric: Option<String>,
        level: f64,
        target: String,
    ) -> PyResult<String> {
        self.filled(py, title, metric, level, target, |page| Ok(labelwise_report::html(page)?))
    }

    /// The estimate as it was after some of the draws: how many, its value, its interval, and that of uniform sampling.
    fn course(
        &self,
        py: Python<'_>,
        metric: Option<String>,
        level: f64,
        target: String,
    ) -> PyResult<Vec<page::Stop>> {
        self.filled(py, None, metric, level, target, page::course)
    }

    /// Makes every proposal and every draw again: refreshes, draws, events and the largest difference.
    fn verify(&self, py: Python<'_>) -> PyResult<(usize, usize, usize, f64)> {
        let mut durable = self.lock()?;
        let durable = &mut *durable;
        let found = detached(py, &Raised::default(), move || Ok((durable as &Study).verify(&|_, _| ())?))?;
        Ok((found.refreshes, found.draws, found.events, found.largest_difference))
    }

    /// What labels will buy.
    #[allow(clippy::too_many_arguments, reason = "what Python's keywords come down to")]
    fn plan<'py>(
        &self,
        py: Python<'py>,
        metric: Option<String>,
        half_width: Option<f64>,
        bar: Option<f64>,
        level: f64,
        target: String,
        method: String,
    ) -> PyResult<Bound<'py, PyDict>> {
        let wish = Wish { half_width, bar, level, target, method };
        let mut durable = self.lock()?;
        let durable = &mut *durable;
        let plan = detached(py, &Raised::default(), || {
            durable.reload()?;
            let metric = mean_metric(durable, metric.as_deref())?;
            let prospect = durable.prospect(&metric)?;
            Plan::new(prospect.as_ref(), &wish, &metric, durable.labels(), durable.settings().pool.size)
        })?;
        plan.dict(py)
    }
}

/// A mean loss by its name, or the one that the evaluation was made for.
fn mean_metric(durable: &Study, name: Option<&str>) -> Outcome<Metric> {
    match name {
        Some(name) => name.parse::<Metric>().map_err(|error| Error::Argument(error.to_string())),
        None => Ok(durable.settings().mean_metric().map_err(labelwise_study::Error::from)?.clone()),
    }
}

/// An answer, the class it is about, and its slice.
type Estimated = (Answer, Option<String>, Option<(String, String)>);

fn estimated(
    durable: &mut Study,
    metrics: Vec<Measurable>,
    wanted: &Wanted,
    scores: &WantedScores,
) -> Outcome<Vec<Estimated>> {
    durable.reload()?;
    let metrics = if metrics.is_empty() { durable.aims() } else { metrics };
    let mut answers = Vec::new();
    for metric in metrics {
        match metric {
            Measurable::Loss(metric) if scores.by.is_none() && scores.group.is_none() => {
                let wanted = Wanted { metrics: vec![metric], ..wanted.clone() };
                for found in durable.estimate(&wanted)? {
                    let report: &Report = &found.report;
                    answers.push((
                        Answer::of_report(&found.metric, report, wanted.level, wanted.target),
                        None,
                        None,
                    ));
                }
            }
            metric => {
                let positive = match &metric {
                    Measurable::Score(score) if score.score.needs_positive() => scores.positive.clone(),
                    _ => None,
                };
                let wanted = WantedScores { metrics: vec![metric], positive, ..scores.clone() };
                answers
                    .extend(durable.measure(&wanted)?.into_iter().map(|scored| of_scored(scored, &wanted)));
            }
        }
    }
    Ok(answers)
}

fn of_scored(scored: Scored, wanted: &WantedScores) -> Estimated {
    let answer = Answer {
        metric: scored.name,
        class: None,
        value: scored.value,
        interval: scored.interval,
        level: wanted.level,
        target: wanted.target,
        basis: scored.basis.map(str::to_owned),
        standard_error: scored.standard_error,
        labels: scored.labels,
        pool_size: scored.pool_size,
        bias: scored.bias,
        estimator: "LURE".to_owned(),
        skipped: None,
        diagnostics: vec![("effective_hits", scored.effective_hits)],
        warnings: scored.notes,
    };
    (answer, scored.class, scored.slice.map(|slice| (slice.column, slice.value)))
}
