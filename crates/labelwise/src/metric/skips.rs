//! Skipped items: their labels never come, so a metric lies between what it is with the labels that make it smallest and
//! what it is with those that make it largest.

use super::confusion::{Totals, slope};
use super::estimate::{self, MeanEstimate, MetricEstimate};
use super::{
    ClassMetric, IntervalKind, Judged, Measure, MetricError, MetricInterval, Note, Slice, Unlabelled, certain,
};
use crate::error::Result;
use crate::estimator::Bias;
use crate::interval::Target;
use crate::loss::Bounds;

/// Skipped points with labels that make a metric smallest, or largest.
#[derive(Debug, Clone, PartialEq)]
pub struct Extreme<P> {
    /// The points, in their order.
    pub points: Vec<P>,
    /// A bound of the metric over all labels: its value with these points or, where no choice of labels is known to be the
    /// worst, beyond it.
    pub bound: f64,
}

/// From the lower end with the labels that make the metric smallest to the upper end with those that make it largest. The
/// value is that of the labelled items, kept between the two.
pub(super) fn estimate<P>(
    slice: &Slice<'_, P>,
    measure: &dyn Measure<P>,
    target: Target,
    level: f64,
    mean: Option<MeanEstimate>,
) -> Result<MetricEstimate> {
    let skipped: Vec<usize> = slice.skipped().collect();
    let by_domains = slice.certain(measure).is_some() || measure.is_of_sums();
    let (_, weights) = estimate::weighed(slice, by_domains && mean.is_none());
    let inside = slice.inside.iter().enumerate().filter(|(_, inside)| **inside);
    let is_skipped: Vec<bool> = inside.map(|(draw, _)| skipped.binary_search(&draw).is_ok()).collect();
    let points = slice.weighted(&weights);
    let of = |wanted: bool| -> Vec<(&P, f64)> {
        let chosen = points.iter().zip(&is_skipped).filter(|(_, skipped)| **skipped == wanted);
        chosen.map(|(point, _)| *point).collect()
    };
    let (labelled, open) = (of(false), of(true));
    let Some([low, high]) = measure.extremes(&labelled, &open) else {
        let first = skipped.first().and_then(|draw| slice.draws.samples().get(*draw));
        return Err(MetricError::Skipped { item: first.map_or(0, |sample| sample.index) }.into());
    };
    let bounds = Bounds { low: low.bound, high: high.bound };
    let of_labels =
        |points: Vec<P>| estimate::of_labels(&slice.with_completed(points), measure, target, level, None);
    let (low, high) = (of_labels(low.points)?, of_labels(high.points)?);
    let value = match mean {
        Some(mean) => Ok(mean.value),
        None => measure.linearised(&labelled).map(|found| found.value),
    };
    let interval = low.interval.zip(high.interval).map(|(from, to)| {
        // Beyond the values of the two choices, where other labels may lead further.
        let below = low.value.map_or(0.0, |value| (bounds.low - value).min(0.0));
        let above = high.value.map_or(0.0, |value| (bounds.high - value).max(0.0));
        let exact = (from.kind, to.kind) == (IntervalKind::Exact, IntervalKind::Exact);
        let kind = if exact { IntervalKind::Skipped } else { to.kind };
        let (low, high) = (from.low.min(to.low) + below, from.high.max(to.high) + above);
        MetricInterval { low, high, kind, ..to }
    });
    let mut notes = low.notes.clone();
    notes.extend(high.notes.iter().filter(|note| !low.notes.contains(note)).copied());
    notes.push(Note::Skipped { items: skipped.len() });
    Ok(MetricEstimate {
        value: value.map(|value| value.max(bounds.low).min(bounds.high)),
        standard_error: low.standard_error.zip(high.standard_error).map(|(one, other)| one.max(other)),
        interval,
        bias: Bias::Vanishing,
        labels: slice.labels() - skipped.len(),
        skipped: Some(bounds),
        effective_hits: low.effective_hits.min(high.effective_hits),
        notes,
        ..low
    })
}

/// Of a ratio of one class the worst labels are known. Of a mean of several, each label is the worst for the slope at the
/// labelled points, and the bound is the mean of the bounds of all classes.
pub(super) fn of_classes(
    metric: ClassMetric,
    labelled: &[(&Judged, f64)],
    skipped: &[(&Judged, f64)],
) -> Option<[Extreme<Judged>; 2]> {
    let (_, classes) = metric.ratio()?;
    let mut free = vec![0.0; metric.classes()];
    for (point, weight) in skipped {
        if let Some(sum) = free.get_mut(point.predicted) {
            *sum += weight;
        }
    }
    let unlabelled = Unlabelled {
        mass: skipped.iter().map(|(_, weight)| weight).sum(),
        predicted: Some(free),
        other: None,
    };
    let bounds = certain::of_classes(metric, labelled, &unlabelled)?;
    let found = slope(metric, &Totals::of_points(metric.classes(), labelled)).ok();
    let label = |point: &Judged, smallest: bool| match (&found, metric.class()) {
        (_, Some(class)) if smallest == (point.predicted == class) => another(class, point.predicted),
        (_, Some(class)) => class,
        (Some(slope), None) => {
            let of = |label: &usize| if smallest { 1.0 } else { -1.0 } * slope.at(point.predicted, *label);
            let best = classes.clone().min_by(|one, other| of(one).total_cmp(&of(other)));
            best.unwrap_or(point.predicted)
        }
        (None, None) if smallest => another(point.predicted, point.predicted),
        (None, None) => point.predicted,
    };
    let with = |smallest: bool| -> Vec<Judged> {
        skipped
            .iter()
            .map(|(point, _)| Judged { label: label(point, smallest), ..(*point).clone() })
            .collect()
    };
    Some([
        Extreme { points: with(true), bound: bounds.low },
        Extreme { points: with(false), bound: bounds.high },
    ])
}

/// A label that is not of the class: the prediction, if that is not.
fn another(class: usize, predicted: usize) -> usize {
    if predicted == class { usize::from(class == 0) } else { predicted }
}

/// The labels of a mean: of each point, the one with the smallest and the one with the largest loss.
pub(super) fn of_mean(
    labelled: &[(&Judged, f64)],
    skipped: &[(&Judged, f64)],
    loss: impl Fn(&Judged, usize) -> f64,
) -> Option<[Extreme<Judged>; 2]> {
    let with = |sign: f64| -> Option<Extreme<Judged>> {
        let of = |point: &Judged, label: usize| sign * loss(point, label);
        let points: Option<Vec<Judged>> = skipped
            .iter()
            .map(|(point, _)| {
                let classes = point.probabilities.len();
                let labels = 0..if classes > 0 { classes } else { point.predicted + 2 };
                let best = labels.min_by(|one, other| of(point, *one).total_cmp(&of(point, *other)))?;
                Some(Judged { label: best, ..(*point).clone() })
            })
            .collect();
        let points = points?;
        let chosen = points.iter().zip(skipped).map(|(point, (_, weight))| (point, *weight));
        let all = labelled.iter().copied().chain(chosen);
        let (sum, mass) = all.fold((0.0, 0.0), |(sum, mass), (point, weight)| {
            (sum + weight * loss(point, point.label), mass + weight)
        });
        Some(Extreme { points, bound: sum / mass })
    };
    Some([with(1.0)?, with(-1.0)?])
}
