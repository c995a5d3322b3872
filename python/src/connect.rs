//! Other people's labelling tools, from Python: Label Studio over HTTP, and files.

use std::time::Duration;

use labelwise_connect::formats::{self, Export, TakenOver, Tool};
use labelwise_connect::label_studio::{self, Bridge, Document, Place, is_over, pause_after};
use labelwise_connect::{Error as ConnectError, Wish};
use labelwise_study::{Named, OpinionRule, Study as Kept};
use pyo3::prelude::*;

use crate::error::{Error, Outcome};
use crate::study::{Study, by};

impl From<ConnectError> for Error {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Study(error) => error.into(),
            ConnectError::Address { .. }
            | ConnectError::NoSuchColumn { .. }
            | ConnectError::NoSides { .. } => Self::Argument(error.to_string()),
            other => Self::Other(other.to_string()),
        }
    }
}

/// What people see.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Shown {
    show: Vec<String>,
    pair: Option<(String, String)>,
    question: Option<String>,
}

impl Shown {
    fn wish(self) -> Wish {
        let mut wish = Wish::default();
        (wish.show, wish.pair, wish.question) = (self.show, self.pair, self.question);
        wish
    }
}

/// How the server is reached, and what is put there.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Connection {
    address: Option<String>,
    token: Option<String>,
    project: Option<String>,
    open: usize,
    refill: usize,
    goal: Option<usize>,
    again: bool,
    title: String,
    timeout: f64,
    shown: Shown,
}

impl Connection {
    fn bridge(self, kept: &mut Kept, make: bool, who: &str) -> Outcome<Result<Bridge, ConnectError>> {
        let timeout = Duration::try_from_secs_f64(self.timeout).ok().filter(|timeout| !timeout.is_zero());
        let timeout = timeout.ok_or_else(|| {
            Error::Argument(format!("timeout is {} seconds, but must be positive", self.timeout))
        })?;
        let mut manner = label_studio::Options::default();
        manner.place = match &self.project {
            Some(text) => {
                text.parse().map_err(|why| Error::Argument(format!("project is {text:?}, but {why}")))?
            }
            None => Place::Own,
        };
        (manner.open, manner.refill, manner.goal) = (self.open, self.refill, self.goal);
        (manner.again, manner.name, manner.wish) = (self.again, self.title, self.shown.wish());
        let server = label_studio::server(kept, self.address.as_deref(), self.token.as_deref(), timeout)?;
        let by = by(kept, who.to_owned(), None);
        Ok(Bridge::open(kept, server, manner, make, &by))
    }
}

/// What a look brought: the object of `labelwise ls --json`, or why the server did not answer; seconds to wait; whether nothing
/// more can come.
type Look = (Option<String>, Option<String>, f64, bool);

/// Puts items there, takes over answers, or both. After an error that may pass, `failures` says how many there were in a row;
/// without it, such an error is raised.
#[pyfunction]
pub(crate) fn label_studio_look(
    py: Python<'_>,
    study: &Study,
    verb: &str,
    connection: Connection,
    failures: Option<u32>,
    every: f64,
    who: String,
) -> PyResult<Look> {
    let pause = Duration::try_from_secs_f64(every)
        .map_err(|_| Error::Argument(format!("watch is {every} seconds, but must be positive")))?;
    study.change(py, |kept| {
        let goal = connection.goal;
        let seen = connection.bridge(kept, verb != "pull", &who)?.and_then(|mut bridge| {
            let by = by(kept, who, None);
            let (pulled, pushed) = match verb {
                "push" => (None, Some(bridge.push(kept, &by)?)),
                "pull" => (Some(bridge.pull(kept, &by)?), None),
                _ => {
                    let (pulled, pushed) = bridge.sync(kept, &by)?;
                    (Some(pulled), pushed)
                }
            };
            let address = bridge.address();
            let document = Document::new(verb, &address, kept, pulled.as_ref(), pushed.as_ref());
            let over = pulled.as_ref().is_some_and(|pulled| is_over(kept, goal, pulled, pushed.as_ref()));
            Ok((document.to_json(), over))
        });
        match seen {
            Ok((document, over)) => Ok((Some(document), None, every, over)),
            Err(error) => match failures.and_then(|failures| pause_after(&error, failures, pause)) {
                Some(pause) => Ok((None, Some(error.to_string()), pause.as_secs_f64(), false)),
                None => Err(error.into()),
            },
        }
    })
}

/// Items as a tool imports them: those that wait, or new ones.
#[pyfunction]
pub(crate) fn hand_out(
    py: Python<'_>,
    study: &Study,
    tool: &str,
    count: Option<usize>,
    shown: Shown,
    who: String,
) -> PyResult<String> {
    let names = Tool::ALL.map(Tool::name).join(", ");
    let tool = Tool::named(tool)
        .ok_or_else(|| Error::Argument(format!("tool is {tool:?}, but must be one of {names}")))?;
    study.change(py, |kept| {
        let by = by(kept, who, None);
        let items = match count {
            Some(count) => kept.ask(count, &by)?,
            None => kept.waiting()?,
        };
        Ok(formats::write(kept, tool, &items, &shown.wish(), &by)?)
    })
}

/// What an export of a tool says: labels, corrections, skips, other opinions, and what does not count.
type Taken = (String, usize, usize, usize, usize, usize, Vec<(String, String, String)>, Vec<String>);

/// Takes over an export of a tool.
#[pyfunction]
pub(crate) fn take_over(
    py: Python<'_>,
    study: &Study,
    name: &str,
    text: &str,
    question: Option<String>,
    who: String,
) -> PyResult<Taken> {
    study.change(py, |kept| {
        let by = by(kept, who, None);
        let export = Export { name, text, question: question.as_deref() };
        let TakenOver { tool, heard, waiting, .. } = formats::take_over(kept, export, &by)?;
        let aside = heard.set_aside.into_iter().map(|one| (one.id, one.who, one.reason)).collect();
        let name = tool.name().to_owned();
        let skipped = heard.skipped + heard.taken_back;
        Ok((
            name,
            heard.labelled,
            heard.corrected,
            skipped,
            heard.opinions,
            waiting,
            aside,
            heard.never_asked,
        ))
    })
}

/// The rule for items that several people labelled; with a name it is chosen first.
#[pyfunction]
pub(crate) fn opinion_rule(
    py: Python<'_>,
    study: &Study,
    choose: Option<&str>,
    who: String,
) -> PyResult<&'static str> {
    let rule = choose.map(OpinionRule::named).transpose().map_err(Error::from)?;
    study.change(py, |kept| {
        if let Some(rule) = rule {
            let by = by(kept, who, None);
            kept.choose_opinion_rule(rule, &by)?;
        }
        Ok(kept.opinion_rule()?.name())
    })
}
