//! Intervals for the risk: an ordinary one, two guaranteed ones, and one that is valid at every look.

mod anytime;
mod believed;
mod betting;
mod chernoff;
mod ordinary;

pub(crate) use ordinary::ENOUGH_HITS;
use std::fmt;

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::design::DesignError;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Replacement};
use crate::ledger::{Evidence, Fit};
use crate::loss::Bounds;

/// Whose risk the interval is for. It has no default: the two differ more the larger the labelled part of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The loss on this very pool: known exactly once all of it is labelled.
    Pool,
    /// The loss on the population that the pool was drawn from at random.
    Population,
}

/// How the interval is made.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Method {
    /// From the estimate's own variance, with degrees of freedom from how many terms carry it, on the log scale for
    /// losses that are not negative. Below 50 labels, or with fewer than 3 effective hits, it is replaced by the
    /// guaranteed one where the loss has bounds, and marked where not.
    #[default]
    Ordinary,
    /// A betting confidence sequence: covers at every moment at once with the level promised, whatever the pool and
    /// the surrogate, for losses with bounds. May be looked at, and stopped by, at any time.
    Guaranteed,
    /// As guaranteed, and mostly narrower, for a budget fixed before the first label.
    GuaranteedAtBudget,
    /// Covers at every moment at once, in the limit of many labels; narrowest when about `planned` labels are told.
    Anytime {
        /// The number of labels it is tuned for.
        planned: usize,
    },
}

/// What an interval rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Basis {
    /// The whole pool is labelled: nothing is left to be estimated.
    WholePool,
    /// Student's t on the log scale.
    LogT {
        /// The adaptive degrees of freedom.
        freedom: f64,
    },
    /// Student's t on the logit scale between the bounds of the loss.
    LogitT {
        /// The adaptive degrees of freedom.
        freedom: f64,
    },
    /// Student's t.
    T {
        /// The adaptive degrees of freedom.
        freedom: f64,
    },
    /// The betting confidence sequence.
    Betting,
    /// Betting for a fixed budget.
    BettingAtBudget,
    /// The asymptotic confidence sequence.
    Anytime,
    /// Chernoff's bound for a stratified sample.
    Chernoff,
}

/// Why an ordinary interval should be read with care, or was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caution {
    /// Fewer than 50 labels.
    FewLabels,
    /// The variance rests on fewer than 3 samples in effect.
    FewHits,
}

/// An interval for the risk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability to cover, such as 0.95.
    pub level: f64,
    /// Whose risk it is for.
    pub target: Target,
    /// Its basis.
    pub basis: Basis,
    /// Whether there was too little to go by for the ordinary interval.
    pub caution: Option<Caution>,
}

impl Interval {
    /// Whether a risk lies in it, but for rounding.
    pub fn covers(&self, risk: f64) -> bool {
        let slack = 1e-12 * (1.0 + risk.abs());
        self.low - slack <= risk && risk <= self.high + slack
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WholePool => "exact",
            Self::LogT { .. } | Self::LogitT { .. } | Self::T { .. } => "ordinary",
            Self::Betting => "guaranteed",
            Self::BettingAtBudget | Self::Chernoff => "guaranteed at this budget",
            Self::Anytime => "anytime",
        })
    }
}

/// The interval at a level, for a target that the caller must choose.
pub fn interval(
    evidence: &Evidence,
    estimator: &dyn Estimator,
    method: Method,
    target: Target,
    level: f64,
) -> Result<Interval> {
    of_fit(evidence, &evidence.fit(estimator)?, method, target, level)
}

/// The same by an estimator that is fitted already.
pub(crate) fn of_fit(
    evidence: &Evidence,
    fit: &Fit<'_>,
    method: Method,
    target: Target,
    level: f64,
) -> Result<Interval> {
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::Option { name: "level", value: level, range: "between 0 and 1, such as 0.95" });
    }
    if fit.estimator.replacement() == Replacement::With {
        return match method {
            Method::Ordinary => ordinary::with_replacement(evidence, fit, target, level),
            _ => Err(Error::NeedsWithoutReplacement),
        };
    }
    if fit.estimator.replacement() == Replacement::WithinStrata {
        return match method {
            Method::Ordinary => ordinary::interval(evidence, fit, target, level),
            Method::GuaranteedAtBudget => chernoff::interval(evidence, &fit.terms, target, level),
            Method::Guaranteed | Method::Anytime { .. } => Err(DesignError::NotAtAnyTime.into()),
        };
    }
    match method {
        Method::Ordinary => ordinary::interval(evidence, fit, target, level),
        Method::Guaranteed => betting::interval(evidence, Basis::Betting, target, level),
        Method::GuaranteedAtBudget => betting::interval(evidence, Basis::BettingAtBudget, target, level),
        Method::Anytime { planned } => anytime::interval(evidence, fit, planned, target, level),
    }
}

/// Whether there is too little to go by for an interval that rests on the variance of the estimator's terms.
pub(crate) fn caution_of(evidence: &Evidence, fit: &Fit<'_>, target: Target) -> Result<Option<Caution>> {
    ordinary::caution(&fit.terms, evidence, target)
}

/// Whether losses have the bounds that a guarantee needs.
pub(crate) fn can_be_guaranteed(evidence: &Evidence, target: Target) -> bool {
    betting::possible(evidence, target)
}

/// The anytime interval as decisions use it, which errs to both sides alike where losses are skewed.
pub(crate) fn look(
    evidence: &Evidence,
    estimator: &dyn Estimator,
    planned: usize,
    target: Target,
    level: f64,
) -> Result<Interval> {
    anytime::look(evidence, &evidence.fit(estimator)?, planned, target, level)
}

/// Half-width of the anytime interval after `labels` labels of a pool, in standard errors, for one `error` of both sides.
pub(crate) fn sequence_quantile(error: f64, planned: usize, labels: usize, pool_size: usize) -> f64 {
    anytime::quantile(error, planned, labels, pool_size)
}

/// An interval within what is certain of the pool risk; the population's, and the mean over annotators, are bounded by the
/// loss's own range alone.
fn within(evidence: &Evidence, target: Target, low: f64, high: f64) -> (f64, f64) {
    let Bounds { low: least, high: most } = match (target, evidence.range) {
        (Target::Pool, _) if evidence.noise == 0.0 => evidence.certain(),
        (_, Some(range)) => range,
        (_, None) => match evidence.sign {
            crate::loss::Sign::NonNegative => Bounds { low: 0.0, high: f64::INFINITY },
            crate::loss::Sign::Signed => return (low, high),
        },
    };
    (low.max(least).min(most), high.min(most).max(least))
}

/// The upper `tail` quantile of Student's t. With very many degrees of freedom the inverse of its distribution loses
/// its footing, and two terms of the expansion about the normal quantile are exact to eleven digits.
pub fn t_quantile_of(freedom: f64, tail: f64) -> f64 {
    t_quantile(freedom, tail)
}

/// See [`t_quantile_of`].
pub(crate) fn t_quantile(freedom: f64, tail: f64) -> f64 {
    if freedom > 1e4 {
        let z = normal_quantile(tail);
        let (first, second) = ((z.powi(3) + z) / 4.0, (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0);
        return z + first / freedom + second / (freedom * freedom);
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(1.0 - tail))
}

/// The probability that a standard normal number is above a quantile.
fn normal_tail(quantile: f64) -> f64 {
    Normal::standard().sf(quantile)
}

/// The upper `tail` quantile of the standard normal.
pub(crate) fn normal_quantile(tail: f64) -> f64 {
    Normal::standard().inverse_cdf(1.0 - tail)
}

#[cfg(test)]
mod tests {
    use super::t_quantile;

    #[test]
    fn the_expansion_meets_the_inverse() {
        for tail in [0.05, 0.025, 0.0005] {
            let (inverse, expansion) = (t_quantile(9999.9, tail), t_quantile(10_000.1, tail));
            assert!((inverse / expansion - 1.0).abs() < 1e-7, "{inverse} and {expansion}");
        }
        assert!((t_quantile(1e12, 0.025) - 1.959_963_984_540_054).abs() < 1e-9);
    }
}
