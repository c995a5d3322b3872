//! The exponential race: item i arrives at E_i / w_i with E_i ~ Exp(1), and the order of arrival is the order of
//! draws without replacement with probability proportional to w among those left.

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::rng::open01;

/// How many arrivals the first heat finds; each further one finds sixteen times more. In a pool that is not larger, the
/// first heat finds one and the next all others: there, a refresh after every label costs more than a second heat.
const FIRST_HEAT: usize = 1024;

/// Items that one thread runs a heat of.
const STRETCH: usize = 1 << 20;

/// Words of the stream that one item takes.
const WORDS: u32 = 2;

/// Arrivals in order, found in heats: one pass over the pool finds the next few hundred, thousand, ... of them. An
/// item's E_i is a function of seed, refresh and item, so a heat can be run again and nothing but these is kept.
#[derive(Debug, Clone)]
pub(crate) struct Race {
    start: ChaCha8Rng,
    /// How many arrivals the last heat was to find; 0 before the first.
    heat: usize,
    /// How many arrivals are expected to be wanted.
    expected: usize,
    /// Logarithm of the time of arrival, and the item; the next to arrive is last.
    arrivals: Vec<(f64, usize)>,
}

impl Race {
    /// `start` is the stream of this refresh, before any number of it was used.
    pub(crate) fn new(start: ChaCha8Rng) -> Self {
        Self { start, heat: 0, expected: 0, arrivals: Vec::new() }
    }

    /// Says how many arrivals will be wanted: one heat finds them all. Which they are does not depend on it.
    pub(crate) fn expect(&mut self, count: usize) {
        self.expected = count.saturating_sub(self.arrivals.len());
    }

    /// The next to arrive among the items whose weight is not 0; the caller sets the weight of each arrival to 0.
    pub(crate) fn next(&mut self, weights: &[f64]) -> Option<usize> {
        if self.arrivals.is_empty() {
            self.heat = match self.heat {
                0 if weights.len() <= FIRST_HEAT => 1,
                0 | 1 => FIRST_HEAT,
                last => last.saturating_mul(16).min(weights.len().max(FIRST_HEAT)),
            };
            self.heat = self.heat.max(self.expected).min(weights.len().max(1));
            self.expected = 0;
            self.arrivals = self.run_heat(weights);
        }
        self.arrivals.pop().map(|(_, item)| item)
    }

    /// The first `heat` arrivals, last first: the first of the first of every stretch.
    fn run_heat(&self, weights: &[f64]) -> Vec<(f64, usize)> {
        let mut first: Vec<(f64, usize)> = if weights.len() <= STRETCH {
            self.run_stretch(0, weights)
        } else {
            let stretches = weights.par_chunks(STRETCH).enumerate();
            stretches
                .flat_map_iter(|(stretch, weights)| self.run_stretch(stretch * STRETCH, weights))
                .collect()
        };
        first.sort_unstable_by(order);
        first.truncate(self.heat);
        first.reverse();
        first
    }

    /// The first `heat` arrivals of a stretch of items, and perhaps more, in any order.
    fn run_stretch(&self, start: usize, weights: &[f64]) -> Vec<(f64, usize)> {
        let mut rng = self.start.clone();
        rng.set_word_pos(rng.get_word_pos() + u128::from(WORDS) * start as u128);
        let mut first: Vec<(f64, usize)> = Vec::with_capacity(2 * self.heat.min(weights.len()));
        let (mut latest, mut latest_time) = (f64::INFINITY, f64::INFINITY);
        for (item, &weight) in (start..).zip(weights) {
            let uniform = open01(&mut rng);
            // −log u ≥ 1 − u: most items are seen to be late without a logarithm.
            if weight > 0.0 && 1.0 - uniform <= latest_time * weight {
                // The logarithm of the arrival: the time itself would overflow for the tiniest weights.
                let arrival = (-uniform.ln()).ln() - weight.ln();
                if arrival <= latest {
                    first.push((arrival, item));
                }
                if first.len() == 2 * self.heat {
                    first.select_nth_unstable_by(self.heat - 1, order);
                    first.truncate(self.heat);
                    latest = first.last().map_or(latest, |last| last.0);
                    // A hair later, so that rounding of the exponential shuts nobody out.
                    latest_time = latest.exp() * (1.0 + 1e-12);
                }
            }
        }
        first
    }
}

/// By time of arrival; equal times by item.
fn order(a: &(f64, usize), b: &(f64, usize)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::{Race, order};
    use crate::rng::{Seed, Stream};

    #[test]
    fn stretches_of_a_heat_are_the_heat() {
        let weights: Vec<f64> = (0..5000).map(|item| 0.1 + f64::from(item % 17)).collect();
        let mut race = Race::new(Seed(3).stream(Stream::Draw, 0));
        race.heat = 200;
        let whole = race.run_heat(&weights);
        let mut parts: Vec<(f64, usize)> =
            weights.chunks(700).enumerate().flat_map(|(n, part)| race.run_stretch(700 * n, part)).collect();
        parts.sort_unstable_by(order);
        parts.truncate(200);
        parts.reverse();
        assert_eq!(whole, parts);
    }
}
