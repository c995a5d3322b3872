//! From a linearised metric to an interval.

use super::clusters::{self, BetweenGroups};
use super::domains::Domains;
use super::note::{ENOUGH_HITS, Note, notes};
use super::{Linearised, Measure, Slice, Undefined, Unlabelled, skips};
use crate::error::{Error, Result};
use crate::estimator::{Bias, Estimator, Lure, Sample, Terms};
use crate::interval::{Target, t_quantile};
use crate::loss::Bounds;

/// A metric with its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricEstimate {
    /// The metric.
    pub name: String,
    /// The estimate, or why there is none.
    pub value: Result<f64, Undefined>,
    /// Its standard error about the target; `None` without a value, or with one label.
    pub standard_error: Option<f64>,
    /// The interval; `None` without a value, or while nothing can be said.
    pub interval: Option<MetricInterval>,
    /// Its bias, as far as it is known.
    pub bias: Bias,
    /// The labels behind it: those of the slice.
    pub labels: usize,
    /// What the estimate is between, by the labels that skipped items may have; `None` if no item was skipped.
    pub skipped: Option<Bounds>,
    /// Effective number of draws that carry the variance.
    pub effective_hits: f64,
    /// Notes; empty when nothing stands out.
    pub notes: Vec<Note>,
}

/// An interval of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricInterval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability to cover, such as 0.95.
    pub level: f64,
    /// Whether it is for this pool or for the population.
    pub target: Target,
    /// Its basis.
    pub kind: IntervalKind,
}

impl MetricInterval {
    /// Whether a value lies in it, but for rounding.
    pub fn covers(&self, value: f64) -> bool {
        let slack = 1e-12 * (1.0 + value.abs());
        self.low - slack <= value && value <= self.high + slack
    }
}

/// The basis of a metric's interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum IntervalKind {
    /// Everything is labelled.
    Exact,
    /// Student's t on the metric's scale.
    Student {
        /// The adaptive degrees of freedom.
        freedom: f64,
    },
    /// No draw speaks against the value, so there is no variance: the interval spans what may have been missed.
    Edge,
    /// Everything is labelled or skipped: the interval spans all labels that skipped items may have.
    Skipped,
}

/// The level of each of `count` intervals, of which all together are to cover with this level (Bonferroni's).
///
/// ```
/// assert!((labelwise::metric::simultaneous(0.95, 5) - 0.99).abs() < 1e-12);
/// ```
pub fn simultaneous(level: f64, count: usize) -> f64 {
    1.0 - (1.0 - level) / count.max(1) as f64
}

/// The variance of a linearised metric about its target.
pub(super) struct Uncertainty {
    pub(super) variance: f64,
    pub(super) freedom: f64,
    pub(super) hits: f64,
    /// The share of the largest term, of those that drawing brings.
    pub(super) share: Option<f64>,
    pub(super) groups: Option<usize>,
}

/// An estimate that was made otherwise: the mean loss of all items by its own estimator, or a function of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanEstimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error about the pool's value; `None` with too few labels to tell.
    pub standard_error: Option<f64>,
    /// Effective number of draws that carry the variance.
    pub hits: f64,
}

/// What an estimate was made by, and so what variance drawing brings.
#[derive(Debug, Clone, Copy)]
pub(super) enum MadeBy<'a> {
    /// LURE's weights.
    Weights,
    /// Weights by predicted class.
    Domains(&'a Domains),
    /// An estimator of means.
    Mean(MeanEstimate),
    /// Nothing: the labels leave one value.
    Certain,
}

/// The variance of Σ w u over draws and, for the population, over pools; `None` with too few labels to tell.
pub(super) fn uncertainty<P>(
    slice: &Slice<'_, P>,
    weights: &[f64],
    u: &[f64],
    target: Target,
    made: MadeBy<'_>,
) -> Result<Option<Uncertainty>> {
    let draws = slice.draws;
    let samples = draws.samples().iter().zip(u).map(|(sample, u)| Sample::plain(sample.index, sample.q, *u));
    let terms: Terms = Lure.terms(&samples.collect::<Vec<_>>(), draws.pool_size())?;
    let most = (terms.labels() as f64 - 1.0).max(1.0);
    let found = match made {
        MadeBy::Certain => Some((0.0, most, None)),
        _ if slice.is_whole() => Some((0.0, most, None)),
        MadeBy::Domains(domains) => domains.variance(u)?,
        MadeBy::Mean(mean) => mean.standard_error.map(|error| (error * error, 2.0 * mean.hits, None)),
        MadeBy::Weights => terms
            .variance()
            .map(|variance| (variance, terms.degrees_of_freedom().unwrap_or(most), terms.largest_share())),
    };
    let Some((drawn, freedom, share)) = found else {
        return Ok(None);
    };
    let (freedom, hits) = if drawn > 0.0 { (freedom.clamp(1.0, most), freedom / 2.0) } else { (most, 0.0) };
    let share = share.filter(|_| drawn > 0.0);
    if target == Target::Pool {
        return Ok(Some(Uncertainty { variance: drawn, freedom, hits, share, groups: None }));
    }
    let weighted: Vec<(f64, f64)> = weights.iter().copied().zip(u.iter().copied()).collect();
    let BetweenGroups { variance: pool, freedom: own, groups } =
        clusters::between(&weighted, draws.groups(), draws.pool_size());
    let both = drawn + pool;
    let freedom = both * both / (drawn * drawn / freedom + pool * pool / own).max(f64::MIN_POSITIVE);
    let freedom = freedom.clamp(1.0, most);
    // With all labelled, what carries the variance are the items that differ.
    let count = u.len() as f64;
    let spread = Terms::new(u.to_vec(), vec![1.0 / count; u.len()], 1.0);
    let hits = if drawn > 0.0 { hits } else { spread.effective_hits() };
    Ok(Some(Uncertainty { variance: both, freedom, hits, share, groups }))
}

pub(super) fn estimate<P>(
    slice: &Slice<'_, P>,
    measure: &dyn Measure<P>,
    target: Target,
    level: f64,
    mean: Option<MeanEstimate>,
) -> Result<MetricEstimate> {
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::Option { name: "level", value: level, range: "between 0 and 1, such as 0.95" });
    }
    if slice.skipped().next().is_some() {
        return skips::estimate(slice, measure, target, level, mean);
    }
    of_labels(slice, measure, target, level, mean)
}

/// The weight of every draw for a metric, and the domains they are made by.
pub(super) fn weighed<P>(slice: &Slice<'_, P>, by_domains: bool) -> (Option<Domains>, Vec<f64>) {
    let domains = slice.domains().filter(|_| by_domains);
    let weights = match &domains {
        Some(domains) => domains.weights(slice.inside.len()),
        None => slice.weights(),
    };
    (domains, weights)
}

/// The estimate of a slice in which every draw has its label.
pub(super) fn of_labels<P>(
    slice: &Slice<'_, P>,
    measure: &dyn Measure<P>,
    target: Target,
    level: f64,
    mean: Option<MeanEstimate>,
) -> Result<MetricEstimate> {
    let labels = slice.labels();
    let certain = slice.certain(measure);
    let by_domains = certain.is_some() || measure.is_of_sums();
    let (domains, weights) = weighed(slice, by_domains && mean.is_none());
    let points = slice.weighted(&weights);
    let linearised = if points.is_empty() { Err(Undefined::NoLabels) } else { measure.linearised(&points) };
    let linearised = linearised.map(|found| match (mean, certain) {
        (Some(mean), _) => Linearised { value: mean.value, ..found },
        (None, Some(Bounds { low, high })) => Linearised { value: found.value.max(low).min(high), ..found },
        (None, None) => found,
    });
    let known = slice.is_whole() || certain.is_some_and(|bounds| bounds.low == bounds.high);
    let exact = known && target == Target::Pool;
    let bias = if exact { Bias::None } else { Bias::Vanishing };
    let mut estimate = MetricEstimate {
        name: measure.name(),
        value: linearised.as_ref().map(|linearised| linearised.value).map_err(|undefined| *undefined),
        standard_error: None,
        interval: None,
        bias,
        labels,
        skipped: None,
        effective_hits: 0.0,
        notes: Vec::new(),
    };
    let Ok(Linearised { value, influence, support, relevant }) = linearised else {
        return Ok(estimate);
    };
    let span = |low, high, kind| MetricInterval { low, high, level, target, kind };
    if exact {
        estimate.standard_error = Some(0.0);
        estimate.interval = Some(span(value, value, IntervalKind::Exact));
        return Ok(estimate);
    }
    let u = slice.spread(&influence);
    let made = match (known, mean, &domains) {
        (true, ..) => MadeBy::Certain,
        (false, Some(mean), _) => MadeBy::Mean(mean),
        (false, None, Some(domains)) => MadeBy::Domains(domains),
        (false, None, None) => MadeBy::Weights,
    };
    let Some(found) = uncertainty(slice, &weights, &u, target, made)? else {
        estimate.notes.push(Note::FewLabels { labels });
        return Ok(estimate);
    };
    let tail = (1.0 - level) / 2.0;
    let half = t_quantile(found.freedom, tail) * found.variance.sqrt();
    let student = if found.variance > 0.0 { measure.scale().interval(value, half) } else { None };
    let edge = || match &domains {
        Some(domains) if slice.draws.is_by_own_classes() => {
            edge_by_domains(slice, measure, domains, &weights, tail)
        }
        _ => measure.scale().edge(value, tail.powf(1.0 / looked_at(slice, &weights, support))),
    };
    let few_hits = found.hits < ENOUGH_HITS;
    estimate.interval = match student {
        // What two draws say of the variance is less than what all draws say of how much was missed.
        Some((low, high)) if few_hits => {
            let (least, most) = edge().unwrap_or((low, high));
            Some(span(low.min(least), high.max(most), IntervalKind::Student { freedom: found.freedom }))
        }
        Some((low, high)) => Some(span(low, high, IntervalKind::Student { freedom: found.freedom })),
        None => edge().map(|(low, high)| span(low, high, IntervalKind::Edge)),
    };
    if let (Target::Pool, Some(Bounds { low, high }), Some(span)) = (target, certain, &mut estimate.interval)
    {
        (span.low, span.high) = (span.low.max(low), span.high.min(high));
    }
    estimate.standard_error = Some(found.variance.sqrt());
    estimate.effective_hits = found.hits;
    estimate.notes = notes(&estimate, measure, &found, relevant);
    Ok(estimate)
}

/// About how many items of what a metric rests on were looked at with certainty: of a share φ of the pool that was never
/// drawn, M draws of at least ρ of the uniform probability each would have missed all with (1 − ρφ)^M at most.
fn looked_at<P>(slice: &Slice<'_, P>, weights: &[f64], support: f64) -> f64 {
    let (samples, size) = (slice.draws.samples(), slice.draws.pool_size());
    if slice.is_whole() {
        return slice.labels() as f64 * support;
    }
    let nq = samples.iter().enumerate().map(|(before, sample)| (size - before) as f64 * sample.q);
    let least = nq.fold(1.0, f64::min);
    let of = |mass: f64, (weight, inside): (&f64, &bool)| if *inside { mass + weight } else { mass };
    let inside = weights.iter().zip(&slice.inside).fold(0.0, of);
    let share = inside / weights.iter().sum::<f64>();
    (samples.len() as f64 * least * share * support).max(f64::MIN_POSITIVE)
}

/// What the metric may be if the share of each domain that may have been missed is unlike what was drawn.
fn edge_by_domains<P>(
    slice: &Slice<'_, P>,
    measure: &dyn Measure<P>,
    domains: &Domains,
    weights: &[f64],
    tail: f64,
) -> Option<(f64, f64)> {
    let (missed, classes) = domains.missed(weights.len(), tail);
    let kept: Vec<f64> =
        weights.iter().zip(&missed).map(|(weight, missed)| weight * (1.0 - missed)).collect();
    let unlabelled = Unlabelled { mass: classes.iter().sum(), predicted: Some(classes), other: None };
    measure.bounds(&slice.weighted(&kept), &unlabelled).map(|Bounds { low, high }| (low, high))
}
