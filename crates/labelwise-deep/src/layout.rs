//! The parameters of a network: what they are called, their shapes and how they begin. Every parameter is a flat tensor
//! that a layer shapes as it needs it, so that optimisers and checkpoints know a single kind.

use burn_tensor::{Device, Tensor, TensorData};
use labelwise::rng::ChaCha8Rng;

use crate::error::Result;
use crate::{inference, random};

/// How the numbers of a parameter begin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Initial {
    Constant(f32),
    Normal {
        mean: f32,
        std_dev: f32,
    },
    /// Between −b and b.
    Uniform(f32),
}

/// One parameter, or one running statistic.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) initial: Initial,
}

impl Entry {
    pub(crate) fn size(&self) -> usize {
        self.shape.iter().product()
    }

    fn begin(&self, rng: &mut ChaCha8Rng) -> Vec<f32> {
        match self.initial {
            Initial::Constant(value) => vec![value; self.size()],
            Initial::Normal { mean, std_dev } => {
                let mut numbers = random::normals(self.size(), rng);
                numbers.iter_mut().for_each(|x| *x = mean + std_dev * *x);
                numbers
            }
            Initial::Uniform(bound) => {
                let bound = f64::from(bound);
                (0..self.size()).map(|_| (bound * (2.0 * random::uniform(rng) - 1.0)) as f32).collect()
            }
        }
    }
}

/// A place among the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(usize);

/// A place among the running statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunningSlot(usize);

/// All parameters of a network, which gradients change, and its running statistics, which batches change.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Layout {
    pub(crate) trained: Vec<Entry>,
    pub(crate) running: Vec<Entry>,
}

impl Layout {
    pub(crate) fn parameter(&mut self, name: String, shape: &[usize], initial: Initial) -> Slot {
        self.trained.push(Entry { name, shape: shape.to_vec(), initial });
        Slot(self.trained.len() - 1)
    }

    pub(crate) fn statistic(&mut self, name: String, size: usize, value: f32) -> RunningSlot {
        self.running.push(Entry { name, shape: vec![size], initial: Initial::Constant(value) });
        RunningSlot(self.running.len() - 1)
    }

    /// How many numbers are trained.
    pub(crate) fn size(&self) -> usize {
        self.trained.iter().map(Entry::size).sum()
    }

    pub(crate) fn begin(&self, device: &Device, rng: &mut ChaCha8Rng) -> Weights {
        let mut tensors = |entries: &[Entry]| -> Vec<Tensor<1>> {
            entries.iter().map(|entry| tensor(entry.begin(rng), device)).collect()
        };
        Weights { trained: tensors(&self.trained), running: tensors(&self.running) }
    }
}

/// The numbers of a network, as its [`Layout`] names them.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    pub(crate) trained: Vec<Tensor<1>>,
    pub(crate) running: Vec<Tensor<1>>,
}

impl Weights {
    /// Whether all of them are numbers.
    pub(crate) fn are_finite(&self) -> Result<bool> {
        for tensor in self.trained.iter().chain(&self.running) {
            if !inference::numbers(tensor.clone())?.iter().all(|value| value.is_finite()) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

pub(crate) fn tensor(numbers: Vec<f32>, device: &Device) -> Tensor<1> {
    let size = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [size]), device)
}

/// One way through a network.
pub(crate) struct Pass<'a> {
    trained: &'a [Tensor<1>],
    running: &'a [Tensor<1>],
    /// Statistics of the batch, in training; where there are none, layers use the running ones.
    batch: Option<Vec<Statistic>>,
}

/// Mean or variance of a batch, to be mixed into the running one.
pub(crate) struct Statistic {
    slot: RunningSlot,
    value: Tensor<1>,
}

/// How much of a running statistic a batch replaces; PyTorch's default.
const MOMENTUM: f32 = 0.1;

#[allow(
    clippy::indexing_slicing,
    reason = "slots are given out by the layout that the tensors were made from"
)]
impl<'a> Pass<'a> {
    pub(crate) fn training(trained: &'a [Tensor<1>], running: &'a [Tensor<1>]) -> Self {
        Self { trained, running, batch: Some(Vec::new()) }
    }

    pub(crate) fn inference(trained: &'a [Tensor<1>], running: &'a [Tensor<1>]) -> Self {
        Self { trained, running, batch: None }
    }

    pub(crate) fn is_training(&self) -> bool {
        self.batch.is_some()
    }

    #[cfg(test)]
    pub(crate) fn all(&self) -> &'a [Tensor<1>] {
        self.trained
    }

    pub(crate) fn parameter(&self, slot: Slot) -> Tensor<1> {
        self.trained[slot.0].clone()
    }

    pub(crate) fn running(&self, slot: RunningSlot) -> Tensor<1> {
        self.running[slot.0].clone()
    }

    pub(crate) fn record(&mut self, slot: RunningSlot, value: Tensor<1>) {
        if let Some(batch) = &mut self.batch {
            batch.push(Statistic { slot, value: value.inner() });
        }
    }

    /// What the batch's statistics were.
    pub(crate) fn into_statistics(self) -> Vec<Statistic> {
        self.batch.unwrap_or_default()
    }
}

#[allow(
    clippy::indexing_slicing,
    reason = "slots are given out by the layout that the tensors were made from"
)]
pub(crate) fn mix_in(running: &mut [Tensor<1>], statistics: Vec<Statistic>) {
    for Statistic { slot, value } in statistics {
        let before = running[slot.0].clone();
        running[slot.0] = before.mul_scalar(1.0 - MOMENTUM) + value.mul_scalar(MOMENTUM);
    }
}
