//! The labelling page of an evaluation, opened from Python.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use labelwise_page::{Options, Page, Rules, SharedStudy};
use pyo3::prelude::*;

use crate::error::{Error, Outcome};

impl From<labelwise_page::Error> for Error {
    fn from(error: labelwise_page::Error) -> Self {
        match error {
            labelwise_page::Error::Study(error) => error.into(),
            other => Self::Other(other.to_string()),
        }
    }
}

/// What the page is opened with.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PageOptions {
    title: String,
    port: Option<u16>,
    who: Option<String>,
    invite: Vec<String>,
    goal: Option<usize>,
    batch: usize,
    overlap: usize,
    lease: f64,
    guide: Option<(String, String)>,
    question: Option<String>,
    show: Vec<String>,
    fold: Vec<String>,
    pair: Option<(String, String)>,
    media: Option<PathBuf>,
}

/// An open page.
#[pyclass(frozen, module = "labelwise._engine")]
pub(crate) struct LabelPage {
    page: Arc<Page>,
}

impl LabelPage {
    pub(crate) fn open(study: SharedStudy, options: PageOptions) -> Outcome<Self> {
        let lease = Duration::try_from_secs_f64(options.lease).map_err(|_| {
            Error::Argument(format!("lease is {} seconds, but must be positive", options.lease))
        })?;
        let mut rules = Rules::default();
        (rules.batch, rules.overlap, rules.goal) =
            (options.batch.max(1), options.overlap.max(1), options.goal);
        (rules.lease, rules.question) = (lease, options.question);
        (rules.show, rules.fold, rules.pair) = (options.show, options.fold, options.pair);
        let wanted = Options {
            port: options.port,
            who: options.who,
            invite: options.invite,
            media: options.media,
            guide: options.guide,
            rules,
            title: options.title,
            ..Options::default()
        };
        Ok(Self { page: Arc::new(Page::open(study, &wanted)?) })
    }
}

#[pymethods]
impl LabelPage {
    #[getter]
    fn address(&self) -> &str {
        self.page.address()
    }

    #[getter]
    fn invitations(&self) -> Vec<(String, String)> {
        self.page.invitations().to_vec()
    }

    /// Waits at most so many seconds, and returns whether the page is closed.
    fn wait(&self, py: Python<'_>, seconds: f64) -> bool {
        let most = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        py.detach(|| self.page.wait(most))
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| self.page.close());
    }
}
