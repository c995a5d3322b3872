//! What stays fixed between two refreshes of the surrogate: expectations, bounds, weights. Making it is one pass over
//! the pool; drawing from it is O(log N).

use super::columns::{Columns, Sum, Totals, WantedColumns};
use super::estimates::LossTotals;
use super::max_ratio::CoarseBounds;
use crate::acquisition::{Acquisition, Candidates};
use crate::error::Result;
use crate::estimator::RatioBounds;
use crate::loss::{Bounds, Loss};
use crate::pool::Pool;
use crate::proposal::{Floor, OnBadScore, Proposal, mend};
use crate::rng::{Seed, Stream};
use crate::surrogate::Beliefs;
use crate::task::Task;

/// The state between two refreshes.
#[derive(Debug)]
pub(super) struct Refresh<T: Task> {
    /// Counts refreshes from 0; names the streams of draws and fits.
    pub(super) number: u64,
    /// The labels that were told when it was made.
    pub(super) labels: usize,
    pub(super) proposal: Proposal,
    /// What E(ℒ) is made of again for each item that is drawn: a column of it would be much memory.
    beliefs: Beliefs<T>,
    /// The sum of g(i) = E(ℒ) over the open items.
    control_total: Sum,
    /// The smallest and the largest bound / weight, of which the ratio bounds of a draw follows.
    ratio_bounds: Option<RatioBounds>,
    /// The sums of the bounds over the open items.
    pub(super) bounds: Option<Bounds>,
    /// Scores that could not be used and took the median.
    pub(super) mended: usize,
    /// The scores behind the weights, once the floor was applied a second time.
    scored: Option<Scored>,
}

/// Scores before the floor, and the bounds of the same items.
#[derive(Debug)]
struct Scored {
    scores: Vec<f64>,
    coarse: CoarseBounds,
}

/// Scores after the floor.
struct Weighed {
    proposal: Proposal,
    ratio_bounds: Option<RatioBounds>,
    mended: usize,
}

impl Scored {
    /// One pass over the pool.
    fn new<T: Task>(
        inputs: &RefreshInputs<'_, T>,
        acquisition: &mut dyn Acquisition<T>,
    ) -> Result<(Self, Totals)> {
        let RefreshInputs { pool, loss, beliefs, open, observed } = *inputs;
        let wanted =
            if acquisition.needs_expectation() { WantedColumns::Both } else { WantedColumns::Second };
        let Columns { first, second, coarse, totals } = Columns::new(inputs, wanted)?;
        let candidates = Candidates { pool, loss, beliefs, first: &first, second, open, observed };
        Ok((Self { scores: acquisition.scores(candidates)?, coarse }, totals))
    }

    /// Applies the floor to the items that are open.
    fn weigh<T: Task>(
        scores: Vec<f64>,
        coarse: &CoarseBounds,
        number: u64,
        inputs: &RefreshInputs<'_, T>,
        rules: &ScoringRules<'_, T>,
    ) -> Result<Weighed> {
        let mut scores = scores;
        let mended = match rules.on_bad_score {
            OnBadScore::Reject => 0,
            OnBadScore::Median => mend(&mut scores, inputs.open),
        };
        let stream = rules.seed.stream(Stream::Draw, number);
        let proposal = Proposal::new(scores, inputs.open, rules.floor, stream)?;
        let ratio_bounds = coarse.ratio_bounds(inputs, proposal.weights());
        Ok(Weighed { proposal, ratio_bounds, mended })
    }
}

/// The inputs of a refresh.
pub(super) struct RefreshInputs<'a, T: Task> {
    pub(super) pool: &'a Pool<T>,
    pub(super) loss: &'a dyn Loss<T>,
    pub(super) beliefs: &'a Beliefs<T>,
    pub(super) open: &'a [bool],
    pub(super) observed: &'a [(usize, T::Label)],
}

/// The rule that scores and draws candidates.
pub(super) struct ScoringRules<'a, T: Task> {
    pub(super) acquisition: &'a mut dyn Acquisition<T>,
    pub(super) floor: Floor,
    pub(super) on_bad_score: OnBadScore,
    pub(super) seed: Seed,
}

impl<T: Task> Refresh<T> {
    pub(super) fn new(
        number: u64,
        inputs: &RefreshInputs<'_, T>,
        rules: ScoringRules<'_, T>,
    ) -> Result<Self> {
        let (Scored { scores, coarse }, totals) = Scored::new(inputs, &mut *rules.acquisition)?;
        let Weighed { proposal, ratio_bounds, mended } =
            Scored::weigh(scores, &coarse, number, inputs, &rules)?;
        Ok(Self {
            number,
            labels: inputs.observed.len(),
            proposal,
            beliefs: inputs.beliefs.clone(),
            control_total: totals.first,
            ratio_bounds,
            bounds: totals.bounds(),
            mended,
            scored: None,
        })
    }

    /// Applies the floor again, to the items that are open now. The first time scores are made again and kept: few evaluations
    /// do this, and for all others a column of scores would be wasted memory.
    pub(super) fn reweigh(
        &mut self,
        inputs: &RefreshInputs<'_, T>,
        rules: ScoringRules<'_, T>,
    ) -> Result<()> {
        let scored = match self.scored.take() {
            Some(mut scored) => {
                scored.coarse.close(inputs.open);
                scored
            }
            None => Scored::new(inputs, &mut *rules.acquisition)?.0,
        };
        let (scores, number) = (scored.scores.clone(), self.number + 1);
        let weighed = Scored::weigh(scores, &scored.coarse, number, inputs, &rules)?;
        let Weighed { mut proposal, ratio_bounds, mended } = weighed;
        proposal.expect_one();
        (self.number, self.labels) = (number, inputs.observed.len());
        (self.proposal, self.ratio_bounds, self.mended) = (proposal, ratio_bounds, mended);
        self.scored = Some(scored);
        Ok(())
    }

    /// The beliefs of the moment.
    pub(super) fn beliefs(&self) -> Beliefs<T> {
        self.beliefs.clone()
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
        let whole = Some(RatioBounds { low: 0.0, high: 0.0 });
        self.ratio_bounds = left.fold(whole, |ratio_bounds, (item, _)| {
            let (ratio_bounds, bounds) = (ratio_bounds?, bounds(item)?);
            Some(RatioBounds {
                low: ratio_bounds.low.min(bounds.low),
                high: ratio_bounds.high.max(bounds.high),
            })
        });
        Ok(())
    }

    /// g(i) of an item that is about to leave, and the sum of g with it.
    pub(super) fn take_control(
        &mut self,
        item: usize,
        prediction: T::Prediction<'_>,
        loss: &dyn Loss<T>,
    ) -> (f64, f64) {
        let control = loss.moments(prediction, T::belief(self.beliefs.rows().reader().row(item))).first;
        let total = self.control_total.value();
        self.control_total.add(-control);
        (control, total)
    }

    /// What the loss comes to over the items that are open.
    pub(super) fn own_totals(&self) -> LossTotals {
        LossTotals {
            control_total: self.control_total.value(),
            bounds: self.bounds,
            ratio_bounds: self.ratio_bounds,
        }
    }

    /// What loss / q may be when weights of this mass are left.
    pub(super) fn ratio_bounds(&self, mass: f64) -> Option<RatioBounds> {
        self.ratio_bounds.map(|ratio| RatioBounds { low: ratio.low * mass, high: ratio.high * mass })
    }
}
