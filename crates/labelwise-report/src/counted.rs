//! The samples that the estimate is made of, each with its weight, its share of the variance, and its line.

use std::collections::BTreeMap;

use labelwise::estimator::Sample;

use super::page::{DrawLine, Error, Fate, Page};

/// A sample and what it means for the estimate.
pub(super) struct Counted<'a> {
    /// As estimators see it.
    pub(super) sample: &'a Sample,
    /// v_m.
    pub(super) v: f64,
    /// Its share of the variance; `None` without a variance.
    pub(super) share: Option<f64>,
    /// Its line in the table.
    pub(super) line: Option<&'a DrawLine>,
}

impl Counted<'_> {
    /// Whether its loss was seen, rather than put in the place of one that was skipped.
    pub(super) fn is_seen(&self) -> bool {
        self.line.is_none_or(|line| matches!(line.fate, Fate::Labelled { .. }))
    }
}

/// Every sample, in draw order.
pub(super) fn counted(page: &Page) -> Result<Vec<Counted<'_>>, Error> {
    let evidence = &page.evidence;
    let lines: BTreeMap<usize, &DrawLine> = page.draws.iter().map(|line| (line.index, line)).collect();
    let terms = page.estimator.terms(&evidence.samples, evidence.pool_size)?;
    let weights = page.estimator.weights(&evidence.samples, evidence.pool_size)?;
    let variance = terms.variance().filter(|variance| *variance > 0.0);
    let shares = terms.contributions().into_iter().map(|part| variance.map(|variance| part / variance));
    let samples = evidence.samples.iter().zip(weights).zip(shares);
    Ok(samples
        .map(|((sample, v), share)| Counted { sample, v, share, line: lines.get(&sample.index).copied() })
        .collect())
}

/// Whether every item had the same chance.
pub(super) fn is_even(samples: &[Counted<'_>]) -> bool {
    samples.iter().all(|sample| (sample.v - 1.0).abs() < 1e-9)
}
