//! How far labelling is, for the labeller and for the owner.

use std::time::{Duration, Instant};

use labelwise_study::Study;
use serde::Serialize;

use super::Desk;
use super::state::{Person, State};
use crate::error::Error;

/// A person who was seen within this time is labelling now.
const ACTIVE: Duration = Duration::from_secs(60);

/// How far labelling is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Progress {
    /// Items with an answer.
    pub(crate) answered: usize,
    /// Labels among the answers.
    pub(crate) labels: usize,
    /// Items to ask in all.
    pub(crate) goal: usize,
    /// Answers of this person since the server started.
    pub(crate) own: usize,
    /// Items that this person put off.
    pub(crate) put_off: usize,
    /// Mean seconds per answer of this person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seconds: Option<f64>,
    /// Seconds until the goal, with everybody who labels now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left: Option<f64>,
    /// Changes with everything that people see.
    pub(crate) version: u64,
}

/// A person on the owner's screen.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PersonLine {
    pub(crate) name: String,
    /// Answers on record, first-hand ones and second opinions.
    pub(crate) answers: usize,
    pub(crate) opinions: usize,
    pub(crate) seconds: Option<f64>,
    /// Items on loan.
    pub(crate) lent: usize,
    pub(crate) put_off: usize,
    /// Seconds since the person was last seen; `None` if not since the server started.
    pub(crate) away: Option<u64>,
    /// Seconds until their items come back to the pile.
    pub(crate) back_in: Option<u64>,
}

impl Desk {
    /// How far labelling is, for a person.
    pub(crate) fn progress(&self, who: &str) -> Progress {
        let state = self.state();
        let study = self.study();
        self.progress_of(&state, &study, who)
    }

    pub(super) fn progress_of(&self, state: &State, study: &Study, who: &str) -> Progress {
        let counts = study.counts();
        let answered = counts.draws.saturating_sub(counts.waiting);
        let person = state.people.get(who);
        let seconds = person.and_then(Person::seconds_per_answer);
        let speed: f64 = state
            .people
            .values()
            .filter(|person| person.last_seen.is_some_and(|seen| seen.elapsed() < ACTIVE))
            .filter_map(|person| person.seconds_per_answer().map(f64::recip))
            .sum();
        let to_do = state.goal.saturating_sub(answered) as f64;
        Progress {
            answered,
            labels: counts.labels,
            goal: state.goal,
            own: person.map_or(0, |person| person.answered),
            put_off: person.map_or(0, |person| person.put_off.len()),
            seconds,
            left: (speed > 0.0).then(|| to_do / speed),
            version: state.version,
        }
    }

    /// Everybody who labels or has labelled.
    pub(crate) fn people(&self) -> Result<Vec<PersonLine>, Error> {
        let now = Instant::now();
        let mut state = self.state();
        state.follow(&mut self.study(), self.rules.lease)?;
        state.expire(now);
        let line = |(name, person): (&String, &Person)| {
            let loans = state.loans.values().filter(|loan| loan.who == *name);
            let until = loans.map(|loan| loan.until).min();
            PersonLine {
                name: name.clone(),
                answers: person.history.len(),
                opinions: person.opinions,
                seconds: person.seconds_per_answer(),
                lent: person.lent.len() + person.put_off.len(),
                put_off: person.put_off.len(),
                away: person.last_seen.map(|seen| now.duration_since(seen).as_secs()),
                back_in: until.map(|until| until.saturating_duration_since(now).as_secs()),
            }
        };
        let known = state
            .people
            .iter()
            .filter(|(_, person)| person.last_seen.is_some() || !person.history.is_empty());
        Ok(known.map(line).collect())
    }

    /// Number of skipped items by their reason, in alphabetical order.
    pub(crate) fn skips(&self) -> Vec<(String, usize)> {
        let state = self.state();
        let mut reasons = std::collections::BTreeMap::<String, usize>::new();
        for given in state.given.values().filter(|given| given.label.is_none()) {
            let note = given.note.clone().unwrap_or_default();
            let reason = note.split(':').next().unwrap_or_default().trim().to_owned();
            *reasons.entry(reason).or_default() += 1;
        }
        reasons.into_iter().collect()
    }
}
