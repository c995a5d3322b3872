//! The evidence of a ledger, gathered once for one estimator, and everything that is read off it.

use std::fmt;

use super::{Estimate, Evidence};
use crate::error::{Error, Result};
use crate::estimator::{Controls, Estimator, RegressionLure, Terms};
use crate::interval::{Interval, Method, Target, of_fit};
use crate::loss::Bounds;
use crate::report::Report;

/// An estimator that was fitted to evidence.
pub(crate) struct Fit<'a> {
    pub(crate) estimator: &'a dyn Estimator,
    pub(crate) terms: Terms,
    /// The estimate for the whole pool.
    pub(crate) value: f64,
}

impl Evidence {
    /// Fits an estimator. Intervals and diagnostics take the fit, so that each estimate needs one.
    pub(crate) fn fit<'a>(&self, estimator: &'a dyn Estimator) -> Result<Fit<'a>> {
        let terms = self.terms(estimator)?;
        let open_risk = estimator.value(&self.samples, self.pool_size, &terms);
        Ok(Fit { estimator, terms, value: self.whole_value(estimator, open_risk) })
    }

    /// The weights of regression LURE's controls: those of the fit, where that is its estimator.
    pub(crate) fn controls(&self, fit: &Fit<'_>) -> Result<Controls> {
        match fit.terms.controls() {
            Some(controls) => Ok(controls),
            None => RegressionLure.controls(&self.samples, self.pool_size),
        }
    }
}

/// The evidence of a moment with one estimator fitted to it. Made by [`Ledger::gather`](super::Ledger::gather), which does
/// the work once; estimate, interval and report are then read off.
pub struct Gathered<'a> {
    pub(super) evidence: Evidence,
    pub(super) fit: Fit<'a>,
    /// The same with every skipped loss at its lower, and at its upper bound; `None` if no item was skipped.
    pub(super) extremes: Option<[(Evidence, Fit<'a>); 2]>,
    /// Labels that wait behind an earlier draw without one.
    pub(super) waiting: usize,
    pub(super) missing_since_refresh: bool,
}

impl Gathered<'_> {
    /// The evidence, with what the surrogate expected in the place of skipped losses.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The evidence with every skipped loss at its lower, and at its upper bound; `None` if no item was skipped.
    pub fn extremes(&self) -> Option<[&Evidence; 2]> {
        self.extremes.as_ref().map(|extremes| extremes.each_ref().map(|(evidence, _)| evidence))
    }

    /// The estimate.
    pub fn estimate(&self) -> Estimate {
        let Self { evidence, fit, extremes, .. } = self;
        let standard_error = fit.terms.variance().map(|variance| variance.sqrt() * evidence.open_share());
        let skipped = extremes.as_ref().map(|[(_, low), (_, high)]| Bounds {
            low: low.value.min(high.value),
            high: high.value.max(low.value),
        });
        Estimate {
            value: fit.value,
            standard_error,
            labels: evidence.samples.len() - evidence.imputed,
            skipped,
        }
    }

    /// An interval about the estimate. With skipped items it reaches from the lower end with all of their losses at
    /// the lower bound to the upper end with all of them at the upper: their worst case for LURE and for the guaranteed
    /// sequence, and close to it for the others.
    pub fn interval(&self, method: Method, target: Target, level: f64) -> Result<Interval> {
        let guaranteed = matches!(method, Method::Guaranteed | Method::GuaranteedAtBudget);
        if guaranteed && self.missing_since_refresh {
            return Err(Error::MissingSinceRefresh);
        }
        let Some([low, high]) = &self.extremes else {
            return of_fit(&self.evidence, &self.fit, method, target, level);
        };
        let [low, high] = [low, high].map(|(evidence, fit)| of_fit(evidence, fit, method, target, level));
        let (low, high) = (low?, high?);
        let (from, to) = (low.low.min(high.low), low.high.max(high.high));
        Ok(Interval { low: from, high: to, caution: low.caution.or(high.caution), ..high })
    }

    /// Estimate, interval and everything worth knowing about them.
    pub fn report(&self, method: Method, target: Target, level: f64) -> Result<Report> {
        let interval = self.interval(method, target, level);
        let mut report = Report::new(&self.evidence, &self.fit, self.estimate(), interval)?;
        report.waiting = self.waiting;
        report.missing_since_refresh = self.missing_since_refresh;
        Ok(report)
    }
}

impl fmt::Debug for Gathered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Gathered");
        debug.field("evidence", &self.evidence).field("estimator", &self.fit.estimator.name());
        debug.field("value", &self.fit.value).finish_non_exhaustive()
    }
}
