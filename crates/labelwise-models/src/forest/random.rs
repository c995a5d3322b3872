//! Random numbers of one tree: a ChaCha8 stream of its own, so that a tree is the same whichever thread grows it and
//! whatever the other trees drew.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The stream of one tree.
pub(super) struct Random(ChaCha8Rng);

/// Where the trees of a forest get their streams from.
pub(super) struct Streams([u8; 32]);

impl Streams {
    /// Takes one key from the generator that the fit was given.
    pub(super) fn new(rng: &mut ChaCha8Rng) -> Self {
        let mut key = [0; 32];
        rng.fill_bytes(&mut key);
        Self(key)
    }

    /// The stream of the tree at this place in the forest.
    pub(super) fn tree(&self, place: usize) -> Random {
        let mut rng = ChaCha8Rng::from_seed(self.0);
        rng.set_stream(place as u64);
        Random(rng)
    }
}

impl Random {
    /// A uniform whole number below `bound`, without bias (Lemire 2019): the high half of a product, drawn again in
    /// the rare case that the low half falls where one number would come up too often.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        let mut product = u64::from(self.0.next_u32()) * u64::from(bound);
        if (product as u32) < bound {
            let excess = bound.wrapping_neg() % bound.max(1);
            while (product as u32) < excess {
                product = u64::from(self.0.next_u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// A uniform number in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
