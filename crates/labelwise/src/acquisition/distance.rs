//! Distance to the observed points: exploration that looks at neither model nor surrogate.

use super::{Acquisition, Candidates};
use crate::error::{Error, Result};
use crate::surrogate::Schedule;
use crate::task::Task;

/// The softmax of the mean Euclidean distance to the points labelled so far; all the same before the first label.
/// Needs features.
#[derive(Debug, Clone, Default)]
pub struct Distance {
    sums: Vec<f64>,
    seen: usize,
}

impl<T: Task> Acquisition<T> for Distance {
    fn name(&self) -> &'static str {
        "distance"
    }

    fn scores(&mut self, candidates: Candidates<'_, T>) -> Result<Vec<f64>> {
        let Some(features) = candidates.pool.features() else {
            let needs = "features: give the pool one row of features per item";
            return Err(Error::Acquisition { acquisition: "distance", needs });
        };
        self.sums.resize(features.rows(), 0.0);
        let (mut here, mut there) = (features.reader(), features.reader());
        // Sums of distances only grow, so each label costs one pass.
        for &(item, _) in candidates.observed.iter().skip(self.seen) {
            let point = there.row(item);
            for (other, sum) in self.sums.iter_mut().enumerate() {
                let squares = here.row(other).iter().zip(point).map(|(a, b)| (a - b).powi(2));
                *sum += squares.sum::<f64>().sqrt();
            }
        }
        self.seen = candidates.observed.len();
        let count = self.seen.max(1) as f64;
        let open = self.sums.iter().zip(candidates.open).filter(|(_, open)| **open);
        let most = open.fold(0.0_f64, |most, (sum, _)| most.max(sum / count));
        Ok(self.sums.iter().map(|sum| (sum / count - most).exp()).collect())
    }

    fn schedule(&self) -> Schedule {
        Schedule::Every(1)
    }
}
