//! A surrogate that learns from the labels: "update π, e.g. retraining on 𝒟_train ∪ 𝒟_test^observed".

use crate::error::Table;
use rand_chacha::ChaCha8Rng;

use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::surrogate::{Beliefs, Change, Observed, Surrogate, Updated};
use crate::task::Task;

/// Labelled rows to fit a model to.
#[derive(Debug, Clone)]
pub struct Data<T: Task> {
    /// One row of features a label.
    pub features: Matrix,
    /// The labels.
    pub labels: Vec<T::Label>,
}

impl<T: Task> Data<T> {
    /// Features and as many labels.
    pub fn new(features: Matrix, labels: Vec<T::Label>) -> Result<Self> {
        if features.rows() != labels.len() {
            return Err(Error::TrainingRows { features: features.rows(), labels: labels.len() });
        }
        crate::task::check_finite(Table::TrainingFeatures, &features)?;
        Ok(Self { features, labels })
    }
}

/// Hyperparameters that fit into a [`Model`], which is another type: "not fitted yet" cannot be written.
pub trait Learner<T: Task>: Send + Sync {
    /// Learns from data. `columns` is what the pool's predictions have: in classification the number of classes,
    /// which is fixed in advance so that a class absent from the data still has its column.
    fn fit(&self, data: &Data<T>, columns: usize, rng: &mut ChaCha8Rng) -> Result<Box<dyn Model<T>>>;
}

/// A fitted model.
pub trait Model<T: Task>: Send + Sync {
    /// Its belief for each row of features, as [`Beliefs::new`] takes them.
    fn predict(&self, features: &Matrix) -> Result<Matrix>;

    /// The beliefs of its members, where it is an ensemble of classifiers: mutual information needs them.
    fn members(&self, _features: &Matrix) -> Result<Vec<Matrix>> {
        Ok(Vec::new())
    }
}

/// When something happens, counted in labels told.
///
/// ```
/// use labelwise::surrogate::Schedule;
/// assert!(Schedule::Every(5).due(4, 6));
/// assert!(!Schedule::paper().due(40, 99));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// After every k labels.
    Every(usize),
    /// When these numbers of labels are reached.
    At(Vec<usize>),
    /// Only at the start.
    Never,
}

impl Schedule {
    /// The paper's: 0, 5, 10, 20, 30, 40, 100, 250, 400, and on in steps of 150 up to 1,000.
    pub fn paper() -> Self {
        Self::At(vec![0, 5, 10, 20, 30, 40, 100, 250, 400, 550, 700, 850, 1000])
    }

    /// 10, 20, 50, 100, 200, 400, ...: often while each label says much, and ever more rarely.
    pub fn doubling() -> Self {
        Self::At([10, 20, 50].into_iter().chain((0..40).map(|power| 100 << power)).collect())
    }

    /// Whether something is due at `now` labels that was last done at `last`.
    pub fn due(&self, last: usize, now: usize) -> bool {
        match self {
            Self::Every(k) => *k > 0 && now / k > last / k,
            Self::At(list) => list.iter().any(|&at| last < at && at <= now),
            Self::Never => false,
        }
    }
}

/// What a surrogate is retrained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RetrainOn {
    /// 𝒟_train ∪ 𝒟_test^observed.
    #[default]
    TrainAndObserved,
    /// 𝒟_train alone: each retraining is a fresh random member, and no test label is used twice.
    Train,
}

/// A [`Learner`] fitted at the start and again on a [`Schedule`].
pub struct Retrained<T: Task> {
    learner: Box<dyn Learner<T>>,
    train: Data<T>,
    schedule: Schedule,
    on: RetrainOn,
    fitted: Option<(usize, Beliefs<T>)>,
}

impl<T: Task> Retrained<T> {
    /// A surrogate that learns from `train` and, after each label, from the observed test labels too. The pool must
    /// have features of the same columns.
    pub fn new(learner: impl Learner<T> + 'static, train: Data<T>) -> Self {
        let (schedule, on) = (Schedule::Every(1), RetrainOn::default());
        Self { learner: Box::new(learner), train, schedule, on, fitted: None }
    }

    /// When to retrain. The default is after every label.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// What to retrain on. The default is the training data and the labels.
    pub fn on(mut self, on: RetrainOn) -> Self {
        self.on = on;
        self
    }

    fn fit(&self, observed: Observed<'_, T>, rng: &mut ChaCha8Rng) -> Result<Beliefs<T>> {
        let pool = observed.pool;
        let Some(features) = pool.features() else {
            return Err(Error::Surrogate(
                "retraining needs features: give the pool one row of features per item".to_owned(),
            ));
        };
        let columns = self.train.features.columns();
        if features.columns() != columns {
            let expected = format!("{columns} (as in the training features)");
            return Err(Error::Columns { what: Table::Features, columns: features.columns(), expected });
        }
        let outputs = pool.predictions().columns();
        let model = match self.on {
            RetrainOn::Train => self.learner.fit(&self.train, outputs, rng)?,
            RetrainOn::TrainAndObserved => {
                self.learner.fit(&self.joined(features, observed)?, outputs, rng)?
            }
        };
        Beliefs::new(model.predict(features)?, pool)?.with_members(model.members(features)?, pool)
    }

    /// 𝒟_train ∪ 𝒟_test^observed.
    fn joined(&self, features: &Matrix, observed: Observed<'_, T>) -> Result<Data<T>> {
        let columns = features.columns();
        let (mut train, mut test) = (self.train.features.reader(), features.reader());
        let mut rows = Vec::with_capacity((self.train.labels.len() + observed.labels.len()) * columns);
        (0..self.train.labels.len()).for_each(|row| rows.extend_from_slice(train.row(row)));
        observed.labels.iter().for_each(|&(item, _)| rows.extend_from_slice(test.row(item)));
        let labels = self.train.labels.iter().copied().chain(observed.labels.iter().map(|&(_, label)| label));
        Data::new(Matrix::f64(rows, columns)?, labels.collect())
    }
}

impl<T: Task> Surrogate<T> for Retrained<T> {
    fn update(&mut self, observed: Observed<'_, T>, rng: &mut ChaCha8Rng) -> Result<Updated<'_, T>> {
        let now = observed.labels.len();
        let current = self.fitted.take();
        let (fitted, change) = match current {
            Some(fitted) if !self.schedule.due(fitted.0, now) => (fitted, Change::Unchanged),
            current => match self.fit(observed, rng) {
                Ok(beliefs) => ((now, beliefs), Change::Refitted),
                Err(error) => {
                    // The former beliefs stay, so that a later call can try again.
                    self.fitted = current;
                    return Err(error);
                }
            },
        };
        Ok(Updated { beliefs: &self.fitted.insert(fitted).1, change })
    }
}

impl<T: Task> std::fmt::Debug for Retrained<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fitted = self.fitted.as_ref().map(|(labels, _)| labels);
        f.debug_struct("Retrained")
            .field("schedule", &self.schedule)
            .field("on", &self.on)
            .field("fitted_at", &fitted)
            .finish_non_exhaustive()
    }
}
