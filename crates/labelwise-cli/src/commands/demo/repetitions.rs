//! One run may be lucky: all strategies again and again, to see how far they are off and how often they cover.

use labelwise::{Error, Seed};
use rayon::prelude::*;
use serde::Serialize;

use super::Options;
use super::comparison::{Comparison, mean};
use super::digits::Digits;
use super::strategy::{Strategy, conclude, spend};
use crate::output::progress::Progress;

/// What the repetitions showed.
#[derive(Debug, Serialize)]
pub(super) struct Repetitions {
    /// How many there were.
    pub(super) runs: usize,
    /// The seed that their seeds are derived from.
    pub(super) seed: u64,
    /// One entry a strategy.
    pub(super) strategies: Vec<Showing>,
}

/// How a strategy did.
#[derive(Debug, Serialize)]
pub(super) struct Showing {
    /// Which one.
    pub(super) strategy: Strategy,
    /// Its estimator's name.
    pub(super) estimator: &'static str,
    /// √ of the mean squared distance from the pool risk.
    pub(super) root_mean_squared_error: f64,
    /// How often its interval covered the pool risk.
    pub(super) coverage: f64,
    /// How it compares with uniform sampling; nothing when the whole pool is labelled, as nobody is off then.
    pub(super) against_uniform: Option<Comparison>,
}

/// What one run of one strategy came to.
#[derive(Debug, Clone, Copy)]
struct Run {
    squared_error: f64,
    covered: bool,
}

/// Repeats every strategy. Each repetition has a seed of its own, the same for all strategies, and is added up in its
/// place, so nothing depends on the number of threads.
pub(super) fn repeat(digits: &Digits, options: &Options, pool_risk: f64) -> Result<Repetitions, Error> {
    let progress = Progress::new(options.runs, "Repeating", "runs");
    let repetitions = (0..options.runs).into_par_iter().map(|run| {
        let seed = Seed(options.seed).repetition(run as u64);
        let [active, paper, uniform] =
            Strategy::ALL.map(|strategy| once(strategy, digits, options, seed, pool_risk));
        progress.step();
        Ok([active?, paper?, uniform?])
    });
    let repetitions: Vec<[Run; 3]> = repetitions.collect::<Result<_, Error>>()?;
    let uniform: Vec<f64> = repetitions.iter().map(|[.., uniform]| uniform.squared_error).collect();
    let columns = Strategy::ALL.into_iter().enumerate();
    let strategies = columns.map(|(place, strategy)| {
        let runs: Vec<Run> = repetitions.iter().filter_map(|runs| runs.get(place).copied()).collect();
        let squares: Vec<f64> = runs.iter().map(|run| run.squared_error).collect();
        let covered = runs.iter().filter(|run| run.covered).count();
        Showing {
            strategy,
            estimator: strategy.estimator().name(),
            root_mean_squared_error: mean(&squares).sqrt(),
            coverage: covered as f64 / runs.len() as f64,
            against_uniform: Comparison::new(&uniform, &squares, options.budget, digits.labels.len()),
        }
    });
    Ok(Repetitions { runs: options.runs, seed: options.seed, strategies: strategies.collect() })
}

fn once(
    strategy: Strategy,
    digits: &Digits,
    options: &Options,
    seed: Seed,
    pool_risk: f64,
) -> Result<Run, Error> {
    let mut evaluation = strategy.start(digits, options.loss, seed)?;
    spend(&mut evaluation, digits, options.budget, || ())?;
    let (estimate, interval) = conclude(&evaluation, strategy.estimator(), options.level)?;
    Ok(Run { squared_error: (estimate.value - pool_risk).powi(2), covered: interval.covers(pool_risk) })
}
