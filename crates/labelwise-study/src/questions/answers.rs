//! Answers for a list of metrics: decides which question each of them is.

use std::fmt;

use labelwise::Target;
use labelwise::interval::{Basis, Method};
use labelwise::metric::Calibration;

use crate::Study;
use crate::error::{Error, MetricError, Result};
use crate::questions::estimate::{EstimateOptions, Estimated};
use crate::questions::metrics::BINS;
use crate::questions::scored::{MetricOptions, Scored};
use crate::spec::measurable::{Measurable, ScoreName};
use crate::spec::names::EstimatorName;

/// A request for metrics of any kind.
#[derive(Debug, Clone)]
pub struct AnswerOptions {
    /// The metrics. Default: those that the evaluation was created for.
    pub metrics: Vec<Measurable>,
    /// The positive class, for metrics of one class; that of the settings by default.
    pub positive: Option<String>,
    /// The probability from which on the positive class is predicted, for metrics of predicted classes; that of the settings by
    /// default.
    pub threshold: Option<f64>,
    /// The passthrough column whose values are slices.
    pub by: Option<String>,
    /// The passthrough column whose values are groups of similar items.
    pub group: Option<String>,
    /// The probability with which each interval covers.
    pub level: f64,
    /// Pool or population.
    pub target: Target,
    /// How intervals of mean losses are made.
    pub method: Method,
    /// How mean losses are estimated.
    pub estimator: EstimatorName,
}

impl Default for AnswerOptions {
    fn default() -> Self {
        let EstimateOptions { level, target, method, estimator, .. } = EstimateOptions::default();
        let (positive, by, group) = (None, None, None);
        Self { metrics: Vec::new(), positive, threshold: None, by, group, level, target, method, estimator }
    }
}

impl AnswerOptions {
    /// The same request for mean losses that are named later.
    fn of_means(&self) -> EstimateOptions {
        let &Self { level, target, method, estimator, .. } = self;
        EstimateOptions { metrics: Vec::new(), level, target, method, estimator }
    }
}

/// The answer to one metric.
#[derive(Debug, Clone, PartialEq)]
pub enum Answered {
    /// A mean loss.
    Loss(Box<Estimated>),
    /// A metric that is not an average, or any metric by slices or for groups.
    Scores(Vec<Scored>),
    /// Confidence minus accuracy, in bins.
    Calibration(Calibration),
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loss(found) => found.fmt(f),
            Self::Scores(all) => {
                for (place, scored) in all.iter().enumerate() {
                    write!(f, "{}{scored}", if place > 0 { "\n" } else { "" })?;
                }
                Ok(())
            }
            Self::Calibration(found) => match (found.squared_error, found.interval) {
                (Some(error), Some((low, high))) => write!(
                    f,
                    "calibration: squared error {error:.5}, corrected for noise, from {} labels; interval {low:.5} to \
                     {high:.5}",
                    found.labels
                ),
                _ => write!(f, "calibration: no squared error yet, because some bin has too few labels"),
            },
        }
    }
}

impl Study {
    /// Every metric with its interval, in the order in which they are wanted.
    pub fn answers(&self, wanted: &AnswerOptions) -> Result<Vec<Answered>> {
        let metrics = if wanted.metrics.is_empty() { self.aims() } else { wanted.metrics.clone() };
        let apart = wanted.by.is_some() || wanted.group.is_some();
        if wanted.threshold.is_some() && !metrics.iter().any(Measurable::is_of_predicted) {
            return Err(MetricError::ThresholdUnused.into());
        }
        let decision = self.decision(wanted.threshold, wanted.positive.as_deref())?;
        let elsewhere = decision != self.settings.decision();
        let weighted =
            |metric: &Measurable| apart || metric.score().is_some() || elsewhere && metric.is_of_predicted();
        if let Some(metric) = metrics.iter().find(|metric| weighted(metric))
            && !wanted.of_means().is_ordinary()
        {
            return Err(MetricError::OrdinaryOnly { metric: metric.name().to_owned() }.into());
        }
        let about_one =
            |metric: &Measurable| metric.score().is_some_and(|score| score.score.needs_positive());
        if wanted.positive.is_some() && wanted.threshold.is_none() && !metrics.iter().any(about_one) {
            return Err(MetricError::PositiveUnused.into());
        }
        let several = metrics.len() > 1;
        let answers = metrics.into_iter().map(|metric| match self.answer(metric.clone(), wanted) {
            // A skipped item does not stop the metrics that have bounds.
            Err(error @ Error::Metric(MetricError::Skipped { .. })) if several => {
                Ok(Answered::Scores(vec![self.unanswered(&metric, error.to_string())?]))
            }
            answer => answer,
        });
        answers.collect()
    }

    fn answer(&self, metric: Measurable, wanted: &AnswerOptions) -> Result<Answered> {
        let AnswerOptions { positive, by, group, .. } = wanted.clone();
        let &AnswerOptions { level, target, .. } = wanted;
        let whole = by.is_none() && group.is_none();
        let threshold = wanted.threshold.filter(|_| metric.is_of_predicted());
        let decision = self.decision(threshold, positive.as_deref())?;
        let positive = match &metric {
            Measurable::Loss(metric) if whole && decision == self.settings.decision() => {
                let wanted = EstimateOptions { metrics: vec![metric.clone()], ..wanted.of_means() };
                let found = self.estimate(&wanted)?.pop();
                return found
                    .map(|found| Answered::Loss(Box::new(found)))
                    .ok_or(Error::NoLabels { next: None, labels: 0 });
            }
            Measurable::Score(score) if score.score == ScoreName::Calibration && whole => {
                return Ok(Answered::Calibration(self.calibration(BINS, target, level)?));
            }
            Measurable::Score(score) if score.score.needs_positive() => positive,
            _ if threshold.is_some() => positive,
            _ => None,
        };
        let wanted = MetricOptions { metrics: vec![metric], positive, threshold, by, group, level, target };
        Ok(Answered::Scores(self.measure(&wanted)?))
    }
}

/// The kind of an interval of a mean loss, in a few words.
pub fn basis_in_words(basis: Basis) -> &'static str {
    match basis {
        Basis::WholePool => "exact",
        Basis::LogT { .. } => "ordinary, on the log scale",
        Basis::LogitT { .. } => "ordinary, on the logit scale",
        Basis::T { .. } => "ordinary",
        Basis::Anytime => "anytime",
        Basis::Betting | Basis::BettingAtBudget | Basis::Chernoff => "guaranteed",
    }
}
