//! One seed, named streams: every random number is a function of the seed, its purpose and a counter, so nothing
//! but the seed has to be kept to resume.

/// The generator that learners and surrogates are given.
pub use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The seed of everything random in an evaluation.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::Seed;
/// let seed = Seed(7);
/// assert_eq!(seed.stream(Stream::Fit, 3), seed.stream(Stream::Fit, 3));
/// assert_ne!(seed.stream(Stream::Fit, 3), seed.stream(Stream::Draw, 3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seed(
    /// Any number.
    pub u64,
);

/// What randomness is for. Fitting has a stream of its own: otherwise a paired comparison of two strategies turns
/// to noise as soon as one of them fits once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Making data.
    Data,
    /// Splitting data.
    Split,
    /// Drawing items.
    Draw,
    /// Fitting surrogates.
    Fit,
}

impl Seed {
    /// The seed of the n-th of many repetitions, by the finaliser of SplitMix64: far apart from one another.
    pub fn repetition(self, n: u64) -> Self {
        let mut z = self.0.wrapping_add((n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self(z ^ (z >> 31))
    }

    /// The generator for a purpose and the `counter`-th use of it (for draws and fits: the refresh).
    pub fn stream(self, stream: Stream, counter: u64) -> ChaCha8Rng {
        let purpose = match stream {
            Stream::Data => 1_u64,
            Stream::Split => 2,
            Stream::Draw => 3,
            Stream::Fit => 4,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(self.0);
        rng.set_stream((purpose << 56) | (counter & ((1 << 56) - 1)));
        rng
    }
}

/// A uniform number strictly between 0 and 1.
pub(crate) fn open01(rng: &mut ChaCha8Rng) -> f64 {
    // 52 bits and a half are exact in a float, so that 1 is never reached.
    ((rng.next_u64() >> 12) as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64)
}

#[cfg(test)]
mod tests {
    use super::Seed;

    #[test]
    fn repetitions_have_the_seeds_of_splitmix64() {
        // The first numbers of the published generator when started at 1234567.
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([0, 1, 2].map(|n| Seed(1_234_567).repetition(n).0), expected);
    }
}
