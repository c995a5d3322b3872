//! Recalibrated beliefs: which experts they are made of, when labels recalibrate them, and what a journal keeps of them.

use std::path::Path;
use std::sync::Arc;

use labelwise::ledger::BeliefExpectation;
use labelwise::loss::{Loss, Outcomes};
use labelwise::surrogate::{
    Beliefs, ComponentSums, Fit, FittedSums, Foreseen, MixtureSums, Origin, Recalibrated, Recalibration,
    Residuals, Schedule, Seen, Surrogate,
};
use labelwise::task::Task;
use labelwise::{Classification, Matrix, Pool, Regression};
use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;
use crate::error::{ChoiceError, Result, damaged};
use crate::journal::record::{Fate, Record};
use crate::journal::row::Row;
use crate::spec::metric::LossName;
use crate::spec::settings::{Settings, Times};
use crate::spec::subject::Subject;
use crate::task::StudyTask;

/// More given predictions than this are averaged before they are recalibrated.
const MOST_EXPERTS: usize = 4;

/// Labels between two refreshes, as a share of the pool: a proposal runs out of its best items.
const POOL_SHARE: usize = 20;

/// The default numbers of labels at which beliefs are recalibrated: 10, 20, 50, 100, 200, 400, ..., and never after more
/// than a twentieth of the pool.
pub(crate) fn refresh_times(size: usize) -> Times {
    let Schedule::At(doubling) = Schedule::doubling() else { return Times::Never };
    let most = (size / POOL_SHARE).max(10);
    let mut times = Vec::new();
    let mut last = 0;
    for at in doubling.into_iter().take_while(|at| *at < 2 * size) {
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

/// Where the probabilities of the experts come from. Of predictions without probabilities, a surrogate's are a single
/// confidence.
fn origin(settings: &Settings) -> Origin {
    if settings.subject == Subject::Hard { Origin::Scores } else { Origin::Classes }
}

/// The given predictions as experts: each by itself, or their mean if there are many. Numbers have none.
pub(crate) fn experts<T: StudyTask>(
    given: Vec<Matrix>,
    pool: &Pool<T>,
    settings: &Settings,
) -> Result<Vec<Beliefs<T>>> {
    if settings.subject == Subject::Values {
        return Ok(Vec::new());
    }
    if given.len() > MOST_EXPERTS {
        return Ok(vec![T::given(given, pool)?]);
    }
    given.into_iter().map(|rows| Ok(Beliefs::new(rows, pool)?)).collect()
}

/// A recalibrated surrogate before its first label, and what a journal keeps of it.
pub(crate) struct Recalibrating<T: StudyTask> {
    /// Makes the surrogate.
    pub(crate) surrogate: Box<dyn Fn() -> Box<dyn Surrogate<T>> + Send + Sync>,
    pub(crate) priors: KeptPriors,
}

/// The surrogate of these experts, the model's own probabilities last.
pub(crate) fn of_classes(
    experts: Vec<Beliefs<Classification>>,
    pool: &Pool<Classification>,
    loss: Box<dyn Loss<Classification>>,
    settings: &Settings,
    kept_priors: Option<&KeptPriors>,
    held_out: Option<Calibration>,
) -> Result<Recalibrating<Classification>> {
    let loss: Arc<dyn Loss<Classification>> = Arc::from(loss);
    let given = experts.len();
    // The study decides when a proposal is computed again.
    let kept = kept_priors.and_then(|kept| kept.recalibration(given, pool.model_columns(), &*loss, settings));
    let made = match kept {
        Some(recalibration) => Recalibrated::resumed(experts, pool, loss, recalibration)?,
        None => {
            let made = Recalibrated::with_origin(experts, pool, loss, origin(settings))?;
            match held_out {
                Some(Calibration { experts, predictions, labels }) => {
                    made.calibrated(&experts, &predictions, &labels)?
                }
                None => made,
            }
        }
    };
    let made = made.schedule(Schedule::Never);
    // What was foreseen of the pool is not made again.
    let priors = kept_priors.cloned().unwrap_or_else(|| KeptPriors::from(made.recalibration()));
    Ok(Recalibrating { surrogate: Box::new(move || Box::new(made.clone())), priors })
}

/// The surrogate of Gaussian beliefs, whose intervals follow the residuals.
pub(crate) fn of_numbers(beliefs: Beliefs<Regression>) -> Recalibrating<Regression> {
    let made = Residuals::new(beliefs);
    Recalibrating { surrogate: Box::new(move || Box::new(made.clone())), priors: KeptPriors::default() }
}

/// The prior weights of the components, in the encoding of the journal; none for numbers, whose components are parts of one
/// belief.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct KeptPriors {
    /// ln of the weights for proposal and interval; none for a weight of 0.
    logs: Vec<[Option<f64>; 2]>,
    /// Labels of other items that were seen before the first draw.
    #[serde(default, skip_serializing_if = "is_zero")]
    calibrated: usize,
    /// Their log-likelihood under each component.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    likelihoods: Vec<f64>,
    /// What labels are worth, as ranges, where proposals follow the labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    foreseen: Option<KeptForeseen>,
}

/// [`Foreseen`] in the encoding of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct KeptForeseen {
    gain: (f64, f64),
    draw: (f64, f64),
    uniform: (f64, f64),
}

impl From<Foreseen> for KeptForeseen {
    fn from(foreseen: Foreseen) -> Self {
        let Foreseen { gain, draw, uniform } = foreseen;
        Self { gain, draw, uniform }
    }
}

impl From<KeptForeseen> for Foreseen {
    fn from(kept: KeptForeseen) -> Self {
        let KeptForeseen { gain, draw, uniform } = kept;
        Self { gain, draw, uniform }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl From<&Recalibration> for KeptPriors {
    fn from(recalibration: &Recalibration) -> Self {
        let finite = |log: f64| Some(log).filter(|log| log.is_finite());
        let (calibrated, likelihoods) = recalibration.calibration();
        let likelihoods = if calibrated == 0 { Vec::new() } else { likelihoods.to_vec() };
        let logs = recalibration.log_priors().iter().map(|logs| logs.map(finite)).collect();
        let foreseen = recalibration.foreseen().map(Into::into);
        Self { logs, calibrated, likelihoods, foreseen }
    }
}

impl KeptPriors {
    /// The components' weights for intervals before the first label.
    fn interval_weights(&self) -> Vec<f64> {
        let logs = || self.logs.iter().map(|[_, interval]| interval.unwrap_or(f64::NEG_INFINITY));
        let likelihoods = self.likelihoods.iter().copied().chain(std::iter::repeat(0.0));
        let logs: Vec<f64> = logs().zip(likelihoods).map(|(log, likelihood)| log + likelihood).collect();
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        logs.into_iter().map(|log| (log - top).exp()).collect()
    }

    fn recalibration(
        &self,
        given: usize,
        classes: usize,
        loss: &dyn Loss<Classification>,
        settings: &Settings,
    ) -> Option<Recalibration> {
        let logs = self.logs.iter().map(|logs| logs.map(|log| log.unwrap_or(f64::NEG_INFINITY))).collect();
        let (outcomes, origin) = (loss.outcomes(), origin(settings));
        let made = Recalibration::from_log_priors(given, classes, outcomes, origin, logs)?;
        match self.calibrated {
            0 => Some(made),
            labels => made.with_calibration(labels, self.likelihoods.clone()),
        }
    }
}

/// [`MixtureSums`] in the encoding of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptMixture {
    drawn: usize,
    items: usize,
    mass: f64,
    control: f64,
    control_square: f64,
    /// Σ G1, Σ G2/w, Σ h G1/w and Σ G2 of each component.
    components: Vec<[f64; 4]>,
    /// Further sums, where an estimate fits the size of the control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fitted: Option<KeptFitted>,
}

/// [`FittedSums`] in the encoding of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptFitted {
    inverse: f64,
    control: f64,
    firsts: Vec<f64>,
    offset: f64,
}

impl From<&FittedSums> for KeptFitted {
    fn from(sums: &FittedSums) -> Self {
        let &FittedSums { inverse, control, ref firsts, offset } = sums;
        Self { inverse, control, firsts: firsts.clone(), offset }
    }
}

impl From<&KeptFitted> for FittedSums {
    fn from(kept: &KeptFitted) -> Self {
        let &KeptFitted { inverse, control, ref firsts, offset } = kept;
        Self { inverse, control, firsts: firsts.clone(), offset }
    }
}

impl From<&MixtureSums> for KeptMixture {
    fn from(sums: &MixtureSums) -> Self {
        let &MixtureSums { drawn, items, mass, control, control_square, ref components, ref fitted, .. } =
            sums;
        let numbers = |sums: &ComponentSums| [sums.first, sums.second, sums.cross, sums.square];
        let components = components.iter().map(numbers).collect();
        let fitted = fitted.as_ref().map(Into::into);
        Self { drawn, items, mass, control, control_square, components, fitted }
    }
}

impl From<&KeptMixture> for MixtureSums {
    fn from(kept: &KeptMixture) -> Self {
        let &KeptMixture { drawn, items, mass, control, control_square, ref components, ref fitted } = kept;
        let sums =
            |&[first, second, cross, square]: &[f64; 4]| ComponentSums { first, second, cross, square };
        let components = components.iter().map(sums).collect();
        let fitted = fitted.as_ref().map(Into::into);
        Self { drawn, items, mass, control, control_square, components, fitted, proposal: None }
    }
}

impl KeptMixture {
    /// The sums of a sample as those of this many items.
    #[allow(clippy::cast_precision_loss, reason = "a pool has fewer than 2^53 items")]
    pub(crate) fn of_items(mut self, items: usize) -> Self {
        let times = items as f64 / self.items.max(1) as f64;
        self.items = items;
        for sum in [&mut self.mass, &mut self.control, &mut self.control_square] {
            *sum *= times;
        }
        self.components.iter_mut().flatten().for_each(|sum| *sum *= times);
        if let Some(KeptFitted { inverse, control, firsts, .. }) = &mut self.fitted {
            [inverse, control].into_iter().chain(firsts).for_each(|sum| *sum *= times);
        }
        self
    }
}

/// The beliefs about the items of a part of the pool, given what labels made of the components.
pub(crate) fn of_part(
    given: Vec<Matrix>,
    pool: &Pool<Classification>,
    settings: &Settings,
    priors: &KeptPriors,
    fit: &Fit,
) -> Result<Beliefs<Classification>> {
    let mut experts = experts(given, pool, settings)?;
    if settings.says_how_sure() {
        experts.push(pool.own_beliefs()?);
    }
    let name = settings.metric.loss;
    let loss = Classification::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
    let recalibration = priors.recalibration(experts.len(), pool.model_columns(), &*loss, settings);
    let recalibration = recalibration.ok_or_else(|| damaged(Path::new("the pool"), "refresh", 0))?;
    Ok(Recalibrated::resumed(experts, pool, Arc::from(loss), recalibration)?.beliefs_by(pool, fit)?)
}

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
