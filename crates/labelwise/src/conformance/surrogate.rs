//! What every surrogate must do.

use super::{Violation, failed, hold};
use crate::error::Table;
use crate::pool::Pool;
use crate::rng::{Seed, Stream};
use crate::surrogate::{Beliefs, Change, Observed, Surrogate};
use crate::task::Task;

/// Checks that a surrogate keeps the contract on this pool: a valid belief for each item before the first label and
/// after each of `labels`; no change when nothing was told since; and beliefs that are a function of labels and random
/// numbers alone, however many threads there are.
///
/// `make` makes a new surrogate. Returns how often it changed its beliefs after the first.
pub fn check_surrogate<T: Task>(
    make: impl Fn() -> Box<dyn Surrogate<T>> + Sync,
    pool: &Pool<T>,
    labels: &[(usize, T::Label)],
) -> Result<usize, Violation> {
    let (first, changes) = history(&mut *make(), pool, labels)?;
    let (again, _) = history(&mut *make(), pool, labels)?;
    hold("the same labels give the same beliefs", first == again, || "they differ".to_owned())?;
    for threads in [1, 3] {
        let workers = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let Ok(workers) = workers else { continue };
        let (other, _) = workers.install(|| history(&mut *make(), pool, labels))?;
        hold("threads do not matter", first == other, || format!("with {threads} threads beliefs differ"))?;
    }
    Ok(changes)
}

/// The bits of all beliefs after each label, and how often they were new.
fn history<T: Task>(
    surrogate: &mut dyn Surrogate<T>,
    pool: &Pool<T>,
    labels: &[(usize, T::Label)],
) -> Result<(Vec<Vec<u64>>, usize), Violation> {
    let mut seen: Vec<Vec<u64>> = Vec::new();
    let mut changes = 0;
    for told in 0..=labels.len() {
        let observed = Observed { pool, labels: labels.get(..told).unwrap_or_default() };
        let mut rng = Seed(1).stream(Stream::Fit, told as u64);
        let updated = surrogate.update(observed, &mut rng).map_err(failed("an update after every label"))?;
        check_beliefs(updated.beliefs, pool)?;
        let bits = bits(updated.beliefs);
        let changed = seen.last().is_some_and(|before| *before != bits);
        let said = updated.change == Change::Refitted;
        hold("beliefs change only when it says so", said || !changed, || {
            format!("they did after label {told}")
        })?;
        changes += usize::from(told > 0 && said);

        let mut other = Seed(2).stream(Stream::Fit, told as u64);
        let idle = surrogate.update(observed, &mut other).map_err(failed("an update without a new label"))?;
        let still = idle.change == Change::Unchanged;
        hold("nothing happens without a new label", still, || format!("it refitted again at {told} labels"))?;
        seen.push(bits);
    }
    Ok((seen, changes))
}

fn check_beliefs<T: Task>(beliefs: &Beliefs<T>, pool: &Pool<T>) -> Result<(), Violation> {
    const LAW: &str = "a valid belief for each item";
    let checked = Beliefs::new(beliefs.rows().clone(), pool).and_then(|beliefs| {
        let mut reader = beliefs.rows().reader();
        T::check_rows(Table::Beliefs, 0, reader.rows(0..pool.pool_size()))
    });
    checked.map_err(failed(LAW))
}

fn bits<T: Task>(beliefs: &Beliefs<T>) -> Vec<u64> {
    let mut reader = beliefs.rows().reader();
    reader.rows(0..beliefs.rows().rows()).values().iter().map(|value| value.to_bits()).collect()
}
