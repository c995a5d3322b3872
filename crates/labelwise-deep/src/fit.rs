//! Training: epochs of batches, each a step of the gradient, until the images held out say that it is enough.

use burn_tensor::activation::log_softmax;
use burn_tensor::{Device, Tensor};
use labelwise::rng::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

use crate::architecture::Plan;
use crate::error::{Error, Result};
use crate::examples::{Batch, Examples};
use crate::inference::{self, Mean};
use crate::layout::{Pass, Weights, mix_in};
use crate::optimiser::Steps;
use crate::random;
use crate::training::Training;

/// What an epoch came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Which, from 1.
    pub epoch: usize,
    /// How many there are at most.
    pub of: usize,
    /// The learning rate of its first step.
    pub rate: f64,
    /// The mean loss of the epoch's batches, each before its step. For a radial posterior it holds the divergence too.
    pub training_loss: f64,
    /// The images held out.
    pub validation: Option<Validation>,
}

/// The network's loss and accuracy on the held-out images.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// The mean cross-entropy.
    pub loss: f64,
    /// The share of images whose likeliest class is theirs.
    pub accuracy: f64,
}

/// A trained network's numbers and how they came about.
pub(crate) struct Fitted {
    pub(crate) weights: Weights,
    pub(crate) history: Vec<Epoch>,
    /// The epoch, from 1, after which the weights were as they are.
    pub(crate) best: usize,
}

/// What there is to train, and how.
pub(crate) struct Fit<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) examples: &'a Examples,
    pub(crate) training: &'a Training,
    pub(crate) device: &'a Device,
    pub(crate) progress: Option<&'a (dyn Fn(&Epoch) + Send + Sync)>,
}

impl Fit<'_> {
    pub(crate) fn run(&self, rng: &mut ChaCha8Rng) -> Result<Fitted> {
        // One generator a purpose: what is augmented does not change how weights begin.
        let [mut begin, mut split, mut order, noise, augmentation] =
            [0; 5].map(|_| ChaCha8Rng::from_rng(rng));
        let training = self.training;
        let (mut rows, held_out) = self.examples.split(training.validation, &mut split)?;
        let Weights { trained, running } = self.plan.layout.begin(self.device, &mut begin);
        let steps = Steps::new(training, trained.len());
        let trained = trained.into_iter().map(|value| value.autodiff().require_grad()).collect();
        let mut state = State { trained, running, steps, noise, augmentation };
        let (mut history, mut best) = (Vec::new(), None::<(f64, usize, Weights)>);
        for done in 0..training.epochs {
            random::shuffle(&mut rows, &mut order);
            let epoch = done + 1;
            let batches = rows.len().div_ceil(training.batch);
            let rate = |step| training.rate.during(done, training.epochs, step, batches);
            let training_loss = self.epoch(&mut state, &rows, &rate)?;
            if !training_loss.is_finite() {
                return Err(Error::Diverged { epoch, loss: training_loss });
            }
            let validation = self.validate(&mut state, &held_out)?;
            let report = Epoch { epoch, of: training.epochs, rate: rate(0), training_loss, validation };
            history.push(report);
            if let Some(progress) = self.progress {
                progress(&report);
            }
            let Some(Validation { loss, .. }) = validation else { continue };
            if best.as_ref().is_none_or(|(least, ..)| loss < *least) {
                best = Some((loss, epoch, state.weights()));
            }
            let since = best.as_ref().map_or(0, |(_, at, _)| epoch - at);
            if training.patience.is_some_and(|patience| since >= patience) {
                break;
            }
        }
        let (best, weights) = match best {
            Some((_, epoch, weights)) => (epoch, weights),
            None => (history.len(), state.weights()),
        };
        if !weights.are_finite()? {
            return Err(Error::Diverged { epoch: best, loss: f64::NAN });
        }
        Ok(Fitted { weights, history, best })
    }

    /// One pass over the rows; gives the mean loss.
    fn epoch(&self, state: &mut State, rows: &[usize], rate: &dyn Fn(usize) -> f64) -> Result<f64> {
        let mut total: Option<Tensor<1>> = None;
        let batches = rows.len().div_ceil(self.training.batch);
        for (step, chunk) in rows.chunks(self.training.batch).enumerate() {
            let batch = match self.training.augmentation {
                None => self.examples.batch(chunk, self.device),
                Some(how) => self.examples.augmented(chunk, how, self.device, &mut state.augmentation),
            };
            let loss = self.step(state, batch, batches, rate(step)).mul_scalar(chunk.len() as f64);
            total = Some(match total {
                Some(total) => total + loss,
                None => loss,
            });
        }
        let total = total.map(inference::numbers).transpose()?;
        let total = total.and_then(|numbers| numbers.first().copied()).unwrap_or_default();
        Ok(f64::from(total) / rows.len() as f64)
    }

    /// One step; gives the loss before it.
    fn step(&self, state: &mut State, batch: Batch, batches: usize, rate: f64) -> Tensor<1> {
        let Batch { images, classes, .. } = batch;
        let (loss, objective) = match &self.plan.radial {
            None => {
                let mut pass = Pass::training(&state.trained, &state.running);
                let loss = cross_entropy(self.plan.net.logits(&mut pass, images), classes);
                let statistics = pass.into_statistics();
                mix_in(&mut state.running, statistics);
                (loss.clone(), loss)
            }
            Some(radial) => {
                let losses = (0..radial.training_samples).map(|_| {
                    let weights = radial.sample(&state.trained, self.device, &mut state.noise);
                    let mut pass = Pass::inference(&weights, &state.running);
                    cross_entropy(self.plan.net.logits(&mut pass, images.clone()), classes.clone())
                });
                let loss = losses.reduce(|sum, loss| sum + loss);
                let loss = loss.map(|sum| sum.div_scalar(radial.training_samples as f64));
                // Each of the epoch's batches has its share of the divergence. The authors divide both terms by the batch
                // size once more; with Adam that matters only relative to the weight decay.
                let share = radial.kl_weight / batches as f64;
                let divergence =
                    radial.divergence(&state.trained).map(|divergence| divergence.mul_scalar(share));
                let loss = [loss, divergence].into_iter().flatten().reduce(|sum, term| sum + term);
                let Some(loss) = loss else { return Tensor::zeros([1], self.device) };
                (loss.clone(), loss.div_scalar(self.training.batch as f64))
            }
        };
        let mut gradients = objective.backward();
        state.steps.step(&mut state.trained, &mut gradients, rate);
        loss.inner()
    }

    /// Loss and accuracy on the rows held out, where there are any.
    fn validate(&self, state: &mut State, rows: &[usize]) -> Result<Option<Validation>> {
        if rows.is_empty() {
            return Ok(None);
        }
        let Weights { trained, running } = state.weights();
        let draws = match &self.plan.radial {
            None => vec![trained],
            Some(radial) => {
                let draw = |_| radial.sample(&trained, self.device, &mut state.noise);
                (0..radial.training_samples).map(draw).collect()
            }
        };
        let (mut loss, mut right) = (0.0, 0);
        for chunk in rows.chunks(inference::BATCH) {
            let batch = self.examples.batch(chunk, self.device);
            let mut mean = Mean::default();
            for weights in &draws {
                let mut pass = Pass::inference(weights, &running);
                let logits = self.plan.net.logits(&mut pass, batch.images.clone());
                mean.add(inference::probabilities(logits)?);
            }
            let probabilities = mean.finish();
            let classes = probabilities.len() / chunk.len();
            for (row, &label) in probabilities.chunks_exact(classes).zip(&batch.labels) {
                let own = row.get(label).copied().unwrap_or(f64::NAN);
                // A probability that underflows is not 0; NaN stays NaN.
                loss -= own.clamp(f64::MIN_POSITIVE, 1.0).ln();
                right += usize::from(row.iter().enumerate().all(|(class, &p)| class == label || p < own));
            }
        }
        let count = rows.len() as f64;
        Ok(Some(Validation { loss: loss / count, accuracy: right as f64 / count }))
    }
}

/// What changes from step to step.
struct State {
    /// These ask for gradients.
    trained: Vec<Tensor<1>>,
    running: Vec<Tensor<1>>,
    steps: Steps,
    noise: ChaCha8Rng,
    augmentation: ChaCha8Rng,
}

impl State {
    fn weights(&self) -> Weights {
        let trained = self.trained.iter().map(|value| value.clone().inner()).collect();
        Weights { trained, running: self.running.clone() }
    }
}

/// The mean of −log p of the labels.
pub(crate) fn cross_entropy(logits: Tensor<2>, classes: Tensor<2>) -> Tensor<1> {
    let [rows, _] = logits.dims();
    (log_softmax(logits, 1) * classes).sum().div_scalar(-(rows as f64))
}
