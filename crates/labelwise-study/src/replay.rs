//! Replays the records of a study, to hand a study in memory to another process.

use super::journal::{Batch, EventKind, Request};
use super::tell::{Answer, Reply};
use super::{Author, Study};
use crate::error::{Result, damaged};

/// An event of the history.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// An item was drawn.
    Asked {
        /// The item.
        item: usize,
        /// The probability it was drawn with.
        q: f64,
    },
    /// An answer about an item.
    Told {
        /// The answer and its author.
        answer: Answer,
        /// When, in microseconds since 1970, UTC.
        at: i64,
    },
    /// A label was corrected.
    Amended {
        /// The new answer and its author.
        answer: Answer,
        /// When, in microseconds since 1970, UTC.
        at: i64,
    },
    /// A proposal was computed, perhaps ahead of the draws that it is for.
    Refreshed,
    /// The answer to a request with a key, or what is kept like one: second opinions, guides, goals, looks.
    Kept {
        /// The key.
        key: String,
        /// What was asked for.
        verb: String,
        /// Hash of the request.
        digest: u64,
        /// The answer, as JSON.
        answer: String,
        /// When, in microseconds since 1970, UTC.
        at: i64,
    },
}

impl Study {
    /// The history in an order that gives the same draws: answers before a refresh come before the draws of that
    /// refresh.
    pub fn steps(&self) -> Result<Vec<Step>> {
        let record = self.record()?;
        let (mut draws, mut events) = (record.draws.iter(), record.events.iter());
        let mut steps = Vec::with_capacity(record.draws.len() + record.events.len());
        let ends =
            record.refreshes.iter().skip(1).map(|refresh| (refresh.origin.draws, refresh.origin.events));
        let mut refreshes = record.refreshes.iter().skip(1);
        let (mut drawn, mut told) = (0, 0);
        for (draws_end, events_end) in ends.chain([(record.draws.len(), record.events.len())]) {
            for next in draws.by_ref().take(draws_end - drawn) {
                steps.push(Step::Asked { item: next.row.draw.index, q: next.row.draw.q });
            }
            for event in events.by_ref().take(events_end - told) {
                let place = usize::try_from(event.place).unwrap_or(usize::MAX);
                let drawn = record.draws.get(place).ok_or_else(|| damaged(self.path(), "event", place))?;
                let reply = match event.kind {
                    EventKind::Told | EventKind::Amended => {
                        Reply::Label(event.label.clone().unwrap_or_default())
                    }
                    EventKind::Skipped => Reply::Skip,
                    EventKind::Missing => Reply::MissingAtRandom,
                };
                let (note, who, at) = (event.note.clone(), Some(event.who.clone()), event.at);
                let answer = Answer { id: drawn.id.clone(), reply, line: None, note, who };
                let amended = event.kind == EventKind::Amended;
                steps.push(if amended { Step::Amended { answer, at } } else { Step::Told { answer, at } });
            }
            (drawn, told) = (draws_end, events_end);
            // Perhaps it was computed before it was asked for, with fewer labels than at the next draw.
            if refreshes.next().is_some() {
                steps.push(Step::Refreshed);
            }
        }
        let mut kept = self.journal.requests(None)?;
        kept.sort_by(|one, other| one.key.cmp(&other.key));
        steps.extend(kept.into_iter().map(|Request { key, verb, digest, answer, at }| Step::Kept {
            key,
            verb,
            digest,
            answer,
            at,
        }));
        Ok(steps)
    }

    /// Replays a history in a new study of the same pool with the same choices. A draw that differs is an error.
    pub fn replay(&mut self, steps: &[Step], by: &Author) -> Result<()> {
        let mut rest = steps;
        while let Some((step, after)) = rest.split_first() {
            match step {
                Step::Told { answer, at } => {
                    self.tell(std::slice::from_ref(answer), &Author { at: *at, key: None, ..by.clone() })?;
                    rest = after;
                }
                Step::Amended { answer, at } => {
                    self.amend(std::slice::from_ref(answer), &Author { at: *at, key: None, ..by.clone() })?;
                    rest = after;
                }
                Step::Refreshed => {
                    self.refresh(by.at)?;
                    rest = after;
                }
                Step::Kept { key, verb, digest, answer, at } => {
                    let (key, verb, answer) = (key.clone(), verb.clone(), answer.clone());
                    let request = Some(Request { key, verb, digest: *digest, answer, at: *at });
                    self.journal.append(Batch { request, ..Batch::default() }, self.counts)?;
                    rest = after;
                }
                Step::Asked { .. } => {
                    let count = rest.iter().take_while(|step| matches!(step, Step::Asked { .. })).count();
                    let start = self.asked();
                    self.ask(count, by)?;
                    self.compare_draws(start, rest)?;
                    rest = rest.get(count..).unwrap_or_default();
                }
            }
        }
        Ok(())
    }

    fn compare_draws(&self, start: usize, steps: &[Step]) -> Result<()> {
        for (place, (drawn, step)) in self.record()?.draws.iter().skip(start).zip(steps).enumerate() {
            let draw = &drawn.row.draw;
            match step {
                Step::Asked { item, q } if *item == draw.index && q.to_bits() == draw.q.to_bits() => {}
                Step::Asked { item, q } => {
                    let (recorded, recorded_q) = (*item, *q);
                    let (drawn, drawn_q) = (draw.index, draw.q);
                    let event = start + place;
                    let diverged = labelwise::Error::Diverged { event, recorded, recorded_q, drawn, drawn_q };
                    return Err(diverged.into());
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }
}
