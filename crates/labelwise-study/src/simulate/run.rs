//! One run: a strategy spends its labels on the pool. Draws and refits are those of a study; labels are typed and known, so
//! only the ledger is kept of them.

use std::borrow::Cow;

use labelwise::estimator::Estimator;
use labelwise::interval::Method;
use labelwise::ledger::{Ledger, Outcome as DrawOutcome};
use labelwise::loss::checked_loss;
use labelwise::{Error, Target};

use super::conditional::ProposalSums;
use super::scores::{Gauge, ProposalWeights};
use super::{Outcome, SimulatedInterval, Stop, Strategy, Truth};
use crate::error::Result;
use crate::inputs::ProposalInputs;
use crate::prepare::{self, Made, Past};
use crate::questions::estimate::suited;
use crate::refresh_point::RefreshPoint;
use crate::spec::design::{self, Design};
use crate::spec::names::EstimatorName;
use crate::spec::settings::Settings;
use crate::task::StudyTask;

/// What the runs of one strategy share.
pub(super) struct Setup<'a, T: StudyTask> {
    pub(super) inputs: ProposalInputs<T>,
    pub(super) settings: Settings,
    /// The maximum number of strata, for a stratified sample.
    pub(super) strata: Option<usize>,
    /// Whether the floor is applied again without new scores between two fits of the surrogate.
    pub(super) reweighs: bool,
    /// Every label of the pool.
    pub(super) known: &'a [T::Label],
}

/// A run of one strategy.
pub(super) struct Run<'a, T: StudyTask> {
    setup: &'a Setup<'a, T>,
    settings: Settings,
    made: Made<T>,
    /// The labels that the present proposal was made with.
    refreshed: usize,
    /// The stratified sample, where there is one.
    sample: Option<Ledger<T>>,
    gauge: &'a Gauge,
    /// The weights of every proposal by predicted class, for metrics that use them.
    proposals: Vec<ProposalWeights>,
    /// What every proposal adds to the variance, if someone wants to know.
    watched: Option<Vec<ProposalSums>>,
}

impl<'a, T: StudyTask> Run<'a, T> {
    pub(super) fn new(setup: &'a Setup<'a, T>, gauge: &'a Gauge, seed: u64) -> Result<Self> {
        let mut settings = setup.settings.clone();
        settings.seed = seed;
        let past = Past { ledger: None, observed: Vec::new(), mixtures: Vec::new() };
        let made = prepare::proposed(&setup.inputs, &settings, past, RefreshPoint::FIRST)?;
        let proposals = gauge.weights(0, made.evaluation.weights()).into_iter().collect();
        Ok(Self { setup, settings, made, refreshed: 0, sample: None, gauge, proposals, watched: None })
    }

    /// Keeps the variance of every proposal from now on.
    pub(super) fn watched(mut self) -> Result<Self> {
        self.watched = Some(Vec::new());
        self.watch()?;
        Ok(self)
    }

    /// The variances of the proposals so far.
    pub(super) fn seen(&self) -> &[ProposalSums] {
        self.watched.as_deref().unwrap_or_default()
    }

    fn watch(&mut self) -> Result<()> {
        if let Some(seen) = &mut self.watched {
            seen.push(ProposalSums::of(&mut self.made.evaluation, self.setup.known)?);
        }
        Ok(())
    }

    /// Labels items until there are `labels`.
    pub(super) fn label(&mut self, labels: usize) -> Result<()> {
        if let Some(strata) = self.setup.strata {
            return self.sample(labels, strata);
        }
        loop {
            let now = self.made.evaluation.observed().len();
            if now >= labels {
                return Ok(());
            }
            if self.settings.due(self.refreshed, now) {
                if self.setup.reweighs && !self.settings.retrains(self.refreshed, now) {
                    self.made.evaluation.reweigh()?;
                } else {
                    self.refresh()?;
                }
                self.refreshed = now;
            }
            // Until the next proposal is due, asking for all items at once draws the same as asking one by one.
            let left = labels - now;
            let count = if self.settings.refreshes() {
                (1..left).find(|more| self.settings.due(self.refreshed, now + more)).unwrap_or(left)
            } else {
                left
            };
            for draw in self.made.draws(count)? {
                self.made.evaluation.tell(draw.index, self.known(draw.index)?)?;
            }
        }
    }

    fn refresh(&mut self) -> Result<()> {
        let evaluation = &self.made.evaluation;
        let (ledger, observed) = (Some(evaluation.ledger().clone()), evaluation.observed().to_vec());
        let past = Past { ledger, observed, mixtures: evaluation.mixtures().to_vec() };
        let point = self.made.next_point();
        self.made = prepare::proposed(&self.setup.inputs, &self.settings, past, point)?;
        self.proposals.extend(self.gauge.weights(point.draws, self.made.evaluation.weights()));
        self.watch()
    }

    /// Another stratified sample for each number of labels, since a sample is fixed before its first label.
    fn sample(&mut self, budget: usize, strata: usize) -> Result<()> {
        self.settings.design = Design::Stratified { budget, strata: strata.min(budget / 2).max(1) };
        let Some(sample) = design::stratification(&mut self.made.evaluation, &self.settings)? else {
            return Ok(());
        };
        let (pool, loss) = (self.made.evaluation.pool(), self.made.evaluation.loss());
        let (mut reader, mut ledger) = (pool.predictions().reader(), sample.ledger());
        for (place, draw) in sample.draws().iter().enumerate() {
            let label = self.known(draw.index)?;
            let loss = checked_loss(loss, draw.index, T::prediction(reader.row(draw.index)), label)?;
            ledger.settle(place, DrawOutcome::Labelled { label, loss });
        }
        self.sample = Some(ledger);
        Ok(())
    }

    fn known(&self, item: usize) -> Result<T::Label> {
        let missing = || Error::Oracle { item, why: "the pool has none".to_owned() };
        Ok(self.setup.known.get(item).copied().ok_or_else(missing)?)
    }

    /// The draws, with what the beliefs expect of the estimate.
    pub(super) fn ledger(&self) -> Result<Cow<'_, Ledger<T>>> {
        match &self.sample {
            Some(sample) => Ok(Cow::Borrowed(sample)),
            None => Ok(self.made.evaluation.believing()?),
        }
    }

    pub(super) fn estimator(&self, name: EstimatorName) -> Result<Box<dyn Estimator>> {
        suited(name, &self.settings, self.sample.as_ref().unwrap_or(self.made.evaluation.ledger()))
    }

    /// The estimate at a stop, with an interval where the stop wants one; `None` if the metric has no value yet.
    pub(super) fn outcome(
        &self,
        stop: Stop,
        strategy: &Strategy,
        level: f64,
        truth: Truth,
    ) -> Result<Option<Outcome>> {
        // Plain weights are those of uniform sampling and of the paper's recipe.
        let suited = strategy.estimator == EstimatorName::Suited;
        let proposals = if suited { &self.proposals[..] } else { &[] };
        let ledger = self.ledger()?;
        if let Some(outcome) = self.gauge.outcome(&ledger, proposals, level, truth)? {
            let without = |outcome: Outcome| Outcome {
                interval: outcome.interval.filter(|_| stop.interval),
                ..outcome
            };
            return Ok(outcome.map(without));
        }
        let shown = |mean: f64| if matches!(self.gauge, Gauge::Root) { mean.max(0.0).sqrt() } else { mean };
        let estimator = self.estimator(strategy.estimator)?;
        let gathered = ledger.gather(&*estimator)?;
        let interval = match stop.interval.then(|| gathered.interval(Method::Ordinary, Target::Pool, level)) {
            // That is an answer too: so few labels of such a loss have no interval.
            None | Some(Err(Error::TooFewLabels { .. })) => None,
            Some(interval) => {
                let interval = interval?;
                let squared =
                    if matches!(self.gauge, Gauge::Root) { truth.risk * truth.risk } else { truth.risk };
                Some(SimulatedInterval {
                    low: shown(interval.low),
                    high: shown(interval.high),
                    covers: interval.covers(squared),
                })
            }
        };
        Ok(Some(Outcome { estimate: shown(gathered.estimate().value), interval }))
    }
}
