//! Averages of probabilities over components.

use super::expert::{COUNT, Tempered, all_powers};
use super::{Octet, ZERO, add, both, each};
use crate::numerics::{LANES, Lanes, Wide, one_by_one};
use crate::surrogate::recalibrated::grid::{Component, Shape};

/// Weights of components, as an average of probabilities needs them.
#[derive(Debug, Clone)]
pub(in crate::surrogate::recalibrated) struct Mix {
    /// Components with weight that have probabilities, by expert and temperature.
    tempered: Vec<[Vec<Part>; COUNT]>,
    /// Components with weight that know the rate of a loss of 1 alone.
    rates: Vec<(Component, f64)>,
}

/// A component at a known temperature.
#[derive(Debug, Clone, Copy)]
struct Part {
    epsilon: f64,
    delta: f64,
    weight: f64,
}

impl Part {
    /// Adds w h and w (1 − h) max p_T to the sums of both, where h = ε + (1 − ε) δ (1 − max p_T).
    #[inline(always)]
    fn add_to(self, uniform: &mut Lanes, share: &mut Lanes, most: &Lanes) {
        let Self { epsilon, delta, weight } = self;
        if delta == 0.0 {
            // The same for all items; of ε = 0, nothing is uniform.
            let (part, factor) = (weight * epsilon, weight * (1.0 - epsilon));
            *share = both(share, most, |share, most| share + factor * most);
            if epsilon > 0.0 {
                *uniform = each(uniform, |uniform| uniform + part);
            }
        } else {
            let h = each(most, |most| epsilon + (1.0 - epsilon) * delta * (1.0 - most));
            *uniform = both(uniform, &h, |uniform, h| uniform + weight * h);
            let part = both(&h, most, |h, most| weight * (1.0 - h) * most);
            *share = add(share, &part);
        }
    }
}

impl Mix {
    pub(in crate::surrogate::recalibrated) fn new(components: &[Component], weights: &[f64]) -> Self {
        let (mut tempered, mut rates) = (Vec::<[Vec<Part>; COUNT]>::new(), Vec::new());
        for (component, &weight) in components.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            match component.shape {
                Shape::Tempered { expert, temperature, epsilon, delta, shift: 0.0 } => {
                    if tempered.len() <= expert {
                        tempered.resize_with(expert + 1, Default::default);
                    }
                    tempered[expert][temperature].push(Part { epsilon, delta, weight });
                }
                _ => rates.push((*component, weight)),
            }
        }
        Self { tempered, rates }
    }

    /// Whether it needs the losses of the classes.
    pub(in crate::surrogate::recalibrated) fn needs_losses(&self) -> bool {
        !self.rates.is_empty()
    }

    /// Whether it needs the moments of the losses.
    pub(in crate::surrogate::recalibrated) fn needs_moments(&self) -> bool {
        self.rates.iter().any(|(component, _)| !matches!(component.shape, Shape::Constant(_)))
    }
}

/// The average of probabilities.
pub(super) struct Mixing<'a> {
    pub(super) octet: &'a Octet,
    pub(super) mix: &'a Mix,
    /// Room for the share of each temperature, by expert.
    pub(super) shares: &'a mut [Tempered],
    /// By class.
    pub(super) mixed: &'a mut [Lanes],
}

impl Wide for Mixing<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { octet, mix, shares, mixed } = self;
        let classes = octet.classes as f64;
        // Σ w (1 − rate) and Σ w rate over the components that know the rate of a loss of 1 alone.
        let (mut zero, mut one) = (ZERO, ZERO);
        for (component, weight) in &mix.rates {
            let [rate, _] = octet.moments(component);
            for lane in 0..LANES {
                zero[lane] += weight * (1.0 - rate[lane]);
                one[lane] += weight * rate[lane];
            }
        }
        let mut uniform = ZERO;
        for ((expert, parts), shares) in octet.experts.iter().zip(&mix.tempered).zip(&mut *shares) {
            for temperature in one_by_one(COUNT) {
                let (most, mut share) = (&expert.most[temperature], ZERO);
                for part in &parts[temperature] {
                    part.add_to(&mut uniform, &mut share, most);
                }
                shares[temperature] = share;
            }
        }
        for lane in 0..LANES {
            uniform[lane] /= classes;
            one[lane] /= octet.ones[lane];
            zero[lane] /= classes - octet.ones[lane];
        }
        if mix.needs_losses() {
            for (mixed, losses) in mixed.iter_mut().zip(&octet.losses) {
                for lane in 0..LANES {
                    mixed[lane] = uniform[lane] + if losses[lane] > 0.5 { one[lane] } else { zero[lane] };
                }
            }
        } else {
            mixed.fill(uniform);
        }
        for (expert, shares) in octet.experts.iter().zip(shares) {
            let [s0, s1, s2, s3, s4, s5, s6, s7] = shares;
            let part = |share: &Lanes, power: &Lanes| both(share, power, |share, power| share * power);
            for class in one_by_one(mixed.len()) {
                let [p0, p1, p2, p3, p4, p5, p6, p7] = all_powers(&expert.eighth[class], &expert.flat[class]);
                let sum = add(&mixed[class], &part(s0, &p0));
                let sum = add(&sum, &part(s1, &p1));
                let sum = add(&sum, &part(s2, &p2));
                let sum = add(&sum, &part(s3, &p3));
                let sum = add(&sum, &part(s4, &p4));
                let sum = add(&sum, &part(s5, &p5));
                let sum = add(&sum, &part(s6, &p6));
                mixed[class] = add(&sum, &part(s7, &p7));
            }
        }
    }
}
