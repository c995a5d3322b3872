//! The components of the average: every expert at every temperature, in variants that the loss asks for, and constants.

use crate::loss::Outcomes;
use crate::numerics::exponential;

/// Temperatures T of p_T ∝ p^(1/T). They lie in two chains of squares: 8, 4, 2, 1, 0.5 and 1.4, 0.7, 0.35.
pub(super) const TEMPERATURES: [f64; 8] = [0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0, 8.0];

/// ln T is believed to be normal before any label is seen: mean and standard deviation.
const LOG_TEMPERATURE: (f64, f64) = (0.1, 0.4);

/// The same for forecasts of what labels are worth, which no labels correct: most models and judges are too sure of themselves,
/// some are not sure enough.
const LOG_TEMPERATURE_FORESEEN: (f64, f64) = (0.4, 0.6);

/// "The score says nothing about the item": errors are equally likely everywhere, at one of these rates.
const CONSTANTS: [f64; 9] = [0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99];

/// Prior weight of all constants together, relative to that of the temperatures.
const CONSTANT_SHARE: f64 = 0.1;

/// Labels that must be told before constants count for a zero-one loss: class probabilities deserve trust at first.
pub(super) const CONSTANTS_FROM: usize = 10;

/// Where the given probabilities come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// A probability per class, as classifiers give.
    #[default]
    Classes,
    /// One score per item: a single confidence, a judge's score or verdict. It can be wrong on one side only, or say
    /// nothing at all.
    Scores,
}

/// Log-odds by which the error rates of scores are shifted, to either side.
const SHIFT: f64 = 1.5;

/// Prior weight of a shifted component, relative to the one without a shift.
const SHIFTED_SHARE: f64 = 0.1;

/// Temperatures whose components speak for the probabilities as they were given.
const TRUSTED: std::ops::RangeInclusive<f64> = 0.7..=2.0;

/// One way to recalibrate an expert.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shape {
    /// (1 − h) p_T + h/C with h = ε + (1 − ε) δ (1 − max p_T).
    Tempered {
        expert: usize,
        /// Place in [`TEMPERATURES`].
        temperature: usize,
        /// Label noise: errors that confidence does not see.
        epsilon: f64,
        /// After an error, the ranking of the other classes is not a guide.
        delta: f64,
        /// Added to the log-odds of a loss of 1.
        shift: f64,
    },
    /// The model is wrong with this probability, whatever the item.
    Constant(f64),
}

/// A component with its prior weights, which the spread of its losses has yet to divide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Component {
    pub(super) shape: Shape,
    /// For the proposal.
    pub(super) proposal: f64,
    /// For the interval.
    pub(super) interval: f64,
    /// For forecasts before the first label, which no spread divides.
    pub(super) foreseen: f64,
}

impl Component {
    /// Whether it takes the probabilities nearly as they were given.
    pub(super) fn trusts(&self) -> bool {
        match self.shape {
            Shape::Tempered { temperature, epsilon, delta, shift, .. } => {
                let known = TEMPERATURES.get(temperature).is_some_and(|t| TRUSTED.contains(t));
                known && epsilon == 0.0 && delta == 0.0 && shift == 0.0
            }
            Shape::Constant(_) => false,
        }
    }

    /// The expert whose probabilities it takes exactly as they were given.
    pub(super) fn as_given(&self) -> Option<usize> {
        match self.shape {
            Shape::Tempered { expert, temperature, epsilon, delta, shift } => {
                let untempered = TEMPERATURES.get(temperature) == Some(&1.0);
                (untempered && epsilon == 0.0 && delta == 0.0 && shift == 0.0).then_some(expert)
            }
            Shape::Constant(_) => None,
        }
    }

    /// Whether its weight is 0 until a few labels are in.
    pub(super) fn is_late(&self, origin: Origin) -> bool {
        origin == Origin::Classes && matches!(self.shape, Shape::Constant(_))
    }
}

/// ε, δ and the weights for proposal and interval.
type Variant = (f64, f64, f64, f64);

const PLAIN: [Variant; 1] = [(0.0, 0.0, 1.0, 1.0)];
const CROSS_ENTROPY: [Variant; 5] = [
    (0.0, 0.0, 1.0, 1.0),
    (0.0, 0.1, 0.0, 4.0),
    (0.0, 0.3, 0.0, 2.0),
    (0.01, 0.0, 0.1, 0.1),
    (0.1, 0.0, 0.1, 0.1),
];
const CROSS_ENTROPY_OF_TWO: [Variant; 3] =
    [(0.0, 0.0, 1.0, 1.0), (0.01, 0.0, 0.3, 1.0), (0.1, 0.0, 0.3, 1.0)];

/// All components for a number of experts. Those of one expert and temperature follow each other.
pub(super) fn components(
    experts: usize,
    classes: usize,
    outcomes: Outcomes,
    origin: Origin,
) -> Vec<Component> {
    let variants: &[Variant] = match outcomes {
        Outcomes::LogProbability if classes == 2 => &CROSS_ENTROPY_OF_TWO,
        Outcomes::LogProbability => &CROSS_ENTROPY,
        Outcomes::ZeroOne | Outcomes::Other => &PLAIN,
    };
    let shifts: &[(f64, f64)] = match (outcomes, origin) {
        (Outcomes::ZeroOne, Origin::Scores) => &[(0.0, 1.0), (-SHIFT, SHIFTED_SHARE), (SHIFT, SHIFTED_SHARE)],
        _ => &[(0.0, 1.0)],
    };
    let mut all = Vec::new();
    for expert in 0..experts {
        for temperature in 0..TEMPERATURES.len() {
            let prior = temperature_prior(temperature, LOG_TEMPERATURE);
            let foreseen = temperature_prior(temperature, LOG_TEMPERATURE_FORESEEN);
            for &(epsilon, delta, proposal, interval) in variants {
                all.extend(shifts.iter().map(|&(shift, share)| Component {
                    shape: Shape::Tempered { expert, temperature, epsilon, delta, shift },
                    proposal: prior * proposal * share,
                    interval: prior * interval * share,
                    foreseen: foreseen * proposal * share,
                }));
            }
        }
    }
    if outcomes == Outcomes::ZeroOne {
        let weight = |normal: (f64, f64)| {
            let total: f64 = (0..TEMPERATURES.len()).map(|place| temperature_prior(place, normal)).sum();
            CONSTANT_SHARE * total * experts as f64 / CONSTANTS.len() as f64
        };
        let (believed, foreseen) = (weight(LOG_TEMPERATURE), weight(LOG_TEMPERATURE_FORESEEN));
        all.extend(CONSTANTS.iter().map(|&rate| Component {
            shape: Shape::Constant(rate),
            proposal: believed,
            interval: believed,
            foreseen,
        }));
    }
    all
}

/// The density of ln T, not normalised.
fn temperature_prior(temperature: usize, (mean, deviation): (f64, f64)) -> f64 {
    let log = TEMPERATURES.get(temperature).map_or(0.0, |&t| crate::numerics::ln(t));
    exponential(-0.5 * ((log - mean) / deviation).powi(2))
}
