//! Residual networks (He et al., 2016) for small images: a stem of 3 x 3 pixels that halves nothing.

use burn_tensor::Tensor;
use burn_tensor::activation::relu;

use super::Net;
use crate::layers::{Linear, Normalised, Window, averaged};
use crate::layout::{Layout, Pass};

/// A stem, four stages of blocks, the mean of each channel and a fully connected layer.
pub(crate) struct ResNet {
    stem: Normalised,
    blocks: Vec<Block>,
    last: Linear,
}

/// What is added to the shortcut: two convolutions of 3 x 3 pixels, or one between two of single pixels.
struct Block {
    branch: Vec<Normalised>,
    shortcut: Option<Normalised>,
}

/// The kind of a network's blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// Two convolutions of 3 x 3 pixels, as in ResNet-18 and 34.
    Basic,
    /// One of 3 x 3 pixels between two of single pixels, as in ResNet-50; four times as many channels come out.
    Bottleneck,
}

impl ResNet {
    pub(crate) fn new(
        layout: &mut Layout,
        blocks: Blocks,
        depths: [usize; 4],
        [channels, classes]: [usize; 2],
        wide: impl Fn(usize) -> usize,
    ) -> Self {
        let mut from = wide(64);
        let stem = Normalised::new(layout, "stem", [channels, from], Window::three(1));
        let stages = depths.into_iter().zip([64, 128, 256, 512]).zip([1, 2, 2, 2]);
        let mut all = Vec::new();
        for (stage, ((depth, inner), stride)) in stages.enumerate() {
            let inner = wide(inner);
            for block in 0..depth {
                let stride = if block == 0 { stride } else { 1 };
                let name = format!("stage{}.block{}", stage + 1, block + 1);
                let made = Block::new(layout, &name, blocks, [from, inner], stride);
                from = blocks.outer(inner);
                all.push(made);
            }
        }
        Self { stem, blocks: all, last: Linear::new(layout, "last", [from, classes]) }
    }
}

impl Blocks {
    /// The channels that come out of a block.
    fn outer(self, inner: usize) -> usize {
        match self {
            Self::Basic => inner,
            Self::Bottleneck => 4 * inner,
        }
    }
}

impl Block {
    fn new(
        layout: &mut Layout,
        name: &str,
        blocks: Blocks,
        [from, inner]: [usize; 2],
        stride: usize,
    ) -> Self {
        let outer = blocks.outer(inner);
        let steps = match blocks {
            Blocks::Basic => vec![([from, inner], Window::three(stride)), ([inner, inner], Window::three(1))],
            Blocks::Bottleneck => vec![
                ([from, inner], Window::one(1)),
                ([inner, inner], Window::three(stride)),
                ([inner, outer], Window::one(1)),
            ],
        };
        let branch = steps.into_iter().enumerate().map(|(step, (channels, window))| {
            Normalised::new(layout, &format!("{name}.step{}", step + 1), channels, window)
        });
        let branch = branch.collect();
        let shortcut = (stride != 1 || from != outer).then(|| {
            Normalised::new(layout, &format!("{name}.shortcut"), [from, outer], Window::one(stride))
        });
        Self { branch, shortcut }
    }

    fn forward(&self, pass: &mut Pass<'_>, x: Tensor<4>) -> Tensor<4> {
        let mut branch = x.clone();
        for (step, layer) in self.branch.iter().enumerate() {
            if step > 0 {
                branch = relu(branch);
            }
            branch = layer.forward(pass, branch);
        }
        let shortcut = match &self.shortcut {
            Some(shortcut) => shortcut.forward(pass, x),
            None => x,
        };
        relu(branch + shortcut)
    }
}

impl Net for ResNet {
    fn logits(&self, pass: &mut Pass<'_>, images: Tensor<4>) -> Tensor<2> {
        let mut x = relu(self.stem.forward(pass, images));
        for block in &self.blocks {
            x = block.forward(pass, x);
        }
        self.last.forward(pass, averaged(x))
    }
}
