//! What recalibrated beliefs expect of an estimate, from the labels and what the journal kept.

use std::path::Path;

use labelwise::ledger::BeliefExpectation;
use labelwise::loss::Outcomes;
use labelwise::surrogate::{Fit, Foreseen, MixtureSums, Seen};
use labelwise::task::Task;
use labelwise::{Classification, Regression};

use super::{KeptPriors, MOST_EXPERTS};
use crate::error::{ChoiceError, Result, damaged};
use crate::journal::record::{Fate, Record};
use crate::journal::row::Row;
use crate::spec::metric::LossName;
use crate::spec::settings::{Settings, Times};
use crate::spec::subject::Subject;
use crate::task::StudyTask;

impl Record {
    /// What the labels make of the components, where the model's predictions have this many columns and this many predictions
    /// are given.
    pub(crate) fn fit(
        &self,
        path: &Path,
        settings: &Settings,
        priors: &KeptPriors,
        (columns, given): (usize, usize),
    ) -> Result<Fit> {
        let name = settings.metric.loss;
        let own = Classification::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
        let sure = settings.says_how_sure();
        let experts = if given > MOST_EXPERTS { 1 } else { given } + usize::from(sure);
        let recalibration = priors
            .recalibration(experts, columns, &*own, settings)
            .ok_or_else(|| damaged(path, "refresh", 0))?;
        let mut posterior = recalibration.posterior(&*own);
        for (row, label) in self.told_rows::<Classification>(path, settings) {
            let experts = row.experts.chunks(columns.max(1)).chain(sure.then_some(row.prediction.as_slice()));
            posterior.tell(experts, &row.prediction, label?);
        }
        Ok(posterior.fit())
    }

    /// The range of the number of uniformly sampled labels that one label is worth, as the components of recalibrated
    /// beliefs expect before the first label.
    pub(crate) fn gain_range(&self, settings: &Settings) -> Option<(f64, f64)> {
        if let Some(foreseen) = self.foreseen(settings) {
            return Some(foreseen.gain);
        }
        let origin = &self.refreshes.first()?.origin;
        let (priors, mixture) = (origin.priors.as_ref()?, origin.mixture.as_ref()?);
        MixtureSums::from(mixture).gain_range(&priors.interval_weights())
    }

    /// What labels are worth if proposals follow them, as ranges; none where proposals stay as they are, and of files that did
    /// not keep it.
    pub(crate) fn foreseen(&self, settings: &Settings) -> Option<Foreseen> {
        let priors = self.refreshes.first()?.origin.priors.as_ref()?;
        priors.foreseen.map(Into::into).filter(|_| settings.recalibrated != Some(Times::Never))
    }

    /// What every refresh kept of the components of its belief; empty for beliefs that are used as given.
    pub(crate) fn mixtures(&self) -> Vec<MixtureSums> {
        self.refreshes.iter().filter_map(|refresh| refresh.origin.mixture.as_ref()).map(Into::into).collect()
    }

    /// The same for a loss that the draws are not made for; none if a refresh did not keep it.
    pub(crate) fn mixtures_by(&self, name: LossName) -> Vec<MixtureSums> {
        let kept = self.refreshes.iter().map(|refresh| refresh.origin.mixtures.get(&name).map(Into::into));
        kept.collect::<Option<_>>().unwrap_or_default()
    }

    /// What the belief, recalibrated by all labels, expects of the estimate of a loss from the first `complete` draws, given what
    /// every refresh kept for this loss. It reads the drawn rows alone.
    pub(crate) fn expectation(
        &self,
        path: &Path,
        settings: &Settings,
        name: LossName,
        sums: &[MixtureSums],
        complete: usize,
    ) -> Result<Option<BeliefExpectation>> {
        let Some(priors) = self.refreshes.first().and_then(|refresh| refresh.origin.priors.as_ref()) else {
            return Ok(None);
        };
        let loss_of = |name: LossName| {
            Classification::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))
        };
        let (own, loss) = (&*loss_of(settings.metric.loss)?, &*loss_of(name)?);
        let Some(any) = self.rows().next() else { return Ok(None) };
        let classes = any.prediction.len();
        let sure = settings.subject != Subject::Hard;
        let rows = |row: &Row| {
            let experts: Vec<Vec<f64>> = row.experts.chunks(classes.max(1)).map(<[f64]>::to_vec).collect();
            experts.into_iter().chain(sure.then(|| row.prediction.clone())).collect::<Vec<_>>()
        };
        let given = rows(any).len();
        let recalibration =
            priors.recalibration(given, classes, own, settings).ok_or_else(|| damaged(path, "refresh", 0))?;
        let mut posterior = recalibration.posterior(own);
        for (row, label) in self.told_rows::<Classification>(path, settings) {
            let experts = rows(row);
            posterior.tell(experts.iter().map(Vec::as_slice), &row.prediction, label?);
        }
        let weights = posterior.interval_weights();
        let draws: Vec<&Row> = self.rows().take(complete).collect();
        let expected = |since: &[&Row]| {
            let of_row = |row: &&Row| {
                let experts = rows(row);
                let experts = experts.iter().map(Vec::as_slice);
                match name == settings.metric.loss {
                    true => posterior.expected(experts, &row.prediction, &weights),
                    false => posterior.expected_by(loss, experts, &row.prediction, &weights),
                }
            };
            Ok(since.iter().map(of_row).sum())
        };
        Ok(BeliefExpectation::new(sums, &draws, &weights, loss.outcomes(), expected)?)
    }

    /// What Gaussian beliefs expect of the estimate of the squared error from the first `complete` draws, given the residuals
    /// of all labels.
    pub(crate) fn expectation_of_numbers(
        &self,
        path: &Path,
        settings: &Settings,
        sums: &[MixtureSums],
        complete: usize,
    ) -> Result<Option<BeliefExpectation>> {
        let Some(fitted) = sums.first().and_then(|sums| sums.fitted.as_ref()) else { return Ok(None) };
        let belief = |row: &Row| Regression::belief(row.belief());
        let mut seen = Seen::new(fitted.offset);
        for (row, label) in self.told_rows::<Regression>(path, settings) {
            seen.tell(belief(row), label?);
        }
        let weights = seen.weights();
        let draws: Vec<&Row> = self.rows().take(complete).collect();
        let of_row = |row: &&Row| {
            let predicted = Regression::prediction(&row.prediction).mean;
            seen.expected(predicted, belief(row), &weights)
        };
        let expected = |since: &[&Row]| Ok(since.iter().map(of_row).sum());
        Ok(BeliefExpectation::new(sums, &draws, &weights, Outcomes::Other, expected)?)
    }

    /// The rows of the draws that have a label, in the order of telling, and their labels.
    fn told_rows<'a, T: StudyTask>(
        &'a self,
        path: &'a Path,
        settings: &'a Settings,
    ) -> impl Iterator<Item = (&'a Row, Result<T::Label>)> {
        self.told.iter().filter_map(move |&place| {
            let (row, fate) = (&self.draws.get(place)?.row, self.fates.get(place)?);
            let Fate::Labelled(text) = fate else { return None };
            Some((row, T::label(text, row, settings).map_err(|_| damaged(path, "event", place))))
        })
    }
}
