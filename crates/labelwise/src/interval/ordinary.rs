//! The ordinary interval: Student's t with adaptive degrees of freedom, on the log scale, with a guard.

use super::{Basis, Caution, Interval, Target, believed, betting, chernoff, t_quantile, within};
use crate::error::{Error, Result};
use crate::estimator::{Lure, Replacement, Terms};
use crate::ledger::{Evidence, Fit};
use crate::loss::{Bounds, Sign};

/// Number of labels below which no asymptotic interval holds: small losses look Gaussian until the first large one is seen.
pub(super) const ENOUGH_LABELS: usize = 50;

/// Number of effective hits below which the variance is itself a guess.
pub(crate) const ENOUGH_HITS: f64 = 3.0;

/// Losses that can be anywhere in a wider range leave a guaranteed interval of a stratified sample with nothing to say: it
/// knows the range alone, and not the bounds of each item.
const WIDE: f64 = 5.0;

pub(super) fn interval(evidence: &Evidence, fit: &Fit<'_>, target: Target, level: f64) -> Result<Interval> {
    let terms = &fit.terms;
    let labels = terms.labels();
    let belief = evidence.belief.as_ref();
    let caution = match belief {
        // The size of residuals is itself a guess while few of them carry the variance.
        Some(belief) if labels < evidence.pool_size && !belief.is_fitted() => {
            believed::caution(belief, labels - evidence.imputed)
        }
        _ => caution(terms, evidence, target)?,
    };
    let within_strata = fit.estimator.replacement() == Replacement::WithinStrata;
    if caution.is_some()
        && within_strata
        && evidence.range.is_some_and(|range| range.high - range.low <= WIDE)
    {
        return Ok(Interval { caution, ..chernoff::interval(evidence, terms, target, level)? });
    }
    if caution.is_some() && !within_strata && betting::possible(evidence, target) {
        let guarded = betting::interval(evidence, Basis::BettingAtBudget, target, level)?;
        return Ok(Interval { caution, ..guarded });
    }
    if target == Target::Pool && labels == evidence.pool_size && evidence.noise == 0.0 {
        // Nothing is left to estimate: what is certain is one number.
        let Bounds { low, high } = evidence.certain();
        return Ok(Interval { low, high, level, target, basis: Basis::WholePool, caution });
    }
    if let Some(belief) = belief.filter(|_| labels < evidence.pool_size) {
        return believed::interval(evidence, belief, fit, target, level);
    }
    let value = fit.value;
    let (variance, freedom) = variance_and_freedom(fit, evidence, target)?;
    let (low, high, basis) = by_variance(evidence.sign, value, variance, freedom, level);
    let (low, high) = within(evidence, target, low, high);
    Ok(Interval { low, high, level, target, basis, caution })
}

/// The same for draws with replacement, of which nothing is certain and which never label the whole pool.
pub(super) fn with_replacement(
    evidence: &Evidence,
    fit: &Fit<'_>,
    target: Target,
    level: f64,
) -> Result<Interval> {
    let terms = &fit.terms;
    let few = terms.labels() < ENOUGH_LABELS;
    let caution = if few {
        Some(Caution::FewLabels)
    } else {
        (terms.effective_hits() < ENOUGH_HITS).then_some(Caution::FewHits)
    };
    let (variance, freedom) = variance_and_freedom(fit, evidence, target)?;
    let value = fit.value;
    let (low, high, basis) = by_variance(evidence.sign, value, variance, freedom, level);
    Ok(Interval { low, high, level, target, basis, caution })
}

/// The variance of the whole risk's estimate about the target, and its degrees of freedom.
fn variance_and_freedom(fit: &Fit<'_>, evidence: &Evidence, target: Target) -> Result<(f64, f64)> {
    let terms = &fit.terms;
    let labels = terms.labels();
    let Some(drawn) = terms.variance() else {
        let what = if terms.is_of_strata() {
            "an interval (2 labels of each stratum)"
        } else {
            "an interval for a loss without bounds"
        };
        return Err(Error::TooFewLabels { what, needed: terms.least_labels(), labels });
    };
    let drawn = drawn * evidence.open_share().powi(2);
    let most = (labels as f64 - 1.0).max(1.0);
    let freedom = terms.degrees_of_freedom().unwrap_or(most);
    match target {
        Target::Pool if evidence.noise > 0.0 => Ok((drawn + evidence.noise, most)),
        Target::Pool => Ok((drawn, freedom)),
        Target::Population => population_variance(evidence, fit, drawn, freedom),
    }
}

/// The pool's own distance from the population comes on top of the variance of the draws.
pub(super) fn population_variance(
    evidence: &Evidence,
    fit: &Fit<'_>,
    drawn: f64,
    freedom: f64,
) -> Result<(f64, f64)> {
    let most = (fit.terms.labels() as f64 - 1.0).max(1.0);
    let pool = evidence.loss_variance_by(fit.estimator)? / evidence.whole_size() as f64;
    let both = drawn + pool;
    let freedom = both * both / (drawn * drawn / freedom + pool * pool / most).max(f64::MIN_POSITIVE);
    Ok((both, freedom.clamp(1.0, most)))
}

/// Student's t about the value; on the log scale where the loss cannot be negative.
fn by_variance(sign: Sign, value: f64, variance: f64, freedom: f64, level: f64) -> (f64, f64, Basis) {
    about(sign, value, t_quantile(freedom, (1.0 - level) / 2.0) * variance.sqrt(), freedom)
}

/// So far about the value; on the log scale where the loss cannot be negative.
pub(super) fn about(sign: Sign, value: f64, half: f64, freedom: f64) -> (f64, f64, Basis) {
    if sign == Sign::NonNegative && value > 0.0 {
        let (low, high) = log_ends(value, half);
        (low, high, Basis::LogT { freedom })
    } else {
        (value - half, value + half, Basis::T { freedom })
    }
}

/// Whether there is too little to go by for an interval that rests on the variance of the terms.
pub(super) fn caution(terms: &Terms, evidence: &Evidence, target: Target) -> Result<Option<Caution>> {
    let whole = terms.labels() == evidence.pool_size;
    Ok(if whole && target == Target::Pool {
        None
    } else if terms.labels() - evidence.imputed.min(terms.labels()) < ENOUGH_LABELS {
        Some(Caution::FewLabels)
    } else if (if whole { losses_hit(evidence) } else { hits(terms, evidence)? }) < ENOUGH_HITS {
        Some(Caution::FewHits)
    } else {
        None
    })
}

/// How many losses carry the variance between items, when all of the pool is labelled.
fn losses_hit(evidence: &Evidence) -> f64 {
    let count = evidence.samples.len();
    let losses = evidence.samples.iter().map(|sample| sample.loss).collect();
    Terms::new(losses, vec![1.0 / count as f64; count], 1.0).effective_hits()
}

/// How many terms carry the variance. The surrogate's expectations make terms vary even when every loss seen was 0, so
/// the plain terms count too.
fn hits(terms: &Terms, evidence: &Evidence) -> Result<f64> {
    if terms.is_of_strata() {
        return Ok(terms.effective_hits());
    }
    Ok(terms.effective_hits().min(evidence.terms(&Lure)?.effective_hits()))
}

/// value · e^±k for k = half / value; beyond k = 1 the upper end goes on along its tangent rather than explode.
pub(super) fn log_ends(value: f64, half: f64) -> (f64, f64) {
    let k = half / value;
    let up = if k <= 1.0 { k.exp() } else { std::f64::consts::E * k };
    (value * (-k).exp(), value * up)
}
