//! Records answers. One call is one transaction: all answers are recorded or none, and on disk before it
//! returns.

use std::collections::HashMap;

use labelwise::loss::checked_loss;
use labelwise_file::digest;

use super::ask::ATTEMPTS;
use super::journal::{Appended, Batch, Event, EventKind, Found, Request, Row};
use super::spec::settings::{Settings, Subject};
use super::task::{StudyTask, same_class, with_task};
use super::{Author, Fate, Study};
use crate::error::{AnswerError, Error, RefusedAnswer, Result, damaged};

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
}

impl Answer {
    /// A label for an item.
    pub fn new(id: impl Into<String>, label: impl Into<String>) -> Self {
        Self { id: id.into(), reply: Reply::Label(label.into()), line: None, note: None }
    }

    /// The event it becomes.
    fn kind(&self, verb: Verb) -> EventKind {
        match (&self.reply, verb) {
            (Reply::Label(_), Verb::Tell) => EventKind::Told,
            (Reply::Label(_), Verb::Amend) => EventKind::Amended,
            (Reply::Skip, _) => EventKind::Skipped,
            (Reply::MissingAtRandom, _) => EventKind::Missing,
        }
    }

    fn label(&self) -> Option<&String> {
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
    /// So many of the new are skips of items whose loss has no bounds, so that estimates need their labels.
    pub unbounded: usize,
}

impl Study {
    /// Records answers about items that were asked: all of them, or none if one is invalid. Repeating a label has no
    /// effect; a different label is refused (see [`amend`](Self::amend)).
    pub fn tell(&mut self, answers: &[Answer], by: &Author) -> Result<TellResult> {
        self.happen(Verb::Tell, answers, by)
    }

    /// Corrects labels. Draws that were made since do not change.
    pub fn amend(&mut self, answers: &[Answer], by: &Author) -> Result<TellResult> {
        self.happen(Verb::Amend, answers, by)
    }

    fn happen(&mut self, verb: Verb, answers: &[Answer], by: &Author) -> Result<TellResult> {
        // Only requests with a key can be repeated.
        let digest = by.key.as_ref().map_or(0, |_| request_digest(verb, answers));
        for _ in 0..ATTEMPTS {
            self.reload()?;
            if let Some(key) = &by.key
                && let Some(before) = self.journal.request(key)?
            {
                return self.told_before(before, verb, digest, answers);
            }
            let (events, unbounded) = with_task!(self.settings, T => self.accept::<T>(verb, answers, by))?;
            let request = by.key.as_ref().map(|key| Request {
                key: key.clone(),
                verb: verb.name().to_owned(),
                digest,
                answer: events.len().to_string(),
                at: by.at,
            });
            let told =
                TellResult { recorded: events.len(), already: answers.len() - events.len(), unbounded };
            let batch = Batch { events, request, ..Batch::default() };
            match self.journal.append(batch, self.counts)? {
                Appended::Recorded => {
                    self.counts = self.journal.counts()?;
                    return Ok(told);
                }
                Appended::Outdated => {}
                Appended::Answered(before) => return self.told_before(before, verb, digest, answers),
            }
        }
        Err(Error::Crowded { path: self.path().to_owned(), attempts: ATTEMPTS })
    }

    /// The answer to an earlier request with the same key.
    fn told_before(
        &self,
        before: Request,
        verb: Verb,
        digest: u64,
        answers: &[Answer],
    ) -> Result<TellResult> {
        if before.verb != verb.name() || before.digest != digest {
            return Err(Error::KeyReused { key: before.key, verb: before.verb });
        }
        let recorded = before.answer.parse().map_err(|_| damaged(self.path(), "request", &before.key))?;
        Ok(TellResult { recorded, already: answers.len().saturating_sub(recorded), unbounded: 0 })
    }

    /// The one rule of what may be told: the answers that are new, as events, and how many of them are skips without bounds.
    /// All are refused if anything is wrong with one.
    fn accept<T: StudyTask>(
        &self,
        verb: Verb,
        answers: &[Answer],
        by: &Author,
    ) -> Result<(Vec<Event>, usize)> {
        let mut refusals: Vec<RefusedAnswer> = Vec::new();
        let (mut new, mut unbounded) = (Vec::with_capacity(answers.len()), 0);
        // The answer of this call about a draw.
        let mut said: HashMap<usize, &Answer> = HashMap::new();
        let (one, many) = match answers {
            [answer] => (Some(self.journal.find_one(&answer.id)?), Vec::new()),
            _ => {
                let ids: Vec<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
                (None, self.journal.find(&ids)?)
            }
        };
        for (answer, found) in answers.iter().zip(one.into_iter().chain(many)) {
            let refuse = |reason| RefusedAnswer { line: answer.line, id: answer.id.clone(), reason };
            let Some(Found { place, row, fate }) = found else {
                refusals.push(refuse(AnswerError::NeverAsked { open: self.counts.waiting }));
                continue;
            };
            if answers.len() > 1
                && let Some(before) = said.insert(place, answer)
            {
                if before.reply != answer.reply {
                    refusals.push(refuse(AnswerError::AnsweredTwice));
                }
                continue;
            }
            match verdict::<T>(verb, &fate, &row, answer, &self.settings) {
                Ok(Verdict::New) => {
                    unbounded += usize::from(answer.reply == Reply::Skip && row.draw.bounds.is_none());
                    new.push(Event {
                        place: place as u64,
                        kind: answer.kind(verb),
                        label: answer.label().cloned(),
                        at: by.at,
                        who: by.who.clone(),
                        note: answer.note.clone(),
                    });
                }
                Ok(Verdict::Already) => {}
                Err(reason) => refusals.push(refuse(reason)),
            }
        }
        if refusals.is_empty() {
            Ok((new, unbounded))
        } else {
            Err(Error::Refused { path: self.path().to_owned(), refusals, of: answers.len() })
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Tell,
    Amend,
}

impl Verb {
    fn name(self) -> &'static str {
        match self {
            Self::Tell => "tell",
            Self::Amend => "amend",
        }
    }
}

/// Hash of the answers, in order.
fn request_digest(verb: Verb, answers: &[Answer]) -> u64 {
    let mut parts = vec![verb.name()];
    for answer in answers {
        parts.push(&answer.id);
        parts.push(answer.kind(verb).name());
        parts.push(answer.label().map_or("", String::as_str));
    }
    digest(&parts)
}

enum Verdict {
    New,
    Already,
}

fn verdict<T: StudyTask>(
    verb: Verb,
    fate: &Fate,
    row: &Row,
    answer: &Answer,
    settings: &Settings,
) -> Result<Verdict, AnswerError> {
    let Reply::Label(text) = &answer.reply else {
        return match (&answer.reply, fate) {
            (_, Fate::Labelled(known)) => Err(AnswerError::LabelKept { known: known.clone() }),
            (Reply::Skip, Fate::Skipped) | (Reply::MissingAtRandom, Fate::MissingAtRandom) => {
                Ok(Verdict::Already)
            }
            _ => Ok(Verdict::New),
        };
    };
    let label = label::<T>(text, row, settings)?;
    match fate {
        // Classes that were not predicted differ only by their texts.
        Fate::Labelled(known) if settings.subject == Subject::Hard && same_class(known, text) => {
            Ok(Verdict::Already)
        }
        Fate::Labelled(known)
            if settings.subject != Subject::Hard
                && T::label(known, row, settings).is_ok_and(|known| known == label) =>
        {
            Ok(Verdict::Already)
        }
        Fate::Labelled(known) if verb == Verb::Tell => {
            Err(AnswerError::LabelDiffers { known: known.clone(), told: text.clone() })
        }
        Fate::Labelled(_) => Ok(Verdict::New),
        _ if verb == Verb::Amend => Err(AnswerError::NothingToAmend),
        _ => Ok(Verdict::New),
    }
}

/// A label that has a loss.
fn label<T: StudyTask>(text: &str, row: &Row, settings: &Settings) -> Result<T::Label, AnswerError> {
    let told = || text.to_owned();
    let label =
        T::label(text, row, settings).map_err(|wanted| AnswerError::BadLabel { text: told(), wanted })?;
    let index = row.draw.index;
    let checked = T::check_label(index, label, row.prediction.len() / settings.models()).and_then(|()| {
        let Some(loss) = T::loss(settings.metric.loss, settings) else { return Ok(0.0) };
        checked_loss(&*loss, index, T::prediction(row.own()), label)
    });
    checked.map(|_| label).map_err(|error| match error {
        labelwise::Error::LossNotFinite { loss, .. } => AnswerError::LossNotFinite { text: told(), loss },
        labelwise::Error::LossOutOfBounds { loss, low, high, .. } => {
            AnswerError::LossOutOfBounds { text: told(), loss, low, high }
        }
        error => AnswerError::Core { text: told(), error },
    })
}
