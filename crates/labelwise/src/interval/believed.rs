//! The ordinary interval of a belief that says what it expects: the variance is at least the expected one.
//!
//! Intervals by the variance of the terms fail where a run has not met a large loss yet: their variance is small exactly
//! then. A belief that the labels have recalibrated still expects such losses, and says how far the estimate can be off.

use super::ordinary::{ENOUGH_LABELS, log_ends, population_variance};
use super::{Basis, Caution, Interval, Target, t_quantile, within};
use crate::error::{Error, Result};
use crate::ledger::{BeliefExpectation, Evidence, Fit};
use crate::loss::{Bounds, Outcomes, Sign};

/// Losses of 0 and 1 need fewer labels than others: none of them is large.
const ENOUGH_OF_ZERO_ONE: usize = 20;

/// Whether there are too few labels to trust an expected variance.
pub(super) fn caution(belief: &BeliefExpectation, labels: usize) -> Option<Caution> {
    let enough = if belief.outcomes == Outcomes::ZeroOne { ENOUGH_OF_ZERO_ONE } else { ENOUGH_LABELS };
    (labels < enough).then_some(Caution::FewLabels)
}

pub(super) fn interval(
    evidence: &Evidence,
    belief: &BeliefExpectation,
    fit: &Fit<'_>,
    target: Target,
    level: f64,
) -> Result<Interval> {
    let terms = &fit.terms;
    let labels = terms.labels();
    let Some(seen) = terms.variance() else {
        let what = "an interval for a loss without bounds";
        return Err(Error::TooFewLabels { what, needed: terms.least_labels(), labels });
    };
    let share = evidence.open_share().powi(2);
    let seen = (seen * share).max(1e-30);
    let most = (labels as f64 - 1.0).max(1.0);
    let freedom = terms.degrees_of_freedom().unwrap_or(most);
    let expected = belief.variance(terms, evidence.pool_size) * share;
    let losses: f64 = evidence.samples.iter().map(|sample| sample.loss).sum();
    let believed = (evidence.known.sum + losses + belief.unseen) / evidence.whole_size() as f64;

    let scale = Scale::of(evidence, belief);
    // If all labels are the same, the belief knows more than the estimate, which is at an end of the scale.
    let alike = losses == 0.0 || losses == evidence.samples.len() as f64;
    let about = if belief.outcomes == Outcomes::ZeroOne && alike { believed } else { fit.value };
    let centre = scale.inside(about);
    let ratio = scale.rate(centre) / scale.rate(believed).max(1e-9);
    let ratio = if matches!(scale, Scale::Log) { ratio.max(ratio * ratio) } else { ratio };
    let variance = if matches!(scale, Scale::Plain) { seen } else { seen.max(ratio * expected) };
    let freedom = (freedom * (variance / seen).powi(2)).clamp(1.0, most);
    let (variance, freedom) = match target {
        Target::Pool => (variance + evidence.noise, freedom),
        Target::Population => population_variance(evidence, fit, variance, freedom)?,
    };
    let half = t_quantile(freedom, (1.0 - level) / 2.0) * variance.sqrt();
    let (low, high) = scale.ends(centre, half);
    let (low, high) = (low.min(fit.value), high.max(fit.value));
    let (low, high) = match alike_so_far(evidence, level) {
        Some((least, most)) => (low.min(least), high.max(most)),
        None => (low, high),
    };
    let (low, high) = to_the_end(evidence, low, high);
    let (low, high) = within(evidence, target, low, high);
    let basis = match scale {
        Scale::Logit(_) => Basis::LogitT { freedom },
        Scale::Log => Basis::LogT { freedom },
        Scale::Plain => Basis::T { freedom },
    };
    Ok(Interval { low, high, level, target, basis, caution: caution(belief, labels - evidence.imputed) })
}

/// Labels that are all at one end of the range do not exclude that the others are there too; no end of the logit scale reaches it.
fn to_the_end(evidence: &Evidence, low: f64, high: f64) -> (f64, f64) {
    let Some(range) = evidence.range else { return (low, high) };
    let all_at = |end: f64| evidence.samples.iter().all(|sample| sample.loss == end);
    (if all_at(range.low) { range.low } else { low }, if all_at(range.high) { range.high } else { high })
}

/// If all losses seen are the same, neither their variance nor a belief that is certain says how many others there are: at most
/// this share of the items, if each is drawn as often as others are (0 of M labels leave a rate of 3.7/M at 95 %). These are
/// the ends if they cost as little, or as much, as they can. `None` where losses differ or have no bounds.
fn alike_so_far(evidence: &Evidence, level: f64) -> Option<(f64, f64)> {
    let (first, others) = evidence.samples.split_first()?;
    if others.iter().any(|sample| sample.loss != first.loss) {
        return None;
    }
    let Bounds { low, high } = evidence.certain();
    let share = (-((1.0 - level) / 2.0).ln() / evidence.samples.len() as f64).min(1.0);
    let same = evidence.whole_risk(first.loss).max(low).min(high);
    let ends = (same - share * (same - low), same + share * (high - same));
    (ends.0.is_finite() && ends.1.is_finite()).then_some(ends)
}

/// The scale on which an interval is symmetric.
enum Scale {
    /// ln((r − a)/(b − r)) for losses between a and b: the same from both sides.
    Logit(Bounds),
    /// ln r.
    Log,
    /// r itself, for losses that can be negative.
    Plain,
}

impl Scale {
    fn of(evidence: &Evidence, belief: &BeliefExpectation) -> Self {
        match (belief.outcomes, evidence.range, evidence.sign) {
            // Cross-entropy has bounds by its cap alone, far above what any mean comes to.
            (Outcomes::LogProbability, ..) | (_, None, Sign::NonNegative) => Self::Log,
            (_, Some(range), _) => Self::Logit(range),
            (_, None, Sign::Signed) => Self::Plain,
        }
    }

    /// A value that has a place on the scale.
    fn inside(&self, value: f64) -> f64 {
        match self {
            Self::Logit(Bounds { low, high }) => {
                let slack = 1e-6 * (high - low);
                value.clamp(low + slack, high - slack)
            }
            Self::Log => value.max(1e-9),
            Self::Plain => value,
        }
    }

    /// The change of the value per change on the scale.
    fn rate(&self, value: f64) -> f64 {
        match self {
            Self::Logit(Bounds { low, high }) => (value - low) * (high - value) / (high - low),
            Self::Log => value,
            Self::Plain => 1.0,
        }
    }

    fn ends(&self, centre: f64, half: f64) -> (f64, f64) {
        match self {
            Self::Logit(Bounds { low, high }) => {
                let k = half / self.rate(centre);
                // Beyond 1 the ends go on along the tangent of the exponential.
                let reach = if k <= 1.0 { k } else { 1.0 + k.ln() };
                let odds = (centre - low) / (high - centre);
                let end = |odds: f64| low + (high - low) * (odds / (1.0 + odds));
                (end(odds * (-reach).exp()), end(odds * reach.exp()))
            }
            Self::Log => log_ends(centre, half),
            Self::Plain => (centre - half, centre + half),
        }
    }
}
