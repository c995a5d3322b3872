//! A Gaussian process or a linear model on functions of one number, with a Gaussian process as surrogate: Figures 1
//! and 3 (a, b), columns 1 to 4 of Figure A.1.

use labelwise::acquisition::{Acquisition, Distance, ExpectedLoss, TrueLoss, Uniform};
use labelwise::loss::Loss;
use labelwise::proposal::Floor;
use labelwise::rng::Stream;
use labelwise::surrogate::{Beliefs, Model, Schedule, Surrogate};
use labelwise::{Error, Evaluation, Fixed, Matrix, Pool, Regression, Result, Seed, SquaredError, Task};
use labelwise_models::{GaussianProcess, LinearRegression, ProcessSurrogate};
use serde::Serialize;

use super::example::FunctionExample;
use super::spend::{Reading, spend};
use super::{Column, Curve, Example, Experiment, Settings, Trace, curves};
use crate::data::{Function, Split};

/// The model under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegressionModel {
    /// The paper's Gaussian process.
    GaussianProcess,
    /// Least squares.
    Linear,
}

/// A model on a function, all strategies of the figure.
#[derive(Debug, Clone)]
pub struct Regressing {
    /// A short name.
    pub name: &'static str,
    /// The data.
    pub function: Function,
    /// The model.
    pub model: RegressionModel,
    /// Train and test together.
    pub points: usize,
    /// How many of them are for training.
    pub train: usize,
    /// Whether q is clipped.
    pub settings: Settings,
    /// What to follow.
    pub curves: Vec<Curve>,
}

/// The data of a run, with the model's predictions on the pool.
pub(crate) struct Problem {
    pub(crate) split: Split<Regression>,
    pub(crate) pool: Pool<Regression>,
    /// What the model itself believes; a linear model has no say.
    pub(crate) own: Option<Beliefs<Regression>>,
    pub(crate) pool_risk: f64,
    floor: Floor,
    seed: Seed,
}

impl Regressing {
    /// The data and the trained model of a run.
    pub(crate) fn problem(&self, seed: Seed) -> Result<Problem> {
        let split = self.function.split(self.points, self.train, seed)?;
        let beliefs = self.predict(&split, &split.features, seed)?;
        let pool = Pool::regression(means(&beliefs)?)?.with_features(split.features.clone())?;
        let own = match self.model {
            RegressionModel::GaussianProcess => Some(Beliefs::new(beliefs, &pool)?),
            RegressionModel::Linear => None,
        };
        let pool_risk = pool.risk(&SquaredError::default(), &split.labels)?;
        Ok(Problem { split, pool, own, pool_risk, floor: self.settings.floor(), seed })
    }
}

impl Regressing {
    /// What the model, once trained, says of these features.
    fn predict(&self, split: &Split<Regression>, features: &Matrix, seed: Seed) -> Result<Matrix> {
        match self.model {
            RegressionModel::GaussianProcess => {
                let rng = &mut seed.stream(Stream::Fit, 0);
                GaussianProcess::paper().fit_process(&split.train, rng)?.predict(features)
            }
            RegressionModel::Linear => LinearRegression::default().learn(&split.train)?.predict(features),
        }
    }

    /// The data of a run, and the model along x.
    pub(super) fn function_example(&self, problem: &Problem) -> Result<FunctionExample> {
        let split = &problem.split;
        let train = points(&split.train.features, &split.train.labels);
        let test = points(&split.features, &split.labels);
        FunctionExample::new(train, test, |places| match self.model {
            RegressionModel::GaussianProcess => self.predict(split, places, problem.seed),
            // Its variances are those of noisy labels, which these are not.
            RegressionModel::Linear => means(&self.predict(split, places, problem.seed)?),
        })
    }
}

/// x and y of each row.
fn points(features: &Matrix, labels: &[f64]) -> Vec<(f64, f64)> {
    let mut reader = features.reader();
    let rows = labels.iter().enumerate();
    rows.filter_map(|(row, &y)| Some((*reader.row(row).first()?, y))).collect()
}

/// The first column alone.
fn means(beliefs: &Matrix) -> Result<Matrix> {
    let mut reader = beliefs.reader();
    let means = (0..beliefs.rows()).filter_map(|item| reader.row(item).first().copied());
    Matrix::f64(means.collect::<Vec<_>>(), 1)
}

impl Problem {
    /// The retrained surrogate.
    pub(crate) fn surrogate(&self) -> Result<ProcessSurrogate> {
        ProcessSurrogate::new(GaussianProcess::paper(), &self.split.train)
    }

    /// Beliefs for strategies that look at none, or at the model's own.
    pub(crate) fn fixed(&self) -> Result<Fixed<Regression>> {
        if let Some(own) = &self.own {
            return Ok(Fixed(own.clone()));
        }
        let mut reader = self.pool.predictions().reader();
        let certain =
            (0..self.pool.pool_size()).flat_map(|item| reader.row(item).first().copied().map(|f| [f, 0.0]));
        Ok(Fixed(Beliefs::new(Matrix::f64(certain.flatten().collect::<Vec<_>>(), 2)?, &self.pool)?))
    }

    /// An evaluation as in the paper: scores, and with them the clip, are computed again at each step.
    pub(crate) fn evaluation(
        &self,
        surrogate: impl Surrogate<Regression> + 'static,
        acquisition: impl Acquisition<Regression> + 'static,
        floor: Floor,
    ) -> Result<Evaluation<Regression>> {
        let builder = Evaluation::builder(self.pool.clone(), SquaredError::default(), surrogate)
            .acquisition(acquisition)
            .floor(floor)
            .seed(self.seed);
        match floor {
            Floor::Clip { .. } => builder.rescore(Schedule::Every(1)).build(),
            Floor::Mixture { .. } | Floor::Unguarded => builder.build(),
        }
    }

    /// ℒ(f(x_i), y_i) of the whole pool.
    pub(crate) fn losses(&self) -> Vec<f64> {
        let mut reader = self.pool.predictions().reader();
        let labels = self.split.labels.iter().enumerate();
        labels
            .map(|(item, &y)| SquaredError::default().loss(Regression::prediction(reader.row(item)), y))
            .collect()
    }

    /// The estimates of a group of curves that share their draws.
    pub(crate) fn follow(&self, curves: &[Curve], steps: usize) -> Result<Vec<Vec<f64>>> {
        let Some(first) = curves.first() else { return Ok(Vec::new()) };
        let evaluation = match *first {
            curves::UNIFORM => self.evaluation(self.fixed()?, Uniform, Floor::Unguarded),
            // The oracle's draws are exact, and a floor would only spoil them.
            curves::TRUE_LOSS => {
                let oracle = TrueLoss::new(self.split.labels.clone());
                self.evaluation(self.fixed()?, oracle, Floor::Unguarded)
            }
            curves::DISTANCE => self.evaluation(self.fixed()?, Distance::default(), self.floor),
            curves::UNCERTAINTY if self.own.is_some() => {
                self.evaluation(self.fixed()?, ExpectedLoss, self.floor)
            }
            curves::OURS => {
                let (pool, loss) = (self.pool.clone(), SquaredError::default());
                Evaluation::builder(pool, loss, self.surrogate()?).seed(self.seed).build()
            }
            curves::PROCESS | curves::PROCESS_IID => {
                self.evaluation(self.surrogate()?, ExpectedLoss, self.floor)
            }
            Curve { acquisition, .. } => Err(Error::Acquisition { acquisition, needs: NOT_HERE }),
        }?;
        let readings: Vec<Reading> = curves.iter().map(|curve| Reading::of(*curve)).collect();
        spend(evaluation, &self.split.labels, steps, &readings)
    }
}

/// What a curve needs that an experiment does not follow.
pub(super) const NOT_HERE: &str = "an experiment that follows it: give this one other curves";

/// Neighbouring curves with the same acquisition, which share their draws.
pub(super) fn groups(curves: &[Curve]) -> impl Iterator<Item = &[Curve]> {
    curves.chunk_by(|one, other| one.acquisition == other.acquisition)
}

impl Experiment for Regressing {
    fn name(&self) -> &'static str {
        self.name
    }

    fn pool_size(&self) -> usize {
        self.points - self.train
    }

    fn columns(&self) -> Vec<Column> {
        self.curves.iter().map(|curve| curve.estimates(self.pool_size())).collect()
    }

    fn run(&self, seed: Seed) -> crate::Result<Trace> {
        let problem = self.problem(seed)?;
        let mut values = Vec::with_capacity(self.curves.len());
        for group in groups(&self.curves) {
            values.extend(problem.follow(group, self.pool_size())?);
        }
        Ok(Trace { pool_risk: problem.pool_risk, values })
    }

    fn example(&self, seed: Seed) -> crate::Result<Example> {
        Ok(Example::Function(self.function_example(&self.problem(seed)?)?))
    }
}
