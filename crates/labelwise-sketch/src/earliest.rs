//! The items with the smallest numbers.

use std::cmp::Ordering;

use crate::bytes::{Bytes, Rest};

/// An item that a sketch keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The id of the item.
    pub id: String,
    /// Its score.
    pub score: f64,
    /// What was kept with it.
    pub payload: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) time: f64,
    pub(crate) item: Kept,
}

impl Entry {
    /// A total order: equal entries are equal in everything, so which of them is kept does not matter.
    fn order(&self, other: &Self) -> Ordering {
        let ids = || self.item.id.cmp(&other.item.id);
        let scores = || self.item.score.total_cmp(&other.item.score);
        let payloads = || self.item.payload.cmp(&other.item.payload);
        self.time.total_cmp(&other.time).then_with(ids).then_with(scores).then_with(payloads)
    }
}

/// The first `keep` entries of those that were offered, and up to as many more until the next cut.
#[derive(Debug, Clone)]
pub(crate) struct Earliest {
    keep: usize,
    entries: Vec<Entry>,
    /// Entries after this time are not among the first.
    latest: f64,
}

impl Earliest {
    pub(crate) fn new(keep: usize) -> Self {
        Self { keep, entries: Vec::new(), latest: f64::INFINITY }
    }

    /// Whether an item at this time may be among the first.
    #[inline]
    pub(crate) fn may_take(&self, time: f64) -> bool {
        time <= self.latest
    }

    /// Adds an entry.
    pub(crate) fn offer(&mut self, time: f64, item: Kept) {
        if self.may_take(time) {
            self.entries.push(Entry { time, item });
            // Cuts are cheap, and the sooner the last time is known, the fewer entries are made for nothing.
            if self.entries.len() >= self.keep + self.keep / 4 + 64 {
                self.cut();
            }
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        other.entries.into_iter().for_each(|entry| self.offer(entry.time, entry.item));
    }

    fn cut(&mut self) {
        if self.entries.len() > self.keep {
            self.entries.select_nth_unstable_by(self.keep - 1, Entry::order);
            self.entries.truncate(self.keep);
        }
        if self.entries.len() == self.keep {
            self.latest =
                self.entries.iter().map(|entry| entry.time).max_by(f64::total_cmp).unwrap_or(self.latest);
        }
    }

    /// The entries in order.
    pub(crate) fn entries(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort_unstable_by(|one, other| one.order(other));
        entries.truncate(self.keep);
        entries
    }

    pub(crate) fn write(&self, bytes: &mut Bytes) {
        let entries = self.entries();
        bytes.whole(entries.len() as u64);
        for Entry { time, item } in entries {
            bytes.number(*time);
            bytes.block(item.id.as_bytes());
            bytes.number(item.score);
            bytes.block(&item.payload);
        }
    }

    pub(crate) fn read(keep: usize, rest: &mut Rest<'_>) -> Option<Self> {
        let mut read = Self::new(keep);
        for _ in 0..rest.count()? {
            let time = rest.number().filter(|time| !time.is_nan())?;
            let (id, score, payload) = (rest.text()?, rest.number()?, rest.block()?.to_vec());
            read.offer(time, Kept { id, score, payload });
        }
        Some(read)
    }
}
