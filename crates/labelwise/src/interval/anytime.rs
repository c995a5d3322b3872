//! The asymptotic confidence sequence: valid at every moment at once, in the limit, by Robbins' normal mixture on the
//! one martingale that all running estimates are scaled values of.

use super::{Basis, Interval, Target, normal_quantile, ordinary, within};
use crate::error::{Error, Result};
use crate::estimator::Estimator;
use crate::evidence::Evidence;

pub(super) fn interval(
    evidence: &Evidence,
    estimator: &dyn Estimator,
    planned: usize,
    target: Target,
    level: f64,
) -> Result<Interval> {
    if planned == 0 || planned >= evidence.pool_size {
        let range = "at least 1 and below the size of the pool";
        return Err(Error::Option { name: "the planned number of labels", value: planned as f64, range });
    }
    let terms = evidence.terms(estimator)?;
    let labels = terms.labels();
    let Some(variance) = terms.variance() else {
        return Err(Error::TooFewLabels { what: "the anytime interval", needed: 4, labels });
    };
    let variance = variance * evidence.open_share().powi(2);
    let value = evidence.estimate(estimator)?;
    // The two sources of error share the error probability.
    let (error, aside) = match target {
        Target::Pool => (1.0 - level, 0.0),
        Target::Population => {
            let pool = evidence.loss_variance() / evidence.whole_size() as f64;
            (0.5 * (1.0 - level), normal_quantile(0.25 * (1.0 - level)) * pool.sqrt())
        }
    };
    let half = if labels == evidence.pool_size {
        0.0
    } else {
        let clock = |t: usize| t as f64 / (evidence.pool_size - t) as f64;
        let u = best_scale(error) * clock(labels) / clock(planned);
        (variance * (1.0 + 1.0 / u) * ((1.0 + u) / (error * error)).ln()).sqrt()
    };
    let (low, high) = within(evidence, target, value - half - aside, value + half + aside);
    Ok(Interval {
        low,
        high,
        level,
        target,
        basis: Basis::Anytime,
        caution: ordinary::caution(&terms, evidence, target)?,
    })
}

/// The scale κ of the mixture that makes the interval narrowest at the planned moment: κ = log(1 + κ) − 2 log α.
fn best_scale(error: f64) -> f64 {
    let goal = -2.0 * error.ln();
    (0..200).fold(goal, |kappa, _| goal + kappa.ln_1p())
}
