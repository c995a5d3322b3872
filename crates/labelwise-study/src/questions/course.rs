//! A metric that is not an average as labels came in: what a report shows.

use labelwise::metric::Calibration;
use labelwise::{Classification, Target};

use crate::Study;
use crate::error::Result;
use crate::questions::metrics::BINS;
use crate::questions::scored::{MetricOptions, Scored};
use crate::questions::sheet::Sheet;
use crate::spec::measurable::{Measurable, Score, ScoreName};

/// A metric that is not an average, now and as labels came in.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ScoreCourse {
    /// What it is now.
    pub now: Scored,
    /// What it was after some draws, those that have a value.
    pub steps: Vec<ScoreStep>,
    /// The share of each draw in the variance, in draw order; `None` without a variance.
    pub shares: Option<Vec<f64>>,
    /// The variance of the estimate from one uniform draw; `None` if it is not known.
    pub uniform_variance: Option<f64>,
}

/// An estimate after some draws.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ScoreStep {
    /// Number of draws that counted.
    pub draws: usize,
    /// The estimate.
    pub value: f64,
    /// The ends of its interval, where it had one.
    pub interval: Option<(f64, f64)>,
}

/// A request for the course of a metric.
#[derive(Debug, Clone, Copy)]
pub struct CourseOptions<'a> {
    /// The positive class. Default: that of the settings.
    pub positive: Option<&'a str>,
    /// Pool or population.
    pub target: Target,
    /// The probability with which each interval covers.
    pub level: f64,
    /// After how many draws to estimate, given how many there are.
    pub lengths: fn(usize) -> Vec<usize>,
}

impl Study {
    /// One metric that is not an average as labels came in. One of every class is shown by its mean over classes.
    pub fn score_course(&self, score: &Score, wanted: &CourseOptions<'_>) -> Result<ScoreCourse> {
        if score.score == ScoreName::Calibration {
            return self.calibration_course(score, wanted);
        }
        let score = &score.as_one();
        let &CourseOptions { positive, target, level, lengths } = wanted;
        let metrics = vec![Measurable::Score(score.clone())];
        let (positive_name, by, group) = (positive.map(str::to_owned), None, None);
        let threshold = None;
        let wish = MetricOptions { metrics, positive: positive_name, threshold, by, group, level, target };
        let now = match self.measure(&wish)?.into_iter().next() {
            Some(now) => now,
            None => self.unanswered(&Measurable::Score(score.clone()), "there are no classes".to_owned())?,
        };
        let sheet = self.sheet(score, positive)?;
        let total = sheet.draws();
        let sign = if score.negative { -1.0 } else { 1.0 };
        let mut steps = Vec::new();
        for draws in lengths(total) {
            let found = sheet.prefix(draws).measure(0, target, level).map_err(|error| self.refused(error))?;
            let Ok(value) = found.value else { continue };
            let ends = |low: f64, high: f64| if score.negative { (-high, -low) } else { (low, high) };
            let interval = found.interval.map(|interval| ends(interval.low, interval.high));
            steps.push(ScoreStep { draws, value: sign * value, interval });
        }
        // The last is what it is now, to the last bit.
        if let (Some(last), Ok(value)) = (steps.last_mut().filter(|step| step.draws == total), &now.value) {
            *last = ScoreStep { draws: total, value: *value, interval: now.interval };
        }
        let (shares, uniform_variance) = (sheet.shares(0)?, sheet.uniform_variance(0));
        Ok(ScoreCourse { now, steps, shares, uniform_variance })
    }

    fn calibration_course(&self, score: &Score, wanted: &CourseOptions<'_>) -> Result<ScoreCourse> {
        let &CourseOptions { target, level, lengths, .. } = wanted;
        let found = self.calibration(BINS, target, level)?;
        let metric = Measurable::Score(score.clone());
        let now = match found.squared_error {
            Some(value) => Scored {
                value: Ok(value),
                interval: found.interval,
                basis: found.interval.map(|_| "ordinary"),
                labels: found.labels,
                ..self.unanswered(&metric, String::new())?
            },
            None => self.unanswered(&metric, "some bin has too few labels".to_owned())?,
        };
        let (draws, _) = self.judged(&self.scored_ledger::<Classification>()?, self.classes())?;
        let mut steps = Vec::new();
        for count in lengths(draws.points().len()) {
            let then = Calibration::new(&draws.prefix(count), BINS, None, target, level)?;
            if let Some(value) = then.squared_error {
                steps.push(ScoreStep { draws: count, value, interval: then.interval });
            }
        }
        if let (Some(last), Ok(value)) = (steps.last_mut(), &now.value) {
            *last = ScoreStep { value: *value, interval: now.interval, ..*last };
        }
        Ok(ScoreCourse { now, steps, shares: None, uniform_variance: None })
    }
}

impl Sheet {
    /// The number of draws that count.
    pub(crate) fn draws(&self) -> usize {
        match self {
            Self::Classes { draws, .. } => draws.points().len(),
            Self::Values { draws, .. } => draws.points().len(),
        }
    }

    /// The first draws alone.
    fn prefix(&self, count: usize) -> Self {
        match self {
            Self::Classes { draws, metrics, classes } => Self::Classes {
                draws: Box::new(draws.prefix(count)),
                metrics: metrics.clone(),
                classes: classes.clone(),
            },
            Self::Values { draws, metric } => {
                Self::Values { draws: Box::new(draws.prefix(count)), metric: *metric }
            }
        }
    }

    fn shares(&self, part: usize) -> Result<Option<Vec<f64>>> {
        Ok(match (self, self.of_class(part)) {
            (Self::Classes { draws, .. }, Some(metric)) => draws.shares(&metric)?,
            (Self::Values { draws, metric }, _) => draws.shares(metric)?,
            (Self::Classes { .. }, None) => None,
        })
    }

    fn uniform_variance(&self, part: usize) -> Option<f64> {
        match (self, self.of_class(part)) {
            (Self::Classes { draws, .. }, Some(metric)) => draws.uniform_variance(&metric),
            (Self::Values { draws, metric }, _) => draws.uniform_variance(metric),
            (Self::Classes { .. }, None) => None,
        }
    }
}
