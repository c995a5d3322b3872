//! Metrics that are not averages in simulations: what all labels say, and what a run says.

use labelwise::ledger::Ledger;
use labelwise::metric::{
    ClassMetric, Judged, Measure, MetricEstimate, PredictedClasses, ValueMetric, Valued, WeightedDraws,
};
use labelwise::task::Gaussian;
use labelwise::{Matrix, Target, Task};
use labelwise_pool::{Labels, PoolTable, Predictions};

use super::{Outcome, SimulatedInterval, Truth};
use crate::error::{MetricError, Result};
use crate::questions::classes::Classes;
use crate::spec::measurable::{Measurable, Score, ScoreName};
use crate::spec::settings::Settings;
use crate::spec::subject::Subject;

/// What a simulation measures.
pub(super) enum Gauge {
    /// The mean of the recorded loss.
    Mean,
    /// The root of that mean.
    Root,
    /// A metric of classes, with every item of the pool.
    Classes { metric: ClassMetric, points: Vec<Judged>, counts: Vec<usize> },
    /// A metric of numbers, with every item of the pool.
    Values { metric: ValueMetric, points: Vec<Valued> },
}

/// The sums of the weights of a proposal by predicted class, and of the rest, with the number of draws before it.
pub(super) type ProposalWeights = (usize, Vec<f64>);

impl Gauge {
    /// What the settings were made for. Several metrics, and a table of gaps, are refused.
    pub(super) fn new(table: &PoolTable, settings: &Settings) -> Result<(Self, Option<Score>)> {
        let score = match settings.aims.as_slice() {
            [] => return Ok((Self::Mean, None)),
            [Measurable::Score(score)] => score.as_one(),
            all if all.iter().all(|aim| aim.score().is_none()) => return Ok((Self::Mean, None)),
            _ => return Err(MetricError::Several { made_for: settings.made_for() }.into()),
        };
        if settings.design.is_stratified() {
            return Err(crate::error::DesignError::MeansOnly { metric: score.name }.into());
        }
        let gauge = match score.score {
            ScoreName::Calibration => return Err(MetricError::NotSimulated { metric: score.name }.into()),
            ScoreName::RootMeanSquaredError => Self::Root,
            name if settings.subject == Subject::Values => {
                Self::Values { metric: name.of_values(), points: valued(table) }
            }
            _ => {
                let (points, mut classes) = judged(table, settings)?;
                let metrics = classes.metrics(&score, settings.positive.as_deref())?;
                let Some((metric, _)) = metrics.into_iter().next() else {
                    return Err(MetricError::NotSimulated { metric: score.name }.into());
                };
                let mut counts = vec![0; classes.len()];
                for point in &points {
                    if let Some(count) = counts.get_mut(point.predicted) {
                        *count += 1;
                    }
                }
                // The classes of a run are those of the pool.
                let counts = if score.is_ratio() { counts } else { Vec::new() };
                Self::Classes { metric, points, counts }
            }
        };
        Ok((gauge, Some(score)))
    }

    /// What all labels say; `None` for means, whose truth is that of the loss. The variance is that of influences.
    pub(super) fn truth(&self) -> Result<Option<Truth>> {
        Ok(match self {
            Self::Mean | Self::Root => None,
            Self::Classes { metric, points, .. } => Some(truth(metric, points)?),
            Self::Values { metric, points } => Some(truth(metric, points)?),
        })
    }

    /// The weights of a proposal by predicted class; nothing where they are not used.
    pub(super) fn weights(&self, draws: usize, weights: &[f64]) -> Option<ProposalWeights> {
        let Self::Classes { points, counts, .. } = self else { return None };
        if counts.is_empty() {
            return None;
        }
        let mut sums = vec![0.0; counts.len() + 1];
        for (point, weight) in points.iter().zip(weights) {
            if let Some(sum) = sums.get_mut(point.predicted) {
                *sum += weight;
            }
        }
        Some((draws, sums))
    }

    /// What the draws of a run say; `None` for means, and `Some(None)` if the metric has no value yet.
    pub(super) fn outcome<T: Task>(
        &self,
        ledger: &Ledger<T>,
        proposals: &[ProposalWeights],
        level: f64,
        truth: Truth,
    ) -> Result<Option<Option<Outcome>>> {
        let found = match self {
            Self::Mean | Self::Root => return Ok(None),
            Self::Classes { metric, points, counts } => {
                let mut draws = drawn(ledger, points)?;
                if !proposals.is_empty() {
                    let mut classes = PredictedClasses::new(counts.clone());
                    for (draws, weights) in proposals {
                        classes = classes.with_proposal(*draws, weights.clone())?;
                    }
                    draws = draws.with_predicted(classes);
                }
                draws.measure(metric, Target::Pool, level)?
            }
            Self::Values { metric, points } => drawn(ledger, points)?.measure(metric, Target::Pool, level)?,
        };
        Ok(Some(outcome(&found, truth)))
    }
}

fn outcome(found: &MetricEstimate, truth: Truth) -> Option<Outcome> {
    let interval = found.interval.map(|interval| SimulatedInterval {
        low: interval.low,
        high: interval.high,
        covers: interval.covers(truth.risk),
    });
    found.value.as_ref().ok().map(|value| Outcome { estimate: *value, interval })
}

/// The draws of a run, with their points.
fn drawn<T: Task, P: Clone>(ledger: &Ledger<T>, points: &[P]) -> Result<WeightedDraws<P>> {
    Ok(WeightedDraws::new(ledger, |_, draw, _| {
        points.get(draw.index).cloned().ok_or(labelwise::Error::NoSamples { next: None })
    })?)
}

/// The metric of the whole pool, and the variance of its influences.
fn truth<P>(measure: &dyn Measure<P>, points: &[P]) -> Result<Truth> {
    #[allow(clippy::cast_precision_loss, reason = "items are counted in millions")]
    let share = 1.0 / points.len().max(1) as f64;
    let weighted: Vec<(&P, f64)> = points.iter().map(|point| (point, share)).collect();
    let found = measure.linearised(&weighted).map_err(|why| MetricError::NoTruth {
        metric: measure.name(),
        reason: why.in_words(|class: usize| class.to_string()),
    })?;
    let variance = found.influence.iter().map(|u| u * u * share).sum();
    Ok(Truth { risk: found.value, variance })
}

/// Every item of the pool with its label, and the classes.
fn judged(table: &PoolTable, settings: &Settings) -> Result<(Vec<Judged>, Classes)> {
    let labels: &[u32] = match &table.labels {
        Some(Labels::Classes(labels)) => labels,
        _ => &[],
    };
    match (&table.predictions, &settings.subject) {
        (Predictions::Classes { rows, .. }, Subject::Classes { names }) => {
            let mut reader = Matrix::reader(rows);
            let decision = settings.decision();
            let point = |(item, label): (usize, &u32)| {
                Judged::decided(reader.row(item).to_vec(), *label as usize, decision)
            };
            let points = labels.iter().enumerate().map(point).collect::<labelwise::Result<Vec<_>>>()?;
            Ok((points, Classes::all(names).deciding(decision)))
        }
        (Predictions::Hard { names, classes }, _) => {
            let mut known = Classes::seen();
            let name = |class: u32| names.get(class as usize).map_or("", String::as_str);
            let points = classes.iter().zip(labels).map(|(predicted, label)| {
                Judged::hard(known.number(name(*predicted)), known.number(name(*label)))
            });
            Ok((points.collect(), known))
        }
        _ => Ok((Vec::new(), Classes::default())),
    }
}

/// Every predicted number of the pool with its label.
fn valued(table: &PoolTable) -> Vec<Valued> {
    match (&table.predictions, &table.labels) {
        (Predictions::Values { means, variances }, Some(Labels::Values(labels))) => {
            let variance =
                |item: usize| variances.as_ref().and_then(|all| all.get(item).copied()).unwrap_or(0.0);
            let points = means.iter().zip(labels).enumerate().map(|(item, (mean, label))| Valued {
                prediction: Gaussian { mean: *mean, variance: variance(item) },
                label: *label,
            });
            points.collect()
        }
        _ => Vec::new(),
    }
}
