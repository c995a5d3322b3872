//! Annotations of a labelling tool: everything that people said there is kept, and a rule says whose label counts.
//!
//! A tool reports the present annotations of an item. What is new, changed or gone is recorded in one transaction with the
//! labels of record that follow. Hearing the same again records nothing, so a report can be repeated after any crash.

mod settle;

use std::collections::{BTreeMap, BTreeSet};

use labelwise_file::digest;
use serde::{Deserialize, Serialize};

use crate::accept::label;
use crate::ask::ATTEMPTS;
use crate::error::{AnswerError, Error, Result, damaged};
use crate::journal::{Appended, Batch, Event, EventKind, Request};
use crate::spec::names::OpinionRule;
use crate::task::{StudyTask, with_task};
use crate::{Author, Opinion, Study};

const ANNOTATIONS: &str = "annotations";
const RULE: &str = "opinion-rule";

/// Maximum size of a label, in bytes; a longer text is no answer to a question.
const LONGEST_LABEL: usize = 10_000;

/// What a person said about an item in a labelling tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// Who said it.
    pub who: String,
    /// What was said.
    pub said: Said,
    /// When it was said first, by the clock of the tool, in microseconds since 1970, UTC.
    pub since: i64,
    /// When it was changed last, by the same clock.
    pub at: i64,
}

/// What was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// A label, as text.
    Label(String),
    /// The item was skipped.
    Skip,
    /// Something that is not a label of this evaluation. It is kept, and does not count.
    Unfit {
        /// What was said.
        text: String,
        /// Why it does not count, as the end of a sentence that starts with the item.
        reason: String,
    },
    /// What was said before was deleted.
    Gone,
}

/// All that a tool has about one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The id of the item.
    pub id: String,
    /// Its annotations. A time of 0 is that of the report.
    pub annotations: Vec<Annotation>,
    /// Whether these are all: what the tool had before and has no longer was then deleted.
    pub is_whole: bool,
}

/// An annotation that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SetAside {
    /// The id of the item.
    pub id: String,
    /// Who said it.
    pub who: String,
    /// Why it does not count, as the end of a sentence that starts with the item.
    pub reason: String,
}

/// What a report changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Heard {
    /// Items that have their first label now.
    pub labelled: usize,
    /// Items whose label of record is another one now.
    pub corrected: usize,
    /// Items that are skipped now.
    pub skipped: usize,
    /// Items whose label was taken back, because it was deleted or is no label any more.
    pub taken_back: usize,
    /// New or changed annotations beside the label of record.
    pub opinions: usize,
    /// Annotations that do not count, also those that were known before, in the order of the report.
    pub set_aside: Vec<SetAside>,
    /// Items of the report that were not asked.
    pub never_asked: Vec<String>,
    /// Number of items that have a label, after the call.
    pub labels: usize,
    /// Number of items that were asked.
    pub asked: usize,
    /// Items whose skip has a loss without bounds, so that estimates need their labels.
    pub unbounded: usize,
}

/// An annotation as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    tool: String,
    id: String,
    #[serde(flatten)]
    annotation: Annotation,
}

/// What the journal keeps of one report.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Chapter {
    annotations: Vec<Kept>,
    /// The number of the first event that followed from it, and how many did.
    events: (usize, usize),
}

/// The last annotation of each person in each tool, by the id of the item.
type ByItem = BTreeMap<String, BTreeMap<(String, String), Annotation>>;

/// All reports on record.
#[derive(Debug, Default)]
struct Heeded {
    known: ByItem,
    /// The numbers of the events that followed from reports and rules; all others are people's own.
    events: BTreeSet<usize>,
    /// Number of reports.
    reports: usize,
}

/// The rule that was chosen.
#[derive(Debug, Serialize, Deserialize)]
struct ChosenRule {
    rule: OpinionRule,
    who: String,
}

impl Study {
    /// Takes in what a tool has about some items. Items that the report does not name stay as they are.
    pub fn hear(&mut self, tool: &str, reports: &[Report], by: &Author) -> Result<Heard> {
        for _ in 0..ATTEMPTS {
            self.reload()?;
            let mut heeded = self.heeded()?;
            let (news, mut heard) =
                with_task!(self.settings, T => self.news::<T>(tool, reports, &heeded.known, by))?;
            let touched: Vec<String> = news.iter().map(|kept| kept.id.clone()).collect();
            for Kept { tool, id, annotation } in news.clone() {
                heeded.known.entry(id).or_default().insert((tool, annotation.who.clone()), annotation);
            }
            let events = self.settled_as(self.opinion_rule()?, &touched, &heeded, by)?;
            self.count(&events, &news, &mut heard)?;
            if news.is_empty() {
                return Ok(heard);
            }
            if self.append_chapter(heeded.reports, news, events, by)? {
                heard.labels = self.counts.labels;
                return Ok(heard);
            }
        }
        Err(Error::Crowded { path: self.path().to_owned(), attempts: ATTEMPTS })
    }

    /// Records annotations and the events that follow in one transaction, unless another process has written meanwhile.
    fn append_chapter(
        &mut self,
        number: usize,
        annotations: Vec<Kept>,
        events: Vec<Event>,
        by: &Author,
    ) -> Result<bool> {
        let chapter = Chapter { annotations, events: (self.counts.events, events.len()) };
        let answer = serde_json::to_string(&chapter).map_err(Error::json)?;
        let request = Request {
            key: format!("labelwise {ANNOTATIONS} {number}"),
            verb: ANNOTATIONS.to_owned(),
            digest: digest(&[&answer]),
            answer,
            at: by.at,
        };
        let batch = Batch { events, request: Some(request), ..Batch::default() };
        let is_recorded = matches!(self.journal.append(batch, self.counts)?, Appended::Recorded);
        if is_recorded {
            self.counts = self.journal.counts()?;
        }
        Ok(is_recorded)
    }

    /// What differs from the annotations on record, and what of it does not count.
    fn news<T: StudyTask>(
        &self,
        tool: &str,
        reports: &[Report],
        known: &ByItem,
        by: &Author,
    ) -> Result<(Vec<Kept>, Heard)> {
        let mut heard = Heard { labels: self.counts.labels, asked: self.counts.draws, ..Heard::default() };
        let mut news = Vec::new();
        let record = self.record()?;
        for Report { id, annotations, is_whole } in reports {
            let Some(found) = record.find(id) else {
                if !annotations.is_empty() {
                    heard.never_asked.push(id.clone());
                }
                continue;
            };
            let mut present: BTreeMap<&str, Annotation> = BTreeMap::new();
            for annotation in annotations {
                let mut annotation = annotation.clone();
                if let Said::Label(text) = &annotation.said {
                    let checked = match text.len() > LONGEST_LABEL {
                        true => Err(format!("has a label of {} characters", text.chars().count())),
                        false => label::<T>(text, &found.row, &self.settings)
                            .map(|_| ())
                            .map_err(|reason: AnswerError| reason.to_string()),
                    };
                    if let Err(reason) = checked {
                        let text = text.chars().take(200).collect();
                        annotation.said = Said::Unfit { text, reason };
                    }
                }
                // A person who has several annotations of an item means the last one.
                let who = reports_name(annotations, &annotation.who);
                match present.get(who) {
                    Some(before) if before.at > annotation.at => {}
                    _ => {
                        present.insert(who, annotation);
                    }
                }
            }
            for (who, annotation) in &present {
                if let Said::Unfit { reason, .. } = &annotation.said {
                    let (id, who) = (id.clone(), (*who).to_owned());
                    heard.set_aside.push(SetAside { id, who, reason: reason.clone() });
                }
            }
            let before = known.get(id);
            let kept = |annotation: Annotation| Kept { tool: tool.to_owned(), id: id.clone(), annotation };
            for ((_, who), annotation) in before.into_iter().flatten().filter(|((of, _), _)| of == tool) {
                if *is_whole && annotation.said != Said::Gone && !present.contains_key(who.as_str()) {
                    news.push(kept(Annotation { said: Said::Gone, at: by.at, ..annotation.clone() }));
                }
            }
            for (who, mut annotation) in present {
                let before = before.and_then(|before| before.get(&(tool.to_owned(), who.to_owned())));
                if annotation.at == 0 {
                    let same = before.filter(|before| before.said == annotation.said);
                    annotation.at = same.map_or(by.at, |before| before.at);
                    annotation.since = before.map_or(by.at, |before| before.since);
                }
                if before != Some(&annotation) {
                    news.push(kept(annotation));
                }
            }
        }
        Ok((news, heard))
    }

    /// Counts what the events change.
    fn count(&self, events: &[Event], news: &[Kept], heard: &mut Heard) -> Result<()> {
        let record = self.record()?;
        let mut authors: BTreeMap<&str, &str> = BTreeMap::new();
        for event in events {
            let place = usize::try_from(event.place).unwrap_or(usize::MAX);
            let Some(drawn) = record.draws.get(place) else { continue };
            let was_labelled = matches!(record.fates.get(place), Some(crate::Fate::Labelled(_)));
            match event.kind {
                EventKind::Told => heard.labelled += 1,
                EventKind::Amended => heard.corrected += 1,
                _ if was_labelled => heard.taken_back += 1,
                _ => heard.skipped += 1,
            }
            if event.kind == EventKind::Skipped && drawn.row.draw.bounds.is_none() {
                heard.unbounded += 1;
            }
            authors.insert(&drawn.id, &event.who);
        }
        let of_record = settle::authors(record);
        let author = |id: &str| {
            let before = || of_record.get(&record.find(id)?.place).copied();
            authors.get(id).copied().or_else(before)
        };
        let is_beside = |kept: &&Kept| {
            matches!(kept.annotation.said, Said::Label(_))
                && author(&kept.id) != Some(kept.annotation.who.as_str())
        };
        heard.opinions = news.iter().filter(is_beside).count();
        Ok(())
    }

    /// All reports on record.
    fn heeded(&self) -> Result<Heeded> {
        let mut records = self.journal.requests(Some(ANNOTATIONS))?;
        records.sort_by_key(|record| number(&record.key));
        let mut heeded = Heeded {
            reports: records.last().map_or(0, |record| number(&record.key) + 1),
            ..Heeded::default()
        };
        for record in records {
            let Chapter { annotations, events: (start, count) } = serde_json::from_str(&record.answer)
                .map_err(|_| damaged(self.path(), "request", &record.key))?;
            for Kept { tool, id, annotation } in annotations {
                heeded.known.entry(id).or_default().insert((tool, annotation.who.clone()), annotation);
            }
            heeded.events.extend(start..start.saturating_add(count.min(self.counts.events)));
        }
        Ok(heeded)
    }

    /// Annotations as opinions, except those of the author of the label of record.
    pub(crate) fn annotated_opinions(&self) -> Result<Vec<Opinion>> {
        let all = self.heeded()?.known;
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let record = self.record()?;
        let authors = settle::authors(record);
        let mut opinions = Vec::new();
        for (id, said) in all {
            let Some(found) = record.find(&id) else { continue };
            let author = authors.get(&found.place).copied();
            for ((_, who), annotation) in said {
                let label = match annotation.said {
                    Said::Label(label) => Some(label),
                    Said::Skip => None,
                    Said::Unfit { .. } | Said::Gone => continue,
                };
                if author != Some(who.as_str()) {
                    opinions.push(Opinion { id: id.clone(), who, label, note: None, at: annotation.at });
                }
            }
        }
        opinions.sort_by_key(|opinion| opinion.at);
        Ok(opinions)
    }

    /// Which label counts if several people have labelled an item: what was chosen last. Until somebody chooses, the mean over
    /// annotators where a judge stands for people, and otherwise the first.
    pub fn opinion_rule(&self) -> Result<OpinionRule> {
        let usual = if self.settings.judge.is_some() { OpinionRule::Mean } else { OpinionRule::First };
        Ok(self.remarks::<ChosenRule>(RULE)?.pop().map_or(usual, |chosen| chosen.rule))
    }

    /// Chooses which label counts if several people have labelled an item, and applies it to all labels on record. Returns whether
    /// it is another rule than before.
    pub fn choose_opinion_rule(&mut self, rule: OpinionRule, by: &Author) -> Result<bool> {
        self.reload()?;
        if rule == OpinionRule::Majority && self.classes_to_choose()?.is_none() {
            return Err(Error::MajorityOfNumbers);
        }
        if self.opinion_rule()? == rule {
            return Ok(false);
        }
        // Estimates follow the rule on record, and the labels of record follow at once: after a crash between the two, choosing
        // it again would change nothing, so labels come first.
        let ids: Vec<String> = self.opinions()?.into_iter().map(|opinion| opinion.id).collect();
        self.settle_as(rule, &ids, by)?;
        let chosen = ChosenRule { rule, who: by.who.clone() };
        self.remark(RULE, "", &chosen, by.at, |before: &ChosenRule| before.rule == rule)
    }

    /// Makes the labels of record those that the rule wants, after opinions that are not annotations.
    pub(crate) fn settle(&mut self, ids: &[String], by: &Author) -> Result<()> {
        match self.opinion_rule()? {
            OpinionRule::First | OpinionRule::Mean => Ok(()),
            rule => self.settle_as(rule, ids, by),
        }
    }

    fn settle_as(&mut self, rule: OpinionRule, ids: &[String], by: &Author) -> Result<()> {
        for _ in 0..ATTEMPTS {
            self.reload()?;
            let heeded = self.heeded()?;
            let events = self.settled_as(rule, ids, &heeded, by)?;
            if events.is_empty() || self.append_chapter(heeded.reports, Vec::new(), events, by)? {
                return Ok(());
            }
        }
        Err(Error::Crowded { path: self.path().to_owned(), attempts: ATTEMPTS })
    }
}

/// The name as the report has it, which lives as long as the report.
fn reports_name<'a>(annotations: &'a [Annotation], who: &str) -> &'a str {
    annotations.iter().find(|one| one.who == who).map_or("", |one| &one.who)
}

/// The number at the end of a key.
fn number(key: &str) -> usize {
    key.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
