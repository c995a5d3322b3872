//! Repeated runs of each strategy, and what they come to.

use std::error::Error;
use std::sync::Arc;

use labelwise::acquisition::Centred;
use labelwise::estimator::{CentredLure, Estimator, RegressionLure};
use labelwise::interval::{Interval, Method};
use labelwise::loss::{Brier, Loss, ZeroOne};
use labelwise::proposal::Floor;
use labelwise::surrogate::{Beliefs, Recalibrated};
use labelwise::{Classification, CrossEntropy, Evaluation, Fixed, Matrix, Pool, Seed, Target};
use rayon::prelude::*;

pub(crate) const LOSSES: [&str; 3] = ["cross-entropy", "zero-one", "brier"];

pub(crate) const STRATEGIES: [&str; 2] = ["default", "recalibrated"];

/// A pool with everything known.
pub(crate) struct Pools {
    pub(crate) predictions: Matrix,
    pub(crate) surrogates: Vec<Matrix>,
    pub(crate) labels: Vec<usize>,
}

/// What the runs of one strategy come to after some labels.
pub(crate) struct Measured {
    /// Root mean squared error over that of uniform sampling, which has a formula.
    pub(crate) ratio: f64,
    /// Share of intervals that lie above the truth, so that it is missed below.
    pub(crate) below: f64,
    pub(crate) above: f64,
    /// Mean width of the intervals over 2 · 1.96 · RMSE.
    pub(crate) width: f64,
}

/// One run after some labels.
struct Found {
    estimate: f64,
    interval: Interval,
}

impl Pools {
    /// By number of labels, then by strategy.
    pub(crate) fn measure(
        &self,
        loss: &str,
        budgets: &[usize],
        runs: u64,
        seed: u64,
    ) -> Result<Vec<Vec<Measured>>, Box<dyn Error>> {
        let make = || -> Result<Box<dyn Loss<Classification>>, String> {
            Ok(match loss {
                "cross-entropy" => Box::new(CrossEntropy::default()),
                "zero-one" => Box::new(ZeroOne),
                "brier" => Box::new(Brier),
                other => return Err(format!("`{other}` is not one of {}", LOSSES.join(", "))),
            })
        };
        let loss: Arc<dyn Loss<Classification>> = Arc::from(make()?);
        let pool = Pool::classification(self.predictions.clone())?;
        let mut reader = pool.predictions().reader();
        let losses: Vec<f64> =
            self.labels.iter().enumerate().map(|(item, label)| loss.loss(reader.row(item), *label)).collect();
        let n = losses.len() as f64;
        let risk = losses.iter().sum::<f64>() / n;
        let variance = losses.iter().map(|loss| (loss - risk).powi(2)).sum::<f64>() / (n - 1.0);

        let given = match self.surrogates.len() {
            0 => pool.own_beliefs()?,
            1 => Beliefs::new(self.surrogates[0].clone(), &pool)?,
            _ => Beliefs::<Classification>::from_members(self.surrogates.clone(), &pool)?,
        };
        let mut experts = if self.surrogates.is_empty() { Vec::new() } else { vec![given.clone()] };
        experts.push(pool.own_beliefs()?);
        let recalibrated = Recalibrated::new(experts, &pool, loss.clone())?;

        let one = |run: u64| -> Result<Vec<Vec<Found>>, String> {
            let text = |error: labelwise::Error| error.to_string();
            let seed = Seed(seed.wrapping_mul(1_000_003).wrapping_add(run));
            let today = Evaluation::builder(pool.clone(), make()?, Fixed(given.clone()));
            let new = Evaluation::builder(pool.clone(), make()?, recalibrated.clone())
                .acquisition(Centred)
                .floor(Floor::Mixture { rho: 0.2 });
            let today = today.seed(seed).build().map_err(text)?;
            let new = new.seed(seed).build().map_err(text)?;
            let today = self.run(today, &RegressionLure, budgets).map_err(text)?;
            let new = self.run(new, &CentredLure, budgets).map_err(text)?;
            Ok(today.into_iter().zip(new).map(|(today, new)| vec![today, new]).collect())
        };
        let all = (0..runs).into_par_iter().map(one).collect::<Result<Vec<_>, String>>()?;
        let summary = |budget: usize, strategy: usize| {
            let found: Vec<&Found> = all.iter().map(|run| &run[budget][strategy]).collect();
            let count = found.len() as f64;
            let mean = |of: &dyn Fn(&Found) -> f64| found.iter().map(|found| of(found)).sum::<f64>() / count;
            let rmse = mean(&|found| (found.estimate - risk).powi(2)).sqrt();
            let uniform = (variance * (1.0 / budgets[budget] as f64 - 1.0 / n)).sqrt();
            Measured {
                ratio: rmse / uniform,
                below: mean(&|found| f64::from(found.interval.low > risk + 1e-12)),
                above: mean(&|found| f64::from(found.interval.high < risk - 1e-12)),
                width: mean(&|found| found.interval.high - found.interval.low) / (2.0 * 1.96 * rmse),
            }
        };
        let of_budget = |budget: usize| (0..STRATEGIES.len()).map(|s| summary(budget, s)).collect();
        Ok((0..budgets.len()).map(of_budget).collect())
    }

    fn run(
        &self,
        mut evaluation: Evaluation<Classification>,
        estimator: &dyn Estimator,
        budgets: &[usize],
    ) -> labelwise::Result<Vec<Found>> {
        let mut told = 0;
        let mut after = |labels: usize| {
            evaluation.run(labels - told, &mut |item: usize| Ok(self.labels[item]))?;
            told = labels;
            let estimate = evaluation.estimate(estimator)?.value;
            let interval = evaluation.interval(estimator, Method::Ordinary, Target::Pool, 0.95)?;
            Ok(Found { estimate, interval })
        };
        budgets.iter().map(|labels| after(*labels)).collect()
    }
}
