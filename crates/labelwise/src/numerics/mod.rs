//! Arithmetic of our own, because equal inputs and seed must give the same bits, and so the same draws, on every machine.
//!
//! The system's logarithm and exponential differ in their last bit between systems (`logarithm`, [`exponential()`]); wide
//! registers must not change the order of a sum (`lanes`); quadrature nodes must not depend on a library's version
//! (`quadrature`); and weights that remain after others were taken away must not carry rounding errors of those
//! (`sum_tree`).

mod exponential;
mod lanes;
mod logarithm;
mod quadrature;
mod sum_tree;

pub use exponential::{LOWEST, exponential};
pub(crate) use lanes::{
    Eight, LANES, Lanes, SideBySide, TURNED, Turned, Wide, eight_at, expected_losses, moments, one_by_one,
    widely,
};
pub(crate) use logarithm::ln;
pub use logarithm::logarithm;
pub(crate) use quadrature::standard_normal;
pub(crate) use sum_tree::SumTree;
