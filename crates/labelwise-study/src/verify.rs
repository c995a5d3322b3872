//! Checks every checksum, and computes every proposal and every draw of a file again.

use labelwise::ledger::Draw;
use labelwise_file::IgnoredLog;

use crate::Study;
use crate::error::{DesignError, Error, Result, damaged};
use crate::prepare;
use crate::refresh_point::RefreshPoint;
use crate::task::{StudyTask, with_task};

/// Maximum relative difference of a recomputed probability: other machines round differently.
pub(crate) const ROUNDING: f64 = 1e-9;

/// The result of a verification.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verified {
    /// Number of proposals that were recomputed.
    pub refreshes: usize,
    /// Number of draws that were the same.
    pub draws: usize,
    /// Number of labels, skips and corrections with correct checksums.
    pub events: usize,
    /// The largest relative difference between a recorded number of a draw and the same number computed again.
    pub largest_difference: f64,
    /// Part of the log that is ignored: an interrupted write, or damage.
    pub ignored_log: Option<IgnoredLog>,
}

impl Study {
    /// Reads everything, recomputes every proposal and every draw, and compares. Each refresh costs a pass over the
    /// pool and a fit of the surrogate.
    pub fn verify(&self, progress: &dyn Fn(usize, usize)) -> Result<Verified> {
        let ignored_log = self.journal.check_everything()?;
        let verified = match self.settings.elsewhere {
            Some(_) => with_task!(self.settings, T => self.scan_again::<T>(progress))?,
            None => with_task!(self.settings, T => self.draw_again::<T>(progress))?,
        };
        Ok(Verified { ignored_log, ..verified })
    }

    fn draw_again<T: StudyTask>(&self, progress: &dyn Fn(usize, usize)) -> Result<Verified> {
        let record = self.record()?;
        let refreshes = &record.refreshes;
        let mut verified = Verified {
            refreshes: refreshes.len(),
            draws: record.draws.len(),
            events: record.events.len(),
            largest_difference: 0.0,
            ignored_log: None,
        };
        for (done, origin) in refreshes.iter().map(|refresh| &refresh.origin).enumerate() {
            progress(done, refreshes.len());
            let end = refreshes.get(done + 1).map_or(record.draws.len(), |next| next.origin.draws);
            let draws = end.checked_sub(origin.draws).ok_or_else(|| damaged(self.path(), "refresh", done))?;
            if draws == 0 {
                continue;
            }
            let point = RefreshPoint::of(done, origin);
            let mut made = prepare::made::<T>(&*self.journal, &self.settings, record, point)?;
            if origin.strata != made.strata().map(Into::into) {
                return Err(DesignError::StrataDiffer { path: self.path().to_owned() }.into());
            }
            let again = made.draws(draws)?;
            let recorded = record.rows().enumerate().skip(origin.draws).take(again.len());
            for (draw, (place, row)) in again.iter().zip(recorded) {
                let difference = difference(draw, &row.draw);
                let same = draw.index == row.draw.index && difference <= ROUNDING;
                if !same {
                    return Err(Error::Differs {
                        path: self.path().to_owned(),
                        place,
                        recorded: row.draw.index,
                        recorded_q: row.draw.q,
                        again: draw.index,
                        again_q: draw.q,
                    });
                }
                verified.largest_difference = verified.largest_difference.max(difference);
            }
        }
        progress(refreshes.len(), refreshes.len());
        Ok(verified)
    }
}

/// The largest relative difference between the numbers of two draws.
pub(crate) fn difference(one: &Draw, other: &Draw) -> f64 {
    let numbers = |draw: &Draw| {
        let reach = draw.ratio_bounds.map_or([0.0; 2], |reach| [reach.low, reach.high]);
        let bounds = draw.bounds.map_or([0.0; 2], |bounds| [bounds.low, bounds.high]);
        // Bounds that only one of them has are not rounding.
        let there =
            [draw.ratio_bounds.is_some(), draw.bounds.is_some()].map(|there| f64::from(u8::from(there)));
        let own = [draw.q, draw.mass, draw.control, draw.control_total];
        own.into_iter().chain(reach).chain(bounds).chain(there)
    };
    let relative = |(one, other): (f64, f64)| {
        let difference = if one == other { 0.0 } else { (one - other).abs() / one.abs().max(other.abs()) };
        // NaN differs from everything, and a maximum would ignore it.
        if difference.is_nan() { f64::INFINITY } else { difference }
    };
    numbers(one).zip(numbers(other)).map(relative).fold(0.0, f64::max)
}
