//! Errors of the core as exceptions of Python, with the core's sentences. No panic crosses.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use labelwise::Error;
use pyo3::exceptions::{
    PyException, PyFileExistsError, PyFileNotFoundError, PyKeyError, PyOSError, PyValueError,
};
use pyo3::prelude::*;

pyo3::create_exception!(
    labelwise,
    LabelwiseError,
    PyException,
    "What labelwise cannot do now, such as an estimate before the first label; bad arguments are ValueErrors."
);

/// What went wrong.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The core refused.
    Core(Error),
    /// The store refused.
    Store(labelwise_store::Error),
    /// An argument is no good.
    Argument(String),
    /// Something else that is not possible.
    Other(String),
    /// Python raised.
    Python(PyErr),
}

/// What this crate returns inside.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<labelwise_store::Error> for Failure {
    fn from(error: labelwise_store::Error) -> Self {
        match error {
            labelwise_store::Error::Core(error) => Self::Core(error),
            error => Self::Store(error),
        }
    }
}

impl From<labelwise_report::Error> for Failure {
    fn from(error: labelwise_report::Error) -> Self {
        match error {
            labelwise_report::Error::Core(error) => Self::Core(error),
            labelwise_report::Error::Store(error) => error.into(),
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Core(error) => of_core(&error),
            Failure::Store(error) => of_store(&error),
            Failure::Argument(sentence) => PyValueError::new_err(sentence),
            Failure::Other(sentence) => LabelwiseError::new_err(sentence),
            Failure::Python(error) => error,
        }
    }
}

/// The argument of Python that a table of the core came from.
fn argument(what: &str) -> Option<&'static str> {
    Some(match what {
        "predictions" => "predictions (probabilities, or mean and variance)",
        "beliefs" | "a member" | "a member's predictions" => "surrogate",
        "features" => "features",
        "training features" => "train",
        _ => return None,
    })
}

fn of_core(error: &Error) -> PyErr {
    let what = match error {
        Error::Rows { what, .. }
        | Error::Columns { what, .. }
        | Error::Probability { what, .. }
        | Error::ProbabilitySum { what, .. }
        | Error::NotFinite { what, .. }
        | Error::NegativeVariance { what, .. } => argument(what),
        _ => None,
    };
    let sentence = match what {
        Some(what) => format!("{what}: {error}"),
        None => error.to_string(),
    };
    match error {
        Error::UnknownItem { .. } | Error::NotAsked { .. } => PyKeyError::new_err(sentence),
        Error::NoSamples { .. }
        | Error::TooFewLabels { .. }
        | Error::UnboundedSkip { .. }
        | Error::Unbounded
        | Error::MissingSinceRefresh
        | Error::NeedsWithoutReplacement
        | Error::AlreadyLabelled { .. }
        | Error::NothingToAmend { .. }
        | Error::Diverged { .. }
        | Error::Surrogate(_)
        | Error::Oracle { .. }
        | Error::Metric(_) => LabelwiseError::new_err(sentence),
        _ => PyValueError::new_err(sentence),
    }
}

fn of_store(error: &labelwise_store::Error) -> PyErr {
    use labelwise_store::{AnswerError, Error as Store};
    let sentence = error.to_string();
    match error {
        Store::NoEvaluation { .. } => PyFileNotFoundError::new_err(sentence),
        Store::Exists { .. } => PyFileExistsError::new_err(sentence),
        Store::File { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(sentence)
        }
        Store::File { .. } | Store::NotMade { .. } | Store::DiskFull { .. } => PyOSError::new_err(sentence),
        Store::Refused { refusals, .. }
            if refusals.iter().all(|refusal| matches!(refusal.reason, AnswerError::NeverAsked { .. })) =>
        {
            PyKeyError::new_err(sentence)
        }
        Store::Refused { .. }
        | Store::Misfit(_)
        | Store::Unfit(_)
        | Store::Mismatch(_)
        | Store::Design(_)
        | Store::Rows { .. }
        | Store::NoColumn { .. }
        | Store::NoFamily { .. }
        | Store::ManyFamilies { .. }
        | Store::TooFewClasses { .. }
        | Store::UnknownFormat { .. }
        | Store::Exhausted { .. }
        | Store::SurrogateMisses { .. }
        | Store::SurrogateDiffers { .. } => PyValueError::new_err(sentence),
        _ => LabelwiseError::new_err(sentence),
    }
}

/// An exception that Python raised inside of a callback, kept until whoever called can raise it again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Keeps an exception; the first of several is the one that counts.
    pub(crate) fn keep(&self, error: PyErr) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(error);
    }

    /// Takes it out.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether there is one.
    pub(crate) fn is_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Does work without holding up other threads of Python; see [`guarded`].
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    raised: &Raised,
    work: impl FnOnce() -> Outcome<T> + Send,
) -> PyResult<T> {
    finished(raised, py.detach(|| catch_unwind(AssertUnwindSafe(work))))
}

/// Does short work. What a callback raised comes before what the core made of it, and a panic, which would be a mistake of
/// ours, becomes a `LabelwiseError`.
pub(crate) fn guarded<T>(raised: &Raised, work: impl FnOnce() -> Outcome<T>) -> PyResult<T> {
    finished(raised, catch_unwind(AssertUnwindSafe(work)))
}

fn finished<T>(raised: &Raised, done: std::thread::Result<Outcome<T>>) -> PyResult<T> {
    if let Some(error) = raised.take() {
        return Err(error);
    }
    match done {
        Ok(done) => Ok(done?),
        Err(panic) => {
            let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
            let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(LabelwiseError::new_err(format!(
                "labelwise made a mistake of its own, please report it: {said}"
            )))
        }
    }
}
