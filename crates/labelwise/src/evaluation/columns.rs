//! One pass over the pool: what is expected of each item's loss under the beliefs of the moment, in columns.

use std::ops::Range;

use rayon::prelude::*;

use super::refresh::Sources;
use crate::error::{Error, Result};
use crate::estimator::Reach;
use crate::loss::{Bounds, Moments, Outlook, Sign};
use crate::task::Task;

/// Items a thread works on at a time. Sums are taken in blocks of it, so they do not depend on the thread count.
const BLOCK: usize = 4096;

/// Items a loss is asked about at a time: their rows stay in the nearest cache.
const RUN: usize = 256;

/// Expectations, one entry an item; those of items that are not open are 0.
pub(super) struct Columns {
    /// E(ℒ); empty where nobody wants it.
    pub(super) first: Vec<f64>,
    /// E(ℒ²); empty where nobody wants it.
    pub(super) second: Vec<f64>,
    pub(super) totals: Totals,
}

/// Which columns are wanted. Beside those, a pass leaves nothing behind but sums: columns of large pools are much memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Both,
    Second,
    Neither,
}

/// Sums over the open items.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub(super) first: Sum,
    low: Sum,
    high: Sum,
    /// Whether the loss has bounds.
    bounded: bool,
}

impl Totals {
    /// The sums of the bounds over the open items, where every one of them has some.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        let bounds = Bounds { low: self.low.value(), high: self.high.value() };
        (self.bounded && bounds.low.is_finite() && bounds.high.is_finite()).then_some(bounds)
    }
}

impl Columns {
    pub(super) fn new<T: Task>(sources: &Sources<'_, T>, wanted: Wanted) -> Result<Self> {
        let size = sources.pool.pool_size();
        let rows = sources.beliefs.rows();
        if rows.rows() != size {
            // Beliefs that were made for another pool.
            return Err(Error::Rows { what: "beliefs", rows: rows.rows(), expected: size });
        }
        T::check_belief_columns(rows.columns(), sources.pool.predictions().columns())?;
        let column = |wanted: bool| if wanted { vec![0.0; size] } else { Vec::new() };
        let (mut first, mut second) = (column(wanted == Wanted::Both), column(wanted != Wanted::Neither));
        // A column that is not wanted has no blocks, and its blocks are empty.
        let (mut firsts, mut seconds) = (first.chunks_mut(BLOCK), second.chunks_mut(BLOCK));
        let blocks: Vec<Block<'_>> = (0..size)
            .step_by(BLOCK)
            .map(|start| {
                let (first, second) = (firsts.next().unwrap_or_default(), seconds.next().unwrap_or_default());
                Block { items: start..size.min(start + BLOCK), first, second }
            })
            .collect();
        // All blocks are filled before an error is taken, so that it is always the first item's.
        let filled: Vec<Result<Totals>> = if blocks.len() == 1 {
            blocks.into_iter().map(|block| block.fill(sources)).collect()
        } else {
            blocks.into_par_iter().map(|block| block.fill(sources)).collect()
        };
        let bounded =
            sources.loss.bounds(T::prediction(sources.pool.predictions().reader().row(0))).is_some();
        let mut totals = Totals { bounded, ..Totals::default() };
        for block in filled {
            let block = block?;
            totals.first.add(block.first.value());
            totals.low.add(block.low.value());
            totals.high.add(block.high.value());
        }
        Ok(Self { first, second, totals })
    }
}

/// The part of the columns that one thread fills.
struct Block<'a> {
    items: Range<usize>,
    first: &'a mut [f64],
    second: &'a mut [f64],
}

impl Block<'_> {
    fn fill<T: Task>(self, sources: &Sources<'_, T>) -> Result<Totals> {
        let mut predictions = sources.pool.predictions().reader();
        let mut beliefs = sources.beliefs.rows().reader();
        let nothing = Outlook { moments: Moments { first: 0.0, second: 0.0 }, bounds: None };
        let mut outlooks = vec![nothing; RUN.min(self.items.len())];
        let mut totals = Totals::default();
        let signed = sources.loss.sign() == Sign::Signed;
        let (mut firsts, mut seconds) = (self.first.chunks_mut(RUN), self.second.chunks_mut(RUN));
        for start in self.items.clone().step_by(RUN) {
            let items = start..self.items.end.min(start + RUN);
            outlooks.truncate(items.len());
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
            let sums = Sums::of(&outlooks, open, signed);
            let least = if signed { f64::NEG_INFINITY } else { -1e-9 };
            if (!sums.finite || sums.lowest < least)
                && let Some(error) = first_wrong(start, &outlooks, open, least)
            {
                return Err(error);
            }
            let put = |column: &mut [f64], of: fn(&Moments) -> f64| {
                for ((place, outlook), open) in column.iter_mut().zip(&outlooks).zip(open) {
                    *place = if *open { of(&outlook.moments) } else { 0.0 };
                }
            };
            put(firsts.next().unwrap_or_default(), |moments| moments.first);
            put(seconds.next().unwrap_or_default(), |moments| moments.second);
            totals.first.add(sums.first);
            totals.low.add(sums.low);
            totals.high.add(sums.high);
        }
        Ok(totals)
    }
}

/// Sums over a run of items.
struct Sums {
    first: f64,
    low: f64,
    high: f64,
    /// The lowest bound of all, open or not.
    lowest: f64,
    /// Whether all moments of open items are finite.
    finite: bool,
}

impl Sums {
    fn of(outlooks: &[Outlook], open: &[bool], signed: bool) -> Self {
        let mut sums = Self { first: 0.0, low: 0.0, high: 0.0, lowest: f64::INFINITY, finite: true };
        for (outlook, open) in outlooks.iter().zip(open) {
            let Moments { first, second } = outlook.moments;
            let Bounds { low, high } = outlook.bounds.unwrap_or(UNBOUNDED);
            // Items that are not open add nothing, and are not looked at.
            let zero = |value: f64| if *open { value } else { 0.0 };
            sums.finite &= zero(first).is_finite() & zero(second).is_finite();
            sums.first += zero(first);
            // A loss that is never negative has 0 as its lower bound, which is good enough.
            sums.low += if signed { zero(low) } else { 0.0 };
            sums.high += zero(high);
            let low = if outlook.bounds.is_some() { low } else { f64::INFINITY };
            sums.lowest = if low < sums.lowest { low } else { sums.lowest };
        }
        sums
    }
}

/// The smallest low / weight and the largest high / weight; `None` if a bound is missing, or if an item that may have a
/// loss cannot be drawn: then there is nothing to guarantee. Bounds are made again rather than kept from one pass to the
/// next.
pub(super) fn reach<T: Task>(sources: &Sources<'_, T>, weights: &[f64]) -> Option<Reach> {
    let ratio = |bound: f64, weight: f64| if bound == 0.0 { 0.0 } else { bound / weight };
    let signed = sources.loss.sign() == Sign::Signed;
    let of_block = |block: usize, weights: &[f64]| {
        let mut reader = sources.pool.predictions().reader();
        let start = block * BLOCK;
        let rows = reader.rows(start..start + weights.len());
        let open = sources.open.get(start..).unwrap_or_default();
        let mut reach = Some(Reach { low: 0.0, high: 0.0 });
        for ((row, &weight), _) in rows.iter().zip(weights).zip(open).filter(|(_, open)| **open) {
            let (so_far, bounds) = (reach?, sources.loss.bounds(T::prediction(row))?);
            let low = if signed { so_far.low.min(ratio(bounds.low, weight)) } else { 0.0 };
            reach = Some(Reach { low, high: so_far.high.max(ratio(bounds.high, weight)) });
        }
        reach
    };
    let widest = |a: Option<Reach>, b: Option<Reach>| {
        let (a, b) = (a?, b?);
        Some(Reach { low: a.low.min(b.low), high: a.high.max(b.high) })
    };
    let whole = Some(Reach { low: 0.0, high: 0.0 });
    let reach = if weights.len() <= BLOCK {
        of_block(0, weights)
    } else {
        let blocks = weights.par_chunks(BLOCK).enumerate();
        blocks.map(|(block, weights)| of_block(block, weights)).reduce(|| whole, widest)
    };
    reach.filter(|reach| reach.low.is_finite() && reach.high.is_finite())
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
