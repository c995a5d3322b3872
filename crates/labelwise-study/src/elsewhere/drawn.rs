//! From the merged sketch of a pass to draws and a refresh.

use std::collections::{HashMap, HashSet};

use labelwise::estimator::RatioBounds;
use labelwise::ledger::Draw;
use labelwise::loss::{Bounds, ExpectedLosses, Loss};
use labelwise_pool::{Carried, Strings};
use labelwise_sketch::{Arrivals, DrawnItem, ExactSum};

use super::KeptScan;
use super::chunk::{Chunk, KeptRow, Shape, chunk_of};
use super::part::PartSketch;
use super::ready::Ready;
use super::scoring::Scorer;
use crate::error::{ChoiceError, ElsewhereError, Result};
use crate::journal::Row;
use crate::journal::record::{Origin, Refresh};
use crate::journal::row::Apart;
use crate::spec::settings::{FloorChoice, Settings, SurrogateChoice};
use crate::spec::subject::Subject;
use crate::task::{StudyTask, with_task};

/// Repeated ids that an error names.
const NAMED: usize = 5;

/// The draws of a pass, and its refresh.
pub(crate) struct Found {
    pub(crate) settings: Settings,
    pub(crate) refresh: Refresh,
    pub(crate) rows: Vec<Row>,
}

/// The uniform part of the draws.
pub(crate) fn rho(settings: &Settings) -> f64 {
    match settings.floor {
        FloorChoice::Mixture(rho) => rho,
        // Others are refused when the evaluation is made.
        FloorChoice::Clip(_) | FloorChoice::Unguarded => f64::NAN,
    }
}

/// The draws and the refresh of a pass.
pub(crate) fn found(ready: &Ready, part: &PartSketch, shape: &Shape, at: i64) -> Result<Found> {
    with_task!(ready.settings, T => found_by::<T>(ready, part, shape, at))
}

fn found_by<T: StudyTask>(ready: &Ready, part: &PartSketch, shape: &Shape, at: i64) -> Result<Found> {
    let settings = &ready.settings;
    let draws = part.sketch.draws(rho(settings)).map_err(ElsewhereError::from)?;
    let arrivals = Arrivals::new(part.sketch.key(), draws.size, draws.total, rho(settings))
        .map_err(ElsewhereError::from)?;
    let scorer = Scorer::<T>::new(ready.scoring())?;
    let mut origin = match &ready.sampled {
        Some((refresh, _)) => refresh.origin.clone(),
        None => Origin::empty(),
    };
    let point = ready.point;
    (origin.number, origin.draws, origin.events) = (point.number, point.draws, point.events);
    let items = usize::try_from(draws.size).unwrap_or(usize::MAX);
    origin.mixture = origin.mixture.take().map(|sums| sums.of_items(items));
    origin.mixtures = std::mem::take(&mut origin.mixtures)
        .into_iter()
        .map(|(name, sums)| (name, sums.of_items(items)))
        .collect();
    origin.forecasts = std::mem::take(&mut origin.forecasts)
        .into_iter()
        .map(|(name, forecast)| (name, forecast.of_items(items)))
        .collect();
    origin.asides = (scorer.losses().enumerate())
        .filter_map(|(number, name)| Some((name, part.totals.of_loss(number, &arrivals)?)))
        .collect();
    origin.predicted = match &settings.subject {
        Subject::Classes { names } => part.totals.predicted(names.len(), &arrivals),
        Subject::Hard => part.totals.predicted(0, &arrivals),
        Subject::Values | Subject::Scores => Vec::new(),
    };
    origin.scan = Some(KeptScan {
        items: draws.size,
        total: draws.total,
        least: part.totals.least_score,
        constants: ready.constants.clone(),
    });
    let reach = origin.asides.get(&settings.metric.loss).and_then(|totals| totals.reach);
    let control = part.totals.control(0);
    let rows =
        rows::<T>(&scorer, settings, shape, &draws.drawn, (point.draws, point.number), reach, control)?;
    let refresh = Refresh { labels: ready.labels, at, origin };
    Ok(Found { settings: settings.clone(), refresh, rows })
}

/// What is expected of drawn rows: E(ℒ), bounds, and the beliefs.
pub(crate) struct OfRows {
    pub(crate) controls: Vec<f64>,
    pub(crate) bounds: Vec<Option<Bounds>>,
    pub(crate) beliefs: Vec<Vec<f64>>,
}

/// What is expected of the rows of a chunk by the loss that draws are made for.
pub(crate) fn of_rows<T: StudyTask>(
    scorer: &Scorer<T>,
    settings: &Settings,
    chunk: &Chunk,
) -> Result<OfRows> {
    let name = settings.metric.loss;
    let loss = T::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
    let pool = scorer.pool(chunk)?;
    let beliefs = scorer.beliefs(chunk, &pool)?;
    let own = settings.surrogate == SurrogateChoice::Own && settings.recalibrated.is_none();
    let (mut predictions, mut believed) = (pool.predictions().reader(), beliefs.rows().reader());
    let mut found = OfRows { controls: Vec::new(), bounds: Vec::new(), beliefs: Vec::new() };
    for row in 0..chunk.rows() {
        let predicted = predictions.rows(row..row + 1);
        let belief = believed.rows(row..row + 1);
        let mut expected = ExpectedLosses::new(1);
        loss.expected_losses(predicted, belief, &mut expected);
        found.controls.extend(expected.first.first());
        found.bounds.push(loss.bounds(T::prediction(predicted.values())));
        found.beliefs.push(if own { Vec::new() } else { belief.values().to_vec() });
    }
    Ok(found)
}

/// Draws as records.
fn rows<T: StudyTask>(
    scorer: &Scorer<T>,
    settings: &Settings,
    shape: &Shape,
    drawn: &[DrawnItem],
    (first, refresh): (usize, u64),
    reach: Option<(f64, f64)>,
    mut control_total: ExactSum,
) -> Result<Vec<Row>> {
    let kept = drawn.iter().map(|drawn| {
        let row = KeptRow::read(&drawn.item.payload, shape);
        row.ok_or(ElsewhereError::Bytes { what: "a row of a sketch" })
    });
    let kept = kept.collect::<Result<Vec<_>, _>>()?;
    let ids: Strings = drawn.iter().map(|drawn| drawn.item.id.as_str()).collect();
    let chunk = chunk_of(&kept, ids, shape)?;
    let OfRows { controls, bounds, beliefs } = of_rows(scorer, settings, &chunk)?;
    let mut rows = Vec::with_capacity(drawn.len());
    let of_rows = controls.into_iter().zip(bounds).zip(beliefs);
    for (place, ((drawn, kept), ((control, bounds), belief))) in
        drawn.iter().zip(kept).zip(of_rows).enumerate()
    {
        let draw = Draw {
            index: first + place,
            q: drawn.q,
            mass: drawn.mass,
            control,
            control_total: control_total.value(),
            ratio_bounds: reach
                .map(|(low, high)| RatioBounds { low: low * drawn.mass, high: high * drawn.mass }),
            bounds,
            refresh,
        };
        control_total.add(-control);
        rows.push(Row {
            draw,
            prediction: kept.prediction,
            belief,
            experts: kept.given.concat(),
            predicted: kept.said,
            code: Vec::new(),
            apart: Some(Apart { id: drawn.item.id.clone(), carried: Vec::new() }),
        });
    }
    Ok(rows)
}

impl Found {
    /// The ids of the draws.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| row.apart.as_ref()).map(|apart| apart.id.as_str())
    }

    /// Takes the passthrough columns of the drawn items, and returns the names.
    pub(crate) fn carry(&mut self, carried: &[Carried]) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for (name, _) in carried.iter().flat_map(|(_, columns)| columns) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        self.carry_named(carried, &names)?;
        Ok(names)
    }

    /// Takes these passthrough columns of the drawn items.
    pub(crate) fn carry_named(&mut self, carried: &[Carried], names: &[String]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let wanted: HashSet<&str> = self.ids().collect();
        let mut of_id: HashMap<String, Vec<String>> = HashMap::new();
        let mut repeated = Vec::new();
        for (ids, columns) in carried {
            for row in 0..ids.len() {
                let Some(id) = ids.get(row).filter(|id| wanted.contains(id.as_str())) else { continue };
                let text = |name: &String| {
                    let column = columns.iter().find(|(known, _)| known == name);
                    column.and_then(|(_, column)| column.text(row)).unwrap_or_default()
                };
                if of_id.insert(id.clone(), names.iter().map(text).collect()).is_some() {
                    repeated.push(id);
                }
            }
        }
        if !repeated.is_empty() {
            repeated.sort_unstable();
            repeated.dedup();
            repeated.truncate(NAMED);
            return Err(ElsewhereError::Repeated { first: repeated }.into());
        }
        let missing: Vec<&str> = self.ids().filter(|id| !of_id.contains_key(*id)).collect();
        if let Some(first) = missing.first() {
            let (count, first) = (missing.len(), (*first).to_owned());
            return Err(ElsewhereError::NotFound { count, first }.into());
        }
        for apart in self.rows.iter_mut().filter_map(|row| row.apart.as_mut()) {
            apart.carried = of_id.remove(&apart.id).unwrap_or_default();
        }
        Ok(())
    }
}
