//! The prior: hyperparameters that fit into a [`FittedProcess`].

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Learner, Model};
use labelwise::{Error, Matrix, Regression, Result};

use super::fitted::FittedProcess;
use super::hyperparameters::{Hyperparameters, optimise};
use super::kernel::Kernel;

/// Gaussian process regression: y = m + g(x) + ε, where g is a Gaussian process and ε Gaussian noise.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::surrogate::{Data, Model};
/// use labelwise::{Matrix, Seed};
/// use labelwise_models::{GaussianProcess, Kernel};
/// let train = Data::new(Matrix::f64(vec![0.0, 0.5, 1.0], 1)?, vec![0.0, 0.3, 1.0])?;
/// let process = GaussianProcess { noise_variance: 0.01, ..GaussianProcess::new(Kernel::paper()) };
/// let fitted = process.fit_process(&train, &mut Seed(1).stream(Stream::Fit, 0))?;
/// let beliefs = fitted.predict(&Matrix::f64(vec![0.25], 1)?)?;
/// assert!(matches!(beliefs.reader().row(0), [mean, noise, variance] if *mean > 0.0 && *noise == 0.01 && *variance > 0.0));
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianProcess {
    /// The covariance of g.
    pub kernel: Kernel,
    /// The variance of ε; 0 for labels without noise.
    pub noise_variance: f64,
    /// What is added to the diagonal of the training covariances, so that they can be factorised. The default
    /// is 1e-10, as scikit-learn's `alpha`. It is not part of predicted variances. It counts as at least 1e-15 of the
    /// kernel's variance, which is little more than rounding. Where even so an observation follows from earlier ones (a
    /// repeated row, say), the jitter of that observation is raised by 1e-8 of its diagonal.
    pub jitter: f64,
    /// m, the mean before any label is seen.
    pub prior_mean: f64,
    /// Whether kernel and noise stay as given (the default) or are learnt.
    pub hyperparameters: Hyperparameters,
}

impl GaussianProcess {
    /// A process without noise, of mean 0, whose hyperparameters stay as given.
    pub fn new(kernel: Kernel) -> Self {
        let hyperparameters = Hyperparameters::Fixed;
        Self { kernel, noise_variance: 0.0, jitter: 1e-10, prior_mean: 0.0, hyperparameters }
    }

    /// The paper's model, surrogate and source of data.
    pub fn paper() -> Self {
        Self::new(Kernel::paper())
    }

    /// Learns from data; the generator is used for random starts of hyperparameters only.
    pub fn fit_process(&self, data: &Data<Regression>, rng: &mut ChaCha8Rng) -> Result<FittedProcess> {
        match self.hyperparameters {
            Hyperparameters::Fixed => FittedProcess::new(self.clone(), data),
            Hyperparameters::MaximumLikelihood { restarts } => {
                let start = FittedProcess::new(self.fixed(), data)?;
                optimise(start, &data.labels, restarts, rng)
            }
        }
    }

    /// Draws a function from the prior and gives its values, without noise, at each row of features.
    ///
    /// ```
    /// use labelwise::rng::Stream;
    /// use labelwise::{Matrix, Seed};
    /// let x = Matrix::f64((0..50).map(|i| f64::from(i) / 49.0).collect::<Vec<_>>(), 1)?;
    /// let y = labelwise_models::GaussianProcess::paper().draw_prior(&x, &mut Seed(1).stream(Stream::Data, 0))?;
    /// assert_eq!(y.len(), 50);
    /// # Ok::<(), labelwise::Error>(())
    /// ```
    pub fn draw_prior(&self, features: &Matrix, rng: &mut ChaCha8Rng) -> Result<Vec<f64>> {
        self.check()?;
        FittedProcess::prior(self.fixed(), features.columns()).draw_posterior(features, rng)
    }

    /// What an observation has on the diagonal besides the signal.
    pub(super) fn noise(&self) -> f64 {
        self.noise_variance + self.jitter.max(self.least_jitter())
    }

    /// A few units in the last place, since covariances are rounded. Without them the rounding of one small pivot is
    /// magnified by the next, up to infinite means. The default jitter is more for every variance that is searched.
    pub(super) fn least_jitter(&self) -> f64 {
        1e-15 * self.kernel.variance()
    }

    pub(super) fn fixed(&self) -> Self {
        Self { hyperparameters: Hyperparameters::Fixed, ..self.clone() }
    }

    /// Refuses options outside of their range; the kernel has checked its own.
    pub(super) fn check(&self) -> Result<()> {
        let not_negative = |name, value: f64| {
            if (0.0..=1e300).contains(&value) {
                return Ok(());
            }
            Err(Error::Option { name, value, range: "0 or above (at most 1e300)" })
        };
        not_negative("the noise variance", self.noise_variance)?;
        not_negative("the jitter", self.jitter)?;
        if !self.prior_mean.is_finite() {
            let range = "a finite number";
            return Err(Error::Option { name: "the prior mean", value: self.prior_mean, range });
        }
        Ok(())
    }
}

impl Learner<Regression> for GaussianProcess {
    fn fit(
        &self,
        data: &Data<Regression>,
        _columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Regression>>> {
        Ok(Box::new(self.fit_process(data, rng)?))
    }
}
