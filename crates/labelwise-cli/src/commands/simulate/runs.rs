//! All strategies again and again, with an estimate at each of a few numbers of labels.

use labelwise::design::Stratification;
use labelwise::interval::{Interval, Method};
use labelwise::loss::checked_loss;
use labelwise::{Error, Evaluation, Fixed, Seed, Target, Task};
use labelwise_study::{Result, Trial};
use rayon::prelude::*;

use super::problem::Problem;
use super::strategy::Strategy;
use crate::output::progress::Progress;

/// How many places a curve is drawn through.
const PLACES: usize = 24;

/// Strata where there are labels enough, as `labelwise new` has them.
const STRATA: usize = 10;

/// What is to be done.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Where estimates are made, in the order of labels.
    pub(super) stops: Vec<Stop>,
    /// How often all of it is repeated.
    pub(super) runs: usize,
    /// The seed that all others are derived from.
    pub(super) seed: u64,
    /// The level of intervals.
    pub(super) level: f64,
}

/// A number of labels at which an estimate is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    /// How many labels.
    pub(super) labels: usize,
    /// Whether an interval is made too, and the stop is told of in words; others are for the picture only.
    pub(super) told: bool,
}

impl Plan {
    /// Stops at a quarter, a half and all of the budget, and at more places where a curve is wanted.
    pub(super) fn new(budget: usize, runs: usize, seed: u64, level: f64, curve: bool) -> Self {
        let told = [budget / 4, budget / 2, budget];
        let mut labels: Vec<usize> = told.to_vec();
        if curve {
            labels.extend((1..PLACES).map(|place| budget * place / PLACES));
        }
        labels.sort_unstable();
        labels.dedup();
        let stops = labels.into_iter().filter(|&labels| labels > 0);
        let stops = stops.map(|labels| Stop { labels, told: told.contains(&labels) }).collect();
        Self { stops, runs, seed, level }
    }
}

/// What one run of one strategy came to at one stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    /// The estimate less the pool risk.
    pub(super) error: f64,
    /// The interval, where there was one.
    pub(super) interval: Option<Reach>,
}

/// How wide an interval was, and whether it did its work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    pub(super) width: f64,
    pub(super) covers: bool,
}

/// What is known of a pool whose labels are all known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Truth {
    /// The pool risk.
    pub(super) risk: f64,
    /// S², the variance of the losses with N − 1 below.
    pub(super) variance: f64,
}

impl<T: Task> Problem<T> {
    /// The pool risk, and how losses vary about it.
    pub(super) fn truth(&self) -> Result<Truth> {
        let Trial { begin, alike, pool, .. } = &self.trial;
        let evaluation = begin(Box::new(Fixed(alike.clone())))?.build()?;
        let risk = pool.risk(evaluation.loss(), &self.labels)?;
        let mut reader = pool.predictions().reader();
        let mut squares = 0.0;
        for (item, &label) in self.labels.iter().enumerate() {
            squares += (evaluation.loss().loss(T::prediction(reader.row(item)), label) - risk).powi(2);
        }
        let variance = squares / (self.labels.len() as f64 - 1.0).max(1.0);
        Ok(Truth { risk, variance })
    }

    /// Repeats the strategies: for each run, for each strategy, what came out at each stop. Each run has a seed of its
    /// own, the same for all strategies, so nothing depends on the number of threads.
    pub(super) fn repeat(
        &self,
        strategies: &[Strategy],
        plan: &Plan,
        risk: f64,
    ) -> Result<Vec<Vec<Vec<Option<Outcome>>>>> {
        let progress = Progress::new(plan.runs, "Simulating", "runs");
        let runs = (0..plan.runs).into_par_iter().map(|run| {
            let seed = Seed(plan.seed).repetition(run as u64);
            let outcomes = strategies.iter().map(|&strategy| self.once(strategy, plan, seed, risk)).collect();
            progress.step();
            outcomes
        });
        runs.collect()
    }

    fn once(&self, strategy: Strategy, plan: &Plan, seed: Seed, risk: f64) -> Result<Vec<Option<Outcome>>> {
        let surrogate = match strategy {
            Strategy::Uniform => Box::new(Fixed(self.trial.alike.clone())),
            Strategy::Stratified | Strategy::Paper | Strategy::Labelwise => (self.trial.surrogate)(),
        };
        let mut evaluation = strategy.choose((self.trial.begin)(surrogate)?).seed(seed).build()?;
        let Some(estimator) = strategy.estimator() else {
            return self.stratified(&mut evaluation, plan, seed, risk);
        };
        let mut oracle = |item: usize| self.label(item);
        let mut outcomes = Vec::with_capacity(plan.stops.len());
        for stop in &plan.stops {
            evaluation.run(stop.labels - evaluation.complete(), &mut oracle)?;
            let estimate = evaluation.estimate(estimator)?.value;
            let interval =
                stop.told.then(|| evaluation.interval(estimator, Method::Ordinary, Target::Pool, plan.level));
            outcomes.push(Some(Outcome::new(estimate, interval, risk)?));
        }
        Ok(outcomes)
    }

    /// A sample of its own for each number of labels that is told of: each is settled before the first label.
    fn stratified(
        &self,
        evaluation: &mut Evaluation<T>,
        plan: &Plan,
        seed: Seed,
        risk: f64,
    ) -> Result<Vec<Option<Outcome>>> {
        let (beliefs, pool) = (evaluation.beliefs()?.clone(), &self.trial.pool);
        let loss = evaluation.loss();
        let mut reader = pool.predictions().reader();
        let mut outcomes = Vec::with_capacity(plan.stops.len());
        for stop in &plan.stops {
            if !stop.told || stop.labels < 2 {
                outcomes.push(None);
                continue;
            }
            let strata = STRATA.min(stop.labels / 2);
            let sample = Stratification::new(pool, loss, &beliefs, stop.labels, strata, seed)?;
            let mut ledger = sample.ledger();
            for (place, draw) in sample.draws().iter().enumerate() {
                let label = self.label(draw.index)?;
                let loss = checked_loss(loss, draw.index, T::prediction(reader.row(draw.index)), label)?;
                ledger.settle(place, labelwise::ledger::Outcome::Labelled { label, loss });
            }
            let estimator = ledger.by_strata()?;
            let interval = ledger.interval(&estimator, Method::Ordinary, Target::Pool, plan.level);
            outcomes.push(Some(Outcome::new(ledger.estimate(&estimator)?.value, Some(interval), risk)?));
        }
        Ok(outcomes)
    }

    fn label(&self, item: usize) -> labelwise::Result<T::Label> {
        let label = self.labels.get(item).copied();
        label.ok_or_else(|| Error::Oracle { item, why: "the pool has none".to_owned() })
    }
}

impl Outcome {
    fn new(estimate: f64, interval: Option<labelwise::Result<Interval>>, risk: f64) -> Result<Self> {
        let interval = match interval.transpose() {
            Ok(interval) => interval,
            // That is an answer too: so few labels of such a loss have no interval.
            Err(Error::TooFewLabels { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let reach =
            |interval: Interval| Reach { width: interval.high - interval.low, covers: interval.covers(risk) };
        Ok(Self { error: estimate - risk, interval: interval.map(reach) })
    }
}
