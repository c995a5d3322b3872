//! The comparison to active risk estimation by Sawade et al.: the appendix's panels (a) to (d), by queries and by
//! different items.

use labelwise::Seed;
use labelwise::acquisition::squared_error_score;

use super::replacement::{Replaced, with_replacement};
use super::spend::spend;
use super::synthetic::{Drawn, RegressionModel};
use super::{Example, Experiment, Settings, SyntheticRegression, Trace};
use crate::data::Function;
use crate::strategy::{Column, Strategy, strategies};

/// A Gaussian process on draws of its own prior, tested actively and by active risk estimation.
#[derive(Debug, Clone)]
pub struct RiskEstimation {
    problem: SyntheticRegression,
    /// Whether the oracle's optimum is among the strategies.
    optimum: Optimum,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Optimum {
    Followed,
    LeftOut,
}

impl RiskEstimation {
    /// Panels (a) to (c): a pool of 45, optimal behaviour and practice.
    pub fn small(settings: Settings) -> Self {
        Self::new("risk-estimation", 50, Optimum::Followed, settings)
    }

    /// Panel (d): a pool of 295, practice only.
    pub fn large(settings: Settings) -> Self {
        Self::new("risk-estimation-295", 300, Optimum::LeftOut, settings)
    }

    fn new(name: &'static str, points: usize, optimum: Optimum, settings: Settings) -> Self {
        let (function, model) = (Function::GaussianProcess, RegressionModel::GaussianProcess);
        let strategies = ACTIVE.to_vec();
        Self {
            problem: SyntheticRegression { name, function, model, points, train: 5, settings, strategies },
            optimum,
        }
    }
}

/// Strategies that draw without replacement, as in the other figures.
const ACTIVE: [Strategy; 4] =
    [strategies::UNIFORM, strategies::PROCESS, strategies::UNCERTAINTY, strategies::OURS];

/// Number of draws with replacement, in sizes of the pool.
const BEYOND: usize = 2;

impl Experiment for RiskEstimation {
    fn name(&self) -> &'static str {
        self.problem.name
    }

    fn pool_size(&self) -> usize {
        self.problem.pool_size()
    }

    fn columns(&self) -> Vec<Column> {
        let size = self.pool_size();
        let mut columns: Vec<Column> = ACTIVE.map(|strategy| strategy.estimates(size)).to_vec();
        columns.extend([
            strategies::ARE.estimates(BEYOND * size),
            strategies::ARE_KNOWN.estimates(BEYOND * size),
            strategies::ARE_NOVEL.estimates(size),
            strategies::ARE_QUERIES.queries(size),
        ]);
        if self.optimum == Optimum::Followed {
            columns.extend([
                strategies::TRUE_LOSS.estimates(size),
                strategies::ARE_OPTIMAL.estimates(BEYOND * size),
                strategies::ARE_OPTIMAL_KNOWN.estimates(BEYOND * size),
                strategies::ARE_OPTIMAL_NOVEL.estimates(size),
                strategies::ARE_OPTIMAL_QUERIES.queries(size),
                strategies::ARE_REMOVED.estimates(size),
                strategies::ARE_REMOVED_IID.estimates(size),
            ]);
        }
        columns
    }

    fn run(&self, seed: Seed) -> crate::Result<Trace> {
        let problem = self.problem.problem(seed)?;
        let (size, losses) = (self.pool_size(), problem.losses());
        let mut values = spend(&problem, &ACTIVE, size)?;
        values.extend(with_replacement(practice(&problem), &losses, BEYOND * size, seed)?.columns());
        if self.optimum == Optimum::Followed {
            values.extend(spend(&problem, &[strategies::TRUE_LOSS], size)?);
            let distances = losses.iter().map(|loss| (loss - problem.pool_risk).abs()).collect();
            values.extend(with_replacement(distances, &losses, BEYOND * size, seed)?.columns());
            values.extend(spend(&problem, &[strategies::ARE_REMOVED, strategies::ARE_REMOVED_IID], size)?);
        }
        Ok(Trace::new(problem.pool_risk, values))
    }

    fn example(&self, seed: Seed) -> crate::Result<Example> {
        self.problem.example(seed)
    }
}

impl Replaced {
    fn columns(self) -> [Vec<f64>; 4] {
        [self.by_query, self.known_by_query, self.by_novel, self.queries]
    }
}

/// The scores of active risk estimation with the model's own beliefs, which expect each loss to be the predictive
/// variance.
fn practice(problem: &Drawn) -> Vec<f64> {
    let Some(own) = &problem.own else { return Vec::new() };
    let mut reader = own.rows().reader();
    // Mean, aleatoric and epistemic variance.
    let variances = (0..own.rows().rows()).map(|item| reader.row(item).iter().skip(1).sum::<f64>());
    let variances: Vec<f64> = variances.collect();
    let risk = variances.iter().sum::<f64>() / variances.len() as f64;
    variances.into_iter().map(|variance| squared_error_score(variance, risk)).collect()
}
