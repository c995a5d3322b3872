//! The one rule of what may be told.

use std::collections::{HashMap, HashSet};

use labelwise::loss::checked_loss;

use crate::error::{AnswerError, RefusedAnswer, Result};
use crate::journal::{Event, Found, Row};
use crate::spec::settings::Settings;
use crate::spec::subject::Subject;
use crate::task::{StudyTask, same_class};
use crate::tell::{Answer, Reply, Verb};
use crate::{Author, Fate, Study};

impl Study {
    /// The one rule of what may be told: the answers that are new, as events, and those that are refused.
    pub(crate) fn accept<T: StudyTask>(
        &self,
        verb: Verb,
        answers: &[Answer],
        by: &Author,
    ) -> Result<Accepted> {
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
pub(crate) struct Accepted {
    pub(crate) events: Vec<Event>,
    /// The answers that are second opinions.
    pub(crate) opinions: Vec<usize>,
    /// Number of skips among them whose loss has no bounds.
    pub(crate) unbounded: usize,
    pub(crate) refused: Vec<RefusedAnswer>,
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
