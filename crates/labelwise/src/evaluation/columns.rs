//! One pass over the pool: what is expected of each item's loss under the beliefs of the moment, in columns.

use rayon::prelude::*;

use super::refresh::Sources;
use crate::error::{Error, Result};
use crate::loss::{Bounds, Moments, Outlook, Sign};
use crate::task::Task;

/// Items a thread works on at a time. Sums are taken in blocks of it, so they do not depend on the thread count.
const BLOCK: usize = 4096;

/// Items a loss is asked about at a time: their rows stay in the nearest cache.
const RUN: usize = 256;

/// Expectations and bounds, one entry an item; those of items that are not open are 0.
pub(super) struct Columns {
    pub(super) first: Vec<f64>,
    pub(super) second: Vec<f64>,
    /// Lower bounds; empty for a loss that is never negative, for which 0 is good enough.
    pub(super) low: Vec<f64>,
    /// Upper bounds; empty for a loss without any.
    pub(super) high: Vec<f64>,
    pub(super) totals: Totals,
}

/// Sums over the open items.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub(super) first: Sum,
    pub(super) low: Sum,
    pub(super) high: Sum,
}

impl Columns {
    pub(super) fn new<T: Task>(sources: &Sources<'_, T>) -> Result<Self> {
        let size = sources.pool.pool_size();
        let rows = sources.beliefs.rows();
        if rows.rows() != size {
            // Beliefs that were made for another pool.
            return Err(Error::Rows { what: "beliefs", rows: rows.rows(), expected: size });
        }
        T::check_belief_columns(rows.columns(), sources.pool.predictions().columns())?;
        let bounded =
            sources.loss.bounds(T::prediction(sources.pool.predictions().reader().row(0))).is_some();
        let column = |wanted: bool| if wanted { vec![0.0; size] } else { Vec::new() };
        let (mut first, mut second, mut high) = (column(true), column(true), column(bounded));
        let mut low = column(bounded && sources.loss.sign() == Sign::Signed);
        // A column that is not wanted has no blocks, and its blocks are empty.
        let (mut lows, mut highs) = (low.chunks_mut(BLOCK), high.chunks_mut(BLOCK));
        let moments = first.chunks_mut(BLOCK).zip(second.chunks_mut(BLOCK)).enumerate();
        let blocks: Vec<Block<'_>> = moments
            .map(|(block, (first, second))| {
                let (low, high) = (lows.next().unwrap_or_default(), highs.next().unwrap_or_default());
                Block { start: block * BLOCK, first, second, low, high }
            })
            .collect();
        // All blocks are filled before an error is taken, so that it is always the first item's.
        let filled: Vec<Result<Totals>> = if blocks.len() == 1 {
            blocks.into_iter().map(|block| block.fill(sources)).collect()
        } else {
            blocks.into_par_iter().map(|block| block.fill(sources)).collect()
        };
        let mut totals = Totals::default();
        for block in filled {
            let block = block?;
            totals.first.add(block.first.value());
            totals.low.add(block.low.value());
            totals.high.add(block.high.value());
        }
        Ok(Self { first, second, low, high, totals })
    }

    /// The sums of the bounds over the open items, where every one of them has some.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        let bounds = Bounds { low: self.totals.low.value(), high: self.totals.high.value() };
        (!self.high.is_empty() && bounds.low.is_finite() && bounds.high.is_finite()).then_some(bounds)
    }
}

/// The part of the columns that one thread fills.
struct Block<'a> {
    start: usize,
    first: &'a mut [f64],
    second: &'a mut [f64],
    low: &'a mut [f64],
    high: &'a mut [f64],
}

impl Block<'_> {
    fn fill<T: Task>(self, sources: &Sources<'_, T>) -> Result<Totals> {
        let mut predictions = sources.pool.predictions().reader();
        let mut beliefs = sources.beliefs.rows().reader();
        let nothing = Outlook { moments: Moments { first: 0.0, second: 0.0 }, bounds: None };
        let mut outlooks = vec![nothing; RUN.min(self.first.len())];
        let mut totals = Totals::default();
        let signed = sources.loss.sign();
        let (mut lows, mut highs) = (self.low.chunks_mut(RUN), self.high.chunks_mut(RUN));
        let moments = self.first.chunks_mut(RUN).zip(self.second.chunks_mut(RUN));
        for (start, (first, second)) in (self.start..).step_by(RUN).zip(moments) {
            let items = start..start + first.len();
            outlooks.truncate(first.len());
            let (predictions, beliefs) = (predictions.rows(items.clone()), beliefs.rows(items.clone()));
            // Checked here, where they are in hand: reading large tables once more would take as long as all this.
            let check = || {
                T::check_rows("predictions", start, predictions)?;
                T::check_rows("beliefs", start, beliefs)
            };
            let check_first = !sources.loss.takes_any_numbers();
            if check_first {
                check()?;
            }
            sources.loss.outlooks(predictions, beliefs, &mut outlooks);
            if !check_first {
                check()?;
            }

            let open = sources.open.get(items).unwrap_or_default();
            let mut finite = true;
            let mut sum_first = 0.0;
            for (((first, second), outlook), open) in first.iter_mut().zip(second).zip(&outlooks).zip(open) {
                let Moments { first: one, second: two } = outlook.moments;
                (*first, *second) = if *open { (one, two) } else { (0.0, 0.0) };
                finite &= first.is_finite() & second.is_finite();
                sum_first += *first;
            }
            let least = if signed == Sign::NonNegative { -1e-9 } else { f64::NEG_INFINITY };
            let negative = outlooks.iter().any(|outlook| outlook.bounds.is_some_and(|b| b.low < least));
            if (!finite || negative)
                && let Some(error) = first_wrong(start, &outlooks, open, least)
            {
                return Err(error);
            }
            let bound = |column: &mut [f64], of: fn(Bounds) -> f64| {
                let mut sum = 0.0;
                for ((place, outlook), open) in column.iter_mut().zip(&outlooks).zip(open) {
                    if *open {
                        *place = of(outlook.bounds.unwrap_or(UNBOUNDED));
                        sum += *place;
                    }
                }
                sum
            };
            let sum_low = lows.next().map_or(0.0, |column| bound(column, |bounds| bounds.low));
            let sum_high = highs.next().map_or(0.0, |column| bound(column, |bounds| bounds.high));
            totals.first.add(sum_first);
            totals.low.add(sum_low);
            totals.high.add(sum_high);
        }
        Ok(totals)
    }
}

/// What is known of a loss without bounds.
const UNBOUNDED: Bounds = Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY };

/// What is wrong with the first open item of which something is.
fn first_wrong(start: usize, outlooks: &[Outlook], open: &[bool], least: f64) -> Option<Error> {
    let open = (start..).zip(outlooks).zip(open).filter(|(_, open)| **open).map(|(outlook, _)| outlook);
    let mut wrong = open.filter_map(|(item, outlook)| {
        let Moments { first, second } = outlook.moments;
        if !(first.is_finite() && second.is_finite()) {
            return Some(Error::Moments { item, first, second });
        }
        let low = outlook.bounds?.low;
        (low < least).then_some(Error::NegativeLoss { item, low })
    });
    wrong.next()
}

/// A sum with the rounding errors kept beside it: as items leave, what remains stays right.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    pub(super) fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let (large, small) =
            if self.sum.abs() >= value.abs() { (self.sum, value) } else { (value, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }

    pub(super) fn value(self) -> f64 {
        self.sum + self.lost
    }
}
