//! What every component expects of the pool, before the first label: the spread of its scores, which divides its prior, and what
//! labels are worth if it is right.

use super::grid::Component;
use super::octet::{Octet, both};
use super::recalibration::Prospect;
use super::{BETWEEN, BLOCK, Recalibrated, ZERO};
use crate::numerics::{LANES, Lanes, Wide, ln, one_by_one, widely};
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

/// What is averaged over the items, in three passes: each needs the means of the one before.
enum Pass<'a> {
    /// The moments of every component.
    Moments,
    /// Scores, given the moments' means.
    Scores(&'a [[f64; 2]]),
    /// Variances of a draw from the proposal that follows the component, given the moments' means and the mean scores.
    Draws(&'a [[f64; 2]], &'a [[f64; 2]]),
}

/// Scores, given the mean of the first moments.
#[inline(always)]
fn spread([first, second]: &[Lanes; 2], mean: f64) -> Lanes {
    both(first, second, |first, second| {
        let within = (second - first * first).max(0.0);
        (within + BETWEEN * (first - mean).powi(2)).sqrt()
    })
}

impl Pass<'_> {
    /// What is averaged of a component with these moments.
    #[inline(always)]
    fn of(&self, place: usize, moments: [Lanes; 2]) -> [Lanes; 2] {
        let first = |means: &[[f64; 2]]| means.get(place).map_or(0.0, |[first, _]| *first);
        match self {
            Self::Moments => moments,
            Self::Scores(means) => [spread(&moments, first(means)), ZERO],
            // Σ w · Σ Var / w, for weights of mean 1.
            Self::Draws(means, scores) => {
                let size = first(scores);
                let relative = |score: f64| if size > 0.0 { score / size } else { 1.0 };
                let weight = |score: f64| (1.0 - UNIFORM) * relative(score) + UNIFORM;
                let [first_moment, second] = &moments;
                let within = both(first_moment, second, |first, second| (second - first * first).max(0.0));
                let scores = spread(&moments, first(means));
                [both(&within, &scores, |within, score| within / weight(score)), ZERO]
            }
        }
    }
}

/// Eight items more.
struct Surveying<'a> {
    pass: &'a Pass<'a>,
    octet: &'a Octet,
    components: &'a [Component],
    items: usize,
    /// Two per component, and the number of items.
    sums: &'a mut [Lanes],
}

impl Wide for Surveying<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { pass, octet, components, items, sums } = self;
        for place in one_by_one(components.len()) {
            let (Some(component), Some(sums)) =
                (components.get(place), sums.get_mut(2 * place..2 * place + 2))
            else {
                return;
            };
            let found = pass.of(place, octet.moments(component));
            sums.iter_mut().zip(&found).for_each(|(sum, lanes)| add(sum, lanes, items));
        }
        sums.last_mut().into_iter().for_each(|sum| add(sum, &[1.0; LANES], items));
    }
}

impl Recalibrated {
    /// What every component expects of the pool, by some of its items if they are many.
    pub(super) fn surveyed(&self, pool: &Pool<Classification>) -> Surveyed {
        let components = &self.recalibration.components;
        let stride = BLOCK * (pool.pool_size() / SURVEYED).max(1);
        // The mean over the items of two numbers per component, made of its moments.
        let means_of = |pass: &Pass<'_>| -> Vec<[f64; 2]> {
            let empty = || vec![ZERO; 2 * components.len() + 1];
            let blocks = self.blocks(pool, stride, empty, |eights, items, sums| {
                let octet = eights.read(items, &*self.loss);
                widely(Surveying { pass, octet, components, items: items.len(), sums });
            });
            let sums = total(blocks);
            let items = sums.last().copied().unwrap_or(1.0);
            sums.as_chunks().0.iter().map(|pair: &[f64; 2]| pair.map(|sum| sum / items)).collect()
        };
        let means = means_of(&Pass::Moments);
        let spreads = means_of(&Pass::Scores(&means));
        let draws = means_of(&Pass::Draws(&means, &spreads));
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
