//! Two systems whose answers each have a label: the label of a pair is a class of K² classes, the first answer's class times K
//! plus the second's. Each side learns from its own labels.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;

use super::{Judges, WorthScale, expectation_of, kept};
use crate::error::Result;
use crate::ledger::{BeliefExpectation, Draw};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::pool::Pool;
use crate::surrogate::{Beliefs, Change, Mixture, MixtureSums, Observed, Schedule, Surrogate, Updated};
use crate::task::Classification;

/// The beliefs about pairs of answers: those of both sides, as if the two were independent.
#[derive(Debug, Clone)]
pub struct PairedJudges {
    sides: [Judges<Classification>; 2],
    current: Option<(usize, Beliefs<Classification>)>,
}

impl PairedJudges {
    /// From the judges of either side, which have the same classes.
    pub fn new(first: Judges<Classification>, second: Judges<Classification>) -> Self {
        Self { sides: [first, second], current: None }
    }

    fn loss(&self) -> &Arc<dyn Loss<Classification>> {
        &self.sides[0].loss
    }

    fn schedule(&self) -> &Schedule {
        &self.sides[0].schedule
    }

    fn believed(
        &self,
        labels: &[(usize, usize)],
        pool: &Pool<Classification>,
    ) -> Result<Beliefs<Classification>> {
        let [first, second] = &self.sides;
        let classes = first.scale.columns().max(1);
        let side = |of: fn(usize, usize) -> usize| -> Vec<(usize, usize)> {
            labels.iter().map(|(item, label)| (*item, of(*label, classes))).collect()
        };
        let rows = [
            first.believed_rows(&side(|label, classes| label / classes), pool.pool_size()),
            second.believed_rows(&side(|label, classes| label % classes), pool.pool_size()),
        ];
        let mut values = Vec::with_capacity(pool.pool_size() * classes * classes);
        let [one, two] = &rows;
        for (one, two) in one.chunks_exact(classes).zip(two.chunks_exact(classes)) {
            values.extend(one.iter().flat_map(|a| two.iter().map(move |b| a * b)));
        }
        Beliefs::new(Matrix::f64(values, classes * classes)?, pool)
    }
}

impl Surrogate<Classification> for PairedJudges {
    fn update(
        &mut self,
        observed: Observed<'_, Classification>,
        _rng: &mut ChaCha8Rng,
    ) -> Result<Updated<'_, Classification>> {
        let now = observed.labels.len();
        let due = self.current.as_ref().is_none_or(|(last, _)| self.schedule().due(*last, now));
        let (change, current) = match self.current.take() {
            Some(current) if !due => (Change::Unchanged, current),
            _ => (Change::Refitted, (now, self.believed(observed.labels, observed.pool)?)),
        };
        Ok(Updated { beliefs: &self.current.insert(current).1, change })
    }

    fn mixture(&self) -> Option<&dyn Mixture<Classification>> {
        Some(self)
    }
}

impl Mixture<Classification> for PairedJudges {
    fn sums(&self, _pool: &Pool<Classification>, open: &[bool], weights: &[f64]) -> Result<MixtureSums> {
        Ok(self.current.as_ref().map(|(_, beliefs)| kept(open, weights, beliefs.rows())).unwrap_or_default())
    }

    fn interval_weights(&self, _observed: Observed<'_, Classification>) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    fn expected(&self, _pool: &Pool<Classification>, _items: &[usize], _weights: &[f64]) -> Result<f64> {
        Ok(0.0)
    }

    fn expectation(
        &self,
        observed: Observed<'_, Classification>,
        refreshes: &[MixtureSums],
        draws: &[Draw],
        loss: &dyn Loss<Classification>,
    ) -> Result<Option<BeliefExpectation>> {
        debug_assert_eq!(self.loss().name(), self.sides[1].loss.name());
        let beliefs = self.believed(observed.labels, observed.pool)?;
        Ok(expectation_of(observed.pool, beliefs.rows(), refreshes, draws, loss))
    }
}
