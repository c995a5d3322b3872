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
                Optimiser::Sgd { momentum, nesterov } => memory.momentum(gradient, momentum, nesterov),
                Optimiser::Adam => memory.adam(gradient, self.count),
            };
            *parameter = (value - direction.mul_scalar(rate)).autodiff().require_grad();
        }
    }
}

impl Memory {
    fn momentum(&mut self, gradient: Tensor<1>, momentum: f64, nesterov: bool) -> Tensor<1> {
        let direction = match self.first.take() {
            Some(last) => last.mul_scalar(momentum) + gradient.clone(),
            None => gradient.clone(),
        };
        self.first = Some(direction.clone());
        if nesterov { gradient + direction.mul_scalar(momentum) } else { direction }
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may fail loudly")]
mod tests {
    use burn_tensor::{DType, Device, Tensor, TensorData};

    use super::Steps;
    use crate::training::{Optimiser, Training};

    fn doubles(numbers: [f64; 3]) -> Tensor<1> {
        Tensor::from_data(TensorData::new(numbers.to_vec(), [3]), (&Device::default(), DType::F64))
    }

    fn sgd(momentum: f64, nesterov: bool) -> Optimiser {
        Optimiser::Sgd { momentum, nesterov }
    }

    /// Three steps down a bowl, the last half as large.
    fn stepped(optimiser: Optimiser, weight_decay: f64) -> Vec<f64> {
        let training = Training { optimiser, weight_decay, ..Training::resnet() };
        let mut steps = Steps::new(&training, 1);
        let mut parameters = [doubles([1.0, -2.0, 0.5]).autodiff().require_grad()];
        for rate in [0.1, 0.1, 0.05] {
            let [w] = parameters.clone();
            let bowl = w.clone() * w.clone() * doubles([0.5, 0.15, 1.0]) - w * doubles([0.2, -0.1, 1.0]);
            steps.step(&mut parameters, &mut bowl.sum().backward(), rate);
        }
        let [w] = parameters;
        w.inner().into_data_as::<f64>().try_into_vec().unwrap()
    }

    #[test]
    fn steps_are_those_of_pytorch() {
        // torch.optim.SGD and Adam of PyTorch 2.9.0 on the same bowl, in f64.
        let cases = [
            (sgd(0.9, false), 0.01, [0.678_656_759_5, -1.783_389_814, 0.498_153_849_75]),
            (sgd(0.9, true), 0.01, [0.556_134_148_310_5, -1.684_814_129_026, 0.497_646_251_885_25]),
            (sgd(0.0, false), 0.0, [0.815_6, -1.877_977_5, 0.5]),
            (Optimiser::Adam, 0.01, [0.751_388_886_635, -1.750_493_563_032, 0.507_787_476_995]),
        ];
        for (optimiser, decay, expected) in cases {
            for (own, expected) in stepped(optimiser, decay).into_iter().zip(expected) {
                assert!((own - expected).abs() < 1e-9, "{optimiser:?}: {own} {expected}");
            }
        }
    }
}
