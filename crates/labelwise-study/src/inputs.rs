//! The inputs of every proposal: the pool, the beliefs without learning, and the training rows.

use labelwise::surrogate::{Beliefs, Data, Surrogate};
use labelwise::{Fixed, Matrix, Pool};

use crate::calibration::Calibration;
use crate::columns::{self, JUDGES, TRAIN_FEATURES, TRAIN_LABELS};
use crate::error::Result;
use crate::journal::Journal;
use crate::judge::surrogate::Judging;
use crate::recalibration::{self, KeptPriors, Recalibrating};
use crate::spec::settings::{Settings, SurrogateChoice};
use crate::task::{self, StudyTask};

/// The inputs of every proposal, read once: the pool, the beliefs that no label changes, and the training rows.
pub(crate) struct ProposalInputs<T: StudyTask> {
    pub(crate) pool: Pool<T>,
    /// The input of the loss that draws are made for: the predictions, or their replacement by a custom loss.
    pub(crate) drawn: Pool<T>,
    /// The beliefs without learning; the fallback of a surrogate that learns.
    fixed: Beliefs<T>,
    /// The training rows.
    train: Option<Data<T>>,
    /// The average over recalibrations of the beliefs, if they are recalibrated.
    recalibrating: Option<Recalibrating<T>>,
    /// The given predictions that are recalibrated.
    pub(crate) experts: Vec<Matrix>,
    /// The belief of judges and histories, if labels teach it.
    pub(crate) judges: Option<Box<dyn Judging<T>>>,
}

impl<T: StudyTask> ProposalInputs<T> {
    pub(crate) fn new(journal: &dyn Journal, settings: &Settings) -> Result<Self> {
        let pool = task::pool::<T>(journal, settings)?;
        let given = match settings.surrogate {
            SurrogateChoice::Given { members } => {
                (0..members).map(|member| journal.matrix(&columns::belief(member))).collect::<Result<_>>()?
            }
            _ => Vec::new(),
        };
        let judges = match (&settings.judge, &settings.recalibrated) {
            (Some(choice), Some(_)) => T::judging(choice, journal.matrix(JUDGES)?, &pool, settings)?,
            _ => None,
        };
        let fixed = T::fixed(given.clone(), &pool, settings)?;
        let (recalibrating, experts) = match &settings.recalibrated {
            Some(_) if judges.is_none() => {
                let experts = recalibration::experts(given, &pool, settings)?;
                let rows = experts.iter().map(|beliefs| beliefs.rows().clone()).collect();
                let kept = journal.record()?.refreshes.first().and_then(|first| first.origin.priors.clone());
                let held_out = Calibration::of(journal, settings)?;
                (T::recalibrating(experts, &fixed, &pool, settings, kept.as_ref(), held_out)?, rows)
            }
            _ => (None, Vec::new()),
        };
        let train = match settings.surrogate {
            SurrogateChoice::Learnt { train: 0, .. } => {
                let columns = pool.features().map_or(0, Matrix::columns);
                Some(Data::new(Matrix::f64(Vec::new(), columns)?, Vec::new())?)
            }
            SurrogateChoice::Learnt { .. } => {
                let labels = journal.matrix(TRAIN_LABELS)?;
                let mut reader = labels.reader();
                let labels = reader.rows(0..labels.rows()).values().iter();
                let labels = labels.map(|&label| T::train_label(label)).collect();
                Some(Data::new(journal.matrix(TRAIN_FEATURES)?, labels)?)
            }
            _ => None,
        };
        let drawn = match settings.supplied.codes() {
            None => pool.clone(),
            Some(codes) => {
                let coded = T::pool(codes.clone(), settings)?;
                match pool.features() {
                    Some(features) => coded.with_features(features.clone())?,
                    None => coded,
                }
            }
        };
        Ok(Self { pool, drawn, fixed, train, recalibrating, experts, judges })
    }

    /// The surrogate at a refresh, before it is updated with the labels.
    pub(crate) fn surrogate(
        &self,
        settings: &Settings,
        observed: &[(usize, T::Label)],
    ) -> Result<Box<dyn Surrogate<T>>> {
        let told = observed.iter().map(|(_, label)| *label);
        match (&settings.surrogate, &self.train) {
            (SurrogateChoice::Supplied { .. }, _) => {
                let own = settings.supplied.train().iter().map(|&label| T::train_label(label));
                let surrogate = T::supplied_surrogate(&settings.supplied);
                let surrogate = surrogate.filter(|_| T::enough(&own.chain(told).collect::<Vec<_>>()));
                Ok(surrogate.unwrap_or_else(|| self.fallback()))
            }
            (SurrogateChoice::Learnt { learner, .. }, Some(train)) => {
                let all: Vec<T::Label> = train.labels.iter().copied().chain(told).collect();
                if !T::enough(&all) {
                    return Ok(self.fallback());
                }
                T::learnt(*learner, train.clone(), &all, settings)
            }
            _ => Ok(self.fallback()),
        }
    }

    /// The beliefs while there is nothing to learn from, or if learning fails.
    pub(crate) fn fallback(&self) -> Box<dyn Surrogate<T>> {
        if let Some(judges) = &self.judges {
            return judges.surrogate();
        }
        match &self.recalibrating {
            Some(recalibrating) => (recalibrating.surrogate)(),
            None => Box::new(Fixed(self.fixed.clone())),
        }
    }

    /// The prior weights of recalibrated beliefs.
    pub(crate) fn priors(&self) -> Option<&KeptPriors> {
        self.recalibrating.as_ref().map(|recalibrating| &recalibrating.priors)
    }
}
