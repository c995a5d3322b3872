//! How probabilities become a predicted class: the most probable one, or, of two classes, by a threshold.

use super::{Bounds, Loss, Moments, Outcomes, most_probable};
use crate::error::{Error, Result};
use crate::task::Classification;

/// How probabilities become a predicted class.
///
/// ```
/// use labelwise::loss::Decision;
/// let strict = Decision::threshold(1, 0.8)?;
/// assert_eq!((strict.predicted(&[0.3, 0.7]), strict.predicted(&[0.2, 0.8])), (0, 1));
/// assert_eq!(Decision::default().predicted(&[0.3, 0.7]), 1);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Decision {
    /// The most probable class, the first of equals.
    #[default]
    MostProbable,
    /// Of two classes, this one if its probability is at least the threshold, otherwise the other one.
    Threshold {
        /// The class.
        class: usize,
        /// The least probability with which it is predicted.
        threshold: f64,
    },
}

impl Decision {
    /// A threshold for one of two classes.
    pub fn threshold(class: usize, threshold: f64) -> Result<Self> {
        if (0.0..=1.0).contains(&threshold) {
            return Ok(Self::Threshold { class, threshold });
        }
        Err(Error::Option { name: "threshold", value: threshold, range: "from 0 to 1" })
    }

    /// The predicted class.
    #[allow(clippy::cast_possible_truncation, reason = "the rounding of f32 is what is asked for")]
    pub fn predicted(self, probabilities: &[f64]) -> usize {
        match self {
            Self::MostProbable => most_probable(probabilities),
            Self::Threshold { class, threshold } => {
                let p = probabilities.get(class).copied().unwrap_or(f64::NAN);
                // A probability of 0.7 that was stored in f32 is a little less than 0.7.
                let reached = p >= threshold || p == f64::from(threshold as f32);
                if reached { class } else { usize::from(class == 0) }
            }
        }
    }
}

/// 1 if the predicted class is not the label, where a [`Decision`] says what is predicted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Misjudged(pub Decision);

impl Loss<Classification> for Misjudged {
    fn name(&self) -> &'static str {
        "zero-one loss"
    }

    fn loss(&self, prediction: &[f64], label: usize) -> f64 {
        if self.0.predicted(prediction) == label { 0.0 } else { 1.0 }
    }

    fn moments(&self, prediction: &[f64], belief: &[f64]) -> Moments {
        let right = belief.get(self.0.predicted(prediction)).copied().unwrap_or(f64::NAN);
        let wrong = (belief.iter().sum::<f64>() - right).max(0.0);
        Moments { first: wrong, second: wrong }
    }

    fn bounds(&self, _prediction: &[f64]) -> Option<Bounds> {
        self.range()
    }

    fn of_every_class(&self, prediction: &[f64], losses: &mut Vec<f64>) -> bool {
        let chosen = self.0.predicted(prediction);
        losses.clear();
        losses.extend((0..prediction.len()).map(|label| if label == chosen { 0.0 } else { 1.0 }));
        true
    }

    fn range(&self) -> Option<Bounds> {
        Some(Bounds { low: 0.0, high: 1.0 })
    }

    fn outcomes(&self) -> Outcomes {
        Outcomes::ZeroOne
    }
}
