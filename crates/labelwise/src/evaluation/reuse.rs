//! Draws that were made for one model and one loss, used for another: q stays what it was, so estimates stay what they
//! are; only more labels may be needed than by draws made for the purpose.

use std::collections::HashSet;

use super::Evaluation;
use super::columns::{Columns, WantedColumns};
use super::estimates::LossTotals;
use super::refresh::RefreshInputs;
use crate::error::{CompareError, Result};
use crate::estimator::RatioBounds;
use crate::ledger::{Draw, KnownItems, Ledger, Outcome, PoolFacts};
use crate::loss::{Bounds, Loss, Sign, checked_loss};
use crate::pool::Pool;
use crate::proposal::Proposal;
use crate::rng::Stream;
use crate::surrogate::{Beliefs, Observed};
use crate::task::Task;

impl<T: Task> Evaluation<T> {
    /// The beliefs of the moment, read as those of another task with the same.
    fn beliefs_as<U: Task>(&mut self) -> Result<Beliefs<U>> {
        let observed = Observed { pool: &self.pool, labels: &self.observed };
        let number = self.refresh.number;
        let mut stream = self.seed.stream(Stream::Fit, number);
        let beliefs = self.surrogate.update(observed, &mut stream)?.beliefs;
        Ok(Beliefs::from_parts(beliefs.rows().clone(), Vec::new()))
    }

    /// What a loss of another model's predictions on the same items comes to, under the beliefs and the proposal of the
    /// moment.
    pub fn loss_totals_for<U: Task>(&mut self, pool: &Pool<U>, loss: &dyn Loss<U>) -> Result<LossTotals> {
        loss.check(pool)?;
        let beliefs = self.beliefs_as::<U>()?;
        let inputs = RefreshInputs { pool, loss, beliefs: &beliefs, open: &self.open, observed: &[] };
        // Rows of the other pool were not read before, and are checked in a pass of its own.
        Columns::new(&inputs, WantedColumns::Second)?;
        let weights = self.refresh.proposal.weights();
        let Columns { totals, .. } = Columns::new(&inputs, WantedColumns::MaxRatio(weights))?;
        Ok(LossTotals {
            control_total: totals.first.value(),
            bounds: totals.bounds(),
            ratio_bounds: totals.ratio_bounds(),
        })
    }

    /// The draws so far by a loss of another model's predictions on the same items: its estimates and intervals are those
    /// of that loss. After a refresh of the proposal, what the surrogates before expected is gone; then the estimates go
    /// without it, and there is no guaranteed interval.
    pub fn ledger_for<U: Task<Label = T::Label>>(
        &mut self,
        pool: &Pool<U>,
        loss: &dyn Loss<U>,
    ) -> Result<Ledger<U>> {
        let aside = self.loss_totals_for(pool, loss)?;
        let beliefs = self.beliefs_as::<U>()?;
        let (mut predictions, mut believed) = (pool.predictions().reader(), beliefs.rows().reader());
        let known = self.known_for(pool, loss)?;
        let now = self.refresh.number == 0;
        let LossTotals { control_total: mut left, mut bounds, ratio_bounds } = aside;
        let mut ratio_bounds = ratio_bounds.filter(|_| now);
        // From the last draw to the first: whatever was drawn later could have been drawn.
        let mut drawn = Vec::with_capacity(self.ledger.draws().len());
        for draw in self.ledger.draws().iter().rev() {
            let prediction = U::prediction(predictions.row(draw.index));
            let own = loss.bounds(prediction);
            let mut expected = || loss.moments(prediction, U::belief(believed.row(draw.index))).first;
            let control = if now { expected() } else { 0.0 };
            left = if now { left + control } else { 0.0 };
            // Sums of a loss that is never negative have 0 below, here as elsewhere.
            let low = own.map_or(0.0, |own| if loss.sign() == Sign::Signed { own.low } else { 0.0 });
            bounds =
                bounds.zip(own).map(|(all, own)| Bounds { low: all.low + low, high: all.high + own.high });
            let weight = draw.q * draw.mass;
            ratio_bounds = ratio_bounds.zip(own).map(|(ratio_bounds, own)| RatioBounds {
                low: ratio_bounds.low.min(low / weight),
                high: ratio_bounds.high.max(own.high / weight),
            });
            let ratio_bounds = ratio_bounds
                .map(|ratio| RatioBounds { low: ratio.low * draw.mass, high: ratio.high * draw.mass });
            drawn.push(Draw { control, control_total: left, ratio_bounds, bounds: own, ..*draw });
        }
        drawn.reverse();
        let mut ledger = Ledger::new(PoolFacts {
            pool_size: pool.pool_size(),
            known,
            bounds,
            range: loss.range(),
            sign: loss.sign(),
        });
        for (place, (draw, outcome)) in drawn.into_iter().zip(self.ledger.outcomes()).enumerate() {
            ledger.push(draw);
            let outcome = match outcome {
                Outcome::Open => continue,
                Outcome::Labelled { label, .. } => {
                    let prediction = U::prediction(predictions.row(draw.index));
                    U::check_label(draw.index, *label, pool.model_columns())?;
                    Outcome::Labelled {
                        label: *label,
                        loss: checked_loss(loss, draw.index, prediction, *label)?,
                    }
                }
                Outcome::Skipped => Outcome::Skipped,
                Outcome::MissingAtRandom => Outcome::MissingAtRandom,
            };
            ledger.settle(place, outcome);
        }
        Ok(ledger)
    }

    /// The items that are known without a label, by another loss: known only if no label can change it.
    fn known_for<U: Task>(&self, pool: &Pool<U>, loss: &dyn Loss<U>) -> Result<KnownItems> {
        let mut known = KnownItems::default();
        if self.ledger.facts().known.count == 0 {
            return Ok(known);
        }
        let mut reader = pool.predictions().reader();
        let drawn: HashSet<usize> = self.draws().iter().map(|draw| draw.index).collect();
        for (item, _) in self.open.iter().enumerate().filter(|(item, open)| !**open && !drawn.contains(item))
        {
            let fixed =
                loss.bounds(U::prediction(reader.row(item))).filter(|bounds| bounds.low == bounds.high);
            let Some(Bounds { low, .. }) = fixed else {
                let ties = self.ledger.facts().known.count;
                return Err(CompareError::NotDrawn { item, ties }.into());
            };
            known.count += 1;
            known.sum += low;
            known.square_sum += low * low;
        }
        Ok(known)
    }

    /// What draws from this proposal cost another loss: how many times the labels they take that draws made for it would
    /// take, by what the surrogate expects. 1 where nothing is lost; `None` where the surrogate is sure of every loss.
    ///
    /// `known` are items that draws made for it would leave out. The variance of an estimate with a control is about
    /// Σ w · Σ Var(ℒ)/w for weights w; the weights made for it are √E(ℒ²) under the same floor.
    pub fn cost_for<U: Task>(
        &mut self,
        pool: &Pool<U>,
        loss: &dyn Loss<U>,
        known: &[usize],
    ) -> Result<Option<f64>> {
        loss.check(pool)?;
        let beliefs = self.beliefs_as::<U>()?;
        let inputs = RefreshInputs { pool, loss, beliefs: &beliefs, open: &self.open, observed: &[] };
        let Columns { first, second, .. } = Columns::new(&inputs, WantedColumns::Both)?;
        let mut open = self.open.clone();
        for &item in known {
            if let Some(open) = open.get_mut(item) {
                *open = false;
            }
        }
        if !open.contains(&true) {
            return Ok(None);
        }
        let scores = second.iter().map(|second| second.max(0.0).sqrt()).collect();
        let own = Proposal::new(scores, &open, self.floor, self.seed.stream(Stream::Draw, 0))?;
        let variances = first.iter().zip(&second).map(|(first, second)| (second - first * first).max(0.0));
        let variances: Vec<f64> = variances.collect();
        let spread = |weights: &[f64], open: &[bool]| {
            let items = weights.iter().zip(&variances).zip(open).filter(|(_, open)| **open);
            let (mass, ratio) = items.fold((0.0, 0.0), |(mass, ratio), ((&weight, &variance), _)| {
                (mass + weight, ratio + if variance > 0.0 { variance / weight } else { 0.0 })
            });
            mass * ratio
        };
        let (these, own) =
            (spread(self.refresh.proposal.weights(), &self.open), spread(own.weights(), &open));
        Ok((own > 0.0 && these.is_finite()).then_some(these / own))
    }
}
