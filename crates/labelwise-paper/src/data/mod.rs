//! The paper's synthetic data: what is drawn in each run, and how it is split into 𝒟_train and 𝒟_test.

mod functions;
mod moons;
mod random;

pub use functions::Function;
pub use moons::Moons;

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::Data;
use labelwise::{Matrix, Result, Task};
use random::shuffle;

/// 𝒟_train and 𝒟_test of one run, all labels known.
#[derive(Debug, Clone)]
pub struct Split<T: Task> {
    /// 𝒟_train.
    pub train: Data<T>,
    /// x_i of 𝒟_test, one row per item.
    pub features: Matrix,
    /// y_i of 𝒟_test.
    pub labels: Vec<T::Label>,
}

/// Rows of features with their labels, not yet split.
struct Labelled<T: Task> {
    rows: Vec<f64>,
    columns: usize,
    labels: Vec<T::Label>,
}

impl<T: Task> Labelled<T> {
    /// Assigns `train` points to 𝒟_train at random and all others to 𝒟_test, but for those of `kept`, which are test
    /// points in any case.
    fn split(&self, train: usize, kept: &[usize], rng: &mut ChaCha8Rng) -> Result<Split<T>> {
        let mut places: Vec<usize> = (0..self.labels.len()).filter(|place| !kept.contains(place)).collect();
        shuffle(&mut places, rng);
        let (trained, tested) = places.split_at(train.min(places.len()));
        // In the order of their features, as they were made: the order of a pool means nothing, and plots like it.
        let mut tested = [tested, kept].concat();
        tested.sort_unstable();
        let (features, labels) = self.take(trained)?;
        let train = Data::new(features, labels)?;
        let (features, labels) = self.take(&tested)?;
        Ok(Split { train, features, labels })
    }

    fn take(&self, places: &[usize]) -> Result<(Matrix, Vec<T::Label>)> {
        let rows = places.iter().filter_map(|place| self.rows.chunks_exact(self.columns).nth(*place));
        let labels = places.iter().filter_map(|place| self.labels.get(*place).copied());
        Ok((Matrix::f64(rows.flatten().copied().collect::<Vec<_>>(), self.columns)?, labels.collect()))
    }
}
