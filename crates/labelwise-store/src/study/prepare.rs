//! Proposals and the draws they will make. With weights that stay until the next refresh, the draws to come are settled
//! by the seed: they are made ahead and kept, so that asking is reading.

use labelwise::acquisition::{ExpectedLoss, RootMeanSquare, StandardDeviation, Uniform};
use labelwise::estimator::RatioBounds;
use labelwise::evaluation::LossTotals;
use labelwise::loss::Bounds;
use labelwise::surrogate::{Beliefs, Schedule, Surrogate};
use labelwise::{Evaluation, Pool, Seed};

use crate::error::{Error, Misfit, Result, damaged};
use crate::file::{AheadRow, File, Record, RefreshRow};
use crate::study::columns;
use crate::study::decide::targets;
use crate::study::journal::record::{Folded, Origin, Totals};
use crate::study::journal::row::Row;
use crate::study::rivals;
use crate::study::spec::design;
use crate::study::spec::settings::{AcquisitionName, Settings, SurrogateChoice};
use crate::study::task::{self, StudyTask};

/// Draws that are made ahead when a proposal is new.
const AHEAD: usize = 16_384;

/// The same where proposals are made anew before so many are ever asked.
const AHEAD_OF_REFRESH: usize = 512;

/// A proposal, with the draws it will make first.
pub(crate) struct Prepared {
    pub(crate) refresh: RefreshRow,
    pub(crate) ahead: Vec<AheadRow>,
}

/// The moment that a proposal is made at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// Its row among the refreshes.
    pub(crate) row: u64,
    /// Its number in the streams of randomness.
    pub(crate) number: u64,
    pub(crate) draws: usize,
    pub(crate) events: usize,
    pub(crate) at: i64,
}

impl Moment {
    /// Before everything.
    pub(crate) fn first(at: i64) -> Self {
        Self { row: 0, number: 0, draws: 0, events: 0, at }
    }
}

/// The first proposal of a pool in memory.
pub(crate) fn first<T: StudyTask>(
    settings: &Settings,
    pool: Pool<T>,
    surrogate: Box<dyn Surrogate<T>>,
    predicted: &dyn Fn(&[usize]) -> Result<Vec<String>>,
    at: i64,
) -> Result<Prepared> {
    let mut evaluation = Made { evaluation: builder(settings, pool, surrogate)?.build()?, fell_back: None };
    prepared(&mut evaluation, settings, predicted, Moment::first(at), 0, 0)
}

/// A proposal with the draws it makes after those that were taken and those that are `ahead` already: one that is due now,
/// of which there are none, or the present one.
pub(crate) fn further<T: StudyTask>(
    file: &File,
    settings: &Settings,
    record: &Record,
    moment: Moment,
    ahead: usize,
    wanted: usize,
) -> Result<Prepared> {
    let mut evaluation = evaluation::<T>(file, settings, record, moment)?;
    let drawn = record.draws.len() - moment.draws + ahead;
    let predicted = |items: &[usize]| predicted(file, settings, items);
    let prepared = prepared(&mut evaluation, settings, &predicted, moment, drawn, wanted)?;
    for (place, draw) in record.draws.iter().enumerate().skip(moment.draws) {
        let again = evaluation.evaluation.draws().get(place).map(|draw| draw.index as u64);
        if again != Some(draw.item) {
            return Err(damaged(file.path(), "draw", place));
        }
    }
    Ok(prepared)
}

/// An evaluation at a refresh, and why its surrogate could not learn, if it could not.
pub(crate) struct Made<T: StudyTask> {
    pub(crate) evaluation: Evaluation<T>,
    pub(crate) fell_back: Option<String>,
}

/// The evaluation as it was when a proposal was made.
pub(crate) fn evaluation<T: StudyTask>(
    file: &File,
    settings: &Settings,
    record: &Record,
    moment: Moment,
) -> Result<Made<T>> {
    let mut past = Folded::until(file.path(), record, moment.draws, moment.events)?;
    let pool = task::pool::<T>(file, settings)?;
    let observed = past.observed::<T>(file.path(), settings)?;
    let surrogate = task::surrogate(file, settings, &pool, &observed)?;
    let start = builder(settings, pool.clone(), surrogate)?;
    let Some(before) = moment.number.checked_sub(1) else {
        return Ok(Made { evaluation: start.build()?, fell_back: None });
    };
    let first = record.refreshes.first().ok_or_else(|| damaged(file.path(), "refresh", 0))?;
    past.origins.push((0, Origin::of(first, file.path())?));
    let ledger = past.ledger::<T>(file.path(), settings, settings.metric.loss)?;
    match start.resume(ledger.clone(), observed.clone(), before) {
        Ok(evaluation) => Ok(Made { evaluation, fell_back: None }),
        // Labels that nothing can be learnt from must not be the end of an evaluation.
        Err(error) if matches!(settings.surrogate, SurrogateChoice::Learnt { .. }) => {
            let start = builder(settings, pool.clone(), task::fallback(settings, &pool)?)?;
            let evaluation = start.resume(ledger, observed, before)?;
            Ok(Made { evaluation, fell_back: Some(error.to_string()) })
        }
        Err(error) => Err(error.into()),
    }
}

/// An evaluation with the loss, the acquisition and the floor of the settings.
pub(crate) fn builder<T: StudyTask>(
    settings: &Settings,
    pool: Pool<T>,
    surrogate: Box<dyn Surrogate<T>>,
) -> Result<labelwise::evaluation::Builder<T>> {
    let name = settings.metric.loss;
    let loss = T::loss(name, settings).ok_or_else(|| Misfit::metric(name, settings))?;
    let known = T::known(&pool, settings)?;
    // When proposals are made anew, the file decides.
    let builder = Evaluation::builder(pool, loss, surrogate)
        .floor(settings.floor.into())
        .rescore(Schedule::Never)
        .seed(Seed(settings.seed))
        .known(known.into_iter().map(|item| (item, 0.0)));
    if settings.design.is_stratified() {
        // Strata take the place of scores.
        return Ok(builder.acquisition(Uniform));
    }
    Ok(match settings.acquisition {
        AcquisitionName::RootMeanSquare => T::scored(builder.acquisition(RootMeanSquare), settings),
        AcquisitionName::ExpectedLoss => builder.acquisition(ExpectedLoss),
        AcquisitionName::StandardDeviation => builder.acquisition(StandardDeviation),
        AcquisitionName::Uniform => builder.acquisition(Uniform),
        AcquisitionName::Metrics => builder.acquisition(targets::for_metrics(settings)?),
    })
}

/// What every loss comes to, and the draws after the first `drawn`.
fn prepared<T: StudyTask>(
    made: &mut Made<T>,
    settings: &Settings,
    predicted: &dyn Fn(&[usize]) -> Result<Vec<String>>,
    moment: Moment,
    drawn: usize,
    wanted: usize,
) -> Result<Prepared> {
    let evaluation = &mut made.evaluation;
    let stratification = design::stratification(evaluation, settings)?;
    let mut asides = std::collections::BTreeMap::new();
    let mut forecasts = std::collections::BTreeMap::new();
    // Before the first label, what is to be expected of them is part of the file.
    let is_first = moment.row == 0 && drawn == 0 && settings.can_foresee();
    for &name in settings.subject.losses(settings.variances()) {
        if name != settings.metric.loss && !settings.rivals.is_empty() {
            // What ties by one loss may differ by another: a comparison is by the loss it was made for.
            continue;
        }
        if name == settings.metric.loss {
            asides.insert(name, Totals::from(evaluation.own_totals()));
            if is_first {
                forecasts.insert(name, evaluation.forecast()?.into());
            }
        } else if let Some(loss) = T::loss(name, settings) {
            let (aside, forecast) = evaluation.survey(&*loss)?;
            asides.insert(name, Totals::from(aside));
            if is_first {
                forecasts.insert(name, forecast.into());
            }
        }
    }
    if stratification.is_some() {
        // What could have been drawn in the place of a draw is not the whole pool.
        asides.values_mut().for_each(|totals: &mut Totals| totals.reach = None);
    }
    let mut sides = Vec::new();
    for (side, loss) in T::sides(settings) {
        sides.push((side, Totals::from(evaluation.loss_totals(&*loss)?)));
    }
    let fell_back = made.fell_back.clone();
    let (number, draws, events) = (moment.number, moment.draws, moment.events);
    let strata = stratification.as_ref().map(|sample| sample.strata().into());
    let origin = Origin { number, draws, events, fell_back, strata, asides, sides, forecasts };
    let labels = evaluation.observed().len();
    // After so many draws, as many again are likely.
    let ahead = if settings.refreshes() { AHEAD_OF_REFRESH } else { AHEAD.max(drawn) };
    let count = (drawn + ahead.max(wanted)).min(evaluation.left());
    let draws = match stratification {
        Some(sample) => sample.draws().iter().skip(drawn).copied().collect(),
        None => evaluation.ask_batch(count)?.split_off(drawn.min(count)),
    };
    let beliefs: Beliefs<T> = evaluation.beliefs()?.clone();
    let predictions = evaluation.pool().predictions();
    let (mut rows, mut believed) = (predictions.reader(), beliefs.rows().reader());
    let items: Vec<usize> = draws.iter().map(|draw| draw.index).collect();
    let own = settings.surrogate == SurrogateChoice::Own && settings.rivals.is_empty();
    let ahead = draws.iter().zip(predicted(&items)?).map(|(draw, predicted)| {
        let belief = if own { Vec::new() } else { believed.row(draw.index).to_vec() };
        let row = Row { draw: *draw, prediction: rows.row(draw.index).to_vec(), belief, predicted };
        AheadRow { item: draw.index as u64, row: row.encode() }
    });
    let ahead = ahead.collect();
    let refresh = RefreshRow {
        number: moment.row,
        labels: labels as u64,
        json: serde_json::to_string(&origin).map_err(Error::json)?,
        at: moment.at,
    };
    Ok(Prepared { refresh, ahead })
}

fn predicted(file: &File, settings: &Settings, items: &[usize]) -> Result<Vec<String>> {
    let mut said = vec![Vec::new(); items.len()];
    for model in 0..settings.models() {
        let name = columns::predicted(model);
        if let Some(layout) = settings.columns.get(&name) {
            let texts = columns::read_texts(file, &name, layout, items)?;
            said.iter_mut().zip(texts).for_each(|(said, text)| said.push(text));
        }
    }
    said.into_iter().map(rivals::in_one).collect()
}

impl From<LossTotals> for Totals {
    fn from(aside: LossTotals) -> Self {
        let bounds = aside.bounds.map(|Bounds { low, high }| (low, high));
        let reach = aside.ratio_bounds.map(|RatioBounds { low, high }| (low, high));
        Self { control: aside.control_total, bounds, reach }
    }
}
