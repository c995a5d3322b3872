//! Labels of other items: a held-out set that recalibrates beliefs before the first draw.

use labelwise::surrogate::Beliefs;
use labelwise::{Classification, Matrix, Pool};
use labelwise_pool::{Labels, PoolTable, Predictions};

use crate::columns::{CALIBRATION_LABELS, CALIBRATION_PREDICTIONS, calibration_belief};
use crate::create::beliefs;
use crate::error::{ChoiceError, Result};
use crate::journal::Journal;
use crate::journal::memory::Memory;
use crate::recalibration;
use crate::spec::settings::{Settings, SurrogateChoice};
use crate::spec::subject::Subject;
use crate::task;

/// A held-out set, with classes in the order of the pool.
pub(crate) struct Calibration {
    /// The rows of each expert but the model, as the pool has them.
    pub(crate) experts: Vec<Matrix>,
    pub(crate) predictions: Matrix,
    pub(crate) labels: Vec<usize>,
}

/// Puts the columns of a held-out set beside those of the pool.
pub(crate) fn split(
    held_out: &PoolTable,
    predictions: &Predictions,
    settings: &Settings,
    memory: &mut Memory,
) -> Result<()> {
    let path = held_out.path.clone();
    let wanted = members(settings);
    if held_out.surrogates.len() != wanted {
        let found = held_out.surrogates.len();
        return Err(ChoiceError::CalibrationSurrogates { path, found, wanted }.into());
    }
    let Some(Labels::Classes(labels)) = &held_out.labels else {
        return Err(ChoiceError::CalibrationLabels { path }.into());
    };
    let (rows, labels) = match (&held_out.predictions, predictions) {
        (Predictions::Classes { names: there, .. }, Predictions::Classes { names: here, .. }) => {
            let rows = beliefs(held_out.predictions.clone(), predictions).map_err(|_| {
                ChoiceError::CalibrationClasses { path, there: there.clone(), here: here.clone() }
            })?;
            let place = |&label: &u32| {
                let name = there.get(label as usize)?;
                here.iter().position(|class| class == name)
            };
            (rows, labels.iter().filter_map(place).collect::<Vec<usize>>())
        }
        (Predictions::Hard { names, classes }, Predictions::Hard { .. }) => {
            let name = |class: &u32| names.get(*class as usize).map_or("", String::as_str);
            let said = classes.iter().zip(labels);
            let wrong = said.map(|(said, label)| usize::from(!task::same_class(name(said), name(label))));
            (task::right_or_wrong(labels.len())?, wrong.collect())
        }
        _ => {
            return Err(
                ChoiceError::CalibrationKind { path, predictions: settings.subject.in_words() }.into()
            );
        }
    };
    #[allow(clippy::cast_precision_loss, reason = "classes are few")]
    let labels: Vec<f64> = labels.into_iter().map(|label| label as f64).collect();
    for (member, belief) in held_out.surrogates.iter().enumerate() {
        let rows = beliefs(belief.clone(), &like(predictions, &held_out.predictions))?;
        memory.tables.insert(calibration_belief(member), rows);
    }
    memory.tables.insert(CALIBRATION_PREDICTIONS.to_owned(), rows);
    memory.tables.insert(CALIBRATION_LABELS.to_owned(), Matrix::f64(labels, 1)?);
    Ok(())
}

/// The predictions that decide the columns of a surrogate: those of the held-out items, where single confidences are of the
/// predicted class, or else the classes of the pool.
fn like(pool: &Predictions, held_out: &Predictions) -> Predictions {
    match held_out {
        Predictions::Hard { .. } => held_out.clone(),
        _ => pool.clone(),
    }
}

/// Surrogates whose predictions are given.
fn members(settings: &Settings) -> usize {
    match settings.surrogate {
        SurrogateChoice::Given { members } => members,
        _ => 0,
    }
}

impl Calibration {
    /// The held-out set of a journal, if it has one.
    pub(crate) fn of(journal: &dyn Journal, settings: &Settings) -> Result<Option<Self>> {
        if !settings.columns.contains_key(CALIBRATION_LABELS) {
            return Ok(None);
        }
        let predictions = journal.matrix(CALIBRATION_PREDICTIONS)?;
        let numbers = journal.matrix(CALIBRATION_LABELS)?;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "written from a class number"
        )]
        let labels =
            numbers.reader().rows(0..numbers.rows()).values().iter().map(|label| *label as usize).collect();
        let given = (0..members(settings)).map(|member| journal.matrix(&calibration_belief(member)));
        let pool: Pool<Classification> = Pool::classification(predictions.clone())?;
        let experts: Vec<Beliefs<Classification>> =
            recalibration::experts(given.collect::<Result<_>>()?, &pool, settings)?;
        let mut experts: Vec<Matrix> = experts.iter().map(|beliefs| beliefs.rows().clone()).collect();
        if settings.subject != Subject::Hard {
            experts.push(predictions.clone());
        }
        Ok(Some(Self { experts, predictions, labels }))
    }
}

/// The words of a decision.
pub(crate) fn in_words(held_out: &PoolTable) -> String {
    let (rows, path) = (held_out.rows(), held_out.path.display());
    format!("{rows} labels of other items ({path}) recalibrate the surrogate's beliefs before the first draw")
}
