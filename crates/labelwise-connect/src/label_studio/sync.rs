//! Items out, answers back.

use std::collections::{BTreeMap, BTreeSet};

use labelwise_study::{Asked, Author, Heard, HumanAgreement, Link, OpinionRule, Study};
use serde_json::Value;

use super::TOOL;
use super::mirror::Mirror;
use super::project::{self, Place};
use super::server::Server;
use super::task::{reports, task};
use crate::error::{Error, Result};
use crate::view::{View, Wish};

/// Tasks per import: what one request carries is either there or not.
const CHUNK: usize = 250;

/// An import is sent when its texts have this size, in bytes.
const CHUNK_BYTES: usize = 8 << 20;

/// The level of intervals of agreement.
const LEVEL: f64 = 0.95;

/// How items are put there.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Number of items that should wait there for an answer.
    pub open: usize,
    /// `sync` draws new items when fewer than this many wait.
    pub refill: usize,
    /// Number of items to ask in all; `None` for no end.
    pub goal: Option<usize>,
    /// Which project.
    pub place: Place,
    /// What a new project is called, in front of its key.
    pub name: String,
    /// Whether items that were deleted there are put there again.
    pub again: bool,
    /// What people see.
    pub wish: Wish,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            open: 20,
            refill: 5,
            goal: None,
            place: Place::Own,
            name: String::new(),
            again: false,
            wish: Wish::default(),
        }
    }
}

/// What was put there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pushed {
    /// Items that were drawn now.
    pub drawn: usize,
    /// Items that were put there now, also those drawn before.
    pub pushed: usize,
    /// Items there without an answer.
    pub open: usize,
    /// Items that were deleted there and wait for a label, by their ids.
    pub deleted: Vec<String>,
    /// Whether nothing is left to draw: the goal is reached, or the pool has no more items.
    pub is_enough: bool,
    /// Columns that people do not see, because they tell what a judge or a model says.
    pub hidden: Vec<String>,
}

/// What was taken over.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Pulled {
    /// What it changed.
    pub heard: Heard,
    /// Items there.
    pub items: usize,
    /// Items there without an answer.
    pub open: usize,
    /// Items with several tasks there; their answers count as those of one item.
    pub doubled: usize,
    /// Tasks there that are not of this evaluation.
    pub foreign: usize,
    /// How far people agree, if several labelled the same items.
    pub agreement: Option<HumanAgreement>,
    /// Which label counts.
    pub rule: Option<OpinionRule>,
}

/// A project, and what was seen of it.
#[derive(Debug)]
pub struct Bridge {
    server: Server,
    link: Link,
    project: u64,
    evaluation: String,
    mirror: Mirror,
    options: Options,
    /// What people see.
    view: View,
}

impl Bridge {
    /// Finds the project of an evaluation; `make` makes it if there is none.
    pub fn open(
        study: &mut Study,
        mut server: Server,
        options: Options,
        make: bool,
        by: &Author,
    ) -> Result<Self> {
        let known = study.link(TOOL)?.filter(|link| link.address == server.address());
        let view = match (known.as_ref().filter(|_| options.place == Place::Own), make) {
            (Some(link), _) => View::kept(study, &link.view, &options.wish)?,
            (None, true) => {
                // The first items decide how columns are shown, so they are drawn before the project is made.
                if !matches!(options.place, Place::Number(_)) {
                    let waiting = study.counts().waiting;
                    draw(study, &options, waiting, by)?;
                }
                View::of(study, &study.waiting()?, &options.wish)?
            }
            (None, false) => View::of(study, &study.waiting()?, &options.wish)?,
        };
        let name = match options.name.as_str() {
            "" => {
                study.path().file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
            }
            name => name.to_owned(),
        };
        let wanted = make.then_some((&view, name.as_str()));
        let mut link = project::find(study, &mut server, options.place, wanted, by)?;
        link.view = view.to_keep();
        let project = link.project.parse().unwrap_or_default();
        let evaluation = study.settings().identity();
        let mut bridge = Self { server, link, project, evaluation, mirror: Mirror::default(), options, view };
        bridge.look(true)?;
        if bridge.mirror.foreign > 0
            && study.link(TOOL)?.is_none_or(|known| known.project != bridge.link.project)
        {
            let (address, tasks) = (bridge.link.address.clone(), bridge.mirror.foreign);
            return Err(match bridge.mirror.other.take() {
                Some(other) => Error::OtherProject { address, project, other },
                None => Error::ForeignTasks { address, project, tasks },
            });
        }
        study.record_link(&bridge.link, by)?;
        if let Some(goal) = bridge.options.goal {
            study.record_goal(goal, by)?;
        }
        Ok(bridge)
    }

    /// The address of the project for people.
    pub fn address(&self) -> String {
        format!("{}/projects/{}", self.link.address, self.project)
    }

    fn look(&mut self, whole: bool) -> Result<BTreeSet<String>> {
        self.mirror.refresh(&mut self.server, self.project, &self.evaluation, whole)
    }

    /// Puts there what waits for a label and is not there, and draws items until enough of them wait there.
    pub fn push(&mut self, study: &mut Study, by: &Author) -> Result<Pushed> {
        self.look(true)?;
        self.push_seen(study, true, by)
    }

    /// The same, after the project was just read.
    fn push_seen(&mut self, study: &mut Study, may_draw: bool, by: &Author) -> Result<Pushed> {
        study.reload()?;
        let handed: BTreeSet<String> = study.handed(&self.link)?.into_iter().collect();
        let (mut open, mut missing, mut deleted) = (0, 0, Vec::new());
        for asked in study.waiting()? {
            if self.mirror.is_open(&asked.id) {
                open += 1;
            } else if !self.mirror.has(&asked.id) {
                match handed.contains(&asked.id) && !self.options.again {
                    true => deleted.push(asked.id),
                    false => missing += 1,
                }
            }
        }
        let there = if may_draw { open + missing } else { usize::MAX };
        let (drawn, is_enough) = draw(study, &self.options, there, by)?;
        let items: Vec<_> = study
            .waiting()?
            .into_iter()
            .filter(|asked| !self.mirror.has(&asked.id) && !deleted.contains(&asked.id))
            .collect();
        if !items.is_empty() {
            self.import(study, &items, by)?;
        }
        let hidden = View::hidden(study, &self.view.wish);
        let pushed = items.len();
        Ok(Pushed { drawn, pushed, open: open + pushed, deleted, is_enough, hidden })
    }

    /// Puts items there in draw order. A part that the server has taken is on record before the next one is sent.
    fn import(&mut self, study: &mut Study, items: &[Asked], by: &Author) -> Result<()> {
        let (mut tasks, mut ids, mut bytes): (Vec<Value>, Vec<String>, usize) = (Vec::new(), Vec::new(), 0);
        for (place, asked) in items.iter().enumerate() {
            bytes += asked.carried.iter().map(|(_, text)| text.len() + 16).sum::<usize>() + 256;
            tasks.push(task(&self.view, asked));
            ids.push(asked.id.clone());
            if tasks.len() == CHUNK || bytes >= CHUNK_BYTES || place + 1 == items.len() {
                self.server.import(self.project, &tasks)?;
                study.record_handed(&self.link, &ids, by)?;
                tasks.clear();
                ids.clear();
                bytes = 0;
            }
        }
        Ok(())
    }

    /// Takes over what people said: labels, skips, corrections, deletions.
    pub fn pull(&mut self, study: &mut Study, by: &Author) -> Result<Pulled> {
        let whole = self.look(true)?;
        self.pull_seen(study, &whole, by)
    }

    /// The same, of what has changed since the last time.
    pub(super) fn pull_changes(&mut self, study: &mut Study, by: &Author) -> Result<Pulled> {
        let changed = self.look(false)?;
        self.pull_seen(study, &changed, by)
    }

    fn pull_seen(&mut self, study: &mut Study, changed: &BTreeSet<String>, by: &Author) -> Result<Pulled> {
        study.reload()?;
        let rows: BTreeMap<String, usize> =
            study.history()?.map(|draw| (draw.id.to_owned(), draw.item)).collect();
        // Classes that were told since the last look can be chosen as well.
        let question = View::of(study, &[], &self.view.wish)?.question;
        let mut tasks: Vec<_> = changed.iter().flat_map(|item| self.mirror.of(item)).collect();
        tasks.sort_by_key(|task| task.id);
        let heard = study.hear(TOOL, &reports(tasks, &question, &rows), by)?;
        let mut open = 0;
        for asked in study.waiting()? {
            open += usize::from(self.mirror.is_open(&asked.id));
        }
        let agreement = study.human_agreement(LEVEL)?;
        Ok(Pulled {
            heard,
            items: self.mirror.items(),
            open,
            doubled: self.mirror.doubled(),
            foreign: self.mirror.foreign,
            rule: agreement.is_some().then(|| study.opinion_rule()).transpose()?,
            agreement,
        })
    }

    /// Takes over what people said, and puts more items there when few wait.
    pub fn sync(&mut self, study: &mut Study, by: &Author) -> Result<(Pulled, Option<Pushed>)> {
        let pulled = self.pull(study, by)?;
        let pushed = self.refill(study, &pulled, by)?;
        Ok((pulled, pushed))
    }

    /// Puts more items there if few wait, or if an interrupted command has left some behind.
    pub(super) fn refill(
        &mut self,
        study: &mut Study,
        pulled: &Pulled,
        by: &Author,
    ) -> Result<Option<Pushed>> {
        let may_draw = pulled.open < self.options.refill.min(self.options.open);
        match may_draw || study.counts().waiting > pulled.open {
            true => self.push_seen(study, may_draw, by).map(Some),
            false => Ok(None),
        }
    }

    /// Number of items to ask in all.
    pub(super) fn goal(&self) -> Option<usize> {
        self.options.goal
    }
}

/// Draws items until enough wait, if `there` of them do. Returns how many, and whether no more can be drawn.
fn draw(study: &mut Study, options: &Options, there: usize, by: &Author) -> Result<(usize, bool)> {
    study.reload()?;
    let most = options.goal.map_or(usize::MAX, |goal| goal.saturating_sub(study.asked())).min(study.left());
    let wanted = options.open.saturating_sub(there).min(most);
    let drawn = if wanted == 0 { 0 } else { study.ask_up_to(wanted, by)?.len() };
    Ok((drawn, drawn == most))
}
