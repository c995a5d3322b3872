//! What every component expects of the pool, before the first label: the spread of its scores, which divides its prior, and what
//! labels are worth if it is right.

use super::recalibration::Prospect;
use super::{BETWEEN, BLOCK, Recalibrated, ZERO};
use crate::numerics::{LANES, Lanes, ln};
use crate::pool::Pool;
use crate::task::Classification;

/// This many items are enough to know the means.
const SURVEYED: usize = 1 << 16;

/// The uniform part of a draw that forecasts take for granted: that of the default.
const UNIFORM: f64 = 0.2;

/// What components expect of a pool.
pub(super) struct Surveyed {
    pub(super) prospects: Vec<Prospect>,
    /// Mean scores.
    spreads: Vec<f64>,
}

/// Scores, given the mean of the first moments.
fn spread([first, second]: &[Lanes; 2], mean: f64) -> Lanes {
    let mut found = *first;
    for (first, second) in found.iter_mut().zip(second) {
        let within = (second - *first * *first).max(0.0);
        *first = (within + BETWEEN * (*first - mean).powi(2)).sqrt();
    }
    found
}

impl Recalibrated {
    /// What every component expects of the pool, by some of its items if they are many.
    pub(super) fn surveyed(&self, pool: &Pool<Classification>) -> Surveyed {
        let components = &self.recalibration.components;
        let count = components.len();
        let stride = BLOCK * (pool.pool_size() / SURVEYED).max(1);
        // The mean over the items of two numbers per component, made of its moments.
        let means_of = |of: &(dyn Fn(usize, [Lanes; 2]) -> [Lanes; 2] + Sync)| {
            let empty = || vec![ZERO; 2 * count + 1];
            let blocks = self.blocks(pool, stride, empty, |eights, items, sums| {
                let (number, octet) = (items.len(), eights.read(items, &*self.loss));
                for ((place, pair), component) in sums.chunks_exact_mut(2).enumerate().zip(components) {
                    let found = of(place, octet.moments(component));
                    pair.iter_mut().zip(&found).for_each(|(sum, lanes)| add(sum, lanes, number));
                }
                sums.last_mut().into_iter().for_each(|sum| add(sum, &[1.0; LANES], number));
            });
            let sums = total(blocks);
            let items = sums.last().copied().unwrap_or(1.0);
            sums.as_chunks().0.iter().map(|pair: &[f64; 2]| pair.map(|sum| sum / items)).collect()
        };
        let means: Vec<[f64; 2]> = means_of(&|_, moments| moments);
        let mean = |place: usize| means.get(place).map_or(0.0, |[first, _]| *first);
        let spreads: Vec<[f64; 2]> = means_of(&|place, moments| [spread(&moments, mean(place)), ZERO]);
        let size = |place: usize| spreads.get(place).map_or(1.0, |[spread, _]| *spread);
        // The variance of a draw from the proposal that follows the component: Σ w · Σ Var / w, for weights of mean 1.
        let draws: Vec<[f64; 2]> = means_of(&|place, moments| {
            let (mut found, size) = (spread(&moments, mean(place)), size(place));
            let [first, second] = moments;
            for ((value, first), second) in found.iter_mut().zip(first).zip(second) {
                let relative = if size > 0.0 { *value / size } else { 1.0 };
                *value = (second - first * first).max(0.0) / ((1.0 - UNIFORM) * relative + UNIFORM);
            }
            [found, ZERO]
        });
        let prospects = means
            .iter()
            .zip(&draws)
            .map(|([first, second], [draw, _])| Prospect { draw: *draw, uniform: second - first * first });
        Surveyed {
            prospects: prospects.collect(),
            spreads: spreads.iter().map(|[spread, _]| *spread).collect(),
        }
    }

    /// prior / v^t with v = (mean s)²: the average then minimises the expected *relative* variance, and components with
    /// huge losses do not dictate the proposal. t is 1 for the proposal and 1/2 for the interval.
    pub(super) fn priors(&self, surveyed: &Surveyed) -> Vec<[f64; 2]> {
        let priors = self.recalibration.components.iter().zip(&surveyed.spreads);
        priors
            .map(|(component, spread)| {
                let log = ln(spread.max(f64::MIN_POSITIVE));
                [log_weight(component.proposal) - 2.0 * log, log_weight(component.interval) - log]
            })
            .collect()
    }
}

/// Adds the first of the lanes.
#[inline(always)]
fn add(sum: &mut Lanes, lanes: &Lanes, items: usize) {
    if items == LANES {
        sum.iter_mut().zip(lanes).for_each(|(sum, lane)| *sum += lane);
    } else {
        sum.iter_mut().zip(lanes).take(items).for_each(|(sum, lane)| *sum += lane);
    }
}

/// Sums of columns over the blocks, in their order.
fn total(blocks: Vec<Vec<Lanes>>) -> Vec<f64> {
    let mut sums = vec![0.0; blocks.first().map_or(0, Vec::len)];
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, lanes)| *sum += lanes.iter().sum::<f64>());
    }
    sums
}

fn log_weight(weight: f64) -> f64 {
    if weight > 0.0 { ln(weight) } else { f64::NEG_INFINITY }
}
