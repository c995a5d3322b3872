//! Records answers. One call is one transaction: all answers are recorded or none, and on disk before it
//! returns.

use std::collections::{HashMap, HashSet};

use labelwise::loss::checked_loss;
use labelwise_file::digest;

use super::ask::ATTEMPTS;
use super::journal::{Appended, Batch, Event, EventKind, Found, Request, Row};
use super::spec::settings::Settings;
use super::spec::subject::Subject;
use super::task::{StudyTask, same_class, with_task};
use super::{Author, Fate, Study, told_before};
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
    /// Whose label it is; `None` for the author of the call.
    pub who: Option<String>,
}

impl Answer {
    /// A label for an item.
    pub fn new(id: impl Into<String>, label: impl Into<String>) -> Self {
        Self { id: id.into(), reply: Reply::Label(label.into()), line: None, note: None, who: None }
    }

    /// Whose label it is in a call of this author.
    fn by<'a>(&'a self, author: &'a Author) -> &'a str {
        self.who.as_deref().unwrap_or(&author.who)
    }

    /// The event it becomes.
    fn kind(&self, verb: Verb) -> EventKind {
        match (&self.reply, verb) {
            (Reply::Label(_), Verb::Tell | Verb::TellPartly) => EventKind::Told,
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
                    self.give_opinion(answer, &by)?;
                }
            }
            let new = events.iter().filter(|event| event.kind == EventKind::Told).count();
            let told = TellResult {
                recorded: events.len(),
                already: answers.len() - events.len() - opinions.len() - refused.len(),
                opinions: opinions.len(),
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

    /// The one rule of what may be told: the answers that are new, as events, and those that are refused.
    fn accept<T: StudyTask>(&self, verb: Verb, answers: &[Answer], by: &Author) -> Result<Accepted> {
        let mut accepted = Accepted::default();
        // The first answer of this call about a draw, and whether another answer of the call contradicts it.
        let mut said: HashMap<(usize, &str), (usize, bool)> = HashMap::new();
        // Draws that get their first label in this call.
        let mut new: HashSet<usize> = HashSet::new();
        let mut authors: Option<HashMap<usize, String>> = None;
        let (one, many) = match answers {
            [answer] => (Some(self.journal.find_one(&answer.id)?), Vec::new()),
            _ => {
                let ids: Vec<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
                (None, self.journal.find(&ids)?)
            }
        };
        for (number, (answer, found)) in answers.iter().zip(one.into_iter().chain(many)).enumerate() {
            let Some(Found { place, row, fate }) = found else {
                accepted.refuse(number, answer, AnswerError::NeverAsked { open: self.counts.waiting });
                continue;
            };
            if answers.len() > 1 {
                let who = answer.by(by);
                let before = said.get(&(place, who)).and_then(|(first, _)| answers.get(*first));
                if let Some(before) = before {
                    if before.reply != answer.reply {
                        accepted.refuse(number, answer, AnswerError::AnsweredTwice);
                        said.entry((place, who)).and_modify(|(_, is_contradicted)| *is_contradicted = true);
                    }
                    continue;
                }
                said.insert((place, who), (number, false));
            }
            if verb != Verb::Amend
                && let Reply::Label(text) = &answer.reply
                && self.is_second(place, &fate, answer.by(by), &new, &mut authors)?
            {
                match label::<T>(text, &row, &self.settings) {
                    Ok(_) => accepted.opinions.push(number),
                    Err(reason) => accepted.refuse(number, answer, reason),
                }
                continue;
            }
            match verdict::<T>(verb, &fate, &row, answer, &self.settings) {
                Ok(Verdict::New) => {
                    let is_unbounded = answer.reply == Reply::Skip && row.draw.bounds.is_none();
                    accepted.unbounded += usize::from(is_unbounded);
                    if matches!(answer.reply, Reply::Label(_)) {
                        new.insert(place);
                    }
                    accepted.events.push(Event {
                        place: place as u64,
                        kind: answer.kind(verb),
                        label: answer.label().cloned(),
                        at: by.at,
                        who: answer.by(by).to_owned(),
                        note: answer.note.clone(),
                    });
                }
                Ok(Verdict::Already) => {}
                Err(reason) => accepted.refuse(number, answer, reason),
            }
        }
        if verb == Verb::TellPartly {
            accepted.leave_out_contradicted(&said, answers);
        }
        Ok(accepted)
    }

    /// Whether another person has labelled the item: on record, or in this call. Who labelled what is read once.
    fn is_second(
        &self,
        place: usize,
        fate: &Fate,
        who: &str,
        new: &HashSet<usize>,
        authors: &mut Option<HashMap<usize, String>>,
    ) -> Result<bool> {
        if new.contains(&place) {
            return Ok(true);
        }
        if !matches!(fate, Fate::Labelled(_)) {
            return Ok(false);
        }
        if authors.is_none() {
            let labelled = self.record()?.events.iter().filter(|event| event.label.is_some());
            let author =
                |event: &Event| (usize::try_from(event.place).unwrap_or(usize::MAX), event.who.clone());
            *authors = Some(labelled.map(author).collect());
        }
        Ok(authors.as_ref().and_then(|authors| authors.get(&place)).is_some_and(|author| author != who))
    }
}

/// The answers of a call, as events or refusals.
#[derive(Default)]
struct Accepted {
    events: Vec<Event>,
    /// The answers that are second opinions.
    opinions: Vec<usize>,
    /// Number of skips among them whose loss has no bounds.
    unbounded: usize,
    refused: Vec<RefusedAnswer>,
}

impl Accepted {
    fn refuse(&mut self, place: usize, answer: &Answer, reason: AnswerError) {
        self.refused.push(RefusedAnswer { place, line: answer.line, id: answer.id.clone(), reason });
    }

    /// Nobody knows which of two different answers is right, so the first one is refused like the second.
    fn leave_out_contradicted(&mut self, said: &HashMap<(usize, &str), (usize, bool)>, answers: &[Answer]) {
        let first = |event: &Event| {
            let place = usize::try_from(event.place).ok()?;
            said.get(&(place, event.who.as_str()))
                .filter(|(_, is_contradicted)| *is_contradicted)
                .map(|(first, _)| *first)
        };
        let contradicted: Vec<usize> = self.events.iter().filter_map(first).collect();
        self.events.retain(|event| first(event).is_none());
        for number in contradicted {
            if let Some(answer) = answers.get(number) {
                self.refuse(number, answer, AnswerError::AnsweredTwice);
            }
        }
        self.refused.sort_by_key(|refused| refused.place);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
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
            (Reply::Skip, Fate::Labelled(_)) if verb == Verb::Amend => Ok(Verdict::New),
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
        Fate::Labelled(known) if verb != Verb::Amend => {
            Err(AnswerError::LabelDiffers { known: known.clone(), told: text.clone() })
        }
        Fate::Labelled(_) => Ok(Verdict::New),
        _ if verb == Verb::Amend => Err(AnswerError::NothingToAmend),
        _ => Ok(Verdict::New),
    }
}

/// A label that has a loss.
pub(crate) fn label<T: StudyTask>(
    text: &str,
    row: &Row,
    settings: &Settings,
) -> Result<T::Label, AnswerError> {
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
