//! What the numbers of class columns are: probabilities, percentages, rounded probabilities or logits. The numbers show it,
//! so an error can name the right option.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::block::Block;
use crate::error::{Error, Purpose, Result, RowFault};
use crate::offences::Offences;
use crate::predictions::{self, SUM_TOLERANCE};

/// How the probabilities of a pool are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notation {
    /// Rows that sum to 100 are percentages. Rows that sum to 1 stay as they are.
    pub percent: bool,
    /// Rows are divided by their sums, which rounding has moved away from 1.
    pub normalise: bool,
}

/// What the numbers of class columns are said to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClassNumbers {
    /// Probabilities, one column per class; one column alone is the probability of one of two classes.
    #[default]
    Probabilities,
    /// Logits, one column per class; one column alone is the log-odds of one of two classes.
    Logits,
}

/// What the numbers of class columns look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Looks {
    /// Rows that sum to 1.
    Probabilities,
    /// Rows that sum to 100.
    Percentages,
    /// Rows that nearly sum to 1.
    Rounded,
    /// Negative numbers, or numbers above 1.
    Logits,
}

impl fmt::Display for Looks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Probabilities => "probabilities",
            Self::Percentages => "percentages",
            Self::Rounded => "rounded probabilities",
            Self::Logits => "logits",
        })
    }
}

/// A guess about class columns whose numbers are not what they are said to be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Guess {
    /// What the numbers look like.
    pub looks: Looks,
    /// What the columns were read for.
    pub purpose: Purpose,
    /// The columns, as an option names them; empty for an array.
    pub columns: String,
    /// Whether it is one column, of a model with two classes.
    pub single: bool,
}

impl Guess {
    /// A guess about columns.
    pub fn new(looks: Looks, purpose: Purpose, columns: impl Into<String>, single: bool) -> Self {
        Self { looks, purpose, columns: columns.into(), single }
    }
}

/// Rows that a guess looks at.
const SAMPLE: usize = 1_000;

/// Sums that `normalise` accepts. Rounding does not move a sum farther.
const NORMALISED: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// A number from which a column of numbers up to 100 is taken for percentages, and not for log-odds.
const LARGE: f64 = 20.0;

/// How far rounding to two decimals moves the sum of a row.
#[allow(clippy::cast_precision_loss, reason = "classes are few")]
fn slack(columns: usize) -> f64 {
    (0.005 * columns as f64).clamp(0.02, 0.2)
}

fn is_distribution(row: &[f64]) -> bool {
    row.iter().all(|&value| value >= 0.0) && (row.iter().sum::<f64>() - 1.0).abs() <= SUM_TOLERANCE
}

impl Looks {
    /// What a table looks like; none if it has no rows of numbers, or if no kind of numbers is like it.
    ///
    /// ```
    /// use labelwise_pool::Looks;
    /// assert_eq!(Looks::of(&[97.0, 3.0, 40.0, 60.0], 2), Some(Looks::Percentages));
    /// assert_eq!(Looks::of(&[0.33, 0.33, 0.33], 3), Some(Looks::Rounded));
    /// assert_eq!(Looks::of(&[-1.2, 3.4], 2), Some(Looks::Logits));
    /// ```
    pub fn of(values: &[f64], columns: usize) -> Option<Self> {
        let usable = |row: &&[f64]| row.iter().all(|value| !value.is_nan() && *value < f64::INFINITY);
        let rows: Vec<&[f64]> = values.chunks_exact(columns.max(1)).take(SAMPLE).filter(usable).collect();
        if rows.is_empty() {
            return None;
        }
        if columns == 1 {
            return Some(Self::of_column(&rows.concat()));
        }
        let positive = rows.iter().all(|row| row.iter().all(|&value| value >= 0.0));
        let sum_to = |whole: f64, slack: f64| {
            positive && rows.iter().all(|row| (row.iter().sum::<f64>() / whole - 1.0).abs() <= slack)
        };
        if sum_to(1.0, SUM_TOLERANCE) {
            return Some(Self::Probabilities);
        }
        if sum_to(100.0, slack(columns)) {
            return Some(Self::Percentages);
        }
        if sum_to(1.0, slack(columns)) {
            return Some(Self::Rounded);
        }
        // If most rows are probabilities, the other rows are mistakes.
        let outside = |row: &&&[f64]| row.iter().any(|value| !(0.0..=1.0 + SUM_TOLERANCE).contains(value));
        let invalid = rows.iter().filter(|row| !is_distribution(row)).count();
        (2 * invalid > rows.len() && rows.iter().any(|row| outside(&row))).then_some(Self::Logits)
    }

    /// What one column of a model with two classes looks like.
    fn of_column(values: &[f64]) -> Self {
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
            (low.min(value), high.max(value))
        });
        match low >= 0.0 {
            true if high <= 1.0 => Self::Probabilities,
            true if (LARGE..=100.0).contains(&high) => Self::Percentages,
            _ => Self::Logits,
        }
    }
}

/// Class columns that are made into probabilities.
pub(crate) struct ClassColumns<'a> {
    pub(crate) path: &'a Path,
    pub(crate) numbers: ClassNumbers,
    pub(crate) notation: Notation,
    pub(crate) purpose: Purpose,
    /// The columns, as an option names them.
    pub(crate) columns: &'a str,
}

impl ClassColumns<'_> {
    /// The probabilities, one column per class. Invalid rows are noted, with what the numbers look like.
    pub(crate) fn probabilities(
        &self,
        block: Block,
        offences: &mut Offences,
        notes: &mut Vec<String>,
    ) -> Result<Block> {
        let single = block.columns() == 1;
        match self.numbers {
            ClassNumbers::Logits => self.softmax(block, single, offences),
            ClassNumbers::Probabilities if single => self.one(block, offences, notes),
            ClassNumbers::Probabilities => self.several(block, offences, notes),
        }
    }

    /// Refuses logits that are probabilities or percentages: their softmax would make every item certain, or uncertain.
    fn softmax(&self, mut block: Block, single: bool, offences: &mut Offences) -> Result<Block> {
        if let Some(looks) = block.looks().filter(|looks| *looks != Looks::Logits) {
            return Err(Error::NotLogits { path: self.path.to_owned(), guess: self.guess(looks, single) });
        }
        predictions::check_logits(&block, offences);
        if single {
            block.change_rows(|row| row.iter_mut().for_each(|odds| *odds = 1.0 / (1.0 + (-*odds).exp())));
            return block.with_complement();
        }
        block.change_rows(predictions::softmax);
        Ok(block)
    }

    fn one(&self, mut block: Block, offences: &mut Offences, notes: &mut Vec<String>) -> Result<Block> {
        if self.notation.percent {
            divide(&mut block, notes);
        }
        let before = offences.len();
        for (row, value) in block.column(0).into_iter().enumerate() {
            if !(0.0..=1.0).contains(&value) && !offences.passes_over(row) {
                offences.note(row, || RowFault::OneProbability { value });
            }
        }
        self.explain(&block, before, offences);
        block.with_complement()
    }

    fn several(&self, mut block: Block, offences: &mut Offences, notes: &mut Vec<String>) -> Result<Block> {
        if self.notation.percent && block.looks() == Some(Looks::Percentages) {
            divide(&mut block, notes);
        }
        let before = offences.len();
        let widest =
            if self.notation.normalise { NORMALISED } else { 1.0 - SUM_TOLERANCE..=1.0 + SUM_TOLERANCE };
        predictions::check_probabilities(&block, &widest, offences);
        self.explain(&block, before, offences);
        if self.notation.normalise {
            block.change_rows(|row| {
                let sum: f64 = row.iter().sum();
                row.iter_mut().for_each(|value| *value /= sum);
            });
            notes.push("class probabilities are divided by the sums of their rows".to_owned());
        }
        Ok(block)
    }

    /// Adds a guess to invalid rows that were just found.
    fn explain(&self, block: &Block, before: usize, offences: &mut Offences) {
        if offences.len() > before
            && let Some(looks) = block.looks().filter(|looks| *looks != Looks::Probabilities)
        {
            offences.guess.get_or_insert_with(|| self.guess(looks, block.columns() == 1));
        }
    }

    fn guess(&self, looks: Looks, single: bool) -> Guess {
        Guess::new(looks, self.purpose, self.columns, single)
    }
}

fn divide(block: &mut Block, notes: &mut Vec<String>) {
    block.change_rows(|row| row.iter_mut().for_each(|value| *value /= 100.0));
    notes.push("percentages are divided by 100".to_owned());
}

impl Block {
    /// What the first rows look like.
    fn looks(&self) -> Option<Looks> {
        Looks::of(&self.first_rows(SAMPLE), self.columns())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_show_what_they_are() {
        let looks = |values: &[f64], columns| Looks::of(values, columns);
        assert_eq!(looks(&[0.2, 0.8, 1.0, 0.0], 2), Some(Looks::Probabilities));
        assert_eq!(looks(&[20.0, 80.0, 99.0, 0.0], 2), Some(Looks::Percentages));
        assert_eq!(looks(&[0.2, 0.8, 0.51, 0.5], 2), Some(Looks::Rounded));
        assert_eq!(looks(&[0.2, 2.8, 0.51, 0.5], 2), Some(Looks::Logits));
        assert_eq!(looks(&[-0.1, 1.1, 0.5, 0.5, 0.5, 0.5], 2), None, "one bad row of three is a mistake");
        assert_eq!(looks(&[0.9, 0.8, 0.1, 0.2], 2), None, "independent classes");
        assert_eq!(looks(&[f64::NAN, 1.0], 2), None);
        assert_eq!(looks(&[f64::NEG_INFINITY, 0.0], 2), Some(Looks::Logits));
        assert_eq!(looks(&[0.0, 0.3, 1.0], 1), Some(Looks::Probabilities));
        assert_eq!(looks(&[0.4, 3.0, 97.0], 1), Some(Looks::Percentages));
        assert_eq!(looks(&[0.4, 3.0, 7.0], 1), Some(Looks::Logits));
        assert_eq!(looks(&[0.4, -3.0], 1), Some(Looks::Logits));
    }

    #[test]
    fn rounding_of_many_classes_moves_the_sum_farther() {
        let row = |value: f64| vec![value; 20];
        assert_eq!(Looks::of(&row(0.0475), 20), Some(Looks::Rounded), "sum 0.95");
        assert_eq!(Looks::of(&[0.45, 0.5], 2), None);
    }
}
