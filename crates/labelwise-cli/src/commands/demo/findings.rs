//! What one evaluation of each kind found, in the shape that is also printed as JSON.

use labelwise::estimator::Estimator;
use labelwise::interval::{Basis, Caution};
use labelwise::report::Report;
use labelwise::{Classification, Error, Evaluation, Lure, Seed, Target};
use serde::Serialize;

use super::Options;
use super::digits::Digits;
use super::repetitions::Repetitions;
use super::strategy::{LossName, Strategy, conclude, spend};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repetitions: Option<Repetitions>,
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
    pub(super) strategy: Strategy,
    pub(super) estimator: &'static str,
    pub(super) value: f64,
    pub(super) standard_error: Option<f64>,
    pub(super) interval: Span,
}

/// An interval, and whether it did its work.
#[derive(Debug, Serialize)]
pub(super) struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) kind: &'static str,
    pub(super) caution: Option<&'static str>,
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

impl Findings {
    /// Runs Algorithm 1, and uniform sampling beside it; the repetitions are not in yet.
    pub(super) fn new(digits: &Digits, options: &Options) -> Result<Self, Error> {
        let &Options { budget, seed, loss, level, runs, .. } = options;
        let progress = Progress::new(2 * budget, "Labelling", "labels");
        let run = |strategy: Strategy| {
            let mut evaluation = strategy.start(digits, loss, Seed(seed))?;
            spend(&mut evaluation, digits, budget, || progress.step())?;
            Ok::<_, Error>(evaluation)
        };
        let (active, uniform) = (run(Strategy::Active)?, run(Strategy::Uniform)?);
        let pool_risk = digits.pool.risk(active.loss(), &digits.labels)?;
        let line =
            |strategy, evaluation, estimator| Line::new(strategy, evaluation, estimator, level, pool_risk);
        let estimates = vec![
            line(Strategy::Active, &active, Strategy::Active.estimator())?,
            line(Strategy::Active, &active, &Lure)?,
            line(Strategy::Uniform, &uniform, Strategy::Uniform.estimator())?,
        ];
        let report = active.report(Target::Pool, level)?;
        Ok(Self {
            schema: SCHEMA,
            settings: Settings { budget, seed, loss, level, runs },
            pool: Described {
                items: "handwritten digits",
                model: "logistic regression",
                surrogate: "random forest",
                pool_size: digits.pool.pool_size(),
                pool_risk,
            },
            estimates,
            diagnostics: Diagnostics::of(&report),
            notes: report.warnings().iter().map(ToString::to_string).collect(),
            repetitions: None,
        })
    }
}

impl Line {
    fn new(
        strategy: Strategy,
        evaluation: &Evaluation<Classification>,
        estimator: &dyn Estimator,
        level: f64,
        pool_risk: f64,
    ) -> Result<Self, Error> {
        let (estimate, interval) = conclude(evaluation, estimator, level)?;
        let kind = match interval.basis {
            Basis::WholePool => "exact",
            Basis::LogT { .. } | Basis::T { .. } => "ordinary",
            Basis::Betting | Basis::BettingAtBudget | Basis::Chernoff => "guaranteed",
            Basis::Anytime => "anytime",
        };
        let caution = interval.caution.map(|caution| match caution {
            Caution::FewLabels => "few-labels",
            Caution::FewHits => "few-hits",
        });
        let covers = interval.covers(pool_risk);
        Ok(Self {
            strategy,
            estimator: estimator.name(),
            value: estimate.value,
            standard_error: estimate.standard_error,
            interval: Span { low: interval.low, high: interval.high, kind, caution, covers },
        })
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
