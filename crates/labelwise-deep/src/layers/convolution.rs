//! Convolutions.

use burn_tensor::Tensor;
use burn_tensor::module::conv2d;
use burn_tensor::ops::ConvOptions;

use crate::layout::{Initial, Layout, Pass, Slot};

/// How a convolution goes over an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) size: usize,
    pub(crate) stride: usize,
    pub(crate) padding: usize,
}

impl Window {
    /// 3 x 3 pixels, the image padded by one.
    pub(crate) fn three(stride: usize) -> Self {
        Self { size: 3, stride, padding: 1 }
    }

    /// Single pixels.
    pub(crate) fn one(stride: usize) -> Self {
        Self { size: 1, stride, padding: 0 }
    }

    /// Normal with variance 2 / fan-out.
    pub(crate) fn he(self, to: usize) -> Initial {
        let fan_out = (to * self.size * self.size) as f64;
        Initial::Normal { mean: 0.0, std_dev: (2.0 / fan_out).sqrt() as f32 }
    }

    pub(crate) fn options(self) -> ConvOptions<2> {
        ConvOptions::new([self.stride; 2], [self.padding; 2], [1, 1], 1)
    }
}

/// A convolution.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Convolution {
    weight: Slot,
    bias: Option<Slot>,
    shape: [usize; 4],
    window: Window,
}

impl Convolution {
    /// With a bias; weights and biases begin uniform within 1 / √fan-in.
    pub(crate) fn new(layout: &mut Layout, name: &str, channels: [usize; 2], window: Window) -> Self {
        let [from, _] = channels;
        let bound = Initial::Uniform((1.0 / ((from * window.size * window.size) as f64).sqrt()) as f32);
        Self::with_initial(layout, name, channels, window, [bound, bound])
    }

    /// Without a bias; weights begin normal with variance 2 / fan-out (He et al., 2015).
    pub(crate) fn unbiased(layout: &mut Layout, name: &str, [from, to]: [usize; 2], window: Window) -> Self {
        let shape = [to, from, window.size, window.size];
        let weight = layout.parameter(format!("{name}.weight"), &shape, window.he(to));
        Self { weight, bias: None, shape, window }
    }

    /// With a bias; weights and biases begin as said.
    pub(crate) fn with_initial(
        layout: &mut Layout,
        name: &str,
        [from, to]: [usize; 2],
        window: Window,
        [weight, bias]: [Initial; 2],
    ) -> Self {
        let shape = [to, from, window.size, window.size];
        Self {
            weight: layout.parameter(format!("{name}.weight"), &shape, weight),
            bias: Some(layout.parameter(format!("{name}.bias"), &[to], bias)),
            shape,
            window,
        }
    }

    pub(crate) fn forward(&self, pass: &Pass<'_>, images: Tensor<4>) -> Tensor<4> {
        let weight = pass.parameter(self.weight).reshape(self.shape);
        conv2d(images, weight, self.bias.map(|bias| pass.parameter(bias)), self.window.options())
    }
}
