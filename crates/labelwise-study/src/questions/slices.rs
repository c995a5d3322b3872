//! Slices and groups: the values of a passthrough column.

use std::collections::{BTreeMap, HashMap};

use labelwise::ledger::{Ledger, Outcome};

use crate::Study;
use crate::columns;
use crate::error::{MetricError, Result};
use crate::task::StudyTask;

/// Maximum number of slices.
const MOST: usize = 1000;

/// A slice: the items with one value in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SliceOf {
    /// The column.
    pub column: String,
    /// Its value.
    pub value: String,
    /// Number of items of the pool with this value.
    pub size: usize,
}

/// The slices of a pool, and the slice of each labelled draw.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    slices: Vec<SliceOf>,
    of: Vec<String>,
}

impl Parts {
    /// Each slice, with a flag per labelled draw.
    pub(crate) fn each(&self) -> impl Iterator<Item = (SliceOf, Vec<bool>)> {
        let inside = |slice: &SliceOf| self.of.iter().map(|value| *value == slice.value).collect();
        self.slices.iter().map(move |slice| (slice.clone(), inside(slice)))
    }
}

impl Study {
    /// A number for the group of each labelled draw.
    pub(crate) fn groups<T: StudyTask>(&self, ledger: &Ledger<T>, column: &str) -> Result<Vec<usize>> {
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let texts = self.texts(ledger, column, Counting::Labelled)?.into_iter();
        Ok(texts
            .map(|text| {
                let next = numbers.len();
                *numbers.entry(text).or_insert(next)
            })
            .collect())
    }

    /// The slices by a column: one pass over it. Items missing at random are in none.
    pub(crate) fn slices<T: StudyTask>(&self, ledger: &Ledger<T>, column: &str) -> Result<Parts> {
        let name = self.carried(column)?;
        let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
        self.journal.each_block(&name, &mut |block| {
            for text in (0..block.len()).filter_map(|row| block.text(row)) {
                if sizes.len() <= MOST {
                    *sizes.entry(text).or_default() += 1;
                }
            }
        })?;
        if sizes.len() > MOST {
            return Err(MetricError::ManySlices { column: column.to_owned(), most: MOST }.into());
        }
        for text in self.texts(ledger, column, Counting::Missing)? {
            sizes.entry(text).and_modify(|size| *size -= 1);
        }
        let of = self.texts(ledger, column, Counting::Labelled)?;
        let slices =
            sizes.into_iter().map(|(value, size)| SliceOf { column: column.to_owned(), value, size });
        Ok(Parts { slices: slices.collect(), of })
    }

    /// The column of the journal.
    fn carried(&self, column: &str) -> Result<String> {
        let columns = &self.settings.pool.carried;
        if !columns.iter().any(|known| known == column) {
            return Err(
                MetricError::NotCarried { column: column.to_owned(), columns: columns.clone() }.into()
            );
        }
        Ok(columns::carried(column))
    }

    /// The values of a column for these draws, in draw order.
    fn texts<T: StudyTask>(
        &self,
        ledger: &Ledger<T>,
        column: &str,
        counting: Counting,
    ) -> Result<Vec<String>> {
        let name = self.carried(column)?;
        let counts = |place: usize, outcome: &Outcome<T>| match counting {
            Counting::Labelled => place < ledger.complete() && matches!(outcome, Outcome::Labelled { .. }),
            Counting::Missing => *outcome == Outcome::MissingAtRandom,
        };
        let draws = ledger.draws().iter().zip(ledger.outcomes()).enumerate();
        let items =
            draws.filter(|(place, (_, outcome))| counts(*place, outcome)).map(|(_, (draw, _))| draw.index);
        self.journal.texts(&name, &items.collect::<Vec<_>>())
    }
}

/// Which draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// Those with a label that counts.
    Labelled,
    /// All that are missing at random.
    Missing,
}
