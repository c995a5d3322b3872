//! One run looked at step by step: what the surrogate expects, how likely each item is to be drawn, and what was.
//! Figure 2, and the pages that let a reader step through a run.

use labelwise::estimator::Iid;
use labelwise::loss::Loss;
use labelwise::proposal::{Floor, Proposal};
use labelwise::rng::Stream;
use labelwise::surrogate::{Observed, Surrogate};
use labelwise::{Evaluation, Lure, Regression, Result, Seed, SquaredError, Task};

use super::SyntheticRegression;
use super::example::FunctionExample;
use super::spend::Spending;
use super::synthetic::Drawn;
use crate::strategy::strategies;

/// A run, step by step.
#[derive(Debug, Clone)]
pub struct Illustration {
    /// The data, and the model along x.
    pub example: FunctionExample,
    /// ℒ(f(x_i), y_i) of each test item.
    pub losses: Vec<f64>,
    /// The pool risk.
    pub pool_risk: f64,
    /// One entry a step.
    pub steps: Vec<Step>,
}

/// One step: what led to a draw, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Items labelled before, in the order they were drawn.
    pub observed: Vec<usize>,
    /// E(ℒ) of each item, by the surrogate of this step.
    pub expected: Vec<f64>,
    /// q of each item; 0 for those that were drawn.
    pub q: Vec<f64>,
    /// The item that was drawn.
    pub next: usize,
    /// R̂_LURE with its label.
    pub active: f64,
    /// R̂_iid of as many uniform draws.
    pub uniform: f64,
}

impl SyntheticRegression {
    /// Looks at the first `steps` steps of the run with this seed.
    pub fn illustrate(&self, seed: Seed, steps: usize) -> Result<Illustration> {
        let problem = self.problem(seed)?;
        let mut active = Spending::new(&problem, &strategies::PROCESS)?;
        let mut uniform = Spending::new(&problem, &strategies::UNIFORM)?;
        let mut surrogate = problem.surrogate()?;
        let mut looked_at = Vec::with_capacity(steps);
        for _m in 1..=steps {
            let expected = expected(&problem, &mut surrogate, &active.evaluation, seed)?;
            let observed: Vec<usize> = active.evaluation.observed().iter().map(|&(item, _)| item).collect();
            let q = probabilities(&expected, &observed, self.settings.floor(), seed)?;
            let next = active.label_next(&problem.split.labels)?.index;
            uniform.label_next(&problem.split.labels)?;
            let (active, uniform) =
                (active.evaluation.estimate(&Lure)?.value, uniform.evaluation.estimate(&Iid)?.value);
            looked_at.push(Step { observed, expected, q, next, active, uniform });
        }
        let (example, losses) = (self.function_example(&problem)?, problem.losses());
        Ok(Illustration { example, losses, pool_risk: problem.pool_risk, steps: looked_at })
    }
}

/// E(ℒ) of every item, by a surrogate that knows what the evaluation knows.
fn expected(
    problem: &Drawn,
    surrogate: &mut impl Surrogate<Regression>,
    evaluation: &Evaluation<Regression>,
    seed: Seed,
) -> Result<Vec<f64>> {
    let observed = Observed { pool: &problem.pool, labels: evaluation.observed() };
    let beliefs = surrogate.update(observed, &mut seed.stream(Stream::Fit, 0))?.beliefs;
    let (mut predictions, mut rows) = (problem.pool.predictions().reader(), beliefs.rows().reader());
    let items = 0..problem.pool.pool_size();
    let loss = SquaredError::default();
    Ok(items
        .map(|item| {
            let (prediction, belief) = (predictions.row(item), rows.row(item));
            loss.moments(Regression::prediction(prediction), Regression::belief(belief)).first
        })
        .collect())
}

/// q of every item that is left.
fn probabilities(expected: &[f64], observed: &[usize], floor: Floor, seed: Seed) -> Result<Vec<f64>> {
    let open: Vec<bool> = (0..expected.len()).map(|item| !observed.contains(&item)).collect();
    // Nothing is drawn from it, so any stream will do.
    let proposal = Proposal::new(expected.to_vec(), &open, floor, seed.stream(Stream::Draw, 0))?;
    Ok((0..expected.len()).map(|item| proposal.q(item)).collect())
}
