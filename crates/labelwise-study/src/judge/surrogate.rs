//! The belief of judges as a surrogate of a study, and what it expects of estimates from the record.

use std::sync::Arc;

use labelwise::ledger::{BeliefExpectation, Draw};
use labelwise::loss::{Loss, Moments};
use labelwise::surrogate::{
    JudgePrior, Judges, MixtureSums, Observed, RatioEstimate, RatioLoss, Schedule, Surrogate, WorthOf,
};
use labelwise::{Matrix, Pool};

use super::JudgeChoice;
use crate::Study;
use crate::error::{Result, damaged};
use crate::inputs::ProposalInputs;
use crate::prepare::{self, Past};
use crate::refresh_point::RefreshPoint;
use crate::spec::settings::Times;
use crate::task::StudyTask;

/// Labels between two refreshes, as a share of the pool: a proposal runs out of its best items.
const POOL_SHARE: usize = 20;

/// The default numbers of labels at which the belief follows them.
pub(crate) fn refresh_times(size: usize) -> Times {
    let most = (size / POOL_SHARE).max(10);
    let (mut times, mut last) = (Vec::new(), 0);
    for &at in Judges::<labelwise::Classification>::refreshes() {
        while last >= 50 && at > last + most {
            last += most;
            times.push(last);
        }
        last = at;
        times.push(last);
    }
    times.retain(|at| *at < size);
    Times::At(times)
}

/// The judges of a study.
pub(crate) trait Judging<T: labelwise::Task>: Send + Sync {
    /// The surrogate before its first label.
    fn surrogate(&self) -> Box<dyn Surrogate<T>>;
    /// See [`Judges::expectation_of`].
    fn expectation(
        &self,
        observed: Observed<'_, T>,
        refreshes: &[MixtureSums],
        draws: &[Draw],
        loss: &dyn Loss<T>,
    ) -> Result<Option<BeliefExpectation>>;
    /// See [`Judges::ratio`].
    fn ratio(
        &self,
        observed: Observed<'_, T>,
        refreshes: &[MixtureSums],
        draws: &[(Draw, Vec<T::Label>)],
        of: &RatioLoss<'_, T>,
    ) -> Result<Option<RatioEstimate>>;
    /// See [`Judges::successor`].
    fn successor(&self, labels: &[(usize, T::Label)]) -> Option<JudgePrior>;
}

impl<T: WorthOf> Judging<T> for Judges<T> {
    fn surrogate(&self) -> Box<dyn Surrogate<T>> {
        Box::new(self.clone())
    }

    fn expectation(
        &self,
        observed: Observed<'_, T>,
        refreshes: &[MixtureSums],
        draws: &[Draw],
        loss: &dyn Loss<T>,
    ) -> Result<Option<BeliefExpectation>> {
        Ok(self.expectation_of(observed, refreshes, draws, loss)?)
    }

    fn ratio(
        &self,
        observed: Observed<'_, T>,
        refreshes: &[MixtureSums],
        draws: &[(Draw, Vec<T::Label>)],
        of: &RatioLoss<'_, T>,
    ) -> Result<Option<RatioEstimate>> {
        Ok(Judges::ratio(self, observed, refreshes, draws, of)?)
    }

    fn successor(&self, labels: &[(usize, T::Label)]) -> Option<JudgePrior> {
        Judges::successor(self, labels)
    }
}

/// Beliefs that have no ratios of their own.
#[derive(Clone)]
pub(crate) struct Lasting<S>(pub(crate) S);

impl<T: labelwise::Task, S: Surrogate<T> + Clone + 'static> Judging<T> for Lasting<S> {
    fn surrogate(&self) -> Box<dyn Surrogate<T>> {
        Box::new(self.0.clone())
    }

    fn expectation(
        &self,
        observed: Observed<'_, T>,
        refreshes: &[MixtureSums],
        draws: &[Draw],
        loss: &dyn Loss<T>,
    ) -> Result<Option<BeliefExpectation>> {
        match self.0.mixture() {
            Some(mixture) => Ok(mixture.expectation(observed, refreshes, draws, loss)?),
            None => Ok(None),
        }
    }

    fn ratio(
        &self,
        _observed: Observed<'_, T>,
        _refreshes: &[MixtureSums],
        _draws: &[(Draw, Vec<T::Label>)],
        _of: &RatioLoss<'_, T>,
    ) -> Result<Option<RatioEstimate>> {
        Ok(None)
    }

    fn successor(&self, _labels: &[(usize, T::Label)]) -> Option<JudgePrior> {
        None
    }
}

/// The judges with this scale of worths. The study decides when a proposal is computed again.
pub(crate) fn judging<T: WorthOf>(
    choice: &JudgeChoice,
    features: Matrix,
    scale: T::Scale,
    loss: Box<dyn Loss<T>>,
    pool: &Pool<T>,
) -> Result<Box<dyn Judging<T>>> {
    let prior = choice.prior.prior().ok_or_else(|| damaged("evaluation".as_ref(), "settings", "judge"))?;
    let judges = Judges::new(features, prior, scale, Arc::from(loss), pool)?;
    Ok(Box::new(judges.schedule(Schedule::Never)))
}

/// E(ℒ) and E(ℒ²) of every item under rows of beliefs.
pub(crate) fn first_moments<T: labelwise::Task>(
    pool: &Pool<T>,
    beliefs: &Matrix,
    loss: &dyn Loss<T>,
) -> Vec<Moments> {
    let (mut predictions, mut beliefs) = (pool.predictions().reader(), beliefs.reader());
    let of = |item: usize| loss.moments(T::prediction(predictions.row(item)), T::belief(beliefs.row(item)));
    (0..pool.pool_size()).map(of).collect()
}

impl Study {
    /// Every proposal with its weights and beliefs, computed again from the pool. Those that were computed before are kept.
    pub(crate) fn proposals<T: StudyTask>(&self, inputs: &ProposalInputs<T>) -> Result<Vec<MixtureSums>> {
        let record = self.record()?;
        let (settings, path) = (&self.settings, self.journal.path());
        let mut kept = self.late.borrow().proposals.clone();
        kept.truncate(record.refreshes.len());
        for (row, refresh) in record.refreshes.iter().enumerate().skip(kept.len()) {
            let point = RefreshPoint::of(row, &refresh.origin);
            let before = record.until(point.draws, point.events);
            let observed = before.observed::<T>(path, settings)?;
            let ledger = if point.number == 0 { None } else { Some(before.own_ledger::<T>(path, settings)?) };
            let past = Past { ledger, observed, mixtures: Vec::new() };
            let made = prepare::proposed(inputs, settings, past, point)?;
            kept.extend(made.evaluation.mixtures().last().cloned());
        }
        self.late.borrow_mut().proposals.clone_from(&kept);
        Ok(kept)
    }

    /// What the belief of the judges expects of the estimate of a loss from the first `complete` draws; `None` without judges.
    pub(crate) fn judged_expectation<T: StudyTask>(
        &self,
        loss: &dyn Loss<T>,
        complete: usize,
    ) -> Result<Option<BeliefExpectation>> {
        let inputs = ProposalInputs::<T>::new(&*self.journal, &self.settings)?;
        let Some(judges) = &inputs.judges else { return Ok(None) };
        let refreshes = self.proposals(&inputs)?;
        let record = self.record()?;
        let labels = record.observed::<T>(self.journal.path(), &self.settings)?;
        let draws: Vec<Draw> = record.rows().take(complete).map(|row| row.draw).collect();
        judges.expectation(Observed { pool: &inputs.pool, labels: &labels }, &refreshes, &draws, loss)
    }
}
