//! Steps of gradients.

use burn_tensor::{Gradients, Tensor};

use crate::training::{Optimiser, Training};

/// Adam's constants.
const BETAS: [f64; 2] = [0.9, 0.999];
const EPSILON: f64 = 1e-8;

/// What an optimiser remembers of each parameter.
pub(crate) struct Steps {
    optimiser: Optimiser,
    weight_decay: f64,
    memory: Vec<Memory>,
    /// Steps made.
    count: i32,
}

#[derive(Clone, Default)]
struct Memory {
    first: Option<Tensor<1>>,
    second: Option<Tensor<1>>,
}

impl Steps {
    pub(crate) fn new(training: &Training, parameters: usize) -> Self {
        let Training { optimiser, weight_decay, .. } = *training;
        Self { optimiser, weight_decay, memory: vec![Memory::default(); parameters], count: 0 }
    }

    /// Moves all parameters, which ask for gradients again afterwards.
    pub(crate) fn step(&mut self, parameters: &mut [Tensor<1>], gradients: &mut Gradients, rate: f64) {
        self.count = self.count.saturating_add(1);
        for (parameter, memory) in parameters.iter_mut().zip(&mut self.memory) {
            let Some(gradient) = parameter.grad_remove(gradients) else { continue };
            let value = parameter.clone().inner();
            let gradient = match self.weight_decay {
                0.0 => gradient,
                decay => gradient + value.clone().mul_scalar(decay),
            };
            let direction = match self.optimiser {
                Optimiser::Sgd { momentum } => memory.momentum(gradient, momentum),
                Optimiser::Adam => memory.adam(gradient, self.count),
            };
            *parameter = (value - direction.mul_scalar(rate)).autodiff().require_grad();
        }
    }
}

impl Memory {
    fn momentum(&mut self, gradient: Tensor<1>, momentum: f64) -> Tensor<1> {
        let direction = match self.first.take() {
            Some(last) => last.mul_scalar(momentum) + gradient,
            None => gradient,
        };
        self.first = Some(direction.clone());
        direction
    }

    fn adam(&mut self, gradient: Tensor<1>, count: i32) -> Tensor<1> {
        let [first, second] = BETAS;
        let square = gradient.clone() * gradient.clone();
        let mean = mixed(self.first.take(), gradient, first);
        let variance = mixed(self.second.take(), square, second);
        self.first = Some(mean.clone());
        self.second = Some(variance.clone());
        // Both began at 0, which the divisors make up for.
        let scale = variance.div_scalar(1.0 - second.powi(count)).sqrt().add_scalar(EPSILON);
        mean.div_scalar(1.0 - first.powi(count)) / scale
    }
}

fn mixed(before: Option<Tensor<1>>, now: Tensor<1>, share: f64) -> Tensor<1> {
    let now = now.mul_scalar(1.0 - share);
    match before {
        Some(before) => before.mul_scalar(share) + now,
        None => now,
    }
}
