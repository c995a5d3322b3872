//! Two moons: two half circles that reach into one another, one per class.

use std::f64::consts::PI;

use labelwise::rng::Stream;
use labelwise::{Classification, Result, Seed};

use super::random::normal;
use super::{Labelled, Split};

/// Two half circles with Gaussian noise on both coordinates, as scikit-learn's `make_moons` has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moons {
    /// All points, train and test together.
    pub points: usize,
    /// How many of them are for training.
    pub train: usize,
    /// The standard deviation of the noise.
    pub noise: f64,
}

impl Moons {
    /// The data of one run.
    pub fn split(self, seed: Seed) -> Result<Split<Classification>> {
        let mut rng = seed.stream(Stream::Data, 0);
        let outer = self.points / 2;
        let inner = self.points - outer;
        let angle = |place: usize, count: usize| PI * place as f64 / count.saturating_sub(1).max(1) as f64;
        let upper = (0..outer).map(|place| angle(place, outer)).map(|t| [t.cos(), t.sin()]);
        let lower = (0..inner).map(|place| angle(place, inner)).map(|t| [1.0 - t.cos(), 0.5 - t.sin()]);
        let rows = upper.chain(lower).flatten().map(|place| place + self.noise * normal(&mut rng)).collect();
        let labels = (0..self.points).map(|place| usize::from(place >= outer)).collect();
        Labelled { rows, columns: 2, labels }.split(self.train, &[], &mut seed.stream(Stream::Split, 0))
    }
}
