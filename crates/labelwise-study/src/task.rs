//! The two tasks behind the four kinds of predictions: the meaning of a label's text, the loss of a name, and the
//! pool and the surrogate of a journal.

use std::path::Path;

use labelwise::acquisition::MutualInformation;
use labelwise::evaluation::Builder;
use labelwise::ledger::BeliefExpectation;
use labelwise::loss::{
    AbsoluteError, Bounds, Brier, Decision, GaussianNll, Loss, Misjudged, Moments, Pinball, Sign, ZeroOne,
};
use labelwise::surrogate::{Beliefs, Data, Learner, Retrained, Schedule, Surrogate};
use labelwise::task::{Gaussian, GaussianBelief};
use labelwise::{Classification, CrossEntropy, Matrix, Pool, Regression, SquaredError, Task};
use labelwise_models::{
    Blended, Calibrated, Forest, GaussianProcess, Hyperparameters, Kernel, LinearRegression,
    LogisticRegression,
};

use crate::columns::{FEATURES, PREDICTIONS};
use crate::error::{ChoiceError, LabelWanted, Result};
use crate::journal::Journal;
use crate::journal::record::Record;
use crate::journal::row::Row;
use crate::recalibration::{self, KeptPriors, Recalibrating};
use crate::rivals::Side;
use crate::spec::metric::LossName;
use crate::spec::names::LearnerName;
use crate::spec::settings::{Settings, Subject};
use crate::spec::supplied::SuppliedTask;

/// Minimum number of labels of a learner. With fewer, the beliefs without learning are used.
pub(crate) const FIRST_LABELS: usize = 20;

/// Runs code with the task type of an evaluation.
macro_rules! with_task {
    ($settings:expr, $task:ident => $work:expr) => {
        match (&$settings.subject, $settings.rivals.is_empty()) {
            ($crate::Subject::Classes { .. } | $crate::Subject::Hard, true) => {
                type $task = labelwise::Classification;
                $work
            }
            ($crate::Subject::Values | $crate::Subject::Scores, true) => {
                type $task = labelwise::Regression;
                $work
            }
            ($crate::Subject::Classes { .. } | $crate::Subject::Hard, false) => {
                type $task = labelwise::compare::Rivals<labelwise::Classification>;
                $work
            }
            ($crate::Subject::Values | $crate::Subject::Scores, false) => {
                type $task = labelwise::compare::Rivals<labelwise::Regression>;
                $work
            }
        }
    };
}
pub(crate) use with_task;

/// A task of a study.
pub(crate) trait StudyTask: SuppliedTask + crate::decide::targets::Aimed {
    /// The label that a text means for a drawn item; otherwise what it should be.
    fn label(text: &str, row: &Row, settings: &Settings) -> Result<Self::Label, LabelWanted>;
    /// The loss of a name, if the predictions have it.
    fn loss(name: LossName, settings: &Settings) -> Option<Box<dyn Loss<Self>>>;
    /// A pool of these predictions.
    fn pool(predictions: Matrix, settings: &Settings) -> Result<Pool<Self>>;
    /// The mean of the members of an ensemble, or the only one.
    fn given(members: Vec<Matrix>, pool: &Pool<Self>) -> Result<Beliefs<Self>>;
    /// Beliefs that are the same for all items.
    fn nothing(pool: &Pool<Self>) -> Result<Beliefs<Self>>;
    /// A label from a column of numbers.
    fn train_label(number: f64) -> Self::Label;
    /// A learner with its training rows; `labels` are those of the training rows and of the pool.
    fn learnt(
        learner: LearnerName,
        train: Data<Self>,
        labels: &[Self::Label],
        settings: &Settings,
    ) -> Result<Box<dyn Surrogate<Self>>>;
    /// The class that a label is, if labels are classes.
    fn class_of(_label: &Self::Label) -> Option<usize> {
        None
    }
    /// The average over recalibrations of given experts and the model's own beliefs, if the task has one.
    fn recalibrating(
        _experts: Vec<Beliefs<Self>>,
        _pool: &Pool<Self>,
        _settings: &Settings,
        _kept: Option<&KeptPriors>,
    ) -> Result<Option<Recalibrating<Self>>> {
        Ok(None)
    }
    /// What recalibrated beliefs expect of the estimate from the first `complete` draws.
    fn expectation(
        _record: &Record,
        _path: &Path,
        _settings: &Settings,
        _loss: &dyn Loss<Self>,
        _complete: usize,
    ) -> Result<Option<BeliefExpectation>> {
        Ok(None)
    }
    /// Whether these labels are enough to learn from.
    fn enough(labels: &[Self::Label]) -> bool;
    /// Items whose loss is 0 for every label.
    fn known(_pool: &Pool<Self>, _settings: &Settings) -> Result<Vec<usize>> {
        Ok(Vec::new())
    }
    /// Scores by the mutual information of label and members, if the task has it.
    fn by_information(builder: Builder<Self>) -> Result<Builder<Self>>;
    /// Another acquisition, if this task has one.
    fn scored(builder: Builder<Self>, _settings: &Settings) -> Builder<Self> {
        builder
    }
    /// Other losses whose totals a comparison records.
    fn sides(_settings: &Settings) -> Vec<(Side, Box<dyn Loss<Self>>)> {
        Vec::new()
    }
}

/// The predictions of a classifier without probabilities: class 0, "as predicted", for every item.
pub(crate) fn right_or_wrong(rows: usize) -> Result<Matrix> {
    Ok(Matrix::f32([1.0_f32, 0.0].repeat(rows), 2)?)
}

/// The pool of the journal.
pub(crate) fn pool<T: StudyTask>(journal: &dyn Journal, settings: &Settings) -> Result<Pool<T>> {
    let predictions = match settings.subject {
        Subject::Hard if settings.rivals.is_empty() => right_or_wrong(settings.pool.size)?,
        _ => journal.matrix(PREDICTIONS)?,
    };
    let pool = T::pool(predictions, settings)?;
    match settings.columns.get(FEATURES) {
        Some(_) => Ok(pool.with_features(journal.matrix(FEATURES)?)?),
        None => Ok(pool),
    }
}

/// Whether two texts are the same class, as texts or as numbers, because some programs write 3 as 3.0.
pub(crate) fn same_class(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    one == other || number(one).zip(number(other)).is_some_and(|(one, other)| one == other)
}

/// The label of a prediction without probabilities: 0 if it is the predicted class, 1 if not.
pub(crate) fn right_class(text: &str, predicted: &str) -> Result<usize, LabelWanted> {
    if text.trim().is_empty() {
        return Err(LabelWanted::NotBlank);
    }
    if same_class(text, predicted) {
        return Ok(0);
    }
    if text.trim().eq_ignore_ascii_case(predicted.trim()) {
        return Err(LabelWanted::SameSpelling { predicted: predicted.to_owned() });
    }
    Ok(1)
}

/// A learner that is fitted once; the study decides when it is retrained.
fn once<T: Task>(learner: impl Learner<T> + 'static, train: Data<T>) -> Retrained<T> {
    Retrained::new(learner, train).schedule(Schedule::Never)
}

impl StudyTask for Classification {
    fn label(text: &str, row: &Row, settings: &Settings) -> Result<usize, LabelWanted> {
        match &settings.subject {
            Subject::Classes { names } => {
                let text = text.trim();
                let find = |text: &str| {
                    let exact = names.iter().position(|name| name == text);
                    exact.or_else(|| names.iter().position(|name| name.trim() == text))
                };
                // Some programs write class 3 as 3.0.
                let class = find(text).or_else(|| text.strip_suffix(".0").and_then(find));
                class.ok_or_else(|| LabelWanted::Class(names.clone()))
            }
            _ => right_class(text, &row.predicted),
        }
    }

    fn loss(name: LossName, settings: &Settings) -> Option<Box<dyn Loss<Self>>> {
        Some(match name {
            // A cap was checked when it was chosen.
            LossName::CrossEntropy => Box::new(CrossEntropy::with_epsilon(settings.cap).unwrap_or_default()),
            LossName::ZeroOne => match settings.decision() {
                Decision::MostProbable => Box::new(ZeroOne),
                decision => Box::new(Misjudged(decision)),
            },
            LossName::Brier => Box::new(Brier),
            LossName::Custom => return Self::supplied_loss(&settings.supplied),
            _ => return None,
        })
    }

    fn pool(predictions: Matrix, _settings: &Settings) -> Result<Pool<Self>> {
        Ok(Pool::classification(predictions)?)
    }

    fn given(mut members: Vec<Matrix>, pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        match (members.len(), members.pop()) {
            (1, Some(only)) => Ok(Beliefs::new(only, pool)?),
            (_, last) => {
                members.extend(last);
                Ok(Beliefs::<Self>::from_members(members, pool)?)
            }
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "classes are few")]
    fn nothing(pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        let classes = pool.predictions().columns();
        Ok(Beliefs::new(Matrix::f64(vec![1.0 / classes as f64; classes * pool.pool_size()], classes)?, pool)?)
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "written from a class number")]
    fn train_label(number: f64) -> usize {
        number as usize
    }

    fn learnt(
        learner: LearnerName,
        train: Data<Self>,
        _labels: &[usize],
        settings: &Settings,
    ) -> Result<Box<dyn Surrogate<Self>>> {
        let probabilities = matches!(settings.subject, Subject::Classes { .. });
        Ok(match learner {
            LearnerName::Forest if probabilities => {
                Box::new(Blended::new(once(Calibrated::new(Forest::default()), train)))
            }
            LearnerName::Forest => Box::new(once(Forest::default(), train)),
            LearnerName::Logistic => Box::new(once(LogisticRegression::default(), train)),
            LearnerName::Gp | LearnerName::Linear => {
                return Err(ChoiceError::Learner { learner, task: "classes" }.into());
            }
        })
    }

    fn recalibrating(
        mut experts: Vec<Beliefs<Self>>,
        pool: &Pool<Self>,
        settings: &Settings,
        kept: Option<&KeptPriors>,
    ) -> Result<Option<Recalibrating<Self>>> {
        let name = settings.metric.loss;
        let loss = Self::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
        if settings.says_how_sure() {
            experts.push(pool.own_beliefs()?);
        }
        recalibration::of_classes(experts, pool, loss, settings, kept).map(Some)
    }

    fn expectation(
        record: &Record,
        path: &Path,
        settings: &Settings,
        loss: &dyn Loss<Self>,
        complete: usize,
    ) -> Result<Option<BeliefExpectation>> {
        record.expectation(path, settings, loss, complete)
    }

    fn by_information(builder: Builder<Self>) -> Result<Builder<Self>> {
        Ok(builder.acquisition(MutualInformation))
    }

    fn class_of(label: &usize) -> Option<usize> {
        Some(*label)
    }

    fn enough(labels: &[usize]) -> bool {
        labels.len() >= FIRST_LABELS && labels.iter().any(|label| Some(label) != labels.first())
    }
}

impl StudyTask for Regression {
    fn label(text: &str, _row: &Row, _settings: &Settings) -> Result<f64, LabelWanted> {
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
                Box::new(Value { range: settings.range.map(|(low, high)| Bounds { low, high }) })
            }
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

/// The label itself as the loss: for scores of another program, such as a judge.
#[derive(Debug, Clone, Copy)]
struct Value {
    range: Option<Bounds>,
}

impl Loss<Regression> for Value {
    fn name(&self) -> &'static str {
        "value"
    }

    fn loss(&self, _prediction: Gaussian, label: f64) -> f64 {
        label
    }

    fn moments(&self, _prediction: Gaussian, belief: GaussianBelief) -> Moments {
        Moments { first: belief.mean, second: belief.mean * belief.mean + belief.variance }
    }

    fn bounds(&self, _prediction: Gaussian) -> Option<Bounds> {
        self.range
    }

    fn range(&self) -> Option<Bounds> {
        self.range
    }

    fn sign(&self) -> Sign {
        match self.range {
            Some(Bounds { low, .. }) if low >= 0.0 => Sign::NonNegative,
            _ => Sign::Signed,
        }
    }
}
