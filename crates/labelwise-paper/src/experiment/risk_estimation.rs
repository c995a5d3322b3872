//! The comparison to active risk estimation by Sawade et al.: the appendix's panels (a) to (d), by queries and by
//! different items.

use labelwise::acquisition::{ActiveRiskEstimation, squared_error_score};
use labelwise::estimator::{Estimator, ImportanceSampling};
use labelwise::proposal::Floor;
use labelwise::surrogate::Beliefs;
use labelwise::{Fixed, Matrix, Result, Seed};

use super::regression::{Problem, RegressionModel};
use super::replacement::{Replaced, with_replacement};
use super::spend::label_next;
use super::{Column, Curve, Example, Experiment, Regressing, Settings, Trace, curves};
use crate::data::Function;

/// A Gaussian process on draws of its own prior, tested actively and by active risk estimation.
#[derive(Debug, Clone)]
pub struct RiskEstimation {
    problem: Regressing,
    /// Whether the oracle's optimum is among the curves.
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
        let curves = ACTIVE.to_vec();
        Self { problem: Regressing { name, function, model, points, train: 5, settings, curves }, optimum }
    }
}

/// Strategies that draw without replacement, as in the other figures.
const ACTIVE: [Curve; 4] = [curves::UNIFORM, curves::PROCESS, curves::UNCERTAINTY, curves::OURS];

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
        let mut columns: Vec<Column> = ACTIVE.map(|curve| curve.estimates(size)).to_vec();
        columns.extend([
            curves::ARE.estimates(BEYOND * size),
            curves::ARE_KNOWN.estimates(BEYOND * size),
            curves::ARE_NOVEL.estimates(size),
            curves::ARE_QUERIES.queries(size),
        ]);
        if self.optimum == Optimum::Followed {
            columns.extend([
                curves::TRUE_LOSS.estimates(size),
                curves::ARE_OPTIMAL.estimates(BEYOND * size),
                curves::ARE_OPTIMAL_KNOWN.estimates(BEYOND * size),
                curves::ARE_OPTIMAL_NOVEL.estimates(size),
                curves::ARE_OPTIMAL_QUERIES.queries(size),
                curves::ARE_REMOVED.estimates(size),
                curves::ARE_REMOVED_IID.estimates(size),
            ]);
        }
        columns
    }

    fn run(&self, seed: Seed) -> crate::Result<Trace> {
        let problem = self.problem.problem(seed)?;
        let (size, losses) = (self.pool_size(), problem.losses());
        let mut values = Vec::new();
        for curve in ACTIVE {
            values.extend(problem.follow(&[curve], size)?);
        }
        values.extend(with_replacement(practice(&problem), &losses, BEYOND * size, seed)?.columns());
        if self.optimum == Optimum::Followed {
            values.extend(problem.follow(&[curves::TRUE_LOSS], size)?);
            let distances = losses.iter().map(|loss| (loss - problem.pool_risk).abs()).collect();
            values.extend(with_replacement(distances, &losses, BEYOND * size, seed)?.columns());
            values.extend(without_replacement(&problem, size)?);
        }
        Ok(Trace { pool_risk: problem.pool_risk, values })
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
fn practice(problem: &Problem) -> Vec<f64> {
    let Some(own) = &problem.own else { return Vec::new() };
    let mut reader = own.rows().reader();
    // Mean, aleatoric and epistemic variance.
    let variances = (0..own.rows().rows()).map(|item| reader.row(item).iter().skip(1).sum::<f64>());
    let variances: Vec<f64> = variances.collect();
    let risk = variances.iter().sum::<f64>() / variances.len() as f64;
    variances.into_iter().map(|variance| squared_error_score(variance, risk)).collect()
}

/// The naive extension: the optimum's scores, drawn without replacement, with both estimators.
fn without_replacement(problem: &Problem, steps: usize) -> Result<[Vec<f64>; 2]> {
    let certain: Vec<f64> = problem.split.labels.iter().flat_map(|&y| [y, 0.0]).collect();
    let beliefs = Beliefs::new(Matrix::f64(certain, 2)?, &problem.pool)?;
    let mut evaluation = problem.evaluation(Fixed(beliefs), ActiveRiskEstimation, Floor::Unguarded)?;
    let (mut samples, mut sum) = (Vec::with_capacity(steps), 0.0);
    let (mut weighted, mut plain) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
    for m in 1..=steps {
        let sample = label_next(&mut evaluation, &problem.split.labels)?;
        samples.push(sample);
        sum += sample.loss;
        weighted.push(ImportanceSampling.estimate(&samples, problem.pool.pool_size())?);
        plain.push(sum / m as f64);
    }
    Ok([weighted, plain])
}
