//! Whether hyperparameters stay as given, or maximise the marginal likelihood of the training labels.

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::Data;
use labelwise::{Matrix, Result};

use super::fitted::FittedProcess;
use super::kernel::LengthScale;
use super::lbfgs::minimise;
use super::likelihood::Likelihood;
use super::normal::uniform;
use super::process::GaussianProcess;

/// Bounds of length scales, variance and noise, as scikit-learn's.
const BOUNDS: (f64, f64) = (1e-5, 1e5);

/// What becomes of length scale, signal variance and noise variance as a process is fitted.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::surrogate::Data;
/// use labelwise::{Matrix, Seed};
/// use labelwise_models::{GaussianProcess, Hyperparameters};
/// let x: Vec<f64> = (0..20).map(|i| f64::from(i) / 4.0).collect();
/// let train = Data::new(Matrix::f64(x.clone(), 1)?, x.iter().map(|x| 3.0 * x.sin()).collect())?;
/// let hyperparameters = Hyperparameters::MaximumLikelihood { restarts: 2 };
/// let process = GaussianProcess { hyperparameters, ..GaussianProcess::paper() };
/// let fitted = process.fit_process(&train, &mut Seed(1).stream(Stream::Fit, 0))?;
/// assert!(fitted.process().kernel.variance() > 1.0);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hyperparameters {
    /// They stay as given. The paper's.
    #[default]
    Fixed,
    /// They maximise the marginal likelihood, between 1e-5 and 1e5 each. A noise variance of 0 stays 0.
    MaximumLikelihood {
        /// Searches from random places, besides the one from the values given. The best of all is kept.
        restarts: usize,
    },
}

/// The process that explains the labels of `start` best, fitted to them.
pub(super) fn optimise(
    start: FittedProcess,
    labels: &[f64],
    restarts: usize,
    rng: &mut ChaCha8Rng,
) -> Result<FittedProcess> {
    let process = start.process();
    let (inputs, columns) = start.inputs();
    let residuals: Vec<f64> = labels.iter().map(|label| label - process.prior_mean).collect();
    let mut likelihood = Likelihood::new(process, inputs, columns, &residuals);
    let (low, high) = (BOUNDS.0.ln(), BOUNDS.1.ln());
    let first = logarithms(process);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for search in 0..=restarts {
        let from: Vec<f64> = match search {
            0 => first.iter().map(|value| value.clamp(low, high)).collect(),
            _ => first.iter().map(|_| low + (high - low) * uniform(rng)).collect(),
        };
        let found = minimise(from, (low, high), |place, gradient| {
            likelihood.minus_log_likelihood(&with_logarithms(process, place), gradient)
        });
        if best.as_ref().is_none_or(|best| found.0 < best.0) {
            best = Some(found);
        }
    }
    let place = best.map_or(first, |(_, place)| place);
    let data = Data::new(Matrix::f64(inputs.to_vec(), columns)?, labels.to_vec())?;
    FittedProcess::new(with_logarithms(process, &place), &data)
}

/// What is searched: the logarithms of the length scales, of the variance and, if there is any, of the noise.
fn logarithms(process: &GaussianProcess) -> Vec<f64> {
    let scales = process.kernel.length_scale().values().iter().copied();
    let noise = Some(process.noise_variance).filter(|noise| *noise > 0.0);
    scales.chain([process.kernel.variance()]).chain(noise).map(f64::ln).collect()
}

fn with_logarithms(process: &GaussianProcess, place: &[f64]) -> GaussianProcess {
    let mut values = place.iter().map(|value| value.exp().clamp(BOUNDS.0, BOUNDS.1));
    let mut next = |otherwise: f64| values.next().unwrap_or(otherwise);
    let length_scale = match process.kernel.length_scale() {
        LengthScale::Shared(scale) => LengthScale::Shared(next(*scale)),
        LengthScale::PerFeature(scales) => {
            LengthScale::PerFeature(scales.iter().map(|scale| next(*scale)).collect())
        }
    };
    let variance = next(process.kernel.variance());
    let noise_variance = next(process.noise_variance);
    let kernel = process.kernel.rescaled(length_scale, variance);
    GaussianProcess { kernel, noise_variance, ..process.clone() }
}
