//! The martingale form of an estimate: R̂ = Σ c_m a_m with Σ c_m = 1, where each a_m has the pool risk as its mean
//! given everything before draw m.

use super::{Controls, Sample};

/// The terms a_m of an estimate and their coefficients c_m, in draw order.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    a: Vec<f64>,
    c: Vec<f64>,
    /// The factor of the plain variance: more than 1 for fitted controls, 0 if the whole pool is labelled.
    factor: f64,
    /// The variance, if it is not that of a martingale.
    strata: Option<OfStrata>,
    /// The weights that were fitted to make them, where there are any.
    controls: Option<Controls>,
}

/// The variance of a stratified sample.
#[derive(Debug, Clone, PartialEq)]
struct OfStrata {
    /// x_m, or nothing where a stratum has too few samples to tell.
    contributions: Option<Vec<f64>>,
    freedom: Option<f64>,
    /// The labels it takes.
    least: usize,
}

impl Terms {
    /// Terms and as many coefficients that sum to one. The variance is multiplied by `factor`: 1, or more for controls
    /// fitted to the samples, or 0 once nothing is left to estimate.
    pub fn new(a: Vec<f64>, c: Vec<f64>, factor: f64) -> Self {
        Self { a, c, factor, strata: None, controls: None }
    }

    /// Losses as terms, with the contributions to a variance that is made of differences within strata.
    pub(super) fn of_strata(
        a: Vec<f64>,
        c: Vec<f64>,
        contributions: Option<Vec<f64>>,
        freedom: Option<f64>,
        least: usize,
    ) -> Self {
        let strata = Some(OfStrata { contributions, freedom, least });
        Self { a, c, factor: 1.0, strata, controls: None }
    }

    /// The same, with the weights that were fitted to make them.
    pub(super) fn with_controls(self, controls: Controls) -> Self {
        Self { controls: Some(controls), ..self }
    }

    /// The fitted weights of regression LURE; `None` for other estimators.
    pub fn controls(&self) -> Option<Controls> {
        self.controls
    }

    /// Whether they are of a stratified sample.
    pub(crate) fn is_of_strata(&self) -> bool {
        self.strata.is_some()
    }

    /// How many labels a variance takes: fitted controls spend three, and a variance takes two, or two of each stratum.
    pub(crate) fn least_labels(&self) -> usize {
        self.strata.as_ref().map_or(4, |strata| strata.least)
    }

    /// a_m.
    pub fn a(&self) -> &[f64] {
        &self.a
    }

    /// c_m; they sum to 1.
    pub fn c(&self) -> &[f64] {
        &self.c
    }

    /// M.
    pub fn labels(&self) -> usize {
        self.a.len()
    }

    /// Σ c_m a_m.
    pub fn value(&self) -> f64 {
        self.a.iter().zip(&self.c).map(|(a, c)| a * c).sum()
    }

    /// x_m, whose sum is the variance: each term's squared distance from the estimate, corrected for the estimate
    /// having been made from it (HC2).
    pub fn contributions(&self) -> Vec<f64> {
        if let Some(strata) = &self.strata {
            return strata.contributions.clone().unwrap_or_else(|| vec![0.0; self.labels()]);
        }
        let value = self.value();
        let squares: f64 = self.c.iter().map(|c| c * c).sum();
        let terms = self.a.iter().zip(&self.c);
        terms
            .map(|(a, c)| {
                let left = 1.0 - 2.0 * c + squares;
                // One term that carries everything has nothing to be compared with.
                if left > 1e-12 { self.factor * (c * (a - value)).powi(2) / left } else { 0.0 }
            })
            .collect()
    }

    /// The variance of the estimate about the pool risk, by quadratic variation; `None` with too few labels to tell.
    pub fn variance(&self) -> Option<f64> {
        if let Some(strata) = &self.strata {
            return strata.contributions.as_ref().map(|contributions| contributions.iter().sum());
        }
        let known = self.factor == 0.0 || (self.labels() > 1 && self.factor.is_finite());
        known.then(|| self.contributions().iter().sum())
    }

    /// Satterthwaite's degrees of freedom: about M for Gaussian terms, about 2K if K isolated terms carry the
    /// variance. `None` without a variance.
    pub fn degrees_of_freedom(&self) -> Option<f64> {
        let variance = self.variance()?;
        if let Some(strata) = &self.strata {
            return strata.freedom;
        }
        let most = self.labels() as f64 - 1.0;
        if variance == 0.0 || most < 1.0 {
            return None;
        }
        let squares: f64 = self.contributions().iter().map(|x| x * x).sum();
        let spread = squares - variance * variance / self.labels() as f64;
        let freedom = if spread > 0.0 { 2.0 * variance * variance / spread } else { most };
        Some(freedom.clamp(1.0, most))
    }

    /// Effective number of terms that carry the variance; 0 if the variance is 0.
    pub fn effective_hits(&self) -> f64 {
        self.degrees_of_freedom().map_or(0.0, |freedom| freedom / 2.0)
    }

    /// The share of the variance that the largest term has; `None` without a variance.
    pub fn largest_share(&self) -> Option<f64> {
        let variance = self.variance().filter(|variance| *variance > 0.0)?;
        Some(self.contributions().iter().fold(0.0_f64, |most, x| most.max(*x)) / variance)
    }
}

/// c_m = N (N − M) / (M (N − m)(N − m + 1)): LURE's coefficients, the inverse variances of a_m under uniform sampling.
/// If the whole pool is labelled the last term is the pool risk itself.
pub(super) fn lure_coefficients(budget: usize, pool_size: usize) -> Vec<f64> {
    let (n, budget_) = (pool_size as f64, budget as f64);
    let coefficient = |m: usize| {
        let left = (pool_size - m) as f64;
        if m == pool_size { 1.0 } else { n * (n - budget_) / (budget_ * left * (left + 1.0)) }
    };
    (1..=budget).map(coefficient).collect()
}

/// 1, or 0 for an estimator that is exact once the whole pool is labelled.
pub(super) fn finite_pool(budget: usize, pool_size: usize) -> f64 {
    if budget == pool_size { 0.0 } else { 1.0 }
}

/// a_m = (1/N) (Σ_{t<m} ℓ_t + ℓ_m / q_m) for each m.
pub(super) fn plain_terms(samples: &[Sample], pool_size: usize) -> Vec<f64> {
    let mut past = 0.0;
    samples
        .iter()
        .map(|sample| {
            let a = (past + sample.loss / sample.q) / pool_size as f64;
            past += sample.loss;
            a
        })
        .collect()
}
