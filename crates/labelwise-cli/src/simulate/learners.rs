//! Surrogates that learn from features and from the labels told so far, as evaluations on disk have them.

use labelwise::{
    Beliefs, ChaCha8Rng, Change, Classification, Data, Error, Learner, Model, Observed, Regression,
    Retrained, Schedule, Surrogate, Task, Updated,
};
use labelwise_models::{
    Blended, Calibrated, Forest, GaussianProcess, Hyperparameters, Kernel, LinearRegression,
    LogisticRegression,
};
use labelwise_store::{LearnerName, Misfit};

use super::problem::Maker;
use crate::failure::Failure;

/// Fewer labels than this teach a learner nothing.
const FIRST_LABELS: usize = 20;

/// What a learner starts from, and when it learns again.
#[derive(Debug, Clone)]
pub(super) struct Lessons<T: Task> {
    /// Labelled rows beside the pool; there may be none.
    pub(super) train: Data<T>,
    /// What is believed until there are labels enough.
    pub(super) first: Beliefs<T>,
    /// When it learns again.
    pub(super) schedule: Schedule,
}

/// A surrogate for a classifier with probabilities: for a forest, the mean of its own and of what is learnt.
pub(super) fn beside_probabilities(
    learner: LearnerName,
    lessons: Lessons<Classification>,
) -> Result<Maker<Classification>, Failure> {
    let blended = |learnt| Box::new(Blended::new(learnt)) as Box<dyn Surrogate<Classification>>;
    match learner {
        LearnerName::Forest => {
            Ok(maker(|| Calibrated::new(Forest::default()), lessons, blended, two_classes))
        }
        learner => right_or_wrong(learner, lessons),
    }
}

/// A surrogate for a classifier without probabilities: whether it is right is learnt.
pub(super) fn right_or_wrong(
    learner: LearnerName,
    lessons: Lessons<Classification>,
) -> Result<Maker<Classification>, Failure> {
    Ok(match learner {
        LearnerName::Logistic => maker(LogisticRegression::default, lessons, plain, two_classes),
        LearnerName::Forest => maker(Forest::default, lessons, plain, two_classes),
        learner => return Err(Misfit::Learner { learner, task: "classes" }.into()),
    })
}

/// A surrogate for a regression.
pub(super) fn of_values(
    learner: LearnerName,
    lessons: Lessons<Regression>,
) -> Result<Maker<Regression>, Failure> {
    Ok(match learner {
        LearnerName::Forest => maker(Forest::default, lessons, plain, |_| true),
        LearnerName::Gp => maker(|| Process, lessons, plain, |_| true),
        LearnerName::Linear => maker(LinearRegression::default, lessons, plain, |_| true),
        learner => return Err(Misfit::Learner { learner, task: "values" }.into()),
    })
}

fn plain<T: Task>(learnt: Retrained<T>) -> Box<dyn Surrogate<T>> {
    Box::new(learnt)
}

fn two_classes(labels: &[usize]) -> bool {
    labels.iter().any(|label| Some(label) != labels.first())
}

fn maker<T: Task, L: Learner<T> + 'static>(
    learner: impl Fn() -> L + Send + Sync + 'static,
    lessons: Lessons<T>,
    wrap: fn(Retrained<T>) -> Box<dyn Surrogate<T>>,
    telling: fn(&[T::Label]) -> bool,
) -> Maker<T> {
    Box::new(move || {
        let learnt = Retrained::new(learner(), lessons.train.clone()).schedule(lessons.schedule.clone());
        Box::new(Patient { inner: wrap(learnt), lessons: lessons.clone(), telling, last: 0, learning: false })
    })
}

/// A surrogate that believes what it was given until it has labels enough to learn from.
struct Patient<T: Task> {
    inner: Box<dyn Surrogate<T>>,
    lessons: Lessons<T>,
    /// Whether these labels can be learnt from.
    telling: fn(&[T::Label]) -> bool,
    /// The labels there were when it was last due.
    last: usize,
    learning: bool,
}

impl<T: Task> Surrogate<T> for Patient<T> {
    fn update(&mut self, observed: Observed<'_, T>, rng: &mut ChaCha8Rng) -> Result<Updated<'_, T>, Error> {
        let now = observed.labels.len();
        // It begins at the start or when it is due, and not in between.
        if !self.learning && (now == 0 || self.lessons.schedule.due(self.last, now)) {
            let told = observed.labels.iter().map(|&(_, label)| label);
            let labels: Vec<T::Label> = self.lessons.train.labels.iter().copied().chain(told).collect();
            self.learning = labels.len() >= FIRST_LABELS && (self.telling)(&labels);
            self.last = now;
        }
        if self.learning {
            self.inner.update(observed, rng)
        } else {
            Ok(Updated { beliefs: &self.lessons.first, change: Change::Unchanged })
        }
    }
}

/// A Gaussian process about the mean of the labels, which learns its scales from them.
struct Process;

impl Learner<Regression> for Process {
    fn fit(
        &self,
        data: &Data<Regression>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Regression>>, Error> {
        let count = data.labels.len().max(1) as f64;
        let mean = data.labels.iter().sum::<f64>() / count;
        let variance = data.labels.iter().map(|label| (label - mean).powi(2)).sum::<f64>() / count;
        let process = GaussianProcess {
            prior_mean: mean,
            noise_variance: 0.1 * variance.max(f64::MIN_POSITIVE),
            hyperparameters: Hyperparameters::MaximumLikelihood { restarts: 2 },
            ..GaussianProcess::new(Kernel::paper())
        };
        process.fit(data, columns, rng)
    }
}
