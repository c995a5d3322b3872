//! The exponential race: item i arrives at E_i / w_i with E_i ~ Exp(1), and the order of arrival is the order of
//! draws without replacement with probability proportional to w among those left.

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::rng::open01;

/// How many arrivals the first batch finds; each further one finds sixteen times more. In a pool that is not larger, the
/// first batch finds one and the next all others: there, a refresh after every label costs more than a second batch.
const FIRST_BATCH: usize = 1024;

/// Items that one thread runs a batch of.
const CHUNK: usize = 1 << 20;

/// Words of the stream that one item takes.
const WORDS: u32 = 2;

/// Arrivals in order, found in batches: one pass over the pool finds the next few hundred, thousand, ... of them. An
/// item's E_i is a function of seed, refresh and item, so a batch can be run again and nothing but these is kept.
#[derive(Debug, Clone)]
pub(crate) struct Race {
    start: ChaCha8Rng,
    /// How many arrivals the last batch was to find; 0 before the first.
    batch: usize,
    /// How many arrivals are expected to be wanted.
    expected: usize,
    /// Logarithm of the time of arrival, and the item; the next to arrive is last.
    arrivals: Vec<(f64, usize)>,
}

impl Race {
    /// `start` is the stream of this refresh, before any number of it was used.
    pub(crate) fn new(start: ChaCha8Rng) -> Self {
        Self { start, batch: 0, expected: 0, arrivals: Vec::new() }
    }

    /// Says how many arrivals will be wanted: one batch finds them all. Which they are does not depend on it.
    pub(crate) fn expect(&mut self, count: usize) {
        self.expected = count.saturating_sub(self.arrivals.len());
    }

    /// The next to arrive among the items whose weight is not 0; the caller sets the weight of each arrival to 0.
    pub(crate) fn next(&mut self, weights: &[f64]) -> Option<usize> {
        if self.arrivals.is_empty() {
            self.batch = match self.batch {
                0 if weights.len() <= FIRST_BATCH => 1,
                0 | 1 => FIRST_BATCH,
                last => last.saturating_mul(16).min(weights.len().max(FIRST_BATCH)),
            };
            self.batch = self.batch.max(self.expected).min(weights.len().max(1));
            self.expected = 0;
            self.arrivals = self.run_batch(weights);
        }
        self.arrivals.pop().map(|(_, item)| item)
    }

    /// The first `batch` arrivals, last first: the first of the first of every chunk.
    fn run_batch(&self, weights: &[f64]) -> Vec<(f64, usize)> {
        let mut first: Vec<(f64, usize)> = if weights.len() <= CHUNK {
            self.run_chunk(0, weights)
        } else {
            let chunks = weights.par_chunks(CHUNK).enumerate();
            chunks.flat_map_iter(|(chunk, weights)| self.run_chunk(chunk * CHUNK, weights)).collect()
        };
        first.sort_unstable_by(order);
        first.truncate(self.batch);
        first.reverse();
        first
    }

    /// The first `batch` arrivals of a chunk of items, and perhaps more, in any order.
    fn run_chunk(&self, start: usize, weights: &[f64]) -> Vec<(f64, usize)> {
        let mut rng = self.start.clone();
        rng.set_word_pos(rng.get_word_pos() + u128::from(WORDS) * start as u128);
        let mut first: Vec<(f64, usize)> = Vec::with_capacity(2 * self.batch.min(weights.len()));
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
                if first.len() == 2 * self.batch {
                    first.select_nth_unstable_by(self.batch - 1, order);
                    first.truncate(self.batch);
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
    fn chunks_of_a_batch_are_the_batch() {
        let weights: Vec<f64> = (0..5000).map(|item| 0.1 + f64::from(item % 17)).collect();
        let mut race = Race::new(Seed(3).stream(Stream::Draw, 0));
        race.batch = 200;
        let whole = race.run_batch(&weights);
        let mut parts: Vec<(f64, usize)> =
            weights.chunks(700).enumerate().flat_map(|(n, part)| race.run_chunk(700 * n, part)).collect();
        parts.sort_unstable_by(order);
        parts.truncate(200);
        parts.reverse();
        assert_eq!(whole, parts);
    }
}
