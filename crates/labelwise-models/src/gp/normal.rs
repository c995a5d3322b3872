//! Standard normal numbers for draws of functions.

use labelwise::rng::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// One standard normal number, by the polar method of Marsaglia. Its twin is thrown away, so that nothing but the
/// generator has a state.
pub(super) fn standard_normal(rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let (u, v) = (2.0 * uniform(rng) - 1.0, 2.0 * uniform(rng) - 1.0);
        let square = u * u + v * v;
        if square > 0.0 && square < 1.0 {
            return u * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// A uniform number strictly between 0 and 1.
pub(super) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1_u64 << 53) as f64)
}
