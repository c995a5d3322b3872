//! Random numbers for synthetic data, made from the raw stream.

use labelwise::rng::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// A uniform number strictly between 0 and 1.
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 12) as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64)
}

/// A standard normal number, by Box and Muller.
pub(super) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * uniform(rng).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(rng)).cos()
}

/// Puts things into a random order, by Fisher and Yates.
pub(super) fn shuffle<T>(things: &mut [T], rng: &mut ChaCha8Rng) {
    for last in (1..things.len()).rev() {
        // The bias of a product of 64 bits is below 1e-16 for any pool that fits in memory.
        let other = (u128::from(rng.next_u64()) * (last as u128 + 1)) >> 64;
        things.swap(last, other as usize);
    }
}
