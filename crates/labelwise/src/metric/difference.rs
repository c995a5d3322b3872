//! The difference of a metric between two models on the same labels.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{IntervalKind, Linearised, Measure, MetricEstimate, Scale, Undefined, WeightedDraws};
use crate::error::Result;

/// A metric of the first of two models minus that of the second. Points are pairs: the same item with the same label, as
/// each model predicts it. The influence is the difference of both influences, so what the models share cancels.
///
/// ```
/// use labelwise::metric::{ClassMetric, Difference, Judged, Measure};
/// let recall = Difference(ClassMetric::Recall { class: 1 });
/// let pair = |one, other, label| (Judged::hard(one, label), Judged::hard(other, label));
/// let points = [pair(1, 0, 1), pair(1, 1, 1), pair(0, 0, 0)];
/// let weighted: Vec<_> = points.iter().map(|point| (point, 1.0)).collect();
/// assert_eq!(recall.linearised(&weighted)?.value, 0.5);
/// # Ok::<(), labelwise::metric::Undefined>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference<M>(
    /// The metric.
    pub M,
);

impl<P: Send + Sync, M: Measure<P>> Measure<(P, P)> for Difference<M> {
    fn name(&self) -> String {
        format!("difference in {}", self.0.name())
    }

    fn scale(&self) -> Scale {
        Scale::Plain
    }

    fn linearised(&self, points: &[(&(P, P), f64)]) -> Result<Linearised, Undefined> {
        let first: Vec<(&P, f64)> = points.iter().map(|(pair, weight)| (&pair.0, *weight)).collect();
        let second: Vec<(&P, f64)> = points.iter().map(|(pair, weight)| (&pair.1, *weight)).collect();
        let (one, other) = (self.0.linearised(&first)?, self.0.linearised(&second)?);
        Ok(Linearised {
            value: one.value - other.value,
            influence: one.influence.iter().zip(&other.influence).map(|(one, other)| one - other).collect(),
            support: one.support.min(other.support),
            relevant: one.relevant.min(other.relevant),
        })
    }

    fn experimental_below(&self) -> usize {
        self.0.experimental_below()
    }
}

impl MetricEstimate {
    /// The smallest error probability at which the interval leaves out 0, for a metric on the plain scale; `None` without an
    /// interval by the variance.
    pub fn p_value(&self) -> Option<f64> {
        let (value, error) = (*self.value.as_ref().ok()?, self.standard_error?);
        match self.interval?.kind {
            IntervalKind::Student { freedom } if error > 0.0 => {
                let law = StudentsT::new(0.0, 1.0, freedom).ok()?;
                Some(2.0 * law.cdf(-(value / error).abs()))
            }
            IntervalKind::Exact => Some(if value == 0.0 { 1.0 } else { 0.0 }),
            _ => None,
        }
    }
}

impl<P> WeightedDraws<P> {
    /// The same draws with other points, made from the item and its point.
    pub fn with_points<Q>(&self, mut point: impl FnMut(usize, &P) -> Result<Q>) -> Result<WeightedDraws<Q>> {
        let samples = self.samples().iter().zip(self.points());
        let points = samples.map(|(sample, own)| point(sample.index, own)).collect::<Result<Vec<_>>>()?;
        let mut draws = WeightedDraws::from_samples(self.samples().to_vec(), points, self.pool_size())?;
        draws.keep_skipped(self.skipped());
        Ok(draws)
    }
}
