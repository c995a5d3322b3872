//! The asymptotic confidence sequence: valid at every moment at once, in the limit, by Robbins' normal mixture on the
//! one martingale that all running estimates are scaled values of.

use super::{Basis, Interval, Target, normal_quantile, normal_tail, ordinary, t_quantile, within};
use crate::error::{Error, Result};
use crate::estimator::Lure;
use crate::ledger::{Evidence, Fit};

pub(super) fn interval(
    evidence: &Evidence,
    fit: &Fit<'_>,
    planned: usize,
    target: Target,
    level: f64,
) -> Result<Interval> {
    if planned == 0 || planned >= evidence.pool_size {
        let range = "at least 1 and below the size of the pool";
        return Err(Error::Option { name: "the planned number of labels", value: planned as f64, range });
    }
    let terms = &fit.terms;
    let labels = terms.labels();
    let Some(variance) = terms.variance() else {
        return Err(Error::TooFewLabels { what: "the anytime interval", needed: 4, labels });
    };
    let variance = variance * evidence.open_share().powi(2);
    let value = fit.value;
    let (error, aside) = shared(evidence, target, level);
    let half = if labels == evidence.pool_size {
        0.0
    } else {
        variance.sqrt() * quantile(error, planned, labels, evidence.pool_size)
    };
    let (low, high) = within(evidence, target, value - half - aside, value + half + aside);
    Ok(Interval {
        low,
        high,
        level,
        target,
        basis: Basis::Anytime,
        caution: ordinary::caution(terms, evidence, target)?,
    })
}

/// The error probability of the draws, and how far the pool may be from the population with the other half of it: the two
/// sources of error share the error probability.
fn shared(evidence: &Evidence, target: Target, level: f64) -> (f64, f64) {
    match target {
        Target::Pool => (1.0 - level, 0.0),
        Target::Population => {
            let pool = evidence.loss_variance() / evidence.whole_size() as f64;
            (0.5 * (1.0 - level), normal_quantile(0.25 * (1.0 - level)) * pool.sqrt())
        }
    }
}

/// The same on the scale of the ordinary interval: with Student's t of the adaptive degrees of freedom in the place of the
/// normal, and on the log scale for losses that are not negative. Large losses are rare, so estimates are low more often
/// than they are high; the plain sequence then ends too low several times as often as it should.
pub(super) fn look(
    evidence: &Evidence,
    fit: &Fit<'_>,
    planned: usize,
    target: Target,
    level: f64,
) -> Result<Interval> {
    let terms = &fit.terms;
    let labels = terms.labels();
    let Some(variance) = terms.variance() else {
        return Err(Error::TooFewLabels { what: "the anytime interval", needed: 4, labels });
    };
    let variance = variance * evidence.open_share().powi(2);
    let (error, aside) = shared(evidence, target, level);
    let least = |one: Option<f64>, other: Option<f64>| one.into_iter().chain(other).reduce(f64::min);
    let freedom = least(terms.degrees_of_freedom(), evidence.terms(&Lure)?.degrees_of_freedom());
    let freedom = freedom.unwrap_or(labels as f64);
    let half = if labels == evidence.pool_size {
        0.0
    } else {
        let normal = quantile(error, planned, labels, evidence.pool_size);
        t_quantile(freedom, normal_tail(normal)) * variance.sqrt()
    };
    let half = half + aside;
    let (low, high, _) = ordinary::about(evidence.sign, fit.value, half, freedom);
    let (low, high) = within(evidence, target, low, high);
    let caution = ordinary::caution(terms, evidence, target)?;
    Ok(Interval { low, high, level, target, basis: Basis::Anytime, caution })
}

/// Half-width of the interval after `labels` labels, in standard errors.
pub(super) fn quantile(error: f64, planned: usize, labels: usize, pool_size: usize) -> f64 {
    let clock = |t: usize| t as f64 / pool_size.saturating_sub(t) as f64;
    // When nothing is left to be drawn the clock stands at infinity, and there is no variance to multiply.
    let u = (best_scale(error) * clock(labels) / clock(planned)).min(f64::MAX);
    ((1.0 + 1.0 / u) * ((1.0 + u) / (error * error)).ln()).sqrt()
}

/// The scale κ of the mixture that makes the interval narrowest at the planned moment: κ = log(1 + κ) − 2 log α.
fn best_scale(error: f64) -> f64 {
    let goal = -2.0 * error.ln();
    (0..200).fold(goal, |kappa, _| goal + kappa.ln_1p())
}
