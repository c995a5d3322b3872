//! Errors of the core as exceptions of Python, with the core's sentences. No panic crosses.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use labelwise::task::Table;
use labelwise_study::{FileError, PoolError, UnknownMeasurable, UnknownName};
use pyo3::exceptions::{
    PyException, PyFileExistsError, PyFileNotFoundError, PyKeyError, PyOSError, PyValueError,
};
use pyo3::prelude::*;

use crate::hints;

pyo3::create_exception!(
    labelwise,
    LabelwiseError,
    PyException,
    "What labelwise cannot do now, such as an estimate before the first label; bad arguments are ValueErrors."
);

/// What went wrong.
#[derive(Debug)]
pub(crate) enum Error {
    /// The core refused.
    Core(labelwise::Error),
    /// The store refused.
    Store(labelwise_study::Error),
    /// An argument is no good.
    Argument(String),
    /// There is no such item.
    Item(String),
    /// Something else that is not possible.
    Other(String),
    /// Python raised.
    Python(PyErr),
}

/// What this crate returns inside.
pub(crate) type Outcome<T> = Result<T, Error>;

impl From<labelwise::Error> for Error {
    fn from(error: labelwise::Error) -> Self {
        Self::Core(error)
    }
}

impl From<labelwise_study::Error> for Error {
    fn from(error: labelwise_study::Error) -> Self {
        match error {
            labelwise_study::Error::Core(error) | labelwise_study::Error::Pool(PoolError::Core(error)) => {
                Self::Core(error)
            }
            error => Self::Store(error),
        }
    }
}

impl From<PoolError> for Error {
    fn from(error: PoolError) -> Self {
        labelwise_study::Error::from(error).into()
    }
}

impl From<UnknownName> for Error {
    fn from(error: UnknownName) -> Self {
        Self::Argument(error.to_string())
    }
}

impl From<UnknownMeasurable> for Error {
    fn from(error: UnknownMeasurable) -> Self {
        Self::Argument(error.to_string())
    }
}

impl From<labelwise_report::Error> for Error {
    fn from(error: labelwise_report::Error) -> Self {
        match error {
            labelwise_report::Error::Core(error) => Self::Core(error),
            labelwise_report::Error::Store(error) => error.into(),
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<PyErr> for Error {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error {
            Error::Core(error) => of_core(&error),
            Error::Store(error) => of_store(&error),
            Error::Argument(sentence) => PyValueError::new_err(sentence),
            Error::Item(sentence) => PyKeyError::new_err(sentence),
            Error::Other(sentence) => LabelwiseError::new_err(sentence),
            Error::Python(error) => error,
        }
    }
}

/// The argument of Python that a table of the core came from.
fn argument(table: Table) -> Option<&'static str> {
    Some(match table {
        Table::Predictions => "predictions (probabilities, or mean and variance)",
        Table::Beliefs | Table::Member | Table::MemberPredictions => "surrogate",
        Table::Features => "features",
        Table::TrainingFeatures => "train",
        _ => return None,
    })
}

/// The sentence of the core, with the argument that it is about.
fn in_words(error: &labelwise::Error) -> String {
    use labelwise::Error as Core;
    let what = match error {
        Core::Rows { what, .. }
        | Core::Columns { what, .. }
        | Core::Probability { what, .. }
        | Core::ProbabilitySum { what, .. }
        | Core::NotFinite { what, .. }
        | Core::NegativeVariance { what, .. } => argument(*what),
        _ => None,
    };
    match what {
        Some(what) => format!("{what}: {error}"),
        None => error.to_string(),
    }
}

fn of_core(error: &labelwise::Error) -> PyErr {
    use labelwise::Error as Core;
    let sentence = in_words(error);
    match error {
        Core::UnknownItem { .. } | Core::NotAsked { .. } => PyKeyError::new_err(sentence),
        Core::NoSamples { .. }
        | Core::TooFewLabels { .. }
        | Core::UnboundedSkip { .. }
        | Core::Unbounded
        | Core::MissingSinceRefresh
        | Core::NeedsWithoutReplacement
        | Core::AlreadyLabelled { .. }
        | Core::NothingToAmend { .. }
        | Core::Diverged { .. }
        | Core::Surrogate(_)
        | Core::Interrupted
        | Core::Oracle { .. }
        | Core::Metric(_) => LabelwiseError::new_err(sentence),
        _ => PyValueError::new_err(sentence),
    }
}

fn of_store(error: &labelwise_study::Error) -> PyErr {
    use labelwise_study::{AnswerError, CompareError, Error as Store};
    let sentence = error.to_string();
    match error {
        Store::Pool(PoolError::NotProbabilities { refused, guess }) => {
            let refused = in_words(refused);
            PyValueError::new_err(format!("{refused}; {}", hints::of_guess(guess)))
        }
        Store::Pool(error) => {
            let hint = hints::of_pool(error).map(|hint| format!("\n{hint}")).unwrap_or_default();
            of_pool(error, sentence + &hint)
        }
        Store::File(FileError::NoEvaluation { .. }) => PyFileNotFoundError::new_err(sentence),
        Store::File(FileError::Exists { .. }) => PyFileExistsError::new_err(sentence),
        Store::File(FileError::File { source, .. }) => of_io(source, sentence),
        Store::File(FileError::NotMade { .. } | FileError::DiskFull { .. }) => PyOSError::new_err(sentence),
        Store::Refused { refusals, .. }
            if refusals.iter().all(|refusal| matches!(refusal.reason, AnswerError::NeverAsked { .. })) =>
        {
            PyKeyError::new_err(sentence)
        }
        Store::Compare(CompareError::NoModel { .. }) => PyKeyError::new_err(sentence),
        Store::Refused { .. }
        | Store::Choice(_)
        | Store::Judge(_)
        | Store::Metric(_)
        | Store::Compare(_)
        | Store::Design(_)
        | Store::Exhausted { .. } => PyValueError::new_err(sentence),
        _ => LabelwiseError::new_err(sentence),
    }
}

fn of_pool(error: &PoolError, sentence: String) -> PyErr {
    match error {
        PoolError::File { source, .. } => of_io(source, sentence),
        PoolError::Rows { .. }
        | PoolError::NoColumn { .. }
        | PoolError::NoFamily { .. }
        | PoolError::ManyFamilies { .. }
        | PoolError::TooFewClasses { .. }
        | PoolError::NotLogits { .. }
        | PoolError::DeviationColumn { .. }
        | PoolError::VarianceColumn { .. }
        | PoolError::ManyDecimals { .. }
        | PoolError::Unused { .. }
        | PoolError::UnknownFormat { .. }
        | PoolError::SurrogateMisses { .. }
        | PoolError::Match(_)
        | PoolError::SurrogateDiffers { .. } => PyValueError::new_err(sentence),
        _ => LabelwiseError::new_err(sentence),
    }
}

fn of_io(source: &std::io::Error, sentence: String) -> PyErr {
    if source.kind() == std::io::ErrorKind::NotFound {
        PyFileNotFoundError::new_err(sentence)
    } else {
        PyOSError::new_err(sentence)
    }
}

/// An exception that Python raised inside of a callback, kept until whoever called can raise it again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<Kept>>>);

#[derive(Debug)]
struct Kept {
    error: PyErr,
    /// Whether it is raised even if the call went well in the end.
    fatal: bool,
}

impl Raised {
    /// Keeps an exception, which is raised if the call fails; the first of several is the one that counts.
    pub(crate) fn keep(&self, error: PyErr) {
        self.lock().get_or_insert(Kept { error, fatal: false });
    }

    /// Keeps an exception, which is raised in any case.
    pub(crate) fn keep_fatal(&self, error: PyErr) {
        self.lock().get_or_insert(Kept { error, fatal: true });
    }

    /// Whether there is one.
    pub(crate) fn is_some(&self) -> bool {
        self.lock().is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
    let kept = raised.lock().take();
    match (done, kept) {
        (Ok(Ok(_)), Some(Kept { error, fatal: true })) => Err(error),
        // A study went on without what failed, and says so.
        (Ok(Ok(value)), _) => Ok(value),
        (_, Some(Kept { error, .. })) => Err(error),
        (Ok(Err(error)), None) => Err(error.into()),
        (Err(panic), None) => {
            let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
            let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(LabelwiseError::new_err(format!(
                "labelwise made a mistake of its own, please report it: {said}"
            )))
        }
    }
}
