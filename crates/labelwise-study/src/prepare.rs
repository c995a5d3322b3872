//! Proposals and their draws.
//!
//! Weights are fixed between refreshes, so the seed determines all draws until the next refresh. A file stores the
//! first of them, so that `ask` only reads; in memory, the evaluation that draws is kept.

use std::collections::BTreeMap;

use labelwise::acquisition::{
    ActiveRiskEstimation, Centred, Distance, ExpectedLoss, RootMeanSquare, StandardDeviation, Uniform,
};
use labelwise::design::{Strata, Stratification};
use labelwise::evaluation::{Builder, LossTotals};
use labelwise::ledger::{Draw, Ledger};
use labelwise::loss::Loss;
use labelwise::surrogate::{MixtureSums, Schedule, Surrogate};
use labelwise::{Evaluation, Matrix, Pool, Seed};

use super::columns;
use super::decide::targets;
use super::inputs::ProposalInputs;
use super::journal::record::{Origin, PredictedClass, Record, Refresh, Totals};
use super::journal::{Journal, Row};
use super::predicted;
use super::recalibration::{KeptMixture, KeptPriors};
use super::refresh_point::RefreshPoint;
use super::rivals;
use super::spec::design;
use super::spec::metric::LossName;
use super::spec::names::AcquisitionName;
use super::spec::settings::{Settings, SurrogateChoice};
use super::spec::subject::Subject;
use super::task::StudyTask;
use crate::error::{ChoiceError, Result, damaged};

/// Number of draws that a file stores with a new proposal.
const AHEAD: usize = 16_384;

/// The same, if a refresh is likely to come first.
const AHEAD_OF_REFRESH: usize = 512;

/// Number of draws that are made at a time in memory: enough that the fixed cost of a batch does not matter.
const AHEAD_IN_MEMORY: usize = 32;

/// A proposal that is due, or more draws of the present one.
pub(crate) struct Prepared {
    /// The refresh, if it is new.
    pub(crate) refresh: Option<Refresh>,
    /// The draws after those that are prepared.
    pub(crate) rows: Vec<Row>,
}

/// An evaluation at a refresh.
pub(crate) struct Made<T: StudyTask> {
    pub(crate) evaluation: Evaluation<T>,
    /// The reason that the surrogate could not learn.
    fell_back: Option<String>,
    point: RefreshPoint,
    stratification: Option<Stratification<T>>,
    /// The predictions, if a custom loss gets something else.
    real: Option<Pool<T>>,
    /// The prior weights of recalibrated beliefs.
    priors: Option<KeptPriors>,
    /// The given predictions that are recalibrated.
    experts: Vec<Matrix>,
    /// Number of draws taken from it.
    taken: usize,
}

/// The evaluation before the first draw.
pub(crate) fn made_first<T: StudyTask>(journal: &dyn Journal, settings: &Settings) -> Result<Made<T>> {
    made(journal, settings, &Record::default(), RefreshPoint::FIRST)
}

/// The evaluation at the moment of a recorded proposal.
pub(crate) fn made<T: StudyTask>(
    journal: &dyn Journal,
    settings: &Settings,
    record: &Record,
    point: RefreshPoint,
) -> Result<Made<T>> {
    let (past, path) = (record.until(point.draws, point.events), journal.path());
    let observed = past.observed::<T>(path, settings)?;
    let ledger = if point.number == 0 { None } else { Some(past.own_ledger::<T>(path, settings)?) };
    let mixtures = record.mixtures().into_iter().take(point.row).collect();
    proposed(&ProposalInputs::new(journal, settings)?, settings, Past { ledger, observed, mixtures }, point)
}

/// The state before a proposal.
pub(crate) struct Past<T: StudyTask> {
    /// The draws and their outcomes; `None` before the first draw.
    pub(crate) ledger: Option<Ledger<T>>,
    /// The labels in the order in which they were told.
    pub(crate) observed: Vec<(usize, T::Label)>,
    /// What earlier refreshes kept of the components of their beliefs.
    pub(crate) mixtures: Vec<MixtureSums>,
}

/// The evaluation at the moment of a proposal. This is the only policy of learning: what is fitted, with which
/// labels, and the fallback of a fit that fails.
pub(crate) fn proposed<T: StudyTask>(
    inputs: &ProposalInputs<T>,
    settings: &Settings,
    past: Past<T>,
    point: RefreshPoint,
) -> Result<Made<T>> {
    let Past { ledger, observed, mixtures } = past;
    let start = builder(settings, inputs.drawn.clone(), inputs.surrogate(settings, &observed)?)?;
    let start = start.mixtures(mixtures);
    let (mut evaluation, fell_back) = match ledger.zip(point.number.checked_sub(1)) {
        None => (start.build()?, None),
        Some((ledger, before)) => match start.resume(ledger.clone(), observed.clone(), before) {
            Ok(evaluation) => (evaluation, None),
            // An evaluation must continue with labels that a learner cannot learn from.
            Err(error) if settings.retrain().is_some() && error != labelwise::Error::Interrupted => {
                let start = builder(settings, inputs.drawn.clone(), inputs.fallback())?;
                (start.resume(ledger, observed, before)?, Some(error.to_string()))
            }
            Err(error) => return Err(error.into()),
        },
    };
    let stratification = design::stratification(&mut evaluation, settings)?;
    let real = settings.supplied.codes().map(|_| inputs.pool.clone());
    let (priors, experts) = (inputs.priors().cloned(), inputs.experts.clone());
    Ok(Made { evaluation, fell_back, point, stratification, real, priors, experts, taken: 0 })
}

/// An evaluation with the loss, the acquisition and the floor of the settings.
pub(crate) fn builder<T: StudyTask>(
    settings: &Settings,
    pool: Pool<T>,
    surrogate: Box<dyn Surrogate<T>>,
) -> Result<Builder<T>> {
    let name = settings.metric.loss;
    let loss = T::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
    let known = T::known(&pool, settings)?;
    // The study decides when a proposal is computed again.
    let builder = Evaluation::builder(pool, loss, surrogate)
        .floor(settings.floor.into())
        .rescore(Schedule::Never)
        .seed(Seed(settings.seed))
        .on_bad_score(settings.bad_scores.into())
        .known(known.into_iter().map(|item| (item, 0.0)).chain(settings.known.iter().copied()));
    if settings.design.is_stratified() {
        // Strata replace scores.
        return Ok(builder.acquisition(Uniform));
    }
    Ok(match settings.acquisition {
        AcquisitionName::Centred => builder.acquisition(Centred),
        AcquisitionName::RootMeanSquare => T::scored(builder.acquisition(RootMeanSquare), settings),
        AcquisitionName::ExpectedLoss => builder.acquisition(ExpectedLoss),
        AcquisitionName::StandardDeviation => builder.acquisition(StandardDeviation),
        AcquisitionName::Uniform => builder.acquisition(Uniform),
        AcquisitionName::Distance => builder.acquisition(Distance::default()),
        AcquisitionName::MutualInformation => T::by_information(builder)?,
        AcquisitionName::ActiveRiskEstimation => builder.acquisition(ActiveRiskEstimation),
        AcquisitionName::Metrics => builder.acquisition(targets::for_metrics(settings)?),
    })
}

impl<T: StudyTask> Made<T> {
    /// The strata of a stratified design.
    pub(crate) fn strata(&self) -> Option<&Strata> {
        self.stratification.as_ref().map(Stratification::strata)
    }

    /// The moment of the next proposal.
    pub(crate) fn next_point(&self) -> RefreshPoint {
        let (draws, events) = (self.evaluation.draws().len(), self.evaluation.observed().len());
        let number = self.point.next_number(self.evaluation.draws().last());
        RefreshPoint { row: self.point.row + 1, number, draws, events }
    }

    /// The next `count` draws, or all that are left.
    pub(crate) fn draws(&mut self, count: usize) -> Result<Vec<Draw>> {
        let draws: Vec<Draw> = match &self.stratification {
            Some(sample) => sample.draws().iter().skip(self.taken).take(count).copied().collect(),
            None => self.evaluation.ask_batch(count.min(self.evaluation.left()))?,
        };
        self.taken += draws.len();
        Ok(draws)
    }

    /// Totals of a loss at this refresh; none if the predictions do not have it.
    pub(crate) fn totals(&mut self, name: LossName, settings: &Settings) -> Result<Option<Totals>> {
        let Some(loss) = T::loss(name, settings) else { return Ok(None) };
        let totals = match &self.real {
            Some(pool) if name != settings.metric.loss => self.evaluation.loss_totals_for(pool, &*loss)?,
            _ => self.evaluation.loss_totals(&*loss)?,
        };
        Ok(Some(self.reachable(totals)))
    }

    /// What recalibrated beliefs expect of losses that the draws are not made for, at this refresh.
    pub(crate) fn mixtures_by(
        &self,
        names: impl Iterator<Item = LossName>,
        settings: &Settings,
    ) -> Result<BTreeMap<LossName, KeptMixture>> {
        if settings.recalibrated.is_none() || settings.judge.is_some() || self.real.is_some() {
            return Ok(BTreeMap::new());
        }
        let others: Vec<(LossName, Box<dyn Loss<T>>)> = names
            .filter(|name| *name != settings.metric.loss)
            .filter_map(|name| Some((name, T::loss(name, settings)?)))
            .collect();
        if others.is_empty() {
            return Ok(BTreeMap::new());
        }
        let losses: Vec<&dyn Loss<T>> = others.iter().map(|(_, loss)| &**loss).collect();
        let kept = self.evaluation.mixtures_by(&losses)?;
        Ok(others.iter().map(|(name, _)| *name).zip(kept.iter().map(KeptMixture::from)).collect())
    }

    /// Within strata, a draw is not made from the whole pool, so there are no totals.
    fn reachable(&self, totals: LossTotals) -> Totals {
        let mut totals = Totals::from(totals);
        totals.reach = totals.reach.filter(|_| self.stratification.is_none());
        totals
    }

    /// The record of this refresh. With `all`, everything that estimates of any loss need, so that the evaluation
    /// need not be computed again.
    fn refresh(&mut self, journal: &dyn Journal, settings: &Settings, all: bool, at: i64) -> Result<Refresh> {
        let RefreshPoint { row, number, draws, events } = self.point;
        let mut origin = Origin {
            number,
            draws,
            events,
            fell_back: self.fell_back.clone(),
            mended_scores: self.evaluation.mended_scores(),
            strata: self.strata().map(Into::into),
            predicted: if all { self.predicted(journal, settings)? } else { Vec::new() },
            priors: self.priors.clone().filter(|_| row == 0),
            // Proposals of judges are made again where they are needed.
            mixture: self.evaluation.mixtures().last().filter(|sums| sums.proposal.is_none()).map(Into::into),
            mixtures: Default::default(),
            asides: Default::default(),
            sides: Vec::new(),
            scan: None,
            forecasts: Default::default(),
        };
        let foresees = all && row == 0 && settings.can_foresee();
        for name in settings.kept_losses() {
            let own = name == settings.metric.loss;
            // Items that tie by one loss can differ by another: a comparison uses the loss it was created for.
            let others = all && settings.rivals.is_empty() && settings.known.is_empty();
            if !own && !others {
                continue;
            }
            if self.real.is_some() && !own {
                origin.asides.extend(self.totals(name, settings)?.map(|totals| (name, totals)));
                continue;
            }
            let (totals, forecast) = match T::loss(name, settings) {
                _ if own && foresees => (self.evaluation.own_totals(), Some(self.evaluation.forecast()?)),
                _ if own => (self.evaluation.own_totals(), None),
                Some(loss) => {
                    let (totals, forecast) = self.evaluation.survey(&*loss)?;
                    (totals, Some(forecast).filter(|_| foresees))
                }
                None => continue,
            };
            origin.asides.insert(name, self.reachable(totals));
            origin.forecasts.extend(forecast.map(|forecast| (name, forecast.into())));
        }
        origin.mixtures = self.mixtures_by(origin.asides.keys().copied(), settings)?;
        for (side, loss) in T::sides(settings) {
            origin.sides.push((side, Totals::from(self.evaluation.loss_totals(&*loss)?)));
        }
        Ok(Refresh { labels: self.evaluation.observed().len(), at, origin })
    }

    /// The items that can be drawn, by predicted class; nothing where no metric could use it.
    pub(crate) fn predicted(
        &self,
        journal: &dyn Journal,
        settings: &Settings,
    ) -> Result<Vec<PredictedClass>> {
        if !settings.rivals.is_empty() || !settings.known.is_empty() || self.stratification.is_some() {
            return Ok(Vec::new());
        }
        let pool = self.real.as_ref().unwrap_or(self.evaluation.pool());
        predicted::weighed(journal, settings, pool.predictions(), self.evaluation.weights())
    }

    /// Draws as records, with their predictions and beliefs.
    fn rows(&mut self, journal: &dyn Journal, settings: &Settings, draws: &[Draw]) -> Result<Vec<Row>> {
        let items: Vec<usize> = draws.iter().map(|draw| draw.index).collect();
        let predicted = predicted_texts(journal, settings, &items)?;
        let own = settings.surrogate == SurrogateChoice::Own
            && settings.rivals.is_empty()
            && settings.recalibrated.is_none();
        let beliefs = if own { None } else { Some(self.evaluation.beliefs()?.clone()) };
        let mut believed = beliefs.as_ref().map(|beliefs| beliefs.rows().reader());
        let drawn = self.evaluation.pool();
        let mut predictions = self.real.as_ref().unwrap_or(drawn).predictions().reader();
        let mut codes = self.real.as_ref().map(|_| drawn.predictions().reader());
        let mut experts: Vec<_> = self.experts.iter().map(Matrix::reader).collect();
        let rows = draws.iter().zip(predicted).map(|(draw, predicted)| Row {
            draw: *draw,
            prediction: predictions.row(draw.index).to_vec(),
            belief: believed.as_mut().map_or_else(Vec::new, |rows| rows.row(draw.index).to_vec()),
            experts: experts.iter_mut().flat_map(|rows| rows.row(draw.index).to_vec()).collect(),
            predicted,
            code: codes.as_mut().map_or_else(Vec::new, |codes| codes.row(draw.index).to_vec()),
            apart: None,
        });
        Ok(rows.collect())
    }
}

/// A new proposal with its first draws: the wanted ones, and more for a file.
pub(crate) fn fresh<T: StudyTask>(
    journal: &dyn Journal,
    settings: &Settings,
    point: RefreshPoint,
    wanted: usize,
    at: i64,
) -> Result<(Prepared, Made<T>)> {
    let mut made = made::<T>(journal, settings, journal.record()?, point)?;
    let all = journal.is_durable() || settings.refreshes();
    let refresh = made.refresh(journal, settings, all, at)?;
    // In memory nothing is drawn before `ask`: the number of items decides how draws are made.
    let idle = wanted == 0 && !journal.is_durable();
    let draws = made.draws(if idle { 0 } else { ahead(journal, settings, 0).max(wanted) })?;
    let rows = made.rows(journal, settings, &draws)?;
    Ok((Prepared { refresh: Some(refresh), rows }, made))
}

/// More draws of the present proposal, after the `ahead` prepared ones. `live` is the evaluation that made them, if
/// it was kept.
pub(crate) fn further<T: StudyTask>(
    journal: &dyn Journal,
    settings: &Settings,
    live: Option<&mut Made<T>>,
    ahead_now: usize,
    wanted: usize,
) -> Result<Prepared> {
    let record = journal.record()?;
    let (row, refresh) = match (record.refreshes.len().checked_sub(1), record.refreshes.last()) {
        (Some(row), Some(refresh)) => (row, refresh),
        _ => return Err(damaged(journal.path(), "refresh", 0)),
    };
    let since = record.draws.len().checked_sub(refresh.origin.draws);
    let drawn = since.ok_or_else(|| damaged(journal.path(), "refresh", refresh.origin.number))? + ahead_now;
    let mut again;
    let made = match live {
        Some(made) if made.point.row == row && made.taken == drawn => made,
        _ => {
            again = made::<T>(journal, settings, record, RefreshPoint::of(row, &refresh.origin))?;
            let before = again.draws(drawn)?;
            for (place, (draw, row)) in
                before.iter().zip(record.rows().skip(refresh.origin.draws)).enumerate()
            {
                if draw.index != row.draw.index {
                    return Err(damaged(journal.path(), "draw", refresh.origin.draws + place));
                }
            }
            &mut again
        }
    };
    let draws = made.draws(ahead(journal, settings, drawn).max(wanted))?;
    Ok(Prepared { refresh: None, rows: made.rows(journal, settings, &draws)? })
}

/// Number of draws to prepare after some were drawn: about as many more are likely.
fn ahead(journal: &dyn Journal, settings: &Settings, drawn: usize) -> usize {
    match (journal.is_durable(), settings.refreshes()) {
        (false, _) => AHEAD_IN_MEMORY,
        (true, true) => AHEAD_OF_REFRESH,
        (true, false) => AHEAD.max(drawn),
    }
}

fn predicted_texts(journal: &dyn Journal, settings: &Settings, items: &[usize]) -> Result<Vec<String>> {
    if settings.subject != Subject::Hard {
        return Ok(vec![String::new(); items.len()]);
    }
    let mut said = vec![Vec::new(); items.len()];
    for name in (0..settings.models()).map(columns::predicted) {
        let texts = journal.texts(&name, items)?;
        said.iter_mut().zip(texts).for_each(|(said, text)| said.push(text));
    }
    said.into_iter().map(rivals::in_one).collect()
}
