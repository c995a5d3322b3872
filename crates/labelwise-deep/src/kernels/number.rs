//! The numbers that kernels are made for: f32, and f64 in which their gradients are checked.

use std::ops::{Add, AddAssign, Mul, Sub};

use burn_flex::FlexTensor;
use burn_tensor::{Element, TensorData};
use bytemuck::Pod;

/// A floating-point number.
pub(super) trait Number:
    Element + Pod + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + AddAssign + Into<f64>
{
    /// The nearest number.
    fn from_f64(value: f64) -> Self;
}

impl Number for f32 {
    fn from_f64(value: f64) -> Self {
        value as Self
    }
}

impl Number for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
}

/// A tensor of these numbers.
pub(super) fn tensor<T: Number, const D: usize>(numbers: Vec<T>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(numbers, shape))
}

/// All numbers of a tensor that was made contiguous.
pub(super) fn numbers<T: Number>(tensor: &FlexTensor) -> &[T] {
    tensor.as_slice().unwrap_or_default()
}

/// The sum of f over pairs of numbers, in several lanes so that vector registers are filled.
pub(super) fn sum<T: Number>(one: &[T], other: &[T], f: impl Fn(T, T) -> T) -> f64 {
    const LANES: usize = 32;
    let mut lanes = [T::default(); LANES];
    let (ones, rest_of_one) = one.as_chunks::<LANES>();
    let (others, rest_of_other) = other.as_chunks::<LANES>();
    for (one, other) in ones.iter().zip(others) {
        for (lane, (&x, &y)) in lanes.iter_mut().zip(one.iter().zip(other)) {
            *lane += f(x, y);
        }
    }
    let rest = rest_of_one.iter().zip(rest_of_other).map(|(&x, &y)| f(x, y).into()).sum::<f64>();
    lanes.iter().map(|&lane| lane.into()).sum::<f64>() + rest
}
