//! What is believed about labels: given, learnt by models of ours, or learnt by an object of Python.

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Beliefs, Change, Data, Observed, Retrained, Schedule, Surrogate, Updated};
use labelwise::{Classification, Fixed, Matrix, Pool, Regression, Result, Task};
use labelwise_models::{
    Blended, Calibrated, Forest, GaussianProcess, Hyperparameters, Kernel, LinearRegression,
    LogisticRegression,
};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::table;
use crate::error::{Error, Outcome, Raised};
use crate::names;

/// Fewer labels than this teach a learner nothing; until then, what is believed without it has to do.
const FIRST_LABELS: usize = 20;

/// A task as surrogates know it.
pub(crate) trait Believed: Task {
    /// The mean of the members of an ensemble, or the one there is.
    fn given(members: Vec<Matrix>, pool: &Pool<Self>) -> Outcome<Beliefs<Self>>;
    /// Beliefs that make all items alike.
    fn nothing(pool: &Pool<Self>) -> Outcome<Beliefs<Self>>;
    /// What is believed without a surrogate: the model's own predictions, where they are beliefs.
    fn without(pool: &Pool<Self>) -> Outcome<Beliefs<Self>>;
    /// Whether these labels are enough to learn from.
    fn enough(labels: &[Self::Label]) -> bool;
    /// A learner by name, started on labelled rows; `labels` are theirs and those of the pool.
    fn learner(
        name: &str,
        train: Data<Self>,
        labels: &[Self::Label],
        schedule: Schedule,
    ) -> Result<Box<dyn Surrogate<Self>>>;
    /// Refuses a name that is no learner of this task.
    fn check_learner(name: &str) -> Outcome<()>;
    /// Labels as an array of Python.
    fn array<'py>(py: Python<'py>, labels: &[Self::Label]) -> Bound<'py, PyAny>;
}

impl Believed for Classification {
    fn given(mut members: Vec<Matrix>, pool: &Pool<Self>) -> Outcome<Beliefs<Self>> {
        match (members.len(), members.pop()) {
            (1, Some(only)) => Ok(Beliefs::new(only, pool)?),
            (_, last) => {
                members.extend(last);
                Ok(Beliefs::<Self>::from_members(members, pool)?)
            }
        }
    }

    fn nothing(pool: &Pool<Self>) -> Outcome<Beliefs<Self>> {
        let classes = pool.predictions().columns();
        let rows = vec![1.0 / classes as f64; classes * pool.pool_size()];
        Ok(Beliefs::new(Matrix::f64(rows, classes)?, pool)?)
    }

    fn without(pool: &Pool<Self>) -> Outcome<Beliefs<Self>> {
        Ok(pool.own_beliefs()?)
    }

    fn enough(labels: &[usize]) -> bool {
        labels.len() >= FIRST_LABELS && labels.iter().any(|label| Some(label) != labels.first())
    }

    fn learner(
        name: &str,
        train: Data<Self>,
        _labels: &[usize],
        schedule: Schedule,
    ) -> Result<Box<dyn Surrogate<Self>>> {
        Ok(match name {
            "logistic" => Box::new(Retrained::new(LogisticRegression::default(), train).schedule(schedule)),
            _ => {
                let forest = Calibrated::new(Forest::default());
                Box::new(Blended::new(Retrained::new(forest, train).schedule(schedule)))
            }
        })
    }

    fn check_learner(name: &str) -> Outcome<()> {
        match name {
            "forest" | "logistic" => Ok(()),
            _ => names::unknown("surrogate", name, KNOWN_FOR_CLASSES),
        }
    }

    fn array<'py>(py: Python<'py>, labels: &[usize]) -> Bound<'py, PyAny> {
        let labels: Vec<i64> = labels.iter().map(|&label| i64::try_from(label).unwrap_or(i64::MAX)).collect();
        PyArray1::from_vec(py, labels).into_any()
    }
}

const KNOWN_FOR_CLASSES: &str = "\"own\" (the model itself), \"none\", \"forest\", \"logistic\", an array of \
    probabilities, a list of such arrays, and an object with fit and predict_proba";

const KNOWN_FOR_VALUES: &str = "\"own\" (the model itself), \"none\", \"forest\", \"gp\", \"linear\", an array of means \
    and variances, a list of such arrays, and an object with fit and predict(..., return_std=True)";

impl Believed for Regression {
    fn given(mut members: Vec<Matrix>, pool: &Pool<Self>) -> Outcome<Beliefs<Self>> {
        match (members.len(), members.pop()) {
            (1, Some(only)) if only.columns() > 1 => Ok(Beliefs::new(only, pool)?),
            (_, last) => {
                members.extend(last);
                Ok(Beliefs::<Self>::from_members(&members, pool)?)
            }
        }
    }

    fn nothing(pool: &Pool<Self>) -> Outcome<Beliefs<Self>> {
        let mut reader = pool.predictions().reader();
        let rows = (0..pool.pool_size())
            .flat_map(|item| [reader.row(item).first().copied().unwrap_or(f64::NAN), 1.0]);
        Ok(Beliefs::new(Matrix::f64(rows.collect::<Vec<f64>>(), 2)?, pool)?)
    }

    fn without(pool: &Pool<Self>) -> Outcome<Beliefs<Self>> {
        if pool.predictions().columns() > 1 { Ok(pool.own_beliefs()?) } else { Self::nothing(pool) }
    }

    fn enough(labels: &[f64]) -> bool {
        labels.len() >= FIRST_LABELS
    }

    fn learner(
        name: &str,
        train: Data<Self>,
        labels: &[f64],
        schedule: Schedule,
    ) -> Result<Box<dyn Surrogate<Self>>> {
        Ok(match name {
            "gp" => Box::new(Retrained::new(process(labels), train).schedule(schedule)),
            // A little ridge, so that a feature that is constant among few labels is no end.
            "linear" => {
                Box::new(Retrained::new(LinearRegression::with_ridge(1e-3)?, train).schedule(schedule))
            }
            _ => Box::new(Retrained::new(Forest::default(), train).schedule(schedule)),
        })
    }

    fn check_learner(name: &str) -> Outcome<()> {
        match name {
            "forest" | "gp" | "linear" => Ok(()),
            _ => names::unknown("surrogate", name, KNOWN_FOR_VALUES),
        }
    }

    fn array<'py>(py: Python<'py>, labels: &[f64]) -> Bound<'py, PyAny> {
        PyArray1::from_slice(py, labels).into_any()
    }
}

/// A process about the mean of the labels, which learns its scales.
fn process(labels: &[f64]) -> GaussianProcess {
    let count = labels.len().max(1) as f64;
    let mean = labels.iter().sum::<f64>() / count;
    let variance = labels.iter().map(|label| (label - mean).powi(2)).sum::<f64>() / count;
    GaussianProcess {
        prior_mean: mean,
        noise_variance: 0.1 * variance.max(f64::MIN_POSITIVE),
        hyperparameters: Hyperparameters::MaximumLikelihood { restarts: 2 },
        ..GaussianProcess::new(Kernel::paper())
    }
}

/// How a learner is made once there is something to learn from, with all labels there are by then.
type Made<T> = Box<dyn Fn(&[<T as Task>::Label]) -> Result<Box<dyn Surrogate<T>>> + Send + Sync>;

/// Believes what it is given until there are labels to learn from, and what is learnt from then on.
pub(crate) struct Patient<T: Task> {
    before: Beliefs<T>,
    train: Vec<T::Label>,
    make: Made<T>,
    learnt: Option<Box<dyn Surrogate<T>>>,
}

impl<T: Believed> Patient<T> {
    pub(crate) fn new(before: Beliefs<T>, train: Vec<T::Label>, make: Made<T>) -> Self {
        Self { before, train, make, learnt: None }
    }
}

impl<T: Believed> Surrogate<T> for Patient<T> {
    fn update(&mut self, observed: Observed<'_, T>, rng: &mut ChaCha8Rng) -> Result<Updated<'_, T>> {
        if self.learnt.is_none() {
            let told = observed.labels.iter().map(|(_, label)| *label);
            let all: Vec<T::Label> = self.train.iter().copied().chain(told).collect();
            if !T::enough(&all) {
                return Ok(Updated { beliefs: &self.before, change: Change::Unchanged });
            }
            let mut learnt = (self.make)(&all)?;
            // Only one that could learn is kept, so that a later call can try again.
            learnt.update(observed, &mut rng.clone())?;
            let learnt = self.learnt.insert(learnt);
            let beliefs = learnt.update(observed, rng)?.beliefs;
            return Ok(Updated { beliefs, change: Change::Refitted });
        }
        match &mut self.learnt {
            Some(learnt) => learnt.update(observed, rng),
            None => Ok(Updated { beliefs: &self.before, change: Change::Unchanged }),
        }
    }
}

/// A learner of ours by name, with rows to start from where there are any.
pub(crate) fn learner<T: Believed>(
    name: &str,
    pool: &Pool<T>,
    train: Option<Data<T>>,
    schedule: Schedule,
) -> Outcome<Box<dyn Surrogate<T>>> {
    T::check_learner(name)?;
    let columns = match (pool.features(), &train) {
        (Some(features), _) => features.columns(),
        (None, _) => {
            return Err(Error::Argument(format!(
                "surrogate \"{name}\" learns from features: give `features`, one row an item"
            )));
        }
    };
    let train = match train {
        Some(train) => train,
        None => Data::new(Matrix::f64(Vec::new(), columns)?, Vec::new())?,
    };
    let (name, labels, before) = (name.to_owned(), train.labels.clone(), T::without(pool)?);
    let make = move |all: &[T::Label]| T::learner(&name, train.clone(), all, schedule.clone());
    Ok(Box::new(Patient::new(before, labels, Box::new(make))))
}

/// Beliefs that stay as they are.
pub(crate) fn fixed<T: Task>(beliefs: Beliefs<T>) -> Box<dyn Surrogate<T>> {
    Box::new(Fixed(beliefs))
}

/// An object of Python that learns. `beliefs` is called with a seed, items and their labels, and answers with a table of
/// beliefs about the whole pool.
pub(crate) struct Taught<T: Task> {
    beliefs: Py<PyAny>,
    schedule: Schedule,
    raised: Raised,
    fitted: Option<(usize, Beliefs<T>)>,
}

impl<T: Believed> Taught<T> {
    pub(crate) fn new(beliefs: Py<PyAny>, schedule: Schedule, raised: &Raised) -> Self {
        Self { beliefs, schedule, raised: raised.clone(), fitted: None }
    }

    fn learn(&self, observed: Observed<'_, T>, rng: &ChaCha8Rng) -> Result<Beliefs<T>> {
        let called = Python::attach(|py| -> Outcome<Matrix> {
            let items: Vec<i64> =
                observed.labels.iter().map(|(item, _)| i64::try_from(*item).unwrap_or(i64::MAX)).collect();
            let labels: Vec<T::Label> = observed.labels.iter().map(|(_, label)| *label).collect();
            // Learners of Python take seeds of 32 bits; a stream of ours is told by its refresh and the seed.
            #[allow(clippy::cast_possible_truncation, reason = "half of a seed that is as good as the whole")]
            let seed = seed_of(rng) as u32;
            let arguments = (seed, PyArray1::from_vec(py, items), T::array(py, &labels));
            let answer = self.beliefs.bind(py).call1(arguments)?;
            table("surrogate", &answer)
        });
        match called {
            Ok(rows) => Beliefs::new(rows, observed.pool),
            Err(Error::Core(error)) => Err(error),
            Err(failure) => {
                let error = PyErr::from(failure);
                let said = error.to_string();
                self.raised.keep(error);
                Err(labelwise::Error::Surrogate(said))
            }
        }
    }
}

/// The first number of a stream.
fn seed_of(rng: &ChaCha8Rng) -> u64 {
    use rand_chacha::rand_core::Rng;
    rng.clone().next_u64()
}

impl<T: Believed> Surrogate<T> for Taught<T> {
    fn update(&mut self, observed: Observed<'_, T>, rng: &mut ChaCha8Rng) -> Result<Updated<'_, T>> {
        let now = observed.labels.len();
        let current = self.fitted.take();
        let (fitted, change) = match current {
            Some(fitted) if !self.schedule.due(fitted.0, now) => (fitted, Change::Unchanged),
            current => match self.learn(observed, rng) {
                Ok(beliefs) => ((now, beliefs), Change::Refitted),
                Err(error) => {
                    // The former beliefs stay, so that a later call can try again.
                    self.fitted = current;
                    return Err(error);
                }
            },
        };
        Ok(Updated { beliefs: &self.fitted.insert(fitted).1, change })
    }
}
