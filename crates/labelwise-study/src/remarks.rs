//! Records that no estimate reads: second opinions, the labellers' guide, how many items to label, and looks at the estimate.
//!
//! Each is kept like the answer to a request, under a key of its own, so that it is checked and on disk like a label.

use std::collections::HashSet;

use labelwise_file::digest;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::accept::label;
use crate::ask::ATTEMPTS;
use crate::error::{AnswerError, Error, RefusedAnswer, Result, damaged};
use crate::journal::{Appended, Batch, Found, Request};
use crate::spec::subject::Subject;
use crate::task::{StudyTask, with_task};
use crate::{Answer, Author, Reply, Study};

const OPINION: &str = "opinion";
const GUIDE: &str = "guide";
const LOOK: &str = "look";
const GOAL: &str = "goal";

/// A second opinion on an item that was asked. Estimates do not use it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Opinion {
    /// The id of the item.
    pub id: String,
    /// Whose opinion it is.
    pub who: String,
    /// The label; `None` if the item was skipped.
    pub label: Option<String>,
    /// The author's note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When, in microseconds since 1970, UTC.
    pub at: i64,
}

/// The instructions of the labellers, as they were recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Guide {
    /// The name of its file.
    pub name: String,
    /// The text, in Markdown.
    pub text: String,
    /// Number of labels when it was recorded.
    pub labels: usize,
    /// When, in microseconds since 1970, UTC.
    pub at: i64,
}

/// A look at the estimate while labels were still coming in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Look {
    /// Who looked.
    pub who: String,
    /// Number of labels at that moment.
    pub labels: usize,
    /// When, in microseconds since 1970, UTC.
    pub at: i64,
}

/// How many items people want to label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Goal {
    items: usize,
    who: String,
}

impl Study {
    /// Records a second opinion. It must be a possible label of an item that was asked. The last opinion of a person on
    /// an item counts; repeating it has no effect. Returns whether it is new.
    pub fn give_opinion(&mut self, answer: &Answer, by: &Author) -> Result<bool> {
        let is_new = self.keep_opinion(answer, by)?;
        self.settle(std::slice::from_ref(&answer.id), by)?;
        Ok(is_new)
    }

    /// Records a second opinion, and leaves the label of record as it is.
    pub(crate) fn keep_opinion(&mut self, answer: &Answer, by: &Author) -> Result<bool> {
        self.reload()?;
        with_task!(self.settings, T => self.check_opinion::<T>(answer))?;
        let label = match &answer.reply {
            Reply::Label(label) => Some(label.clone()),
            Reply::Skip | Reply::MissingAtRandom => None,
        };
        let opinion = Opinion {
            id: answer.id.clone(),
            who: by.who.clone(),
            label,
            note: answer.note.clone(),
            at: by.at,
        };
        let about = format!("{:016x}", digest(&[&opinion.who, &opinion.id]));
        self.remark(OPINION, &about, &opinion, by.at, |before: &Opinion| {
            (&before.label, &before.note) == (&opinion.label, &opinion.note)
        })
    }

    fn check_opinion<T: StudyTask>(&self, answer: &Answer) -> Result<()> {
        let open = self.counts.waiting;
        let refuse = |reason| {
            let refusal = RefusedAnswer { place: 0, line: answer.line, id: answer.id.clone(), reason };
            Error::Refused { path: self.path().to_owned(), refusals: vec![refusal], of: 1 }
        };
        let found = self.journal.find_one(&answer.id)?;
        let Some(Found { row, .. }) = found else { return Err(refuse(AnswerError::NeverAsked { open })) };
        match &answer.reply {
            Reply::Label(text) => label::<T>(text, &row, &self.settings).map(|_| ()).map_err(refuse),
            Reply::Skip | Reply::MissingAtRandom => Ok(()),
        }
    }

    /// The last opinion of each person on each item, in the order of their times, with the annotations of labelling tools that are
    /// not the label of record.
    pub fn opinions(&self) -> Result<Vec<Opinion>> {
        let mut all = self.remarked_opinions()?;
        let annotated = self.annotated_opinions()?;
        if !annotated.is_empty() {
            // What a tool says of its people counts.
            let known: HashSet<(&str, &str)> =
                annotated.iter().map(|opinion| (opinion.id.as_str(), opinion.who.as_str())).collect();
            all.retain(|opinion| !known.contains(&(opinion.id.as_str(), opinion.who.as_str())));
            all.extend(annotated);
        }
        Ok(all)
    }

    /// The same, without annotations of labelling tools.
    pub(crate) fn remarked_opinions(&self) -> Result<Vec<Opinion>> {
        let mut last: Vec<Opinion> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for opinion in self.remarks::<Opinion>(OPINION)? {
            let place = *places.entry((opinion.who.clone(), opinion.id.clone())).or_insert(last.len());
            match last.get_mut(place) {
                Some(before) => *before = opinion,
                None => last.push(opinion),
            }
        }
        Ok(last)
    }

    /// Records the instructions of the labellers. Labels by other instructions are other labels: once a label is on
    /// record, a different guide is refused.
    pub fn record_guide(&mut self, name: &str, text: &str, by: &Author) -> Result<bool> {
        self.reload()?;
        let labels = self.counts.labels;
        if let Some(before) = self.guide()?
            && before.text != text
            && labels > 0
        {
            return Err(Error::GuideDiffers { recorded: before.name, given: name.to_owned(), labels });
        }
        let guide = Guide { name: name.to_owned(), text: text.to_owned(), labels, at: by.at };
        self.remark(GUIDE, "", &guide, by.at, |before: &Guide| before.text == guide.text)
    }

    /// The instructions that were recorded last.
    pub fn guide(&self) -> Result<Option<Guide>> {
        Ok(self.remarks(GUIDE)?.pop())
    }

    /// Records how many items are to be asked in all. Nothing depends on it: it tells labellers how far they are.
    pub fn record_goal(&mut self, items: usize, by: &Author) -> Result<bool> {
        self.reload()?;
        let goal = Goal { items, who: by.who.clone() };
        self.remark(GOAL, "", &goal, by.at, |before: &Goal| before.items == goal.items)
    }

    /// The number of items that was recorded last.
    pub fn goal(&self) -> Result<Option<usize>> {
        Ok(self.remarks::<Goal>(GOAL)?.pop().map(|goal| goal.items))
    }

    /// Records a look at the estimate.
    pub fn record_look(&mut self, by: &Author) -> Result<()> {
        self.reload()?;
        let look = Look { who: by.who.clone(), labels: self.counts.labels, at: by.at };
        // A key of its own, so that many looks need no search.
        self.remark(LOOK, &by.at.to_string(), &look, by.at, |_: &Look| false).map(|_| ())
    }

    /// All looks at the estimate, in the order of their times.
    pub fn looks(&self) -> Result<Vec<Look>> {
        self.remarks(LOOK)
    }

    /// The classes that a label can be, in the order of the pool's columns; for predicted classes without probabilities,
    /// those that were predicted, in alphabetical order, and after them those that were told, in the order they were first told: a class
    /// keeps its place. `None` if labels are numbers.
    pub fn classes_to_choose(&self) -> Result<Option<Vec<String>>> {
        match &self.settings.subject {
            Subject::Classes { names } => Ok(Some(names.clone())),
            Subject::Values | Subject::Scores => Ok(None),
            Subject::Hard => {
                let first = self.record()?.refreshes.first();
                let predicted = first.into_iter().flat_map(|refresh| &refresh.origin.predicted);
                let mut names: Vec<String> = predicted.map(|class| class.text.clone()).collect();
                names.retain(|name| !name.is_empty());
                names.sort_unstable();
                names.dedup();
                let mut known: HashSet<String> = names.iter().cloned().collect();
                let told = self.events()?.filter_map(|event| event.label);
                names.extend(told.filter(|label| known.insert((*label).to_owned())).map(str::to_owned));
                Ok(Some(names))
            }
        }
    }

    /// All records of a kind, in the order of their times.
    pub(crate) fn remarks<R: DeserializeOwned>(&self, verb: &str) -> Result<Vec<R>> {
        let mut kept = self.journal.requests(Some(verb))?;
        kept.sort_by_key(|one| (one.at, number(&one.key)));
        let read = |request: Request| {
            serde_json::from_str(&request.answer).map_err(|_| damaged(self.path(), "request", &request.key))
        };
        kept.into_iter().map(read).collect()
    }

    /// Appends a record, unless the last one about the same thing says the same.
    pub(crate) fn remark<R: Serialize + DeserializeOwned>(
        &mut self,
        verb: &str,
        about: &str,
        new: &R,
        at: i64,
        says_the_same: impl Fn(&R) -> bool,
    ) -> Result<bool> {
        let answer = serde_json::to_string(new).map_err(Error::json)?;
        let mut last: Option<R> = None;
        for count in 0..ATTEMPTS {
            let key = format!("labelwise {verb} {about} {count}");
            if let Some(before) = self.journal.request(&key)? {
                last = serde_json::from_str(&before.answer).ok();
                continue;
            }
            if last.as_ref().is_some_and(&says_the_same) {
                return Ok(false);
            }
            let digest = digest(&[&answer]);
            let request = Request { key, verb: verb.to_owned(), digest, answer: answer.clone(), at };
            let batch = Batch { request: Some(request), ..Batch::default() };
            match self.journal.append(batch, self.counts)? {
                Appended::Recorded => return Ok(true),
                Appended::Outdated => self.reload()?,
                Appended::Answered(_) => {}
            }
        }
        Err(Error::Crowded { path: self.path().to_owned(), attempts: ATTEMPTS })
    }
}

/// The number at the end of a key.
fn number(key: &str) -> usize {
    key.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
