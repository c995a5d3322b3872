//! The sketch of a part of a pool.

use crate::bytes::{Bytes, Rest};
use crate::earliest::{Earliest, Kept};
use crate::error::{Error, Fault, Result};
use crate::exact_sum::ExactSum;
use crate::uniforms::{Key, Uniforms, exponential};

/// The first bytes of a sketch.
const MAGIC: &[u8; 8] = b"lwsketc1";

/// Items that an error names.
pub(crate) const NAMED: usize = 5;

/// Rows whose hashes are computed at a time.
const RUN: usize = 1024;

/// What is kept of a part of a pool: the number of its items, the exact sum of their scores, and the items that may be drawn.
#[derive(Debug, Clone)]
pub struct Sketch {
    key: Key,
    keep: usize,
    size: u64,
    total: ExactSum,
    /// By E1/s.
    pub(crate) by_score: Earliest,
    /// By E2.
    pub(crate) by_item: Earliest,
    bad: u64,
    /// The first by id.
    first_bad: Vec<(String, Fault)>,
}

impl Sketch {
    /// An empty sketch for the first `keep` draws; at least 1.
    pub fn new(key: Key, keep: usize) -> Self {
        let keep = keep.max(1);
        Self {
            key,
            keep,
            size: 0,
            total: ExactSum::default(),
            by_score: Earliest::new(keep),
            by_item: Earliest::new(keep),
            bad: 0,
            first_bad: Vec::new(),
        }
    }

    /// The seed and the refresh.
    pub fn key(&self) -> Key {
        self.key
    }

    /// The number of draws that it can make.
    pub fn keep(&self) -> usize {
        self.keep
    }

    /// The number of items.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The exact sum of the scores.
    pub fn total(&self) -> &ExactSum {
        &self.total
    }

    /// The same with n and S of the whole pool, where only the items that may be drawn were added: an engine made the lists.
    pub fn with_totals(self, size: u64, total: ExactSum) -> Self {
        Self { size, total, ..self }
    }

    /// Adds an item. `payload` is what is kept with it if it may be drawn.
    pub fn add(&mut self, id: &str, score: Option<f64>, payload: impl Fn() -> Vec<u8>) {
        self.add_all(&[id], &[score], |_| payload());
    }

    /// Adds items; `payload` is asked for the rows that are kept.
    pub fn add_all(&mut self, ids: &[&str], scores: &[Option<f64>], payload: impl Fn(usize) -> Vec<u8>) {
        let (mut uniforms, mut numbers) = (Uniforms::new(self.key), Vec::new());
        let runs = ids.chunks(RUN).zip(scores.chunks(RUN)).enumerate();
        for (run, (ids, scores)) in runs {
            uniforms.of(ids.iter().copied(), &mut numbers);
            for (row, ((&id, &score), uniforms)) in ids.iter().zip(scores).zip(&numbers).enumerate() {
                self.add_one(id, score, *uniforms, || payload(run * RUN + row));
            }
        }
    }

    fn add_one(
        &mut self,
        id: &str,
        score: Option<f64>,
        [first, second]: [f64; 2],
        payload: impl Fn() -> Vec<u8>,
    ) {
        self.size += 1;
        let score = match (Fault::of(score), score) {
            (None, Some(score)) => score,
            (fault, _) => return self.refuse(id.to_owned(), fault.unwrap_or(Fault::Null)),
        };
        self.total.add(score);
        let kept = || Kept { id: id.to_owned(), score, payload: payload() };
        // −ln u ≥ 1 − u: most items are seen to be late without a logarithm.
        if score > 0.0 && self.by_score.may_take((1.0 - first) / score) {
            let time = exponential(first) / score;
            if self.by_score.may_take(time) {
                self.by_score.offer(time, kept());
            }
        }
        if self.by_item.may_take(1.0 - second) {
            let time = exponential(second);
            if self.by_item.may_take(time) {
                self.by_item.offer(time, kept());
            }
        }
    }

    fn refuse(&mut self, id: String, fault: Fault) {
        self.bad += 1;
        self.name(vec![(id, fault)]);
    }

    fn name(&mut self, more: Vec<(String, Fault)>) {
        self.first_bad.extend(more);
        self.first_bad.sort_unstable();
        self.first_bad.truncate(NAMED);
    }

    /// Adds the sketch of another part of the same pool.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        if (self.key, self.keep) != (other.key, other.keep) {
            return Err(Error::Different);
        }
        self.size += other.size;
        self.total.merge(&other.total);
        self.by_score.merge(other.by_score);
        self.by_item.merge(other.by_item);
        self.bad += other.bad;
        self.name(other.first_bad);
        Ok(())
    }

    /// Refuses scores that cannot be used; the first five are named.
    pub(crate) fn check(&self) -> Result<()> {
        match self.bad {
            0 => Ok(()),
            count => Err(Error::Scores { count, first: self.first_bad.clone() }),
        }
    }

    /// The sketch as bytes. Sketches of the same items have the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Bytes(MAGIC.to_vec());
        for number in [self.key.seed, self.key.refresh, self.keep as u64, self.size, self.bad] {
            bytes.whole(number);
        }
        bytes.whole(self.first_bad.len() as u64);
        for (id, fault) in &self.first_bad {
            bytes.block(id.as_bytes());
            bytes.whole(*fault as u64);
        }
        self.total.write(&mut bytes);
        self.by_score.write(&mut bytes);
        self.by_item.write(&mut bytes);
        bytes.0
    }

    /// Reads the bytes of a sketch.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(Error::Damaged)?;
        let mut rest = Rest(rest);
        let read = Self::read(&mut rest).ok_or(Error::Damaged)?;
        if rest.0.is_empty() { Ok(read) } else { Err(Error::Damaged) }
    }

    fn read(rest: &mut Rest<'_>) -> Option<Self> {
        let key = Key { seed: rest.whole()?, refresh: rest.whole()? };
        let keep = usize::try_from(rest.whole()?).ok().filter(|keep| (1..1 << 40).contains(keep))?;
        let mut read = Self { size: rest.whole()?, bad: rest.whole()?, ..Self::new(key, keep) };
        for _ in 0..rest.count().filter(|count| *count <= NAMED)? {
            let id = rest.text()?;
            let faults = [Fault::Null, Fault::NotANumber, Fault::Infinite, Fault::Negative];
            read.first_bad.push((id, *faults.get(usize::try_from(rest.whole()?).ok()?)?));
        }
        read.total = ExactSum::read(rest)?;
        read.by_score = Earliest::read(keep, rest)?;
        read.by_item = Earliest::read(keep, rest)?;
        Some(read)
    }
}
