//! How unlikely a standard normal number is, to fourteen digits and far out too.

use std::f64::consts::{LN_2, LN_10, TAU};

/// From here on a continued fraction takes over from a power series, which loses digits as the tail gets small.
const TAIL: f64 = 2.0;

/// Levels of the continued fraction, which has all its digits with half of them where the tail starts.
const LEVELS: u32 = 100;

/// A probability, and its logarithm to base 10, which is finite even where the probability is too small for a float.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Probability {
    pub(super) value: f64,
    pub(super) log10: f64,
}

impl Probability {
    /// A probability that is not 0.
    pub(super) fn of(value: f64) -> Self {
        Self { value, log10: value.log10() }
    }

    /// Twice as probable, but no more than certain.
    pub(super) fn doubled(self) -> Self {
        if self.value >= 0.5 {
            Self::of(1.0)
        } else {
            Self { value: 2.0 * self.value, log10: self.log10 + LN_2 / LN_10 }
        }
    }
}

/// The probability that a standard normal number is `z` or more.
pub(super) fn above(z: f64) -> Probability {
    if z <= -TAIL {
        let rest = above(-z).value;
        return Probability { value: 1.0 - rest, log10: (-rest).ln_1p() / LN_10 };
    }
    let density = (-0.5 * z * z).exp() / TAU.sqrt();
    if z < TAIL {
        return Probability::of(0.5 - density * series(z));
    }
    let fraction = (1..=LEVELS).rev().fold(z, |below, level| z + f64::from(level) / below);
    let ln = -0.5 * z * z - 0.5 * TAU.ln() - fraction.ln();
    Probability { value: density / fraction, log10: ln / LN_10 }
}

/// z + z³/3 + z⁵/(3·5) + ..., which is what lies between 0 and z over the density at z.
fn series(z: f64) -> f64 {
    let (mut total, mut term, mut odd) = (z, z, 1.0);
    while term.abs() > f64::EPSILON / 8.0 * total.abs() {
        odd += 2.0;
        term *= z * z / odd;
        total += term;
    }
    total
}
