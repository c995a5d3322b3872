//! An evaluation in memory with the decisions of one on disk, for simulations with known labels.

use std::sync::Arc;

use labelwise::evaluation::Builder;
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::{Beliefs, Change, Observed, Schedule, Surrogate, Updated};
use labelwise::{Classification, Fixed, Matrix, Pool, Regression, Seed, Task};
use labelwise_pool::PoolTable;

use crate::columns::{TRAIN_FEATURES, TRAIN_LABELS};
use crate::create::split;
use crate::decide::choices::{Choices, Decided};
use crate::error::{Error, Result};
use crate::journal::memory::Memory;
use crate::prepare;
use crate::spec::settings::{Settings, Subject, SurrogateChoice};
use crate::task::{self, StudyTask};

/// Makes a surrogate as it is before the first label.
pub type Maker<T> = Box<dyn Fn() -> Box<dyn Surrogate<T>> + Send + Sync>;

/// Begins an evaluation that is led by a surrogate.
pub type Begin<T> = Box<dyn Fn(Box<dyn Surrogate<T>>) -> Result<Builder<T>> + Send + Sync>;

/// A pool, and how evaluations of it begin.
pub struct Trial<T: Task> {
    /// The predictions.
    pub pool: Pool<T>,
    /// Begins an evaluation with the loss, the acquisition and the floor that were chosen.
    pub begin: Begin<T>,
    /// The surrogate that was chosen. One that learns does so again when it is due.
    pub surrogate: Maker<T>,
    /// Beliefs that make all items alike.
    pub alike: Beliefs<T>,
}

/// A trial of either task.
pub enum AnyTrial {
    /// Labels are classes; where predictions are classes alone, 0 is a right one and 1 a wrong one.
    Classes(Trial<Classification>),
    /// Labels are numbers.
    Values(Trial<Regression>),
}

/// What `Study::create` would decide, and a trial of it.
#[non_exhaustive]
pub struct Tried {
    /// Everything that was decided.
    pub settings: Settings,
    /// The evaluation to be.
    pub trial: AnyTrial,
}

impl Tried {
    /// A trial of a pool, with everything that was not chosen decided as for an evaluation on disk.
    pub fn new(table: &PoolTable, choices: &Choices) -> Result<Self> {
        let Decided { mut settings, .. } = choices.decide(table)?;
        let parts = split(table.clone(), choices, &mut settings)?;
        let trial = match settings.subject {
            Subject::Classes { .. } | Subject::Hard => AnyTrial::Classes(trial(&settings, parts)?),
            Subject::Values | Subject::Scores => AnyTrial::Values(trial(&settings, parts)?),
        };
        Ok(Self { settings, trial })
    }
}

fn trial<T: StudyTask>(settings: &Settings, memory: Memory) -> Result<Trial<T>> {
    let pool = task::pool::<T>(&memory, settings)?;
    let train = memory.tables.get(TRAIN_FEATURES).cloned().zip(memory.tables.get(TRAIN_LABELS).cloned());
    let alike = T::nothing(&pool)?;
    let settings = Arc::new(settings.clone());
    let surrogate: Maker<T> = match &settings.surrogate {
        SurrogateChoice::Learnt { retrain, .. } => {
            let (settings, pool, schedule) = (settings.clone(), pool.clone(), Schedule::from(retrain));
            Box::new(move || {
                Box::new(Renewed {
                    settings: settings.clone(),
                    pool: pool.clone(),
                    train: train.clone(),
                    schedule: schedule.clone(),
                    last: 0,
                    learnt: None,
                })
            })
        }
        _ => {
            let mut given = task::surrogate(&memory, &settings, &pool, &[])?;
            // It does not learn, so nothing is random about it.
            let rng = &mut Seed(0).stream(Stream::Fit, 0);
            let beliefs = given.update(Observed { pool: &pool, labels: &[] }, rng)?.beliefs.clone();
            Box::new(move || Box::new(Fixed(beliefs.clone())))
        }
    };
    let of_pool = pool.clone();
    let begin: Begin<T> = Box::new(move |surrogate| prepare::builder(&settings, of_pool.clone(), surrogate));
    Ok(Trial { pool, begin, surrogate, alike })
}

/// A surrogate that learns, made anew when it is due as for an evaluation on disk: with too few labels, or with labels that
/// nothing can be learnt from, what was believed at first stands in.
struct Renewed<T: StudyTask> {
    settings: Arc<Settings>,
    pool: Pool<T>,
    train: Option<(Matrix, Matrix)>,
    schedule: Schedule,
    /// The labels there were when it was last made.
    last: usize,
    learnt: Option<Box<dyn Surrogate<T>>>,
}

impl<T: StudyTask> Renewed<T> {
    fn renewed(
        &self,
        observed: Observed<'_, T>,
        rng: &mut ChaCha8Rng,
    ) -> labelwise::Result<Box<dyn Surrogate<T>>> {
        let core = |error: Error| match error {
            Error::Core(error) => error,
            other => labelwise::Error::Surrogate(other.to_string()),
        };
        let train = self.train.clone();
        let made =
            task::surrogate_of(&self.settings, &self.pool, observed.labels, Vec::new(), train).map_err(core);
        let mut made = made?;
        if made.update(observed, rng).is_ok() {
            return Ok(made);
        }
        task::fallback(&self.settings, &self.pool).map_err(core)
    }
}

impl<T: StudyTask> Surrogate<T> for Renewed<T> {
    fn update(
        &mut self,
        observed: Observed<'_, T>,
        rng: &mut ChaCha8Rng,
    ) -> labelwise::Result<Updated<'_, T>> {
        let now = observed.labels.len();
        let due = self.schedule.due(self.last, now);
        let learnt = match self.learnt.take() {
            Some(learnt) if !due => learnt,
            _ => {
                self.last = now;
                self.renewed(Observed { ..observed }, rng)?
            }
        };
        let learnt = self.learnt.insert(learnt);
        let beliefs = learnt.update(observed, rng)?.beliefs;
        Ok(Updated { beliefs, change: if due { Change::Refitted } else { Change::Unchanged } })
    }
}
