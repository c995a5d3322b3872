//! What every component believes of one item: probabilities at all temperatures, and the moments of the loss under them.

use super::grid::{Component, Origin, Shape, TEMPERATURES};
use crate::loss::{Loss, Moments};
use crate::numerics::{exponential, ln};
use crate::task::Classification;

/// Probabilities below this are raised to it before they are tempered. It is the usual cap of cross-entropy: a belief that
/// starts from larger ones expects losses that the model itself rules out, and wastes draws on them.
const LEAST_PROBABILITY: f64 = 1e-15;

/// The same for scores, whose 0 and 1 are rarely meant so.
const LEAST_SCORE: f64 = 1e-4;

/// Probabilities of a loss of 1 are kept this far from 0 and 1 where their odds are taken.
pub(super) const LEAST_RATE: f64 = 1e-6;

const COUNT: usize = TEMPERATURES.len();

/// Place of T = 1 in [`TEMPERATURES`].
const AS_GIVEN: usize = 3;

/// One item under all components. Made once per thread and filled for one item after the other.
#[derive(Debug)]
pub(super) struct Item {
    classes: usize,
    /// Smallest probability.
    least: f64,
    /// ln p of each expert, one run of classes each; with several experts the last is their geometric mean.
    logs: Vec<f64>,
    /// p_T(y) by expert, temperature and class.
    tempered: Vec<f64>,
    /// max_y p_T(y) by expert and temperature.
    most: Vec<f64>,
    /// Loss by class.
    losses: Vec<f64>,
    /// Mean loss and mean squared loss over the classes.
    uniform: Moments,
    /// E(ℒ) and E(ℒ²) under p_T, by expert and temperature.
    moments: Vec<Moments>,
    /// Classes whose loss is above one half: those of loss 1, where losses are 0 or 1.
    ones: usize,
}

impl Item {
    /// `given` experts, and their geometric mean if there are several.
    pub(super) fn new(given: usize, classes: usize, origin: Origin) -> Self {
        let experts = experts(given);
        let least = match origin {
            Origin::Classes => LEAST_PROBABILITY,
            Origin::Scores => LEAST_SCORE,
        };
        Self {
            classes,
            least,
            logs: vec![0.0; experts * classes],
            tempered: vec![0.0; experts * COUNT * classes],
            most: vec![0.0; experts * COUNT],
            losses: vec![0.0; classes],
            uniform: Moments { first: 0.0, second: 0.0 },
            moments: vec![Moments { first: 0.0, second: 0.0 }; experts * COUNT],
            ones: 0,
        }
    }

    /// Takes the probabilities of each given expert for one item.
    pub(super) fn temper<'a>(&mut self, rows: impl Iterator<Item = &'a [f64]>) {
        let (classes, least) = (self.classes, self.least);
        let mut given = 0;
        for (row, logs) in rows.zip(self.logs.chunks_exact_mut(classes)) {
            given += 1;
            normalised_logs(row, least, logs);
        }
        if given > 1 {
            let (one_by_one, mean) = self.logs.split_at_mut(given * classes);
            mean.fill(0.0);
            for logs in one_by_one.chunks_exact(classes) {
                mean.iter_mut().zip(logs).for_each(|(mean, log)| *mean += log / given as f64);
            }
            // Clipped and normalised as every expert is.
            mean.iter_mut().for_each(|log| *log = exponential(*log));
            let row = mean.to_vec();
            normalised_logs(&row, least, mean);
        }
        let experts = self.logs.chunks_exact(classes).zip(self.tempered.chunks_exact_mut(COUNT * classes));
        for ((logs, tempered), most) in experts.zip(self.most.chunks_exact_mut(COUNT)) {
            temper(logs, tempered, most);
        }
    }

    /// Takes the loss of each class, and makes its moments under every p_T.
    pub(super) fn expect(&mut self, loss: &dyn Loss<Classification>, prediction: &[f64]) {
        if !loss.of_every_class(prediction, &mut self.losses) {
            self.losses.clear();
            self.losses.extend((0..self.classes).map(|label| loss.loss(prediction, label)));
        }
        self.ones = self.losses.iter().filter(|loss| **loss > 0.5).count();
        let count = self.classes as f64;
        let sums = self.losses.iter().fold((0.0, 0.0), |(first, second), l| (first + l, second + l * l));
        self.uniform = Moments { first: sums.0 / count, second: sums.1 / count };
        for (row, moments) in self.tempered.chunks_exact(self.classes).zip(&mut self.moments) {
            let (mut first, mut second) = (0.0, 0.0);
            for (p, loss) in row.iter().zip(&self.losses) {
                let part = p * loss;
                first += part;
                second += part * loss;
            }
            *moments = Moments { first, second };
        }
    }

    /// E(ℒ) and E(ℒ²) under a component, after [`expect`](Self::expect).
    pub(super) fn moments(&self, component: &Component) -> Moments {
        match component.shape {
            Shape::Tempered { expert, temperature, shift, .. } => {
                let place = expert * COUNT + temperature;
                let h = self.spread_mass(component);
                let under = self.moments.get(place).copied().unwrap_or(self.uniform);
                if shift != 0.0 {
                    let rate = shifted(under.first, shift);
                    return Moments { first: rate, second: rate };
                }
                let mixed = |under: f64, uniform: f64| (1.0 - h) * under + h * uniform;
                Moments {
                    first: mixed(under.first, self.uniform.first),
                    second: mixed(under.second, self.uniform.second),
                }
            }
            Shape::Constant(rate) => Moments { first: rate, second: rate },
        }
    }

    /// E(ℒ) under a row of probabilities.
    pub(super) fn expected_under(&self, row: &[f64]) -> f64 {
        row.iter().zip(&self.losses).map(|(p, loss)| p * loss).sum()
    }

    /// π_k(y) of a component.
    pub(super) fn probability(&self, component: &Component, class: usize) -> f64 {
        match component.shape {
            Shape::Tempered { shift, .. } if shift != 0.0 => {
                self.constant(self.moments(component).first, class)
            }
            Shape::Tempered { expert, temperature, .. } => {
                let h = self.spread_mass(component);
                let place = (expert * COUNT + temperature) * self.classes + class;
                let p = self.tempered.get(place).copied().unwrap_or(f64::NAN);
                (1.0 - h) * p + h / self.classes as f64
            }
            Shape::Constant(rate) => self.constant(rate, class),
        }
    }

    /// Σ_k w_k π_k(y) into `row`. Variants of one p_T share one multiplication per class.
    pub(super) fn average(&self, components: &[Component], weights: &[f64], row: &mut [f64]) {
        row.fill(0.0);
        let mut uniform = 0.0;
        // Σ w (1 − rate) and Σ w rate over the components that know the rate of a loss of 1 alone.
        let (mut zero, mut one) = (0.0, 0.0);
        // The components of one p_T follow each other.
        let mut at = 0;
        while let Some(component) = components.get(at) {
            match component.shape {
                Shape::Tempered { expert, temperature, .. } => {
                    let place = expert * COUNT + temperature;
                    let mut coefficient = 0.0;
                    while let Some((next, weight)) = components.get(at).zip(weights.get(at)) {
                        if !matches!(next.shape, Shape::Tempered { expert: e, temperature: t, .. }
                            if e == expert && t == temperature)
                        {
                            break;
                        }
                        at += 1;
                        if matches!(next.shape, Shape::Tempered { shift, .. } if shift != 0.0) {
                            let rate = self.moments(next).first;
                            zero += weight * (1.0 - rate);
                            one += weight * rate;
                            continue;
                        }
                        let h = self.spread_mass(next);
                        coefficient += weight * (1.0 - h);
                        uniform += weight * h;
                    }
                    let tempered = self.tempered.get(place * self.classes..).unwrap_or_default();
                    row.iter_mut().zip(tempered).for_each(|(sum, p)| *sum += coefficient * p);
                }
                Shape::Constant(rate) => {
                    let weight = weights.get(at).copied().unwrap_or(0.0);
                    zero += weight * (1.0 - rate);
                    one += weight * rate;
                    at += 1;
                }
            }
        }
        let uniform = uniform / self.classes as f64;
        for (sum, loss) in row.iter_mut().zip(&self.losses) {
            let (mass, share) = if *loss > 0.5 { (one, self.ones) } else { (zero, self.classes - self.ones) };
            *sum += uniform + mass / share as f64;
        }
    }

    /// Σ_e w_e p_e(y) into `row`: the experts as they were given.
    pub(super) fn as_given(&self, by_expert: &[f64], row: &mut [f64]) {
        row.fill(0.0);
        let of_expert = self.tempered.chunks_exact(COUNT * self.classes).zip(by_expert);
        for (tempered, weight) in of_expert {
            let given = tempered.get(AS_GIVEN * self.classes..).unwrap_or_default();
            row.iter_mut().zip(given).for_each(|(sum, p)| *sum += weight * p);
        }
    }

    /// The mass of a loss of 1 is spread over all classes that cost it, and so is that of 0.
    fn constant(&self, rate: f64, class: usize) -> f64 {
        let wrong = self.losses.get(class).is_some_and(|loss| *loss > 0.5);
        if wrong { rate / self.ones as f64 } else { (1.0 - rate) / (self.classes - self.ones) as f64 }
    }

    /// h of a tempered component.
    fn spread_mass(&self, component: &Component) -> f64 {
        match component.shape {
            Shape::Tempered { expert, temperature, epsilon, delta, .. } => {
                let most = self.most.get(expert * COUNT + temperature).copied().unwrap_or(1.0);
                epsilon + (1.0 - epsilon) * delta * (1.0 - most)
            }
            Shape::Constant(_) => 0.0,
        }
    }
}

/// A rate whose log-odds are shifted.
fn shifted(rate: f64, shift: f64) -> f64 {
    let rate = rate.clamp(LEAST_RATE, 1.0 - LEAST_RATE);
    // The exponential takes no positive number.
    let factor = if shift > 0.0 { 1.0 / exponential(-shift) } else { exponential(shift) };
    let odds = rate / (1.0 - rate) * factor;
    odds / (1.0 + odds)
}

/// The experts of the average: those given, and their geometric mean if there are several.
pub(super) fn experts(given: usize) -> usize {
    if given > 1 { given + 1 } else { given }
}

/// ln of the probabilities, raised to the least and divided by their sum.
fn normalised_logs(row: &[f64], least: f64, logs: &mut [f64]) {
    let sum: f64 = row.iter().map(|p| p.clamp(least, 1.0)).sum();
    let shift = ln(sum);
    logs.iter_mut().zip(row).for_each(|(log, p)| *log = ln(p.clamp(least, 1.0)) - shift);
}

/// p_T for all temperatures, by two exponentials per class and squares of them.
fn temper(logs: &[f64], tempered: &mut [f64], most: &mut [f64]) {
    let classes = logs.len();
    let top = logs.iter().fold(f64::NEG_INFINITY, |top, log| top.max(*log));
    for (class, log) in logs.iter().enumerate() {
        let relative = log - top;
        let eighth = exponential(relative / 8.0);
        let quarter = eighth * eighth;
        let half = quarter * quarter;
        let whole = half * half;
        let flat = exponential(relative / 1.4);
        let sharp = flat * flat;
        // In the order of `TEMPERATURES`.
        let powers = [sharp * sharp, whole * whole, sharp, whole, flat, half, quarter, eighth];
        for (temperature, power) in powers.into_iter().enumerate() {
            if let Some(place) = tempered.get_mut(temperature * classes + class) {
                *place = power;
            }
        }
    }
    for (row, most) in tempered.chunks_exact_mut(classes).zip(most) {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
        // The largest power is 1 before the division.
        *most = 1.0 / sum;
    }
}
