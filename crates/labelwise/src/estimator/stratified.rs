//! The estimator of a stratified sample: means within strata, each by its part of the pool.

use std::collections::HashMap;

use super::{Bias, Estimator, Replacement, Sample, Terms, check_without_replacement};
use crate::design::DesignError;
use crate::error::Result;

/// R̂ = Σ_h (N_h / N) · mean of the losses seen in stratum h, for uniform draws within each stratum.
///
/// It has no bias, whatever the strata and however many draws each of them has, and neither has its variance
/// Σ_h (N_h / N)² (1 − n_h / N_h) s_h² / n_h. [`Ledger::by_strata`](crate::ledger::Ledger::by_strata) makes it for draws on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stratified {
    /// N_h.
    sizes: Vec<usize>,
    /// The stratum of each item that may be among the samples.
    strata: HashMap<usize, usize>,
}

/// The mean and the variance of a stratum's samples.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    count: usize,
    sum: f64,
    /// Σ (ℓ − mean)².
    squares: f64,
    /// Of the contributions to the variance: Σ x².
    fourth: f64,
}

impl Stratified {
    /// For strata of these sizes, and items with the stratum of each, counted from 0.
    pub fn new(sizes: Vec<usize>, strata: impl IntoIterator<Item = (usize, usize)>) -> Self {
        Self { sizes, strata: strata.into_iter().collect() }
    }

    /// The stratum of each sample, and how many samples each stratum has.
    fn placed(&self, samples: &[Sample], pool_size: usize) -> Result<(Vec<usize>, Vec<Seen>)> {
        check_without_replacement(samples, pool_size)?;
        let items: usize = self.sizes.iter().sum();
        if items != pool_size {
            return Err(DesignError::Sizes { items, pool_size }.into());
        }
        let mut seen = vec![Seen::default(); self.sizes.len()];
        let mut places = Vec::with_capacity(samples.len());
        for sample in samples {
            let item = sample.index;
            let place = self.strata.get(&item).copied().ok_or(DesignError::Stranger { item })?;
            let of = seen.get_mut(place).ok_or(DesignError::Stranger { item })?;
            of.count += 1;
            of.sum += sample.loss;
            places.push(place);
        }
        for (place, (seen, &size)) in seen.iter().zip(&self.sizes).enumerate() {
            if seen.count > size {
                return Err(DesignError::Turns { stratum: place + 1, size, draws: seen.count }.into());
            }
            if seen.count == 0 && size > 0 {
                let (stratum, strata) = (place + 1, self.sizes.len());
                return Err(DesignError::Unlabelled { stratum, strata }.into());
            }
        }
        Ok((places, seen))
    }
}

impl Estimator for Stratified {
    fn name(&self) -> &'static str {
        "stratified mean"
    }

    fn bias(&self) -> Bias {
        Bias::None
    }

    fn replacement(&self) -> Replacement {
        Replacement::WithinStrata
    }

    fn weights(&self, samples: &[Sample], pool_size: usize) -> Result<Vec<f64>> {
        let budget = samples.len() as f64;
        Ok(self.terms(samples, pool_size)?.c().iter().map(|c| c * budget).collect())
    }

    /// The terms are the losses, and a coefficient is a stratum's part of the pool over its number of samples.
    fn terms(&self, samples: &[Sample], pool_size: usize) -> Result<Terms> {
        let (places, mut seen) = self.placed(samples, pool_size)?;
        let n = pool_size as f64;
        let of = |seen: &[Seen], place: usize| {
            let size = self.sizes.get(place).copied().unwrap_or(0) as f64;
            (size, seen.get(place).copied().unwrap_or_default())
        };
        let a: Vec<f64> = samples.iter().map(|sample| sample.loss).collect();
        let c = places.iter().map(|&place| {
            let (size, seen) = of(&seen, place);
            size / n / seen.count as f64
        });
        let c: Vec<f64> = c.collect();
        let mut contributions = Vec::with_capacity(samples.len());
        for (sample, &place) in samples.iter().zip(&places) {
            let (size, stratum) = of(&seen, place);
            let count = stratum.count as f64;
            let deviation = (sample.loss - stratum.sum / count).powi(2);
            // A stratum that is all labelled has no variance left, and one sample alone is not compared with any.
            let left = (size / n).powi(2) * (1.0 - count / size) / (count * (count - 1.0).max(1.0));
            let x = left * deviation;
            contributions.push(x);
            if let Some(seen) = seen.get_mut(place) {
                seen.squares += x;
                seen.fourth += x * x;
            }
        }
        let all = || seen.iter().zip(&self.sizes);
        let alone = all().any(|(seen, &size)| seen.count == 1 && size > 1);
        let least = self.sizes.iter().map(|size| (*size).min(2)).sum();
        let freedom = if alone { None } else { freedom(&seen) };
        Ok(Terms::of_strata(a, c, (!alone).then_some(contributions), freedom, least))
    }
}

/// Satterthwaite's degrees of freedom: 2 V² over the variance of V. That is a sum over strata, of each what its samples
/// show or what Gaussian ones would have, whichever is more: two samples show nothing.
fn freedom(seen: &[Seen]) -> Option<f64> {
    let varying = seen.iter().filter(|seen| seen.squares > 0.0);
    let (mut variance, mut spread, mut most) = (0.0, 0.0, 0.0);
    for seen in varying {
        let count = seen.count as f64;
        let gaussian = 2.0 * seen.squares.powi(2) / (count - 1.0);
        variance += seen.squares;
        spread += gaussian.max(seen.fourth - seen.squares.powi(2) / count);
        most += count - 1.0;
    }
    (variance > 0.0).then(|| (2.0 * variance * variance / spread).clamp(1.0, most.max(1.0)))
}
