//! Whether a model's confidence is what it should be: by bins of the largest probability, confidence minus correctness.
//!
//! The mean of squared gaps, as it comes out of estimated gaps, is too large by their variances even for a model that is
//! calibrated perfectly; so these are taken off. What is left can be below 0, and then nothing speaks against the model.

use super::estimate::{MadeBy, Uncertainty, uncertainty};
use super::{
    ErrorRate, Judged, Linearised, Measure, MetricError, MetricEstimate, MetricInterval, Note, Scale, Slice,
    Undefined, WeightedDraws,
};
use crate::error::Result;
use crate::interval::{Target, t_quantile};

/// The calibration of a model, bin by bin.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The bins from the least confident up; those without a label too.
    pub bins: Vec<Bin>,
    /// Σ p_b (gap_b² − its variance): the squared expected calibration error without its own noise; `None` while a bin
    /// has too few labels for a variance. Its bias vanishes as labels come in.
    pub squared_error: Option<f64>,
    /// Where it lies; from 0 on, which it is on the whole pool.
    pub interval: Option<(f64, f64)>,
    /// The labels behind it.
    pub labels: usize,
}

/// The items of about the same confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Bin {
    /// Its least confidence.
    pub low: f64,
    /// Its largest.
    pub high: f64,
    /// The share of the pool that is in it: known where it was given, otherwise estimated.
    pub mass: f64,
    /// The mean confidence in it; `None` without labels.
    pub confidence: Option<f64>,
    /// Confidence minus accuracy, with its interval: above 0 the model is too sure of itself.
    pub gap: MetricEstimate,
    /// The variance of the gap, which is not taken for 0 where all of a few labels happen to be right, or wrong.
    noise: Option<f64>,
}

/// The mean gap between confidence and correctness: what a [`Bin`] has, and all of them together too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap;

impl Measure<Judged> for Gap {
    fn name(&self) -> String {
        "confidence minus accuracy".to_owned()
    }

    fn scale(&self) -> Scale {
        Scale::Plain
    }

    fn linearised(&self, points: &[(&Judged, f64)]) -> Result<Linearised, Undefined> {
        let gaps: Option<Vec<(f64, f64)>> =
            points.iter().map(|(point, weight)| Some((gap(point)?, *weight))).collect();
        super::mean::linearised_mean(&gaps.ok_or(Undefined::NoProbabilities)?)
    }
}

fn confidence(point: &Judged) -> Option<f64> {
    point.probabilities.get(point.predicted).copied()
}

fn gap(point: &Judged) -> Option<f64> {
    Some(confidence(point)? - if point.is_right() { 1.0 } else { 0.0 })
}

/// The bin of a confidence among bins of the same width from 1 / classes to 1.
pub(crate) fn bin_of(confidence: f64, bins: usize, classes: usize) -> usize {
    let least = 1.0 / classes.max(1) as f64;
    let place = ((confidence - least) / (1.0 - least) * bins as f64).floor();
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "kept between 0 and the last bin"
    )]
    let place = place.max(0.0) as usize;
    place.min(bins.saturating_sub(1))
}

impl Calibration {
    /// How many items of a pool are in each bin, by their rows of probabilities: what [`Calibration::new`] likes to know.
    pub fn count<'a>(rows: impl Iterator<Item = &'a [f64]>, bins: usize) -> Vec<usize> {
        let mut counts = vec![0; bins];
        for row in rows {
            let most = row.iter().copied().fold(0.0, f64::max);
            if let Some(count) = counts.get_mut(bin_of(most, bins, row.len())) {
                *count += 1;
            }
        }
        counts
    }

    /// Gaps in bins of the same width between the least possible confidence and 1. `counts` has the number of items of
    /// the pool in each bin, where it is known.
    pub fn new(
        draws: &WeightedDraws<Judged>,
        bins: usize,
        counts: Option<&[usize]>,
        target: Target,
        level: f64,
    ) -> Result<Self> {
        if bins == 0 || bins > 1000 {
            return Err(MetricError::Bins { bins }.into());
        }
        if let Some(counts) = counts.filter(|counts| counts.len() != bins) {
            return Err(MetricError::Entries { what: "bins", entries: counts.len(), expected: bins }.into());
        }
        let classes = draws.points().iter().map(|point| point.probabilities.len()).max().unwrap_or(0);
        let least = 1.0 / classes.max(1) as f64;
        let edge = |bin: usize| least + (1.0 - least) * bin as f64 / bins as f64;
        let places =
            draws.points().iter().map(|point| bin_of(confidence(point).unwrap_or(0.0), bins, classes));
        let places: Vec<usize> = places.collect();
        let weights = draws.weights();
        let all: f64 = weights.iter().sum();
        let mut found = Vec::with_capacity(bins);
        for number in 0..bins {
            let inside: Vec<bool> = places.iter().map(|place| *place == number).collect();
            let size = counts.and_then(|counts| counts.get(number).copied());
            let slice = draws.slice(inside, size)?;
            let mut gap = slice.measure(&Gap, target, level)?;
            let own = slice.weights();
            let weighted = slice.weighted(&own);
            let inside: f64 = weighted.iter().map(|(_, weight)| weight).sum();
            let sum: f64 =
                weighted.iter().filter_map(|(point, weight)| Some(weight * confidence(point)?)).sum();
            let mass = size.map_or(inside / all, |size| size as f64 / draws.pool_size() as f64);
            let confidence = (inside > 0.0).then(|| sum / inside);
            if let (Some(span), Some(confidence)) = (&mut gap.interval, confidence) {
                widen(span, confidence, &slice.measure(&ErrorRate, target, level)?);
            }
            let noise = noise(&gap, &slice, &weighted);
            found.push(Bin { low: edge(number), high: edge(number + 1), mass, confidence, gap, noise });
        }
        let (squared_error, interval) = squared(draws, &found, &places, target, level)?.unzip();
        Ok(Self { bins: found, squared_error, interval, labels: draws.points().len() })
    }
}

/// A few labels of one bin are easily all right or all wrong, and then the gap seems to be known: its interval becomes at
/// least what the confidence leaves of that of the error rate, which knows of what may have been missed.
fn widen(span: &mut MetricInterval, confidence: f64, wrong: &MetricEstimate) {
    if let (true, Some(rate)) = (wrong.notes.iter().any(is_provisional), wrong.interval) {
        span.low = span.low.min(confidence - 1.0 + rate.low);
        span.high = span.high.max(confidence - 1.0 + rate.high);
    }
}

fn is_provisional(note: &Note) -> bool {
    matches!(note, Note::Edge | Note::FewHits { .. } | Note::FewLabels { .. })
}

/// The variance of a gap: that of its draws, but at least that of a share with half a success and half a failure more.
fn noise(gap: &MetricEstimate, slice: &Slice<'_, Judged>, weighted: &[(&Judged, f64)]) -> Option<f64> {
    let drawn = gap.standard_error?.powi(2);
    if drawn == 0.0 && slice.is_whole() {
        return Some(0.0);
    }
    let (mut mass, mut squares, mut right) = (0.0, 0.0, 0.0);
    for (point, weight) in weighted {
        mass += weight;
        squares += weight * weight;
        right += if point.is_right() { *weight } else { 0.0 };
    }
    let count = mass * mass / squares;
    let share = (right / mass * count + 0.5) / (count + 1.0);
    let left = slice.size.map_or(1.0, |size| 1.0 - slice.labels() as f64 / size.max(1) as f64);
    Some(drawn.max(share * (1.0 - share) / count * left.max(0.0)))
}

/// The squared error without its noise and where it lies. Its variance has a part that is linear in the gaps, and for
/// small gaps one by their squares.
fn squared(
    draws: &WeightedDraws<Judged>,
    bins: &[Bin],
    places: &[usize],
    target: Target,
    level: f64,
) -> Result<Option<(f64, (f64, f64))>> {
    let (mut value, mut plain, mut quadratic, mut linear) = (0.0, 0.0, 0.0, 0.0);
    for bin in bins.iter().filter(|bin| bin.gap.labels > 0) {
        let (Ok(gap), Some(noise)) = (bin.gap.value, bin.noise) else {
            return Ok(None);
        };
        value += bin.mass * (gap * gap - noise);
        plain += bin.mass * gap * gap;
        quadratic += 2.0 * (bin.mass * noise).powi(2);
        // Where all labels of a bin are alike, draws do not tell how far its gap may be off.
        linear += noise * (2.0 * bin.mass * gap).powi(2);
    }
    let influence = draws.points().iter().zip(places).map(|(point, place)| {
        let of = bins.get(*place).and_then(|bin| bin.gap.value.ok()).zip(gap(point));
        of.map_or(0.0, |(mean, gap)| mean * mean - plain + 2.0 * mean * (gap - mean))
    });
    let influence: Vec<f64> = influence.collect();
    let whole = draws.all();
    let Some(Uncertainty { variance, freedom, .. }) =
        uncertainty(&whole, &whole.weights(), &influence, target, MadeBy::Weights)?
    else {
        return Ok(None);
    };
    let half = t_quantile(freedom, (1.0 - level) / 2.0) * (variance.max(linear) + quadratic).sqrt();
    Ok(Some((value, ((value - half).max(0.0), (value + half).max(0.0)))))
}
