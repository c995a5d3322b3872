//! Metrics of predicted numbers that are not averages.

use super::certain;
use super::mean::linearised_mean;
use super::{Linearised, Measure, Scale, Undefined, Unlabelled};
use crate::loss::{Bounds, Sign};
use crate::task::Gaussian;

/// A labelled item of a regression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Valued {
    /// f(x_i).
    pub prediction: Gaussian,
    /// y_i.
    pub label: f64,
}

/// A metric of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueMetric {
    /// The root of the mean squared error.
    RootMeanSquaredError,
    /// R²: 1 − Σ (y − f)² / Σ (y − ȳ)².
    RSquared,
    /// Kappa with quadratic weights, of numbers: 1 − E(f − y)² over the same of f and y paired at random.
    WeightedKappa,
}

impl Measure<Valued> for ValueMetric {
    fn name(&self) -> String {
        match self {
            Self::RootMeanSquaredError => "root mean squared error".to_owned(),
            Self::RSquared => "R²".to_owned(),
            Self::WeightedKappa => "weighted kappa".to_owned(),
        }
    }

    fn scale(&self) -> Scale {
        match self {
            Self::RootMeanSquaredError => Scale::Positive,
            Self::RSquared | Self::WeightedKappa => Scale::AtMostOne,
        }
    }

    fn bounds(&self, points: &[(&Valued, f64)], unlabelled: &Unlabelled) -> Option<Bounds> {
        if *self != Self::RootMeanSquaredError {
            return None;
        }
        let errors =
            points.iter().map(|(point, weight)| ((point.label - point.prediction.mean).powi(2), *weight));
        let Bounds { low, high } = certain::of_mean(errors, unlabelled, Sign::NonNegative, None)?;
        Some(Bounds { low: low.sqrt(), high: high.sqrt() })
    }

    fn linearised(&self, points: &[(&Valued, f64)]) -> Result<Linearised, Undefined> {
        let errors =
            points.iter().map(|(point, weight)| ((point.label - point.prediction.mean).powi(2), *weight));
        let errors: Vec<(f64, f64)> = errors.collect();
        let squared = linearised_mean(&errors)?;
        match self {
            Self::RootMeanSquaredError => {
                let value = squared.value.sqrt();
                // Without any error there is nothing to divide by, and no influence either.
                let half = if value > 0.0 { 0.5 / value } else { 0.0 };
                let influence = squared.influence.iter().map(|u| half * u).collect();
                Ok(Linearised { value, influence, support: 1.0, relevant: points.len() })
            }
            Self::WeightedKappa => agreement(points, &squared),
            Self::RSquared => {
                let labels: Vec<(f64, f64)> = points.iter().map(|(point, w)| (point.label, *w)).collect();
                let mean = linearised_mean(&labels)?.value;
                let spread: Vec<f64> = labels.iter().map(|(label, _)| (label - mean).powi(2)).collect();
                let sum_of =
                    |values: &mut dyn Iterator<Item = (f64, f64)>| values.map(|(x, w)| w * x).sum::<f64>();
                let weights = || labels.iter().map(|(_, weight)| *weight);
                let total = sum_of(&mut spread.iter().copied().zip(weights()));
                if labels.windows(2).all(|pair| matches!(pair, [one, other] if one.0 == other.0))
                    || total <= 0.0
                {
                    return Err(Undefined::ConstantLabels);
                }
                let ratio = sum_of(&mut errors.iter().copied()) / total;
                // The mean of the labels is where the spread about it is least, so its own change does not count.
                let influence = errors.iter().zip(&spread).map(|((e, _), d)| (ratio * d - e) / total);
                Ok(Linearised {
                    value: 1.0 - ratio,
                    influence: influence.collect(),
                    support: 1.0,
                    relevant: points.len(),
                })
            }
        }
    }
}

/// 1 − E(f − y)² / (Var f + Var y + (mean f − mean y)²), about these points.
fn agreement(points: &[(&Valued, f64)], squared: &Linearised) -> Result<Linearised, Undefined> {
    let all: f64 = points.iter().map(|(_, weight)| weight).sum();
    let mean = |of: &dyn Fn(&Valued) -> f64| points.iter().map(|(point, w)| w * of(point)).sum::<f64>() / all;
    let (said, told) = (mean(&|point| point.prediction.mean), mean(&|point| point.label));
    let apart = |point: &Valued| {
        let (f, y) = (point.prediction.mean - said, point.label - told);
        (f, y)
    };
    let spread = mean(&|point| {
        let (f, y) = apart(point);
        f * f + y * y
    });
    let shift = said - told;
    let chance = spread + shift * shift;
    if chance <= 1e-15 {
        return Err(Undefined::ConstantLabels);
    }
    let ratio = squared.value / chance;
    let influence = points.iter().zip(&squared.influence).map(|((point, _), own)| {
        let (f, y) = apart(point);
        let by_chance = (f * f + y * y - spread + 2.0 * shift * (f - y)) / all;
        (ratio * by_chance - own) / chance
    });
    Ok(Linearised {
        value: 1.0 - ratio,
        influence: influence.collect(),
        support: 1.0,
        relevant: points.len(),
    })
}
