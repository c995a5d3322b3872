//! A small convolutional network, for surrogates that must be cheap.

use burn_tensor::Tensor;
use burn_tensor::activation::relu;

use super::Net;
use crate::Shape;
use crate::layers::{Convolution, Linear, Window, flattened, halved};
use crate::layout::{Layout, Pass};

/// Two convolutions of 3 x 3 pixels, each halved by its maxima, and two fully connected layers.
pub(crate) struct SmallCnn {
    first: Convolution,
    second: Convolution,
    hidden: Linear,
    last: Linear,
}

impl SmallCnn {
    /// Twice halved, an image must have a pixel left.
    pub(crate) const LEAST: usize = 4;

    pub(crate) fn new(
        layout: &mut Layout,
        shape: Shape,
        classes: usize,
        wide: impl Fn(usize) -> usize,
    ) -> Self {
        let [first, second, hidden] = [32, 64, 128].map(wide);
        let flat = second * (shape.height / 4) * (shape.width / 4);
        Self {
            first: Convolution::new(layout, "first", [shape.channels, first], Window::three(1)),
            second: Convolution::new(layout, "second", [first, second], Window::three(1)),
            hidden: Linear::new(layout, "hidden", [flat, hidden]),
            last: Linear::new(layout, "last", [hidden, classes]),
        }
    }
}

impl Net for SmallCnn {
    fn logits(&self, pass: &mut Pass<'_>, images: Tensor<4>) -> Tensor<2> {
        // Maxima commute with the rectifier, which then has a quarter of the numbers to go over.
        let x = relu(halved(self.first.forward(pass, images)));
        let x = relu(halved(self.second.forward(pass, x)));
        let x = relu(self.hidden.forward(pass, flattened(x)));
        self.last.forward(pass, x)
    }
}
