//! What the surrogate expects of the labels, before there are any.

use super::draw_variance::DrawVariance;
use super::label_forecast::{LabelForecast, Source};
use crate::loss::Moments;
use crate::surrogate::Foreseen;

/// What s² may be, times what a surrogate expects: it rests on the surrogate's beliefs alone, and those of a model about
/// itself are mostly too sure. Over the pools of `examples/peeking` and two real ones with the model as its own surrogate,
/// s² was 0.9 to 5.8 times what was expected.
const RANGE: (f64, f64) = (0.7, 6.0);

/// What of the expected gain remained, at least, over the same pools where the surrogate had to do with the losses.
const KEPT: f64 = 0.5;

/// Below this, one label is not worth more than a label of uniform sampling: of what is expected, half to all remains.
const WORTHWHILE: f64 = 1.25;

/// What is to be expected of labels under the beliefs and the proposal of the moment. Every variance is that of an
/// estimate from one draw, s² = (1/N²) Σ (E(r²)/q − Var r) − (mean E r)², where r is what the estimator has to find out
/// about an item; [`DrawVariance`] has what follows for many draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VarianceForecast {
    /// The items that can be drawn.
    pub open: usize,
    /// The expected risk of the pool.
    pub risk: f64,
    /// s² with the surrogate's expectation as a control, r = ℓ − E ℓ: our default estimator comes to this or less.
    pub controlled: f64,
    /// s² of plain LURE, r = ℓ.
    pub plain: f64,
    /// s² of uniform sampling, r = ℓ and q = 1/N.
    pub uniform: f64,
    /// The largest ℓ/(N q) that can come, where the loss has bounds.
    pub max_ratio: Option<f64>,
}

impl VarianceForecast {
    /// What the surrogate expects, as far as it can be relied on.
    pub fn label_forecast(&self) -> LabelForecast {
        let (low, high) = RANGE;
        let spread =
            |value: f64| DrawVariance { value, low: low * value, high: high * value, pool_size: self.open };
        LabelForecast {
            risk: self.risk,
            spread: spread(self.controlled),
            plain: spread(self.plain),
            uniform: spread(self.uniform),
            max_ratio: self.max_ratio,
            source: Source::Surrogate,
        }
    }

    /// The same where the belief's components say how far it can be off, and proposals follow the labels.
    pub fn label_forecast_within(&self, foreseen: &Foreseen) -> LabelForecast {
        let within = |spread: DrawVariance, (low, high): (f64, f64)| DrawVariance {
            low: low.min(spread.value),
            high: high.max(spread.value),
            ..spread
        };
        let usual = self.label_forecast();
        let (spread, uniform) =
            (within(usual.spread, foreseen.draw), within(usual.uniform, foreseen.uniform));
        LabelForecast { spread, uniform, ..usual }
    }

    /// The labels of uniform sampling that one label is expected to be worth: the ratio of the variances. `None` where
    /// the surrogate is certain of every loss, so that nothing is left to expect.
    pub fn gain(&self) -> Option<f64> {
        let gain = self.uniform / self.controlled;
        if self.controlled == 0.0 && self.uniform == 0.0 {
            Some(1.0)
        } else {
            Some(gain).filter(|gain| gain.is_finite())
        }
    }

    /// The range that the gain is likely in, where the surrogate has to do with the losses: half to all of the expected.
    pub fn gain_range(&self) -> Option<(f64, f64)> {
        self.gain().map(|gain| (KEPT * gain, gain))
    }

    /// Whether sampling by this proposal can be expected to be worth more than uniform sampling.
    pub fn is_worthwhile(&self) -> bool {
        self.gain().is_none_or(|gain| gain >= WORTHWHILE)
    }
}

/// Sums over items of what is expected of their losses under weights.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Expected {
    items: f64,
    mass: f64,
    first: f64,
    second: f64,
    variance: f64,
    /// Σ E(ℓ²) / w.
    plain: f64,
    /// Σ Var ℓ / w.
    controlled: f64,
}

impl Expected {
    pub(crate) fn add(&mut self, moments: Moments, weight: f64) {
        let Moments { first, second } = moments;
        let variance = (second - first * first).max(0.0);
        // What cannot be drawn and has no loss adds nothing.
        let over = |value: f64| if value == 0.0 { 0.0 } else { value / weight };
        self.items += 1.0;
        self.mass += weight;
        self.first += first;
        self.second += second;
        self.variance += variance;
        self.plain += over(second);
        self.controlled += over(variance);
    }

    /// The same for `items` items, from those that were added.
    pub(crate) fn of_items(self, items: usize) -> Self {
        let times = if self.items > 0.0 { items as f64 / self.items } else { 0.0 };
        if times == 1.0 {
            return self;
        }
        let Self { mass, first, second, variance, plain, controlled, .. } = self;
        let [mass, first, second, variance, plain, controlled] =
            [mass, first, second, variance, plain, controlled].map(|sum| times * sum);
        Self { items: items as f64, mass, first, second, variance, plain, controlled }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.items += other.items;
        self.mass += other.mass;
        self.first += other.first;
        self.second += other.second;
        self.variance += other.variance;
        self.plain += other.plain;
        self.controlled += other.controlled;
    }

    /// The forecast, where `settled` is the sum of the losses that are known already, of a pool of `whole` items, and
    /// `max_ratio` the largest ℓ / w.
    pub(crate) fn forecast(&self, settled: f64, whole: usize, max_ratio: Option<f64>) -> VarianceForecast {
        let whole = whole as f64;
        let per_square = 1.0 / (whole * whole);
        // q = w / Σ w, and sums become means over the whole pool.
        let drawn = |over_weight: f64, first: f64| {
            (per_square * (self.mass * over_weight - self.variance - first * first)).max(0.0)
        };
        VarianceForecast {
            open: self.items as usize,
            risk: (settled + self.first) / whole,
            controlled: drawn(self.controlled, 0.0),
            plain: drawn(self.plain, self.first),
            uniform: (per_square * (self.items * self.second - self.variance - self.first * self.first))
                .max(0.0),
            max_ratio: max_ratio.map(|ratio| ratio * self.mass / whole),
        }
    }
}
