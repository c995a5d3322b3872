//! The difference of a metric between two models on the same labels.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{
    Extreme, IntervalKind, Linearised, Measure, MetricEstimate, Scale, Undefined, Unlabelled, WeightedDraws,
};
use crate::error::Result;
use crate::loss::Bounds;

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

/// Points of one of the two models.
fn first<'a, P>(pairs: &[(&'a (P, P), f64)]) -> Vec<(&'a P, f64)> {
    pairs.iter().map(|(pair, weight)| (&pair.0, *weight)).collect()
}

fn second<'a, P>(pairs: &[(&'a (P, P), f64)]) -> Vec<(&'a P, f64)> {
    pairs.iter().map(|(pair, weight)| (&pair.1, *weight)).collect()
}

impl<P: Send + Sync, M: Measure<P>> Measure<(P, P)> for Difference<M> {
    fn name(&self) -> String {
        format!("difference in {}", self.0.name())
    }

    fn scale(&self) -> Scale {
        match self.0.scale() {
            Scale::Unit => Scale::UnitDifference,
            _ => Scale::Plain,
        }
    }

    fn linearised(&self, points: &[(&(P, P), f64)]) -> Result<Linearised, Undefined> {
        let (one, other) = (self.0.linearised(&first(points))?, self.0.linearised(&second(points))?);
        Ok(Linearised {
            value: one.value - other.value,
            influence: one.influence.iter().zip(&other.influence).map(|(one, other)| one - other).collect(),
            support: one.support.min(other.support),
            relevant: one.relevant.min(other.relevant),
        })
    }

    /// From the least of the first minus the most of the second to the reverse: valid, and not sharp, since one label decides for
    /// both.
    fn bounds(&self, points: &[(&(P, P), f64)], unlabelled: &Unlabelled) -> Option<Bounds> {
        let of = |predicted: &Option<Vec<f64>>| Unlabelled {
            mass: unlabelled.mass,
            predicted: predicted.clone(),
            other: None,
        };
        let one = self.0.bounds(&first(points), &of(&unlabelled.predicted))?;
        let other = self.0.bounds(&second(points), &of(&unlabelled.other))?;
        Some(Bounds { low: one.low - other.high, high: one.high - other.low })
    }

    fn is_of_sums(&self) -> bool {
        self.0.is_of_sums()
    }

    /// Labels that are the worst for each model by itself; those of one item need not be the same.
    fn extremes(
        &self,
        labelled: &[(&(P, P), f64)],
        skipped: &[(&(P, P), f64)],
    ) -> Option<[Extreme<(P, P)>; 2]> {
        let [least, most] = self.0.extremes(&first(labelled), &first(skipped))?;
        let [other_least, other_most] = self.0.extremes(&second(labelled), &second(skipped))?;
        let both = |one: Extreme<P>, other: Extreme<P>| Extreme {
            bound: one.bound - other.bound,
            points: one.points.into_iter().zip(other.points).collect(),
        };
        Some([both(least, other_most), both(most, other_least)])
    }

    fn experimental_below(&self) -> usize {
        self.0.experimental_below()
    }
}

impl MetricEstimate {
    /// The smallest error probability at which the interval of a difference leaves out 0; `None` without an interval. It is below
    /// 1 − level just if 0 is outside of the interval, also where that is wider or shorter than Student's.
    pub fn p_value(&self) -> Option<f64> {
        let (value, interval) = (*self.value.as_ref().ok()?, self.interval?);
        if interval.kind == IntervalKind::Exact {
            return Some(if value == 0.0 { 1.0 } else { 0.0 });
        }
        let p = match (interval.kind, self.standard_error?) {
            (IntervalKind::Student { freedom }, error) if error > 0.0 => {
                let law = StudentsT::new(0.0, 1.0, freedom).ok()?;
                2.0 * law.cdf(-(value / error).abs())
            }
            _ => 1.0,
        };
        let share = 1.0 - interval.level;
        let outside = interval.low > 0.0 || interval.high < 0.0;
        Some(if outside { p.min(share * (1.0 - 1e-9)) } else { p.max(share) })
    }
}

impl<P> WeightedDraws<P> {
    /// The same draws with other points, made from the item and its point: those of another model.
    pub fn with_points<Q>(&self, mut point: impl FnMut(usize, &P) -> Result<Q>) -> Result<WeightedDraws<Q>> {
        let samples = self.samples().iter().zip(self.points());
        let points = samples.map(|(sample, own)| point(sample.index, own)).collect::<Result<Vec<_>>>()?;
        self.with_other_points(points)
    }
}

impl<P: Clone> WeightedDraws<P> {
    /// The same draws with the points of this model and of another, for a [`Difference`].
    pub fn paired(&self, other: &Self) -> Result<WeightedDraws<(P, P)>> {
        let points = self.points().iter().cloned().zip(other.points().iter().cloned()).collect();
        Ok(self.with_other_points(points)?.with_counts_of(self, other))
    }
}
