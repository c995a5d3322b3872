//! Draws and their outcomes: the part of an evaluation that estimates use. A ledger needs neither pool nor
//! surrogate, so it also estimates from draws and labels that are stored elsewhere.

mod draw;
mod evidence;
mod gathered;
mod panel;

pub use draw::{Draw, Estimate, Imputed, Outcome, PoolFacts};
use evidence::usual_estimator;
pub use evidence::{BeliefExpectation, Evidence, KnownItems};
pub(crate) use gathered::Fit;
pub use gathered::Gathered;
pub use panel::{AnnotatorNoise, PanelItem};

use crate::design::{DesignError, Strata};
use crate::error::{Error, Result};
use crate::estimator::{Estimator, RatioBounds, Replacement, Sample};
use crate::interval::{Interval, Method, Target};
use crate::loss::{Bounds, Sign};
use crate::report::Report;
use crate::task::Task;

/// Draws and their outcomes, in draw order. Estimates use the longest prefix that waits for nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger<T: Task> {
    facts: PoolFacts,
    draws: Vec<Draw>,
    outcomes: Vec<Outcome<T>>,
    /// The length of the longest prefix without an open draw.
    complete: usize,
    /// The stratum of each draw, if draws were made within strata.
    strata: Option<Strata>,
    /// The estimate's variance that the belief expects, if it expects one.
    belief: Option<BeliefExpectation>,
    /// The variance that comes from the choice of annotators alone.
    noise: f64,
}

impl<T: Task> Ledger<T> {
    /// Before the first draw.
    pub fn new(facts: PoolFacts) -> Self {
        Self {
            facts,
            draws: Vec::new(),
            outcomes: Vec::new(),
            complete: 0,
            strata: None,
            belief: None,
            noise: 0.0,
        }
    }

    /// Before the first draw of a stratified sample, whose draws take the turns of the strata. Estimates use the longest
    /// prefix of each stratum that waits for nothing.
    pub fn stratified(facts: PoolFacts, strata: Strata) -> Self {
        Self { strata: Some(strata), ..Self::new(facts) }
    }

    /// The same draws with what a belief expects of the estimate: ordinary intervals are then at least as wide as it says.
    pub fn with_belief(self, belief: Option<BeliefExpectation>) -> Self {
        Self { belief, ..self }
    }

    /// The same draws with the variance of the mean loss that comes from the choice of annotators alone; ordinary intervals
    /// for the pool are then about the mean over annotators.
    pub fn with_noise(self, noise: f64) -> Self {
        Self { noise, ..self }
    }

    /// Appends a draw that has no label yet.
    pub fn push(&mut self, draw: Draw) {
        self.draws.push(draw);
        self.outcomes.push(Outcome::Open);
    }

    /// Records the outcome of the draw at a place.
    pub fn settle(&mut self, place: usize, outcome: Outcome<T>) {
        if let Some(settled) = self.outcomes.get_mut(place) {
            *settled = outcome;
        }
        while self.outcomes.get(self.complete).is_some_and(|outcome| *outcome != Outcome::Open) {
            self.complete += 1;
        }
    }

    /// The facts about the pool and the loss.
    pub fn facts(&self) -> &PoolFacts {
        &self.facts
    }

    /// Every draw so far, in draw order.
    pub fn draws(&self) -> &[Draw] {
        &self.draws
    }

    /// The outcome of each draw, in draw order.
    pub fn outcomes(&self) -> &[Outcome<T>] {
        &self.outcomes
    }

    /// The draws that wait for a label, in draw order.
    pub fn open_draws(&self) -> impl Iterator<Item = &Draw> {
        let draws = self.draws.iter().zip(&self.outcomes);
        draws.filter(|(_, outcome)| **outcome == Outcome::Open).map(|(draw, _)| draw)
    }

    /// The length of the longest prefix of draws that waits for nothing: what estimates are made of.
    pub fn complete(&self) -> usize {
        self.complete
    }

    /// Number of items that can still be drawn.
    pub fn left(&self) -> usize {
        self.facts.pool_size - self.facts.known.count - self.draws.len()
    }

    /// The strata that draws were made within, where they were.
    pub fn strata(&self) -> Option<&Strata> {
        self.strata.as_ref()
    }

    /// What is known now: the longest prefix of draws that waits for nothing. Draws within strata are refused, since
    /// nothing but [`by_strata`](Self::by_strata) holds for them.
    pub fn evidence(&self, imputed: Imputed) -> Result<Evidence> {
        self.refuse_strata()?;
        self.gathered(imputed)
    }

    /// Refuses draws within strata, for questions that only draws from the whole pool can answer.
    pub(crate) fn refuse_strata(&self) -> Result<()> {
        if self.strata.is_some() {
            return Err(DesignError::DrawnWithinStrata { estimator: "any other" }.into());
        }
        Ok(())
    }

    /// What is known now by an estimator that suits how items were drawn.
    pub fn evidence_by(&self, estimator: &dyn Estimator, imputed: Imputed) -> Result<Evidence> {
        let within = estimator.replacement() == Replacement::WithinStrata;
        match (&self.strata, within) {
            (Some(_), false) => Err(DesignError::DrawnWithinStrata { estimator: estimator.name() }.into()),
            (None, true) => Err(DesignError::DrawnFromWholePool.into()),
            _ => self.gathered(imputed),
        }
    }

    fn gathered(&self, imputed: Imputed) -> Result<Evidence> {
        let mut samples = Vec::with_capacity(self.complete);
        let mut without_label = 0;
        let mut labelled_bounds = Bounds { low: 0.0, high: 0.0 };
        let counted = match &self.strata {
            Some(strata) => self.samples_of_strata(strata),
            None => self.samples_without_missing(),
        };
        for (place, sample) in counted {
            let (Some(draw), Some(outcome)) = (self.draws.get(place), self.outcomes.get(place)) else {
                continue;
            };
            let bounds = draw.bounds;
            let loss = match (outcome, imputed, bounds) {
                (Outcome::Labelled { loss, .. }, ..) => *loss,
                (_, Imputed::Expected, _) => draw.control,
                (_, Imputed::Lowest, Some(bounds)) => bounds.low,
                (_, Imputed::Highest, Some(bounds)) => bounds.high,
                (.., None) => return Err(Error::UnboundedSkip { item: draw.index }),
            };
            if let Some(bounds) = bounds {
                labelled_bounds.low += self.usable_low(bounds);
                labelled_bounds.high += bounds.high;
            }
            without_label += usize::from(!matches!(outcome, Outcome::Labelled { .. }));
            samples.push(Sample { loss, ..sample });
        }
        if samples.is_empty() {
            return Err(Error::NoSamples { next: self.open_draws().next().map(|draw| draw.index) });
        }
        let mut missing_bounds = Bounds { low: 0.0, high: 0.0 };
        for bounds in self.missing().filter_map(|draw| draw.bounds) {
            missing_bounds.low += self.usable_low(bounds);
            missing_bounds.high += bounds.high;
        }
        let unlabelled = self.facts.bounds.map(|all| Bounds {
            low: all.low - labelled_bounds.low - missing_bounds.low,
            high: (all.high - labelled_bounds.high - missing_bounds.high).max(0.0),
        });
        let pool_size = self.facts.pool_size - self.facts.known.count - self.missing().count();
        let PoolFacts { known, range, sign, .. } = self.facts;
        if let Some(last) =
            samples.last_mut().filter(|_| self.missing().next().is_some() && self.strata.is_none())
            && self.complete == self.draws.len()
            && self.left() == 0
        {
            // Whatever stood for the weights of those missing, the last one left is certain to be drawn.
            last.q = 1.0;
        }
        let belief = self.belief.as_ref().map(|belief| belief.counted(|draws| self.counted_before(draws)));
        Ok(Evidence {
            samples,
            pool_size,
            known,
            unlabelled,
            range,
            sign,
            imputed: without_label,
            belief,
            noise: self.noise,
        })
    }

    /// Our default estimator: centred regression LURE where beliefs are recalibrated, otherwise regression LURE.
    pub fn usual_estimator(&self) -> &'static dyn Estimator {
        usual_estimator(self.belief.as_ref())
    }

    /// Number of samples among the first draws: those that are not missing at random.
    fn counted_before(&self, draws: usize) -> usize {
        let outcomes = self.outcomes.iter().take(draws);
        outcomes.filter(|outcome| !matches!(outcome, Outcome::MissingAtRandom)).count()
    }

    /// Gathers the evidence and fits an estimator to it, once for everything that is asked of both.
    pub fn gather<'a>(&self, estimator: &'a dyn Estimator) -> Result<Gathered<'a>> {
        let fitted = |imputed| -> Result<(Evidence, Fit<'a>)> {
            let evidence = self.evidence_by(estimator, imputed)?;
            let fit = evidence.fit(estimator)?;
            Ok((evidence, fit))
        };
        let (evidence, fit) = fitted(Imputed::Expected)?;
        let extremes = if self.has_skipped() {
            Some([fitted(Imputed::Lowest)?, fitted(Imputed::Highest)?])
        } else {
            None
        };
        let labelled = self.outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Labelled { .. }));
        let waiting = labelled.count().saturating_sub(evidence.samples.len() - evidence.imputed);
        let missing_since_refresh = self.missing_since_refresh();
        Ok(Gathered { evidence, fit, extremes, waiting, missing_since_refresh })
    }

    /// The estimate by an estimator of your choice; [`usual_estimator`](Self::usual_estimator) is ours.
    pub fn estimate(&self, estimator: &dyn Estimator) -> Result<Estimate> {
        Ok(self.gather(estimator)?.estimate())
    }

    /// An interval about that estimate; with skipped items it spans their bounds, as [`Gathered::interval`] says.
    pub fn interval(
        &self,
        estimator: &dyn Estimator,
        method: Method,
        target: Target,
        level: f64,
    ) -> Result<Interval> {
        self.gather(estimator)?.interval(method, target, level)
    }

    /// Estimate, ordinary interval and everything worth knowing about them, by our default estimator; by the stratified
    /// mean where draws were made within strata.
    pub fn report(&self, target: Target, level: f64) -> Result<Report> {
        if self.strata.is_some() {
            return self.report_by(&self.by_strata()?, Method::Ordinary, target, level);
        }
        self.report_by(self.usual_estimator(), Method::Ordinary, target, level)
    }

    /// A report by another estimator or another interval.
    pub fn report_by(
        &self,
        estimator: &dyn Estimator,
        method: Method,
        target: Target,
        level: f64,
    ) -> Result<Report> {
        self.gather(estimator)?.report(method, target, level)
    }

    /// The draws declared missing at random, wherever they stand.
    fn missing(&self) -> impl Iterator<Item = &Draw> {
        let draws = self.draws.iter().zip(&self.outcomes);
        draws.filter(|(_, outcome)| **outcome == Outcome::MissingAtRandom).map(|(draw, _)| draw)
    }

    /// Whether an item missing at random was drawn from another proposal than a draw that counts before it.
    fn missing_since_refresh(&self) -> bool {
        let first = self.draws.first().map(|draw| draw.refresh);
        self.missing().any(|draw| Some(draw.refresh) != first)
    }

    fn has_skipped(&self) -> bool {
        let skipped = |place: usize| self.outcomes.get(place) == Some(&Outcome::Skipped);
        match &self.strata {
            Some(strata) => self.counted_of(strata).any(skipped),
            None => (0..self.complete).any(skipped),
        }
    }

    /// The complete prefix as it would have been, had the items missing at random never been in the pool: a race
    /// without a runner is a race among the others. Exact while the proposal stays the same; across a refresh, the
    /// weight the item had when it was drawn stands for the one it had before.
    fn samples_without_missing(&self) -> Vec<(usize, Sample)> {
        let (mut weight, mut control) = (0.0, 0.0);
        // The refreshes that the weights of the missing come from; those of another are not exact.
        let mut refreshes: Vec<u64> = Vec::new();
        let mut samples = Vec::with_capacity(self.complete);
        for (place, (draw, outcome)) in self.draws.iter().zip(&self.outcomes).enumerate().rev() {
            let own = draw.q * draw.mass;
            if *outcome == Outcome::MissingAtRandom {
                weight += own;
                control += draw.control;
                refreshes.push(draw.refresh);
            } else if place < self.complete {
                let mass = if weight == 0.0 { draw.mass } else { (draw.mass - weight).max(own) };
                let scale = mass / draw.mass;
                let sample = Sample {
                    index: draw.index,
                    q: if weight == 0.0 { draw.q } else { own / mass },
                    loss: 0.0,
                    control: draw.control,
                    control_total: draw.control_total - control,
                    ratio_bounds: draw
                        .ratio_bounds
                        .filter(|_| refreshes.iter().all(|refresh| *refresh == draw.refresh))
                        .map(|r| RatioBounds { low: r.low * scale, high: r.high * scale }),
                };
                samples.push((place, sample));
            }
        }
        samples.reverse();
        samples
    }

    /// The lower bound as sums of bounds have it: zero for a loss that is never negative.
    fn usable_low(&self, bounds: Bounds) -> f64 {
        match self.facts.sign {
            Sign::NonNegative => 0.0,
            Sign::Signed => bounds.low,
        }
    }
}
