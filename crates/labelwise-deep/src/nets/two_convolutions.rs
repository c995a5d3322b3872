//! The network under the radial posterior: two convolutions of 5 x 5 pixels and two fully connected layers.

use burn_tensor::Tensor;
use burn_tensor::activation::relu;

use super::Net;
use crate::Shape;
use crate::layers::{Convolution, Linear, Window, flattened, halved};
use crate::layout::{Initial, Layout, Pass};

/// 16 and 32 channels, 128 hidden units.
pub(crate) struct TwoConvolutions {
    first: Convolution,
    second: Convolution,
    hidden: Linear,
    last: Linear,
}

const WINDOW: Window = Window { size: 5, stride: 1, padding: 0 };

impl TwoConvolutions {
    /// The smallest image of which the convolutions leave a pixel.
    pub(crate) const LEAST: usize = 16;

    pub(crate) fn new(
        layout: &mut Layout,
        shape: Shape,
        classes: usize,
        wide: impl Fn(usize) -> usize,
    ) -> Self {
        let [first, second, hidden] = [16, 32, 128].map(wide);
        let left = |side: usize| ((side - 4) / 2 - 4) / 2;
        let flat = second * left(shape.height) * left(shape.width);
        Self {
            first: convolution(layout, "first", [shape.channels, first]),
            second: convolution(layout, "second", [first, second]),
            hidden: linear(layout, "hidden", [flat, hidden]),
            last: linear(layout, "last", [hidden, classes]),
        }
    }
}

/// The authors' beginnings: uniform as He et al. (2015) for a rectifier that leaks by √1.92.
fn convolution(layout: &mut Layout, name: &str, channels: [usize; 2]) -> Convolution {
    let [from, _] = channels;
    let fan_in = (from * WINDOW.size * WINDOW.size) as f64;
    let weight = Initial::Uniform((6.0 / (1.0 + 1.92) / fan_in).sqrt() as f32);
    let bias = Initial::Uniform((1.0 / fan_in.sqrt()) as f32);
    Convolution::with_initial(layout, name, channels, WINDOW, [weight, bias])
}

/// The authors' beginnings: normal with variance 1.92 / fan-in, the biases too.
fn linear(layout: &mut Layout, name: &str, shape: [usize; 2]) -> Linear {
    let [from, _] = shape;
    let normal = Initial::Normal { mean: 0.0, std_dev: (1.92 / from as f64).sqrt() as f32 };
    Linear::with_initial(layout, name, shape, [normal, normal])
}

impl Net for TwoConvolutions {
    fn logits(&self, pass: &mut Pass<'_>, images: Tensor<4>) -> Tensor<2> {
        let x = relu(halved(self.first.forward(pass, images)));
        let x = relu(halved(self.second.forward(pass, x)));
        let x = relu(self.hidden.forward(pass, flattened(x)));
        self.last.forward(pass, x)
    }
}
