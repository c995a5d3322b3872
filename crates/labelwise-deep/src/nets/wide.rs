//! Wide residual networks (Zagoruyko and Komodakis, 2016): normalisation and rectifier come before each convolution.

use burn_tensor::Tensor;
use burn_tensor::activation::relu;

use super::Net;
use crate::layers::{Convolution, Linear, Norm, Normalised, Window, averaged};
use crate::layout::{Layout, Pass};

/// A stem, three groups of blocks, a last normalisation, the mean of each channel and a fully connected layer.
pub(crate) struct WideResNet {
    stem: Convolution,
    blocks: Vec<Block>,
    norm: Norm,
    last: Linear,
}

struct Block {
    norm: Norm,
    /// The first convolution and the normalisation before the second.
    first: Normalised,
    second: Convolution,
    shortcut: Option<Convolution>,
}

impl WideResNet {
    /// A depth of 6n + 4 has n blocks a group.
    pub(crate) fn new(
        layout: &mut Layout,
        [depth, widen]: [usize; 2],
        [channels, classes]: [usize; 2],
        wide: impl Fn(usize) -> usize,
    ) -> Self {
        let mut from = wide(16);
        let stem = Convolution::unbiased(layout, "stem", [channels, from], Window::three(1));
        let mut blocks = Vec::new();
        for (group, (to, stride)) in [16, 32, 64].into_iter().zip([1, 2, 2]).enumerate() {
            let to = wide(to * widen);
            for block in 0..(depth - 4) / 6 {
                let stride = if block == 0 { stride } else { 1 };
                let name = format!("group{}.block{}", group + 1, block + 1);
                blocks.push(Block::new(layout, &name, [from, to], stride));
                from = to;
            }
        }
        let norm = Norm::new(layout, "norm", from);
        Self { stem, blocks, norm, last: Linear::new(layout, "last", [from, classes]) }
    }
}

impl Block {
    fn new(layout: &mut Layout, name: &str, [from, to]: [usize; 2], stride: usize) -> Self {
        Self {
            norm: Norm::new(layout, &format!("{name}.norm"), from),
            first: Normalised::new(layout, &format!("{name}.first"), [from, to], Window::three(stride)),
            second: Convolution::unbiased(layout, &format!("{name}.second"), [to, to], Window::three(1)),
            shortcut: (stride != 1 || from != to).then(|| {
                Convolution::unbiased(layout, &format!("{name}.shortcut"), [from, to], Window::one(stride))
            }),
        }
    }

    fn forward(&self, pass: &mut Pass<'_>, x: Tensor<4>) -> Tensor<4> {
        let normed = relu(self.norm.forward(pass, x.clone()));
        let shortcut = match &self.shortcut {
            Some(shortcut) => shortcut.forward(pass, normed.clone()),
            None => x,
        };
        let branch = relu(self.first.forward(pass, normed));
        self.second.forward(pass, branch) + shortcut
    }
}

impl Net for WideResNet {
    fn logits(&self, pass: &mut Pass<'_>, images: Tensor<4>) -> Tensor<2> {
        let mut x = self.stem.forward(pass, images);
        for block in &self.blocks {
            x = block.forward(pass, x);
        }
        let x = relu(self.norm.forward(pass, x));
        self.last.forward(pass, averaged(x))
    }
}
