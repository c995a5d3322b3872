//! The label of record of an item that several people may have labelled: a function of what each of them said last, and the rule.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Annotation, Heeded, Said};
use crate::error::Result;
use crate::journal::record::Record;
use crate::journal::{Event, EventKind, Row};
use crate::spec::names::OpinionRule;
use crate::spec::subject::Subject;
use crate::task::{StudyTask, same_class, with_task};
use crate::{Author, Fate, Study};

/// What a person says about an item now.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Voice {
    who: String,
    /// None if the person skipped it.
    label: Option<String>,
    since: i64,
    at: i64,
}

/// The authors of the last events of the draws, by their places.
pub(super) fn authors(record: &Record) -> HashMap<usize, &str> {
    let place = |event: &Event| usize::try_from(event.place).unwrap_or(usize::MAX);
    record.events.iter().map(|event| (place(event), event.who.as_str())).collect()
}

impl Study {
    /// The events that make the labels of record of some items those that a rule wants.
    pub(super) fn settled_as(
        &self,
        rule: OpinionRule,
        ids: &[String],
        heeded: &Heeded,
        by: &Author,
    ) -> Result<Vec<Event>> {
        with_task!(self.settings, T => self.settled_by::<T>(rule, ids, heeded, by))
    }

    fn settled_by<T: StudyTask>(
        &self,
        rule: OpinionRule,
        ids: &[String],
        heeded: &Heeded,
        by: &Author,
    ) -> Result<Vec<Event>> {
        let record = self.record()?;
        let mut places: BTreeMap<usize, &str> = BTreeMap::new();
        for id in ids {
            if let Some(found) = record.find(id) {
                places.insert(found.place, id);
            }
        }
        let mut past: BTreeMap<usize, Vec<&Event>> = BTreeMap::new();
        let mut ruled = BTreeSet::new();
        for (number, event) in record.events.iter().enumerate() {
            let place = usize::try_from(event.place).unwrap_or(usize::MAX);
            if !places.contains_key(&place) {
                continue;
            }
            let past = past.entry(place).or_default();
            let was_labelled = past.last().is_some_and(|before| before.label.is_some());
            match event.kind {
                _ if heeded.events.contains(&number) => {}
                EventKind::Amended => drop(ruled.insert(place)),
                EventKind::Skipped | EventKind::Missing if was_labelled => drop(ruled.insert(place)),
                _ => drop(ruled.remove(&place)),
            }
            past.push(event);
        }
        let mut remarked: BTreeMap<String, Vec<Voice>> = BTreeMap::new();
        for opinion in self.remarked_opinions()? {
            let voice = Voice { who: opinion.who, label: opinion.label, since: opinion.at, at: opinion.at };
            remarked.entry(opinion.id).or_default().push(voice);
        }
        let nobody = BTreeMap::new();
        let mut events = Vec::new();
        // What somebody has corrected by hand stays.
        for (place, id) in places.into_iter().filter(|(place, _)| !ruled.contains(place)) {
            let (Some(drawn), Some(fate)) = (record.draws.get(place), record.fates.get(place)) else {
                continue;
            };
            let past = past.get(&place).map_or(&[][..], Vec::as_slice);
            let spoken = remarked.get(id).map_or(&[][..], Vec::as_slice);
            let voices = voices(past, spoken, heeded.known.get(id).unwrap_or(&nobody));
            let is_equal = |one: &str, other: &str| self.says_the_same::<T>(one, other, &drawn.row);
            let Some((kind, voice, is_gone)) = wanted(rule, &voices, fate, past, &is_equal) else { continue };
            events.push(Event {
                place: place as u64,
                kind,
                label: voice.and_then(|voice| voice.label.clone()),
                at: by.at,
                who: voice.map_or_else(|| by.who.clone(), |voice| voice.who.clone()),
                note: is_gone.then(|| "the label was deleted where it was given".to_owned()),
            });
        }
        Ok(events)
    }

    fn says_the_same<T: StudyTask>(&self, one: &str, other: &str, row: &Row) -> bool {
        if self.settings.subject == Subject::Hard {
            return same_class(one, other);
        }
        let label = |text: &str| T::label(text, row, &self.settings);
        label(one).is_ok_and(|one| label(other).is_ok_and(|other| one == other))
    }
}

/// What each person says now, the first to speak first. A tool knows better than the record what its people say.
fn voices(
    past: &[&Event],
    spoken: &[Voice],
    annotated: &BTreeMap<(String, String), Annotation>,
) -> Vec<Voice> {
    let of_tools: BTreeSet<&str> = annotated.keys().map(|(_, who)| who.as_str()).collect();
    let mut all: BTreeMap<&str, Voice> = BTreeMap::new();
    for event in past.iter().filter(|event| !of_tools.contains(event.who.as_str())) {
        if event.kind == EventKind::Missing {
            continue;
        }
        let since = all.get(event.who.as_str()).map_or(event.at, |before| before.since);
        let voice = Voice { who: event.who.clone(), label: event.label.clone(), since, at: event.at };
        all.insert(&event.who, voice);
    }
    for voice in spoken.iter().filter(|voice| !of_tools.contains(voice.who.as_str())) {
        let before = all.get(voice.who.as_str());
        if before.is_none_or(|before| before.at <= voice.at) {
            let since = before.map_or(voice.since, |before| before.since);
            all.insert(&voice.who, Voice { since, ..voice.clone() });
        }
    }
    for ((_, who), annotation) in annotated {
        let label = match &annotation.said {
            Said::Label(label) => Some(label.clone()),
            Said::Skip => None,
            Said::Unfit { .. } | Said::Gone => continue,
        };
        // A person may have used two tools.
        if all.get(who.as_str()).is_none_or(|before| before.at <= annotation.at) {
            let voice = Voice { who: who.clone(), label, since: annotation.since, at: annotation.at };
            all.insert(who, voice);
        }
    }
    let mut voices: Vec<Voice> = all.into_values().collect();
    voices.sort_by(|one, other| (one.since, &one.who).cmp(&(other.since, &other.who)));
    voices
}

/// The voice that counts: a label if there is one, otherwise a skip.
fn chosen<'a>(
    rule: OpinionRule,
    voices: &'a [Voice],
    is_equal: &impl Fn(&str, &str) -> bool,
) -> Option<&'a Voice> {
    let labels = || voices.iter().filter(|voice| voice.label.is_some());
    let text = |voice: &'a Voice| voice.label.as_deref().unwrap_or_default();
    let label = match rule {
        OpinionRule::First | OpinionRule::Mean => labels().next(),
        OpinionRule::Newest => labels().max_by_key(|voice| voice.at),
        OpinionRule::Majority => {
            let votes =
                |voice: &'a Voice| labels().filter(|other| is_equal(text(voice), text(other))).count();
            // Of several classes with as many votes, the one that was said first.
            labels().rev().max_by_key(|voice| votes(voice))
        }
    };
    label.or_else(|| voices.first())
}

/// What must happen to an item so that the chosen voice is on record: the kind of event, whose it is, and whether a label is
/// taken back. `None` if it is on record.
fn wanted<'a>(
    rule: OpinionRule,
    voices: &'a [Voice],
    fate: &Fate,
    past: &[&Event],
    is_equal: &impl Fn(&str, &str) -> bool,
) -> Option<(EventKind, Option<&'a Voice>, bool)> {
    let voice = chosen(rule, voices, is_equal);
    let label = voice.and_then(|voice| voice.label.as_deref());
    match (fate, label) {
        (Fate::Labelled(known), Some(label)) => {
            let author = past.last().map(|event| event.who.as_str());
            // The author of record must be somebody who says so.
            let holds = voices.iter().any(|voice| {
                author == Some(voice.who.as_str())
                    && voice.label.as_deref().is_some_and(|own| is_equal(own, known))
            });
            match is_equal(known, label) && holds {
                true => None,
                false => Some((EventKind::Amended, voice, false)),
            }
        }
        (Fate::Labelled(_), None) => Some((EventKind::Skipped, voice, voice.is_none())),
        (_, Some(_)) => Some((EventKind::Told, voice, false)),
        (Fate::Open, None) => voice.map(|voice| (EventKind::Skipped, Some(voice), false)),
        (Fate::Skipped | Fate::MissingAtRandom, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(who: &str, label: Option<&str>, since: i64, at: i64) -> Voice {
        Voice { who: who.to_owned(), label: label.map(str::to_owned), since, at }
    }

    fn chosen_by(rule: OpinionRule, voices: &[Voice]) -> Option<(&str, Option<&str>)> {
        let equal = |one: &str, other: &str| one == other;
        chosen(rule, voices, &equal).map(|voice| (voice.who.as_str(), voice.label.as_deref()))
    }

    #[test]
    fn each_rule_chooses_its_voice() {
        let voices = [
            voice("ada", Some("cat"), 1, 9),
            voice("ben", Some("dog"), 2, 2),
            voice("cem", Some("dog"), 3, 10),
            voice("dan", None, 4, 20),
        ];
        assert_eq!(chosen_by(OpinionRule::First, &voices), Some(("ada", Some("cat"))));
        assert_eq!(chosen_by(OpinionRule::Mean, &voices), Some(("ada", Some("cat"))));
        assert_eq!(chosen_by(OpinionRule::Newest, &voices), Some(("cem", Some("dog"))));
        assert_eq!(chosen_by(OpinionRule::Majority, &voices), Some(("ben", Some("dog"))));
        // A tie: what was said first.
        assert_eq!(chosen_by(OpinionRule::Majority, &voices[..2]), Some(("ada", Some("cat"))));
        assert_eq!(chosen_by(OpinionRule::Newest, &voices[3..]), Some(("dan", None)));
        assert_eq!(chosen_by(OpinionRule::First, &[]), None);
    }
}
