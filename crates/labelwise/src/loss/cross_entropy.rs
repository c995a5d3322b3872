//! Cross-entropy: the paper's loss for classifiers, and the one whose acquisition costs the most.

use std::hint::select_unpredictable;

use super::{Bounds, ExpectedLosses, Loss, Moments, Outcomes};
use crate::error::{Error, Result};
use crate::matrix::Rows;
use crate::numerics::{
    Eight, LANES, Lanes, SideBySide, Wide, eight_at, expected_losses, ln, moments, one_by_one, widely,
};
use crate::task::Classification;

/// −log f(x)_y.
///
/// Probabilities are clipped to [ε, 1 − ε] and then divided by their sum, so that a confident miss costs −log ε
/// (34.5 with the usual ε = 1e-15) rather than infinity, and rows that sum to 1.0004 do no harm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrossEntropy {
    epsilon: f64,
}

impl Default for CrossEntropy {
    /// The authors' ε = 1e-15.
    fn default() -> Self {
        Self { epsilon: 1e-15 }
    }
}

impl CrossEntropy {
    /// With another ε, which bounds the loss by about −log ε, or a little more where classes are many.
    pub fn with_epsilon(epsilon: f64) -> Result<Self> {
        // Below the smallest normal float there is no logarithm to be had.
        if (f64::MIN_POSITIVE..0.5).contains(&epsilon) {
            Ok(Self { epsilon })
        } else {
            Err(Error::Option { name: "epsilon", value: epsilon, range: "above 0 and below 0.5" })
        }
    }

    #[inline(always)]
    fn clip(&self, probability: f64) -> f64 {
        // A comparison each way: clamp would check its own bounds in the hottest loop there is.
        let above = if probability < self.epsilon { self.epsilon } else { probability };
        if above > 1.0 - self.epsilon { 1.0 - self.epsilon } else { above }
    }
}

impl Loss<Classification> for CrossEntropy {
    fn name(&self) -> &'static str {
        "cross-entropy"
    }

    fn loss(&self, prediction: &[f64], label: usize) -> f64 {
        let sum: f64 = prediction.iter().map(|&p| self.clip(p)).sum();
        prediction.get(label).map_or(f64::NAN, |&p| ln(sum) - ln(self.clip(p)))
    }

    fn moments(&self, prediction: &[f64], belief: &[f64]) -> Moments {
        moments(self, prediction, belief)
    }

    fn bounds(&self, prediction: &[f64]) -> Option<Bounds> {
        let (mut sum, mut least, mut most) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
        for &p in prediction {
            let clipped = self.clip(p);
            sum += clipped;
            least = if clipped < least { clipped } else { least };
            most = if clipped > most { clipped } else { most };
        }
        // Two logarithms, and the same bits as those of the extremes among the logarithms of all.
        let shift = ln(sum);
        Some(Bounds { low: shift - ln(most), high: shift - ln(least) })
    }

    fn range(&self) -> Option<Bounds> {
        // Clipped probabilities sum to a little more than 1, since rows may; with a large ε and many classes to more.
        (self.epsilon <= 1e-9).then(|| Bounds { low: 0.0, high: 0.01 - self.epsilon.ln() })
    }

    fn outcomes(&self) -> Outcomes {
        Outcomes::LogProbability
    }

    fn takes_any_numbers(&self) -> bool {
        true
    }

    fn of_every_class(&self, prediction: &[f64], losses: &mut Vec<f64>) -> bool {
        let shift = ln(prediction.iter().map(|&p| self.clip(p)).sum());
        losses.clear();
        losses.extend(prediction.iter().map(|&p| shift - ln(self.clip(p))));
        true
    }

    fn of_every_class_of_eight(&self, predictions: &[Lanes], losses: &mut [Lanes]) -> bool {
        widely(Logarithms { of: self, predictions, losses });
        true
    }

    fn expected_losses(&self, predictions: Rows<'_>, beliefs: Rows<'_>, into: &mut ExpectedLosses) {
        expected_losses(self, predictions, beliefs, into);
    }

    fn expected_eight(
        &self,
        predictions: &[Lanes],
        beliefs: &[Lanes],
        place: usize,
        into: &mut ExpectedLosses,
    ) -> bool {
        eight_at(self, predictions, beliefs, place, into);
        true
    }
}

impl SideBySide for CrossEntropy {
    /// Eq. (12), the cross-entropy between the surrogate's predictive distribution and the model's; the same for the
    /// square; and the extremes.
    #[inline(always)]
    #[allow(
        clippy::indexing_slicing,
        clippy::needless_range_loop,
        reason = "a kernel: every index is a lane or a class, and plain loops over lanes become vector instructions"
    )]
    fn eight(&self, predictions: &[Lanes], beliefs: &[Lanes]) -> Eight {
        let (mut sum, mut mass, mut first, mut second) =
            ([0.0; LANES], [0.0; LANES], [0.0; LANES], [0.0; LANES]);
        let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for class in one_by_one(predictions.len()) {
            let (p, pi) = (predictions[class], beliefs[class]);
            for lane in 0..LANES {
                let clipped = self.clip(p[lane]);
                let loss = -ln(clipped);
                let part = pi[lane] * loss;
                sum[lane] += clipped;
                mass[lane] += pi[lane];
                first[lane] += part;
                second[lane] += part * loss;
                // A plain `if` would become a store under a mask, which is slow.
                low[lane] = select_unpredictable(loss < low[lane], loss, low[lane]);
                high[lane] = select_unpredictable(loss > high[lane], loss, high[lane]);
            }
        }
        for lane in 0..LANES {
            // Dividing by the sum adds the same constant to the loss of every class.
            let shift = ln(sum[lane]);
            let part = mass[lane] * shift;
            second[lane] += shift * (2.0 * first[lane] + part);
            first[lane] += part;
            low[lane] += shift;
            high[lane] += shift;
        }
        Eight { first, second, low, high }
    }
}

/// Losses of every class of eight items.
struct Logarithms<'a> {
    of: &'a CrossEntropy,
    predictions: &'a [Lanes],
    losses: &'a mut [Lanes],
}

impl Wide for Logarithms<'_> {
    #[inline(always)]
    #[allow(
        clippy::indexing_slicing,
        clippy::needless_range_loop,
        reason = "a kernel: every index is a lane or a class"
    )]
    fn run(self) {
        let Self { of, predictions, losses } = self;
        let mut sum = [0.0; LANES];
        for class in one_by_one(predictions.len()) {
            let (p, mut logs) = (predictions[class], [0.0; LANES]);
            for lane in 0..LANES {
                let clipped = of.clip(p[lane]);
                sum[lane] += clipped;
                logs[lane] = ln(clipped);
            }
            losses[class] = logs;
        }
        let mut shift = [0.0; LANES];
        for lane in 0..LANES {
            shift[lane] = ln(sum[lane]);
        }
        for class in one_by_one(losses.len()) {
            let mut found = losses[class];
            for lane in 0..LANES {
                found[lane] = shift[lane] - found[lane];
            }
            losses[class] = found;
        }
    }
}
