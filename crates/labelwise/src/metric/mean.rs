//! Mean losses within slices and together with other metrics. There a mean is a ratio of two estimates as well.

use super::certain;
use super::{Extreme, Judged, Linearised, Measure, Scale, Undefined, Unlabelled, Valued, skips};
use crate::loss::{Bounds, Loss, Sign};
use crate::task::{Classification, Regression};

/// The mean of a loss; of [`ZeroOne`](crate::loss::ZeroOne) it is the error rate.
#[derive(Debug, Clone)]
pub struct MeanLoss<L>(
    /// The loss.
    pub L,
);

/// How often the predicted class is not the label; for classes without probabilities too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorRate;

impl Measure<Judged> for ErrorRate {
    fn name(&self) -> String {
        "error rate".to_owned()
    }

    fn scale(&self) -> Scale {
        Scale::Unit
    }

    fn linearised(&self, points: &[(&Judged, f64)]) -> Result<Linearised, Undefined> {
        let wrong = |(point, weight): &(&Judged, f64)| (if point.is_right() { 0.0 } else { 1.0 }, *weight);
        linearised_mean(&points.iter().map(wrong).collect::<Vec<_>>())
    }

    fn bounds(&self, points: &[(&Judged, f64)], unlabelled: &Unlabelled) -> Option<Bounds> {
        let wrong = points.iter().map(|(point, weight)| (if point.is_right() { 0.0 } else { 1.0 }, *weight));
        certain::of_mean(wrong, unlabelled, Sign::NonNegative, Some(Bounds { low: 0.0, high: 1.0 }))
    }

    fn extremes(
        &self,
        labelled: &[(&Judged, f64)],
        skipped: &[(&Judged, f64)],
    ) -> Option<[Extreme<Judged>; 2]> {
        skips::of_mean(labelled, skipped, |point, label| if label == point.predicted { 0.0 } else { 1.0 })
    }
}

fn scale(sign: Sign, range: Option<Bounds>) -> Scale {
    match (sign, range) {
        (_, Some(Bounds { low, high })) if low == 0.0 && high == 1.0 => Scale::Unit,
        (Sign::NonNegative, _) => Scale::Positive,
        (Sign::Signed, _) => Scale::Plain,
    }
}

/// Σ w ℓ / Σ w.
pub(super) fn linearised_mean(losses: &[(f64, f64)]) -> Result<Linearised, Undefined> {
    let mass: f64 = losses.iter().map(|(_, weight)| weight).sum();
    if mass <= 0.0 {
        return Err(Undefined::NoLabels);
    }
    let value = losses.iter().map(|(loss, weight)| weight * loss).sum::<f64>() / mass;
    let influence = losses.iter().map(|(loss, _)| (loss - value) / mass).collect();
    Ok(Linearised { value, influence, support: 1.0, relevant: losses.len() })
}

impl<L: Loss<Classification>> Measure<Judged> for MeanLoss<L> {
    fn name(&self) -> String {
        self.0.name().to_owned()
    }

    fn scale(&self) -> Scale {
        scale(self.0.sign(), self.0.range())
    }

    fn linearised(&self, points: &[(&Judged, f64)]) -> Result<Linearised, Undefined> {
        if points.iter().any(|(point, _)| point.probabilities.is_empty()) {
            return Err(Undefined::NoProbabilities);
        }
        let loss =
            |(point, weight): &(&Judged, f64)| (self.0.loss(&point.probabilities, point.label), *weight);
        linearised_mean(&points.iter().map(loss).collect::<Vec<_>>())
    }

    fn bounds(&self, points: &[(&Judged, f64)], unlabelled: &Unlabelled) -> Option<Bounds> {
        if points.iter().any(|(point, _)| point.probabilities.is_empty()) {
            return None;
        }
        let loss =
            points.iter().map(|(point, weight)| (self.0.loss(&point.probabilities, point.label), *weight));
        certain::of_mean(loss, unlabelled, self.0.sign(), self.0.range())
    }

    fn extremes(
        &self,
        labelled: &[(&Judged, f64)],
        skipped: &[(&Judged, f64)],
    ) -> Option<[Extreme<Judged>; 2]> {
        if labelled.iter().chain(skipped).any(|(point, _)| point.probabilities.is_empty()) {
            return None;
        }
        skips::of_mean(labelled, skipped, |point, label| self.0.loss(&point.probabilities, label))
    }
}

impl<L: Loss<Regression>> Measure<Valued> for MeanLoss<L> {
    fn name(&self) -> String {
        self.0.name().to_owned()
    }

    fn scale(&self) -> Scale {
        scale(self.0.sign(), self.0.range())
    }

    fn linearised(&self, points: &[(&Valued, f64)]) -> Result<Linearised, Undefined> {
        let loss = |(point, weight): &(&Valued, f64)| (self.0.loss(point.prediction, point.label), *weight);
        linearised_mean(&points.iter().map(loss).collect::<Vec<_>>())
    }

    fn bounds(&self, points: &[(&Valued, f64)], unlabelled: &Unlabelled) -> Option<Bounds> {
        let loss = points.iter().map(|(point, weight)| (self.0.loss(point.prediction, point.label), *weight));
        certain::of_mean(loss, unlabelled, self.0.sign(), self.0.range())
    }
}
