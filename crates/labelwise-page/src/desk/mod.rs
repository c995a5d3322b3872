//! The desk: lends items to people, takes their answers, and records each in the study before it says so.
//!
//! ```text
//!   drawer (a thread with its own handle) ──draws──► record ──follow──► pile ──lend──► person ──answer──► record
//! ```
//!
//! The study decides what a valid answer is and makes it durable. The desk only decides who has which item. What it knows is
//! rebuilt from the record at every start.

mod answer;
mod clerk;
mod drawer;
mod lend;
mod progress;
mod rules;
mod state;

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use labelwise_study::{Asked, Author, Study, Subject, now};
use serde::Serialize;

pub(crate) use answer::{Given as GivenAnswer, Wish};
pub(crate) use lend::Nothing;
pub(crate) use progress::Progress;
pub use rules::Rules;

use crate::error::Error;
use crate::show::{self, Field, Pair};
use clerk::Clerk;
use drawer::Drawer;
use state::State;

/// The study, shared with whoever opened the page.
pub type SharedStudy = Arc<Mutex<Study>>;

/// Lends items and takes answers.
pub(crate) struct Desk {
    study: SharedStudy,
    state: Mutex<State>,
    changed: Condvar,
    pub(crate) rules: Rules,
    pub(crate) pair: Option<Pair>,
    pub(crate) task: Task,
    has_media: bool,
    /// None if the study is in memory: it is drawn from under its lock.
    drawer: Option<Drawer>,
    clerk: Clerk,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// What a label is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Task {
    /// One of some classes.
    Classes {
        classes: Vec<Choice>,
        /// Whether a label can be a class that is not listed.
        open: bool,
    },
    /// A number.
    Number { low: Option<f64>, high: Option<f64> },
    /// Which of two sides is better.
    Pair { tie: bool },
}

/// A class, and the keys that choose it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Choice {
    pub(crate) name: String,
    /// The digit that is its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<usize>,
    /// The first letter, if it is unique and not the key of something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) letter: Option<char>,
    /// What people read in place of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) words: Option<String>,
}

impl Choice {
    /// What people read.
    pub(crate) fn shown(&self) -> &str {
        self.words.as_ref().unwrap_or(&self.name)
    }
}

/// Keys of the page that no class can have.
const TAKEN: [char; 6] = ['u', 's', 'd', 'n', 'g', 'q'];

/// From this number of classes on, they are searched rather than chosen by a key.
const FEW: usize = 9;

/// Classes with their keys: the numbers in order, or the digits that they are called by, so that 1 is never the key of 0.
pub(crate) fn choices(names: &[String]) -> Vec<Choice> {
    let first = |name: &String| name.chars().next().and_then(|letter| letter.to_lowercase().next());
    let are_digits = names.iter().all(|name| digit(name).is_some());
    let are_few = names.len() <= FEW || are_digits;
    let own: Vec<usize> = names.iter().filter_map(|name| digit(name)).collect();
    let mut free = (1..=FEW).filter(|number| !own.contains(number));
    let choice = |name: &String| {
        let letter = first(name).filter(|letter| letter.is_alphabetic() && !TAKEN.contains(letter));
        let is_unique = names.iter().filter(|other| first(other) == letter).count() == 1;
        let number = if are_few { digit(name).or_else(|| free.next()) } else { None };
        Choice { name: name.clone(), number, letter: letter.filter(|_| are_few && is_unique), words: None }
    };
    names.iter().map(choice).collect()
}

/// The digit that a class is called by.
fn digit(name: &str) -> Option<usize> {
    let letter = name.chars().next().filter(|_| name.chars().count() == 1)?;
    letter.to_digit(10).map(|digit| digit as usize)
}

/// An item as a person sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct View {
    /// The id of the item.
    pub(crate) item: String,
    /// Its place among the draws, from 1.
    pub(crate) number: usize,
    pub(crate) fields: Vec<Field>,
    /// The two sides of a pair, as A and B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sides: Option<[Vec<Field>; 2]>,
    /// This person's answer, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) given: Option<GivenAnswer>,
}

impl Desk {
    /// The desk of a study. A study on file gets a thread that draws, so that a new proposal holds up no answer.
    pub(crate) fn new(study: SharedStudy, rules: Rules, has_media: bool) -> Result<Arc<Self>, Error> {
        let (state, pair, task, path) = {
            let mut kept = study.lock().unwrap_or_else(PoisonError::into_inner);
            rules.check(&kept)?;
            kept.reload()?;
            let (goal, pair) = (rules.goal(&kept)?, rules.pair(&kept)?);
            // Whoever opens the page again goes on to the same goal, although some of its items were drawn ahead.
            let by = Author { who: String::new(), at: now(), key: None };
            kept.record_goal(goal, &by)?;
            let task = Task::of(&kept, pair.as_ref())?;
            let path = kept.is_durable().then(|| kept.path().to_owned());
            (State::new(&mut kept, goal)?, pair, task, path)
        };
        let drawer = path.as_deref().map(|path: &Path| Drawer::open(path)).transpose()?;
        let (state, changed, clerk) = (Mutex::new(state), Condvar::new(), Clerk::start()?);
        let desk = Arc::new(Self { study, state, changed, rules, pair, task, has_media, drawer, clerk });
        if let Some(drawer) = &desk.drawer {
            drawer.start(&desk)?;
        }
        Ok(desk)
    }

    pub(crate) fn study(&self) -> MutexGuard<'_, Study> {
        // Nothing is half done: a study records all of a call or nothing.
        self.study.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks something of the study without holding up answers: a file is opened again, read-only.
    pub(crate) fn with_reader<R>(&self, ask: impl FnOnce(&Study) -> Result<R, Error>) -> Result<R, Error> {
        let path = {
            let study = self.study();
            study.is_durable().then(|| study.path().to_owned())
        };
        match path {
            Some(path) => ask(&Study::read(path)?),
            None => ask(&self.study()),
        }
    }

    /// Records a look at the estimate, and returns how many there were.
    pub(crate) fn look(&self, who: &str) -> Result<usize, Error> {
        let mut study = self.study();
        let by = Author { who: who.to_owned(), at: now(), key: None };
        study.record_look(&by)?;
        Ok(study.looks()?.len())
    }

    /// Waits until something changes, at most for a time.
    pub(crate) fn wait(&self, version: u64, most: Duration) -> u64 {
        let state = self.state();
        let waited = self.changed.wait_timeout_while(state, most, |state| state.version == version);
        waited.unwrap_or_else(PoisonError::into_inner).0.version
    }

    /// Wakes everybody who waits.
    pub(crate) fn wake(&self) {
        self.state().version += 1;
        self.changed.notify_all();
    }

    /// Columns that labellers do not see, because they tell what a judge or a model says.
    pub(crate) fn hidden(&self) -> Vec<String> {
        if !self.rules.show.is_empty() {
            return Vec::new();
        }
        let study = self.study();
        let carried = study.settings().pool.carried.iter();
        let is_hidden = |name: &&String| {
            show::Telling::of(name) != show::Telling::Nothing && !self.rules.fold.contains(name)
        };
        carried.filter(is_hidden).cloned().collect()
    }

    /// The question above the answers.
    pub(crate) fn question(&self) -> String {
        let usual = match &self.task {
            Task::Classes { classes, .. } if classes.iter().any(|choice| choice.words.is_some()) => {
                "Which class is each of the two?"
            }
            Task::Classes { .. } => "Which class is it?",
            Task::Number { .. } => "Which number is it?",
            Task::Pair { .. } => "Which side is better?",
        };
        self.rules.question.clone().unwrap_or_else(|| usual.to_owned())
    }

    /// Items as a person sees them.
    fn views(&self, study: &Study, state: &State, who: &str, places: &[usize]) -> Result<Vec<View>, Error> {
        let classes = self.task.names();
        let has_answers = has_two_answers(study);
        let view = |asked: Asked| {
            let fields = show::fields(&asked, &self.rules, self.has_media, self.pair.as_ref(), &classes);
            let (fields, sides) = match &self.pair {
                Some(pair) => (fields, Some(show::sides(&asked, pair, self.has_media))),
                None if has_answers => {
                    let (fields, sides) = show::answers(fields);
                    (fields, sides.iter().any(|side| !side.is_empty()).then_some(sides))
                }
                None => (fields, None),
            };
            View {
                number: asked.place + 1,
                fields,
                sides,
                given: state.answer_of(&asked.id, who).map(|given| self.shown(asked.item, given)),
                item: asked.id,
            }
        };
        Ok(study.asked_at(places)?.into_iter().map(view).collect())
    }

    /// One item that a person has or had, with the answer; `None` for any other.
    pub(crate) fn item(&self, who: &str, id: &str) -> Result<Option<View>, Error> {
        let (state, mut study) = (self.state(), self.study());
        study.reload()?;
        let Some(place) = place_of(&state, who, id) else { return Ok(None) };
        Ok(self.views(&study, &state, who, &[place])?.pop())
    }

    /// The text of a column of an item that a person has or had.
    pub(crate) fn column(&self, who: &str, id: &str, column: &str) -> Result<Option<String>, Error> {
        let (state, study) = (self.state(), self.study());
        let Some(place) = place_of(&state, who, id) else { return Ok(None) };
        let carried = study.asked_at(&[place])?.pop().map(|asked| asked.carried).unwrap_or_default();
        // The sides of a pair have no names, so that nobody sees which model is which.
        let name = match (column, &self.pair) {
            ("a" | "b", Some(pair)) => {
                let item = study.asked_at(&[place])?.pop().map_or(0, |asked| asked.item);
                let [first, second] = &pair.columns;
                if (column == "a") == pair.is_swapped(item) { second.clone() } else { first.clone() }
            }
            _ => column.to_owned(),
        };
        Ok(carried.into_iter().find(|(known, _)| *known == name).map(|(_, text)| text))
    }
}

/// Whether an item has the answers of two systems, and its label a class for each.
fn has_two_answers(study: &Study) -> bool {
    study.settings().judge.as_ref().is_some_and(|judge| judge.pair.is_some())
}

fn place_of(state: &State, who: &str, id: &str) -> Option<usize> {
    let lent = state.loan_of(id, who).map(|loan| loan.place);
    lent.or_else(|| state.answer_of(id, who).map(|given| given.place))
}

impl Task {
    /// The classes, if labels are classes.
    fn names(&self) -> Vec<String> {
        match self {
            Self::Classes { classes, .. } => classes.iter().map(|choice| choice.name.clone()).collect(),
            Self::Number { .. } | Self::Pair { .. } => Vec::new(),
        }
    }

    /// Whether each class has a key; more classes are searched.
    pub(crate) fn has_keys(&self) -> bool {
        match self {
            Self::Classes { classes, .. } => classes.iter().any(|choice| choice.number.is_some()),
            Self::Pair { .. } => true,
            Self::Number { .. } => false,
        }
    }

    fn of(study: &Study, pair: Option<&Pair>) -> Result<Self, Error> {
        if let Some(pair) = pair {
            return Ok(Self::Pair { tie: pair.tie.is_some() });
        }
        let settings = study.settings();
        Ok(match study.classes_to_choose()? {
            Some(names) => {
                let mut classes = choices(&names);
                if has_two_answers(study) {
                    for choice in &mut classes {
                        let sides = choice.name.split_once('|');
                        choice.words = sides.map(|(a, b)| format!("A {a}, B {b}"));
                    }
                }
                Self::Classes { classes, open: settings.subject == Subject::Hard }
            }
            None => {
                let (low, high) = settings.range.unzip();
                Self::Number { low, high }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::choices;

    #[test]
    fn letters_are_unique_and_free() {
        let names = ["Billing", "Technical", "Account", "Other", "under", "also"].map(str::to_owned);
        let choices = choices(&names);
        let letters: Vec<Option<char>> = choices.iter().map(|choice| choice.letter).collect();
        assert_eq!(letters, [Some('b'), Some('t'), None, Some('o'), None, None]);
        assert_eq!(choices[5].number, Some(6));
        let keys = |names: &[&str]| -> Vec<Option<usize>> {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            super::choices(&names).into_iter().map(|choice| choice.number).collect()
        };
        assert_eq!(keys(&["0", "1"]), [Some(0), Some(1)], "the key of a digit is the digit");
        assert_eq!(keys(&["2", "other", "1", "none"]), [Some(2), Some(3), Some(1), Some(4)]);
        let digits: Vec<String> = (0..10).map(|digit| digit.to_string()).collect();
        assert_eq!(super::choices(&digits)[9].number, Some(9), "ten digits have a key each");
        let many: Vec<String> = (0..10).map(|class| format!("class {class}")).collect();
        assert!(
            super::choices(&many).iter().all(|choice| choice.number.is_none() && choice.letter.is_none())
        );
    }
}
