//! What more labels will say of a metric: one draw has the variance that the influences of the labels so far show.

use super::{IntervalKind, Measure, MetricEstimate, Note, WeightedDraws};
use crate::error::Result;
use crate::estimator::{Estimator, Lure, Sample};
use crate::interval::Target;
use crate::plan::LabelForecast;

impl MetricEstimate {
    /// Whether its interval is too rough to decide anything.
    pub fn is_rough(&self) -> bool {
        self.notes.iter().any(|note| match note {
            Note::FewLabels { .. }
            | Note::FewHits { .. }
            | Note::FewRelevant { .. }
            | Note::Experimental { .. }
            | Note::FewGroups { .. } => true,
            Note::Edge | Note::OneTerm { .. } | Note::Skipped { .. } => false,
        })
    }
}

impl<P> WeightedDraws<P> {
    /// The forecast for a metric, from the labels so far; `None` while they are too few to know the variance, or none is left
    /// to come.
    pub fn forecast(&self, measure: &dyn Measure<P>) -> Result<Option<LabelForecast>> {
        let found = self.measure(measure, Target::Pool, 0.95)?;
        let few = |note: &Note| matches!(note, Note::FewLabels { .. } | Note::FewHits { .. });
        let student =
            found.interval.is_some_and(|interval| matches!(interval.kind, IntervalKind::Student { .. }));
        let (Ok(value), Some(error), true) = (&found.value, found.standard_error, student) else {
            return Ok(None);
        };
        if found.notes.iter().any(few) {
            return Ok(None);
        }
        let Some(uniform) = self.uniform_variance(measure) else { return Ok(None) };
        let freedom = 2.0 * found.effective_hits;
        let size = self.pool_size();
        Ok(LabelForecast::of_variance(*value, error * error, freedom, uniform, found.labels, size))
    }

    /// The variance of the estimate from one uniform draw: the mean square of the influences; `None` without a value.
    pub fn uniform_variance(&self, measure: &dyn Measure<P>) -> Option<f64> {
        let all = self.all();
        let points = all.weighted(&self.weights());
        let influence = measure.linearised(&points).ok()?.influence;
        let (sum, mass) = points
            .iter()
            .zip(&influence)
            .fold((0.0, 0.0), |(sum, mass), (point, u)| (sum + point.1 * u * u, mass + point.1));
        Some(sum / mass).filter(|variance| variance.is_finite())
    }

    /// The share of each draw in the variance of a metric, in draw order; `None` without a value or a variance.
    pub fn shares(&self, measure: &dyn Measure<P>) -> Result<Option<Vec<f64>>> {
        let all = self.all();
        let points = all.weighted(&self.weights());
        let Ok(linearised) = measure.linearised(&points) else { return Ok(None) };
        let samples = self.samples().iter().zip(&linearised.influence);
        let samples: Vec<Sample> =
            samples.map(|(sample, u)| Sample::plain(sample.index, sample.q, *u)).collect();
        let parts = Lure.terms(&samples, self.pool_size())?.contributions();
        let sum: f64 = parts.iter().sum();
        Ok((sum > 0.0).then(|| parts.iter().map(|part| part / sum).collect()))
    }
}
