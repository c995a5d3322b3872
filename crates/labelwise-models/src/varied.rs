//! The Thompson ensemble: a learner whose family and hyperparameters change from fit to fit.

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Learner, Model};
use labelwise::{Classification, Result, Task};
use rand_chacha::rand_core::Rng;

/// Several learners of which each fit takes one at random.
///
/// A surrogate that is retrained as labels come in then differs from refit to refit by more than its labels. Over the whole
/// evaluation the refits make up an ensemble, so that no single wrong surrogate decides where labels go.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::surrogate::{Data, Learner};
/// use labelwise::{Matrix, Seed};
/// use labelwise_models::{Forest, LogisticRegression, Varied};
///
/// let data = Data::new(Matrix::f64(vec![-2.0, -1.0, -0.5, 0.5, 1.0, 2.0], 1)?, vec![0, 0, 1, 0, 1, 1])?;
/// let learner = Varied::new(Forest::default()).or(LogisticRegression::default());
/// let pool = Matrix::f64(vec![0.2], 1)?;
/// let fits = (0..20).map(|fit| {
///     let model = learner.fit(&data, 2, &mut Seed(7).stream(Stream::Fit, fit))?;
///     Ok(model.predict(&pool)?.reader().row(0)[1])
/// });
/// let fits = fits.collect::<Result<Vec<f64>, labelwise::Error>>()?;
/// let logistic = LogisticRegression::default().fit(&data, 2, &mut Seed(7).stream(Stream::Fit, 0))?;
/// let probability = logistic.predict(&pool)?.reader().row(0)[1];
/// let taken = fits.iter().filter(|fit| **fit == probability).count();
/// assert!(taken > 2 && taken < 18);
/// # Ok::<(), labelwise::Error>(())
/// ```
pub struct Varied<T: Task = Classification> {
    learners: Vec<Box<dyn Learner<T>>>,
}

impl<T: Task> Varied<T> {
    /// One learner, to which others are added.
    pub fn new(learner: impl Learner<T> + 'static) -> Self {
        Self { learners: vec![Box::new(learner)] }
    }

    /// Another learner, as probable as each of the others.
    #[must_use]
    pub fn or(mut self, learner: impl Learner<T> + 'static) -> Self {
        self.learners.push(Box::new(learner));
        self
    }
}

impl<T: Task> Learner<T> for Varied<T> {
    fn fit(&self, data: &Data<T>, columns: usize, rng: &mut ChaCha8Rng) -> Result<Box<dyn Model<T>>> {
        // The multiply-shift method: a number below the length, without division.
        let place = (u128::from(rng.next_u64()) * self.learners.len() as u128) >> 64;
        // The place is below the number of learners.
        let learner = self.learners.get(place as usize).ok_or(labelwise::Error::NoMembers)?;
        learner.fit(data, columns, rng)
    }
}
