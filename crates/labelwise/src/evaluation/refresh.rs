//! What stays fixed between two refreshes of the surrogate: expectations, bounds, weights. Making it is one pass over
//! the pool; drawing from it is O(log N).

use super::columns::{Columns, Sum};
use crate::acquisition::{Acquisition, Candidates};
use crate::error::Result;
use crate::estimator::Reach;
use crate::loss::{Bounds, Loss};
use crate::pool::Pool;
use crate::proposal::{Floor, OnBadScore, Proposal, mend};
use crate::rng::{Seed, Stream};
use crate::surrogate::Beliefs;
use crate::task::Task;

/// The state between two refreshes.
#[derive(Debug)]
pub(super) struct Refresh {
    /// Counts refreshes from 0; names the streams of draws and fits.
    pub(super) number: u64,
    /// The labels that were told when it was made.
    pub(super) labels: usize,
    pub(super) proposal: Proposal,
    /// g(i) = E(ℒ) of each open item.
    control: Vec<f64>,
    control_total: Sum,
    /// The smallest and the largest bound / weight, of which the reach of a draw follows.
    reach: Option<Reach>,
    /// The sums of the bounds over the open items.
    pub(super) bounds: Option<Bounds>,
    /// Scores that could not be used and took the median.
    pub(super) mended: usize,
}

/// What a refresh is made from.
pub(super) struct Sources<'a, T: Task> {
    pub(super) pool: &'a Pool<T>,
    pub(super) loss: &'a dyn Loss<T>,
    pub(super) beliefs: &'a Beliefs<T>,
    pub(super) open: &'a [bool],
    pub(super) observed: &'a [(usize, T::Label)],
}

/// How candidates are scored, and drawn.
pub(super) struct Rules<'a, T: Task> {
    pub(super) acquisition: &'a mut dyn Acquisition<T>,
    pub(super) floor: Floor,
    pub(super) on_bad_score: OnBadScore,
    pub(super) seed: Seed,
}

impl Refresh {
    pub(super) fn new<T: Task>(number: u64, sources: &Sources<'_, T>, rules: Rules<'_, T>) -> Result<Self> {
        let Sources { pool, loss, beliefs, open, observed } = *sources;
        let columns = Columns::new(sources)?;
        let bounds = columns.bounds();
        let Columns { first, second, low, high, totals } = columns;
        let candidates = Candidates { pool, loss, beliefs, first: &first, second, open, observed };
        let mut scores = rules.acquisition.scores(candidates)?;
        let mended = match rules.on_bad_score {
            OnBadScore::Reject => 0,
            OnBadScore::Median => mend(&mut scores, open),
        };
        let proposal = Proposal::new(scores, open, rules.floor, rules.seed.stream(Stream::Draw, number))?;
        let reach = reach(proposal.weights(), &low, &high);
        let control_total = totals.first;
        Ok(Self {
            number,
            labels: observed.len(),
            proposal,
            control: first,
            control_total,
            reach,
            bounds,
            mended,
        })
    }

    /// All open items alike: what is left when only items of score 0 are.
    pub(super) fn uniform(
        &mut self,
        open: &[bool],
        bounds: impl Fn(usize) -> Option<Bounds>,
        seed: Seed,
    ) -> Result<()> {
        self.number += 1;
        let stream = seed.stream(Stream::Draw, self.number);
        self.proposal = Proposal::new(vec![0.0; open.len()], open, Floor::Unguarded, stream)?;
        let left = open.iter().enumerate().filter(|(_, open)| **open);
        let whole = Some(Reach { low: 0.0, high: 0.0 });
        self.reach = left.fold(whole, |reach, (item, _)| {
            let (reach, bounds) = (reach?, bounds(item)?);
            Some(Reach { low: reach.low.min(bounds.low), high: reach.high.max(bounds.high) })
        });
        Ok(())
    }

    /// g(i) of an item that is about to leave, and the sum of g with it.
    pub(super) fn take_control(&mut self, item: usize) -> (f64, f64) {
        let control = self.control.get(item).copied().unwrap_or(0.0);
        let total = self.control_total.value();
        self.control_total.add(-control);
        (control, total)
    }

    /// What loss / q may be when weights of this mass are left.
    pub(super) fn reach(&self, mass: f64) -> Option<Reach> {
        self.reach.map(|reach| Reach { low: reach.low * mass, high: reach.high * mass })
    }
}

/// The smallest low / weight and the largest high / weight; `None` if a bound is missing, or if an item that may have
/// a loss cannot be drawn: then there is nothing to guarantee.
pub(super) fn reach(weights: &[f64], low: &[f64], high: &[f64]) -> Option<Reach> {
    let ratio = |bound: f64, weight: f64| if bound == 0.0 { 0.0 } else { bound / weight };
    let highest = weights.iter().zip(high).fold(0.0_f64, |most, (&w, &b)| most.max(ratio(b, w)));
    // Losses that are never negative have no column of lower bounds.
    let lowest = weights.iter().zip(low).fold(0.0_f64, |least, (&w, &b)| least.min(ratio(b, w)));
    let bounded = !high.is_empty() && lowest.is_finite() && highest.is_finite();
    bounded.then_some(Reach { low: lowest, high: highest })
}
