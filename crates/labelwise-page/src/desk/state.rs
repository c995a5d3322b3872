//! Who has which item: the pile of items that wait, loans, answers, people. All of it follows the record of the study, so a
//! server that starts again knows what matters.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use labelwise_study::Study;

use crate::error::Error;

/// After a start, how long an item is kept for the person it was drawn for: their browser may still hold it.
const GRACE: Duration = Duration::from_secs(60);

/// Longer pauses between two answers are not time for a label.
const LONGEST_PAUSE: f64 = 120.0;

/// How many answers the time for a label is averaged over.
const TIMED: usize = 30;

/// An item that was drawn and that nobody has.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    pub(crate) place: usize,
    pub(crate) id: String,
    /// For whom it is kept, and until when.
    kept_for: Option<(String, Instant)>,
}

impl Waiting {
    /// Whether a person may take it now.
    pub(crate) fn is_free_for(&self, who: &str, now: Instant) -> bool {
        self.kept_for.as_ref().is_none_or(|(name, until)| name == who || *until <= now)
    }

    /// Whether it is kept for this very person.
    pub(crate) fn is_kept_for(&self, who: &str) -> bool {
        self.kept_for.as_ref().is_some_and(|(name, _)| name == who)
    }
}

/// An item on loan.
#[derive(Debug, Clone)]
pub(crate) struct Loan {
    pub(crate) place: usize,
    pub(crate) who: String,
    /// When it was lent, in microseconds since 1970.
    pub(crate) since: i64,
    pub(crate) until: Instant,
}

/// The answer on record about an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) place: usize,
    pub(crate) who: String,
    /// The label; `None` if the item was skipped.
    pub(crate) label: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) at: i64,
}

/// A person who labels.
#[derive(Debug, Clone, Default)]
pub(crate) struct Person {
    /// The items on loan that are shown next, in order.
    pub(crate) lent: VecDeque<String>,
    /// The items that were put off, which come back at the end.
    pub(crate) put_off: VecDeque<String>,
    /// The items with an answer of this person, in the order of the first answers.
    pub(crate) history: Vec<String>,
    /// The same items, to look them up.
    known: HashSet<String>,
    /// Number of answers since the start of the server.
    pub(crate) answered: usize,
    /// Number of second opinions on record.
    pub(crate) opinions: usize,
    /// Whether the last new item was a second opinion.
    pub(crate) had_second: bool,
    pub(crate) last_seen: Option<Instant>,
    last_answer: Option<Instant>,
    times: VecDeque<f64>,
}

impl Person {
    /// Notes the time of an answer.
    pub(crate) fn count_answer(&mut self, now: Instant) {
        self.answered += 1;
        let since = self.last_answer.replace(now).map(|last| now.duration_since(last).as_secs_f64());
        if let Some(seconds) = since.filter(|seconds| *seconds < LONGEST_PAUSE) {
            self.times.push_back(seconds);
            if self.times.len() > TIMED {
                self.times.pop_front();
            }
        }
    }

    /// Mean seconds per answer, once there are some.
    pub(crate) fn seconds_per_answer(&self) -> Option<f64> {
        let answers = self.times.len();
        (answers >= 3).then(|| self.times.iter().sum::<f64>() / answers as f64)
    }

    /// Forgets that an item is on loan.
    pub(crate) fn forget(&mut self, id: &str) {
        self.lent.retain(|lent| lent != id);
        self.put_off.retain(|lent| lent != id);
    }
}

/// Everything that changes while people label.
#[derive(Debug, Default)]
pub(crate) struct State {
    draws: usize,
    events: usize,
    pub(crate) pile: VecDeque<Waiting>,
    /// First-hand loans, by the id of the item.
    pub(crate) loans: HashMap<String, Loan>,
    /// Loans for second opinions, by the id and the person.
    pub(crate) seconds: HashMap<(String, String), Loan>,
    /// Answers on record, by the id of the item.
    pub(crate) given: HashMap<String, Given>,
    /// Items with an answer, in the order of the answers.
    pub(crate) answered: Vec<String>,
    /// Second opinions on record, by the id of the item.
    pub(crate) opinions: HashMap<String, Vec<Given>>,
    pub(crate) people: BTreeMap<String, Person>,
    /// Number of items to ask in all.
    pub(crate) goal: usize,
    /// Items that are being drawn, by person.
    pub(crate) drawing: HashMap<String, usize>,
    /// Why no items could be drawn.
    pub(crate) trouble: Option<String>,
    /// Changes with everything that people see.
    pub(crate) version: u64,
}

impl State {
    /// The state at the start of the server.
    pub(crate) fn new(study: &mut Study, goal: usize) -> Result<Self, Error> {
        let mut state = Self { goal, ..Self::default() };
        state.follow(study, GRACE)?;
        let authors: Vec<String> = study.history()?.map(|draw| draw.who.to_owned()).collect();
        for waiting in &mut state.pile {
            let who = authors.get(waiting.place).filter(|who| !who.is_empty());
            waiting.kept_for = who.map(|who| (who.clone(), Instant::now() + GRACE));
        }
        for opinion in study.opinions()? {
            let place = state.given.get(&opinion.id).map_or(0, |given| given.place);
            let given =
                Given { place, who: opinion.who, label: opinion.label, note: opinion.note, at: opinion.at };
            state.take_opinion(&opinion.id, given);
        }
        Ok(state)
    }

    /// Reads what is new in the record, also by other processes.
    pub(crate) fn follow(&mut self, study: &mut Study, lease: Duration) -> Result<(), Error> {
        study.reload()?;
        let counts = study.counts();
        if (counts.draws, counts.events) == (self.draws, self.events) {
            return Ok(());
        }
        for (place, draw) in study.history()?.enumerate().skip(self.draws) {
            // Items that this server has drawn are for one person; items that a command has asked are for everybody.
            let ours = self.drawing.get_mut(draw.who).filter(|drawing| **drawing > 0);
            let kept_for = ours.map(|drawing| {
                *drawing -= 1;
                (draw.who.to_owned(), Instant::now() + lease)
            });
            self.pile.push_back(Waiting { place, id: draw.id.to_owned(), kept_for });
        }
        for event in study.events()?.skip(self.events) {
            let label = event.label.map(str::to_owned);
            let (who, note) = (event.who.to_owned(), event.note.map(str::to_owned));
            let given = Given { place: event.place, who, label, note, at: event.at };
            self.take_answer(event.id, given);
        }
        (self.draws, self.events) = (counts.draws, counts.events);
        self.version += 1;
        Ok(())
    }

    fn take_answer(&mut self, id: &str, given: Given) {
        // Items are mostly answered in the order of the draws, so this one is near the front.
        if let Some(at) = self.pile.iter().position(|waiting| waiting.id == id) {
            self.pile.remove(at);
        }
        if let Some(loan) = self.loans.remove(id)
            && let Some(person) = self.people.get_mut(&loan.who)
        {
            person.forget(id);
        }
        self.remember(id, &given.who);
        if self.given.insert(id.to_owned(), given).is_none() {
            self.answered.push(id.to_owned());
        }
    }

    /// Notes a second opinion that is on record.
    pub(crate) fn take_opinion(&mut self, id: &str, given: Given) {
        self.remember(id, &given.who);
        self.seconds.remove(&(id.to_owned(), given.who.clone()));
        if let Some(person) = self.people.get_mut(&given.who) {
            person.forget(id);
        }
        let opinions = self.opinions.entry(id.to_owned()).or_default();
        match opinions.iter_mut().find(|opinion| opinion.who == given.who) {
            Some(before) => *before = given,
            None => {
                self.people.entry(given.who.clone()).or_default().opinions += 1;
                opinions.push(given);
            }
        }
        self.version += 1;
    }

    fn remember(&mut self, id: &str, who: &str) {
        let person = self.people.entry(who.to_owned()).or_default();
        if person.known.insert(id.to_owned()) {
            person.history.push(id.to_owned());
        }
    }

    /// The answer of a person about an item, first-hand or as a second opinion.
    pub(crate) fn answer_of(&self, id: &str, who: &str) -> Option<&Given> {
        let own = self.given.get(id).filter(|given| given.who == who);
        own.or_else(|| self.opinions.get(id)?.iter().find(|opinion| opinion.who == who))
    }

    /// Puts loans that ran out back on the pile, at its front: later draws wait for them.
    pub(crate) fn expire(&mut self, now: Instant) {
        let mut over: Vec<(String, Loan)> = self.loans.extract_if(|_, loan| loan.until <= now).collect();
        over.sort_by_key(|(_, loan)| std::cmp::Reverse(loan.place));
        for (id, Loan { place, who, .. }) in over {
            if let Some(person) = self.people.get_mut(&who) {
                person.forget(&id);
            }
            self.pile.push_front(Waiting { place, id, kept_for: None });
            self.version += 1;
        }
        let over: Vec<((String, String), Loan)> =
            self.seconds.extract_if(|_, loan| loan.until <= now).collect();
        for ((id, who), _) in over {
            if let Some(person) = self.people.get_mut(&who) {
                person.forget(&id);
            }
        }
    }

    /// Renews all loans of a person.
    pub(crate) fn renew(&mut self, who: &str, until: Instant) {
        let first = self.loans.values_mut().filter(|loan| loan.who == who);
        let second = self.seconds.values_mut().filter(|loan| loan.who == who);
        first.chain(second).for_each(|loan| loan.until = until);
    }

    /// The loan of a person, of either kind.
    pub(crate) fn loan_of(&self, id: &str, who: &str) -> Option<&Loan> {
        let first = self.loans.get(id).filter(|loan| loan.who == who);
        first.or_else(|| self.seconds.get(&(id.to_owned(), who.to_owned())))
    }

    /// An item that wants a second opinion which this person can give.
    pub(crate) fn wants_second(&self, who: &str, overlap: usize) -> Option<(String, usize)> {
        let is_wanted = |id: &&String| {
            let given = self.given.get(*id);
            let opinions = self.opinions.get(*id).map_or(0, Vec::len);
            let lent = self.seconds.keys().filter(|(lent, _)| lent == *id).count();
            let is_others = given.is_some_and(|given| given.who != who && given.label.is_some());
            let is_new = self.answer_of(id, who).is_none()
                && !self.seconds.contains_key(&((*id).clone(), who.to_owned()));
            is_others && is_new && opinions + lent + 1 < overlap
        };
        let id = self.answered.iter().find(is_wanted)?;
        Some((id.clone(), self.given.get(id)?.place))
    }
}
