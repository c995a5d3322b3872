//! Ratios of two means that are linear in what the belief knows: sensitivity, specificity, kappa. The judge's own frequencies
//! are known, so chance disagreement is a mean over items too, and one routine serves all of them.

use super::{Judges, WorthOf, moments_under};
use crate::error::Result;
use crate::estimator::{CentredLure, Estimator, Sample, Terms};
use crate::interval::t_quantile;
use crate::ledger::{AnnotatorNoise, BeliefExpectation, Draw, PanelItem};
use crate::loss::Loss;
use crate::pool::Pool;
use crate::surrogate::{MixtureSums, Observed};

/// Steps in which the ratio is corrected by the mean of numerator − ratio · denominator.
const STEPS: usize = 2;

/// Shares are kept this far from 0 and 1 where their odds are taken.
const EDGE: f64 = 0.03;

/// What a ratio can be, and so the scale of its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatioScale {
    /// From 0 to 1: on the logit scale.
    Share,
    /// 0 or more, as the disagreement relative to chance: on the log scale.
    Relative,
}

/// An estimate of a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioEstimate {
    /// The ratio.
    pub value: f64,
    /// Its variance: at least what the belief expects.
    pub variance: f64,
    /// Degrees of freedom.
    pub freedom: f64,
    /// Number of draws that carry the variance of the terms, in effect.
    pub hits: f64,
}

impl RatioEstimate {
    /// Half of the width of the interval on the plain scale.
    pub fn half_width(&self, level: f64) -> f64 {
        t_quantile(self.freedom, (1.0 - level) / 2.0) * self.variance.sqrt()
    }

    /// The interval of a level.
    pub fn interval(&self, scale: RatioScale, level: f64) -> (f64, f64) {
        let half = self.half_width(level);
        if half == 0.0 {
            return (self.value, self.value);
        }
        let (low, high) = match scale {
            RatioScale::Share => {
                let p = self.value.clamp(EDGE, 1.0 - EDGE);
                let (odds, reach) = (p / (1.0 - p), half / (p * (1.0 - p)));
                let end = |odds: f64| if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 };
                (end(odds * (-reach).exp()), end(odds * reach.exp()))
            }
            RatioScale::Relative => {
                let value = self.value.max(EDGE);
                let reach = half / value;
                let up = if reach <= 1.0 { reach.exp() } else { std::f64::consts::E * reach };
                (value * (-reach).exp(), value * up)
            }
        };
        (low.min(self.value), high.max(self.value))
    }
}

/// x times the numerator plus y times the denominator, as a loss.
pub type RatioLoss<'a, T> = dyn Fn(f64, f64) -> Box<dyn Loss<T>> + 'a;

impl<T: WorthOf> Judges<T> {
    /// The ratio of two means from labelled draws, in draw order, with the labels of one or several annotators. Each step has its own control under the belief that was in
    /// force. `None` where no label says anything about the denominator.
    pub fn ratio(
        &self,
        observed: Observed<'_, T>,
        refreshes: &[MixtureSums],
        draws: &[(Draw, Vec<T::Label>)],
        of: &RatioLoss<'_, T>,
    ) -> Result<Option<RatioEstimate>> {
        let pool = observed.pool;
        let (below, above) = (of(0.0, 1.0), of(1.0, 0.0));
        let mut rows = pool.predictions().reader();
        let mut seen =
            |draw: &(Draw, Vec<T::Label>)| mean_loss(&*below, T::prediction(rows.row(draw.0.index)), &draw.1);
        if draws.iter().map(&mut seen).sum::<f64>() <= 0.0 {
            return Ok(None);
        }
        let Some(denominator) = terms(observed, refreshes, draws, &*below)? else { return Ok(None) };
        let Some(numerator) = terms(observed, refreshes, draws, &*above)? else { return Ok(None) };
        let size = denominator.value();
        if size <= 0.0 {
            return Ok(None);
        }
        let mut value = numerator.value() / size;
        let (mut fitted, mut loss) = (numerator, above);
        for _ in 0..STEPS {
            loss = of(1.0, -value);
            let Some(step) = terms(observed, refreshes, draws, &*loss)? else { return Ok(None) };
            value += step.value() / size;
            fitted = step;
        }
        let plain: Vec<Draw> = draws.iter().map(|(draw, _)| *draw).collect();
        let expected = self.expectation_of(observed, refreshes, &plain, &*loss)?;
        Ok(estimate(&fitted, (value, size), pool, draws, &*loss, expected.as_ref()))
    }
}

/// A value with the variance of its terms, at least what is expected of it, over the square of its unit; `None` if one term alone
/// says nothing of a variance.
#[allow(clippy::cast_precision_loss, reason = "labels are counted in thousands")]
fn estimate<T: WorthOf>(
    fitted: &Terms,
    (value, unit): (f64, f64),
    pool: &Pool<T>,
    draws: &[(Draw, Vec<T::Label>)],
    loss: &dyn Loss<T>,
    expected: Option<&BeliefExpectation>,
) -> Option<RatioEstimate> {
    let seen = fitted.variance()?;
    let whole = draws.len() == pool.pool_size();
    let expected = match expected {
        Some(expected) if !whole => expected.variance(fitted, pool.pool_size()),
        _ => 0.0,
    };
    let variance = seen.max(expected) + noise(pool, draws, loss);
    let most = (draws.len() as f64 - 1.0).max(1.0);
    let freedom = fitted.degrees_of_freedom().unwrap_or(most);
    let freedom = (freedom * (variance / seen.max(1e-30)).powi(2)).clamp(1.0, most);
    Some(RatioEstimate { value, variance: variance / (unit * unit), freedom, hits: fitted.effective_hits() })
}

/// The mean of a loss from labelled draws, in draw order, with its expectation under the belief in force as the control and with
/// what a belief expects of the estimate as the least variance. `None` if a refresh did not keep its proposal.
pub fn judged_mean<T: WorthOf>(
    observed: Observed<'_, T>,
    refreshes: &[MixtureSums],
    draws: &[(Draw, Vec<T::Label>)],
    loss: &dyn Loss<T>,
    expected: Option<&BeliefExpectation>,
) -> Result<Option<RatioEstimate>> {
    let Some(fitted) = terms(observed, refreshes, draws, loss)? else { return Ok(None) };
    Ok(estimate(&fitted, (fitted.value(), 1.0), observed.pool, draws, loss, expected))
}

/// The mean over the labels of an item.
#[allow(clippy::cast_precision_loss, reason = "annotators are few")]
fn mean_loss<T: WorthOf>(loss: &dyn Loss<T>, prediction: T::Prediction<'_>, labels: &[T::Label]) -> f64 {
    labels.iter().map(|label| loss.loss(prediction, *label)).sum::<f64>() / labels.len().max(1) as f64
}

/// The variance of the mean of a loss that comes from the choice of annotators; 0 if every item has one label.
fn noise<T: WorthOf>(pool: &Pool<T>, draws: &[(Draw, Vec<T::Label>)], loss: &dyn Loss<T>) -> f64 {
    if draws.iter().all(|(_, labels)| labels.len() < 2) {
        return 0.0;
    }
    let mut rows = pool.predictions().reader();
    let items = draws.iter().map(|(draw, labels)| {
        let prediction = T::prediction(rows.row(draw.index));
        let losses = labels.iter().map(|label| loss.loss(prediction, *label)).collect();
        PanelItem { weight: 1.0 / (draw.q * draw.mass.max(f64::MIN_POSITIVE)), losses }
    });
    let items: Vec<PanelItem> = items.collect();
    AnnotatorNoise::of(&items, pool.pool_size(), None).map_or(0.0, |noise| noise.variance)
}

/// The terms of the mean of a loss, with its expectation under the belief in force as the control.
fn terms<T: WorthOf>(
    observed: Observed<'_, T>,
    refreshes: &[MixtureSums],
    draws: &[(Draw, Vec<T::Label>)],
    loss: &dyn Loss<T>,
) -> Result<Option<Terms>> {
    let pool = observed.pool;
    let mut rows = pool.predictions().reader();
    let mut samples = Vec::with_capacity(draws.len());
    let ends = refreshes.iter().skip(1).map(|sums| sums.drawn).chain([draws.len()]);
    for (sums, end) in refreshes.iter().zip(ends) {
        let Some(kept) = &sums.proposal else { return Ok(None) };
        let expected = moments_under(pool, &kept.beliefs, loss);
        let open = kept.weights.iter().zip(&expected).filter(|(weight, _)| **weight > 0.0);
        let mut left: f64 = open.map(|(_, moments)| moments.first).sum();
        for (draw, label) in draws.get(sums.drawn..end.min(draws.len())).unwrap_or_default() {
            let control = expected.get(draw.index).map_or(0.0, |moments| moments.first);
            let value = mean_loss(loss, T::prediction(rows.row(draw.index)), label);
            let mut sample = Sample::plain(draw.index, draw.q, value);
            (sample.control, sample.control_total) = (control, left);
            samples.push(sample);
            left -= control;
        }
    }
    if samples.len() != draws.len() || samples.is_empty() {
        return Ok(None);
    }
    CentredLure.terms(&samples, pool.pool_size()).map(Some)
}
