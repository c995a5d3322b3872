//! How many labels for what.

use super::draw_variance::{DrawVariance, LabelRange};
use super::threshold::{Assurance, first_look, planned};
use super::uniform::UniformSampling;
use crate::error::{Error, Result};
use crate::estimator::Lure;
use crate::interval::{Target, caution_of, normal_quantile, sequence_quantile};
use crate::ledger::Evidence;

/// What a gambler who spreads over many stakes pays for not knowing the best one, as a factor of wealth.
const SPREAD_STAKES: f64 = 6.0;

/// The basis of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The surrogate alone.
    Surrogate,
    /// This number of labels.
    Labels(usize),
}

/// What is known of the labels to come: from the surrogate before the first of them, from the labels after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelForecast {
    /// The risk, as expected or as estimated.
    pub risk: f64,
    /// One draw under our default estimator.
    pub spread: DrawVariance,
    /// One draw under plain LURE, which guarantees rest on.
    pub plain: DrawVariance,
    /// One draw of uniform sampling.
    pub uniform: DrawVariance,
    /// The largest ℓ/(N q) that can come, where the loss has bounds.
    pub max_ratio: Option<f64>,
    /// The basis of these numbers.
    pub source: Source,
}

impl LabelForecast {
    /// From the labels so far; `None` while they are too few, or their losses do not differ, or none is left to come.
    pub fn of(evidence: &Evidence) -> Result<Option<Self>> {
        let fit = evidence.fit(evidence.usual_estimator())?;
        if caution_of(evidence, &fit, Target::Pool)?.is_some() {
            return Ok(None);
        }
        let spreads = (DrawVariance::of_terms(evidence, &fit.terms), DrawVariance::of(evidence, &Lure)?);
        let (Some(spread), Some(plain), Some(uniform)) =
            (spreads.0, spreads.1, UniformSampling::of(evidence, Target::Pool))
        else {
            return Ok(None);
        };
        let (size, labels) = (evidence.pool_size, evidence.samples.len());
        let uniform = uniform.variance * uniform.open_share.powi(2) * (size as f64 - 1.0) / size as f64;
        // Uncertain by as much as the plain estimate is: both rest on the losses that were seen.
        let (low, high) = (plain.low / plain.value, plain.high / plain.value);
        let last = evidence.samples.last().and_then(|sample| sample.ratio_bounds);
        Ok(Some(Self {
            risk: fit.value,
            spread,
            plain,
            uniform: DrawVariance {
                value: uniform,
                low: low * uniform,
                high: high * uniform,
                pool_size: size,
            },
            max_ratio: last.map(|ratio| ratio.high / evidence.whole_size() as f64),
            source: Source::Labels(labels - evidence.imputed),
        }))
    }

    /// From an estimate by some labels: its value, its variance with the degrees of freedom, and the variance of one uniform
    /// draw. `None` if the variance is not known.
    pub(crate) fn of_variance(
        value: f64,
        variance: f64,
        freedom: f64,
        uniform: f64,
        labels: usize,
        pool_size: usize,
    ) -> Option<Self> {
        let spread = DrawVariance::of_variance(variance, freedom, labels, pool_size)?;
        let (low, high) = (spread.low / spread.value * uniform, spread.high / spread.value * uniform);
        Some(Self {
            risk: value,
            spread,
            plain: spread,
            uniform: DrawVariance { value: uniform, low, high, pool_size },
            max_ratio: None,
            source: Source::Labels(labels),
        })
    }

    /// The labels for an ordinary interval of this half-width; `None` if even the whole pool is not enough, since it is
    /// itself a sample of the population.
    pub fn for_half_width(&self, half: f64, level: f64, target: Target) -> Result<Option<LabelRange>> {
        check_half_width(half)?;
        check_level(level, 0.0)?;
        let z = normal_quantile((1.0 - level) / 2.0);
        Ok(self.spread.labels_for(half, self.pool_variance(target), |_| z))
    }

    /// The labels to decide on which side of a bar the risk is, if it is as expected. `None` if it cannot be said: the
    /// risk is expected on the bar itself, or so near that no number of labels would do, or a guarantee is wanted of a
    /// loss without bounds or for a population.
    pub fn for_threshold(
        &self,
        bar: f64,
        level: f64,
        assurance: Assurance,
        target: Target,
    ) -> Result<Option<LabelRange>> {
        check_level(level, 0.5)?;
        let distance = (self.risk - bar).abs();
        if !(distance > 0.0 && distance.is_finite()) {
            return Ok(None);
        }
        let (error, aside) = (1.0 - level, self.pool_variance(target));
        Ok(match assurance {
            Assurance::Once => {
                let z = normal_quantile(error);
                self.spread.labels_for(distance, aside, |_| z)
            }
            Assurance::Anytime => {
                let size = self.spread.pool_size;
                let bets =
                    if target == Target::Pool { self.by_betting(bar, distance, 0.5 * error) } else { None };
                // Each of the two has half of the error probability, on both sides.
                let last = size.saturating_sub(1);
                let quantile =
                    |labels: usize| sequence_quantile(error, planned(size), labels.min(last), size);
                let looks = self.spread.labels_for(distance, aside, quantile);
                let looks =
                    looks.map(|labels| labels.at_least(first_look(self.max_ratio.is_some()).min(size)));
                match (bets, looks) {
                    (Some(bets), Some(looks)) => Some(bets.at_most(looks)),
                    (bets, looks) => bets.or(looks),
                }
            }
            Assurance::Guaranteed => match target {
                Target::Pool => self.by_betting(bar, distance, error),
                Target::Population => None,
            },
        })
    }

    /// The same for uniform sampling.
    pub fn by_uniform_sampling(&self) -> Self {
        Self { spread: self.uniform, plain: self.uniform, ..*self }
    }

    /// The variance that no label of this pool takes away.
    fn pool_variance(&self, target: Target) -> f64 {
        match target {
            Target::Pool => 0.0,
            Target::Population => self.uniform.value / self.uniform.pool_size as f64,
        }
    }

    /// The bet of the fastest growth wins about λ d − λ² s²/2 per draw, where λ is at most what the worst outcome allows;
    /// wealth must come to 1 / error.
    fn by_betting(&self, bar: f64, distance: f64, error: f64) -> Option<LabelRange> {
        let max_ratio = self.max_ratio?;
        let most = if self.risk < bar { 1.0 / (max_ratio - bar).max(f64::MIN_POSITIVE) } else { 1.0 / bar };
        let goal = (SPREAD_STAKES / error).ln();
        let needed = |variance: f64| {
            let stake = (distance / variance).min(most);
            let growth = stake * distance - 0.5 * (stake * stake * variance);
            let draws = (goal / growth).ceil();
            // Without replacement, what is left to be known shrinks as the pool does.
            let size = self.plain.pool_size as f64;
            (draws / (1.0 + draws / size)).ceil().clamp(1.0, size) as usize
        };
        let DrawVariance { value, low, high, .. } = self.plain;
        Some(LabelRange { expected: needed(value), low: needed(low), high: needed(high) })
    }
}

pub(super) fn check_half_width(half: f64) -> Result<()> {
    if half > 0.0 && half.is_finite() {
        return Ok(());
    }
    Err(Error::Option { name: "the half-width", value: half, range: "a number above 0, such as 0.01" })
}

pub(super) fn check_level(level: f64, above: f64) -> Result<()> {
    if level > above && level < 1.0 {
        return Ok(());
    }
    let range =
        if above > 0.0 { "above 0.5 and below 1, such as 0.95" } else { "between 0 and 1, such as 0.95" };
    Err(Error::Option { name: "level", value: level, range })
}
