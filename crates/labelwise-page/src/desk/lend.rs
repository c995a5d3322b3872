//! Lends items: what a person has, what waits, what is drawn, second opinions, what was put off.

use std::sync::Arc;
use std::time::{Duration, Instant};

use labelwise_study::{Author, Study, now};
use serde::Serialize;

use super::drawer::{Order, draw};
use super::state::{Loan, State};
use super::{Desk, Progress, View};
use crate::error::Error;

/// Maximum number of items that one person has on loan, besides those put off.
const MOST_LENT: usize = 20;

/// How long a request waits for a draw.
const PATIENCE: Duration = Duration::from_secs(20);

/// The next items of a person.
#[derive(Debug, Serialize)]
pub(crate) struct Next {
    pub(crate) items: Vec<View>,
    /// Items that the person had and that others have now.
    pub(crate) gone: Vec<String>,
    /// Why there is no item, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) none: Option<Nothing>,
    pub(crate) progress: Progress,
}

/// Why there is no item to label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Nothing {
    /// Items are being drawn.
    Drawing,
    /// The goal is reached.
    Goal,
    /// Every item of the pool was asked.
    Exhausted,
    /// Other people have the items that are left.
    WithOthers,
}

/// What a person can take.
enum Taken {
    One,
    /// Items are being drawn.
    Soon,
    Nothing,
}

impl Desk {
    /// Lends items until a person has `count`, and returns those that are not in `have`. Waits while items are drawn, if the
    /// person has none.
    pub(crate) fn next(self: &Arc<Self>, who: &str, have: &[String], count: usize) -> Result<Next, Error> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let (desk, who, have) = (Arc::clone(self), who.to_owned(), have.to_owned());
            let (next, version) = self.clerk.have(move || {
                let mut state = desk.state();
                let mut study = desk.study();
                let next = desk.lend(&mut state, &mut study, &who, &have, count.clamp(1, MOST_LENT));
                (next, state.version)
            })?;
            let next = next?;
            if next.none != Some(Nothing::Drawing) || Instant::now() >= deadline {
                return Ok(next);
            }
            self.wait(version, deadline.saturating_duration_since(Instant::now()));
        }
    }

    fn lend(
        &self,
        state: &mut State,
        study: &mut Study,
        who: &str,
        have: &[String],
        count: usize,
    ) -> Result<Next, Error> {
        let now = Instant::now();
        state.follow(study, self.rules.lease)?;
        state.expire(now);
        state.people.entry(who.to_owned()).or_default().last_seen = Some(now);
        state.renew(who, now + self.rules.lease);
        // A browser that has items from before a restart keeps them, unless somebody else has them now.
        have.iter().for_each(|id| self.lend_again(state, who, id, now));
        let mut taken = Taken::One;
        while state.people.get(who).is_some_and(|person| person.lent.len() < count) {
            taken = self.take(state, study, who, now)?;
            if !matches!(taken, Taken::One) {
                break;
            }
        }
        if let Some(person) = state.people.get_mut(who)
            && person.lent.is_empty()
            && !matches!(taken, Taken::Soon)
            && let Some(first) = person.put_off.pop_front()
        {
            person.lent.push_back(first);
        }
        if let Some(reason) = state.trouble.take() {
            return Err(Error::NoDraws { reason });
        }
        self.draw_ahead(state, study, who);
        let lent: Vec<String> =
            state.people.get(who).map(|person| person.lent.iter().cloned().collect()).unwrap_or_default();
        let new = lent.iter().filter(|id| !have.contains(id)).take(count);
        let places: Vec<usize> = new.filter_map(|id| state.loan_of(id, who).map(|loan| loan.place)).collect();
        let items = self.views(study, state, who, &places)?;
        let gone = have.iter().filter(|id| state.loan_of(id, who).is_none()).cloned().collect();
        let none = lent.is_empty().then(|| match taken {
            Taken::Soon => Nothing::Drawing,
            _ if study.left() == 0 && state.loans.is_empty() && state.pile.is_empty() => Nothing::Exhausted,
            _ if state.loans.is_empty() && state.pile.is_empty() => Nothing::Goal,
            _ => Nothing::WithOthers,
        });
        let progress = self.progress_of(state, study, who);
        Ok(Next { items, gone, none, progress })
    }

    /// Lends an item again that waits and that a person says to have.
    fn lend_again(&self, state: &mut State, who: &str, id: &str, at: Instant) {
        if state.loan_of(id, who).is_some() {
            return;
        }
        let place = state.pile.iter().position(|waiting| waiting.id == id);
        if let Some(waiting) = place.and_then(|place| state.pile.remove(place)) {
            self.book(state, who, waiting.id, waiting.place, at, false);
        }
    }

    fn take(&self, state: &mut State, study: &mut Study, who: &str, at: Instant) -> Result<Taken, Error> {
        let had_second = state.people.get(who).is_some_and(|person| person.had_second);
        if !had_second && self.take_second(state, who, at) {
            return Ok(Taken::One);
        }
        loop {
            let kept = state.pile.iter().position(|waiting| waiting.is_kept_for(who));
            let free = || state.pile.iter().position(|waiting| waiting.is_free_for(who, at));
            if let Some(waiting) = kept.or_else(free).and_then(|place| state.pile.remove(place)) {
                self.book(state, who, waiting.id, waiting.place, at, false);
                return Ok(Taken::One);
            }
            if state.drawing.get(who).is_some_and(|drawing| *drawing > 0) {
                return Ok(Taken::Soon);
            }
            let wanted = self.wanted(state, study);
            if wanted == 0 {
                break;
            }
            self.order(state, who, wanted);
            if self.drawer.is_some() {
                return Ok(Taken::Soon);
            }
            let drawn = draw(study, &Order { who: who.to_owned(), count: wanted });
            state.follow(study, self.rules.lease)?;
            state.drawing.remove(who);
            drawn?;
        }
        Ok(if self.take_second(state, who, at) { Taken::One } else { Taken::Nothing })
    }

    fn take_second(&self, state: &mut State, who: &str, at: Instant) -> bool {
        if self.rules.overlap < 2 {
            return false;
        }
        let Some((id, place)) = state.wants_second(who, self.rules.overlap) else { return false };
        self.book(state, who, id, place, at, true);
        true
    }

    /// Books a loan.
    fn book(&self, state: &mut State, who: &str, id: String, place: usize, at: Instant, is_second: bool) {
        let loan = Loan { place, who: who.to_owned(), since: now(), until: at + self.rules.lease };
        let person = state.people.entry(who.to_owned()).or_default();
        person.had_second = is_second;
        person.lent.push_back(id.clone());
        if is_second {
            state.seconds.insert((id, who.to_owned()), loan);
        } else {
            state.loans.insert(id, loan);
        }
        state.version += 1;
    }

    /// How many items to draw for a person now.
    fn wanted(&self, state: &State, study: &Study) -> usize {
        let drawing: usize = state.drawing.values().sum();
        let to_goal = state.goal.saturating_sub(study.asked() + drawing);
        self.rules.batch.max(1).min(to_goal).min(study.left().saturating_sub(drawing))
    }

    fn order(&self, state: &mut State, who: &str, count: usize) {
        *state.drawing.entry(who.to_owned()).or_default() += count;
        if let Some(drawer) = &self.drawer {
            drawer.order(Order { who: who.to_owned(), count });
        }
    }

    /// Draws the next items before a person needs them.
    fn draw_ahead(&self, state: &mut State, study: &Study, who: &str) {
        let has_more = state.pile.iter().any(|waiting| waiting.is_free_for(who, Instant::now()));
        let draws = state.drawing.get(who).is_some_and(|drawing| *drawing > 0);
        if self.drawer.is_none() || has_more || draws {
            return;
        }
        let wanted = self.wanted(state, study);
        if wanted > 0 {
            self.order(state, who, wanted);
        }
    }

    /// What the drawer reports.
    pub(super) fn drawn(&self, order: &Order, trouble: Option<Error>) {
        let mut state = self.state();
        {
            let mut study = self.study();
            if let Err(error) = state.follow(&mut study, self.rules.lease) {
                state.trouble = Some(error.to_string());
            }
        }
        // Fewer may have been left.
        state.drawing.remove(&order.who);
        state.trouble = trouble.map(|error| error.to_string());
        state.version += 1;
        self.changed.notify_all();
    }

    /// Puts an item off: it comes back when nothing else is left.
    pub(crate) fn put_off(&self, who: &str, id: &str) -> bool {
        let mut state = self.state();
        if state.loan_of(id, who).is_none() {
            return false;
        }
        let Some(person) = state.people.get_mut(who) else { return false };
        person.forget(id);
        person.put_off.push_back(id.to_owned());
        state.version += 1;
        self.changed.notify_all();
        true
    }

    /// Changes the number of items to ask in all.
    pub(crate) fn set_goal(&self, who: &str, goal: usize) -> Result<usize, Error> {
        let mut state = self.state();
        let mut study = self.study();
        let goal = goal.clamp(study.asked(), study.asked() + study.left());
        study.record_goal(goal, &Author { who: who.to_owned(), at: now(), key: None })?;
        state.goal = goal;
        state.version += 1;
        self.changed.notify_all();
        Ok(goal)
    }
}
