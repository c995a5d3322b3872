//! The components of a recalibrated belief with their prior weights, and what labels make of them. It knows no pool, so
//! that a file can keep it as numbers and answer questions from the drawn rows alone.

use super::grid::{self, CONSTANTS_FROM, Component, Origin, Shape};
use super::octet::{self, Function, LEAST_RATE, Octet};
use crate::loss::{Loss, Outcomes};
use crate::numerics::{LOWEST, Turned, exponential, ln};
use crate::task::Classification;

/// What the average is taken over, and how much each component counts before the first label.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalibration {
    pub(super) given: usize,
    pub(super) classes: usize,
    pub(super) outcomes: Outcomes,
    pub(super) origin: Origin,
    pub(super) components: Vec<Component>,
    /// ln of the prior weights, for the proposal and for the interval.
    pub(super) log_priors: Vec<[f64; 2]>,
    /// Labels of other items that were seen before the first draw, and their log-likelihood under each component.
    calibration: (usize, Vec<f64>),
    /// What each component expects of labels; empty where the pool was not looked at.
    pub(super) prospects: Vec<Prospect>,
}

/// What a component expects of labels, if it is right and the proposal follows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prospect {
    /// The variance of one draw.
    pub(super) draw: f64,
    /// The variance of one uniform draw.
    pub(super) uniform: f64,
}

/// Ranges of what labels are worth, before the first of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foreseen {
    /// The number of uniformly sampled labels that one label is worth.
    pub gain: (f64, f64),
    /// The variance of one draw.
    pub draw: (f64, f64),
    /// The variance of one uniform draw.
    pub uniform: (f64, f64),
}

/// The weight that a forecast leaves out at either end.
const LEFT_OUT: f64 = 0.05;

/// What is left of a gain after the labels that teach the belief which component is right.
const AFTER_LEARNING: f64 = 0.95;

impl Recalibration {
    /// The components for a number of given experts; all prior weights are 0 as yet.
    pub(super) fn new(given: usize, classes: usize, outcomes: Outcomes, origin: Origin) -> Self {
        let components = grid::components(octet::experts(given), classes, outcomes, origin);
        let count = components.len();
        let (log_priors, calibration) = (vec![[0.0; 2]; count], (0, vec![0.0; count]));
        let prospects = Vec::new();
        Self { given, classes, outcomes, origin, components, log_priors, calibration, prospects }
    }

    /// The same again from its [`log_priors`](Self::log_priors); `None` if their number is another.
    pub fn from_log_priors(
        given: usize,
        classes: usize,
        outcomes: Outcomes,
        origin: Origin,
        log_priors: Vec<[f64; 2]>,
    ) -> Option<Self> {
        let made = Self::new(given, classes, outcomes, origin);
        (log_priors.len() == made.components.len()).then_some(Self { log_priors, ..made })
    }

    /// ln of the prior weight of each component, for the proposal and for the interval; −∞ for a weight of 0.
    pub fn log_priors(&self) -> &[[f64; 2]] {
        &self.log_priors
    }

    /// With labels of other items, seen before the first draw: how many, and their log-likelihood under each component.
    /// `None` if the number of components is another.
    pub fn with_calibration(self, labels: usize, log_likelihoods: Vec<f64>) -> Option<Self> {
        let fits = log_likelihoods.len() == self.components.len();
        fits.then_some(Self { calibration: (labels, log_likelihoods), ..self })
    }

    /// Labels of other items that were seen before the first draw, and their log-likelihood under each component.
    pub fn calibration(&self) -> (usize, &[f64]) {
        (self.calibration.0, &self.calibration.1)
    }

    /// What labels are worth, as a range: nine tenths of the weight that the components have before the first label, labels of
    /// other items included. `None` if it was read from numbers that do not say, or nothing is in doubt.
    pub fn foreseen(&self) -> Option<Foreseen> {
        let (_, likelihoods) = &self.calibration;
        let top = likelihoods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let likelihood = |log: f64| if log - top < LOWEST { 0.0 } else { exponential(log - top) };
        let components = self.components.iter().zip(likelihoods);
        let weights = components.map(|(component, log)| component.foreseen * likelihood(*log));
        let known = self.prospects.iter().zip(weights);
        let known: Vec<(Prospect, f64)> = known
            .filter(|(prospect, weight)| *weight > 0.0 && prospect.draw > 0.0 && prospect.uniform > 0.0)
            .map(|(prospect, weight)| (*prospect, weight))
            .collect();
        let range = |of: &dyn Fn(&Prospect) -> f64| {
            let mut values: Vec<(f64, f64)> =
                known.iter().map(|(prospect, weight)| (of(prospect), *weight)).collect();
            values.sort_by(|one, other| one.0.total_cmp(&other.0));
            middle(&values)
        };
        let (low, high) = range(&|prospect| prospect.uniform / prospect.draw)?;
        let draw = range(&|prospect| prospect.draw)?;
        let uniform = range(&|prospect| prospect.uniform)?;
        Some(Foreseen { gain: (AFTER_LEARNING * low, high), draw, uniform })
    }

    /// Starts to count labels.
    pub fn posterior<'a>(&'a self, loss: &'a dyn Loss<Classification>) -> Posterior<'a> {
        let (labels, sums) = self.calibration.clone();
        Posterior { recalibration: self, loss, octet: self.octet(), sums, labels }
    }

    /// Room for eight items.
    pub(super) fn octet(&self) -> Octet {
        Octet::new(self.given, self.classes, self.origin)
    }
}

/// What labels make of the components: a proposal's beliefs follow from it, about any part of the pool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fit {
    /// The components' weights for the proposal.
    pub weights: Vec<f64>,
    /// Weight of the components that take the probabilities nearly as they were given.
    pub trust: f64,
    /// Weights for these probabilities alone.
    pub given: Vec<f64>,
}

/// The labels seen so far, as their log-likelihood under each component.
///
/// Selection depends on x and on earlier labels only, so labels count alike however they were drawn.
pub struct Posterior<'a> {
    recalibration: &'a Recalibration,
    loss: &'a dyn Loss<Classification>,
    octet: Octet,
    sums: Vec<f64>,
    labels: usize,
}

impl Posterior<'_> {
    /// One more label: the probabilities that each expert gave its item, in the order of the experts, the model's
    /// prediction, and the class.
    pub fn tell<'a>(&mut self, experts: impl Iterator<Item = &'a [f64]>, prediction: &[f64], label: usize) {
        self.read(experts, prediction);
        self.labels += 1;
        let zero_one = self.recalibration.outcomes == Outcomes::ZeroOne;
        let wrong = zero_one && self.loss.loss(prediction, label) > 0.5;
        let octet = &self.octet;
        for (sum, component) in self.sums.iter_mut().zip(&self.recalibration.components) {
            *sum += if zero_one {
                let rate = octet.moments(component)[0][0].clamp(LEAST_RATE, 1.0 - LEAST_RATE);
                ln(if wrong { rate } else { 1.0 - rate })
            } else {
                ln(octet.probability(component, label) + 1e-12)
            };
        }
    }

    /// The probabilities of one item, in the first lane, and its prediction.
    fn temper<'a>(&mut self, experts: impl Iterator<Item = &'a [f64]>, prediction: &[f64]) -> Turned {
        let turned = |row: &[f64]| {
            let mut turned = Turned::new(row.len());
            turned.turn(row);
            turned
        };
        let experts: Vec<Turned> = experts.map(turned).collect();
        self.octet.temper(experts.iter().map(|expert| expert.eight(0)));
        turned(prediction)
    }

    /// One item, in the first lane.
    fn read<'a>(&mut self, experts: impl Iterator<Item = &'a [f64]>, prediction: &[f64]) {
        let prediction = self.temper(experts, prediction);
        self.octet.expect(self.loss, prediction.eight(0));
    }

    /// The loss that the components with these weights expect of an item.
    pub fn expected<'a>(
        &mut self,
        experts: impl Iterator<Item = &'a [f64]>,
        prediction: &[f64],
        weights: &[f64],
    ) -> f64 {
        self.read(experts, prediction);
        let octet = &self.octet;
        let firsts = self.recalibration.components.iter().map(|component| octet.moments(component)[0][0]);
        firsts.zip(weights).map(|(first, weight)| first * weight).sum()
    }

    /// The same for another loss.
    pub fn expected_by<'a>(
        &mut self,
        loss: &dyn Loss<Classification>,
        experts: impl Iterator<Item = &'a [f64]>,
        prediction: &[f64],
        weights: &[f64],
    ) -> f64 {
        let prediction = self.temper(experts, prediction);
        self.octet.expect_by(self.loss, loss, prediction.eight(0));
        let octet = &self.octet;
        let of = |component: &Component| match component.shape {
            Shape::Constant(rate) => {
                let [wrong, right] =
                    [Function::Wrong, Function::Right].map(|side| octet.function(&side)[0][0]);
                rate * wrong + (1.0 - rate) * right
            }
            Shape::Tempered { .. } => octet.moments(component)[0][0],
        };
        self.recalibration.components.iter().map(of).zip(weights).map(|(first, weight)| first * weight).sum()
    }

    /// Σ ln-likelihood of the labels under each component.
    pub fn log_likelihoods(&self) -> &[f64] {
        &self.sums
    }

    /// The components' weights for proposals.
    pub fn proposal_weights(&self) -> Vec<f64> {
        let early = self.labels < CONSTANTS_FROM;
        let Recalibration { components, log_priors, origin, .. } = self.recalibration;
        let parts = components.iter().zip(log_priors).zip(&self.sums);
        normalised(parts.map(|((component, prior), likelihood)| {
            if early && component.is_late(*origin) { f64::NEG_INFINITY } else { prior[0] + likelihood }
        }))
    }

    /// The components' weights for intervals.
    pub fn interval_weights(&self) -> Vec<f64> {
        let priors = self.recalibration.log_priors.iter().zip(&self.sums);
        normalised(priors.map(|(prior, likelihood)| prior[1] + likelihood))
    }

    /// Everything that the beliefs of a proposal follow from.
    pub fn fit(&self) -> Fit {
        let weights = self.proposal_weights();
        let (trust, given) = self.trust(&weights);
        Fit { weights, trust, given }
    }

    /// Weight of the components that take the probabilities nearly as they were given, and weights for these probabilities
    /// alone: those of their experts.
    fn trust(&self, weights: &[f64]) -> (f64, Vec<f64>) {
        let components = &self.recalibration.components;
        let trusted = components.iter().zip(weights).filter(|(component, _)| component.trusts());
        let trust = trusted.map(|(_, weight)| weight).sum();
        let of_expert = |expert: usize| {
            let own = |component: &Component| matches!(component.shape, Shape::Tempered { expert: e, .. } if e == expert);
            components
                .iter()
                .zip(weights)
                .filter(|(component, _)| own(component))
                .map(|(_, weight)| weight)
                .sum()
        };
        let given = components.iter().map(|component| component.as_given().map_or(0.0, of_expert)).collect();
        (trust, given)
    }
}

/// The values in their order and their weights, without [`LEFT_OUT`] of the weight at either end: the first and the last.
fn middle(values: &[(f64, f64)]) -> Option<(f64, f64)> {
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let quantile = |share: f64| {
        let mut below = 0.0;
        let reached = |(_, weight): &&(f64, f64)| {
            below += weight;
            below >= share * total
        };
        values.iter().find(reached).or(values.last()).map(|(value, _)| *value)
    };
    quantile(LEFT_OUT).zip(quantile(1.0 - LEFT_OUT))
}

/// e^log, divided by the sum.
fn normalised(logs: impl Iterator<Item = f64>) -> Vec<f64> {
    let logs: Vec<f64> = logs.collect();
    let top = logs.iter().fold(f64::NEG_INFINITY, |top, log| top.max(*log));
    let weight = |log: f64| if log - top < LOWEST { 0.0 } else { exponential(log - top) };
    let weights: Vec<f64> = logs.into_iter().map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}
