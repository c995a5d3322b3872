//! Convolutions and batch normalisation by libtorch, and their gradients by its own graph. burn's backend for libtorch has
//! no gradients of its own: it makes those of weights by convolving whole batches with one another.

use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::NoCheckpointing;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};
use burn_backend::BackendTypes;
use burn_tch::{LibTorch, TchTensor};
use burn_tensor::Tensor;
use burn_tensor::module::BatchNormTrainOutput;
use tch::Tensor as Torch;

use crate::layers::Window;

/// A tensor of libtorch that may be asked for gradients.
type Tracked = <Autodiff<LibTorch> as BackendTypes>::FloatTensorPrimitive;

/// Images convolved with weights, and a bias added; nothing where they are not libtorch's, or want no gradients.
pub(super) fn convolved(
    images: &Tensor<4>,
    weight: &Tensor<4>,
    bias: &Option<Tensor<1>>,
    window: Window,
) -> Option<Tensor<4>> {
    let [stride, padding] = [window.stride, window.padding].map(|size| [size as i64; 2]);
    let (images, weight) = (tracked(images)?, tracked(weight)?);
    let output = match bias {
        None => Graph::new([&images, &weight]).finish(|[images, weight]| {
            images.f_conv2d(weight, None::<Torch>, stride, padding, [1, 1], 1).map(|output| (output, ()))
        }),
        Some(bias) => Graph::new([&images, &weight, &tracked(bias)?]).finish(|[images, weight, bias]| {
            images.f_conv2d(weight, Some(bias), stride, padding, [1, 1], 1).map(|output| (output, ()))
        }),
    };
    output.map(|(output, ())| Tensor::from_primitive::<Autodiff<LibTorch>>(output))
}

/// Images normalised by their own means and variances, which come with them; nothing where they are not libtorch's.
pub(super) fn normalised(
    images: &Tensor<4>,
    gamma: &Tensor<1>,
    beta: &Tensor<1>,
    epsilon: f64,
) -> Option<BatchNormTrainOutput<4>> {
    let (x, gamma, beta) = (tracked(images)?, tracked(gamma)?, tracked(beta)?);
    let (output, (mean, inverse)) = Graph::new([&x, &gamma, &beta]).finish(|[x, gamma, beta]| {
        let none = None::<&Torch>;
        let (output, mean, inverse) =
            x.f_native_batch_norm(Some(gamma), Some(beta), none, none, true, 0.0, epsilon)?;
        Ok((output, (mean, inverse)))
    })?;
    // Copies, since libtorch keeps these for the gradient, and burn writes over what it has alone.
    let plain = |tensor: Torch| Tensor::from_primitive::<LibTorch>(TchTensor::new(tensor.detach().copy()));
    let inverse: Tensor<1> = plain(inverse);
    let variance = (inverse.clone() * inverse).recip() - epsilon;
    Some(BatchNormTrainOutput {
        output: Tensor::from_primitive::<Autodiff<LibTorch>>(output),
        mean: plain(mean),
        variance,
    })
}

fn tracked<const D: usize>(tensor: &Tensor<D>) -> Option<Tracked> {
    tensor.clone().autodiff().try_into_primitive::<Autodiff<LibTorch>>().ok()
}

/// A computation whose gradients are libtorch's business.
struct Graph<'a, const N: usize> {
    inputs: [&'a Tracked; N],
}

/// What libtorch's graph hangs on. The tensors are burn's too, which does not write over what is held by others.
#[derive(Debug, Clone)]
struct Kept<const N: usize> {
    held: Vec<TchTensor>,
    leaves: [TchTensor; N],
    output: TchTensor,
}

#[derive(Debug)]
struct Computed;

impl<'a, const N: usize> Graph<'a, N>
where
    Computed: Backward<LibTorch, N, State = Kept<N>>,
{
    fn new(inputs: [&'a Tracked; N]) -> Self {
        Self { inputs }
    }

    /// Computes, and takes the output and whatever else comes into burn's graph.
    fn finish<T>(
        self,
        compute: impl FnOnce(&[Torch; N]) -> Result<(Torch, T), tch::TchError>,
    ) -> Option<(Tracked, T)> {
        let held: Vec<TchTensor> = self.inputs.iter().map(|input| input.primitive().clone()).collect();
        let leaves = self.inputs.map(|input| input.primitive().tensor.detach().set_requires_grad(true));
        let (output, others) = compute(&leaves).ok()?;
        let output = TchTensor::new(output);
        let given = TchTensor { tensor: output.tensor.detach(), storage: output.storage.clone() };
        let nodes = self.inputs.map(Tracked::node);
        let tracked = match Computed.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                prepared.finish(Kept { held, leaves: leaves.map(TchTensor::new), output }, given)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(given),
        };
        Some((tracked, others))
    }
}

macro_rules! backward {
    ($inputs:literal) => {
        impl Backward<LibTorch, $inputs> for Computed {
            type State = Kept<$inputs>;

            fn backward(
                self,
                ops: Ops<Self::State, $inputs>,
                gradients: &mut Gradients,
                _: &mut Checkpointer,
            ) {
                let gradient = gradients.consume::<LibTorch>(&ops.node).tensor;
                let Kept { held, leaves, output } = ops.state;
                // The gradient of this sum is the one that is wanted.
                let sum = output.tensor.flatten(0, -1).dot(&gradient.flatten(0, -1));
                let wanted: Vec<_> = ops
                    .parents
                    .into_iter()
                    .zip(leaves)
                    .filter_map(|(node, leaf)| Some((node?, leaf)))
                    .collect();
                let leaves: Vec<&Torch> = wanted.iter().map(|(_, leaf)| &leaf.tensor).collect();
                let made = Torch::run_backward(&[sum], &leaves, false, false);
                drop(held);
                for ((node, _), gradient) in wanted.iter().zip(made) {
                    gradients.register::<LibTorch>(node.id, TchTensor::new(gradient));
                }
            }
        }
    };
}

backward!(2);
backward!(3);
