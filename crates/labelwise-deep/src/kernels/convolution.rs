//! Convolutions and their gradients as matrix products: the windows of a few images are laid side by side, one window a
//! column, so that the product is large enough to be fast and small enough to stay near the processor.

use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::NoCheckpointing;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};
use burn_backend::TensorMetadata;
use burn_backend::ops::FloatTensorOps;
use burn_flex::{Flex, FlexTensor};
use burn_tensor::DType;

use super::Tracked;
use super::number::{Number, numbers, sum, tensor};
use super::windows::{Sizes, fill, spill};
use crate::layers::Window;

/// Images convolved with weights, which gradients go back through.
pub(super) fn tracked(images: &Tracked, weight: &Tracked, bias: Option<&Tracked>, window: Window) -> Tracked {
    let output = forward(images.primitive(), weight.primitive(), bias.map(Tracked::primitive), window);
    let kept = || Kept { images: images.primitive().clone(), weight: weight.primitive().clone(), window };
    match bias {
        None => {
            let nodes = [images.node(), weight.node()];
            match Convolution.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
                OpsKind::Tracked(prepared) => prepared.finish(kept(), output),
                OpsKind::UnTracked(prepared) => prepared.finish(output),
            }
        }
        Some(bias) => {
            let nodes = [images.node(), weight.node(), bias.node()];
            match Convolution.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
                OpsKind::Tracked(prepared) => prepared.finish(kept(), output),
                OpsKind::UnTracked(prepared) => prepared.finish(output),
            }
        }
    }
}

#[derive(Debug)]
struct Convolution;

/// What the gradient needs.
#[derive(Debug, Clone)]
struct Kept {
    images: FlexTensor,
    weight: FlexTensor,
    window: Window,
}

impl Backward<Flex, 2> for Convolution {
    type State = Kept;

    fn backward(self, ops: Ops<Kept, 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let output = gradients.consume::<Flex>(&ops.node);
        let [images, weight] = ops.parents;
        let wanted = [images.is_some(), weight.is_some()];
        let [of_images, of_weight] = backward(&ops.state, &output, wanted);
        for (node, gradient) in [(images, of_images), (weight, of_weight)] {
            if let (Some(node), Some(gradient)) = (node, gradient) {
                gradients.register::<Flex>(node.id, gradient);
            }
        }
    }
}

impl Backward<Flex, 3> for Convolution {
    type State = Kept;

    fn backward(self, ops: Ops<Kept, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let output = gradients.consume::<Flex>(&ops.node).to_contiguous();
        let [images, weight, bias] = ops.parents;
        let wanted = [images.is_some(), weight.is_some()];
        let [of_images, of_weight] = backward(&ops.state, &output, wanted);
        let of_bias = bias.is_some().then(|| match output.dtype() {
            DType::F64 => sums::<f64>(&output),
            _ => sums::<f32>(&output),
        });
        for (node, gradient) in [(images, of_images), (weight, of_weight), (bias, of_bias)] {
            if let (Some(node), Some(gradient)) = (node, gradient) {
                gradients.register::<Flex>(node.id, gradient);
            }
        }
    }
}

/// Images convolved with weights, and a bias added.
pub(super) fn forward(
    images: &FlexTensor,
    weight: &FlexTensor,
    bias: Option<&FlexTensor>,
    window: Window,
) -> FlexTensor {
    let sizes = Sizes::new(images, weight, window);
    let (images, bias) = (images.to_contiguous(), bias.map(FlexTensor::to_contiguous));
    match images.dtype() {
        DType::F64 => forward_in::<f64>(&images, weight, bias.as_ref(), &sizes),
        _ => forward_in::<f32>(&images, weight, bias.as_ref(), &sizes),
    }
}

/// Gradients of images and weights, as far as they are wanted.
fn backward(kept: &Kept, gradient: &FlexTensor, wanted: [bool; 2]) -> [Option<FlexTensor>; 2] {
    let sizes = Sizes::new(&kept.images, &kept.weight, kept.window);
    let (images, gradient) = (kept.images.to_contiguous(), gradient.to_contiguous());
    match images.dtype() {
        DType::F64 => backward_in::<f64>(&images, &kept.weight, &gradient, &sizes, wanted),
        _ => backward_in::<f32>(&images, &kept.weight, &gradient, &sizes, wanted),
    }
}

/// A matrix of windows, to be filled again and again.
fn windows<T: Number>(images: usize, sizes: &Sizes) -> FlexTensor {
    let columns = images * sizes.pixels_after();
    tensor(vec![T::default(); sizes.places * columns], [sizes.places, columns])
}

/// The weights as a matrix, one row a channel that comes out.
fn matrix(weight: &FlexTensor, sizes: &Sizes) -> FlexTensor {
    let [_, to, ..] = sizes.after;
    weight.to_contiguous().reshape([to, sizes.places].into())
}

fn forward_in<T: Number>(
    images: &FlexTensor,
    weight: &FlexTensor,
    bias: Option<&FlexTensor>,
    sizes: &Sizes,
) -> FlexTensor {
    let ([_, from, ..], [rows, to, ..]) = (sizes.before, sizes.after);
    let (before, after) = (sizes.pixels_before(), sizes.pixels_after());
    let weight = matrix(weight, sizes);
    let mut output = vec![T::default(); rows * to * after];
    let mut matrix = windows::<T>(sizes.group, sizes);
    let groups = numbers::<T>(images).chunks(sizes.group * from * before);
    for (group, output) in groups.zip(output.chunks_mut(sizes.group * to * after)) {
        let count = group.len() / (from * before);
        if count != sizes.group {
            matrix = windows::<T>(count, sizes);
        }
        fill(matrix.storage_mut(), group, count, sizes);
        let product = Flex::float_matmul(weight.clone(), matrix.clone());
        let product = numbers::<T>(&product).chunks_exact(after);
        for (index, plane) in product.enumerate() {
            let (channel, image) = (index / count, index % count);
            let target = output.chunks_exact_mut(after).nth(image * to + channel);
            let Some(target) = target else { continue };
            match bias.and_then(|bias| numbers::<T>(bias).get(channel)) {
                None => target.copy_from_slice(plane),
                Some(&bias) => target.iter_mut().zip(plane).for_each(|(y, &x)| *y = x + bias),
            }
        }
    }
    tensor(output, sizes.after)
}

fn backward_in<T: Number>(
    images: &FlexTensor,
    weight: &FlexTensor,
    gradient: &FlexTensor,
    sizes: &Sizes,
    [of_images, of_weight]: [bool; 2],
) -> [Option<FlexTensor>; 2] {
    let ([rows, from, ..], [_, to, ..]) = (sizes.before, sizes.after);
    let (before, after) = (sizes.pixels_before(), sizes.pixels_after());
    let transposed = matrix(weight, sizes).transpose(0, 1);
    let mut image_gradient = of_images.then(|| vec![T::default(); rows * from * before]);
    let mut weight_gradient: Option<FlexTensor> = None;
    let mut matrix = windows::<T>(if of_weight { sizes.group } else { 0 }, sizes);
    let groups = numbers::<T>(images).chunks(sizes.group * from * before);
    let gradients = numbers::<T>(gradient).chunks(sizes.group * to * after);
    for (index, (group, gradient)) in groups.zip(gradients).enumerate() {
        let count = group.len() / (from * before);
        let output = side_by_side(gradient, [count, to, after]);
        if of_weight {
            if count != sizes.group {
                matrix = windows::<T>(count, sizes);
            }
            fill(matrix.storage_mut(), group, count, sizes);
            let product = Flex::float_matmul(output.clone(), matrix.clone().transpose(0, 1));
            weight_gradient = Some(match weight_gradient {
                Some(sum) => Flex::float_add(sum, product),
                None => product,
            });
        }
        if let Some(image_gradient) = &mut image_gradient {
            let mut product = Flex::float_matmul(transposed.clone(), output);
            let start = index * sizes.group * from * before;
            if let Some(target) = image_gradient.get_mut(start..start + group.len()) {
                spill(product.storage_mut(), target, count, sizes);
            }
        }
    }
    let shape = weight.shape();
    [
        image_gradient.map(|numbers| tensor(numbers, sizes.before)),
        weight_gradient.map(|gradient| gradient.reshape(shape)),
    ]
}

/// Channels of some images as the rows of a matrix.
fn side_by_side<T: Number>(images: &[T], [count, channels, pixels]: [usize; 3]) -> FlexTensor {
    let mut rows = Vec::with_capacity(images.len());
    for channel in 0..channels {
        for plane in images.chunks_exact(pixels).skip(channel).step_by(channels) {
            rows.extend_from_slice(plane);
        }
    }
    tensor(rows, [channels, count * pixels])
}

/// The sum of each channel.
fn sums<T: Number>(images: &FlexTensor) -> FlexTensor {
    let [_, channels, height, width]: [usize; 4] = images.shape().dims();
    let mut sums = vec![0.0; channels];
    for (index, plane) in numbers::<T>(images).chunks_exact(height * width).enumerate() {
        if let Some(total) = sums.get_mut(index % channels) {
            *total += sum(plane, plane, |x, _| x);
        }
    }
    tensor(sums.into_iter().map(T::from_f64).collect(), [channels])
}
