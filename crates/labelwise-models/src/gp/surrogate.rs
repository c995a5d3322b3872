//! The Gaussian process as π: `Retrained` with a process gives the same beliefs, but fits from scratch each time.

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Beliefs, Change, Data, Observed, RetrainOn, Schedule, Surrogate, Updated};
use labelwise::{Error, Regression, Result};

use super::fitted::FittedProcess;
use super::hyperparameters::Hyperparameters;
use super::process::GaussianProcess;
use super::tracked::TrackedProcess;

/// A surrogate with fixed hyperparameters that learns from each label in O(n N).
///
/// It does what [`Retrained`](labelwise::surrogate::Retrained) does with the same process, schedule and data. It serves one pool,
/// which must have features.
///
/// ```
/// use labelwise::surrogate::Data;
/// use labelwise::{Evaluation, Matrix, Pool, SquaredError};
/// use labelwise_models::{GaussianProcess, ProcessSurrogate};
/// let train = Data::new(Matrix::f64(vec![0.0, 1.0], 1)?, vec![0.0, 1.0])?;
/// let x: Vec<f64> = (0..40).map(|i| f64::from(i) / 39.0).collect();
/// let pool = Pool::regression(Matrix::f64(x.clone(), 1)?)?.with_features(Matrix::f64(x.clone(), 1)?)?;
/// let surrogate = ProcessSurrogate::new(GaussianProcess::paper(), &train)?;
/// let mut evaluation = Evaluation::builder(pool, SquaredError::default(), surrogate).build()?;
/// evaluation.run(20, &mut |item: usize| Ok(x[item].powi(2)))?;
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug)]
pub struct ProcessSurrogate {
    start: FittedProcess,
    schedule: Schedule,
    on: RetrainOn,
    state: Option<State>,
}

#[derive(Debug)]
struct State {
    tracked: TrackedProcess,
    /// The labels it has learnt from.
    learnt: Vec<(usize, f64)>,
    /// How many were told at the last update.
    last: usize,
    beliefs: Beliefs<Regression>,
}

impl ProcessSurrogate {
    /// A surrogate that starts from `train` and learns from each label told.
    pub fn new(process: GaussianProcess, train: &Data<Regression>) -> Result<Self> {
        if let Hyperparameters::MaximumLikelihood { restarts } = process.hyperparameters {
            return Err(Error::Surrogate(format!(
                "ProcessSurrogate does not learn hyperparameters, but MaximumLikelihood with {restarts} restarts \
                 asks for it: use Retrained with the process, or learn them once with fit_process and give its \
                 process()"
            )));
        }
        let start = FittedProcess::new(process, train)?;
        Ok(Self { start, schedule: Schedule::Every(1), on: RetrainOn::default(), state: None })
    }

    /// When to learn from the labels told since. The default is after every label.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// What to learn from. The default is the training data and the labels.
    pub fn on(mut self, on: RetrainOn) -> Self {
        self.on = on;
        self
    }

    fn advance(&self, state: Option<State>, observed: Observed<'_, Regression>) -> Result<State> {
        let labels = match self.on {
            RetrainOn::TrainAndObserved => observed.labels,
            RetrainOn::Train => &[],
        };
        let last = observed.labels.len();
        // A label that was amended is at work in everything since, so all of it is done again.
        let (mut tracked, mut learnt) = match state.filter(|state| labels.starts_with(&state.learnt)) {
            Some(state) if state.learnt.len() == labels.len() => return Ok(State { last, ..state }),
            Some(State { tracked, learnt, .. }) => (tracked, learnt),
            None => {
                let Some(features) = observed.pool.features() else {
                    return Err(Error::Surrogate(
                        "a Gaussian process needs features: give the pool one row of features per item"
                            .to_owned(),
                    ));
                };
                (TrackedProcess::new(&self.start, features.clone())?, Vec::new())
            }
        };
        for &(item, label) in labels.get(learnt.len()..).unwrap_or_default() {
            tracked.observe(item, label)?;
            learnt.push((item, label));
        }
        let beliefs = Beliefs::new(tracked.beliefs()?, observed.pool)?;
        Ok(State { tracked, learnt, last, beliefs })
    }
}

impl Surrogate<Regression> for ProcessSurrogate {
    fn update(
        &mut self,
        observed: Observed<'_, Regression>,
        _rng: &mut ChaCha8Rng,
    ) -> Result<Updated<'_, Regression>> {
        let now = observed.labels.len();
        let (state, change) = match self.state.take() {
            Some(state) if !self.schedule.due(state.last, now) => (state, Change::Unchanged),
            // Should this fail, nothing half done is left behind: the next call starts from the training data.
            state => (self.advance(state, observed)?, Change::Refitted),
        };
        Ok(Updated { beliefs: &self.state.insert(state).beliefs, change })
    }
}
