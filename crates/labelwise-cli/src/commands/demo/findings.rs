//! What one run of each kind found, in the shape that is also printed as JSON.

use labelwise::interval::{Basis, Caution, Interval};
use labelwise::report::Report;
use labelwise_study::simulate::{Comparison, Plan, Simulation, Strategy};
use labelwise_study::{Error, EstimatorName, LossName, Result};
use serde::Serialize;

use super::{ACTIVE, Options};
use crate::output::progress::Progress;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.demo/1";

/// Everything the demonstration has to say.
#[derive(Debug, Serialize)]
pub(super) struct Findings {
    schema: &'static str,
    pub(super) settings: Settings,
    pub(super) pool: Described,
    pub(super) estimates: Vec<Line>,
    pub(super) diagnostics: Diagnostics,
    pub(super) notes: Vec<String>,
    pub(super) repetitions: Repetitions,
}

/// What was asked for.
#[derive(Debug, Serialize)]
pub(super) struct Settings {
    pub(super) budget: usize,
    pub(super) seed: u64,
    pub(super) loss: LossName,
    pub(super) level: f64,
    pub(super) runs: usize,
}

/// The pool, and what only a demonstration knows about it.
#[derive(Debug, Serialize)]
pub(super) struct Described {
    pub(super) items: &'static str,
    pub(super) model: &'static str,
    pub(super) surrogate: &'static str,
    pub(super) pool_size: usize,
    pub(super) pool_risk: f64,
}

/// One estimate with its interval.
#[derive(Debug, Serialize)]
pub(super) struct Line {
    strategy: String,
    #[serde(skip)]
    pub(super) title: String,
    pub(super) estimator: &'static str,
    pub(super) value: f64,
    standard_error: Option<f64>,
    /// `None` with too few labels.
    pub(super) interval: Option<Span>,
}

/// An interval, and whether it did its work.
#[derive(Debug, Serialize)]
pub(super) struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) kind: &'static str,
    caution: Option<&'static str>,
    pub(super) covers: bool,
}

/// The diagnostics of the active evaluation, as its report has them.
#[derive(Debug, Serialize)]
pub(super) struct Diagnostics {
    pub(super) effective_hits: f64,
    pub(super) largest_share: Option<f64>,
    pub(super) weight_ess: f64,
    pub(super) mean_v: f64,
    pub(super) smallest_nq: f64,
    pub(super) usefulness: f64,
}

/// What the repetitions showed.
#[derive(Debug, Serialize)]
pub(super) struct Repetitions {
    /// How many there were.
    pub(super) runs: usize,
    /// The seed that their seeds are derived from.
    pub(super) seed: u64,
    /// One entry per strategy.
    pub(super) strategies: Vec<Repeated>,
}

/// How a strategy did.
#[derive(Debug, Serialize)]
pub(super) struct Repeated {
    strategy: String,
    #[serde(skip)]
    pub(super) title: String,
    pub(super) estimator: &'static str,
    /// √ of the mean squared distance from the pool risk.
    pub(super) root_mean_squared_error: f64,
    /// How often its interval covered the pool risk.
    pub(super) coverage: f64,
    /// How it compares with uniform sampling; nothing when the whole pool is labelled, as nobody is off then.
    pub(super) against_uniform: Option<Comparison>,
}

impl Findings {
    /// Runs Algorithm 1 and uniform sampling, once in detail and then many times.
    pub(super) fn new(simulation: &Simulation, options: &Options) -> Result<Self> {
        let &Options { budget, seed, loss, level, runs, .. } = options;
        let pool_risk = simulation.truth().risk;
        let report =
            |strategy: &Strategy| Ok::<_, Error>(simulation.once(strategy, budget, seed, level)?.report);
        let by_lure = Strategy { estimator: EstimatorName::Lure, ..ACTIVE };
        let active = report(&ACTIVE)?;
        let estimates = vec![
            Line::new(&ACTIVE, &active, pool_risk),
            Line::new(&by_lure, &report(&by_lure)?, pool_risk),
            Line::new(&Strategy::UNIFORM, &report(&Strategy::UNIFORM)?, pool_risk),
        ];
        Ok(Self {
            schema: SCHEMA,
            settings: Settings { budget, seed, loss, level, runs },
            pool: Described {
                items: "handwritten digits",
                model: "logistic regression",
                surrogate: "random forest",
                pool_size: active.pool_size,
                pool_risk,
            },
            estimates,
            diagnostics: Diagnostics::of(&active),
            notes: active.warnings().iter().map(ToString::to_string).collect(),
            repetitions: Repetitions::new(simulation, options)?,
        })
    }
}

impl Line {
    fn new(strategy: &Strategy, report: &Report, pool_risk: f64) -> Self {
        Self {
            strategy: strategy.key.to_string(),
            title: strategy.title.to_string(),
            estimator: report.estimator,
            value: report.estimate.value,
            standard_error: report.estimate.standard_error,
            interval: report.interval.map(|interval| Span::new(interval, pool_risk)),
        }
    }
}

impl Span {
    fn new(interval: Interval, pool_risk: f64) -> Self {
        let kind = match interval.basis {
            Basis::WholePool => "exact",
            Basis::LogT { .. } | Basis::LogitT { .. } | Basis::T { .. } => "ordinary",
            Basis::Betting | Basis::BettingAtBudget | Basis::Chernoff => "guaranteed",
            Basis::Anytime => "anytime",
        };
        let caution = interval.caution.map(|caution| match caution {
            Caution::FewLabels => "few-labels",
            Caution::FewHits => "few-hits",
        });
        Self { low: interval.low, high: interval.high, kind, caution, covers: interval.covers(pool_risk) }
    }
}

impl Diagnostics {
    fn of(report: &Report) -> Self {
        Self {
            effective_hits: report.effective_hits,
            largest_share: report.largest_share,
            weight_ess: report.weight_ess,
            mean_v: report.mean_v,
            smallest_nq: report.smallest_nq,
            usefulness: report.usefulness,
        }
    }
}

impl Repetitions {
    /// One run may be lucky: all strategies again and again.
    fn new(simulation: &Simulation, options: &Options) -> Result<Self> {
        let &Options { budget, seed, level, runs, .. } = options;
        let progress = Progress::new(runs, "Repeating", "runs");
        let strategies = [ACTIVE, Strategy::PAPER, Strategy::UNIFORM];
        let found =
            simulation.run(&strategies, &Plan::new(budget, runs, seed, level), &|| progress.step())?;
        let results = found.into_iter().flat_map(|at| at.strategies).collect::<Vec<_>>();
        let uniform = results.last();
        let strategies = results.iter().map(|result| Repeated {
            strategy: result.strategy.clone(),
            title: result.title.clone(),
            estimator: result.estimator,
            root_mean_squared_error: result.root_mean_squared_error,
            coverage: result.coverage.unwrap_or(0.0),
            against_uniform: uniform.and_then(|uniform| simulation.compare(result, uniform, budget)),
        });
        Ok(Self { runs, seed, strategies: strategies.collect() })
    }
}
