//! The judge of class labels: splits by counts of classes, leaves of class frequencies.

#![allow(
    clippy::indexing_slicing,
    reason = "classes are checked before a forest grows, and tables have one place each"
)]

use super::judge::{Cut, Judge};
use super::order::{Entry, code};
use super::purity::Purity;

/// Class counts of a node and of its children to be.
#[derive(Clone)]
pub(super) struct Counts<'a, P> {
    purity: P,
    labels: &'a [usize],
    /// How often each class is in the node.
    totals: Vec<u32>,
    /// For each class, how often it is left of the cut (low half) and right of it (high half).
    sides: Vec<u64>,
    /// How many rows the node has, repeats included.
    rows: u32,
    /// One class of a node that has only two.
    either: Option<u32>,
    unbeatable: i64,
}

/// Class and repeats of a row in one number.
const CLASS: u32 = 16;
/// The classes and repeats there is room for.
pub(super) const MOST_CLASSES: usize = 1 << CLASS;

fn class(payload: u32) -> usize {
    (payload >> CLASS) as usize
}

fn repeats(payload: u32) -> u32 {
    payload & (MOST_CLASSES as u32 - 1)
}

impl<'a, P: Purity> Counts<'a, P> {
    /// Labels below `classes`.
    pub(super) fn new(purity: P, labels: &'a [usize], classes: usize) -> Self {
        let (totals, sides) = (vec![0; classes], vec![0; classes]);
        Self { purity, labels, totals, sides, rows: 0, either: None, unbeatable: i64::MAX }
    }

    /// Keys before `first` are taken over unjudged, those up to `last` are judged. The children's sums of parts follow
    /// from the moved row alone, whatever the number of classes.
    fn scan(&mut self, sorted: &[u64], first: usize, last: usize) -> Option<Cut> {
        // The lowest rank is often that of most rows (black in images), and no cut lies within it.
        let head = sorted[..last].iter().take_while(|key| code(**key) == code(sorted[0])).count() - 1;
        let mut left_rows = 0;
        self.sides.fill(0);
        for &key in &sorted[..head] {
            let moved = repeats(key as u32);
            self.sides[class(key as u32)] += u64::from(moved);
            left_rows += moved;
        }
        let (mut left, mut right) = (0, 0);
        for (side, &total) in self.sides.iter_mut().zip(&self.totals) {
            let (l, r) = (*side as u32, total - *side as u32);
            left += self.purity.part(l);
            right += self.purity.part(r);
            *side |= u64::from(r) << 32;
        }
        let mut best = Cut::NONE;
        for (place, pair) in sorted[..=last].windows(2).enumerate().skip(head) {
            let payload = pair[0] as u32;
            let (moved, side) = (repeats(payload), &mut self.sides[class(payload)]);
            let (l, r) = (*side as u32, (*side >> 32) as u32);
            left += self.purity.part(l + moved) - self.purity.part(l);
            right += self.purity.part(r - moved) - self.purity.part(r);
            *side = u64::from(r - moved) << 32 | u64::from(l + moved);
            left_rows += moved;
            let merit = self.purity.merit(left, left_rows, right, self.rows - left_rows);
            best = best.or(place + 1, merit, (code(pair[0]) != code(pair[1])) & (place >= first));
        }
        best.found()
    }

    /// The same where there are two classes: the count of one says it all.
    fn scan_two(&self, sorted: &[u64], one: u32, first: usize, last: usize) -> Option<Cut> {
        let total = self.totals[one as usize];
        let (mut left_rows, mut left_one) = (0, 0);
        let mut best = Cut::NONE;
        for (place, pair) in sorted[..=last].windows(2).enumerate() {
            let payload = pair[0] as u32;
            let moved = repeats(payload);
            left_rows += moved;
            left_one += if payload >> CLASS == one { moved } else { 0 };
            let (right_rows, right_one) = (self.rows - left_rows, total - left_one);
            let left = self.purity.part(left_one) + self.purity.part(left_rows - left_one);
            let right = self.purity.part(right_one) + self.purity.part(right_rows - right_one);
            let merit = self.purity.merit(left, left_rows, right, right_rows);
            best = best.or(place + 1, merit, (code(pair[0]) != code(pair[1])) & (place >= first));
        }
        best.found()
    }
}

impl<P: Purity> Judge for Counts<'_, P> {
    fn width(&self) -> usize {
        self.totals.len()
    }

    fn start(&mut self, bag: &[u32], entries: &mut Vec<Entry>) {
        let seen = (0..).zip(bag).zip(self.labels).filter(|((_, repeats), _)| **repeats > 0);
        entries.extend(seen.map(|((row, &repeats), &class)| {
            // A row is never drawn so often that its repeats do not fit; cutting them off is better than a wrong class.
            Entry { row, payload: (class as u32) << CLASS | repeats.min(MOST_CLASSES as u32 - 1) }
        }));
    }

    fn enter(&mut self, node: &[Entry]) -> bool {
        self.totals.fill(0);
        if let [zero, one] = self.totals.as_mut_slice() {
            // Two sums stay in registers, where counts in memory would wait for each other.
            for entry in node {
                let rows = repeats(entry.payload);
                *one += rows * class(entry.payload) as u32;
                *zero += rows;
            }
            *zero -= *one;
        } else {
            for entry in node {
                self.totals[class(entry.payload)] += repeats(entry.payload);
            }
        }
        self.rows = self.totals.iter().sum();
        let mut present = (0..).zip(&self.totals).filter(|(_, total)| **total > 0);
        let (first, second, third) = (present.next(), present.next(), present.next());
        (self.either, self.unbeatable) = match (first, second, third) {
            (Some((one, &a)), Some((_, &b)), None) => {
                (Some(one), self.purity.merit(self.purity.part(a), a, self.purity.part(b), b))
            }
            _ => (None, i64::MAX),
        };
        if node.len() == 2 {
            // Two rows can be parted in one way only.
            self.unbeatable = i64::MIN;
        }
        second.is_none()
    }

    fn best(&mut self, sorted: &[u64], least: usize) -> Option<Cut> {
        let first = least - 1;
        // No cut lies within the highest rank either.
        let last = (1..=sorted.len() - least).rfind(|&last| code(sorted[last - 1]) != code(sorted[last]))?;
        match self.either {
            Some(one) => self.scan_two(sorted, one, first, last),
            None => self.scan(sorted, first, last),
        }
    }

    fn merit(&mut self, node: &[Entry], goes_left: impl Fn(&Entry) -> bool) -> i64 {
        self.sides.fill(0);
        let mut left_rows = 0;
        for entry in node {
            let moved = if goes_left(entry) { repeats(entry.payload) } else { 0 };
            self.sides[class(entry.payload)] += u64::from(moved);
            left_rows += moved;
        }
        let (mut left, mut right) = (0, 0);
        for (&side, &total) in self.sides.iter().zip(&self.totals) {
            left += self.purity.part(side as u32);
            right += self.purity.part(total - side as u32);
        }
        self.purity.merit(left, left_rows, right, self.rows - left_rows)
    }

    fn unbeatable(&self) -> i64 {
        self.unbeatable
    }

    fn leaf(&mut self, _node: &[Entry], values: &mut Vec<f64>) {
        let rows = f64::from(self.rows);
        values.extend(self.totals.iter().map(|&total| f64::from(total) / rows));
    }
}
