//! How far loss / q can reach: the largest bound / weight of all items. Bounds are known before weights are, and exact ones
//! would be much memory; so coarse ones are kept, and exact ones made again for the few items that may be max_ratio.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::columns::{BLOCK, RUN};
use super::refresh::RefreshInputs;
use crate::estimator::RatioBounds;
use crate::loss::{Bounds, Sign};
use crate::task::Task;

/// Items this near to the farthest are looked at exactly, so that no rounding decides which of them is seen.
const NEAR: f64 = 1.0 - 1e-12;

/// Distances of bounds from 0 in two bytes each, rounded away from 0; empty columns for a loss without bounds.
#[derive(Debug, Default)]
pub(super) struct CoarseBounds {
    /// Distance of each loss's lower bound below 0; empty for losses that are never negative.
    pub(super) low: Vec<u16>,
    /// Distance of each loss's upper bound above 0.
    pub(super) high: Vec<u16>,
}

/// The upper half of the next larger f32; 0 for what is not above 0.
#[allow(clippy::cast_possible_truncation, reason = "rounding is what this is for")]
pub(super) fn coarse(distance: f64) -> u16 {
    let narrow = distance.max(0.0) as f32;
    let above = if f64::from(narrow) < distance { narrow.next_up() } else { narrow };
    let bits = above.to_bits();
    ((bits >> 16) + u32::from(bits & 0xffff != 0)) as u16
}

fn widened(coarse: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(coarse) << 16))
}

impl CoarseBounds {
    /// Forgets the items that are no longer open: they cannot be drawn, and need not be.
    pub(super) fn close(&mut self, open: &[bool]) {
        for column in [&mut self.low, &mut self.high] {
            column.iter_mut().zip(open).for_each(|(bound, open)| *bound *= u16::from(*open));
        }
    }

    /// The ratio bounds under weights that were made since; `None` if there is nothing to guarantee, since a bound is missing or an
    /// item that may have a loss cannot be drawn.
    pub(super) fn ratio_bounds<T: Task>(
        &self,
        inputs: &RefreshInputs<'_, T>,
        weights: &[f64],
    ) -> Option<RatioBounds> {
        if self.high.is_empty() {
            return None;
        }
        let max_ratio = MaxRatio::default();
        let look = |block: usize, weights: &[f64]| {
            for (run, weights) in (0..).zip(weights.chunks(RUN)) {
                let start = block * BLOCK + run * RUN;
                let part = |column| part(column, start, weights.len());
                let (low, high) = (part(&self.low), part(&self.high));
                let least = max_ratio.least();
                let far = |column: &[u16], least| {
                    let items = column.iter().zip(weights);
                    items.fold(false, |far, (&bound, weight)| far | is_far(widened(bound), *weight, least))
                };
                if far(high, least.high) || far(low, -least.low) {
                    let own = |column: &[u16], item| column.get(item).copied().map_or(0.0, widened);
                    let bounds = |item| Bounds { low: -own(low, item), high: own(high, item) };
                    max_ratio.look(start, weights, bounds, inputs);
                }
            }
        };
        if weights.len() <= BLOCK {
            look(0, weights);
        } else {
            weights.par_chunks(BLOCK).enumerate().for_each(|(block, weights)| look(block, weights));
        }
        max_ratio.ratio_bounds()
    }
}

fn part<V>(column: &[V], start: usize, length: usize) -> &[V] {
    column.get(start..start + length).unwrap_or_default()
}

/// Whether bound / weight may be as large as what was found so far.
fn is_far(bound: f64, weight: f64, least: f64) -> bool {
    (bound > 0.0) & (bound >= least * weight)
}

/// The farthest so far, of all threads. Which of them is first to look at an item changes nothing: the farthest is among
/// those that all have to look at.
#[derive(Debug, Default)]
pub(super) struct MaxRatio {
    /// The bits of −low and of high: of numbers that are not negative, they have the order of the numbers.
    low: AtomicU64,
    high: AtomicU64,
}

impl MaxRatio {
    /// What an item has to reach to be looked at.
    fn least(&self) -> RatioBounds {
        let RatioBounds { low, high } = self.so_far();
        RatioBounds { low: low * NEAR, high: high * NEAR }
    }

    fn so_far(&self) -> RatioBounds {
        let number = |bits: &AtomicU64| f64::from_bits(bits.load(Ordering::Relaxed));
        RatioBounds { low: -number(&self.low), high: number(&self.high) }
    }

    /// The farthest of all, if it is finite.
    pub(super) fn ratio_bounds(&self) -> Option<RatioBounds> {
        let ratio_bounds = self.so_far();
        (ratio_bounds.low.is_finite() && ratio_bounds.high.is_finite()).then_some(ratio_bounds)
    }

    /// Takes in items with bounds of their own, exact ones, that are 0 for items that are not open.
    pub(super) fn take(&self, low: &[f64], high: &[f64], weights: &[f64], signed: bool) {
        let least = self.least();
        let highs = high.iter().zip(weights);
        if highs.fold(false, |far, (&bound, weight)| far | is_far(bound, *weight, least.high)) {
            high.iter().zip(weights).for_each(|(&bound, weight)| self.mark(&self.high, bound, *weight));
        }
        let lows = low.iter().zip(weights);
        if signed && lows.fold(false, |far, (&bound, weight)| far | is_far(-bound, *weight, -least.low)) {
            low.iter().zip(weights).for_each(|(&bound, weight)| self.mark(&self.low, -bound, *weight));
        }
    }

    /// Makes the bounds of those items of a run again whose coarse ones say that they may be farther.
    fn look<T: Task>(
        &self,
        start: usize,
        weights: &[f64],
        coarse: impl Fn(usize) -> Bounds,
        inputs: &RefreshInputs<'_, T>,
    ) {
        let mut reader = inputs.pool.predictions().reader();
        let signed = inputs.loss.sign() == Sign::Signed;
        for (item, &weight) in weights.iter().enumerate() {
            let (Bounds { low, high }, least) = (coarse(item), self.least());
            if is_far(high, weight, least.high) || is_far(-low, weight, -least.low) {
                let prediction = T::prediction(reader.row(start + item));
                let exact = inputs.loss.bounds(prediction).unwrap_or(Bounds::NONE);
                self.mark(&self.high, exact.high, weight);
                if signed {
                    self.mark(&self.low, -exact.low, weight);
                }
            }
        }
    }

    fn mark(&self, max_ratio: &AtomicU64, bound: f64, weight: f64) {
        if bound > 0.0 {
            max_ratio.fetch_max((bound / weight).to_bits(), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{coarse, widened};

    #[test]
    fn rough_distances_are_never_below_and_hardly_above() {
        for distance in [1e-30, 0.1, 0.693, 1.0, 34.538_776_394_910_68, 1e30, f64::from(f32::MAX)] {
            let back = widened(coarse(distance));
            assert!(back >= distance && (back <= distance * (1.0 + 1.0 / 128.0) || back.is_infinite()));
        }
        assert_eq!(widened(coarse(0.0)), 0.0);
        assert_eq!(widened(coarse(-3.0)), 0.0);
        assert_eq!(widened(coarse(f64::INFINITY)), f64::INFINITY);
        assert_eq!(widened(coarse(1e300)), f64::INFINITY);
    }
}
