//! What is expected of every item of a pool, for designs that are settled before the first draw.

use super::columns::{Columns, WantedColumns};
use super::refresh::RefreshInputs;
use crate::error::Result;
use crate::loss::{Bounds, Loss};
use crate::pool::Pool;
use crate::surrogate::Beliefs;
use crate::task::Task;

/// The first two moments of every item's loss under what is believed, and the sums over the pool.
pub(crate) struct Expectations {
    /// E(ℒ) of each item.
    pub(crate) first: Vec<f64>,
    /// E(ℒ²) of each item.
    pub(crate) second: Vec<f64>,
    /// The sum of E(ℒ).
    pub(crate) total: f64,
    /// The sums of the bounds, where the loss has any.
    pub(crate) bounds: Option<Bounds>,
}

impl Expectations {
    pub(crate) fn new<T: Task>(pool: &Pool<T>, loss: &dyn Loss<T>, beliefs: &Beliefs<T>) -> Result<Self> {
        loss.check(pool)?;
        let open = vec![true; pool.pool_size()];
        let inputs = RefreshInputs { pool, loss, beliefs, open: &open, observed: &[] };
        let Columns { first, second, totals, .. } = Columns::new(&inputs, WantedColumns::Both)?;
        Ok(Self { first, second, total: totals.first.value(), bounds: totals.bounds() })
    }
}
