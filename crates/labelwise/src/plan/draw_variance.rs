//! The variance of one draw, and what follows from it for many.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::error::Result;
use crate::estimator::{Estimator, Terms};
use crate::ledger::Evidence;

/// The probability with which the range of a variance that was estimated from labels is to hold it.
const RANGE: f64 = 0.9;

/// s²: the variance of an estimate from one draw, of which that from many follows, with the range it may lie in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawVariance {
    /// s².
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The items that can be drawn.
    pub pool_size: usize,
}

/// A number of labels, and the range it may lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelRange {
    /// As many as are expected.
    pub expected: usize,
    /// The lower end.
    pub low: usize,
    /// The upper end.
    pub high: usize,
}

impl LabelRange {
    /// The same, but not below `least`.
    pub fn at_least(self, least: usize) -> Self {
        let Self { expected, low, high } = self;
        Self { expected: expected.max(least), low: low.max(least), high: high.max(least) }
    }

    /// The fewer of both.
    pub fn at_most(self, other: Self) -> Self {
        let Self { expected, low, high } = self;
        Self { expected: expected.min(other.expected), low: low.min(other.low), high: high.min(other.high) }
    }

    /// How many of them are missing when there are `labels`.
    pub fn beyond(self, labels: usize) -> Self {
        let Self { expected, low, high } = self;
        let beyond = |wanted: usize| wanted.saturating_sub(labels);
        Self { expected: beyond(expected), low: beyond(low), high: beyond(high) }
    }
}

impl DrawVariance {
    /// One that is known.
    pub fn exact(value: f64, pool_size: usize) -> Self {
        Self { value, low: value, high: value, pool_size }
    }

    /// The one that the labels so far show: s² = V̂ M (N − 1) / (N − M), with the range that its degrees of freedom
    /// leave it. `None` while there is no variance, or once nothing is left to be drawn.
    pub fn of(evidence: &Evidence, estimator: &dyn Estimator) -> Result<Option<Self>> {
        Ok(Self::of_terms(evidence, &evidence.terms(estimator)?))
    }

    /// The same by the terms of an estimator that is fitted already.
    pub(super) fn of_terms(evidence: &Evidence, terms: &Terms) -> Option<Self> {
        let (Some(variance), Some(freedom)) = (terms.variance(), terms.degrees_of_freedom()) else {
            return None;
        };
        let variance = variance * evidence.open_share().powi(2);
        Self::of_variance(variance, freedom, terms.labels(), evidence.pool_size)
    }

    /// The same from the variance of an estimate by some labels, and its degrees of freedom.
    pub(super) fn of_variance(variance: f64, freedom: f64, labels: usize, pool_size: usize) -> Option<Self> {
        let (labels, size) = (labels as f64, pool_size as f64);
        if labels >= size || variance <= 0.0 {
            return None;
        }
        let value = variance * labels * (size - 1.0) / (size - labels);
        let quantile =
            |share: f64| ChiSquared::new(freedom).map_or(f64::NAN, |law| freedom / law.inverse_cdf(share));
        let tail = (1.0 - RANGE) / 2.0;
        let (low, high) = (value * quantile(1.0 - tail), value * quantile(tail));
        let usable = low.is_finite() && high.is_finite();
        usable.then_some(Self { value, low, high, pool_size })
    }

    /// V(M), with s² as expected.
    pub fn variance(&self, labels: usize) -> f64 {
        self.value * self.share(labels as f64)
    }

    /// (N − M) / (M (N − 1)): 1 for one label, 0 for all.
    fn share(&self, labels: f64) -> f64 {
        let size = self.pool_size as f64;
        if labels >= size { 0.0 } else { (size - labels) / (labels * (size - 1.0)) }
    }

    /// The labels for which `quantile` standard errors come to `half` at most, where `aside` is what no label takes off
    /// the variance; `None` if no number of labels is enough. The quantile may depend on the number of labels; what it
    /// makes of them must fall as they grow.
    pub fn labels_for(&self, half: f64, aside: f64, quantile: impl Fn(usize) -> f64) -> Option<LabelRange> {
        let wide = |value: f64, labels: usize| {
            let variance = value * self.share(labels as f64) + aside;
            variance > 0.0 && quantile(labels) * variance.sqrt() > half
        };
        if wide(0.0, self.pool_size) {
            return None;
        }
        let needed = |value: f64| {
            let (mut few, mut enough) = (0, self.pool_size.max(1));
            while few + 1 < enough {
                let middle = few + (enough - few) / 2;
                if wide(value, middle) { few = middle } else { enough = middle }
            }
            enough
        };
        Some(LabelRange { expected: needed(self.value), low: needed(self.low), high: needed(self.high) })
    }
}
