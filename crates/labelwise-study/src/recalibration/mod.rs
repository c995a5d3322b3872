//! Recalibrated beliefs: which experts they are made of, when labels recalibrate them, and what a journal keeps of them.

mod expected;
mod kept;

use std::path::Path;
use std::sync::Arc;

use labelwise::loss::Loss;
use labelwise::surrogate::{Beliefs, Fit, Origin, Recalibrated, Residuals, Schedule, Surrogate};
use labelwise::{Classification, Matrix, Pool, Regression};

use crate::calibration::Calibration;
use crate::error::{ChoiceError, Result, damaged};
use crate::spec::settings::{Settings, Times};
use crate::spec::subject::Subject;
use crate::task::StudyTask;
pub(crate) use kept::{KeptMixture, KeptPriors};

/// More given predictions than this are averaged before they are recalibrated.
const MOST_EXPERTS: usize = 4;

/// Labels between two refreshes, as a share of the pool: a proposal runs out of its best items.
const POOL_SHARE: usize = 20;

/// The default numbers of labels at which beliefs are recalibrated: 10, 20, 50, 100, 200, 400, ..., and never after more
/// than a twentieth of the pool.
pub(crate) fn refresh_times(size: usize) -> Times {
    let Schedule::At(doubling) = Schedule::doubling() else { return Times::Never };
    let most = (size / POOL_SHARE).max(10);
    let mut times = Vec::new();
    let mut last = 0;
    for at in doubling.into_iter().take_while(|at| *at < 2 * size) {
        while last >= 50 && at > last + most {
            last += most;
            times.push(last);
        }
        last = at;
        times.push(last);
    }
    times.retain(|at| *at < size);
    Times::At(times)
}

/// Where the probabilities of the experts come from. Of predictions without probabilities, a surrogate's are a single
/// confidence.
fn origin(settings: &Settings) -> Origin {
    if settings.subject == Subject::Hard { Origin::Scores } else { Origin::Classes }
}

/// The given predictions as experts: each by itself, or their mean if there are many. Numbers have none.
pub(crate) fn experts<T: StudyTask>(
    given: Vec<Matrix>,
    pool: &Pool<T>,
    settings: &Settings,
) -> Result<Vec<Beliefs<T>>> {
    if settings.subject == Subject::Values {
        return Ok(Vec::new());
    }
    if given.len() > MOST_EXPERTS {
        return Ok(vec![T::given(given, pool)?]);
    }
    given.into_iter().map(|rows| Ok(Beliefs::new(rows, pool)?)).collect()
}

/// A recalibrated surrogate before its first label, and what a journal keeps of it.
pub(crate) struct Recalibrating<T: StudyTask> {
    /// Makes the surrogate.
    pub(crate) surrogate: Box<dyn Fn() -> Box<dyn Surrogate<T>> + Send + Sync>,
    pub(crate) priors: KeptPriors,
}

/// The surrogate of these experts, the model's own probabilities last.
pub(crate) fn of_classes(
    experts: Vec<Beliefs<Classification>>,
    pool: &Pool<Classification>,
    loss: Box<dyn Loss<Classification>>,
    settings: &Settings,
    kept_priors: Option<&KeptPriors>,
    held_out: Option<Calibration>,
) -> Result<Recalibrating<Classification>> {
    let loss: Arc<dyn Loss<Classification>> = Arc::from(loss);
    let given = experts.len();
    // The study decides when a proposal is computed again.
    let kept = kept_priors.and_then(|kept| kept.recalibration(given, pool.model_columns(), &*loss, settings));
    let made = match kept {
        Some(recalibration) => Recalibrated::resumed(experts, pool, loss, recalibration)?,
        None => {
            let made = Recalibrated::with_origin(experts, pool, loss, origin(settings))?;
            match held_out {
                Some(Calibration { experts, predictions, labels }) => {
                    made.calibrated(&experts, &predictions, &labels)?
                }
                None => made,
            }
        }
    };
    let made = made.schedule(Schedule::Never);
    // Prior weights that the journal has are not computed again.
    let priors = kept_priors.cloned().unwrap_or_else(|| KeptPriors::from(made.recalibration()));
    Ok(Recalibrating { surrogate: Box::new(move || Box::new(made.clone())), priors })
}

/// The surrogate of Gaussian beliefs, whose intervals follow the residuals.
pub(crate) fn of_numbers(beliefs: Beliefs<Regression>) -> Recalibrating<Regression> {
    let made = Residuals::new(beliefs);
    Recalibrating { surrogate: Box::new(move || Box::new(made.clone())), priors: KeptPriors::default() }
}

/// The beliefs about the items of a part of the pool, given what labels made of the components.
pub(crate) fn of_part(
    given: Vec<Matrix>,
    pool: &Pool<Classification>,
    settings: &Settings,
    priors: &KeptPriors,
    fit: &Fit,
) -> Result<Beliefs<Classification>> {
    let mut experts = experts(given, pool, settings)?;
    if settings.says_how_sure() {
        experts.push(pool.own_beliefs()?);
    }
    let name = settings.metric.loss;
    let loss = Classification::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
    let recalibration = priors.recalibration(experts.len(), pool.model_columns(), &*loss, settings);
    let recalibration = recalibration.ok_or_else(|| damaged(Path::new("the pool"), "refresh", 0))?;
    Ok(Recalibrated::resumed(experts, pool, Arc::from(loss), recalibration)?.beliefs_by(pool, fit)?)
}
