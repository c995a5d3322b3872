//! The labelled draws with the metrics of one score: what every question about such a score starts from.

use labelwise::loss::Bounds;
use labelwise::metric::{ClassMetric, Judged, MetricEstimate, ValueMetric, Valued, WeightedDraws};
use labelwise::plan::LabelForecast;
use labelwise::{Classification, Regression, Target};

use crate::Study;
use crate::error::{MetricError, Result};
use crate::questions::classes::Classes;
use crate::spec::measurable::Score;
use crate::spec::subject::Subject;

/// Labelled draws, and one metric or one for each class.
pub(crate) enum Sheet {
    /// Of classes.
    Classes {
        draws: Box<WeightedDraws<Judged>>,
        metrics: Vec<(ClassMetric, Option<usize>)>,
        classes: Classes,
    },
    /// Of numbers.
    Values { draws: Box<WeightedDraws<Valued>>, metric: ValueMetric },
}

impl Study {
    /// The draws and metrics of a score. Calibration is not one number, and is refused.
    pub(crate) fn sheet(&self, score: &Score, positive: Option<&str>) -> Result<Sheet> {
        self.check_one_model()?;
        if !score.score.fits(&self.settings.subject) {
            return Err(MetricError::score(score, &self.settings.subject).into());
        }
        self.check_weights(&score.name)?;
        self.check_positive(score, positive)?;
        self.check_labels()?;
        if self.settings.subject == Subject::Values {
            let metric = score.score.of_values();
            let draws = self.valued(&self.scored_ledger::<Regression>()?)?;
            return Ok(Sheet::Values { draws: Box::new(draws), metric });
        }
        let ledger = self.scored_ledger::<Classification>()?;
        let (draws, mut classes) = self.judged(&ledger, self.classes())?;
        let metrics = classes.metrics(score, positive.or(self.settings.positive.as_deref()))?;
        let draws = match score.is_ratio() {
            true => draws.with_predicted(self.predicted_classes(&ledger, &classes)?),
            false => draws,
        };
        Ok(Sheet::Classes { draws: Box::new(draws), metrics, classes })
    }

    /// The classes that are known before a label.
    pub(crate) fn classes(&self) -> Classes {
        match &self.settings.subject {
            Subject::Classes { names } => Classes::all(names).deciding(self.settings.decision()),
            _ => Classes::seen(),
        }
    }

    /// Refuses a positive class for a metric that has none.
    pub(crate) fn check_positive(&self, score: &Score, positive: Option<&str>) -> Result<()> {
        match positive {
            Some(_) if !score.score.needs_positive() => Err(MetricError::PositiveUnused.into()),
            _ => Ok(()),
        }
    }
}

impl Sheet {
    /// The number of metrics: one, or one for each class.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Classes { metrics, .. } => metrics.len(),
            Self::Values { .. } => 1,
        }
    }

    /// The metric of a class as the core has it.
    pub(crate) fn of_class(&self, part: usize) -> Option<ClassMetric> {
        match self {
            Self::Classes { metrics, .. } => metrics.get(part).map(|(metric, _)| *metric),
            Self::Values { .. } => None,
        }
    }

    /// A metric with its ordinary interval.
    pub(crate) fn measure(
        &self,
        part: usize,
        target: Target,
        level: f64,
    ) -> labelwise::Result<MetricEstimate> {
        match (self, self.of_class(part)) {
            (Self::Classes { draws, .. }, Some(metric)) => draws.measure(&metric, target, level),
            (Self::Values { draws, metric }, _) => draws.measure(metric, target, level),
            (Self::Classes { .. }, None) => Err(labelwise::Error::NoSamples { next: None }),
        }
    }

    /// What the labels say with certainty; `None` where that is not known.
    pub(crate) fn certain(&self, part: usize) -> Option<Bounds> {
        match (self, self.of_class(part)) {
            (Self::Classes { draws, .. }, Some(metric)) => draws.all().certain(&metric),
            (Self::Values { draws, metric }, _) => draws.all().certain(metric),
            (Self::Classes { .. }, None) => None,
        }
    }

    /// What more labels will say; `None` if that is not known yet.
    pub(crate) fn forecast(&self, part: usize) -> labelwise::Result<Option<LabelForecast>> {
        match (self, self.of_class(part)) {
            (Self::Classes { draws, .. }, Some(metric)) => draws.forecast(&metric),
            (Self::Values { draws, metric }, _) => draws.forecast(metric),
            (Self::Classes { .. }, None) => Ok(None),
        }
    }
}
