//! How often do the intervals cover the pool risk, and how wide are they? Pools are drawn again in every run, so that
//! nothing hangs on one of them, and everything goes through the public API: predictions, beliefs and labels in,
//! intervals out. Prints Markdown tables; docs/coverage.md is what it printed.
//!
//! ```sh
//! cargo run --release -p labelwise --example coverage -- [--runs R] [--seed S] [--quick]
//! ```

mod options;
mod table;
mod zoo;

use std::error::Error;

use labelwise::acquisition::Uniform;
use labelwise::estimator::{Estimator, RegressionLure};
use labelwise::interval::{Interval, Method, interval};
use labelwise::ledger::{Evidence, Imputed};
use labelwise::loss::{Loss, ZeroOne};
use labelwise::rng::Stream;
use labelwise::{CrossEntropy, Evaluation, Fixed, Lure, Seed, SquaredError, Target, Task};
use options::{Options, Progress};
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;
use table::{Cell, Row, print_block, print_summary};
use zoo::{Scores, World, Zoo};

const LEVEL: f64 = 0.95;

/// Betting and anytime intervals take longer, so they are made in one run of so many.
const SPARSE: usize = 4;

/// A kind of interval, which is a group of columns in the tables.
struct Kind {
    title: &'static str,
    estimator: &'static dyn Estimator,
    method: fn(usize) -> Method,
    bounds: KnownBounds,
    every: usize,
}

/// Whether the interval is told the bounds of the loss. Without them the guard marks and does not replace.
enum KnownBounds {
    Yes,
    Hidden,
}

const KINDS: [Kind; 6] = [
    Kind {
        title: "ordinary, regression LURE",
        estimator: &RegressionLure,
        method: |_| Method::Ordinary,
        bounds: KnownBounds::Yes,
        every: 1,
    },
    Kind {
        title: "ordinary, LURE",
        estimator: &Lure,
        method: |_| Method::Ordinary,
        bounds: KnownBounds::Yes,
        every: 1,
    },
    Kind {
        title: "the same without guard",
        estimator: &Lure,
        method: |_| Method::Ordinary,
        bounds: KnownBounds::Hidden,
        every: 1,
    },
    Kind {
        title: "guaranteed",
        estimator: &Lure,
        method: |_| Method::Guaranteed,
        bounds: KnownBounds::Yes,
        every: SPARSE,
    },
    Kind {
        title: "guaranteed at budget",
        estimator: &Lure,
        method: |_| Method::GuaranteedAtBudget,
        bounds: KnownBounds::Yes,
        every: SPARSE,
    },
    Kind {
        title: "anytime, regression LURE",
        estimator: &RegressionLure,
        method: |planned| Method::Anytime { planned },
        bounds: KnownBounds::Yes,
        every: SPARSE,
    },
];

/// What one run saw at one budget by one kind of interval.
struct Look {
    /// The estimate's.
    error: f64,
    /// The interval, and whether it covers.
    interval: Option<(Interval, bool)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    options.print_head();
    let mut progress = Progress::new(options.sizes.len() * Zoo::ALL.len() * Scores::ALL.len());
    let mut blocks = Vec::new();
    for &size in &options.sizes {
        let budgets: Vec<usize> = options.budgets.iter().copied().filter(|m| 2 * m <= size).collect();
        let mut rows = Vec::new();
        for zoo in Zoo::ALL {
            for scores in Scores::ALL {
                let cells = setting(zoo, scores, size, &budgets, &options)?;
                let named = budgets.iter().zip(cells);
                rows.extend(named.map(|(&budget, cells)| Row { zoo, scores, budget, cells }));
                progress.step();
            }
        }
        blocks.push((size, rows));
    }
    let all: Vec<&Row> = blocks.iter().flat_map(|(_, rows)| rows).collect();
    print_summary(&all, &options.budgets);
    blocks.iter().for_each(|(size, rows)| print_block(*size, rows));
    Ok(())
}

/// All runs of one setting: for each budget, the cells of a row.
fn setting(
    which: Zoo,
    scores: Scores,
    size: usize,
    budgets: &[usize],
    options: &Options,
) -> Result<Vec<Vec<Cell>>, labelwise::Error> {
    // Scores are compared on the same pools; losses and sizes have pools of their own.
    let number = 10 * size as u64 + which as u64;
    let seed = Seed(options.seed.stream(Stream::Split, number).next_u64());
    // Runs are collected in order, so that sums do not depend on how many threads made them.
    let runs: Vec<Vec<Vec<Look>>> = (0..options.runs)
        .into_par_iter()
        .map(|run| {
            let rng = &mut seed.stream(Stream::Data, run as u64);
            let seed = Seed(seed.stream(Stream::Draw, run as u64).next_u64());
            match which {
                Zoo::ZeroOne => watch(zoo::zero_one(size, scores, rng)?, ZeroOne, scores, budgets, seed, run),
                Zoo::CrossEntropy => {
                    let loss = CrossEntropy::with_epsilon(zoo::TINY)?;
                    watch(zoo::cross_entropy(size, scores, rng)?, loss, scores, budgets, seed, run)
                }
                Zoo::SquaredError => watch(
                    zoo::squared_error(size, scores, rng)?,
                    SquaredError::default(),
                    scores,
                    budgets,
                    seed,
                    run,
                ),
            }
        })
        .collect::<Result<_, _>>()?;
    let cell = |at: usize, kind: usize| {
        let looks = runs.iter().filter_map(|run| run.get(at)?.get(kind));
        Cell::new(&looks.collect::<Vec<_>>())
    };
    Ok((0..budgets.len()).map(|at| (0..KINDS.len()).map(|kind| cell(at, kind)).collect()).collect())
}

/// One run: Algorithm 1 up to the largest budget, with a look at every kind of interval at each budget.
fn watch<T: Task>(
    world: World<T>,
    loss: impl Loss<T> + 'static,
    scores: Scores,
    budgets: &[usize],
    seed: Seed,
    run: usize,
) -> labelwise::Result<Vec<Vec<Look>>> {
    let World { pool, beliefs, labels } = world;
    let risk = pool.risk(&loss, &labels)?;
    let pool_size = pool.pool_size();
    let builder = Evaluation::builder(pool, loss, Fixed(beliefs)).seed(seed);
    let mut evaluation =
        if scores == Scores::Uniform { builder.acquisition(Uniform) } else { builder }.build()?;
    let mut oracle =
        |item: usize| labels.get(item).copied().ok_or(labelwise::Error::UnknownItem { item, pool_size });
    let mut looks = Vec::new();
    for &budget in budgets {
        evaluation.run(budget - evaluation.complete(), &mut oracle)?;
        let look = |kind: &Kind| {
            let error = evaluation.estimate(kind.estimator)?.value - risk;
            let method = (kind.method)(budget);
            let found = run.is_multiple_of(kind.every).then(|| match kind.bounds {
                KnownBounds::Yes => evaluation.interval(kind.estimator, method, Target::Pool, LEVEL),
                KnownBounds::Hidden => {
                    let evidence = Evidence { unlabelled: None, ..evaluation.evidence(Imputed::Expected)? };
                    interval(&evidence, kind.estimator, method, Target::Pool, LEVEL)
                }
            });
            let interval = match found {
                Some(Ok(interval)) => Some((interval, interval.covers(risk))),
                // A loss without bounds has no guaranteed interval.
                None | Some(Err(labelwise::Error::Unbounded)) => None,
                Some(Err(error)) => return Err(error),
            };
            Ok(Look { error, interval })
        };
        looks.push(KINDS.iter().map(look).collect::<labelwise::Result<_>>()?);
    }
    Ok(looks)
}
