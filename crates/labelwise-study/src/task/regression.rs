//! Numbers: predicted values, or scores.

use std::path::Path;

use labelwise::acquisition::MutualInformation;
use labelwise::evaluation::Builder;
use labelwise::ledger::BeliefExpectation;
use labelwise::loss::{AbsoluteError, GaussianNll, LabelValue, Loss, Pinball};
use labelwise::surrogate::{Beliefs, Data, MixtureSums, Surrogate};
use labelwise::{Matrix, Pool, Regression, SquaredError};
use labelwise_models::{Forest, GaussianProcess, Hyperparameters, Kernel, LinearRegression};

use super::{FIRST_LABELS, StudyTask, once, right_class};
use crate::calibration::Calibration;
use crate::error::{ChoiceError, LabelWanted, Result};
use crate::journal::record::Record;
use crate::journal::row::Row;
use crate::judge::JudgeChoice;
use crate::judge::surrogate::{Judging, judging};
use crate::recalibration::{self, KeptPriors, Recalibrating};
use crate::spec::metric::LossName;
use crate::spec::names::LearnerName;
use crate::spec::settings::Settings;
use crate::spec::subject::Subject;
use crate::spec::supplied::SuppliedTask;

impl StudyTask for Regression {
    fn label(text: &str, _row: &Row, settings: &Settings) -> Result<f64, LabelWanted> {
        if settings.metric.loss == LossName::Rate
            && let Some(positive) = &settings.positive
        {
            return right_class(text, positive).map(|other| if other == 0 { 1.0 } else { 0.0 });
        }
        let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or(LabelWanted::Number)
    }

    fn loss(name: LossName, settings: &Settings) -> Option<Box<dyn Loss<Self>>> {
        // A range was checked when it was chosen.
        let range = settings.range.filter(|_| settings.subject == Subject::Values);
        let squared = range.and_then(|(low, high)| SquaredError::with_label_range(low, high).ok());
        let absolute = range.and_then(|(low, high)| AbsoluteError::with_label_range(low, high).ok());
        let likelihood = range.and_then(|(low, high)| GaussianNll::with_label_range(low, high).ok());
        Some(match name {
            LossName::SquaredError => Box::new(squared.unwrap_or_default()),
            LossName::AbsoluteError => Box::new(absolute.unwrap_or_default()),
            LossName::GaussianNll => Box::new(likelihood.unwrap_or_default()),
            LossName::Pinball(level) => {
                let level = level.value();
                let ranged = range.map(|(low, high)| Pinball::with_label_range(level, low, high));
                Box::new(ranged.unwrap_or_else(|| Pinball::new(level)).ok()?)
            }
            LossName::Value => {
                let ranged = settings.range.and_then(|(low, high)| LabelValue::within(low, high).ok());
                Box::new(ranged.unwrap_or_default())
            }
            LossName::Rate => Box::new(LabelValue::rate()),
            LossName::Custom => return Self::supplied_loss(&settings.supplied),
            _ => return None,
        })
    }

    fn pool(predictions: Matrix, _settings: &Settings) -> Result<Pool<Self>> {
        Ok(Pool::regression(predictions)?)
    }

    fn given(mut members: Vec<Matrix>, pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        match (members.len(), members.pop()) {
            (1, Some(only)) if only.columns() > 1 => Ok(Beliefs::new(only, pool)?),
            (_, last) => {
                members.extend(last);
                Ok(Beliefs::<Self>::from_members(&members, pool)?)
            }
        }
    }

    fn nothing(pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        let mut reader = pool.predictions().reader();
        let rows = (0..pool.pool_size())
            .flat_map(|item| [reader.row(item).first().copied().unwrap_or(f64::NAN), 1.0]);
        Ok(Beliefs::new(Matrix::f64(rows.collect::<Vec<f64>>(), 2)?, pool)?)
    }

    fn train_label(number: f64) -> f64 {
        number
    }

    fn learnt(
        learner: LearnerName,
        train: Data<Self>,
        labels: &[f64],
        _settings: &Settings,
    ) -> Result<Box<dyn Surrogate<Self>>> {
        Ok(match learner {
            LearnerName::Forest => Box::new(once(Forest::default(), train)),
            LearnerName::Gp => Box::new(once(process(labels), train)),
            // A small ridge, so that a feature that is constant among few labels is not an error.
            LearnerName::Linear => Box::new(once(LinearRegression::with_ridge(1e-3)?, train)),
            LearnerName::Logistic => return Err(ChoiceError::Learner { learner, task: "values" }.into()),
        })
    }

    fn recalibrating(
        _experts: Vec<Beliefs<Self>>,
        fixed: &Beliefs<Self>,
        _pool: &Pool<Self>,
        _settings: &Settings,
        _kept: Option<&KeptPriors>,
        _held_out: Option<Calibration>,
    ) -> Result<Option<Recalibrating<Self>>> {
        Ok(Some(recalibration::of_numbers(fixed.clone())))
    }

    fn expectation(
        record: &Record,
        path: &Path,
        settings: &Settings,
        loss: LossName,
        sums: &[MixtureSums],
        complete: usize,
    ) -> Result<Option<BeliefExpectation>> {
        // Residuals say what squared errors to expect.
        match loss == LossName::SquaredError && settings.metric.loss == loss {
            true => record.expectation_of_numbers(path, settings, sums, complete),
            false => Ok(None),
        }
    }

    fn judging(
        choice: &JudgeChoice,
        features: Matrix,
        pool: &Pool<Self>,
        settings: &Settings,
    ) -> Result<Option<Box<dyn Judging<Self>>>> {
        let name = settings.metric.loss;
        let loss = Self::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
        judging::<Self>(choice, features, settings.range.unwrap_or((0.0, 1.0)), loss, pool).map(Some)
    }

    fn by_information(builder: Builder<Self>) -> Result<Builder<Self>> {
        Ok(builder.acquisition(MutualInformation))
    }

    fn enough(labels: &[f64]) -> bool {
        labels.len() >= FIRST_LABELS
    }
}

/// A Gaussian process around the mean of the labels, which learns its scales.
#[allow(clippy::cast_precision_loss, reason = "labels are counted in thousands")]
fn process(labels: &[f64]) -> GaussianProcess {
    let count = labels.len().max(1) as f64;
    let mean = labels.iter().sum::<f64>() / count;
    let variance = labels.iter().map(|label| (label - mean).powi(2)).sum::<f64>() / count;
    GaussianProcess {
        prior_mean: mean,
        noise_variance: 0.1 * variance.max(f64::MIN_POSITIVE),
        hyperparameters: Hyperparameters::MaximumLikelihood { restarts: 2 },
        ..GaussianProcess::new(Kernel::paper())
    }
}
