//! Simulations on a pool whose labels are all known: how far off the estimates of each strategy are.
//!
//! A simulated run draws the items that an evaluation with the same choices, seed and labels draws. The one exception is a
//! strategy with moments of its own at which the floor is applied ([`Strategy::rescore`]), if its surrogate learns.

mod conditional;
mod run;
mod scores;
mod strategy;
mod summary;

use labelwise::interval::Method;
use labelwise::ledger::Draw;
use labelwise::report::Report;
use labelwise::{Classification, Regression, Seed, Target};
use labelwise_pool::{Labels, PoolTable, Predictions};
use rayon::prelude::*;
use serde::Serialize;

pub use strategy::{Strategy, Unsuited};
pub use summary::{Comparison, Measured, StopResult, StrategyResult};

use crate::create::split;
use crate::decide::choices::{Choices, Decided};
use crate::error::{AnswerError, ChoiceError, CompareError, DesignError, Error, RefusedAnswer, Result};
use crate::guess::explained;
use crate::inputs::ProposalInputs;
use crate::journal::memory::Memory;
use crate::judge::plan;
use crate::spec::metric::Metric;
use crate::spec::settings::Settings;
use crate::task::{self, StudyTask};
use run::{Run, Setup};
use scores::Gauge;

/// A pool whose labels are all known, to try strategies on.
///
/// ```
/// use labelwise_study::simulate::{Plan, Simulation, Strategy};
/// use labelwise_study::{Choices, PoolTable, Reading};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("pool.csv");
/// # let row = |i: u32| format!("0.{},0.{},{}\n", 10 + i, 90 - i, if i % 3 == 0 { "cat" } else { "dog" });
/// # std::fs::write(&path, format!("prob_cat,prob_dog,label\n{}", (0..60).map(row).collect::<String>()))?;
/// let table = PoolTable::open(&path, &Reading::new().labels("label"))?;
/// let simulation = Simulation::new(&table, &Choices::default())?;
/// let plan = Plan::new(20, 50, 0, 0.95);
/// let found = simulation.run(&[Strategy::UNIFORM, Strategy::LABELWISE], &plan, &|| ())?;
/// assert_eq!(found[0].strategies[1].outcomes.len(), 50);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation {
    settings: Settings,
    gauge: Gauge,
    metric: Metric,
    columns: Memory,
    known: AllLabels,
    truth: Truth,
}

/// Every label of the pool.
enum AllLabels {
    Classes(Vec<usize>),
    Values(Vec<f64>),
}

/// The truth, from all labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Truth {
    /// The pool risk: the mean loss of all items, or the metric that is measured.
    pub risk: f64,
    /// S², the variance of the losses with N − 1 below; of another metric, that of its influences.
    pub variance: f64,
}

/// What a simulation does.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Where estimates are made, in the order of labels.
    pub stops: Vec<Stop>,
    /// Number of runs per strategy.
    pub runs: usize,
    /// The seed that the seeds of all runs are derived from.
    pub seed: u64,
    /// The level of intervals.
    pub level: f64,
}

/// A number of labels at which an estimate is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// The number of labels.
    pub labels: usize,
    /// Whether an interval is made too. Stratified samples are drawn at such stops only, a new one for each.
    pub interval: bool,
}

impl Truth {
    /// The root of the mean, whose error is that of the mean over twice the root.
    fn rooted(self) -> Self {
        let root = self.risk.max(0.0).sqrt();
        Self { risk: root, variance: if root > 0.0 { self.variance / (4.0 * self.risk) } else { 0.0 } }
    }
}

impl Plan {
    /// One estimate with an interval, after `labels` labels.
    pub fn new(labels: usize, runs: usize, seed: u64, level: f64) -> Self {
        Self { stops: vec![Stop { labels, interval: true }], runs, seed, level }
    }
}

/// The result of one run of one strategy at one stop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outcome {
    /// The estimated mean loss.
    pub estimate: f64,
    /// The interval, where there is one.
    pub interval: Option<SimulatedInterval>,
}

/// An interval, and whether it covers the pool risk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SimulatedInterval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether it covers the pool risk.
    pub covers: bool,
}

/// One run in detail.
#[derive(Debug, Clone)]
pub struct RunDetail {
    /// The draws, in order.
    pub draws: Vec<Draw>,
    /// The estimate with its interval and its diagnostics.
    pub report: Report,
}

impl Simulation {
    /// Takes the labels from the table, and decides what was not chosen as for an evaluation.
    pub fn new(table: &PoolTable, choices: &Choices) -> Result<Self> {
        let (table, judged) = plan::resolved(table, choices)?;
        let table = &*table;
        let Decided { mut settings, .. } = choices.decide(table, judged.as_ref())?;
        if let Some(rivals) = &table.rivals {
            let (path, models) = (table.path.clone(), rivals.names.len());
            return Err(CompareError::OneOfMany { path, models }.into());
        }
        let known = AllLabels::new(table)?;
        let (gauge, score) = Gauge::new(table, &settings)?;
        let columns = split(table.clone(), choices, judged, &mut settings)?;
        let truth = match (gauge.truth()?, &known) {
            (Some(truth), _) => truth,
            (None, AllLabels::Classes(labels)) => truth::<Classification>(&columns, &settings, labels)
                .map_err(|error| explained(error, &columns.tables, &settings))?,
            (None, AllLabels::Values(labels)) => truth::<Regression>(&columns, &settings, labels)
                .map_err(|error| explained(error, &columns.tables, &settings))?,
        };
        let truth = if matches!(gauge, Gauge::Root) { truth.rooted() } else { truth };
        let metric = match score {
            Some(score) => Metric::of_score(&score),
            None => settings.metric.clone(),
        };
        Ok(Self { settings, gauge, metric, columns, known, truth })
    }

    /// What is measured: a mean loss, or another metric as it is shown.
    pub fn metric(&self) -> &Metric {
        &self.metric
    }

    /// Whether it is a mean loss: then uniform sampling has a formula, and samples can be stratified.
    pub fn is_mean(&self) -> bool {
        matches!(self.gauge, Gauge::Mean)
    }

    /// The decisions, as sentences.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What all labels together say.
    pub fn truth(&self) -> Truth {
        self.truth
    }

    /// Repeats the strategies, and sums up how they did at each stop. Each run has a seed of its own, the same for all
    /// strategies, so results do not depend on the number of threads. `step` is called after each run.
    pub fn run(
        &self,
        strategies: &[Strategy],
        plan: &Plan,
        step: &(dyn Fn() + Sync),
    ) -> Result<Vec<StopResult>> {
        plan.stops.iter().try_for_each(|stop| self.check_labels(stop.labels))?;
        let size = self.settings.pool.size;
        let runs = match &self.known {
            AllLabels::Classes(labels) => self.repeat::<Classification>(labels, strategies, plan, step),
            AllLabels::Values(labels) => self.repeat::<Regression>(labels, strategies, plan, step),
        };
        let runs = runs.map_err(|error| explained(error, &self.columns.tables, &self.settings))?;
        let at = |(place, stop): (usize, &Stop)| StopResult {
            labels: stop.labels,
            strategies: strategies
                .iter()
                .enumerate()
                .filter_map(|(which, strategy)| {
                    let outcomes = runs.iter().filter_map(|run| *run.get(which)?.get(place)?).collect();
                    let result = StrategyResult::new(
                        strategy,
                        outcomes,
                        *stop,
                        size,
                        self.truth,
                        &self.metric,
                        &self.settings,
                    )?;
                    Some(if self.is_mean() { result } else { result.of_score(plan.runs) })
                })
                .collect(),
        };
        Ok(plan.stops.iter().enumerate().map(at).collect())
    }

    /// Results by run, strategy and stop.
    fn repeat<T: StudyTask>(
        &self,
        known: &[T::Label],
        strategies: &[Strategy],
        plan: &Plan,
        step: &(dyn Fn() + Sync),
    ) -> Result<Vec<Vec<Vec<Option<Outcome>>>>> {
        let setups: Vec<Setup<'_, T>> =
            strategies.iter().map(|strategy| self.setup(strategy, known)).collect::<Result<_>>()?;
        let runs = (0..plan.runs).into_par_iter().map(|run| {
            let seed = Seed(plan.seed).repetition(run as u64);
            let each = setups.iter().zip(strategies);
            let outcomes = each.map(|(setup, strategy)| {
                let mut run = Run::new(setup, &self.gauge, seed.0)?;
                plan.stops.iter().map(|stop| self.at_stop(&mut run, strategy, *stop, plan.level)).collect()
            });
            let outcomes = outcomes.collect();
            step();
            outcomes
        });
        runs.collect()
    }

    /// The result of a run at a stop; `None` without a stratified sample.
    fn at_stop<T: StudyTask>(
        &self,
        run: &mut Run<'_, T>,
        strategy: &Strategy,
        stop: Stop,
        level: f64,
    ) -> Result<Option<Outcome>> {
        if strategy.strata.is_some() && (!stop.interval || stop.labels < 2) {
            return Ok(None);
        }
        run.label(stop.labels)?;
        run.outcome(stop, strategy, level, self.truth)
    }

    fn setup<'a, T: StudyTask>(&self, strategy: &Strategy, known: &'a [T::Label]) -> Result<Setup<'a, T>> {
        if strategy.strata.is_some() && !self.is_mean() {
            return Err(DesignError::MeansOnly { metric: self.metric.name.clone() }.into());
        }
        let settings = strategy.settings(&self.settings)?;
        let inputs = ProposalInputs::new(&self.columns, &settings)?;
        let reweighs = strategy.reweighs(&settings);
        Ok(Setup { inputs, settings, strata: strategy.strata, reweighs, known })
    }

    /// Compares a strategy with uniform sampling by their runs with `labels` labels; `None` if the strategy is never off, or
    /// the whole pool is labelled.
    pub fn compare(
        &self,
        own: &StrategyResult,
        uniform: &StrategyResult,
        labels: usize,
    ) -> Option<Comparison> {
        let squares = |result: &StrategyResult| -> Vec<f64> {
            result.outcomes.iter().map(|outcome| (outcome.estimate - self.truth.risk).powi(2)).collect()
        };
        Comparison::new(&squares(uniform), &squares(own), labels, self.settings.pool.size)
    }

    /// One run with a seed, in detail.
    pub fn once(&self, strategy: &Strategy, labels: usize, seed: u64, level: f64) -> Result<RunDetail> {
        self.check_labels(labels)?;
        match &self.known {
            AllLabels::Classes(known) => {
                self.in_detail::<Classification>(strategy, known, labels, seed, level)
            }
            AllLabels::Values(known) => self.in_detail::<Regression>(strategy, known, labels, seed, level),
        }
    }

    fn in_detail<T: StudyTask>(
        &self,
        strategy: &Strategy,
        known: &[T::Label],
        labels: usize,
        seed: u64,
        level: f64,
    ) -> Result<RunDetail> {
        let setup = self.setup::<T>(strategy, known)?;
        let mut run = Run::new(&setup, &self.gauge, seed)?;
        run.label(labels)?;
        let (ledger, estimator) = (run.ledger()?, run.estimator(strategy.estimator)?);
        let report = ledger.report_by(&*estimator, Method::Ordinary, Target::Pool, level)?;
        Ok(RunDetail { draws: ledger.draws().to_vec(), report })
    }

    fn check_labels(&self, budget: usize) -> Result<()> {
        let size = self.settings.drawable();
        if (1..=size).contains(&budget) { Ok(()) } else { Err(DesignError::Budget { budget, size }.into()) }
    }
}

fn truth<T: StudyTask>(columns: &Memory, settings: &Settings, labels: &[T::Label]) -> Result<Truth> {
    let name = settings.metric.loss;
    let loss = T::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
    let pool = ProposalInputs::<T>::new(columns, settings)?.drawn;
    let risk = pool.risk(&*loss, labels)?;
    let mut reader = pool.predictions().reader();
    let mut squares = 0.0;
    for (item, &label) in labels.iter().enumerate() {
        squares += (loss.loss(T::prediction(reader.row(item)), label) - risk).powi(2);
    }
    #[allow(clippy::cast_precision_loss, reason = "items are counted in millions")]
    let variance = squares / (labels.len() as f64 - 1.0).max(1.0);
    Ok(Truth { risk, variance })
}

impl AllLabels {
    fn new(table: &PoolTable) -> Result<Self> {
        let wrong = |are, predictions| ChoiceError::KnownLabels { are, predictions };
        Ok(match (&table.predictions, &table.labels) {
            (_, None) => return Err(ChoiceError::NoKnownLabels { path: table.path.clone() }.into()),
            (Predictions::Classes { .. }, Some(Labels::Classes(labels))) => {
                Self::Classes(labels.iter().map(|&label| label as usize).collect())
            }
            (Predictions::Hard { names, classes }, Some(Labels::Classes(labels))) => {
                Self::Classes(right_or_wrong(table, names, classes, labels)?)
            }
            (Predictions::Values { .. } | Predictions::Scores(_), Some(Labels::Values(values))) => {
                Self::Values(values.clone())
            }
            (_, Some(Labels::Values(_))) => return Err(wrong("numbers", "classes").into()),
            (_, Some(Labels::Classes(_))) => return Err(wrong("classes", "numbers").into()),
        })
    }
}

/// Whether each label is the predicted class, by the rule of what may be told.
fn right_or_wrong(
    table: &PoolTable,
    names: &[String],
    predicted: &[u32],
    labels: &[u32],
) -> Result<Vec<usize>> {
    let name = |class: u32| names.get(class as usize).map_or("", String::as_str);
    let refused = |item: usize, text: &str, wanted| {
        let (id, text) = (table.ids.get(item).unwrap_or_default(), text.to_owned());
        let refusals = vec![RefusedAnswer {
            place: item,
            line: None,
            id,
            reason: AnswerError::BadLabel { text, wanted },
        }];
        Error::Refused { path: table.path.clone(), refusals, of: labels.len() }
    };
    let told = predicted.iter().zip(labels).enumerate().map(|(item, (&predicted, &label))| {
        let label = name(label);
        task::right_class(label, name(predicted)).map_err(|wanted| refused(item, label, wanted))
    });
    told.collect()
}
