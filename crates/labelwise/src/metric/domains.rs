//! Domains: the items of a pool by the class they are predicted as. How many there are is known without a label, and a
//! domain of which every item is labelled needs no estimate.
//!
//! LURE over the whole pool cannot know that a domain is used up. Inside a domain d, the draws that fell into it are draws
//! from N_d items with q / (the probability of the domain's items at that step). Weights made of them are exact once all of d is
//! labelled, and are scaled to sum to N_d / N before that.

use super::MetricError;
use crate::error::Result;
use crate::estimator::{Estimator, Lure, Sample, lure_weight};

/// A domain with fewer labels is estimated together with the others of this kind.
const ENOUGH_OF_DOMAIN: usize = 10;

/// The number of items of each predicted class, and the weights that they were drawn with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PredictedClasses {
    counts: Vec<usize>,
    proposals: Vec<(usize, Vec<f64>)>,
}

impl PredictedClasses {
    /// The number of items by predicted class, of those that could be drawn. Items of classes that are not listed make up
    /// the rest of the pool.
    pub fn new(counts: Vec<usize>) -> Self {
        Self { counts, proposals: Vec::new() }
    }

    /// One more proposal: the number of draws before it, and the sum of its weights over the items of each class that could
    /// be drawn then; of the items of no listed class, as the last entry. In the units of [`Draw::mass`](crate::ledger::Draw).
    pub fn with_proposal(mut self, draws: usize, weights: Vec<f64>) -> Result<Self> {
        let (entries, expected) = (weights.len(), self.counts.len() + 1);
        if entries != expected {
            return Err(MetricError::Entries { what: "weights by class", entries, expected }.into());
        }
        self.proposals.push((draws, weights));
        Ok(self)
    }

    pub(super) fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The domain of a predicted class.
    fn domain(&self, class: usize) -> usize {
        class.min(self.counts.len())
    }

    /// Numbers of items: by class, and of the rest.
    fn sizes(&self, pool_size: usize) -> Vec<usize> {
        let listed: usize = self.counts.iter().sum();
        self.counts.iter().copied().chain([pool_size.saturating_sub(listed)]).collect()
    }
}

/// A draw as domains see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    /// Its place among all draws.
    pub(super) place: usize,
    /// Its weight, in the units of the mass it was drawn from.
    pub(super) own: f64,
    /// The class it is predicted as.
    pub(super) predicted: usize,
}

/// One domain, or several that are estimated together.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    /// Number of its items.
    pub(super) size: usize,
    /// Its draws among the samples.
    members: Vec<usize>,
    /// Their probabilities within it.
    q: Vec<f64>,
    /// Their weights, with the sum N_d / N.
    weights: Vec<f64>,
}

/// The pool in parts.
#[derive(Debug, Clone)]
pub(super) struct Domains {
    pub(super) parts: Vec<Part>,
    /// The part of each class, the rest as the last.
    part_of: Vec<usize>,
    /// The number of items of each class, and of the rest.
    sizes: Vec<usize>,
    pool_size: usize,
}

impl Domains {
    /// `None` where nothing is gained by parts, or their weights are not on record.
    pub(super) fn new(classes: &PredictedClasses, draws: &[Placed], pool_size: usize) -> Option<Self> {
        if classes.proposals.first().is_none_or(|(first, _)| *first > 0) {
            return None;
        }
        let sizes = classes.sizes(pool_size);
        let mut labels = vec![0; sizes.len()];
        for draw in draws {
            *labels.get_mut(classes.domain(draw.predicted))? += 1;
        }
        if sizes.iter().sum::<usize>() != pool_size || labels.iter().zip(&sizes).any(|(some, all)| some > all)
        {
            return None;
        }
        let part_of = merged(&labels, &sizes)?;
        let mut parts = vec![Part::default(); part_of.iter().max()? + 1];
        for (part, size) in part_of.iter().zip(&sizes) {
            parts.get_mut(*part)?.size += size;
        }
        let mut left: Vec<f64> = Vec::new();
        let mut proposals = classes.proposals.iter().peekable();
        for (number, draw) in draws.iter().enumerate() {
            while let Some((_, weights)) = proposals.next_if(|(first, _)| *first <= draw.place) {
                left = vec![0.0; parts.len()];
                for (part, weight) in part_of.iter().zip(weights) {
                    *left.get_mut(*part)? += weight;
                }
            }
            let place = *part_of.get(classes.domain(draw.predicted))?;
            let (part, left) = (parts.get_mut(place)?, left.get_mut(place)?);
            part.members.push(number);
            // The last item of a part is certain to be its next one.
            let last = part.members.len() == part.size;
            part.q.push(if last { 1.0 } else { draw.own / left.max(draw.own) });
            *left -= draw.own;
        }
        for part in &mut parts {
            part.weigh(pool_size);
        }
        Some(Self { parts, part_of, sizes, pool_size })
    }

    /// The weight of every draw; they sum to 1.
    pub(super) fn weights(&self, draws: usize) -> Vec<f64> {
        let mut weights = vec![0.0; draws];
        for part in &self.parts {
            for (member, weight) in part.members.iter().zip(&part.weights) {
                if let Some(slot) = weights.get_mut(*member) {
                    *slot = *weight;
                }
            }
        }
        weights
    }

    /// The share of each part that `tail` cannot exclude to be unlike what was drawn, of each draw and, as mass of the
    /// pool, of each class and of the rest.
    pub(super) fn missed(&self, draws: usize, tail: f64) -> (Vec<f64>, Vec<f64>) {
        let shares: Vec<f64> = self.parts.iter().map(|part| part.missed(tail)).collect();
        let share = |part: usize| shares.get(part).copied().unwrap_or(0.0);
        let mut of_draws = vec![0.0; draws];
        for (part, missed) in self.parts.iter().zip(&shares) {
            for member in &part.members {
                if let Some(slot) = of_draws.get_mut(*member) {
                    *slot = *missed;
                }
            }
        }
        let of_class = |(part, size): (&usize, &usize)| share(*part) * *size as f64 / self.pool_size as f64;
        (of_draws, self.part_of.iter().zip(&self.sizes).map(of_class).collect())
    }

    /// The variance of Σ w u over draws, its degrees of freedom and the share of the largest term; `None` with too few
    /// labels to tell. What is known of sizes takes the part of u that is the same within a domain.
    pub(super) fn variance(&self, u: &[f64]) -> Result<Option<(f64, f64, Option<f64>)>> {
        let (mut sum, mut squares, mut largest) = (0.0, 0.0, 0.0_f64);
        for part in &self.parts {
            let own = |member: &usize| u.get(*member).copied().unwrap_or(0.0);
            let share = part.size as f64 / self.pool_size as f64;
            let weighted = part.members.iter().zip(&part.weights).map(|(member, w)| w * own(member));
            let mean = if share > 0.0 { weighted.sum::<f64>() / share } else { 0.0 };
            let samples = part.members.iter().zip(&part.q);
            let samples = samples.map(|(member, q)| Sample::plain(*member, *q, own(member) - mean));
            let samples: Vec<Sample> = samples.collect();
            if samples.is_empty() {
                continue;
            }
            let terms = Lure.terms(&samples, part.size)?;
            let Some(variance) = terms.variance().map(|variance| variance * share * share) else {
                return Ok(None);
            };
            if variance > 0.0 {
                let most = (terms.labels() as f64 - 1.0).max(1.0);
                sum += variance;
                squares += variance * variance / terms.degrees_of_freedom().unwrap_or(most);
                largest = largest.max(variance * terms.largest_share().unwrap_or(0.0));
            }
        }
        let freedom = if squares > 0.0 { sum * sum / squares } else { 0.0 };
        Ok(Some((sum, freedom, (sum > 0.0).then(|| largest / sum))))
    }
}

impl Part {
    fn weigh(&mut self, pool_size: usize) {
        let (labels, size) = (self.members.len(), self.size);
        let weights: Vec<f64> =
            self.q.iter().zip(1..).map(|(q, m)| lure_weight(m, labels, size, *q)).collect();
        let (sum, mass) = (weights.iter().sum::<f64>(), size as f64 / pool_size as f64);
        self.weights = weights.iter().map(|weight| weight / sum * mass).collect();
    }

    /// M draws, each with at least ρ of the uniform probability, miss a share φ with a probability of at most (1 − ρφ)^M.
    fn missed(&self, tail: f64) -> f64 {
        let labels = self.members.len();
        if labels == self.size {
            return 0.0;
        }
        let nq = self.q.iter().enumerate().map(|(before, q)| (self.size - before) as f64 * q);
        let least = nq.fold(1.0, f64::min);
        let looked_at = (labels as f64 * least).max(f64::MIN_POSITIVE);
        1.0 - tail.powf(1.0 / looked_at)
    }
}

/// The part of each domain. Domains of too few labels share one; `None` if that leaves nothing to tell apart, or too little
/// to estimate from.
fn merged(labels: &[usize], sizes: &[usize]) -> Option<Vec<usize>> {
    let whole = |domain: usize| labels.get(domain) == sizes.get(domain);
    let of = |domain: usize| labels.get(domain).copied().unwrap_or(0);
    let mut together: Vec<bool> = (0..labels.len()).map(|d| !whole(d) && of(d) < ENOUGH_OF_DOMAIN).collect();
    let pooled = |together: &[bool]| {
        let chosen = together.iter().zip(labels).filter(|(together, _)| **together);
        (together.contains(&true), chosen.map(|(_, labels)| labels).sum::<usize>())
    };
    while let (true, ..ENOUGH_OF_DOMAIN) = pooled(&together) {
        let alone = together.iter().enumerate().filter(|(d, together)| !**together && !whole(*d));
        let Some(fewest) = alone.map(|(domain, _)| domain).min_by_key(|domain| of(*domain)) else { break };
        if let Some(slot) = together.get_mut(fewest) {
            *slot = true;
        }
    }
    if let (true, ..2) = pooled(&together) {
        return None;
    }
    let mut next = usize::from(together.contains(&true));
    let parts = together.iter().zip(sizes).map(|(together, size)| {
        if *together || *size == 0 {
            return 0;
        }
        next += 1;
        next - 1
    });
    let parts: Vec<usize> = parts.collect();
    (next > 1).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty items, of which every second is predicted as class 1, drawn in a fixed order by two proposals.
    #[test]
    fn q_within_a_domain_is_the_weight_over_what_is_left_of_it() {
        let class = |item: usize| usize::from(item.is_multiple_of(2));
        let weight = |proposal: usize, item: usize| 0.5 + ((item * 7 + proposal * 3) % 11) as f64;
        let order: Vec<usize> = (0..36).map(|draw| draw * 13 % 40).collect();
        let left = |from: usize| (0..40).filter(|item| !order[..from].contains(item)).collect::<Vec<_>>();
        let sums = |proposal: usize, from: usize| {
            let of = |wanted: usize| {
                left(from)
                    .into_iter()
                    .filter(|item| class(*item) == wanted)
                    .map(|i| weight(proposal, i))
                    .sum()
            };
            vec![of(0), of(1), 0.0]
        };
        let classes = PredictedClasses::new(vec![20, 20]).with_proposal(0, sums(0, 0)).unwrap();
        let classes = classes.with_proposal(20, sums(1, 20)).unwrap();
        let placed: Vec<Placed> = (0..36)
            .map(|place| {
                let item = order[place];
                Placed { place, own: weight(place / 20, item), predicted: class(item) }
            })
            .collect();
        let domains = Domains::new(&classes, &placed, 40).unwrap();
        let weights = domains.weights(36);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(domains.parts.len(), 2);
        for part in &domains.parts {
            for (&place, q) in part.members.iter().zip(&part.q) {
                let item = order[place];
                let alike = left(place).into_iter().filter(|other| class(*other) == class(item));
                let expected = weight(place / 20, item) / alike.map(|i| weight(place / 20, i)).sum::<f64>();
                assert!((q - expected).abs() < 1e-12, "{place}: {q}, {expected}");
            }
            let whole = part.members.len() == part.size;
            let alike = part.weights.iter().all(|weight| (weight - 1.0 / 40.0).abs() < 1e-12);
            assert_eq!(whole, alike);
        }
    }

    #[test]
    fn domains_of_few_labels_share_a_part() {
        assert_eq!(merged(&[20, 30, 0], &[100, 900, 0]), Some(vec![0, 1, 0]));
        assert_eq!(merged(&[20, 3, 30], &[100, 50, 900]), Some(vec![0, 0, 1]));
        assert_eq!(merged(&[20, 5, 6, 30], &[100, 50, 50, 900]), Some(vec![1, 0, 0, 2]));
        // One that is labelled as a whole stands alone, whatever the others are.
        assert_eq!(merged(&[5, 4], &[5, 900]), Some(vec![1, 0]));
        assert_eq!(merged(&[5, 1], &[5, 900]), None);
        assert_eq!(merged(&[5, 12], &[50, 900]), None);
    }
}
