//! A surrogate of your own: it learns from the labels how often the model is right at each level of confidence.
//!
//! ```sh
//! cargo run -p labelwise --example custom_surrogate
//! ```

use labelwise::conformance::check_surrogate;
use labelwise::loss::ZeroOne;
use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Beliefs, Change, Observed, Surrogate, Updated};
use labelwise::{Classification, Evaluation, Matrix, Pool, Result, Seed, Target};

/// Levels of confidence that are told apart.
const BINS: usize = 10;

/// New beliefs are made after this many labels.
const EVERY: usize = 50;

/// Beliefs by bins of the model's probability of class 0.
struct Binned {
    beliefs: Beliefs<Classification>,
    /// How many times beliefs were made from labels.
    fits: usize,
}

impl Binned {
    fn new(pool: &Pool<Classification>) -> Result<Self> {
        Ok(Self { beliefs: pool.own_beliefs()?, fits: 0 })
    }
}

fn bin(probability: f64) -> usize {
    ((probability * BINS as f64) as usize).min(BINS - 1)
}

impl Surrogate<Classification> for Binned {
    fn update(
        &mut self,
        observed: Observed<'_, Classification>,
        _rng: &mut ChaCha8Rng,
    ) -> Result<Updated<'_, Classification>> {
        // It is asked before each draw, so it is cheap while nothing is due.
        let due = observed.labels.len() / EVERY;
        if due == self.fits {
            return Ok(Updated { beliefs: &self.beliefs, change: Change::Unchanged });
        }
        self.fits = due;
        let mut rows = observed.pool.predictions().reader();
        let mut first = |item| rows.row(item).first().copied().unwrap_or(0.5);
        // Labels of class 0 and all labels, by bin. Each bin starts with five labels as the model expects them, so that
        // no belief is ever certain.
        let mut counts: [(f64, f64); BINS] =
            std::array::from_fn(|bin| (5.0 * (bin as f64 + 0.5) / BINS as f64, 5.0));
        for &(item, label) in observed.labels {
            if let Some((zeros, all)) = counts.get_mut(bin(first(item))) {
                *zeros += f64::from(u8::from(label == 0));
                *all += 1.0;
            }
        }
        let belief = |item| counts.get(bin(first(item))).map_or(0.5, |(zeros, all)| zeros / all);
        let beliefs: Vec<f64> =
            (0..observed.pool.pool_size()).map(belief).flat_map(|zero| [zero, 1.0 - zero]).collect();
        self.beliefs = Beliefs::new(Matrix::f64(beliefs, 2)?, observed.pool)?;
        Ok(Updated { beliefs: &self.beliefs, change: Change::Refitted })
    }
}

/// The model's probability of class 0: too sure of itself.
fn probability(item: usize) -> f64 {
    if item % 5 < 2 { 0.03 + 0.001 * (item % 90) as f64 } else { 0.97 - 0.001 * (item % 90) as f64 }
}

fn label(item: usize) -> usize {
    let predicted = usize::from(probability(item) < 0.5);
    if item % 5 < 2 && item.is_multiple_of(4) { 1 - predicted } else { predicted }
}

pub(crate) fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let rows = (0..5_000).flat_map(|item| [probability(item), 1.0 - probability(item)]);
    let pool = Pool::classification(Matrix::f64(rows.collect::<Vec<f64>>(), 2)?)?;

    // The contract of a surrogate can be checked on a pool with some labels.
    let labels: Vec<(usize, usize)> = (0..120).map(|item| (item, label(item))).collect();
    let surrogate = Binned::new(&pool)?;
    let make = || Box::new(Binned { beliefs: surrogate.beliefs.clone(), fits: 0 }) as Box<dyn Surrogate<_>>;
    let changes = check_surrogate(make, &pool, &labels)?;
    println!("120 labels changed the beliefs {changes} times");

    let mut evaluation = Evaluation::builder(pool, ZeroOne, surrogate).seed(Seed(7)).build()?;
    evaluation.run(300, &mut |item| Ok(label(item)))?;
    println!("error rate: {}", evaluation.report(Target::Pool, 0.95)?);
    Ok(())
}
