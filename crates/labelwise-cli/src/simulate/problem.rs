//! From a table of a pool to something that strategies can be tried on.

use labelwise::{
    AbsoluteError, Beliefs, Brier, Builder, Classification, CrossEntropy, Custom, Evaluation, Fixed,
    Gaussian, GaussianNll, Loss, Matrix, Pool, Regression, RootMeanSquare, SquaredError, Surrogate, Task,
    Uniform, ZeroOne,
};
use labelwise_store::{Labels, LossName, Misfit, PoolTable, Predictions, SurrogateWish};

use super::beliefs;
use super::chosen::{Chosen, class_data, value_data};
use super::learners::{self, Lessons};
use crate::failure::Failure;

/// Begins an evaluation with our defaults, led by a surrogate.
pub(super) type Begin<T> = Box<dyn Fn(Box<dyn Surrogate<T>>) -> Builder<T> + Send + Sync>;

/// Makes a surrogate as it is before the first label.
pub(super) type Maker<T> = Box<dyn Fn() -> Box<dyn Surrogate<T>> + Send + Sync>;

/// A pool, its labels, and how evaluations of it are begun.
pub(super) struct Problem<T: Task> {
    /// The predictions.
    pub(super) pool: Pool<T>,
    /// All the labels.
    pub(super) labels: Vec<T::Label>,
    /// How evaluations begin.
    pub(super) begin: Begin<T>,
    /// The surrogate.
    pub(super) surrogate: Maker<T>,
    /// Beliefs for a strategy that needs none.
    pub(super) alike: Beliefs<T>,
}

/// A problem of either task.
pub(super) enum Kind {
    /// Labels are classes.
    Classes(Problem<Classification>),
    /// Labels are numbers.
    Values(Problem<Regression>),
}

impl Kind {
    /// Makes pool, labels and surrogate of the table, as was chosen.
    pub(super) fn new(table: &PoolTable, chosen: &Chosen) -> Result<Self, Failure> {
        match &table.predictions {
            Predictions::Classes { names, rows } => with_probabilities(table, chosen, names, rows),
            Predictions::Hard { names, classes } => without_probabilities(table, chosen, names, classes),
            Predictions::Values { variances, .. } => of_values(table, chosen, variances.is_some()),
            Predictions::Scores(scores) => of_scores(table, chosen, scores),
            _ => Err(chosen.wrong_loss()),
        }
    }
}

fn with_probabilities(
    table: &PoolTable,
    chosen: &Chosen,
    names: &[String],
    rows: &Matrix,
) -> Result<Kind, Failure> {
    let pool = with_features(Pool::classification(rows.clone())?, table)?;
    let labels = classes(table)?.iter().map(|&label| label as usize).collect();
    let surrogate = match chosen.surrogate {
        SurrogateWish::Own => fixed(pool.own_beliefs()?),
        SurrogateWish::Given => fixed(beliefs::of_classes(&table.surrogates, names, &pool)?),
        SurrogateWish::Nothing => fixed(beliefs::of_nothing(&pool)?),
        SurrogateWish::Learnt(learner) => {
            let train = class_data(chosen.train.as_ref(), names, &pool)?;
            let lessons = Lessons { train, first: pool.own_beliefs()?, schedule: chosen.schedule() };
            learners::beside_probabilities(learner, lessons)?
        }
    };
    Ok(Kind::Classes(classification(pool, labels, surrogate, chosen)?))
}

/// Right or wrong is all there is: class 0 is what was predicted, and class 1 anything else.
fn without_probabilities(
    table: &PoolTable,
    chosen: &Chosen,
    names: &[String],
    predicted: &[u32],
) -> Result<Kind, Failure> {
    let rows = Matrix::f64([1.0, 0.0].repeat(predicted.len()), 2)?;
    let pool = with_features(Pool::classification(rows)?, table)?;
    let wrong = |(label, predicted): (&u32, &u32)| usize::from(label != predicted);
    let labels = classes(table)?.iter().zip(predicted).map(wrong).collect();
    let nothing = beliefs::of_nothing(&pool)?;
    let surrogate = match chosen.surrogate {
        SurrogateWish::Given => {
            fixed(beliefs::of_right_or_wrong(&table.surrogates, names, predicted, &pool)?)
        }
        SurrogateWish::Own | SurrogateWish::Nothing => fixed(nothing),
        SurrogateWish::Learnt(learner) => {
            if chosen.train.is_some() {
                // Whether the model is right on them is not known.
                return Err(Misfit::TrainingKind { predictions: chosen.predictions.clone() }.into());
            }
            let train = class_data(None, names, &pool)?;
            let lessons = Lessons { train, first: nothing, schedule: chosen.schedule() };
            learners::right_or_wrong(learner, lessons)?
        }
    };
    Ok(Kind::Classes(classification(pool, labels, surrogate, chosen)?))
}

fn of_values(table: &PoolTable, chosen: &Chosen, variances: bool) -> Result<Kind, Failure> {
    let pool = with_features(Pool::regression(beliefs::values(&table.predictions)?)?, table)?;
    let surrogate = match chosen.surrogate {
        SurrogateWish::Own => fixed(pool.own_beliefs()?),
        SurrogateWish::Given => fixed(beliefs::of_values(&table.surrogates, &pool)?),
        SurrogateWish::Nothing => fixed(beliefs::of_nothing(&pool)?),
        SurrogateWish::Learnt(learner) => {
            let train = value_data(chosen.train.as_ref(), &pool)?;
            let first = if variances { pool.own_beliefs()? } else { beliefs::of_nothing(&pool)? };
            learners::of_values(learner, Lessons { train, first, schedule: chosen.schedule() })?
        }
    };
    Ok(Kind::Values(regression(pool, values(table)?, surrogate, chosen)?))
}

/// Scores are what is expected of the values, and the values are to be averaged.
fn of_scores(table: &PoolTable, chosen: &Chosen, scores: &[f64]) -> Result<Kind, Failure> {
    let rows: Vec<f64> = scores.iter().flat_map(|score| [*score, 0.0]).collect();
    let pool = Pool::regression(Matrix::f64(rows, 2)?)?;
    let surrogate = fixed(match chosen.surrogate {
        SurrogateWish::Nothing => beliefs::of_nothing(&pool)?,
        _ => pool.own_beliefs()?,
    });
    Ok(Kind::Values(regression(pool, values(table)?, surrogate, chosen)?))
}

fn classification(
    pool: Pool<Classification>,
    labels: Vec<usize>,
    surrogate: Maker<Classification>,
    chosen: &Chosen,
) -> Result<Problem<Classification>, Failure> {
    let alike = beliefs::of_nothing(&pool)?;
    let begin = match chosen.metric.loss {
        LossName::CrossEntropy => begin(&pool, CrossEntropy::default(), chosen),
        LossName::ZeroOne => begin(&pool, ZeroOne, chosen),
        LossName::Brier => begin(&pool, Brier, chosen),
        _ => return Err(chosen.wrong_loss()),
    };
    Ok(Problem { pool, labels, begin, surrogate, alike })
}

fn regression(
    pool: Pool<Regression>,
    labels: Vec<f64>,
    surrogate: Maker<Regression>,
    chosen: &Chosen,
) -> Result<Problem<Regression>, Failure> {
    let alike = beliefs::of_nothing(&pool)?;
    let begin = match chosen.metric.loss {
        LossName::SquaredError => begin(&pool, SquaredError::default(), chosen),
        LossName::AbsoluteError => begin(&pool, AbsoluteError::default(), chosen),
        LossName::GaussianNll => begin(&pool, GaussianNll::default(), chosen),
        LossName::Value => {
            let value = begin(&pool, Custom::signed(|_: Gaussian, label: f64| label), chosen);
            // Of either sign, and yet drawn by its size: the scores given for it are no deviations.
            if chosen.surrogate == SurrogateWish::Nothing {
                value
            } else {
                Box::new(move |surrogate| value(surrogate).acquisition(RootMeanSquare))
            }
        }
        _ => return Err(chosen.wrong_loss()),
    };
    Ok(Problem { pool, labels, begin, surrogate, alike })
}

fn begin<T: Task>(pool: &Pool<T>, loss: impl Loss<T> + Clone + 'static, chosen: &Chosen) -> Begin<T> {
    let (pool, nothing) = (pool.clone(), chosen.surrogate == SurrogateWish::Nothing);
    Box::new(move |surrogate| {
        let builder = Evaluation::builder(pool.clone(), loss.clone(), surrogate);
        // Nobody says anything, so a loss that depends on the prediction alone must not either.
        if nothing { builder.acquisition(Uniform) } else { builder }
    })
}

fn fixed<T: Task>(beliefs: Beliefs<T>) -> Maker<T> {
    Box::new(move || Box::new(Fixed(beliefs.clone())))
}

fn with_features<T: Task>(pool: Pool<T>, table: &PoolTable) -> Result<Pool<T>, Failure> {
    Ok(match &table.features {
        Some(features) => pool.with_features(features.rows.clone())?,
        None => pool,
    })
}

fn classes(table: &PoolTable) -> Result<&[u32], Failure> {
    match &table.labels {
        Some(Labels::Classes(classes)) => Ok(classes),
        _ => Err(Failure::Labels { are: "numbers", predictions: "classes" }),
    }
}

fn values(table: &PoolTable) -> Result<Vec<f64>, Failure> {
    match &table.labels {
        Some(Labels::Values(values)) => Ok(values.clone()),
        _ => Err(Failure::Labels { are: "classes", predictions: "numbers" }),
    }
}
