//! Several models compared on shared labels, as Python holds it.

use std::sync::{Mutex, MutexGuard, TryLockError};

use labelwise::compare::{Comparison, Question, Rival, Rivals, Standings, Versus, standings};
use labelwise::interval::Method;
use labelwise::ledger::Ledger;
use labelwise::loss::Loss;
use labelwise::{Classification, Evaluation, Fixed, Matrix, Pool, Regression, Seed, Target};
use labelwise_study::Metric;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::error::{Error, LabelwiseError, Outcome, Raised, detached, guarded};
use crate::estimates::Answer;
use crate::surrogates::Believed;
use crate::{losses, names};

/// A comparison that runs.
struct Contested<T: Rival> {
    evaluation: Evaluation<Rivals<T>>,
    pool: Pool<Rivals<T>>,
    metric: Metric,
    models: usize,
    columns: usize,
    range: Option<(f64, f64)>,
}

enum Kind {
    Classes(Box<Contested<Classification>>),
    Values(Box<Contested<Regression>>),
}

macro_rules! either {
    ($kind:expr, $contest:ident => $work:expr) => {
        match $kind {
            Kind::Classes($contest) => $work,
            Kind::Values($contest) => $work,
        }
    };
}

/// A comparison of models in memory.
#[pyclass(frozen, module = "labelwise._engine")]
pub(crate) struct ComparisonEngine {
    kind: Mutex<Kind>,
}

/// Everything that Python says of a comparison.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options<'py> {
    models: Vec<Bound<'py, PyAny>>,
    loss: Option<String>,
    range: Option<(f64, f64)>,
    members: Vec<Bound<'py, PyAny>>,
    floor: (String, f64),
    seed: u64,
}

/// What a task needs to be compared.
trait Contender: Rival + Believed {
    const DEFAULT: &'static str;
    fn loss(metric: &Metric, columns: usize, range: Option<(f64, f64)>) -> Outcome<Box<dyn Loss<Self>>>;
    fn pool(model: Matrix) -> Outcome<Pool<Self>>;
}

impl Contender for Classification {
    const DEFAULT: &'static str = "log_loss";

    fn loss(metric: &Metric, _columns: usize, _range: Option<(f64, f64)>) -> Outcome<Box<dyn Loss<Self>>> {
        losses::of_classes(metric.loss)
    }

    fn pool(model: Matrix) -> Outcome<Pool<Self>> {
        Ok(Pool::classification(model)?)
    }
}

impl Contender for Regression {
    const DEFAULT: &'static str = "squared_error";

    fn loss(metric: &Metric, columns: usize, range: Option<(f64, f64)>) -> Outcome<Box<dyn Loss<Self>>> {
        losses::of_values(metric.loss, columns > 1, range)
    }

    fn pool(model: Matrix) -> Outcome<Pool<Self>> {
        Ok(Pool::regression(model)?)
    }
}

impl Options<'_> {
    fn contested<T: Contender>(self, py: Python<'_>) -> PyResult<Contested<T>> {
        let models: Outcome<Vec<Matrix>> =
            self.models.iter().map(|model| arrays::table("models", model)).collect();
        let members: Outcome<Vec<Matrix>> =
            self.members.iter().map(|member| arrays::table("surrogate", member)).collect();
        let (models, members) = (models?, members?);
        let name = self.loss.as_deref().unwrap_or(T::DEFAULT);
        let metric: Metric = name.parse().map_err(|error: labelwise_study::UnknownMetric| {
            Error::Argument(format!("loss: {error}; of other metrics models are not compared"))
        })?;
        let floor = names::floor(&self.floor.0, self.floor.1)?;
        let (seed, range) = (Seed(self.seed), self.range);
        detached(py, &Raised::default(), move || {
            let pool = Pool::<Rivals<T>>::rivals(&models)?;
            let columns = pool.model_columns();
            let loss = T::loss(&metric, columns, range)?;
            let beliefs = if members.is_empty() {
                pool.own_beliefs()?
            } else {
                let alone = models.first().cloned().map(T::pool).transpose()?;
                match alone {
                    Some(alone) => {
                        labelwise::surrogate::Beliefs::new(T::given(members, &alone)?.rows().clone(), &pool)?
                    }
                    None => pool.own_beliefs()?,
                }
            };
            let builder = Evaluation::comparison(pool.clone(), loss, Fixed(beliefs))?.floor(floor).seed(seed);
            let evaluation = builder.build()?;
            Ok(Contested { evaluation, pool, metric, models: models.len(), columns, range })
        })
    }
}

impl<T: Contender> Contested<T> {
    fn standings(&mut self, baseline: Option<usize>, question: &Question<'_>) -> Outcome<Standings> {
        let Self { evaluation, pool, metric, models, columns, range } = self;
        let mut wrong = None;
        let ledger = |one: usize, other: usize| -> labelwise::Result<Ledger<Rivals<T>>> {
            if (one, other) == (0, 1) {
                return Ok(evaluation.ledger().clone());
            }
            match T::loss(metric, *columns, *range) {
                Ok(loss) => evaluation.ledger_for(pool, &Versus::between(loss, *columns, one, other)),
                Err(failure) => {
                    wrong = Some(failure);
                    Err(labelwise::Error::NoMembers)
                }
            }
        };
        let found = standings(*models, baseline, question, ledger);
        match wrong {
            Some(failure) => Err(failure),
            None => Ok(found?),
        }
    }
}

impl ComparisonEngine {
    fn lock(&self) -> PyResult<MutexGuard<'_, Kind>> {
        match self.kind.try_lock() {
            Ok(kind) => Ok(kind),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(LabelwiseError::new_err(
                "this comparison is in use by another thread: wait until it is done",
            )),
        }
    }
}

#[pymethods]
impl ComparisonEngine {
    #[new]
    fn new(py: Python<'_>, task: &str, options: Options<'_>) -> PyResult<Self> {
        let kind = if task == "classes" {
            Kind::Classes(Box::new(options.contested(py)?))
        } else {
            Kind::Values(Box::new(options.contested(py)?))
        };
        Ok(Self { kind: Mutex::new(kind) })
    }

    /// The next items.
    fn ask_batch<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        let items = detached(py, &Raised::default(), || {
            let draws = either!(kind, contest => contest.evaluation.ask_batch(count))?;
            Ok(draws.iter().map(|draw| i64::try_from(draw.index).unwrap_or(i64::MAX)).collect::<Vec<i64>>())
        })?;
        Ok(PyArray1::from_vec(py, items))
    }

    /// Records one label.
    fn tell(&self, item: usize, label: &Bound<'_, PyAny>) -> PyResult<bool> {
        let mut kind = self.lock()?;
        guarded(&Raised::default(), || {
            let told = match &mut *kind {
                Kind::Classes(contest) => {
                    let label = label.extract::<usize>().map_err(|_| wrong_label(item, label))?;
                    contest.evaluation.tell(item, label)
                }
                Kind::Values(contest) => {
                    let label = label.extract::<f64>().map_err(|_| wrong_label(item, label))?;
                    contest.evaluation.tell(item, label)
                }
            };
            Ok(told? == labelwise::evaluation::Told::Recorded)
        })
    }

    /// N, items left, ties, draws, labels.
    fn counts(&self) -> PyResult<(usize, usize, usize, usize, usize)> {
        let kind = self.lock()?;
        Ok(either!(&*kind, contest => {
            let evaluation = &contest.evaluation;
            let ties = evaluation.ledger().facts().known.count;
            let labels = evaluation.observed().len();
            (contest.pool.pool_size(), evaluation.left(), ties, evaluation.draws().len(), labels)
        }))
    }

    /// The model that the others are compared with, and for each other its place, difference, p-value and whether it is
    /// decided.
    fn standings<'py>(
        &self,
        py: Python<'py>,
        baseline: Option<usize>,
        level: f64,
        target: &str,
        interval: &str,
        planned: Option<usize>,
    ) -> PyResult<(usize, Vec<Bound<'py, PyDict>>)> {
        let target: Target = names::target(target)?;
        let method: Method = names::method(interval, planned)?;
        let question = Question { method, target, level, ..Question::default() };
        let mut kind = self.lock()?;
        let kind = &mut *kind;
        let (found, metric) = detached(
            py,
            &Raised::default(),
            || either!(kind, contest => Ok((contest.standings(baseline, &question)?, contest.metric.clone()))),
        )?;
        let mut others = Vec::with_capacity(found.others.len());
        for (model, comparison) in &found.others {
            others.push(row(py, *model, comparison, &metric, level, target)?);
        }
        Ok((found.reference, others))
    }
}

fn wrong_label(item: usize, label: &Bound<'_, PyAny>) -> Error {
    let shown = label.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
    Error::Argument(format!("label of item {item} is {shown}, but must be a number (of a class, from 0)"))
}

fn row<'py>(
    py: Python<'py>,
    model: usize,
    comparison: &Comparison,
    metric: &Metric,
    level: f64,
    target: Target,
) -> PyResult<Bound<'py, PyDict>> {
    let plain = Metric { view: labelwise_study::View::Plain, ..metric.clone() };
    let mut answer = Answer::of_report(&plain, &comparison.report, level, target);
    answer.value = answer.value.map(|value| metric.shown_difference(value));
    answer.interval = answer.interval.map(|(low, high)| {
        let (one, other) = (metric.shown_difference(low), metric.shown_difference(high));
        (one.min(other), one.max(other))
    });
    let dict = answer.dict(py)?;
    dict.set_item("model", model)?;
    dict.set_item("p_value", comparison.p_value)?;
    dict.set_item("decided", comparison.decided())?;
    Ok(dict)
}
