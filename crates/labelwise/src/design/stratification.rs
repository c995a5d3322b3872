//! A stratified sample, settled before the first label: strata of the expected loss, how many labels each gets, and
//! which items they are of.

use std::marker::PhantomData;

use super::allocation::{Part, neyman};
use super::error::DesignError;
use super::strata::{Strata, by_quantiles};
use crate::error::{Error, Result};
use crate::evaluation::Expectations;
use crate::ledger::{Draw, KnownItems, Ledger, PoolFacts};
use crate::loss::Loss;
use crate::pool::Pool;
use crate::rng::{Seed, Stream, open01};
use crate::surrogate::Beliefs;
use crate::task::Task;

/// A stratified sample of a pool: all items to label, before the first of them is.
///
/// Items are put into strata by their expected loss; more labels go where the surrogate expects losses to vary more
/// (Neyman's allocation); within a stratum, items are drawn uniformly. The estimate is the mean of the strata's means,
/// each by its part of the pool: it has no bias whatever the surrogate believed, and serves any loss.
///
/// ```
/// use labelwise::design::Stratification;
/// use labelwise::ledger::Outcome;
/// use labelwise::loss::Loss;
/// use labelwise::{CrossEntropy, Matrix, Pool, Seed, Target};
/// # let predictions: Vec<f64> = (0..400).flat_map(|i| { let p = 0.05 + 0.9 * f64::from(i % 20) / 20.0; [p, 1.0 - p] }).collect();
/// # let label_of = |item: usize| usize::from(item % 3 == 0);
/// let pool = Pool::classification(Matrix::f64(predictions, 2)?)?;
/// let loss = CrossEntropy::default();
/// let design = Stratification::new(&pool, &loss, &pool.own_beliefs()?, 60, 10, Seed(7))?;
/// let mut ledger = design.ledger();
/// for (place, draw) in design.draws().iter().enumerate() {
///     let label = label_of(draw.index);                           // all of them may be labelled at once
///     let loss = loss.loss(pool.predictions().reader().row(draw.index), label);
///     ledger.settle(place, Outcome::Labelled { label, loss });
/// }
/// println!("{}", ledger.report(Target::Pool, 0.95)?);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Stratification<T: Task> {
    strata: Strata,
    facts: PoolFacts,
    draws: Vec<Draw>,
    task: PhantomData<T>,
}

impl<T: Task> Stratification<T> {
    /// A sample of `budget` items from at most `strata` strata; fewer if many items have the same expected loss.
    pub fn new(
        pool: &Pool<T>,
        loss: &dyn Loss<T>,
        beliefs: &Beliefs<T>,
        budget: usize,
        strata: usize,
        seed: Seed,
    ) -> Result<Self> {
        let pool_size = pool.pool_size();
        if strata == 0 {
            return Err(DesignError::NoStrata.into());
        }
        if budget > pool_size {
            return Err(Error::Budget { budget, left: pool_size, pool_size });
        }
        let expected = Expectations::new(pool, loss, beliefs)?;
        let members = by_quantiles(&expected.first, strata);
        let parts: Vec<Part> = members.iter().map(|items| expected.part(items)).collect();
        let counts = neyman(&parts, budget)?;
        let strata = Strata::in_turns(members.iter().map(Vec::len).collect(), &counts);
        let drawn = members.into_iter().zip(&counts);
        let mut rng = seed.stream(Stream::Draw, 0);
        // A number of each item, so that who is drawn does not depend on how many are.
        let keys: Vec<f64> = (0..pool_size).map(|_| open01(&mut rng)).collect();
        let mut queues: Vec<_> =
            drawn.map(|(items, &count)| first(items, &keys, count).into_iter()).collect();
        let mut left: Vec<usize> = strata.sizes().to_vec();
        let mut total = expected.total;
        let mut reader = pool.predictions().reader();
        let mut draws = Vec::with_capacity(budget);
        for &turn in strata.turns() {
            let (Some(index), Some(left)) =
                (queues.get_mut(turn).and_then(Iterator::next), left.get_mut(turn))
            else {
                continue;
            };
            let control = expected.first.get(index).copied().unwrap_or(0.0);
            draws.push(Draw {
                index,
                q: 1.0 / *left as f64,
                mass: *left as f64,
                control,
                control_total: total,
                // Another item could have been drawn in its place, but none of another stratum.
                ratio_bounds: None,
                bounds: loss.bounds(T::prediction(reader.row(index))),
                refresh: 0,
            });
            *left -= 1;
            total -= control;
        }
        let (range, sign, bounds) = (loss.range(), loss.sign(), expected.bounds);
        let facts = PoolFacts { pool_size, known: KnownItems::default(), bounds, range, sign };
        Ok(Self { strata, facts, draws, task: PhantomData })
    }

    /// The strata, and their turns.
    pub fn strata(&self) -> &Strata {
        &self.strata
    }

    /// The items to label, in an order in which every stratum comes early. Labels may be told in any order.
    pub fn draws(&self) -> &[Draw] {
        &self.draws
    }

    /// A ledger with all draws, none of which has its label yet.
    pub fn ledger(&self) -> Ledger<T> {
        let mut ledger = Ledger::stratified(self.facts, self.strata.clone());
        self.draws.iter().for_each(|draw| ledger.push(*draw));
        ledger
    }
}

impl Expectations {
    /// A stratum of these items: the loss of one drawn at random varies as items do, and as each item's loss does.
    fn part(&self, items: &[usize]) -> Part {
        let size = items.len();
        let moments =
            || items.iter().filter_map(|item| Some((self.first.get(*item)?, self.second.get(*item)?)));
        let mean = moments().map(|(first, _)| first).sum::<f64>() / size as f64;
        let squares =
            moments().map(|(first, second)| (first - mean).powi(2) + (second - first * first).max(0.0));
        Part { size, spread: (squares.sum::<f64>() / size as f64).sqrt() }
    }
}

/// The items with the first `count` keys, in the order of their keys.
fn first(mut items: Vec<usize>, keys: &[f64], count: usize) -> Vec<usize> {
    let key = |item: &usize| keys.get(*item).copied().unwrap_or(f64::INFINITY);
    items.sort_by(|one, other| key(one).total_cmp(&key(other)).then(one.cmp(other)));
    items.truncate(count);
    items
}
