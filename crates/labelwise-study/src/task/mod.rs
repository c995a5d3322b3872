//! The two tasks behind the four kinds of predictions: the meaning of a label's text, the loss of a name, and the
//! pool and the surrogate of a journal.

mod classification;
mod regression;

use std::path::Path;

use labelwise::evaluation::Builder;
use labelwise::ledger::BeliefExpectation;
use labelwise::loss::Loss;
use labelwise::surrogate::{Beliefs, Data, Fit, Learner, MixtureSums, Retrained, Schedule, Surrogate};
use labelwise::{Matrix, Pool, Task};

use crate::calibration::Calibration;
use crate::columns::{FEATURES, PREDICTIONS};
use crate::error::{LabelWanted, Result};
use crate::journal::Journal;
use crate::journal::record::Record;
use crate::journal::row::Row;
use crate::judge::JudgeChoice;
use crate::judge::surrogate::Judging;
use crate::recalibration::{KeptPriors, Recalibrating};
use crate::rivals::Side;
use crate::spec::metric::LossName;
use crate::spec::names::LearnerName;
use crate::spec::settings::{Settings, SurrogateChoice};
use crate::spec::subject::Subject;
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
    /// The average over recalibrations of given experts and the model's own beliefs, if the task has one; otherwise what labels
    /// say of the beliefs without learning.
    fn recalibrating(
        _experts: Vec<Beliefs<Self>>,
        _fixed: &Beliefs<Self>,
        _pool: &Pool<Self>,
        _settings: &Settings,
        _kept: Option<&KeptPriors>,
        _held_out: Option<Calibration>,
    ) -> Result<Option<Recalibrating<Self>>> {
        Ok(None)
    }
    /// The beliefs that no label changes.
    fn fixed(given: Vec<Matrix>, pool: &Pool<Self>, settings: &Settings) -> Result<Beliefs<Self>> {
        Ok(match settings.surrogate {
            SurrogateChoice::Own => pool.own_beliefs()?,
            SurrogateChoice::Given { .. } => Self::given(given, pool)?,
            SurrogateChoice::Nothing => Self::nothing(pool)?,
            SurrogateChoice::Learnt { .. } | SurrogateChoice::Supplied { .. } => {
                if settings.says_how_sure() {
                    pool.own_beliefs()?
                } else {
                    Self::nothing(pool)?
                }
            }
        })
    }
    /// Recalibrated beliefs about a part of a pool, given what labels made of their components.
    fn beliefs_of_part(
        given: Vec<Matrix>,
        pool: &Pool<Self>,
        settings: &Settings,
        _priors: &KeptPriors,
        _fit: &Fit,
    ) -> Result<Beliefs<Self>> {
        Self::fixed(given, pool, settings)
    }
    /// What the labels make of the components of recalibrated beliefs, where predictions have this many columns and this many
    /// predictions are given; none for other beliefs.
    fn fit(
        _record: &Record,
        _path: &Path,
        _settings: &Settings,
        _priors: &KeptPriors,
        _widths: (usize, usize),
    ) -> Result<Option<Fit>> {
        Ok(None)
    }
    /// What recalibrated beliefs expect of the estimate of a loss from the first `complete` draws, given what every refresh kept
    /// for this loss.
    fn expectation(
        _record: &Record,
        _path: &Path,
        _settings: &Settings,
        _loss: LossName,
        _sums: &[MixtureSums],
        _complete: usize,
    ) -> Result<Option<BeliefExpectation>> {
        Ok(None)
    }
    /// The belief of judges and histories, if the task has one.
    fn judging(
        _choice: &JudgeChoice,
        _features: Matrix,
        _pool: &Pool<Self>,
        _settings: &Settings,
    ) -> Result<Option<Box<dyn Judging<Self>>>> {
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
    settings.needs_pool(journal.path(), "this")?;
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
