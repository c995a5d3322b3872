//! Cross-entropy: the paper's loss for classifiers, and the one whose acquisition costs the most.

#![allow(
    unsafe_code,
    reason = "one call of safe code that is compiled for wider registers, where they are there"
)]

use super::logarithm::ln;
use super::{Bounds, Loss, Moments, Outlook};
use crate::error::{Error, Result};
use crate::matrix::Rows;
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

    fn one(&self, prediction: &[f64], belief: &[f64]) -> Outlook {
        let sum: f64 = prediction.iter().map(|&p| self.clip(p)).sum();
        let losses: Vec<f64> = prediction.iter().map(|&p| -ln(self.clip(p))).collect();
        of_row(&losses, belief, ln(sum))
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
        self.one(prediction, belief).moments
    }

    fn bounds(&self, prediction: &[f64]) -> Option<Bounds> {
        self.one(prediction, prediction).bounds
    }

    fn range(&self) -> Option<Bounds> {
        // Clipped probabilities sum to a little more than 1, since rows may; with a large ε and many classes to more.
        (self.epsilon <= 1e-9).then(|| Bounds { low: 0.0, high: 0.01 - self.epsilon.ln() })
    }

    fn outlooks(&self, predictions: Rows<'_>, beliefs: Rows<'_>, outlooks: &mut [Outlook]) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just said that it has AVX2.
            return unsafe { runs_avx2(self, predictions, beliefs, outlooks) };
        }
        runs(self, predictions, beliefs, outlooks);
    }
}

/// The same code for wider registers; the same bits come out.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn runs_avx2(loss: &CrossEntropy, predictions: Rows<'_>, beliefs: Rows<'_>, outlooks: &mut [Outlook]) {
    runs(loss, predictions, beliefs, outlooks);
}

/// A few rows at a time, so that what is in hand stays in the nearest cache.
#[inline(always)]
fn runs(loss: &CrossEntropy, predictions: Rows<'_>, beliefs: Rows<'_>, outlooks: &mut [Outlook]) {
    let classes = predictions.columns();
    let rows = (1024 / classes).clamp(8, 256);
    let (mut clipped, mut losses) = (vec![0.0; rows * classes], vec![0.0; rows * classes]);
    let (mut sums, mut shifts) = (vec![0.0; rows], vec![0.0; rows]);
    let runs = predictions.values().chunks(rows * classes).zip(beliefs.values().chunks(rows * classes));
    for ((predictions, beliefs), outlooks) in runs.zip(outlooks.chunks_mut(rows)) {
        for ((clipped, minus_log), &p) in clipped.iter_mut().zip(&mut losses).zip(predictions) {
            *clipped = loss.clip(p);
            *minus_log = -ln(*clipped);
        }
        for (sum, row) in sums.iter_mut().zip(clipped.chunks_exact(classes)) {
            *sum = row.iter().sum();
        }
        // Dividing by the sum adds the same constant to the loss of every class.
        shifts.iter_mut().zip(&sums).for_each(|(shift, sum)| *shift = ln(*sum));
        let rows = losses.chunks_exact(classes).zip(beliefs.chunks_exact(classes)).zip(&shifts);
        for (((losses, belief), shift), outlook) in rows.zip(outlooks) {
            *outlook = of_row(losses, belief, *shift);
        }
    }
}

/// Eq. (12), the cross-entropy between the surrogate's predictive distribution and the model's; the same for the
/// square; and the extremes. From the losses of the classes, but for the constant `shift`.
#[inline(always)]
fn of_row(losses: &[f64], belief: &[f64], shift: f64) -> Outlook {
    let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
    for (&loss, &pi) in losses.iter().zip(belief) {
        mass += pi;
        first += pi * loss;
        second += pi * loss * loss;
    }
    let low = losses.iter().fold(f64::INFINITY, |low, &loss| if loss < low { loss } else { low });
    let high = losses.iter().fold(f64::NEG_INFINITY, |high, &loss| if loss > high { loss } else { high });
    let moments =
        Moments { first: first + mass * shift, second: second + shift * (2.0 * first + mass * shift) };
    Outlook { moments, bounds: Some(Bounds { low: low + shift, high: high + shift }) }
}
