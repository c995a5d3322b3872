//! The tasks of a project as they were seen last. While labels come in, only tasks that have changed are read again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::server::Server;
use super::task::Task;
use crate::error::Result;
use crate::moment::micros;

/// After so many looks at what has changed, everything is read again: a deleted task does not change.
const LOOKS: usize = 20;

/// A change may become visible after a later one, so the last seconds are read twice.
const MARGIN_IN_MICROS: i64 = 60_000_000;

/// The tasks of a project.
#[derive(Debug, Default)]
pub(crate) struct Mirror {
    /// Tasks of this evaluation, by their number: their order is that in which they were put there.
    tasks: BTreeMap<u64, Task>,
    /// The numbers of the tasks of each item.
    by_item: HashMap<String, Vec<u64>>,
    /// Tasks that are not of this evaluation.
    pub(crate) foreign: usize,
    /// Another evaluation that has tasks here.
    pub(crate) other: Option<String>,
    /// The last change, as the server writes it.
    newest: Option<String>,
    looks: usize,
}

impl Mirror {
    /// Reads the project; all of it if `whole`, or if it is time for that. Returns the items that may have changed.
    pub(crate) fn refresh(
        &mut self,
        server: &mut Server,
        project: u64,
        evaluation: &str,
        whole: bool,
    ) -> Result<BTreeSet<String>> {
        let since = self.newest.as_deref().and_then(micros).filter(|_| !whole && self.looks < LOOKS);
        // The server wants a fraction of the second.
        let since =
            since.map(|since| labelwise_study::moment(since - MARGIN_IN_MICROS).replace('Z', ".000Z"));
        let found = server.tasks(project, since.as_deref())?;
        let mut changed = BTreeSet::new();
        if since.is_none() {
            changed.extend(self.by_item.keys().cloned());
            *self = Self::default();
        }
        self.looks += 1;
        for task in found {
            let time = |text: &Option<String>| text.as_deref().and_then(micros);
            if time(&task.updated_at) > time(&self.newest) {
                self.newest.clone_from(&task.updated_at);
            }
            match task.keys() {
                Some((item, of)) if of == evaluation => {
                    let numbers = self.by_item.entry(item.to_owned()).or_default();
                    if !numbers.contains(&task.id) {
                        numbers.push(task.id);
                    }
                    changed.insert(item.to_owned());
                    self.tasks.insert(task.id, task);
                }
                keys => {
                    // Foreign tasks are counted when everything is read.
                    self.foreign += usize::from(since.is_none());
                    self.other = keys.map(|(_, of)| of.to_owned()).or(self.other.take());
                }
            }
        }
        Ok(changed)
    }

    /// Whether an item has a task.
    pub(crate) fn has(&self, item: &str) -> bool {
        self.by_item.contains_key(item)
    }

    /// Whether nobody has answered an item that has a task.
    pub(crate) fn is_open(&self, item: &str) -> bool {
        self.has(item) && self.of(item).all(|task| !task.is_done())
    }

    /// The tasks of an item.
    pub(crate) fn of<'a>(&'a self, item: &str) -> impl Iterator<Item = &'a Task> {
        self.by_item.get(item).into_iter().flatten().filter_map(|number| self.tasks.get(number))
    }

    /// Items with several tasks.
    pub(crate) fn doubled(&self) -> usize {
        self.by_item.values().filter(|numbers| numbers.len() > 1).count()
    }

    /// Items that have a task.
    pub(crate) fn items(&self) -> usize {
        self.by_item.len()
    }
}
