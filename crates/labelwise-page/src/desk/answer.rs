//! Takes an answer: checks who may give it, records it, and only then says so.

use std::sync::Arc;
use std::time::Instant;

use labelwise::words::quoted;
use labelwise_study::{Answer, Author, Error as StudyError, Reply, Study, moment, now};
use serde::{Deserialize, Serialize};

use super::state::{self, State};
use super::{Desk, Progress};
use crate::error::Error;

/// An answer as the page sends it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    /// The id of the item.
    pub(crate) item: String,
    /// The label.
    #[serde(default)]
    pub(crate) label: Option<String>,
    /// The reason why it has none.
    #[serde(default)]
    pub(crate) skip: Option<String>,
    /// Idempotency key: repeating a request with the same key returns the first answer.
    pub(crate) key: String,
    #[serde(default)]
    pub(crate) note: Option<String>,
    /// Whether it replaces an earlier answer of the same person.
    #[serde(default)]
    pub(crate) amend: bool,
}

/// An answer that is on record, as its author sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Given {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<String>,
    pub(crate) skipped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// When, as ISO 8601 has it.
    pub(crate) at: String,
}

/// An answer that is on disk.
#[derive(Debug, Serialize)]
pub(crate) struct Saved {
    pub(crate) item: String,
    pub(crate) number: usize,
    pub(crate) given: Given,
    pub(crate) progress: Progress,
}

/// Why an answer was not recorded.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The request is not an answer.
    NotAnAnswer(&'static str),
    /// Somebody else has the item, or has answered it.
    Elsewhere { code: &'static str, message: String },
    /// The study refused it.
    Study(Error),
}

impl<E: Into<Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Study(error.into())
    }
}

/// Maximum length of a key, in bytes.
const LONGEST_KEY: usize = 200;

/// Maximum length of a note, in bytes.
const LONGEST_NOTE: usize = 4096;

impl Wish {
    fn check(&self) -> Result<(), Refusal> {
        let is_one = self.label.is_some() != self.skip.is_some();
        match () {
            () if !is_one => Err(Refusal::NotAnAnswer("give either a label or a reason to skip")),
            () if self.key.is_empty() || self.key.len() > LONGEST_KEY => {
                Err(Refusal::NotAnAnswer("give a key of 1 to 200 bytes"))
            }
            () if self.note.as_ref().is_some_and(|note| note.len() > LONGEST_NOTE)
                || self.skip.as_ref().is_some_and(|skip| skip.len() > LONGEST_NOTE) =>
            {
                Err(Refusal::NotAnAnswer("notes have at most 4096 bytes"))
            }
            () => Ok(()),
        }
    }

    /// The note on record: the reason of a skip comes first.
    fn note(&self) -> Option<String> {
        let note = self.note.as_ref().map(|note| note.trim()).filter(|note| !note.is_empty());
        match (self.skip.as_ref().map(|skip| skip.trim()).filter(|skip| !skip.is_empty()), note) {
            (Some(skip), Some(note)) => Some(format!("{skip}: {note}")),
            (Some(one), None) | (None, Some(one)) => Some(one.to_owned()),
            (None, None) => None,
        }
    }
}

impl Desk {
    /// Records an answer. When it returns, the answer is on disk.
    pub(crate) fn answer(self: &Arc<Self>, who: &str, wish: &Wish) -> Result<Saved, Refusal> {
        wish.check()?;
        let (desk, who, wish) = (Arc::clone(self), who.to_owned(), wish.clone());
        self.clerk.have(move || desk.accept(&who, &wish))?
    }

    fn accept(&self, who: &str, wish: &Wish) -> Result<Saved, Refusal> {
        let mut state = self.state();
        let mut study = self.study();
        state.follow(&mut study, self.rules.lease)?;
        state.expire(Instant::now());
        // Keys of different people cannot meet.
        let key = format!("page {} {who} {}", who.len(), wish.key);
        let answer = self.as_answer(&state, &study, wish)?;
        let before = study.was_told(&key, std::slice::from_ref(&answer))?;
        if before == Some(false) {
            let message = format!("the key {} was used before, for another answer", quoted(&wish.key));
            return Err(Refusal::Elsewhere { code: "key-reused", message });
        }
        if before.is_none() {
            self.record(&mut state, &mut study, who, wish, answer, key)?;
            let person = state.people.entry(who.to_owned()).or_default();
            (person.last_seen, ()) = (Some(Instant::now()), person.count_answer(Instant::now()));
            state.version += 1;
            self.changed.notify_all();
        }
        let given = state.answer_of(&wish.item, who);
        let Some(given) = given else {
            return Err(Refusal::Elsewhere {
                code: "answered",
                message: format!("{} has no answer of yours", quoted(&wish.item)),
            });
        };
        let item = study.asked_at(&[given.place])?.pop().map_or(0, |asked| asked.item);
        let (number, given) = (given.place + 1, self.shown(item, given));
        let progress = self.progress_of(&state, &study, who);
        Ok(Saved { item: wish.item.clone(), number, given, progress })
    }

    fn record(
        &self,
        state: &mut State,
        study: &mut Study,
        who: &str,
        wish: &Wish,
        answer: Answer,
        key: String,
    ) -> Result<(), Refusal> {
        let by = Author { who: who.to_owned(), at: now(), key: Some(key) };
        let own = state.answer_of(&wish.item, who).is_some();
        match state.given.get(&wish.item) {
            // Somebody else was first: a second opinion, if there may be one.
            Some(given) if given.who != who => {
                let opinions = state.opinions.get(&wish.item).map_or(0, Vec::len);
                if !own && opinions + 1 >= self.rules.overlap {
                    return Err(answered(given, &wish.item));
                }
                let place = given.place;
                study.give_opinion(&answer, &by)?;
                let label = match answer.reply {
                    Reply::Label(label) => Some(label),
                    _ => None,
                };
                let given = state::Given { place, who: who.to_owned(), label, note: answer.note, at: by.at };
                state.take_opinion(&wish.item, given);
                return Ok(());
            }
            Some(given) if wish.amend && given.label.is_some() => study.amend(&[answer], &by)?,
            _ => {
                if let Some(loan) = state.loans.get(&wish.item).filter(|loan| loan.who != who) {
                    return Err(Refusal::Elsewhere {
                        code: "lent",
                        message: format!(
                            "{} was given to {} at {}; your loan ran out",
                            quoted(&wish.item),
                            loan.who,
                            moment(loan.since)
                        ),
                    });
                }
                study.tell(&[answer], &by)?
            }
        };
        state.follow(study, self.rules.lease)?;
        Ok(())
    }

    /// The answer as the study takes it.
    fn as_answer(&self, state: &State, study: &Study, wish: &Wish) -> Result<Answer, Refusal> {
        let reply = match (&wish.label, &self.pair) {
            (None, _) => Reply::Skip,
            (Some(label), None) => Reply::Label(label.clone()),
            (Some(label), Some(pair)) => {
                let loan = state.loans.get(&wish.item).map(|loan| loan.place);
                let pile =
                    || state.pile.iter().find(|waiting| waiting.id == wish.item).map(|waiting| waiting.place);
                let given = || state.given.get(&wish.item).map(|given| given.place);
                let place = loan.or_else(pile).or_else(given);
                let asked = place.map(|place| study.asked_at(&[place])).transpose()?.unwrap_or_default();
                let class = asked.first().and_then(|asked| pair.class(asked.item, label));
                Reply::Label(class.ok_or(Refusal::NotAnAnswer("answer a, b or t"))?.to_owned())
            }
        };
        Ok(Answer { id: wish.item.clone(), reply, line: None, note: wish.note(), who: None })
    }

    /// An answer on record as its author sees it: sides, not classes.
    pub(super) fn shown(&self, item: usize, given: &state::Given) -> Given {
        let label = given.label.clone().map(|label| match &self.pair {
            Some(pair) => pair.answer(item, &label).map_or(label, str::to_owned),
            None => label,
        });
        Given { skipped: label.is_none(), label, note: given.note.clone(), at: moment(given.at) }
    }

    /// The last answers of a person, the newest first.
    pub(crate) fn history(&self, who: &str, most: usize) -> Result<Vec<PastAnswer>, Error> {
        let (state, study) = (self.state(), self.study());
        let ids = state.people.get(who).map(|person| person.history.as_slice()).unwrap_or_default();
        let known = ids.iter().rev().take(most);
        let past: Vec<(&String, &state::Given)> =
            known.filter_map(|id| Some((id, state.answer_of(id, who)?))).collect();
        let places: Vec<usize> = past.iter().map(|(_, given)| given.place).collect();
        let items: Vec<usize> = match self.pair {
            Some(_) => study.asked_at(&places)?.into_iter().map(|asked| asked.item).collect(),
            None => places,
        };
        let line = |((id, given), item): ((&String, &state::Given), usize)| PastAnswer {
            item: id.clone(),
            number: given.place + 1,
            given: self.shown(item, given),
        };
        Ok(past.into_iter().zip(items).map(line).collect())
    }
}

/// An earlier answer of a person.
#[derive(Debug, Serialize)]
pub(crate) struct PastAnswer {
    pub(crate) item: String,
    pub(crate) number: usize,
    pub(crate) given: Given,
}

fn answered(given: &state::Given, item: &str) -> Refusal {
    let message = format!("{} was answered by {} at {}", quoted(item), given.who, moment(given.at));
    Refusal::Elsewhere { code: "answered", message }
}

impl Refusal {
    /// A stable code and a sentence.
    pub(crate) fn told(&self) -> (&'static str, String) {
        match self {
            Self::NotAnAnswer(message) => ("answer", (*message).to_owned()),
            Self::Elsewhere { code, message } => (code, message.clone()),
            Self::Study(Error::Study(StudyError::Refused { refusals, .. })) => {
                let first = refusals.first();
                (
                    "refused",
                    first.map_or_else(String::new, |refusal| {
                        format!("{}: {}", quoted(&refusal.id), refusal.reason)
                    }),
                )
            }
            Self::Study(error) => (error.code(), error.to_string()),
        }
    }
}
