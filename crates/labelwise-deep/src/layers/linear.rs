//! Fully connected layers.

use burn_tensor::Tensor;

use crate::layout::{Initial, Layout, Pass, Slot};

/// A matrix and a bias.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Linear {
    weight: Slot,
    bias: Slot,
    shape: [usize; 2],
}

impl Linear {
    /// Weights and biases begin uniform within 1 / √fan-in.
    pub(crate) fn new(layout: &mut Layout, name: &str, shape: [usize; 2]) -> Self {
        let [from, _] = shape;
        let bound = Initial::Uniform((1.0 / (from as f64).sqrt()) as f32);
        Self::with_initial(layout, name, shape, [bound, bound])
    }

    /// Weights and biases begin as said.
    pub(crate) fn with_initial(
        layout: &mut Layout,
        name: &str,
        shape: [usize; 2],
        [weight, bias]: [Initial; 2],
    ) -> Self {
        let [_, to] = shape;
        Self {
            weight: layout.parameter(format!("{name}.weight"), &shape, weight),
            bias: layout.parameter(format!("{name}.bias"), &[to], bias),
            shape,
        }
    }

    pub(crate) fn forward(&self, pass: &Pass<'_>, rows: Tensor<2>) -> Tensor<2> {
        let [_, to] = self.shape;
        let weight = pass.parameter(self.weight).reshape(self.shape);
        rows.matmul(weight) + pass.parameter(self.bias).reshape([1, to])
    }
}
