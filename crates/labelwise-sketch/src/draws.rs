//! The draws of a whole pool, once n and the sum of the scores are known.

use std::collections::HashMap;

use crate::earliest::{Entry, Kept};
use crate::error::{Error, Result};
use crate::exact_sum::ExactSum;
use crate::sketch::{NAMED, Sketch};
use crate::uniforms::{Key, exponential, uniforms};

/// Draws without replacement from (1 − ρ) s/S + ρ/n.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Draws {
    /// n, the number of items of the pool.
    pub size: u64,
    /// S, the sum of the scores, rounded once.
    pub total: f64,
    /// The draws in order.
    pub drawn: Vec<DrawnItem>,
}

/// A draw.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DrawnItem {
    /// The item.
    pub item: Kept,
    /// Its weight; their mean over the pool is 1.
    pub weight: f64,
    /// The sum of the weights that were left.
    pub mass: f64,
    /// The probability that it was drawn with: weight / mass.
    pub q: f64,
}

/// From scores to draws, once the whole pool is known: weights and times of arrival.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrivals {
    key: Key,
    size: f64,
    total: f64,
    rho: f64,
}

impl Arrivals {
    /// Of a pool of n items whose scores sum to S, with a uniform part ρ. If all scores are 0, all items are alike.
    pub fn new(key: Key, size: u64, total: f64, rho: f64) -> Result<Self> {
        if !(rho > 0.0 && rho <= 1.0) {
            return Err(Error::Rho(rho));
        }
        if size == 0 {
            return Err(Error::Empty);
        }
        if !total.is_finite() {
            return Err(Error::Overflow);
        }
        Ok(Self { key, size: size as f64, total, rho: if total > 0.0 { rho } else { 1.0 } })
    }

    /// The time at which an item arrives: exponential with the rate (1 − ρ) score / S + ρ / n.
    pub fn time(&self, id: &str, score: f64) -> f64 {
        let Self { key, size, total, rho } = *self;
        let [first, second] = uniforms(key, id).map(exponential);
        let by_score =
            if score > 0.0 && rho < 1.0 { first / score * total / (1.0 - rho) } else { f64::INFINITY };
        by_score.min(second * size / rho)
    }

    /// (1 − ρ) score n / S + ρ; the mean over the pool is 1.
    pub fn weight(&self, score: f64) -> f64 {
        let Self { size, total, rho, .. } = *self;
        if total > 0.0 { (1.0 - rho) * (score / total * size) + rho } else { 1.0 }
    }

    /// The sum of the weights of items whose scores have this sum.
    pub fn weight_of(&self, items: u64, scores: f64) -> f64 {
        let Self { size, total, rho, .. } = *self;
        if total > 0.0 { (1.0 - rho) * (scores / total * size) + rho * items as f64 } else { items as f64 }
    }

    /// The sum of the weights left before each draw, of draws with these weights. If they are the whole pool, that of the draws
    /// themselves, so that the last has q = 1.
    pub fn masses(&self, weights: &[f64]) -> Vec<f64> {
        masses(weights, self.size)
    }
}

impl Sketch {
    /// The first draws, with a uniform part ρ. If all scores are 0, all items are alike.
    pub fn draws(&self, rho: f64) -> Result<Draws> {
        self.check()?;
        let total = self.total().value();
        let arrivals = Arrivals::new(self.key(), self.size(), total, rho)?;
        let mut found: Vec<(f64, &Kept)> =
            self.items()?.into_iter().map(|kept| (arrivals.time(&kept.id, kept.score), kept)).collect();
        found.sort_unstable_by(|(one, first), (other, second)| {
            one.total_cmp(other).then_with(|| first.id.cmp(&second.id))
        });
        found.truncate(self.keep());
        let weights: Vec<f64> = found.iter().map(|(_, kept)| arrivals.weight(kept.score)).collect();
        let masses = arrivals.masses(&weights);
        let drawn = found.into_iter().zip(weights.iter().zip(masses));
        let drawn = drawn.map(|((_, kept), (&weight, mass))| DrawnItem {
            item: kept.clone(),
            weight,
            mass,
            q: weight / mass,
        });
        Ok(Draws { size: self.size(), total, drawn: drawn.collect() })
    }

    /// A uniform sample without replacement: the items with the smallest E2, in order.
    pub fn uniform_sample(&self) -> Result<Vec<&Kept>> {
        self.check()?;
        self.items()?;
        Ok(self.by_item.entries().into_iter().map(|entry| &entry.item).collect())
    }

    /// The kept items, each once. An id that occurs twice is refused.
    fn items(&self) -> Result<Vec<&Kept>> {
        let mut items: HashMap<&str, &Kept> = HashMap::new();
        let mut twice: Vec<&str> = Vec::new();
        for list in [self.by_score.entries(), self.by_item.entries()] {
            let mut of_list: HashMap<&str, ()> = HashMap::new();
            for Entry { item, .. } in list {
                let again = of_list.insert(&item.id, ()).is_some();
                let other = items.insert(&item.id, item).is_some_and(|other| other != item);
                if again || other {
                    twice.push(&item.id);
                }
            }
        }
        twice.sort_unstable();
        twice.dedup();
        if twice.is_empty() {
            return Ok(items.into_values().collect());
        }
        Err(Error::Duplicates { first: twice.into_iter().take(NAMED).map(str::to_owned).collect() })
    }
}

/// The sum of the weights left before each draw. If the draws are the whole pool, that of the draws themselves, so that the
/// last has q = 1.
fn masses(weights: &[f64], size: f64) -> Vec<f64> {
    let mut sum = ExactSum::default();
    if weights.len() as f64 == size {
        let from_behind = weights.iter().rev().map(|&weight| {
            sum.add(weight);
            sum.value()
        });
        let mut masses: Vec<f64> = from_behind.collect();
        masses.reverse();
        return masses;
    }
    sum.add(size);
    let left = weights.iter().map(|&weight| {
        let left = sum.value();
        sum.add(-weight);
        left
    });
    left.collect()
}
