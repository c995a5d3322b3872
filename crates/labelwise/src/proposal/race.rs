//! The exponential race: item i arrives at E_i / w_i with E_i ~ Exp(1), and the order of arrival is the order of
//! draws without replacement with probability proportional to w among those left.

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::rng::open01;

/// How many arrivals the first batch finds; each further one finds sixteen times more. In a pool that is not larger, the
/// first batch finds one and the next all others: there, a refresh after every label costs more than a second batch.
const FIRST_BATCH: usize = 1024;

/// A batch first looks for arrivals until a time by which about this many times the batch would arrive if all weights were
/// equal: then few logarithms are taken. If the large weights have arrived and too few items did, a later time follows.
const GUESSES: [f64; 3] = [1.25, 5.0, f64::INFINITY];

/// A batch of more than this share of the items is found without a guess.
const GUESSED_SHARE: usize = 8;

/// Items that one thread runs a batch of.
const CHUNK: usize = 1 << 20;

const HAIR: f64 = 1.0 + 1e-12;

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
    /// Logarithm of the last time that was handed out.
    reached: f64,
    /// Whether the first batch is to find one arrival only.
    single: bool,
    /// Logarithm of the time of arrival, and the item; the next to arrive is last.
    arrivals: Vec<(f64, usize)>,
}

impl Race {
    /// `start` is the stream of this refresh, before any number of it was used.
    pub(crate) fn new(start: ChaCha8Rng) -> Self {
        Self { start, batch: 0, expected: 0, single: false, reached: f64::NEG_INFINITY, arrivals: Vec::new() }
    }

    /// Says how many arrivals will be wanted: one batch finds them all. Which they are does not depend on it.
    pub(crate) fn expect(&mut self, count: usize) {
        self.expected = count.saturating_sub(self.arrivals.len());
    }

    /// Says that one arrival will be wanted, and perhaps no other.
    pub(crate) fn expect_one(&mut self) {
        self.single = true;
    }

    /// The next to arrive among the items whose weight is not 0; the caller sets the weight of each arrival to 0. `total`
    /// is the sum of the weights.
    pub(crate) fn next(&mut self, weights: &[f64], total: f64) -> Option<usize> {
        if self.arrivals.is_empty() {
            self.batch = match self.batch {
                0 if self.single || weights.len() <= FIRST_BATCH => 1,
                0 | 1 => FIRST_BATCH,
                last => last.saturating_mul(16).min(weights.len().max(FIRST_BATCH)),
            };
            self.batch = self.batch.max(self.expected).min(weights.len().max(1));
            self.expected = 0;
            self.arrivals = self.run_batch(weights, total);
        }
        let (time, item) = self.arrivals.pop()?;
        self.reached = time;
        Some(item)
    }

    /// The first `batch` arrivals, last first: the first of the first of every chunk.
    fn run_batch(&self, weights: &[f64], total: f64) -> Vec<(f64, usize)> {
        let is_guessed = |guess: &f64| guess.is_infinite() || self.batch <= weights.len() / GUESSED_SHARE;
        let mut first = Vec::new();
        for guess in GUESSES.into_iter().filter(is_guessed) {
            first = self.run_until(self.reached.exp() + guess * self.batch as f64 / total, weights);
            if first.len() >= self.batch {
                break;
            }
        }
        first.sort_unstable_by(order);
        first.truncate(self.batch);
        first.reverse();
        first
    }

    /// The arrivals until a time: the first `batch` of every chunk, and perhaps more, in any order.
    fn run_until(&self, time: f64, weights: &[f64]) -> Vec<(f64, usize)> {
        if weights.len() <= CHUNK {
            return self.run_chunk(0, weights, time);
        }
        let chunks = weights.par_chunks(CHUNK).enumerate();
        chunks.flat_map_iter(|(chunk, weights)| self.run_chunk(chunk * CHUNK, weights, time)).collect()
    }

    /// The first `batch` arrivals of a chunk of items until a time, and perhaps more, in any order.
    fn run_chunk(&self, start: usize, weights: &[f64], time: f64) -> Vec<(f64, usize)> {
        let mut rng = self.start.clone();
        rng.set_word_pos(rng.get_word_pos() + u128::from(WORDS) * start as u128);
        let mut first: Vec<(f64, usize)> = Vec::with_capacity(2 * self.batch.min(weights.len()));
        // A hair later, so that rounding of logarithm and exponential shuts nobody out.
        let (mut latest, mut latest_time) = (time.ln(), time * HAIR);
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
                    latest_time = latest.exp() * HAIR;
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
        let whole = race.run_batch(&weights, weights.iter().sum());
        let mut parts: Vec<(f64, usize)> = weights
            .chunks(700)
            .enumerate()
            .flat_map(|(n, part)| race.run_chunk(700 * n, part, f64::INFINITY))
            .collect();
        parts.sort_unstable_by(order);
        parts.truncate(200);
        parts.reverse();
        assert_eq!(whole, parts);
    }
    /// Guesses of the last time save logarithms; they change no draw, even where a few items have nearly all of the weight.
    #[test]
    fn guesses_change_no_draw() {
        let equal = |_| 1.0;
        let (some, huge) = (|item| 0.1 + f64::from(item % 17), |item| if item < 40 { 1e9 } else { 1.0 });
        let tiny = |item| if item % 100 == 0 { 1e-300 } else { 0.0 };
        for weight in [&equal as &dyn Fn(i32) -> f64, &some, &huge, &tiny] {
            let mut left: Vec<f64> = (0..20_000).map(weight).collect();
            let mut race = Race::new(Seed(5).stream(Stream::Draw, 1));
            race.batch = left.len();
            let mut all = race.run_chunk(0, &left, f64::INFINITY);
            all.sort_unstable_by(order);
            race.batch = 0;
            for (_, item) in all.into_iter().take(18_000) {
                assert_eq!(race.next(&left, left.iter().sum()), Some(item));
                left[item] = 0.0;
            }
        }
    }
}
