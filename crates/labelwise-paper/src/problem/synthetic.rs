//! A Gaussian process or a linear model on functions of one number, with a Gaussian process as surrogate: Figures 1
//! and 3 (a, b), columns 1 to 4 of Figure A.1.

use labelwise::acquisition::ExpectedLoss;
use labelwise::evaluation::Builder;
use labelwise::loss::Loss;
use labelwise::rng::Stream;
use labelwise::surrogate::{Beliefs as Believed, Model};
use labelwise::{Matrix, Pool, Regression, Result, Seed, SquaredError, Task};
use labelwise_models::{GaussianProcess, LinearRegression, ProcessSurrogate};
use serde::Serialize;

use super::example::FunctionExample;
use super::spend::{Problem, Scored, Source, spend};
use super::{Example, Experiment, Settings, Trace};
use crate::data::{Function, Split};
use crate::strategy::{Beliefs, Column, Strategy};

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
pub struct SyntheticRegression {
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
    pub strategies: Vec<Strategy>,
}

/// The data that were drawn for a run, with the model's predictions on the pool.
pub(crate) struct Drawn {
    pub(crate) split: Split<Regression>,
    pub(crate) pool: Pool<Regression>,
    /// What the model itself believes; a linear model has no say.
    pub(crate) own: Option<Believed<Regression>>,
    pub(crate) pool_risk: f64,
    settings: Settings,
    seed: Seed,
}

impl SyntheticRegression {
    /// The data and the trained model of a run.
    pub(crate) fn problem(&self, seed: Seed) -> Result<Drawn> {
        let split = self.function.split(self.points, self.train, seed)?;
        let beliefs = self.predict(&split, &split.features, seed)?;
        let pool = Pool::regression(means(&beliefs)?)?.with_features(split.features.clone())?;
        let own = match self.model {
            RegressionModel::GaussianProcess => Some(Believed::new(beliefs, &pool)?),
            RegressionModel::Linear => None,
        };
        let pool_risk = pool.risk(&SquaredError::default(), &split.labels)?;
        Ok(Drawn { split, pool, own, pool_risk, settings: self.settings, seed })
    }
}

impl SyntheticRegression {
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
    pub(super) fn function_example(&self, problem: &Drawn) -> Result<FunctionExample> {
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

impl Drawn {
    /// The retrained surrogate.
    pub(crate) fn surrogate(&self) -> Result<ProcessSurrogate> {
        ProcessSurrogate::new(GaussianProcess::paper(), &self.split.train)
    }

    /// Beliefs for strategies that look at none, or at the model's own.
    fn fixed(&self) -> Result<Believed<Regression>> {
        if let Some(own) = &self.own {
            return Ok(own.clone());
        }
        let mut reader = self.pool.predictions().reader();
        let certain =
            (0..self.pool.pool_size()).flat_map(|item| reader.row(item).first().copied().map(|f| [f, 0.0]));
        Believed::new(Matrix::f64(certain.flatten().collect::<Vec<_>>(), 2)?, &self.pool)
    }

    /// ℒ(f(x_i), y_i) of the whole pool.
    pub(crate) fn losses(&self) -> Vec<f64> {
        let mut reader = self.pool.predictions().reader();
        let labels = self.split.labels.iter().enumerate();
        labels
            .map(|(item, &y)| SquaredError::default().loss(Regression::prediction(reader.row(item)), y))
            .collect()
    }
}

impl Problem<Regression> for Drawn {
    fn pool(&self) -> &Pool<Regression> {
        &self.pool
    }

    fn labels(&self) -> &[f64] {
        &self.split.labels
    }

    fn loss(&self) -> Box<dyn Loss<Regression>> {
        Box::new(SquaredError::default())
    }

    fn settings(&self) -> Settings {
        self.settings
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn beliefs(&self, of: Beliefs) -> Result<Option<Source<Regression>>> {
        Ok(match of {
            Beliefs::Model => Some(Source::Fixed(self.fixed()?)),
            Beliefs::Process => Some(Source::Learning(Box::new(self.surrogate()?))),
            Beliefs::Oracle => {
                let certain: Vec<f64> = self.split.labels.iter().flat_map(|&y| [y, 0.0]).collect();
                Some(Source::Fixed(Believed::new(Matrix::f64(certain, 2)?, &self.pool)?))
            }
            Beliefs::Forest | Beliefs::Varied | Beliefs::Network | Beliefs::Ensemble(_) => None,
        })
    }

    fn by_expected_loss(&self, builder: Builder<Regression>, of: Beliefs) -> Option<Scored<Regression>> {
        // A linear model has no uncertainty to draw by.
        let says = of != Beliefs::Model || self.own.is_some();
        says.then(|| Scored { builder: builder.acquisition(ExpectedLoss), depend_on_open: false })
    }

    fn rescores(&self) -> bool {
        self.settings == Settings::Text
    }
}

impl Experiment for SyntheticRegression {
    fn name(&self) -> &'static str {
        self.name
    }

    fn pool_size(&self) -> usize {
        self.points - self.train
    }

    fn columns(&self) -> Vec<Column> {
        self.strategies.iter().map(|strategy| strategy.estimates(self.pool_size())).collect()
    }

    fn run(&self, seed: Seed) -> crate::Result<Trace> {
        let problem = self.problem(seed)?;
        let values = spend(&problem, &self.strategies, self.pool_size())?;
        Ok(Trace::new(problem.pool_risk, values))
    }

    fn example(&self, seed: Seed) -> crate::Result<Example> {
        Ok(Example::Function(self.function_example(&self.problem(seed)?)?))
    }
}
