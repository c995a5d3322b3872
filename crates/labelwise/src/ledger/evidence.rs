//! What is known at a moment: the samples of the longest complete prefix of draws, and what is known without draws.
//! Estimates, intervals and reports are functions of it.

use crate::error::{Error, Result};
use crate::estimator::{
    Bias, CentredLure, Estimator, RegressionLure, Replacement, Sample, Terms, lure_weight,
};
use crate::loss::{Bounds, Outcomes, Sign};
use crate::surrogate::{ExpectedDraw, MixtureSums};

/// Items whose loss was known without a label: a stratum of its own, which needs no estimate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KnownItems {
    /// How many.
    pub count: usize,
    /// The sum of their losses.
    pub sum: f64,
    /// The sum of their squared losses.
    pub square_sum: f64,
}

/// Everything an estimate is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The samples, in draw order.
    pub samples: Vec<Sample>,
    /// How many items could be drawn: the pool without the known ones and without those missing at random.
    pub pool_size: usize,
    /// The items known without a draw.
    pub known: KnownItems,
    /// The sums of the lower and the upper bounds of the losses of the items without a sample; `None` without bounds.
    pub unlabelled: Option<Bounds>,
    /// Bounds of the loss of any item of the population, where the loss has them.
    pub range: Option<Bounds>,
    /// Whether losses may be negative.
    pub sign: Sign,
    /// How many of the samples have no label, but something in its place.
    pub imputed: usize,
    /// What the belief expects of the estimate, where it is an average that can say so.
    pub belief: Option<BeliefExpectation>,
    /// The variance of the mean loss that comes from the choice of annotators alone.
    pub noise: f64,
}

/// What a belief, recalibrated by all labels told so far, expects of the losses that were not seen.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefExpectation {
    /// The sum of the losses it expects of the items without a sample.
    pub unseen: f64,
    /// Draws before each refresh, and one draw from its proposal ([`MixtureSums::draw`]), in draw order.
    pub refreshes: Vec<(usize, ExpectedDraw)>,
    /// Which values a loss can take.
    pub outcomes: Outcomes,
}

/// From this part of the pool on, the draws of a refresh count by the variance that the belief expects of them: later
/// proposals have run out of the items that made earlier draws uncertain. Below it, there is nothing in it.
const LARGE_SHARE: f64 = 0.3;

/// Draws count at most as if their variance were this part of the mean: beliefs do not know of every loss that is left.
const LEAST_VARIANCE: f64 = 0.04;

/// Draws by recalibrated beliefs can be nearly uniform, where the fit of regression LURE is unstable.
pub(super) fn usual_estimator(belief: Option<&BeliefExpectation>) -> &'static dyn Estimator {
    match belief {
        Some(belief) if !belief.is_fitted() => &CentredLure,
        _ => &RegressionLure,
    }
}

impl BeliefExpectation {
    /// From the sums of every refresh, the draws that count, and the weights that all labels give the components.
    /// `expected` is the loss that these expect of some draws together. `None` without sums of the first refresh.
    pub fn new<D>(
        refreshes: &[MixtureSums],
        draws: &[D],
        weights: &[f64],
        outcomes: Outcomes,
        expected: impl FnOnce(&[D]) -> Result<f64>,
    ) -> Result<Option<Self>> {
        let complete = draws.len();
        let Some(last) = refreshes.iter().rev().find(|sums| sums.drawn <= complete) else { return Ok(None) };
        let since = expected(draws.get(last.drawn..).unwrap_or_default())?;
        let counting = refreshes.iter().filter(|sums| sums.drawn < complete);
        Ok(Some(Self {
            unseen: last.expected(weights) - since,
            refreshes: counting.map(|sums| (sums.drawn, sums.draw(weights))).collect(),
            outcomes,
        }))
    }

    /// The same with refreshes by the number of samples before them, instead of draws.
    pub(crate) fn counted(&self, samples_before: impl Fn(usize) -> usize) -> Self {
        let refreshes = self.refreshes.iter().map(|(draws, one)| (samples_before(*draws), *one)).collect();
        Self { refreshes, ..*self }
    }

    /// Whether the size of the control is not trusted, so that the variance is that of the controls as they were fitted.
    pub fn is_fitted(&self) -> bool {
        self.refreshes.iter().any(|(_, draw)| draw.fitted.is_some())
    }

    /// Coefficients of the terms by inverse variance, for samples of a large part of the pool; `None` otherwise. Where all
    /// draws are expected to vary alike, they are those of LURE but for 1/N.
    pub fn coefficients(&self, labels: usize, pool_size: usize) -> Option<Vec<f64>> {
        let n = pool_size as f64;
        if self.is_fitted() || labels >= pool_size || labels as f64 <= LARGE_SHARE * n {
            return None;
        }
        let starts = self.refreshes.iter().map(|(drawn, _)| *drawn);
        let ends = starts.skip(1).chain([labels]);
        let all: Vec<(f64, f64)> = self
            .refreshes
            .iter()
            .zip(ends)
            .flat_map(|(&(start, one), end)| {
                let variance = one.variance(None);
                (start..end).map(move |m| (variance, (n - m as f64) / (n - start as f64)))
            })
            .collect();
        let mean = all.iter().map(|(variance, _)| variance).sum::<f64>() / all.len() as f64;
        if all.len() != labels || !(mean > 0.0 && mean.is_finite()) {
            return None;
        }
        let inverse =
            |(variance, ratio): &(f64, f64)| 1.0 / (variance.max(LEAST_VARIANCE * mean) * ratio * ratio);
        let total: f64 = all.iter().map(inverse).sum();
        Some(all.iter().map(|one| inverse(one) / total).collect())
    }

    /// Expected variance of Σ c_m a_m over the draws: Σ over refreshes of Σ_m (c_m n_m / n_0)² times the variance of one draw,
    /// where n_m items could be drawn at m and n_0 at the refresh.
    pub fn variance(&self, terms: &Terms, pool_size: usize) -> f64 {
        let (c, controls) = (terms.c(), terms.controls());
        let n = pool_size as f64;
        let starts = self.refreshes.iter().map(|(drawn, _)| *drawn);
        let ends = starts.skip(1).chain([c.len()]);
        let of_refresh = |(&(start, one), end): (&(usize, ExpectedDraw), usize)| {
            let coefficients = c.get(start..end.min(c.len())).unwrap_or_default();
            let ratio = |m: usize| (n - m as f64) / (n - start as f64);
            let squares: f64 = coefficients.iter().zip(start..).map(|(c, m)| (c * ratio(m)).powi(2)).sum();
            squares * one.variance(controls)
        };
        self.refreshes.iter().zip(ends).map(of_refresh).sum::<f64>() / (n * n)
    }
}

impl Evidence {
    /// Samples alone, of a loss that is never negative: for those who bring their own draws.
    pub fn from_samples(samples: Vec<Sample>, pool_size: usize) -> Self {
        let known = KnownItems::default();
        let sign = Sign::NonNegative;
        Self {
            samples,
            pool_size,
            known,
            unlabelled: None,
            range: None,
            sign,
            imputed: 0,
            belief: None,
            noise: 0.0,
        }
    }

    /// Our default estimator of it; see [`Ledger::usual_estimator`](super::Ledger::usual_estimator).
    pub fn usual_estimator(&self) -> &'static dyn Estimator {
        usual_estimator(self.belief.as_ref())
    }

    /// N, known items included.
    pub fn whole_size(&self) -> usize {
        self.pool_size + self.known.count
    }

    /// The part of the pool that draws speak for.
    pub(crate) fn open_share(&self) -> f64 {
        self.pool_size as f64 / self.whole_size() as f64
    }

    /// The risk of the whole pool, given the risk of the part that could be drawn.
    pub fn whole_risk(&self, open_risk: f64) -> f64 {
        (self.known.sum + self.pool_size as f64 * open_risk) / self.whole_size() as f64
    }

    /// The estimate for the whole pool. One that has some bias anyway is kept within what is certain; one that has
    /// none stays as it is, or it would have.
    pub fn estimate(&self, estimator: &dyn Estimator) -> Result<f64> {
        Ok(self.fit(estimator)?.value)
    }

    /// The estimate for the whole pool, given that for the part that could be drawn.
    pub(super) fn whole_value(&self, estimator: &dyn Estimator, open_risk: f64) -> f64 {
        let value = self.whole_risk(open_risk);
        let Bounds { low, high } = self.certain();
        let kept = estimator.bias() == Bias::Vanishing && estimator.replacement() == Replacement::Without;
        if kept { value.max(low).min(high) } else { value }
    }

    /// The terms of the estimate for the part that could be drawn.
    pub(crate) fn terms(&self, estimator: &dyn Estimator) -> Result<Terms> {
        if self.samples.is_empty() {
            return Err(Error::NoSamples { next: None });
        }
        let belief = self.belief.as_ref();
        let by_variance = belief.and_then(|belief| belief.coefficients(self.samples.len(), self.pool_size));
        match by_variance {
            Some(coefficients) => estimator.terms_by(&self.samples, self.pool_size, coefficients),
            None => estimator.terms(&self.samples, self.pool_size),
        }
    }

    /// v_m of every sample.
    pub fn weights(&self) -> Vec<f64> {
        let budget = self.samples.len();
        self.samples.iter().zip(1..).map(|(s, m)| lure_weight(m, budget, self.pool_size, s.q)).collect()
    }

    /// What the pool risk lies between for certain: labelled losses are known, the others have bounds. Without
    /// bounds, a loss that is not negative still has zero.
    pub fn certain(&self) -> Bounds {
        let labelled: f64 = self.samples.iter().map(|s| s.loss).sum();
        let none = match self.sign {
            Sign::NonNegative => Bounds { low: 0.0, high: f64::INFINITY },
            Sign::Signed => Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY },
        };
        let nothing_left = self.samples.len() == self.pool_size;
        let left =
            if nothing_left { Bounds { low: 0.0, high: 0.0 } } else { self.unlabelled.unwrap_or(none) };
        let risk = |left: f64| (self.known.sum + labelled + left) / self.whole_size() as f64;
        Bounds { low: risk(left.low), high: risk(left.high) }
    }

    /// The variance of losses between the items of the pool, by weighted samples.
    pub(crate) fn loss_variance(&self) -> f64 {
        self.loss_variance_of(&self.weights())
    }

    /// The same by the weights of an estimator.
    pub(crate) fn loss_variance_by(&self, estimator: &dyn Estimator) -> Result<f64> {
        Ok(self.loss_variance_of(&estimator.weights(&self.samples, self.pool_size)?))
    }

    fn loss_variance_of(&self, weights: &[f64]) -> f64 {
        let total: f64 = weights.iter().sum();
        let mean_of = |f: &dyn Fn(f64) -> f64| {
            self.samples.iter().zip(weights).map(|(s, v)| v * f(s.loss)).sum::<f64>() / total
        };
        let open_mean = mean_of(&|loss| loss);
        let mean = self.whole_risk(open_mean);
        let open = self.pool_size as f64 * mean_of(&|loss| (loss - mean).powi(2));
        let known =
            self.known.square_sum - 2.0 * mean * self.known.sum + mean * mean * self.known.count as f64;
        (open + known.max(0.0)) / self.whole_size() as f64
    }
}
