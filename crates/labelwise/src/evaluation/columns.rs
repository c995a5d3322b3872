//! One pass over the pool: what is expected of each item's loss under the beliefs of the moment, in columns.

use crate::error::Table;
use std::ops::Range;

use rayon::prelude::*;

use super::max_ratio::{CoarseBounds, MaxRatio, coarse};
use super::refresh::RefreshInputs;
use crate::error::{Error, Result};
use crate::estimator::RatioBounds;
use crate::loss::{Bounds, ExpectedLosses, Moments, Sign};
use crate::plan::Expected;
use crate::task::Task;

/// Items a thread works on at a time. Sums are taken in blocks of it, so they do not depend on the thread count.
pub(super) const BLOCK: usize = 4096;

/// Items a loss is asked about at a time: their rows stay in the nearest cache.
pub(super) const RUN: usize = 256;

/// About as many items, spread over the pool, are enough to foresee what labels will buy.
const FORESEEN: usize = 1 << 20;

/// Expectations and bounds, one entry an item; those of items that are not open are 0.
pub(super) struct Columns {
    /// E(ℒ); empty where nobody wants it.
    pub(super) first: Vec<f64>,
    /// E(ℒ²); empty where nobody wants it.
    pub(super) second: Vec<f64>,
    /// Bounds, roughly; empty where weights were given.
    pub(super) coarse: CoarseBounds,
    pub(super) totals: Totals,
}

/// Which columns are wanted. Of everything else, a pass keeps only sums: columns of large pools take much memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum WantedColumns<'a> {
    /// E(ℒ) and E(ℒ²).
    Both,
    /// E(ℒ²).
    Second,
    /// None, but the ratio bounds under weights that are there already; rows were checked when these were made.
    MaxRatio(&'a [f64]),
    /// None, but what is expected of labels under such weights; of a large pool, by blocks here and there.
    Forecast(&'a [f64]),
}

/// Sums over the open items.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub(super) first: Sum,
    low: Sum,
    high: Sum,
    /// Whether the loss has bounds.
    bounded: bool,
    /// The smallest and the largest bound / weight, where weights were given and all bounds are finite.
    ratio_bounds: Option<RatioBounds>,
    /// What is expected under the weights that were given; of a large pool, by blocks here and there.
    pub(super) expected: Expected,
}

impl Totals {
    /// The ratio bounds under the weights that were given.
    pub(super) fn ratio_bounds(&self) -> Option<RatioBounds> {
        self.ratio_bounds.filter(|_| self.bounded)
    }

    /// The sums of the bounds over the open items, where every one of them has some.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        let bounds = Bounds { low: self.low.value(), high: self.high.value() };
        (self.bounded && bounds.low.is_finite() && bounds.high.is_finite()).then_some(bounds)
    }
}

impl Columns {
    pub(super) fn new<T: Task>(inputs: &RefreshInputs<'_, T>, wanted: WantedColumns<'_>) -> Result<Self> {
        let size = inputs.pool.pool_size();
        let rows = inputs.beliefs.rows();
        if rows.rows() != size {
            // Beliefs that were made for another pool.
            return Err(Error::Rows { what: Table::Beliefs, rows: rows.rows(), expected: size });
        }
        T::check_belief_columns(rows.columns(), inputs.pool.model_columns())?;
        let column = |wanted: bool| if wanted { vec![0.0; size] } else { Vec::new() };
        let (mut first, mut second) = match wanted {
            WantedColumns::Both => (column(true), column(true)),
            WantedColumns::Second => (column(false), column(true)),
            WantedColumns::MaxRatio(_) | WantedColumns::Forecast(_) => (column(false), column(false)),
        };
        let weights = match wanted {
            WantedColumns::MaxRatio(weights) | WantedColumns::Forecast(weights) => weights,
            WantedColumns::Both | WantedColumns::Second => &[],
        };
        let stride = BLOCK * (size / FORESEEN).max(1);
        let step = if matches!(wanted, WantedColumns::Forecast(_)) { stride } else { BLOCK };
        let bounded = inputs.loss.bounds(T::prediction(inputs.pool.predictions().reader().row(0))).is_some();
        let kept = bounded && weights.is_empty();
        let signed = inputs.loss.sign() == Sign::Signed;
        let column = |wanted: bool| if wanted { vec![0; size] } else { Vec::new() };
        let mut coarse = CoarseBounds { low: column(kept && signed), high: column(kept) };
        let max_ratio = MaxRatio::default();
        // A column that is not wanted has no blocks, and its blocks are empty.
        let (mut firsts, mut seconds) = (first.chunks_mut(BLOCK), second.chunks_mut(BLOCK));
        let (mut lows, mut highs) = (coarse.low.chunks_mut(BLOCK), coarse.high.chunks_mut(BLOCK));
        let blocks: Vec<Block<'_>> = (0..size)
            .step_by(step)
            .map(|start| Block {
                foreseen: start % stride == 0,
                items: start..size.min(start + BLOCK),
                first: firsts.next().unwrap_or_default(),
                second: seconds.next().unwrap_or_default(),
                low: lows.next().unwrap_or_default(),
                high: highs.next().unwrap_or_default(),
                weights,
                max_ratio: &max_ratio,
            })
            .collect();
        // All blocks are filled before an error is taken, so that it is always the first item's.
        let filled: Vec<Result<Totals>> = if blocks.len() == 1 {
            blocks.into_iter().map(|block| block.fill(inputs)).collect()
        } else {
            blocks.into_par_iter().map(|block| block.fill(inputs)).collect()
        };
        let mut totals = Totals { bounded, ratio_bounds: max_ratio.ratio_bounds(), ..Totals::default() };
        for block in filled {
            let block = block?;
            totals.first.add(block.first.value());
            totals.low.add(block.low.value());
            totals.high.add(block.high.value());
            totals.expected.merge(&block.expected);
        }
        Ok(Self { first, second, coarse, totals })
    }
}

/// The part of the columns that one thread fills.
struct Block<'a> {
    items: Range<usize>,
    first: &'a mut [f64],
    second: &'a mut [f64],
    low: &'a mut [u16],
    high: &'a mut [u16],
    weights: &'a [f64],
    max_ratio: &'a MaxRatio,
    /// Whether this block is one of those that what labels will buy is foreseen by.
    foreseen: bool,
}

impl Block<'_> {
    fn fill<T: Task>(self, inputs: &RefreshInputs<'_, T>) -> Result<Totals> {
        let mut predictions = inputs.pool.predictions().reader();
        let mut beliefs = inputs.beliefs.rows().reader();
        // A model that is its own surrogate is read once.
        let own = inputs.beliefs.rows().is(inputs.pool.predictions());
        let mut expected = ExpectedLosses::new(RUN.min(self.items.len()));
        let mut totals = Totals::default();
        let signed = inputs.loss.sign() == Sign::Signed;
        let least = if signed { f64::NEG_INFINITY } else { -1e-9 };
        let (mut firsts, mut seconds) = (self.first.chunks_mut(RUN), self.second.chunks_mut(RUN));
        let (mut lows, mut highs) = (self.low.chunks_mut(RUN), self.high.chunks_mut(RUN));
        for start in self.items.clone().step_by(RUN) {
            let items = start..self.items.end.min(start + RUN);
            expected.truncate(items.len());
            // Rows that are computed eight by eight were checked before, and need not become rows.
            let mut take = |place: usize, predictions: &[_], beliefs: &[_]| {
                inputs.loss.expected_eight(predictions, beliefs, place, &mut expected)
            };
            if !beliefs.eights(inputs.pool.predictions(), items.clone(), &mut take) {
                let predictions = predictions.rows(items.clone());
                let beliefs = if own { predictions } else { beliefs.rows(items.clone()) };
                // Checked here, where they are in hand: reading large tables once more would take as long as all this.
                let check = || {
                    T::check_predictions(start, predictions)?;
                    if own { Ok(()) } else { T::check_rows(Table::Beliefs, start, beliefs) }
                };
                let (known, check_first) = (!self.weights.is_empty(), !inputs.loss.takes_any_numbers());
                if !known && check_first {
                    check()?;
                }
                inputs.loss.expected_losses(predictions, beliefs, &mut expected);
                if !known && !check_first {
                    check()?;
                }
            }
            close(&mut expected, inputs.open.get(items.clone()).unwrap_or_default());
            let ExpectedLosses { first, second, low, high } = &expected;
            let finite = |column: &[f64]| column.iter().fold(true, |all, value| all & value.is_finite());
            let lowest =
                low.iter().fold(f64::INFINITY, |lowest, &low| if low < lowest { low } else { lowest });
            let unbounded = lowest == f64::NEG_INFINITY;
            if (!finite(first) || !finite(second) || (lowest < least && !unbounded))
                && let Some(error) = first_wrong(start, &expected, least)
            {
                return Err(error);
            }
            put(firsts.next().unwrap_or_default(), first, |first| first);
            put(seconds.next().unwrap_or_default(), second, |second| second);
            put(lows.next().unwrap_or_default(), low, |low| coarse(-low));
            put(highs.next().unwrap_or_default(), high, coarse);
            totals.first.add(sum(first));
            // A loss that is never negative has 0 as its lower bound, which is good enough.
            totals.low.add(if signed { sum(low) } else { 0.0 });
            totals.high.add(sum(high));
            let weights = self.weights.get(items.clone()).unwrap_or_default();
            self.max_ratio.take(low, high, weights, signed);
            if self.foreseen {
                let open = inputs.open.get(items).unwrap_or_default();
                let moments = first.iter().zip(second).zip(weights.iter().zip(open));
                for ((&first, &second), (&weight, _)) in moments.filter(|(_, (_, open))| **open) {
                    totals.expected.add(Moments { first, second }, weight);
                }
            }
        }
        Ok(totals)
    }
}

/// Items that are not open add nothing, and are not looked at.
fn close(expected: &mut ExpectedLosses, open: &[bool]) {
    if open.iter().fold(true, |all, open| all & open) {
        return;
    }
    let ExpectedLosses { first, second, low, high } = expected;
    for column in [first, second, low, high] {
        column.iter_mut().zip(open).for_each(|(value, open)| *value = if *open { *value } else { 0.0 });
    }
}

fn put<V>(column: &mut [V], values: &[f64], of: impl Fn(f64) -> V) {
    column.iter_mut().zip(values).for_each(|(place, value)| *place = of(*value));
}

/// A sum of which eight parts go on at once.
fn sum(values: &[f64]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut parts = [0.0; 8];
    for eight in eights {
        parts.iter_mut().zip(eight).for_each(|(part, value)| *part += value);
    }
    parts.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// What is wrong with the first item of which something is.
fn first_wrong(start: usize, expected: &ExpectedLosses, least: f64) -> Option<Error> {
    let moments = expected.first.iter().zip(&expected.second);
    let mut wrong =
        (start..).zip(moments.zip(&expected.low)).filter_map(|(item, ((&first, &second), &low))| {
            if !(first.is_finite() && second.is_finite()) {
                return Some(Error::Moments { item, first, second });
            }
            // One without bounds has none that could be wrong.
            (low < least && low.is_finite()).then_some(Error::NegativeLoss { item, low })
        });
    wrong.next()
}

/// A sum with a second sum of the rounding errors, so that it stays right as items leave.
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
