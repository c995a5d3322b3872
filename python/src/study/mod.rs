//! An evaluation as Python holds it, in memory or on disk.

mod compare;
mod goals;
mod held;
mod how;
pub(crate) mod judge;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use labelwise::plan::Side;
use labelwise_study::{Answer, AnswerOptions, Reply, Study as Kept, now};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use self::goals::Asked;
use self::how::How;
pub(crate) use self::how::by;
use crate::answers::{self, For};
use crate::error::{Error, Raised, detached, guarded};
use crate::labels::{self, Pairs, label_text, label_texts};
use crate::options::{Options, measurables};
use crate::page::{LabelPage, PageOptions};
use crate::pool::PoolOptions;
use crate::record::{self, whole};
use crate::steps::{StepRow, rows_of, steps_of};

/// An evaluation in memory or on disk.
#[pyclass(frozen, module = "labelwise._engine")]
pub(crate) struct Study {
    kept: Arc<Mutex<Kept>>,
    /// What objects of Python raise while they are called.
    raised: Raised,
}

/// An item to be labelled: place, id, row of the pool, and what the labeller needs.
type Item = (usize, String, usize, Vec<(String, String)>);

/// The estimate as it was after some draws: how many, its value, its interval, and that of uniform sampling.
type Stop = (usize, f64, Option<(f64, f64)>, Option<(f64, f64)>);

#[pymethods]
impl Study {
    /// Opens the labelling page.
    fn label(&self, py: Python<'_>, options: PageOptions) -> PyResult<LabelPage> {
        let kept = Arc::clone(&self.kept);
        detached(py, &self.raised, || LabelPage::open(kept, options))
    }

    /// Makes an evaluation, in memory where there is no path, and says what was decided.
    #[staticmethod]
    fn create(py: Python<'_>, path: Option<PathBuf>, options: Options<'_>) -> PyResult<(Self, Vec<String>)> {
        if let Some(path) = path.clone().filter(|path| path.exists()) {
            // Said before a large file is read for nothing.
            let exists = labelwise_study::FileError::Exists { path };
            return Err(Error::from(labelwise_study::Error::from(exists)).into());
        }
        let raised = Raised::default();
        let table = options.table(py)?;
        let choices = options.choices(py, &table, &raised, now())?;
        let created = detached(py, &raised, || {
            Ok(match path {
                None => Kept::in_memory(table, &choices)?,
                Some(path) if table.fingerprint == Default::default() => {
                    Kept::create(path, table.fingerprinted(), &choices)?
                }
                Some(path) => Kept::create(path, table, &choices)?,
            })
        })?;
        Ok((Self { kept: Arc::new(Mutex::new(created.evaluation)), raised }, created.decisions))
    }

    /// Opens an evaluation in a file, to write or to read only.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, write: bool) -> PyResult<Self> {
        let raised = Raised::default();
        let kept = detached(py, &raised, || Ok(if write { Kept::open(path)? } else { Kept::read(path)? }))?;
        Ok(Self { kept: Arc::new(Mutex::new(kept)), raised })
    }

    /// The row of the next item.
    fn ask_one(&self, py: Python<'_>, who: String) -> PyResult<usize> {
        let mut kept = self.lock()?;
        let kept = &mut *kept;
        let is_prepared = kept.is_prepared();
        let ask = || {
            let rows = kept.ask_rows(1, &by(kept, who, None))?;
            rows.first().copied().ok_or_else(|| Error::Other("nothing was drawn".to_owned()))
        };
        // To let other threads run takes longer than to hand out a draw.
        if is_prepared { guarded(&self.raised, ask) } else { detached(py, &self.raised, ask) }
    }

    /// The rows of the next items.
    fn ask_rows<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        who: String,
        key: Option<String>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let rows = self.change(py, |kept| Ok(kept.ask_rows(count, &by(kept, who, key))?))?;
        Ok(PyArray1::from_iter(py, rows.into_iter().map(whole)))
    }

    /// The next items.
    fn ask(&self, py: Python<'_>, count: usize, who: String, key: Option<String>) -> PyResult<Vec<Item>> {
        let asked = self.change(py, |kept| Ok(kept.ask(count, &by(kept, who, key))?))?;
        Ok(asked.into_iter().map(|asked| (asked.place, asked.id, asked.item, asked.carried)).collect())
    }

    /// The items that wait for a label.
    fn waiting(&self, py: Python<'_>) -> PyResult<Vec<Item>> {
        let asked = self.with(py, |kept| Ok(kept.waiting()?))?;
        Ok(asked.into_iter().map(|asked| (asked.place, asked.id, asked.item, asked.carried)).collect())
    }

    /// Records the label of one item.
    fn tell_one(&self, item: &Bound<'_, PyAny>, label: &Bound<'_, PyAny>, who: String) -> PyResult<()> {
        let mut kept = self.lock()?;
        guarded(&self.raised, || {
            let id = labels::id(&kept, item)?;
            let label = label_text(label, labels::classes(&kept))?;
            let by = by(&kept, who, None);
            kept.tell(&[Answer::new(id, label)], &by)?;
            Ok(())
        })
    }

    /// Records or corrects labels, all of them or none: how many are new, and how many were known.
    #[allow(clippy::too_many_arguments, reason = "what Python's keywords come down to")]
    fn tell(
        &self,
        py: Python<'_>,
        items: &Bound<'_, PyAny>,
        labels: &Bound<'_, PyAny>,
        who: String,
        key: Option<String>,
        note: Option<String>,
        amends: bool,
    ) -> PyResult<(usize, usize)> {
        let kept = self.lock()?;
        let ids = labels::ids(&kept, items)?;
        let texts = label_texts(labels, labels::classes(&kept))?;
        drop(kept);
        if ids.len() != texts.len() {
            return Err(labels::one_each(ids.len(), texts.len()).into());
        }
        let answer = |(id, label)| Answer { note: note.clone(), ..Answer::new(id, label) };
        let answers = ids.into_iter().zip(texts).map(answer).collect();
        self.record(py, answers, (who, key), amends)
    }

    /// Records the valid labels of several, and returns the others: their place among the items, their id or what was given
    /// for one, and why.
    fn tell_partly(
        &self,
        py: Python<'_>,
        items: &Bound<'_, PyAny>,
        labels: &Bound<'_, PyAny>,
        who: String,
        key: Option<String>,
        note: Option<String>,
    ) -> PyResult<Vec<(usize, String, String)>> {
        let kept = self.lock()?;
        let Pairs { answers, places, mut refused } = labels::pairs(&kept, items, labels, note.as_deref())?;
        drop(kept);
        let result = self.with(py, |kept| {
            let by = by(kept, who, key);
            Ok(kept.tell_partly(&answers, &by)?)
        })?;
        refused.extend(result.refused.into_iter().map(|answer| {
            let place = places.get(answer.place).copied().unwrap_or(answer.place);
            let sentence = answer.to_string();
            (place, answer.id, sentence)
        }));
        refused.sort_by_key(|(place, ..)| *place);
        Ok(refused)
    }

    /// Gives labels up, at random or not.
    fn give_up(
        &self,
        py: Python<'_>,
        items: &Bound<'_, PyAny>,
        at_random: bool,
        who: String,
        note: Option<String>,
    ) -> PyResult<(usize, usize)> {
        let ids = labels::ids(&*self.lock()?, items)?;
        let reply = if at_random { Reply::MissingAtRandom } else { Reply::Skip };
        let answer = |id| Answer { id, reply: reply.clone(), line: None, note: note.clone(), who: None };
        let answers = ids.into_iter().map(answer).collect();
        self.record(py, answers, (who, None), false)
    }

    /// Estimates, each as a dictionary.
    #[allow(clippy::too_many_arguments, reason = "what Python's keywords come down to")]
    fn estimate<'py>(
        &self,
        py: Python<'py>,
        metrics: Vec<String>,
        how: How,
        positive: Option<String>,
        threshold: Option<f64>,
        by: Option<String>,
        group: Option<String>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let (what, metrics) = (how.what()?, measurables(&metrics)?);
        let (method, estimator) = (how.method()?, how.estimator()?);
        let For { level, target } = what;
        let wanted =
            AnswerOptions { metrics, positive, threshold, by, group, level, target, method, estimator };
        let found = self.with(py, |kept| Ok(kept.answers(&wanted)?))?;
        Ok(answers::estimates(py, found, what)?)
    }

    /// The estimates of a metric, or of those that the evaluation was made for, in words.
    fn words(
        &self,
        py: Python<'_>,
        metric: Option<String>,
        how: How,
        positive: Option<String>,
    ) -> PyResult<String> {
        let For { level, target } = how.what()?;
        let metrics = measurables(&metric.into_iter().collect::<Vec<_>>())?;
        let wanted = AnswerOptions { metrics, positive, level, target, ..AnswerOptions::default() };
        self.with(py, |kept| {
            let found = kept.answers(&wanted)?;
            Ok(found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        })
    }

    /// The report of a metric as a page.
    fn html(
        &self,
        py: Python<'_>,
        title: Option<String>,
        metric: Option<String>,
        how: How,
        positive: Option<String>,
    ) -> PyResult<String> {
        self.page(py, (title, metric, positive), &how, |page| Ok(labelwise_report::html(page)?))
    }

    /// The estimate of a metric as it was after some of the draws.
    fn course(&self, py: Python<'_>, metric: Option<String>, how: How) -> PyResult<Vec<Stop>> {
        self.page(py, (None, metric, None), &how, |page| {
            let steps = labelwise_report::course(page)?.into_iter();
            Ok(steps.map(|step| (step.draws, step.estimate, step.ends, step.uniform)).collect())
        })
    }

    /// Confidence minus accuracy, in bins.
    fn calibration<'py>(&self, py: Python<'py>, bins: usize, how: How) -> PyResult<Bound<'py, PyDict>> {
        let For { level, target } = how.what()?;
        let found = self.with(py, |kept| Ok(kept.calibration(bins, target, level)?))?;
        answers::calibration(py, &found)
    }

    /// How many labels goals need.
    #[allow(clippy::too_many_arguments, reason = "what Python's keywords come down to")]
    fn plan<'py>(
        &self,
        py: Python<'py>,
        metric: Option<String>,
        half_width: Option<f64>,
        threshold: Option<f64>,
        level: f64,
        target: &str,
        method: Option<&str>,
        positive: Option<String>,
    ) -> PyResult<Bound<'py, PyDict>> {
        goals::plan(self, py, (half_width, threshold), Asked { metric, level, target, method, positive })
    }

    /// Whether a metric is below or above a threshold.
    #[allow(clippy::too_many_arguments, reason = "what Python's keywords come down to")]
    fn check<'py>(
        &self,
        py: Python<'py>,
        metric: Option<String>,
        value: f64,
        above: bool,
        level: f64,
        target: &str,
        method: Option<&str>,
        positive: Option<String>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let side = if above { Side::Above } else { Side::Below };
        goals::check(self, py, (value, side), Asked { metric, level, target, method, positive })
    }

    /// Where the models of a comparison stand: the one that the others are compared with, and each of them.
    fn standings<'py>(
        &self,
        py: Python<'py>,
        baseline: Option<String>,
        how: How,
    ) -> PyResult<(String, Vec<Bound<'py, PyDict>>)> {
        compare::standings(self, py, baseline, how)
    }

    /// Another model on the labels of this evaluation.
    fn compare_with<'py>(
        &self,
        py: Python<'py>,
        pool: PoolOptions<'_>,
        metric: Option<String>,
        how: How,
        positive: Option<String>,
    ) -> PyResult<Bound<'py, PyDict>> {
        compare::compare_with(self, py, pool, metric, how, positive)
    }

    /// Makes every proposal and every draw again: refreshes, draws, events and the largest difference.
    fn verify(&self, py: Python<'_>) -> PyResult<(usize, usize, usize, f64)> {
        let found = self.with(py, |kept| Ok(kept.verify(&|_, _| ())?))?;
        Ok((found.refreshes, found.draws, found.events, found.largest_difference))
    }

    /// Computes the proposal that is due; whether one was.
    fn refresh(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |kept| Ok(kept.refresh(now())?.0))
    }

    /// Copies the evaluation into a new file.
    fn backup(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.with(py, |kept| Ok(kept.backup(path)?))
    }

    /// N, items left, draws, labels.
    fn counts(&self) -> PyResult<(usize, usize, usize, usize)> {
        let kept = self.followed()?;
        Ok((kept.settings().pool.size, kept.left(), kept.asked(), kept.labels()))
    }

    /// What the evaluation was made with, and how far it has come.
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        record::status(py, &*self.followed()?)
    }

    /// Columns of all draws.
    fn draws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        record::draws(py, &*self.followed()?)
    }

    /// Everything that was told, in order.
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        record::events(py, &*self.followed()?)
    }

    /// Everything that happened, for [`replay`](Self::replay).
    fn steps(&self) -> PyResult<Vec<StepRow>> {
        Ok(rows_of(self.lock()?.steps().map_err(Error::from)?))
    }

    /// Makes everything happen again, in an evaluation that was just made.
    fn replay(&self, py: Python<'_>, steps: Vec<StepRow>, who: String) -> PyResult<()> {
        let steps = steps_of(steps)?;
        self.with(py, |kept| Ok(kept.replay(&steps, &by(kept, who, None))?))
    }
}
