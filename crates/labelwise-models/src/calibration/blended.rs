//! Surrogates built from others: the mean with the model's own probabilities, and given probabilities tempered by the
//! labels.

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Beliefs, Change, Observed, Schedule, Surrogate, Updated};
use labelwise::{Classification, Matrix, Pool, Result};

use super::Temperature;

/// The mean of a surrogate's beliefs and the model's own predictions. Where the two disagree it is unsure, and where
/// one of them is over-confident the other holds it back.
pub struct Blended<S> {
    inner: S,
    mixed: Option<Beliefs<Classification>>,
}

impl<S: Surrogate<Classification>> Blended<S> {
    /// A blend of this surrogate with the predictions of the pool.
    pub fn new(inner: S) -> Self {
        Self { inner, mixed: None }
    }
}

impl<S: Surrogate<Classification>> Surrogate<Classification> for Blended<S> {
    fn update(
        &mut self,
        observed: Observed<'_, Classification>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Updated<'_, Classification>> {
        let updated = self.inner.update(observed, rng)?;
        let (mixed, change) = match self.mixed.take() {
            Some(mixed) if updated.change == Change::Unchanged => (mixed, Change::Unchanged),
            _ => (mean(updated.beliefs.rows(), observed.pool)?, updated.change),
        };
        Ok(Updated { beliefs: self.mixed.insert(mixed), change })
    }
}

fn mean(rows: &Matrix, pool: &Pool<Classification>) -> Result<Beliefs<Classification>> {
    let (mut ours, mut own) = (rows.reader(), pool.predictions().reader());
    let mut values = Vec::with_capacity(rows.rows() * rows.columns());
    for item in 0..rows.rows() {
        values.extend(ours.row(item).iter().zip(own.row(item)).map(|(a, b)| 0.5 * (a + b)));
    }
    Beliefs::new(Matrix::f64(values, rows.columns())?, pool)
}

/// Fewer labels than this do not tell a temperature.
const ENOUGH: usize = 20;

/// Given probabilities, of the model itself or of another, tempered by the labels told so far. For those who have
/// predictions only.
#[derive(Debug, Clone)]
pub struct TemperedBeliefs {
    given: Beliefs<Classification>,
    schedule: Schedule,
    /// The labels its temperature was fitted to, and the beliefs with it.
    tempered: Option<(usize, Beliefs<Classification>)>,
}

impl TemperedBeliefs {
    /// Probabilities as given until 20 labels are told; their temperature is fitted on the schedule from then on.
    pub fn new(given: Beliefs<Classification>, schedule: Schedule) -> Self {
        Self { given, schedule, tempered: None }
    }
}

impl Surrogate<Classification> for TemperedBeliefs {
    fn update(
        &mut self,
        observed: Observed<'_, Classification>,
        _rng: &mut ChaCha8Rng,
    ) -> Result<Updated<'_, Classification>> {
        let now = observed.labels.len();
        let last = self.tempered.as_ref().map_or(0, |(labels, _)| *labels);
        if now < ENOUGH || !self.schedule.due(last, now) {
            let beliefs = self.tempered.as_ref().map_or(&self.given, |(_, beliefs)| beliefs);
            return Ok(Updated { beliefs, change: Change::Unchanged });
        }
        let classes = self.given.rows().columns();
        let mut reader = self.given.rows().reader();
        // Draws looked at the features only, so labels given features are a fair sample of labels.
        let rows: Vec<f64> =
            observed.labels.iter().flat_map(|(item, _)| reader.row(*item).to_vec()).collect();
        let labels: Vec<usize> = observed.labels.iter().map(|(_, label)| *label).collect();
        let temperature = Temperature::fit(&Matrix::f64(rows, classes)?, &labels, 1e-9)?;
        let beliefs = Beliefs::new(temperature.apply(self.given.rows())?, observed.pool)?;
        Ok(Updated { beliefs: &self.tempered.insert((now, beliefs)).1, change: Change::Refitted })
    }
}
