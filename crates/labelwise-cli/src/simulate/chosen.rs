//! What is chosen before the first run, as `labelwise new` would choose it: the loss, the surrogate, and what it learns
//! from.

use labelwise::{Classification, Data, Matrix, Pool, Regression, Schedule};
use labelwise_store::{
    LearnerName, LossName, Metric, Misfit, PoolTable, Predictions, Subject, SurrogateWish, Times, View,
};

use super::Options;
use crate::failure::Failure;

/// Labels between two refits of a surrogate that learns, unless said otherwise.
const REFIT_EVERY: usize = 25;

/// What was chosen.
pub(super) struct Chosen {
    /// What is measured.
    pub(super) metric: Metric,
    /// What is believed about labels.
    pub(super) surrogate: SurrogateWish,
    /// When a surrogate that learns does so again.
    pub(super) retrain: Times,
    /// Labelled rows that it starts from.
    pub(super) train: Option<PoolTable>,
    /// What the predictions are, in words.
    pub(super) predictions: String,
    /// The losses that they can be measured by.
    possible: String,
}

impl Chosen {
    /// Takes what the options say, and otherwise what suits the table.
    pub(super) fn new(table: &PoolTable, options: &Options) -> Result<Self, Failure> {
        let subject = match &table.predictions {
            Predictions::Classes { names, .. } => Subject::Classes { names: names.clone() },
            Predictions::Hard { .. } => Subject::Hard,
            Predictions::Values { .. } => Subject::Values,
            _ => Subject::Scores,
        };
        let variances = matches!(&table.predictions, Predictions::Values { variances: Some(_), .. });
        let losses = subject.losses(variances);
        let usual = || Metric::plain(losses.first().copied().unwrap_or(LossName::Value));
        let names: Vec<&str> = losses.iter().map(|loss| loss.name()).collect();
        let surrogate = surrogate(table, options, &subject, variances)?;
        let train = options.surrogate.training(&options.columns, table)?;
        if train.is_some() && !matches!(surrogate, SurrogateWish::Learnt(_)) {
            return Err(Misfit::TrainingUnused.into());
        }
        let chosen = Self {
            metric: options.loss.clone().unwrap_or_else(usual),
            surrogate,
            retrain: options.surrogate.retrain().unwrap_or(Times::Every(REFIT_EVERY)),
            train,
            predictions: subject.in_words(),
            possible: names.join(", "),
        };
        if losses.contains(&chosen.metric.loss) { Ok(chosen) } else { Err(chosen.wrong_loss()) }
    }

    /// The loss is not for such predictions.
    pub(super) fn wrong_loss(&self) -> Failure {
        let (loss, predictions, possible) =
            (self.metric.loss, self.predictions.clone(), self.possible.clone());
        Misfit::Metric { loss, predictions, possible }.into()
    }

    /// What is measured, in words.
    pub(super) fn in_words(&self) -> String {
        let mean = match self.metric.loss {
            LossName::CrossEntropy => "mean cross-entropy",
            LossName::ZeroOne => "error rate (mean zero-one loss)",
            LossName::Brier => "mean Brier score",
            LossName::SquaredError => "mean squared error",
            LossName::AbsoluteError => "mean absolute error",
            LossName::GaussianNll => "mean negative log-likelihood",
            LossName::Value => "mean value",
        };
        match self.metric.view {
            View::Plain => mean.to_owned(),
            View::Negative => format!("negative {mean}"),
            View::Complement => "accuracy".to_owned(),
        }
    }

    /// When a surrogate that learns does so again.
    pub(super) fn schedule(&self) -> Schedule {
        Schedule::from(&self.retrain)
    }
}

fn surrogate(
    table: &PoolTable,
    options: &Options,
    subject: &Subject,
    variances: bool,
) -> Result<SurrogateWish, Failure> {
    let scores = *subject == Subject::Scores;
    let own = matches!(subject, Subject::Classes { .. }) || variances || scores;
    let (given, features) = (!table.surrogates.is_empty(), table.features.is_some() && !scores);
    let wish = options.surrogate.wish().unwrap_or(if given {
        SurrogateWish::Given
    } else if features {
        SurrogateWish::Learnt(LearnerName::Forest)
    } else if own {
        SurrogateWish::Own
    } else {
        SurrogateWish::Nothing
    });
    match wish {
        SurrogateWish::Own if !own => Err(Misfit::NoOwnBeliefs { predictions: subject.in_words() }.into()),
        SurrogateWish::Given if !given => Err(Misfit::NothingGiven.into()),
        SurrogateWish::Learnt(learner) if !features => Err(Misfit::NoFeatures { learner }.into()),
        wish => Ok(wish),
    }
}

/// Training rows of a classifier; without a table there are none.
pub(super) fn class_data(
    train: Option<&PoolTable>,
    names: &[String],
    pool: &Pool<Classification>,
) -> Result<Data<Classification>, Failure> {
    let mut labels = Vec::new();
    if let Some(train) = train
        && let Predictions::Hard { names: theirs, classes } = &train.predictions
    {
        let places: Vec<Option<usize>> = theirs.iter().map(|name| place(names, name)).collect();
        if let Some((unknown, _)) = theirs.iter().zip(&places).find(|(_, place)| place.is_none()) {
            return Err(Misfit::TrainingLabel { path: train.path.clone(), label: unknown.clone() }.into());
        }
        labels = classes.iter().filter_map(|&class| places.get(class as usize).copied().flatten()).collect();
    }
    Ok(Data::new(training_features(train, pool.features())?, labels)?)
}

/// Training rows of a regression; without a table there are none.
pub(super) fn value_data(
    train: Option<&PoolTable>,
    pool: &Pool<Regression>,
) -> Result<Data<Regression>, Failure> {
    let labels = match train.map(|train| &train.predictions) {
        Some(Predictions::Values { means, .. }) => means.clone(),
        _ => Vec::new(),
    };
    Ok(Data::new(training_features(train, pool.features())?, labels)?)
}

fn training_features(train: Option<&PoolTable>, pool: Option<&Matrix>) -> Result<Matrix, Failure> {
    match train.and_then(|train| train.features.as_ref()) {
        Some(features) => Ok(features.rows.clone()),
        None => Ok(Matrix::f64(Vec::new(), pool.map_or(1, Matrix::columns))?),
    }
}

/// The place of a class; some programs write class 3 as 3.0.
fn place(names: &[String], name: &str) -> Option<usize> {
    let find = |name: &str| names.iter().position(|other| other == name);
    find(name).or_else(|| find(name.strip_suffix(".0")?))
}
