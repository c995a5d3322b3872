//! The draws of a whole pool, once n and the sum of the scores are known.

use std::collections::HashMap;

use crate::earliest::{Entry, Kept};
use crate::error::{Error, Result};
use crate::exact_sum::ExactSum;
use crate::sketch::{NAMED, Sketch};
use crate::uniforms::{exponential, uniforms};

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

impl Sketch {
    /// The first draws, with a uniform part ρ. If all scores are 0, all items are alike.
    pub fn draws(&self, rho: f64) -> Result<Draws> {
        if !(rho > 0.0 && rho <= 1.0) {
            return Err(Error::Rho(rho));
        }
        self.check()?;
        let total = self.total().value();
        if self.size() == 0 {
            return Err(Error::Empty);
        }
        if !total.is_finite() {
            return Err(Error::Overflow);
        }
        let size = self.size() as f64;
        let items = self.items()?;
        let rho = if total > 0.0 { rho } else { 1.0 };
        let arrives = |kept: &Kept| {
            let [first, second] = uniforms(self.key(), &kept.id).map(exponential);
            let by_score = if kept.score > 0.0 && rho < 1.0 {
                first / kept.score * total / (1.0 - rho)
            } else {
                f64::INFINITY
            };
            by_score.min(second * size / rho)
        };
        let mut arrivals: Vec<(f64, &Kept)> = items.into_iter().map(|kept| (arrives(kept), kept)).collect();
        arrivals.sort_unstable_by(|(one, first), (other, second)| {
            one.total_cmp(other).then_with(|| first.id.cmp(&second.id))
        });
        arrivals.truncate(self.keep());
        let weight = |kept: &Kept| {
            if total > 0.0 { (1.0 - rho) * (kept.score / total * size) + rho } else { 1.0 }
        };
        let weights: Vec<f64> = arrivals.iter().map(|(_, kept)| weight(kept)).collect();
        let masses = masses(&weights, self.size());
        let drawn = arrivals.into_iter().zip(weights.iter().zip(masses));
        let drawn = drawn.map(|((_, kept), (&weight, mass))| DrawnItem {
            item: kept.clone(),
            weight,
            mass,
            q: weight / mass,
        });
        Ok(Draws { size: self.size(), total, drawn: drawn.collect() })
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
fn masses(weights: &[f64], size: u64) -> Vec<f64> {
    let mut sum = ExactSum::default();
    if weights.len() as u64 == size {
        let from_behind = weights.iter().rev().map(|&weight| {
            sum.add(weight);
            sum.value()
        });
        let mut masses: Vec<f64> = from_behind.collect();
        masses.reverse();
        return masses;
    }
    sum.add(size as f64);
    let left = weights.iter().map(|&weight| {
        let left = sum.value();
        sum.add(-weight);
        left
    });
    left.collect()
}
