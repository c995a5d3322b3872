//! Invalid rows: the first five, with their places and the reasons.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::{RowError, RowFault};
use crate::numbers::Guess;

/// Number of rows that an error names.
pub(crate) const NAMED: usize = 5;

/// The place of a row in its file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The line of a text file where the row begins; the first line is 1.
    Line(u64),
    /// The row of a file without lines; the first row is 1.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// Collects the first invalid rows of a file, found in any order.
#[derive(Debug, Default)]
pub(crate) struct Offences {
    rows: BTreeMap<usize, RowFault>,
    more: bool,
    /// What the numbers of invalid class columns look like.
    pub(crate) guess: Option<Guess>,
}

impl Offences {
    /// Notes a row; the first fault of a row is kept.
    pub(crate) fn note(&mut self, row: usize, fault: impl FnOnce() -> RowFault) {
        if self.rows.contains_key(&row) {
            return;
        }
        if self.rows.len() >= NAMED {
            self.more = true;
            match self.rows.last_key_value() {
                Some((&last, _)) if last > row => self.rows.remove(&last),
                _ => return,
            };
        }
        self.rows.insert(row, fault());
    }

    /// Merges the notes about a part of the rows that begins at `first`.
    pub(crate) fn take(&mut self, noted: Self, first: usize) {
        self.more |= noted.more;
        self.guess = self.guess.take().or(noted.guess);
        noted.rows.into_iter().for_each(|(row, fault)| self.note(first + row, || fault));
    }

    /// Whether a row can be ignored: it was noted, or enough rows before it were.
    pub(crate) fn passes_over(&mut self, row: usize) -> bool {
        let behind = self.full() && self.rows.last_key_value().is_some_and(|(&last, _)| row > last);
        self.more |= behind;
        behind || self.rows.contains_key(&row)
    }

    /// Whether enough rows are known.
    pub(crate) fn full(&self) -> bool {
        self.rows.len() >= NAMED
    }

    /// Number of rows that are noted.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Marks that reading stopped, so later rows can be invalid too.
    pub(crate) fn stopped(&mut self) {
        self.more = true;
    }

    /// The rows in order, and whether there may be more.
    pub(crate) fn into_rows(self, places: &Places) -> (Vec<RowError>, bool) {
        let rows = self.rows.into_iter().map(|(row, fault)| RowError { place: places.of(row), fault });
        (rows.collect(), self.more)
    }
}

/// The places of the rows of a file.
#[derive(Debug, Clone, Default)]
pub(crate) enum Places {
    /// The file has rows and no lines.
    #[default]
    Rows,
    /// Runs of rows on consecutive lines: (first row, its line).
    Lines(Vec<(usize, u64)>),
}

impl Places {
    /// Sets the line of the next row; rows come in order.
    pub(crate) fn begin(&mut self, row: usize, line: u64) {
        if matches!(self, Self::Rows) {
            *self = Self::Lines(Vec::new());
        }
        if let Self::Lines(runs) = self {
            let expected = runs.last().map(|&(first, at)| at + (row - first) as u64);
            if expected != Some(line) {
                runs.push((row, line));
            }
        }
    }

    pub(crate) fn of(&self, row: usize) -> Place {
        match self {
            Self::Rows => Place::Row(row as u64 + 1),
            Self::Lines(runs) => {
                let run = runs.partition_point(|&(first, _)| first <= row).checked_sub(1);
                match run.and_then(|run| runs.get(run)) {
                    Some(&(first, line)) => Place::Line(line + (row - first) as u64),
                    None => Place::Row(row as u64 + 1),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_first_rows_stay_in_whatever_order_they_come() {
        let mut offences = Offences::default();
        for row in [90, 7, 50, 3, 20, 60, 1, 7] {
            offences.note(row, || RowFault::NotANumber);
        }
        let (rows, more) = offences.into_rows(&Places::Rows);
        let places: Vec<Place> = rows.iter().map(|offence| offence.place).collect();
        assert_eq!(places, [2, 4, 8, 21, 51].map(Place::Row));
        assert!(more);
    }

    #[test]
    fn parts_are_taken_in_at_their_place() {
        let (mut all, mut part) = (Offences::default(), Offences::default());
        all.note(2, || RowFault::NotANumber);
        (0..6).for_each(|row| part.note(row, || RowFault::NotANumber));
        all.take(part, 10);
        let (rows, more) = all.into_rows(&Places::Rows);
        let places: Vec<Place> = rows.iter().map(|offence| offence.place).collect();
        assert_eq!(places, [3, 11, 12, 13, 14].map(Place::Row));
        assert!(more);
    }

    #[test]
    fn lines_are_known_across_blank_ones() {
        let mut places = Places::default();
        for (row, line) in [(0, 2), (1, 3), (2, 6), (3, 7)] {
            places.begin(row, line);
        }
        assert_eq!([0, 1, 2, 3].map(|row| places.of(row)), [2, 3, 6, 7].map(Place::Line));
        assert!(matches!(places, Places::Lines(runs) if runs.len() == 2));
    }
}
