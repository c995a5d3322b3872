//! Sums of every component over the items that can be drawn, in one pass over the pool.
//!
//! Of a large pool, some items stand for the rest: as many of each weight as draws would take, so that rare items of large
//! losses are among them, and every `n`-th by the sum of the weights, so that nothing is left to chance.
//!
//! The moments of most components are linear in a few functions of an item: those of ε and δ in the moments under p_T and under
//! uniform probabilities, and constants in 1. The pass sums these functions, and the components are put together at the end.

#![allow(
    clippy::indexing_slicing,
    clippy::needless_range_loop,
    reason = "a kernel: every index is a lane, and plain loops over lanes become vector instructions"
)]

use super::average::{Eights, Items};
use super::grid::{Component, Shape};
use super::octet::{Function, Octet};
use super::{BLOCK, Recalibrated, ZERO};
use crate::loss::Loss;
use crate::numerics::{LANES, Lanes, Wide, widely};
use crate::pool::Pool;
use crate::surrogate::mixture::{ComponentSums, MixtureSums};
use crate::task::Classification;

/// Items that stand for a large pool. The sums are then right to about 1 %, and so is the variance that is expected.
const STANDING: usize = 1 << 16;

/// Pools above this are large.
const LARGE: usize = 4 * STANDING;

/// Components as linear combinations of functions.
#[derive(Default)]
struct Combinations {
    functions: Vec<Function>,
    /// Places among the functions, and factors.
    of_component: Vec<Vec<(usize, f64)>>,
}

impl Combinations {
    /// Constant error rates are functions of the zero-one loss that they are about, and of others by its two sides.
    fn new(components: &[Component], by_sides: bool) -> Self {
        let mut made = Self::default();
        for component in components {
            let parts = match component.shape {
                Shape::Tempered { expert, temperature, shift, .. } if shift != 0.0 => {
                    vec![(Function::Shifted { expert, temperature, shift }, 1.0)]
                }
                // h = ε + (1 − ε) δ (1 − max p_T) of the mass is uniform.
                Shape::Tempered { expert, temperature, epsilon, delta, .. } => vec![
                    (Function::Tempered { expert, temperature }, 1.0 - epsilon),
                    (Function::Uniform, epsilon),
                    (Function::Spread { expert, temperature }, (1.0 - epsilon) * delta),
                ],
                Shape::Constant(rate) if by_sides => {
                    vec![(Function::Wrong, rate), (Function::Right, 1.0 - rate)]
                }
                Shape::Constant(rate) => vec![(Function::One, rate)],
            };
            let parts = parts.into_iter().filter(|(_, factor)| *factor != 0.0);
            let parts = parts.map(|(function, factor)| (made.place(function), factor)).collect();
            made.of_component.push(parts);
        }
        made
    }

    fn place(&mut self, function: Function) -> usize {
        self.functions.iter().position(|known| *known == function).unwrap_or_else(|| {
            self.functions.push(function);
            self.functions.len() - 1
        })
    }

    /// The weights of components as factors of functions.
    fn factors(&self, weights: &[f64]) -> Vec<f64> {
        let mut factors = vec![0.0; self.functions.len()];
        for (parts, weight) in self.of_component.iter().zip(weights) {
            for &(place, factor) in parts {
                factors[place] += weight * factor;
            }
        }
        factors
    }

    /// The sums of all blocks, in their order.
    fn total<'a>(&self, blocks: impl Iterator<Item = &'a LaneSums>) -> MixtureSums {
        let mut found = MixtureSums::default();
        let mut functions = vec![[0.0; 4]; self.functions.len()];
        for block in blocks {
            found.items += block.items;
            let [mass, control, control_square] = block.shared.each_ref().map(sum);
            found.mass += mass;
            found.control += control;
            found.control_square += control_square;
            for (total, part) in functions.iter_mut().zip(&block.functions) {
                total.iter_mut().zip(part).for_each(|(total, part)| *total += sum(part));
            }
        }
        let parts = self.of_component.iter();
        found.components = parts.map(|parts| self.component(parts, &functions)).collect();
        found
    }

    fn component(&self, parts: &[(usize, f64)], functions: &[[f64; 4]]) -> ComponentSums {
        let sum = |which: usize| parts.iter().map(|&(place, factor)| factor * functions[place][which]).sum();
        ComponentSums { first: sum(0), second: sum(1), cross: sum(2), square: sum(3) }
    }
}

/// The sums of a block, by lane.
struct LaneSums {
    items: usize,
    /// Σ w, Σ h, Σ h²/w.
    shared: [Lanes; 3],
    /// Σ G1, Σ G2/w, Σ h G1/w and Σ G2 of each function.
    functions: Vec<[Lanes; 4]>,
    /// G1 and G2 of each function for the items at hand.
    moments: Vec<[Lanes; 2]>,
}

impl LaneSums {
    fn new(combinations: &Combinations) -> Self {
        let count = combinations.functions.len();
        let (functions, moments) = (vec![[ZERO; 4]; count], vec![[ZERO; 2]; count]);
        Self { items: 0, shared: [ZERO; 3], functions, moments }
    }
}

/// The items to sum over, and how many of the pool each stands for.
enum Sampled {
    /// Every item for itself.
    All,
    /// Some items, in their order.
    Some {
        standing: Vec<(usize, f64)>,
        /// Number of items that can be drawn, and the sum of their weights.
        drawable: (usize, f64),
    },
}

impl Sampled {
    fn new(open: &[bool], weights: &[f64]) -> Self {
        // Items that cannot be drawn add 0, which changes no sum.
        let own = |(weight, open): (&f64, &bool)| if *open && *weight > 0.0 { *weight } else { 0.0 };
        let drawable = || weights.iter().zip(open).map(own);
        let (count, mass) = drawable()
            .fold((0_usize, 0.0), |(count, mass), weight| (count + usize::from(weight > 0.0), mass + weight));
        if count <= LARGE {
            return Self::All;
        }
        let step = mass / STANDING as f64;
        let (mut reached, mut next) = (0.0, 0.5 * step);
        let mut standing = Vec::with_capacity(STANDING);
        for (item, weight) in drawable().enumerate() {
            reached += weight;
            if next < reached {
                let mut times = 0.0;
                while next < reached {
                    times += 1.0;
                    next += step;
                }
                standing.push((item, times * step / weight));
            }
        }
        Self::Some { standing, drawable: (count, mass) }
    }

    /// What is known of the whole pool is not made of a part.
    fn of_pool(&self, sums: MixtureSums) -> MixtureSums {
        match self {
            Self::All => sums,
            &Self::Some { drawable: (items, mass), .. } => MixtureSums { items, mass, ..sums },
        }
    }
}

/// The weights of eight items in the proposal, and how many each stands for; 0 for those that cannot be drawn.
fn drawable(items: &Items<'_>, open: &[bool], weights: &[f64]) -> (Lanes, Lanes) {
    let (mut weight, mut share) = (ZERO, ZERO);
    let mut put = |lane: usize, item: usize, times: f64| {
        if let (Some(true), Some(&w)) = (open.get(item), weights.get(item)) {
            (weight[lane], share[lane]) = (w, times);
        }
    };
    match items {
        Items::Run(items) => items.clone().enumerate().for_each(|(lane, item)| put(lane, item, 1.0)),
        Items::Some(items) => {
            items.iter().enumerate().for_each(|(lane, &(item, times))| put(lane, item, times))
        }
    }
    (weight, share)
}

impl Recalibrated {
    /// See [`Mixture::sums`](crate::surrogate::Mixture::sums); 0 before the first update.
    pub(super) fn sums_of(&self, pool: &Pool<Classification>, open: &[bool], weights: &[f64]) -> MixtureSums {
        let Some(current) = &self.current else { return MixtureSums::default() };
        let combinations = Combinations::new(&self.recalibration.components, false);
        let controls = &combinations.factors(&current.weights);
        let functions = &combinations.functions;
        let sampled = Sampled::new(open, weights);
        let empty = || LaneSums::new(&combinations);
        let blocks = self.blocks_in(pool, &sampled, empty, |eights, items, sums| {
            let (weight, share) = drawable(items, open, weights);
            let octet = eights.read(items, &*self.loss);
            if share != ZERO {
                widely(Summing { octet, functions, controls, weight, share, sums });
            }
        });
        sampled.of_pool(combinations.total(blocks.iter()))
    }

    /// Folds every eight of the items to sum over.
    fn blocks_in<V: Send>(
        &self,
        pool: &Pool<Classification>,
        sampled: &Sampled,
        empty: impl Fn() -> V + Sync,
        fold: impl Fn(&mut Eights<'_>, &Items<'_>, &mut V) + Sync,
    ) -> Vec<V> {
        match sampled {
            Sampled::All => self.blocks(pool, BLOCK, empty, fold),
            Sampled::Some { standing, .. } => self.blocks_of(pool, standing, empty, fold),
        }
    }

    /// See [`Mixture::sums_by`](crate::surrogate::Mixture::sums_by). All losses share one pass.
    pub(super) fn sums_of_others(
        &self,
        pool: &Pool<Classification>,
        open: &[bool],
        weights: &[f64],
        losses: &[&dyn Loss<Classification>],
    ) -> Vec<MixtureSums> {
        let Some(current) = &self.current else { return Vec::new() };
        let combinations = Combinations::new(&self.recalibration.components, true);
        let controls = &combinations.factors(&current.weights);
        let empty = || losses.iter().map(|_| LaneSums::new(&combinations)).collect::<Vec<_>>();
        let sampled = Sampled::new(open, weights);
        let blocks = self.blocks_in(pool, &sampled, empty, |eights, items, all: &mut Vec<LaneSums>| {
            let (weight, share) = drawable(items, open, weights);
            if share == ZERO {
                return;
            }
            eights.tempered(items);
            for (loss, sums) in losses.iter().zip(all) {
                let octet = eights.by(&*self.loss, *loss);
                let functions = &combinations.functions;
                widely(Summing { octet, functions, controls, weight, share, sums });
            }
        });
        let of_loss = |loss: usize| {
            sampled.of_pool(combinations.total(blocks.iter().filter_map(|block| block.get(loss))))
        };
        (0..losses.len()).map(of_loss).collect()
    }
}

fn sum(lanes: &Lanes) -> f64 {
    lanes.iter().sum()
}

/// Eight items more.
struct Summing<'a> {
    octet: &'a Octet,
    functions: &'a [Function],
    /// The functions' factors in the control.
    controls: &'a [f64],
    /// w; 0 for items that cannot be drawn.
    weight: Lanes,
    /// How many items each stands for: 1, or more in a large pool; 0 for items that cannot be drawn.
    share: Lanes,
    sums: &'a mut LaneSums,
}

impl Wide for Summing<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { octet, functions, controls, weight, share, sums } = self;
        let LaneSums { items, shared, functions: all, moments } = sums;
        *items += share.iter().filter(|share| **share > 0.0).count();
        let mut control = ZERO;
        for ((moments, function), factor) in moments.iter_mut().zip(functions).zip(controls) {
            let [first, second] = octet.function(function);
            for lane in 0..LANES {
                control[lane] += factor * first[lane];
            }
            *moments = [first, second];
        }
        let mut inverse = ZERO;
        for lane in 0..LANES {
            inverse[lane] = if share[lane] > 0.0 { share[lane] / weight[lane] } else { 0.0 };
            shared[0][lane] += weight[lane];
            shared[1][lane] += share[lane] * control[lane];
            shared[2][lane] += control[lane] * control[lane] * inverse[lane];
        }
        for (sums, moments) in all.iter_mut().zip(moments) {
            // Hides the loop from the compiler, which would gather functions into registers instead of lanes.
            let [one, two] = *std::hint::black_box(moments);
            let [mut first, mut second, mut cross, mut square] = *sums;
            for lane in 0..LANES {
                first[lane] += share[lane] * one[lane];
                second[lane] += two[lane] * inverse[lane];
                cross[lane] += control[lane] * one[lane] * inverse[lane];
                square[lane] += share[lane] * two[lane];
            }
            *sums = [first, second, cross, square];
        }
    }
}
