//! One pass over the pool: what is expected of each item's loss under the beliefs of the moment, in columns.

use std::ops::Range;

use rayon::prelude::*;

use super::refresh::Sources;
use crate::error::{Error, Result};
use crate::estimator::Reach;
use crate::loss::{Bounds, Moments, Outlook, Sign};
use crate::plan::Expected;
use crate::task::Task;

/// Items a thread works on at a time. Sums are taken in blocks of it, so they do not depend on the thread count.
const BLOCK: usize = 4096;

/// Items a loss is asked about at a time: their rows stay in the nearest cache.
const RUN: usize = 256;

/// Up to so many items, bounds are kept from the pass that makes them until weights are there. Of larger pools they would be
/// much memory, and are made again.
const KEPT: usize = 1 << 22;

/// Expectations and bounds, one entry an item; those of items that are not open are 0.
pub(super) struct Columns {
    /// E(ℒ); empty where nobody wants it.
    pub(super) first: Vec<f64>,
    /// E(ℒ²); empty where nobody wants it.
    pub(super) second: Vec<f64>,
    /// Lower bounds, empty for a loss that is never negative, for which 0 is good enough; and upper bounds, empty for a loss
    /// without any. Both are empty where they are not kept.
    pub(super) bounds: (Vec<f64>, Vec<f64>),
    pub(super) totals: Totals,
}

/// Which columns are wanted. Beside those, a pass leaves nothing behind but sums: columns of large pools are much memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wanted<'a> {
    /// E(ℒ) and E(ℒ²).
    Both,
    /// E(ℒ²).
    Second,
    /// None, but the reach under weights that are there already; rows were checked when these were made.
    Reach(&'a [f64]),
}

/// Sums over the open items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Totals {
    pub(super) first: Sum,
    low: Sum,
    high: Sum,
    /// Whether the loss has bounds.
    bounded: bool,
    /// The smallest and the largest bound / weight, where weights were given.
    reach: Reach,
    /// What is expected under the weights that were given.
    pub(super) expected: Expected,
}

impl Totals {
    fn new(bounded: bool) -> Self {
        let (first, low, high) = Default::default();
        Self { first, low, high, bounded, reach: NO_REACH, expected: Expected::default() }
    }

    /// The reach under the weights that were given.
    pub(super) fn reach(&self) -> Option<Reach> {
        let Reach { low, high } = self.reach;
        (self.bounded && low.is_finite() && high.is_finite()).then_some(self.reach)
    }

    /// The sums of the bounds over the open items, where every one of them has some.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        let bounds = Bounds { low: self.low.value(), high: self.high.value() };
        (self.bounded && bounds.low.is_finite() && bounds.high.is_finite()).then_some(bounds)
    }
}

impl Columns {
    pub(super) fn new<T: Task>(sources: &Sources<'_, T>, wanted: Wanted<'_>) -> Result<Self> {
        let size = sources.pool.pool_size();
        let rows = sources.beliefs.rows();
        if rows.rows() != size {
            // Beliefs that were made for another pool.
            return Err(Error::Rows { what: "beliefs", rows: rows.rows(), expected: size });
        }
        T::check_belief_columns(rows.columns(), sources.pool.predictions().columns())?;
        let column = |wanted: bool| if wanted { vec![0.0; size] } else { Vec::new() };
        let (mut first, mut second) = match wanted {
            Wanted::Both => (column(true), column(true)),
            Wanted::Second => (column(false), column(true)),
            Wanted::Reach(_) => (column(false), column(false)),
        };
        let weights = if let Wanted::Reach(weights) = wanted { weights } else { &[] };
        let bounded =
            sources.loss.bounds(T::prediction(sources.pool.predictions().reader().row(0))).is_some();
        let kept = bounded && size <= KEPT && weights.is_empty();
        let signed = sources.loss.sign() == Sign::Signed;
        let (mut low, mut high) = (column(kept && signed), column(kept));
        // A column that is not wanted has no blocks, and its blocks are empty.
        let (mut firsts, mut seconds) = (first.chunks_mut(BLOCK), second.chunks_mut(BLOCK));
        let (mut lows, mut highs) = (low.chunks_mut(BLOCK), high.chunks_mut(BLOCK));
        let blocks: Vec<Block<'_>> = (0..size)
            .step_by(BLOCK)
            .map(|start| {
                let (first, second) = (firsts.next().unwrap_or_default(), seconds.next().unwrap_or_default());
                let (low, high) = (lows.next().unwrap_or_default(), highs.next().unwrap_or_default());
                Block { items: start..size.min(start + BLOCK), first, second, low, high, weights }
            })
            .collect();
        // All blocks are filled before an error is taken, so that it is always the first item's.
        let filled: Vec<Result<Totals>> = if blocks.len() == 1 {
            blocks.into_iter().map(|block| block.fill(sources)).collect()
        } else {
            blocks.into_par_iter().map(|block| block.fill(sources)).collect()
        };
        let mut totals = Totals::new(bounded);
        for block in filled {
            let block = block?;
            totals.first.add(block.first.value());
            totals.low.add(block.low.value());
            totals.high.add(block.high.value());
            totals.reach = widest(totals.reach, block.reach);
            totals.expected.merge(&block.expected);
        }
        Ok(Self { first, second, bounds: (low, high), totals })
    }

    /// The reach under weights that were made of these columns.
    pub(super) fn reach<T: Task>(
        bounds: &(Vec<f64>, Vec<f64>),
        sources: &Sources<'_, T>,
        weights: &[f64],
    ) -> Option<Reach> {
        let (low, high) = bounds;
        if high.is_empty() {
            return reach(sources, weights);
        }
        // Items that are not open have neither bounds nor weight, and reach nothing.
        let lows = low.iter().copied().chain(std::iter::repeat(0.0));
        let reach = weights.iter().zip(high).zip(lows).fold(NO_REACH, |reach, ((&weight, &high), low)| {
            widest(reach, one_reach(Bounds { low, high }, weight, true))
        });
        (reach.low.is_finite() && reach.high.is_finite()).then_some(reach)
    }
}

/// The part of the columns that one thread fills.
struct Block<'a> {
    items: Range<usize>,
    first: &'a mut [f64],
    second: &'a mut [f64],
    low: &'a mut [f64],
    high: &'a mut [f64],
    weights: &'a [f64],
}

impl Block<'_> {
    fn fill<T: Task>(self, sources: &Sources<'_, T>) -> Result<Totals> {
        let mut predictions = sources.pool.predictions().reader();
        let mut beliefs = sources.beliefs.rows().reader();
        let nothing = Outlook { moments: Moments { first: 0.0, second: 0.0 }, bounds: None };
        let mut outlooks = vec![nothing; RUN.min(self.items.len())];
        let mut totals = Totals::new(true);
        let signed = sources.loss.sign() == Sign::Signed;
        let (mut firsts, mut seconds) = (self.first.chunks_mut(RUN), self.second.chunks_mut(RUN));
        let (mut lows, mut highs) = (self.low.chunks_mut(RUN), self.high.chunks_mut(RUN));
        for start in self.items.clone().step_by(RUN) {
            let items = start..self.items.end.min(start + RUN);
            outlooks.truncate(items.len());
            let (predictions, beliefs) = (predictions.rows(items.clone()), beliefs.rows(items.clone()));
            // Checked here, where they are in hand: reading large tables once more would take as long as all this.
            let check = || {
                T::check_rows("predictions", start, predictions)?;
                T::check_rows("beliefs", start, beliefs)
            };
            let (known, check_first) = (!self.weights.is_empty(), !sources.loss.takes_any_numbers());
            if !known && check_first {
                check()?;
            }
            sources.loss.outlooks(predictions, beliefs, &mut outlooks);
            if !known && !check_first {
                check()?;
            }

            let open = sources.open.get(items.clone()).unwrap_or_default();
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
            let bound = |column: &mut [f64], of: fn(Bounds) -> f64| {
                for ((place, outlook), open) in column.iter_mut().zip(&outlooks).zip(open) {
                    *place = if *open { of(outlook.bounds.unwrap_or(UNBOUNDED)) } else { 0.0 };
                }
            };
            bound(lows.next().unwrap_or_default(), |bounds| bounds.low);
            bound(highs.next().unwrap_or_default(), |bounds| bounds.high);
            totals.first.add(sums.first);
            totals.low.add(sums.low);
            totals.high.add(sums.high);
            let weights = self.weights.get(items).unwrap_or_default();
            for ((outlook, weight), _) in outlooks.iter().zip(weights).zip(open).filter(|(_, open)| **open) {
                totals.reach =
                    widest(totals.reach, one_reach(outlook.bounds.unwrap_or(UNBOUNDED), *weight, signed));
                totals.expected.add(outlook.moments, *weight);
            }
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
/// loss cannot be drawn: then there is nothing to guarantee. Bounds are made again rather than kept from the pass before.
fn reach<T: Task>(sources: &Sources<'_, T>, weights: &[f64]) -> Option<Reach> {
    let signed = sources.loss.sign() == Sign::Signed;
    let of_block = |block: usize, weights: &[f64]| {
        let mut reader = sources.pool.predictions().reader();
        let start = block * BLOCK;
        let open = sources.open.get(start..).unwrap_or_default();
        let mut reach = NO_REACH;
        for (run, weights) in weights.chunks(RUN).enumerate() {
            let start = start + run * RUN;
            let open = open.iter().skip(run * RUN);
            let rows = reader.rows(start..start + weights.len());
            for ((row, &weight), _) in rows.iter().zip(weights).zip(open).filter(|(_, open)| **open) {
                reach = widest(reach, one_reach(sources.loss.bounds(T::prediction(row))?, weight, signed));
            }
        }
        Some(reach)
    };
    let reach = if weights.len() <= BLOCK {
        of_block(0, weights)
    } else {
        let blocks = weights.par_chunks(BLOCK).enumerate();
        let reaches = blocks.map(|(block, weights)| of_block(block, weights));
        reaches.reduce(|| Some(NO_REACH), |a, b| Some(widest(a?, b?)))
    };
    reach.filter(|reach| reach.low.is_finite() && reach.high.is_finite())
}

/// Nothing to reach.
const NO_REACH: Reach = Reach { low: 0.0, high: 0.0 };

/// What the bounds of one item come to over its weight. Losses that are never negative have 0 below.
fn one_reach(bounds: Bounds, weight: f64, signed: bool) -> Reach {
    let ratio = |bound: f64| if bound == 0.0 { 0.0 } else { bound / weight };
    Reach { low: if signed { ratio(bounds.low) } else { 0.0 }, high: ratio(bounds.high) }
}

fn widest(a: Reach, b: Reach) -> Reach {
    Reach { low: a.low.min(b.low), high: a.high.max(b.high) }
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
