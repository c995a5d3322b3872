//! Objects of Python that learn, as surrogates.

use std::sync::Arc;

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Beliefs, Change, Observed, Surrogate, Updated};
use labelwise::{Classification, Regression, Result, Task};
use numpy::PyArray1;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use rand_chacha::rand_core::Rng;

use crate::arrays::table;
use crate::error::{Error, Raised};

/// A task whose labels Python knows.
pub(crate) trait TaughtTask: Task {
    /// Labels as an array.
    fn array<'py>(py: Python<'py>, labels: &[Self::Label]) -> Bound<'py, PyAny>;
}

impl TaughtTask for Classification {
    fn array<'py>(py: Python<'py>, labels: &[usize]) -> Bound<'py, PyAny> {
        PyArray1::from_iter(py, labels.iter().map(|&label| i64::try_from(label).unwrap_or(i64::MAX)))
            .into_any()
    }
}

impl TaughtTask for Regression {
    fn array<'py>(py: Python<'py>, labels: &[f64]) -> Bound<'py, PyAny> {
        PyArray1::from_slice(py, labels).into_any()
    }
}

/// An object that learns once, from the labels there are at a refresh. `beliefs` is called with a seed, items and their
/// labels, and answers with a table of beliefs about the whole pool.
pub(crate) struct Taught<T: Task> {
    beliefs: Arc<Py<PyAny>>,
    raised: Raised,
    fitted: Option<Beliefs<T>>,
}

impl<T: TaughtTask> Taught<T> {
    pub(crate) fn new(beliefs: Arc<Py<PyAny>>, raised: Raised) -> Self {
        Self { beliefs, raised, fitted: None }
    }

    fn learn(&self, observed: Observed<'_, T>, rng: &mut ChaCha8Rng) -> Result<Beliefs<T>> {
        // Learners of Python take seeds of 32 bits.
        let seed = rng.next_u64() & u64::from(u32::MAX);
        let rows = Python::attach(|py| {
            let called = || {
                let items = observed.labels.iter().map(|(item, _)| i64::try_from(*item).unwrap_or(i64::MAX));
                let labels: Vec<T::Label> = observed.labels.iter().map(|(_, label)| *label).collect();
                let arguments = (seed, PyArray1::from_iter(py, items), T::array(py, &labels));
                table("surrogate", &self.beliefs.bind(py).call1(arguments)?)
            };
            called().map_err(|error| match error {
                Error::Core(error) => error,
                error => self.failed(py, PyErr::from(error)),
            })
        });
        Beliefs::new(rows?, observed.pool)
    }

    /// What a study is told of an exception. A failure is something to go on from; an interrupt is the end of the call.
    fn failed(&self, py: Python<'_>, error: PyErr) -> labelwise::Error {
        let (is_failure, said) = (error.is_instance_of::<PyException>(py), error.to_string());
        self.raised.keep(error);
        if is_failure { labelwise::Error::Surrogate(said) } else { labelwise::Error::Interrupted }
    }
}

impl<T: TaughtTask> Surrogate<T> for Taught<T> {
    fn update(&mut self, observed: Observed<'_, T>, rng: &mut ChaCha8Rng) -> Result<Updated<'_, T>> {
        let (beliefs, change) = match self.fitted.take() {
            Some(beliefs) => (beliefs, Change::Unchanged),
            None => (self.learn(observed, rng)?, Change::Refitted),
        };
        Ok(Updated { beliefs: self.fitted.insert(beliefs), change })
    }
}
