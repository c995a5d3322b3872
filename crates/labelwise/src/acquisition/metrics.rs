//! Proposals for metrics that are not means, and for several at once.
//!
//! The estimate of a metric varies as LURE does on its influence u, so its best proposal is q ∝ √E(u²). The influence
//! depends on the metric itself, for which what the surrogate believes and the labels so far are put: hence a schedule.
//! For several metrics q ∝ √(Σ_k E(u_k²) / (mean √E(u_k²))²), where every metric counts the same.

use super::{Acquisition, Candidates};
use crate::error::Result;
use crate::loss::{Decision, Loss, SquaredError, most_probable};
use crate::metric::{ClassMetric, Curve, Gap, MeanLoss, Slope, Totals, ValueMetric, slope};
use crate::surrogate::Schedule;
use crate::task::{Classification, GaussianBelief, Regression, Task};

/// A metric to draw for.
pub trait SamplingTarget<T: Task>: Send + Sync {
    /// E(u²) of each item of the pool; those of items that are not open are ignored. All zero where the metric has no
    /// value under what is believed.
    fn expected_squares(&self, candidates: &Candidates<'_, T>) -> Result<Vec<f64>>;
}

/// Chosen at run time.
impl<T: Task> SamplingTarget<T> for Box<dyn SamplingTarget<T>> {
    fn expected_squares(&self, candidates: &Candidates<'_, T>) -> Result<Vec<f64>> {
        (**self).expected_squares(candidates)
    }
}

/// Scores for one metric or several.
///
/// ```
/// use labelwise::acquisition::ForMetrics;
/// use labelwise::loss::ZeroOne;
/// use labelwise::metric::ClassMetric;
/// use labelwise::{Evaluation, Fixed, Matrix, Pool};
/// let pool = Pool::classification(Matrix::f64(vec![0.9, 0.1, 0.2, 0.8, 0.6, 0.4], 2)?)?;
/// let surrogate = Fixed(pool.own_beliefs()?);
/// let aims = ForMetrics::new(ClassMetric::F1 { class: 1 }).and(ClassMetric::Recall { class: 1 });
/// let evaluation = Evaluation::builder(pool, ZeroOne, surrogate).acquisition(aims).build()?;
/// # assert_eq!(evaluation.left(), 3);
/// # Ok::<(), labelwise::Error>(())
/// ```
pub struct ForMetrics<T: Task> {
    aims: Vec<Box<dyn SamplingTarget<T>>>,
    schedule: Schedule,
}

impl<T: Task> ForMetrics<T> {
    /// For one metric, looked at again after every 50 labels.
    pub fn new(aim: impl SamplingTarget<T> + 'static) -> Self {
        Self { aims: vec![Box::new(aim)], schedule: Schedule::Every(50) }
    }

    /// For one more.
    pub fn and(mut self, aim: impl SamplingTarget<T> + 'static) -> Self {
        self.aims.push(Box::new(aim));
        self
    }

    /// When scores are computed again with the labels so far.
    pub fn refreshed(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }
}

impl<T: Task> std::fmt::Debug for ForMetrics<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ForMetrics")
            .field("aims", &self.aims.len())
            .field("schedule", &self.schedule)
            .finish()
    }
}

impl<T: Task> Acquisition<T> for ForMetrics<T> {
    fn name(&self) -> &'static str {
        "for metrics"
    }

    fn needs_expectation(&self) -> bool {
        false
    }

    fn scores(&mut self, candidates: Candidates<'_, T>) -> Result<Vec<f64>> {
        let mut scores = vec![0.0; candidates.pool.pool_size()];
        for aim in &self.aims {
            let squares = aim.expected_squares(&candidates)?;
            let open = squares.iter().zip(candidates.open).filter(|(_, open)| **open);
            let (sum, count) = open
                .fold((0.0, 0.0), |(sum, count), (square, _)| (sum + square.max(0.0).sqrt(), count + 1.0));
            let mean: f64 = sum / count;
            if mean > 0.0 {
                scores
                    .iter_mut()
                    .zip(&squares)
                    .for_each(|(score, square)| *score += square.max(0.0) / (mean * mean));
            }
        }
        scores.iter_mut().for_each(|score| *score = score.sqrt());
        Ok(scores)
    }

    fn schedule(&self) -> Schedule {
        self.schedule.clone()
    }
}

/// The label of each item that has one.
fn told<T: Task>(candidates: &Candidates<'_, T>) -> Vec<Option<T::Label>> {
    let mut labels = vec![None; candidates.pool.pool_size()];
    for &(item, label) in candidates.observed {
        if let Some(slot) = labels.get_mut(item) {
            *slot = Some(label);
        }
    }
    labels
}

/// A metric of classes, and how probabilities become the classes that it is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decided {
    /// The metric.
    pub metric: ClassMetric,
    /// The predictions.
    pub decision: Decision,
}

/// The slope of a metric of the confusion matrix, with labels where they were told and beliefs where not.
fn believed_slope(target: &Decided, candidates: &Candidates<'_, Classification>) -> Option<Slope> {
    let labels = told(candidates);
    let mut totals = Totals::new(candidates.pool.predictions().columns());
    let (mut rows, mut beliefs) =
        (candidates.pool.predictions().reader(), candidates.beliefs.rows().reader());
    for (item, label) in labels.iter().enumerate() {
        let predicted = target.decision.predicted(rows.row(item));
        totals.add_prediction(predicted, 1.0);
        match label {
            Some(label) => totals.add_label(predicted, *label, 1.0),
            None => {
                let belief = beliefs.row(item).iter().enumerate();
                belief.for_each(|(label, pi)| totals.add_label(predicted, label, *pi));
            }
        }
    }
    slope(target.metric, &totals).ok()
}

/// Of the most probable class.
impl SamplingTarget<Classification> for ClassMetric {
    fn expected_squares(&self, candidates: &Candidates<'_, Classification>) -> Result<Vec<f64>> {
        Decided { metric: *self, decision: Decision::MostProbable }.expected_squares(candidates)
    }
}

/// E(u²) of average precision, with labels where they were told and beliefs where not; `None` without mass of the class.
fn by_precision(class: usize, candidates: &Candidates<'_, Classification>) -> Option<Vec<f64>> {
    let labels = told(candidates);
    let (mut rows, mut beliefs) =
        (candidates.pool.predictions().reader(), candidates.beliefs.rows().reader());
    let of = |row: &[f64]| row.get(class).copied().unwrap_or(0.0);
    let scores: Vec<f64> = (0..labels.len()).map(|item| of(rows.row(item))).collect();
    let believed: Vec<f64> = (0..labels.len()).map(|item| of(beliefs.row(item))).collect();
    let mass = |(label, believed): (&Option<usize>, &f64)| match label {
        Some(label) => (if *label == class { 1.0 } else { 0.0 }, 1.0),
        None => (*believed, 1.0),
    };
    let masses: Vec<(f64, f64)> = labels.iter().zip(&believed).map(mass).collect();
    let (_, slopes) = Curve::new(&scores, &masses)?.average_precision();
    let square = |((own, other), pi): (&(f64, f64), &f64)| pi * own * own + (1.0 - pi) * other * other;
    Some(slopes.iter().zip(&believed).map(square).collect())
}

impl SamplingTarget<Classification> for Decided {
    fn expected_squares(&self, candidates: &Candidates<'_, Classification>) -> Result<Vec<f64>> {
        let size = candidates.pool.pool_size();
        match self.metric {
            // It turns on the few items that rank on the wrong side, which beliefs all but rule out: drawn for by what is
            // believed, it came out worse than by uniform draws. So all items are alike.
            ClassMetric::Auc { .. } => return Ok(vec![1.0; size]),
            // A point of the curve is as well known as the curve about it.
            ClassMetric::AveragePrecision { class }
            | ClassMetric::PrecisionAtRecall { class, .. }
            | ClassMetric::RecallAtPrecision { class, .. } => {
                return Ok(by_precision(class, candidates).unwrap_or_else(|| vec![0.0; size]));
            }
            _ => {}
        }
        let Some(slope) = believed_slope(self, candidates) else {
            return Ok(vec![0.0; size]);
        };
        let (mut rows, mut beliefs) =
            (candidates.pool.predictions().reader(), candidates.beliefs.rows().reader());
        let square = |item| slope.expected_square(self.decision.predicted(rows.row(item)), beliefs.row(item));
        Ok((0..size).map(square).collect())
    }
}

/// For calibration: every item's gap between confidence and correctness.
impl SamplingTarget<Classification> for Gap {
    fn expected_squares(&self, candidates: &Candidates<'_, Classification>) -> Result<Vec<f64>> {
        let (mut rows, mut beliefs) =
            (candidates.pool.predictions().reader(), candidates.beliefs.rows().reader());
        let square = |item| {
            let row = rows.row(item);
            let predicted = most_probable(row);
            let confidence: f64 = row.get(predicted).copied().unwrap_or(0.0);
            let right: f64 = beliefs.row(item).get(predicted).copied().unwrap_or(0.0);
            right * (1.0 - confidence).powi(2) + (1.0 - right) * confidence.powi(2)
        };
        Ok((0..candidates.pool.pool_size()).map(square).collect())
    }
}

/// For a mean loss: √E(ℒ²), as [`RootMeanSquare`](super::RootMeanSquare).
impl<T: Task, L: Loss<T>> SamplingTarget<T> for MeanLoss<L> {
    fn expected_squares(&self, candidates: &Candidates<'_, T>) -> Result<Vec<f64>> {
        let (mut rows, mut beliefs) =
            (candidates.pool.predictions().reader(), candidates.beliefs.rows().reader());
        let square =
            |item| self.0.moments(T::prediction(rows.row(item)), T::belief(beliefs.row(item))).second;
        Ok((0..candidates.pool.pool_size()).map(square).collect())
    }
}

impl SamplingTarget<Regression> for ValueMetric {
    fn expected_squares(&self, candidates: &Candidates<'_, Regression>) -> Result<Vec<f64>> {
        match self {
            // The root of a mean is known best where the mean is.
            // The chance of disagreement changes little with one label.
            Self::RootMeanSquaredError | Self::WeightedKappa => {
                MeanLoss(SquaredError::default()).expected_squares(candidates)
            }
            Self::RSquared => Ok(expected_by_spread(candidates)),
        }
    }
}

/// E((e² − ρ d²)²) with e = f − y and d = y − ȳ: a polynomial in a Gaussian y.
fn expected_by_spread(candidates: &Candidates<'_, Regression>) -> Vec<f64> {
    let labels = told(candidates);
    let (mut rows, mut beliefs) =
        (candidates.pool.predictions().reader(), candidates.beliefs.rows().reader());
    let mut known = |item: usize, label: &Option<f64>| {
        let GaussianBelief { mean, variance, .. } = Regression::belief(beliefs.row(item));
        let (mean, variance) = label.map_or((mean, variance), |label| (label, 0.0));
        (Regression::prediction(rows.row(item)).mean, mean, variance)
    };
    let all: Vec<(f64, f64, f64)> =
        labels.iter().enumerate().map(|(item, label)| known(item, label)).collect();
    let centre = all.iter().map(|(_, mean, _)| mean).sum::<f64>() / all.len() as f64;
    let (error, spread) = all.iter().fold((0.0, 0.0), |(error, spread), (f, mean, variance)| {
        (error + (f - mean).powi(2) + variance, spread + (mean - centre).powi(2) + variance)
    });
    if spread <= 0.0 {
        return vec![0.0; all.len()];
    }
    let ratio = error / spread;
    let square = |&(f, mean, v): &(f64, f64, f64)| {
        // a (y − μ)² + b (y − μ) + c.
        let a = 1.0 - ratio;
        let b = 2.0 * (mean - f) - 2.0 * ratio * (mean - centre);
        let c = (mean - f).powi(2) - ratio * (mean - centre).powi(2);
        3.0 * a * a * v * v + b * b * v + c * c + 2.0 * a * c * v
    };
    all.iter().map(square).collect()
}
