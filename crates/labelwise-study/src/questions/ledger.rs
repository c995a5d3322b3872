//! Draws and labels as a ledger of losses: by the loss that the draws were made for, or by any other.

use std::borrow::Cow;
use std::path::Path;

use labelwise::Task;
use labelwise::compare::CompareError;
use labelwise::estimator::RatioBounds;
use labelwise::ledger::{Draw, KnownItems, Ledger, Outcome, PoolFacts};
use labelwise::loss::{Bounds, Loss, checked_loss};
use labelwise::surrogate::MixtureSums;

use crate::Study;
use crate::error::{ChoiceError, Error, Result, damaged};
use crate::journal::record::{Fate, Origin, Record, Totals};
use crate::journal::row::Row;
use crate::prepare;
use crate::spec::metric::{LossName, Metric};
use crate::spec::settings::{FloorChoice, Settings};
use crate::study::LateLoss;
use crate::task::StudyTask;

impl Study {
    /// The ledger of the loss behind a metric: as recorded, or with expectations from the beliefs of the draws.
    pub(crate) fn ledger<T: StudyTask>(&self, metric: &Metric) -> Result<Ledger<T>> {
        let (settings, name) = (&self.settings, metric.loss);
        let loss = T::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
        let record = self.record()?;
        let Some(first) = record.refreshes.first() else {
            return Err(Error::NoLabels { next: None, labels: 0 });
        };
        let listed = settings.subject.losses(settings.variances()).contains(&name);
        let late = match first.origin.asides.contains_key(&name) {
            true => None,
            // The first proposal can be computed again from the pool; the beliefs of later ones are gone.
            false if !listed && settings.refreshes() => {
                return Err(ChoiceError::LossNotKept { loss: name }.into());
            }
            false if listed && self.journal.is_durable() => {
                return Err(ChoiceError::metric(name, settings).into());
            }
            false => Some(self.late_loss::<T>(name)?),
        };
        let recorded = name == settings.metric.loss;
        if let Some((item, _)) = settings.known.first().filter(|_| !recorded) {
            // Their loss is known, but another loss of them is not.
            let ties = settings.known.len();
            return Err(labelwise::Error::from(CompareError::NotDrawn { item: *item, ties }).into());
        }
        let lens = Lens {
            loss: &*loss,
            row: &|row| Ok(Cow::Borrowed(if recorded { row.own() } else { &row.prediction })),
            totals: &|_, origin| origin.asides.get(&name).copied().or(late.as_ref().map(|late| late.totals)),
            recorded,
        };
        let ledger = record.seen_through::<T, T>(self.journal.path(), settings, &lens)?;
        let ledger = self.by_panel(ledger, &*loss, &lens)?;
        if settings.judge.is_some() && settings.recalibrated.is_some() && ledger.complete() > 0 {
            let belief = self.judged_expectation::<T>(&*loss, ledger.complete())?;
            return Ok(ledger.with_belief(belief));
        }
        if settings.recalibrated.is_none() || ledger.complete() == 0 {
            return Ok(ledger);
        }
        let complete = ledger.complete();
        let sums: Vec<MixtureSums> = match (recorded, &late) {
            (true, _) => record.mixtures(),
            (false, None) => record.mixtures_by(name),
            (false, Some(late)) => late.mixture.iter().map(Into::into).collect(),
        };
        let belief = T::expectation(record, self.journal.path(), settings, name, &sums, complete)?;
        Ok(ledger.with_belief(belief))
    }

    /// Another loss at the only refresh. A study in memory with one proposal computes it on the first request.
    fn late_loss<T: StudyTask>(&self, name: LossName) -> Result<LateLoss> {
        if let Some(late) = self.late.borrow().losses.get(&name) {
            return Ok(late.clone());
        }
        let mut made = prepare::made_first::<T>(&*self.journal, &self.settings)?;
        let totals =
            made.totals(name, &self.settings)?.ok_or_else(|| ChoiceError::metric(name, &self.settings))?;
        let mixture = made.mixtures_by(std::iter::once(name), &self.settings)?.remove(&name);
        let late = LateLoss { totals, mixture };
        self.late.borrow_mut().losses.insert(name, late.clone());
        Ok(late)
    }
}

impl Record {
    /// Items and labels in the order of telling, as surrogates see them.
    pub(crate) fn observed<T: StudyTask>(
        &self,
        path: &Path,
        settings: &Settings,
    ) -> Result<Vec<(usize, T::Label)>> {
        let observed = self.told.iter().map(|&place| {
            match (self.draws.get(place).map(|drawn| &drawn.row), self.fates.get(place)) {
                (Some(row), Some(Fate::Labelled(text))) => {
                    let label = T::label(text, row, settings).map_err(|_| damaged(path, "event", place))?;
                    Ok((row.draw.index, label))
                }
                _ => Err(damaged(path, "event", place)),
            }
        });
        observed.collect()
    }

    /// The ledger by the loss that the draws were made for, as it was recorded.
    pub(crate) fn own_ledger<T: StudyTask>(&self, path: &Path, settings: &Settings) -> Result<Ledger<T>> {
        let name = settings.metric.loss;
        let loss = T::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
        let lens = Lens {
            loss: &*loss,
            row: &|row| Ok(Cow::Borrowed(row.own())),
            totals: &|_, origin| origin.asides.get(&name).copied(),
            recorded: true,
        };
        self.seen_through::<T, T>(path, settings, &lens)
    }

    /// The ledger by any loss, of these predictions or of others.
    pub(crate) fn seen_through<T: StudyTask, U: Task<Label = T::Label>>(
        &self,
        path: &Path,
        settings: &Settings,
        lens: &Lens<'_, U>,
    ) -> Result<Ledger<U>> {
        let loss = lens.loss;
        let first = &self.first_refresh(path)?.origin;
        let totals = (lens.totals)(0, first);
        let bounds = totals.and_then(|totals| totals.bounds).map(|(low, high)| Bounds { low, high });
        let (range, sign) = (loss.range(), loss.sign());
        let mut known = KnownItems { count: settings.ties, ..KnownItems::default() };
        for (_, loss) in &settings.known {
            known.count += 1;
            known.sum += loss;
            known.square_sum += loss * loss;
        }
        let ground = PoolFacts { pool_size: settings.pool.size, known, bounds, range, sign };
        let mut ledger = match &first.strata {
            Some(kept) => Ledger::stratified(ground, kept.strata()?),
            None => Ledger::new(ground),
        };
        let mut controls = Controls::new(self, settings);
        for (place, row) in self.rows().enumerate() {
            let prediction = (lens.row)(row)?;
            let draw = if lens.recorded { row.draw } else { controls.draw(place, row, &prediction, lens) };
            ledger.push(draw);
            let outcome = match self.fates.get(place) {
                None | Some(Fate::Open) => continue,
                Some(Fate::Labelled(text)) => {
                    let label = T::label(text, row, settings).map_err(|_| damaged(path, "event", place))?;
                    let prediction = U::prediction(&prediction);
                    Outcome::Labelled { label, loss: checked_loss(loss, row.draw.index, prediction, label)? }
                }
                Some(Fate::Skipped) => Outcome::Skipped,
                Some(Fate::MissingAtRandom) => Outcome::MissingAtRandom,
            };
            ledger.settle(place, outcome);
        }
        Ok(ledger)
    }
}

/// A view of the draws.
pub(crate) struct Lens<'a, U: Task> {
    pub(crate) loss: &'a dyn Loss<U>,
    /// The prediction of a drawn item.
    pub(crate) row: &'a dyn Fn(&Row) -> Result<Cow<'_, [f64]>>,
    /// Totals of the loss at a refresh, by its row; none if they are not known.
    pub(crate) totals: &'a dyn Fn(usize, &Origin) -> Option<Totals>,
    /// Whether it is the loss that the draws were made for, which is recorded.
    pub(crate) recorded: bool,
}

/// The surrogate's expectation of another loss, draw by draw.
struct Controls<'a> {
    record: &'a Record,
    /// Without a floor, a proposal can end in a uniform one, for which the bounds of another loss are not known.
    reachable: bool,
    next: usize,
    totals: Option<Totals>,
    left: f64,
}

impl<'a> Controls<'a> {
    fn new(record: &'a Record, settings: &Settings) -> Self {
        let reachable = settings.floor != FloorChoice::Unguarded;
        Self { record, reachable, next: 0, totals: None, left: 0.0 }
    }

    fn draw<U: Task>(&mut self, place: usize, row: &Row, prediction: &[f64], lens: &Lens<'_, U>) -> Draw {
        let loss = lens.loss;
        while let Some(origin) = self.record.refreshes.get(self.next).map(|refresh| &refresh.origin)
            && origin.draws <= place
        {
            self.totals = (lens.totals)(self.next, origin);
            self.left = self.totals.map_or(0.0, |totals| totals.control);
            self.next += 1;
        }
        let prediction = U::prediction(prediction);
        // Without the sum over all items, an expectation is not a control.
        let control = match self.totals {
            Some(_) => loss.moments(prediction, U::belief(row.belief())).first,
            None => 0.0,
        };
        let control_total = self.left;
        self.left -= control;
        let mass = row.draw.mass;
        let reach = self.totals.and_then(|totals| totals.reach).filter(|_| self.reachable);
        let reach = reach.map(|(low, high)| RatioBounds { low: low * mass, high: high * mass });
        Draw { control, control_total, ratio_bounds: reach, bounds: loss.bounds(prediction), ..row.draw }
    }
}
