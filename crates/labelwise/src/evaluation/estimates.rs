//! What an evaluation says of its ledger, and what it could say by other losses.

use std::borrow::Cow;
use std::sync::Arc;

use super::Evaluation;
use super::columns::{Columns, Totals, WantedColumns};
use super::refresh::RefreshInputs;
use crate::error::Result;
use crate::estimator::{Estimator, RatioBounds};
use crate::interval::{Interval, Method, Target};
use crate::ledger::{Estimate, Evidence, Imputed, Ledger};
use crate::loss::{Bounds, Loss};
use crate::plan::{Expected, VarianceForecast};
use crate::report::Report;
use crate::rng::Stream;
use crate::surrogate::{Beliefs, MixtureSums, Observed};
use crate::task::Task;

/// What another loss comes to over the items that can be drawn, under the beliefs and the proposal of the moment. With
/// it, draws that were made for one loss serve to estimate another: see [`Evaluation::loss_totals`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossTotals {
    /// The loss the surrogate expects of all of them together.
    pub control_total: f64,
    /// The sums of their bounds, where the loss has any.
    pub bounds: Option<Bounds>,
    /// The smallest and the largest bound / weight; times the mass of a draw, it is the [`RatioBounds`] of that draw.
    pub ratio_bounds: Option<RatioBounds>,
}

impl<T: Task> Evaluation<T> {
    /// What is known now: the longest prefix of draws that waits for nothing.
    pub fn evidence(&self, imputed: Imputed) -> Result<Evidence> {
        self.believing()?.evidence(imputed)
    }

    /// The estimate by an estimator of your choice; [`Ledger::usual_estimator`] is ours.
    pub fn estimate(&self, estimator: &dyn Estimator) -> Result<Estimate> {
        self.ledger.estimate(estimator)
    }

    /// An interval about that estimate; with skipped items it spans their bounds, as [`Ledger::interval`] says.
    ///
    /// [`Ledger::interval`]: crate::ledger::Ledger::interval
    pub fn interval(
        &self,
        estimator: &dyn Estimator,
        method: Method,
        target: Target,
        level: f64,
    ) -> Result<Interval> {
        self.believing()?.interval(estimator, method, target, level)
    }

    /// Estimate, ordinary interval and everything worth knowing about them, by our default estimator.
    pub fn report(&self, target: Target, level: f64) -> Result<Report> {
        self.report_by(self.believing()?.usual_estimator(), Method::Ordinary, target, level)
    }

    /// A report by another estimator or another interval.
    pub fn report_by(
        &self,
        estimator: &dyn Estimator,
        method: Method,
        target: Target,
        level: f64,
    ) -> Result<Report> {
        let mut report = self.believing()?.report_by(estimator, method, target, level)?;
        report.mended_scores = self.mended_scores();
        Ok(report)
    }

    /// The ledger, with what the belief expects of the estimate where it can say so.
    pub fn believing(&self) -> Result<Cow<'_, Ledger<T>>> {
        let Some(mixture) = self.surrogate.mixture() else { return Ok(Cow::Borrowed(&self.ledger)) };
        let observed = Observed { pool: &self.pool, labels: &self.observed };
        let draws = self.draws().get(..self.complete()).unwrap_or_default();
        let belief = mixture.expectation(observed, &self.mixtures, draws, &*self.loss)?;
        Ok(Cow::Owned(self.ledger.clone().with_belief(belief)))
    }

    /// What each refresh kept of the components of its belief; empty for beliefs that are not an average of components.
    pub fn mixtures(&self) -> &[MixtureSums] {
        &self.mixtures
    }

    /// What the present refresh keeps of the components of its belief for other losses, in one pass over the pool; nothing where
    /// the belief does not know them. Made before the first draw from the proposal.
    pub fn mixtures_by(&self, losses: &[&dyn Loss<T>]) -> Result<Vec<MixtureSums>> {
        let Some(mixture) = self.surrogate.mixture() else { return Ok(Vec::new()) };
        let found = mixture.sums_by(&self.pool, &self.open, self.refresh.proposal.weights(), losses)?;
        let drawn = self.draws().len();
        Ok(found.into_iter().map(|sums| MixtureSums { drawn, ..sums }).collect())
    }

    /// Keeps what the last refresh says of the components of its belief.
    pub(super) fn keep_mixture(&mut self) -> Result<()> {
        if let Some(mixture) = self.surrogate.mixture() {
            let sums = mixture.sums(&self.pool, &self.open, self.refresh.proposal.weights())?;
            self.mixtures.push(MixtureSums { drawn: self.draws().len(), ..sums });
        }
        Ok(())
    }

    /// The weights of the proposal of the moment, one per item; 0 for items that cannot be drawn.
    pub fn weights(&self) -> &[f64] {
        self.refresh.proposal.weights()
    }

    /// The surrogate's beliefs of the moment.
    pub fn beliefs(&mut self) -> Result<&Beliefs<T>> {
        let observed = Observed { pool: &self.pool, labels: &self.observed };
        let number = self.refresh.number;
        Ok(self.surrogate.update(observed, &mut self.seed.stream(Stream::Fit, number))?.beliefs)
    }

    /// What another loss comes to under the beliefs and the proposal of the moment, in one pass over the pool.
    pub fn loss_totals(&mut self, loss: &dyn Loss<T>) -> Result<LossTotals> {
        Ok(self.survey(loss)?.0)
    }

    /// The same, with what is to be expected of labels: both come of one pass.
    pub fn survey(&mut self, loss: &dyn Loss<T>) -> Result<(LossTotals, VarianceForecast)> {
        loss.check(&self.pool)?;
        let totals = self.totals(loss, |weights| WantedColumns::MaxRatio(weights))?;
        let control_total = totals.first.value();
        let aside =
            LossTotals { control_total, bounds: totals.bounds(), ratio_bounds: totals.ratio_bounds() };
        let forecast = self.foreseen(totals.expected, aside.ratio_bounds);
        Ok((aside, forecast))
    }

    /// What is to be expected of labels under the beliefs and the proposal of the moment, by a look at up to about a million
    /// items. Made for the moment before the first draw: items that were drawn are left out of it, their losses too.
    pub fn forecast(&mut self) -> Result<VarianceForecast> {
        let loss = Arc::clone(&self.loss);
        let totals = self.totals(&*loss, |weights| WantedColumns::Forecast(weights))?;
        Ok(self.foreseen(totals.expected, self.own_totals().ratio_bounds))
    }

    fn foreseen(&self, expected: Expected, ratio_bounds: Option<RatioBounds>) -> VarianceForecast {
        let (known, whole) = (self.ledger.facts().known.sum, self.pool.pool_size());
        expected.of_items(self.left()).forecast(known, whole, ratio_bounds.map(|ratio| ratio.high))
    }

    fn totals(&mut self, loss: &dyn Loss<T>, wanted: fn(&[f64]) -> WantedColumns<'_>) -> Result<Totals> {
        let observed = Observed { pool: &self.pool, labels: &self.observed };
        let number = self.refresh.number;
        let beliefs = self.surrogate.update(observed, &mut self.seed.stream(Stream::Fit, number))?.beliefs;
        let inputs =
            RefreshInputs { pool: &self.pool, loss, beliefs, open: &self.open, observed: &self.observed };
        Ok(Columns::new(&inputs, wanted(self.refresh.proposal.weights()))?.totals)
    }

    /// The same of the evaluation's own loss, which is known without a pass.
    pub fn own_totals(&self) -> LossTotals {
        self.refresh.own_totals()
    }
}
