//! What every component believes of eight items, side by side: probabilities at all temperatures, and the moments of the loss
//! under them.
//!
//! p^(1/8) and p^(1/1.4) are kept per class. The powers of all temperatures are squares of them, so nothing of the size
//! classes × temperatures is stored.

#![allow(
    clippy::indexing_slicing,
    clippy::needless_range_loop,
    reason = "kernels: every index is a lane, a class or a temperature, and plain loops over lanes become vector instructions"
)]

mod expert;
mod mix;

use expert::{Averaging, COUNT, Expecting, Expert, Tempered, Tempering, powers};
pub(super) use mix::Mix;
use mix::Mixing;

use super::grid::{Component, Origin, Shape};
use crate::loss::Loss;
use crate::numerics::{LANES, Lanes, exponential, widely};
use crate::task::Classification;

/// Probabilities below this are raised to it before they are tempered. It is the usual cap of cross-entropy: a belief that
/// starts from larger ones expects losses that the model itself rules out, and wastes draws on them.
const LEAST_PROBABILITY: f64 = 1e-15;

/// The same for scores, whose 0 and 1 are rarely meant so.
const LEAST_SCORE: f64 = 1e-4;

/// Probabilities of a loss of 1 are kept this far from 0 and 1 where their odds are taken.
pub(super) const LEAST_RATE: f64 = 1e-6;

const ZERO: Lanes = [0.0; LANES];

/// Room for an average.
#[derive(Debug, Default)]
pub(super) struct MixRoom {
    /// The average of eight items, by class.
    pub(super) mixed: Vec<Lanes>,
    shares: Vec<Tempered>,
}

/// Eight items under all components. Made once per thread and filled again and again.
#[derive(Debug)]
pub(super) struct Octet {
    classes: usize,
    given: usize,
    /// Smallest probability.
    least: f64,
    /// Those given; several are followed by their geometric mean.
    experts: Vec<Expert>,
    /// Loss by class.
    losses: Vec<Lanes>,
    /// Mean loss and mean squared loss over the classes.
    uniform: [Lanes; 2],
    /// Classes whose loss is above one half: those of loss 1, where losses are 0 or 1.
    ones: Lanes,
    /// Which classes these are, where another loss is looked at.
    wrong: Vec<Lanes>,
    /// Mean and mean square of the other loss over the classes of loss 1, and over the others.
    sides: [[Lanes; 2]; 2],
    /// Predictions and losses of one item.
    rows: [Vec<f64>; 2],
}

impl Octet {
    /// `given` experts, and their geometric mean if there are several.
    pub(super) fn new(given: usize, classes: usize, origin: Origin) -> Self {
        let least = match origin {
            Origin::Classes => LEAST_PROBABILITY,
            Origin::Scores => LEAST_SCORE,
        };
        let column = || vec![ZERO; classes];
        let expert = Expert {
            logs: column(),
            eighth: column(),
            flat: column(),
            most: [ZERO; COUNT],
            moments: [[ZERO; COUNT]; 2],
        };
        Self {
            classes,
            given,
            least,
            experts: vec![expert; experts(given)],
            losses: column(),
            uniform: [ZERO; 2],
            ones: ZERO,
            wrong: Vec::new(),
            sides: [[ZERO; 2]; 2],
            rows: [Vec::new(), Vec::new()],
        }
    }

    /// Takes the probabilities of each given expert, by class.
    pub(super) fn temper<'a>(&mut self, probabilities: impl Iterator<Item = &'a [Lanes]>) {
        let (given, least) = self.experts.split_at_mut(self.given);
        for (expert, probabilities) in given.iter_mut().zip(probabilities) {
            widely(Tempering { expert, probabilities, least: self.least });
        }
        if let Some(mean) = least.first_mut() {
            widely(Averaging { experts: given, mean, least: self.least });
        }
    }

    /// Takes the loss of each class of the same items, and makes its moments under every p_T.
    pub(super) fn expect(&mut self, loss: &dyn Loss<Classification>, predictions: &[Lanes]) {
        self.take_losses(loss, predictions);
        let Self { losses, uniform, experts, .. } = self;
        widely(Expecting { losses, uniform, experts });
    }

    /// Takes the loss of each class of the same items.
    pub(super) fn take_losses(&mut self, loss: &dyn Loss<Classification>, predictions: &[Lanes]) {
        let Self { losses, rows: [prediction, row], .. } = self;
        if !loss.of_every_class_of_eight(predictions, losses) {
            for lane in 0..LANES {
                prediction.clear();
                prediction.extend(predictions.iter().map(|class| class[lane]));
                if !loss.of_every_class(prediction, row) {
                    row.clear();
                    row.extend((0..prediction.len()).map(|label| loss.loss(prediction, label)));
                }
                losses.iter_mut().zip(row.iter()).for_each(|(losses, loss)| losses[lane] = *loss);
            }
        }
        self.ones = ZERO;
        for losses in &self.losses {
            self.ones = both(&self.ones, losses, |ones, loss| ones + f64::from(u8::from(loss > 0.5)));
        }
    }

    /// The moments of another loss under every p_T, and over the classes on either side of a zero-one loss.
    pub(super) fn expect_by(
        &mut self,
        own: &dyn Loss<Classification>,
        other: &dyn Loss<Classification>,
        predictions: &[Lanes],
    ) {
        self.take_losses(own, predictions);
        self.wrong.clone_from(&self.losses);
        self.expect(other, predictions);
        let mut counts = [ZERO; 2];
        self.sides = [[ZERO; 2]; 2];
        for (own, other) in self.wrong.iter().zip(&self.losses) {
            for lane in 0..LANES {
                let side = usize::from(own[lane] <= 0.5);
                counts[side][lane] += 1.0;
                self.sides[side][0][lane] += other[lane];
                self.sides[side][1][lane] += other[lane] * other[lane];
            }
        }
        for (side, count) in self.sides.iter_mut().zip(&counts) {
            for lane in 0..LANES {
                // No class on a side: no label can be there.
                let count = if count[lane] > 0.0 { count[lane] } else { 1.0 };
                side[0][lane] /= count;
                side[1][lane] /= count;
            }
        }
    }

    /// E(ℒ) and E(ℒ²) under a component, after [`expect`](Self::expect).
    #[inline(always)]
    pub(super) fn moments(&self, component: &Component) -> [Lanes; 2] {
        match component.shape {
            Shape::Tempered { expert, temperature, epsilon, delta, shift } => {
                let Some((first, second, most)) = self.under(expert, temperature) else {
                    return self.uniform;
                };
                if shift != 0.0 {
                    let rate = each(first, |rate| shifted(rate, shift));
                    return [rate, rate];
                }
                let [uniform_first, uniform_second] = &self.uniform;
                let mut found = [ZERO; 2];
                for lane in 0..LANES {
                    let h = epsilon + (1.0 - epsilon) * delta * (1.0 - most[lane]);
                    found[0][lane] = (1.0 - h) * first[lane] + h * uniform_first[lane];
                    found[1][lane] = (1.0 - h) * second[lane] + h * uniform_second[lane];
                }
                found
            }
            Shape::Constant(rate) => [[rate; LANES]; 2],
        }
    }

    /// What a function says of the items, for ℒ and for ℒ².
    #[inline(always)]
    pub(super) fn function(&self, function: &Function) -> [Lanes; 2] {
        let (expert, temperature) = match *function {
            Function::Tempered { expert, temperature }
            | Function::Spread { expert, temperature }
            | Function::Shifted { expert, temperature, .. } => (expert, temperature),
            Function::Uniform => return self.uniform,
            Function::One => return [[1.0; LANES]; 2],
            Function::Wrong => return self.sides[0],
            Function::Right => return self.sides[1],
        };
        let Some((first, second, most)) = self.under(expert, temperature) else { return self.uniform };
        match function {
            Function::Shifted { shift, .. } => {
                let rate = each(first, |rate| shifted(rate, *shift));
                [rate, rate]
            }
            Function::Spread { .. } => {
                let [uniform_first, uniform_second] = &self.uniform;
                let mut found = [ZERO; 2];
                for lane in 0..LANES {
                    found[0][lane] = (1.0 - most[lane]) * (uniform_first[lane] - first[lane]);
                    found[1][lane] = (1.0 - most[lane]) * (uniform_second[lane] - second[lane]);
                }
                found
            }
            _ => [*first, *second],
        }
    }

    /// E(ℒ), E(ℒ²) and max p_T of an expert at a temperature.
    #[inline(always)]
    fn under(&self, expert: usize, temperature: usize) -> Option<(&Lanes, &Lanes, &Lanes)> {
        let expert = self.experts.get(expert)?;
        let [first, second] = &expert.moments;
        Some((first.get(temperature)?, second.get(temperature)?, expert.most.get(temperature)?))
    }

    /// π_k(y) of a component for the first of the items.
    pub(super) fn probability(&self, component: &Component, class: usize) -> f64 {
        match component.shape {
            Shape::Tempered { shift, .. } if shift != 0.0 => {
                self.of_rate(self.moments(component)[0][0], class)
            }
            Shape::Tempered { expert, temperature, epsilon, delta, .. } => {
                let of = |expert: &Expert| {
                    let most = expert.most.get(temperature)?[0];
                    let (eighth, flat) = (expert.eighth.get(class)?, expert.flat.get(class)?);
                    Some((powers(eighth[0], flat[0]).get(temperature)? * most, most))
                };
                let Some((p, most)) = self.experts.get(expert).and_then(of) else { return f64::NAN };
                let h = epsilon + (1.0 - epsilon) * delta * (1.0 - most);
                (1.0 - h) * p + h / self.classes as f64
            }
            Shape::Constant(rate) => self.of_rate(rate, class),
        }
    }

    /// The mass of a loss of 1 is spread over all classes that cost it, and so is that of 0.
    fn of_rate(&self, rate: f64, class: usize) -> f64 {
        let wrong = self.losses.get(class).is_some_and(|loss| loss[0] > 0.5);
        if wrong { rate / self.ones[0] } else { (1.0 - rate) / (self.classes as f64 - self.ones[0]) }
    }

    /// Σ_k w_k π_k(y) of the items, by class.
    pub(super) fn average(&self, mix: &Mix, room: &mut MixRoom) {
        room.mixed.resize(self.classes, ZERO);
        room.shares.clear();
        room.shares.resize(self.experts.len(), [ZERO; COUNT]);
        widely(Mixing { octet: self, mix, shares: &mut room.shares, mixed: &mut room.mixed });
    }
}

/// A function of an item that moments of components are linear in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Function {
    /// E(ℒ) under p_T.
    Tempered { expert: usize, temperature: usize },
    /// (1 − max p_T) (mean loss over the classes − E(ℒ) under p_T).
    Spread { expert: usize, temperature: usize },
    /// The rate under p_T with shifted log-odds.
    Shifted { expert: usize, temperature: usize, shift: f64 },
    /// Mean loss over the classes.
    Uniform,
    /// 1.
    One,
    /// Mean loss over the classes for which a zero-one loss is 1.
    Wrong,
    /// Mean loss over the others.
    Right,
}

/// A function of every lane. (`map` of arrays is compiled for narrow registers.)
#[inline(always)]
fn each(lanes: &Lanes, of: impl Fn(f64) -> f64) -> Lanes {
    let mut found = ZERO;
    for lane in 0..LANES {
        found[lane] = of(lanes[lane]);
    }
    found
}

/// A function of every lane of two.
#[inline(always)]
pub(super) fn both(one: &Lanes, other: &Lanes, of: impl Fn(f64, f64) -> f64) -> Lanes {
    let mut found = ZERO;
    for lane in 0..LANES {
        found[lane] = of(one[lane], other[lane]);
    }
    found
}

#[inline(always)]
fn add(one: &Lanes, other: &Lanes) -> Lanes {
    both(one, other, |one, other| one + other)
}

/// At least the least, at most 1.
#[inline(always)]
fn clipped(p: f64, least: f64) -> f64 {
    let above = if p < least { least } else { p };
    if above > 1.0 { 1.0 } else { above }
}

/// A rate whose log-odds are shifted.
#[inline(always)]
fn shifted(rate: f64, shift: f64) -> f64 {
    let rate = clipped(rate, LEAST_RATE);
    let rate = if rate > 1.0 - LEAST_RATE { 1.0 - LEAST_RATE } else { rate };
    // The exponential takes no positive number.
    let factor = if shift > 0.0 { 1.0 / exponential(-shift) } else { exponential(shift) };
    let odds = rate / (1.0 - rate) * factor;
    odds / (1.0 + odds)
}

/// The experts of the average: those given, and their geometric mean if there are several.
pub(super) fn experts(given: usize) -> usize {
    if given > 1 { given + 1 } else { given }
}
