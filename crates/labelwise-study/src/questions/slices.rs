//! Slices and groups: the values of a passthrough column.

use std::collections::{BTreeMap, HashMap};

use labelwise::ledger::{Ledger, Outcome};
use labelwise::metric::{Judged, Slice, Valued, WeightedDraws};
use labelwise::words::natural;

use crate::Study;
use crate::columns;
use crate::error::{MetricError, Result, damaged};
use crate::questions::classes::Classes;
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

/// A slice of a pool, with its labelled draws.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) slice: SliceOf,
    /// Whether each labelled draw is in it.
    pub(crate) inside: Vec<bool>,
    /// How many of its items are predicted as each class, if that is wanted.
    pub(crate) predicted: Option<Vec<usize>>,
}

/// Points that slices are made of.
pub(crate) trait Sliced: Sized {
    /// The draws of a slice.
    fn slice<'a>(draws: &'a WeightedDraws<Self>, part: &Part) -> labelwise::Result<Slice<'a, Self>> {
        draws.slice(part.inside.clone(), Some(part.slice.size))
    }
}

impl Sliced for Valued {}

impl Sliced for Judged {
    fn slice<'a>(draws: &'a WeightedDraws<Self>, part: &Part) -> labelwise::Result<Slice<'a, Self>> {
        let slice = draws.slice(part.inside.clone(), Some(part.slice.size))?;
        Ok(match &part.predicted {
            Some(counts) => slice.with_predicted(counts),
            None => slice,
        })
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

    /// The slices by a column: one pass over it, and one over the predictions if those of `classes` are counted. Items
    /// missing at random are in none.
    pub(crate) fn slices<T: StudyTask>(
        &self,
        ledger: &Ledger<T>,
        column: &str,
        classes: Option<&Classes>,
    ) -> Result<Vec<Part>> {
        let name = self.carried(column)?;
        self.settings.needs_pool(self.path(), "the size of every slice")?;
        let mut found: BTreeMap<String, (u32, usize)> = BTreeMap::new();
        let mut of_item: Vec<u32> = Vec::new();
        self.journal.each_block(&name, &mut |block| {
            for text in (0..block.len()).filter_map(|row| block.text(row)) {
                if found.len() > MOST {
                    return;
                }
                let next = u32::try_from(found.len()).unwrap_or(u32::MAX);
                let (number, size) = found.entry(text).or_insert((next, 0));
                *size += 1;
                if classes.is_some() {
                    of_item.push(*number);
                }
            }
        })?;
        if found.len() > MOST {
            return Err(MetricError::ManySlices { column: column.to_owned(), most: MOST }.into());
        }
        let mut predicted = match classes {
            Some(classes) => self.predicted_within(classes, &of_item)?,
            None => Vec::new(),
        };
        let missing = self.texts(ledger, column, Counting::Missing)?;
        for (text, place) in missing.iter().zip(places(ledger, Counting::Missing)) {
            let Some((number, size)) = found.get_mut(text) else { continue };
            *size -= 1;
            if let (Some(classes), Some(drawn)) = (classes, self.record()?.draws.get(place)) {
                let counts = predicted.get_mut(*number as usize);
                let class = self.predicted_as(classes, &drawn.row);
                if let Some(count) = counts.and_then(|counts| counts.get_mut(class)) {
                    *count = count.saturating_sub(1);
                }
            }
        }
        let of = self.texts(ledger, column, Counting::Labelled)?;
        let parts = found.into_iter().map(|(value, (number, size))| Part {
            inside: of.iter().map(|other| *other == value).collect(),
            predicted: predicted.get(number as usize).cloned(),
            slice: SliceOf { column: column.to_owned(), value, size },
        });
        let mut parts: Vec<Part> = parts.collect();
        parts.sort_by(|one, other| natural(&one.slice.value, &other.slice.value));
        Ok(parts)
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
        if self.settings.elsewhere.is_some() {
            let record = self.record()?;
            let at =
                self.settings.pool.carried.iter().position(|known| known == column).unwrap_or(usize::MAX);
            let text = |place: usize| {
                let apart = record.draws.get(place)?.row.apart.as_ref()?;
                apart.carried.get(at).cloned()
            };
            let texts = places(ledger, counting).map(|place| text(place).ok_or(place));
            return texts.map(|text| text.map_err(|place| damaged(self.path(), "draw", place))).collect();
        }
        let items = places(ledger, counting).filter_map(|place| ledger.draws().get(place));
        self.journal.texts(&name, &items.map(|draw| draw.index).collect::<Vec<_>>())
    }
}

/// The places of these draws, in draw order.
fn places<T: StudyTask>(ledger: &Ledger<T>, counting: Counting) -> impl Iterator<Item = usize> {
    let counts = move |place: usize, outcome: &Outcome<T>| match counting {
        Counting::Labelled => place < ledger.complete() && matches!(outcome, Outcome::Labelled { .. }),
        Counting::Missing => *outcome == Outcome::MissingAtRandom,
    };
    let outcomes = ledger.outcomes().iter().enumerate();
    outcomes.filter(move |(place, outcome)| counts(*place, outcome)).map(|(place, _)| place)
}

/// Which draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// Those with a label that counts.
    Labelled,
    /// All that are missing at random.
    Missing,
}
