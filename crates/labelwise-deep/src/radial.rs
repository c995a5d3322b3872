//! Radial Bayesian networks (Farquhar et al., 2020): each layer's weights are μ + σ·ε, where ε has a direction uniform on
//! the sphere and a normal length. A Gaussian's noise would have a length of about √D instead, far from the mean.

use burn_tensor::activation::softplus;
use burn_tensor::{Device, Tensor};
use labelwise::rng::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::layout::{Entry, Initial, Layout, tensor};
use crate::random;

/// How the posterior begins, what it is drawn to, and how often it is sampled. Defaults are those of the paper and its code.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Radial {
    /// The standard deviation of the Gaussian prior.
    pub prior_std_dev: f64,
    /// The mean that ρ begins with (standard deviation 1/2), where σ = log(1 + exp ρ).
    pub initial_rho: f64,
    /// What the divergence from the prior is multiplied by. The authors divide it by 10.
    pub kl_weight: f64,
    /// Samples of the weights for each batch of training and of validation.
    pub training_samples: usize,
    /// Samples of the weights that predictions are the mean of.
    pub samples: usize,
}

impl Default for Radial {
    fn default() -> Self {
        Self { prior_std_dev: 0.25, initial_rho: -4.0, kl_weight: 0.1, training_samples: 8, samples: 100 }
    }
}

impl Radial {
    pub(crate) fn check(&self) -> Result<()> {
        let positive = [
            ("the prior's standard deviation", self.prior_std_dev),
            ("the number of samples in training", self.training_samples as f64),
            ("the number of samples", self.samples as f64),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::Setting { name, value, range: "above 0" });
            }
        }
        if !(self.kl_weight >= 0.0 && self.kl_weight.is_finite()) {
            return Err(Error::Setting { name: "the KL weight", value: self.kl_weight, range: "at least 0" });
        }
        if !self.initial_rho.is_finite() {
            let value = self.initial_rho;
            return Err(Error::Setting { name: "the initial rho", value, range: "a finite number" });
        }
        Ok(())
    }

    /// Means and rhos instead of weights: first all means, then all rhos.
    pub(crate) fn posterior(&self, weights: &Layout) -> Layout {
        let rho = Initial::Normal { mean: self.initial_rho as f32, std_dev: 0.5 };
        let named = |entry: &Entry, name: &str, initial: Initial| Entry {
            name: format!("{}.{name}", entry.name),
            shape: entry.shape.clone(),
            initial,
        };
        let means = weights.trained.iter().map(|entry| named(entry, "mu", entry.initial));
        let rhos = weights.trained.iter().map(|entry| named(entry, "rho", rho));
        Layout { trained: means.chain(rhos).collect(), running: weights.running.clone() }
    }

    /// One sample of the weights from means and rhos.
    pub(crate) fn sample(
        &self,
        posterior: &[Tensor<1>],
        device: &Device,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Tensor<1>> {
        let (means, rhos) = posterior.split_at(posterior.len() / 2);
        let weights = means.iter().zip(rhos).map(|(mean, rho)| {
            let [size] = mean.dims();
            let noise = tensor(random::radial(size, rng), device).cast(mean.dtype());
            mean.clone() + softplus(rho.clone(), 1.0) * noise
        });
        weights.collect()
    }

    /// The divergence of the posterior from the prior up to a constant: Σ (μ² + σ²/D) / (2 s²) − Σ log σ, where D is the
    /// number of weights of the layer, since E(ε_i²) = 1/D, and s the prior's standard deviation.
    pub(crate) fn divergence(&self, posterior: &[Tensor<1>]) -> Option<Tensor<1>> {
        let (means, rhos) = posterior.split_at(posterior.len() / 2);
        let terms = means.iter().zip(rhos).map(|(mean, rho)| {
            let [size] = mean.dims();
            let sigma = softplus(rho.clone(), 1.0);
            let squares = square(mean.clone()).sum() + square(sigma.clone()).sum().div_scalar(size as f64);
            squares.div_scalar(2.0 * self.prior_std_dev.powi(2)) - sigma.log().sum()
        });
        terms.reduce(|sum, term| sum + term)
    }
}

fn square(x: Tensor<1>) -> Tensor<1> {
    x.clone() * x
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]
mod tests {
    use burn_tensor::{Device, Tensor};
    use labelwise::Seed;
    use labelwise::rng::Stream;

    use super::Radial;
    use crate::inference::numbers;
    use crate::layout::{Initial, Layout, tensor};

    fn total(tensor: Tensor<1>) -> f64 {
        f64::from(numbers(tensor).unwrap()[0])
    }

    #[test]
    fn the_divergence_is_the_one_documented() {
        let device = Device::default();
        let radial = Radial { prior_std_dev: 0.5, ..Radial::default() };
        let (means, rhos) = (vec![0.3_f32, -0.2, 0.1], vec![-1.0_f32, 0.5, -3.0]);
        let divergence = radial.divergence(&[tensor(means.clone(), &device), tensor(rhos.clone(), &device)]);
        let mut expected = 0.0;
        for (mean, rho) in means.iter().zip(&rhos) {
            let sigma = f64::from(*rho).exp().ln_1p();
            expected += (f64::from(*mean).powi(2) + sigma.powi(2) / 3.0) / (2.0 * 0.25) - sigma.ln();
        }
        assert!((total(divergence.unwrap()) - expected).abs() < 1e-5);
    }

    #[test]
    fn the_cross_entropy_in_it_is_the_mean_over_samples() {
        let device = Device::default();
        let radial = Radial::default();
        let (means, rhos) = (vec![0.1_f32, -0.3, 0.2, 0.0], vec![0.5_f32, 1.0, -0.5, 0.0]);
        let posterior = [tensor(means, &device), tensor(rhos.clone(), &device)];
        let mut rng = Seed(2).stream(Stream::Fit, 0);
        let samples = 20_000;
        let mut mean = 0.0;
        for _ in 0..samples {
            let weights = radial.sample(&posterior, &device, &mut rng);
            let squares: f64 =
                numbers(weights[0].clone()).unwrap().iter().map(|&w| f64::from(w).powi(2)).sum();
            mean += squares / (2.0 * 0.25 * 0.25) / f64::from(samples);
        }
        let entropy: f64 = rhos.iter().map(|&rho| f64::from(rho).exp().ln_1p().ln()).sum();
        let expected = total(radial.divergence(&posterior).unwrap()) + entropy;
        assert!((mean / expected - 1.0).abs() < 0.02, "{mean} {expected}");
    }

    #[test]
    fn posteriors_begin_where_the_paper_s_do() {
        let mut weights = Layout::default();
        weights.parameter("w".to_owned(), &[100, 100], Initial::Constant(0.25));
        let layout = Radial::default().posterior(&weights);
        let names: Vec<_> = layout.trained.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["w.mu", "w.rho"]);
        let begun = layout.begin(&Device::default(), &mut Seed(1).stream(Stream::Fit, 0)).trained;
        assert!(numbers(begun[0].clone()).unwrap().iter().all(|&mean| mean == 0.25));
        let rhos: Vec<f64> = numbers(begun[1].clone()).unwrap().into_iter().map(f64::from).collect();
        let mean = rhos.iter().sum::<f64>() / 1e4;
        let variance = rhos.iter().map(|rho| (rho - mean).powi(2)).sum::<f64>() / 1e4;
        assert!((mean + 4.0).abs() < 0.02 && (variance - 0.25).abs() < 0.02, "{mean} {variance}");
    }
}
