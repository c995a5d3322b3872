//! Records answers. One call is one transaction: all answers are recorded or none, and on disk before it
//! returns.

use labelwise_file::digest;

use super::accept::Accepted;
use super::ask::ATTEMPTS;
use super::journal::{Appended, Batch, EventKind, Request};
use super::task::with_task;
use super::{Author, Study, told_before};
use crate::error::{Error, RefusedAnswer, Result, damaged};

/// The answer about an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Its label, as text.
    Label(String),
    /// It cannot be labelled, perhaps because it is hard. It keeps its place, and estimates use the bounds of its
    /// loss. If the label arrives later, tell it.
    Skip,
    /// Its label is missing for reasons unrelated to the label. The item leaves the pool.
    MissingAtRandom,
}

/// An answer about an item that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The id of the item.
    pub id: String,
    /// Label, skip or missing.
    pub reply: Reply,
    /// The line in the file of labels, for errors.
    pub line: Option<usize>,
    /// The author's note.
    pub note: Option<String>,
    /// Whose label it is; `None` for the author of the call.
    pub who: Option<String>,
}

impl Answer {
    /// A label for an item.
    pub fn new(id: impl Into<String>, label: impl Into<String>) -> Self {
        Self { id: id.into(), reply: Reply::Label(label.into()), line: None, note: None, who: None }
    }

    /// Whose label it is in a call of this author.
    pub(crate) fn by<'a>(&'a self, author: &'a Author) -> &'a str {
        self.who.as_deref().unwrap_or(&author.who)
    }

    /// The event it becomes.
    pub(crate) fn kind(&self, verb: Verb) -> EventKind {
        match (&self.reply, verb) {
            (Reply::Label(_), Verb::Tell | Verb::TellPartly) => EventKind::Told,
            (Reply::Label(_), Verb::Amend) => EventKind::Amended,
            (Reply::Skip, _) => EventKind::Skipped,
            (Reply::MissingAtRandom, _) => EventKind::Missing,
        }
    }

    pub(crate) fn label(&self) -> Option<&String> {
        match &self.reply {
            Reply::Label(label) => Some(label),
            Reply::Skip | Reply::MissingAtRandom => None,
        }
    }
}

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TellResult {
    /// Number of new records.
    pub recorded: usize,
    /// Number of answers that were on record before.
    pub already: usize,
    /// Number of new skips whose loss has no bounds, so that estimates need their labels.
    pub unbounded: usize,
    /// Number of items that have a label, after the call.
    pub labels: usize,
    /// Number of items that were asked.
    pub asked: usize,
    /// Number of labels of items that another person has labelled: second opinions, which are kept beside the first label.
    pub opinions: usize,
}

/// The result of a call that records the valid answers and leaves out the others.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialTellResult {
    /// What was recorded.
    pub told: TellResult,
    /// The answers that were left out, in the order of the call.
    pub refused: Vec<RefusedAnswer>,
}

impl Study {
    /// Records answers about items that were asked: all of them, or none if one is invalid. Repeating a label has no
    /// effect; a different label of the same person is refused (see [`amend`](Self::amend)). The label of another person is a
    /// second opinion: estimates are then of the mean over annotators.
    pub fn tell(&mut self, answers: &[Answer], by: &Author) -> Result<TellResult> {
        Ok(self.happen(Verb::Tell, answers, by)?.told)
    }

    /// Records the valid answers, and returns why the others were left out. Two different answers about one item are both
    /// left out.
    pub fn tell_partly(&mut self, answers: &[Answer], by: &Author) -> Result<PartialTellResult> {
        self.happen(Verb::TellPartly, answers, by)
    }

    /// Corrects labels: another label, or a skip of an item that should not have a label. Draws that were made since do
    /// not change.
    pub fn amend(&mut self, answers: &[Answer], by: &Author) -> Result<TellResult> {
        Ok(self.happen(Verb::Amend, answers, by)?.told)
    }

    fn happen(&mut self, verb: Verb, answers: &[Answer], by: &Author) -> Result<PartialTellResult> {
        // Only requests with a key can be repeated.
        let digest = by.key.as_ref().map_or(0, |_| request_digest(verb, answers));
        let mut given = 0;
        for _ in 0..ATTEMPTS {
            self.reload()?;
            if let Some(key) = &by.key
                && let Some(before) = self.journal.request(key)?
            {
                return self.told_before(&before, verb, digest, answers);
            }
            let Accepted { events, opinions, unbounded, refused } =
                with_task!(self.settings, T => self.accept::<T>(verb, answers, by))?;
            if !refused.is_empty() && verb != Verb::TellPartly {
                let path = self.path().to_owned();
                return Err(Error::Refused { path, refusals: refused, of: answers.len() });
            }
            // Before the labels: an opinion without a label says nothing, and a label is acknowledged only after all is done.
            for &number in &opinions {
                if let Some(answer) = answers.get(number) {
                    let by = Author { who: answer.by(by).to_owned(), at: by.at, key: None };
                    given += usize::from(self.keep_opinion(answer, &by)?);
                }
            }
            let new = events.iter().filter(|event| event.kind == EventKind::Told).count();
            let told = TellResult {
                recorded: events.len(),
                already: answers.len() - events.len() - given - refused.len(),
                opinions: given,
                unbounded,
                labels: self.counts.labels + new,
                asked: self.counts.draws,
            };
            let result = PartialTellResult { told, refused };
            let request = match &by.key {
                Some(key) => Some(Request {
                    key: key.clone(),
                    verb: verb.name().to_owned(),
                    digest,
                    answer: told_before::text(&result).map_err(Error::json)?,
                    at: by.at,
                }),
                None => None,
            };
            let batch = Batch { events, request, ..Batch::default() };
            match self.journal.append(batch, self.counts)? {
                Appended::Recorded => {
                    self.counts = self.journal.counts()?;
                    let seconds = opinions.iter().filter_map(|number| answers.get(*number));
                    let seconds: Vec<String> = seconds.map(|answer| answer.id.clone()).collect();
                    if !seconds.is_empty() {
                        self.settle(&seconds, by)?;
                    }
                    return Ok(result);
                }
                Appended::Outdated => {}
                Appended::Answered(before) => return self.told_before(&before, verb, digest, answers),
            }
        }
        Err(Error::Crowded { path: self.path().to_owned(), attempts: ATTEMPTS })
    }

    /// The answer to an earlier request with the same key.
    fn told_before(
        &self,
        before: &Request,
        verb: Verb,
        digest: u64,
        answers: &[Answer],
    ) -> Result<PartialTellResult> {
        if before.verb != verb.name() || before.digest != digest {
            let (key, verb) = (before.key.clone(), before.verb.clone());
            return Err(Error::KeyReused { key, verb });
        }
        let found = told_before::answer(&before.answer, answers.len(), (self.labels(), self.asked()));
        found.ok_or_else(|| damaged(self.path(), "request", &before.key))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Tell,
    /// Tells what is valid, and leaves out the rest.
    TellPartly,
    Amend,
}

impl Verb {
    fn name(self) -> &'static str {
        match self {
            Self::Tell => "tell",
            Self::TellPartly => "tell --partial",
            Self::Amend => "amend",
        }
    }
}

/// Whether an earlier request gave these answers.
pub(crate) fn is_repeated(before: &Request, answers: &[Answer]) -> bool {
    let verbs = [Verb::Tell, Verb::TellPartly, Verb::Amend];
    let verb = verbs.into_iter().find(|verb| verb.name() == before.verb);
    verb.is_some_and(|verb| request_digest(verb, answers) == before.digest)
}

/// Hash of the answers, in order.
fn request_digest(verb: Verb, answers: &[Answer]) -> u64 {
    let mut parts = vec![verb.name()];
    for answer in answers {
        parts.push(&answer.id);
        parts.push(answer.kind(verb).name());
        parts.push(answer.label().map_or("", String::as_str));
        parts.extend(answer.who.as_deref());
    }
    digest(&parts)
}
