//! From rows to meaning: what became of each draw, in words, in labels, and as a ledger of losses.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use labelwise::Task;
use labelwise::estimator::RatioBounds;
use labelwise::ledger::{Draw, KnownItems, Ledger, Outcome, PoolFacts};
use labelwise::loss::{Bounds, Loss, checked_loss};
use serde::{Deserialize, Serialize};

use crate::error::{Misfit, Result, damaged};
use crate::file::{EventKind, EventRow, Record, RefreshRow};
use crate::study::journal::row::Row;
use crate::study::questions::planning::Foreseen;
use crate::study::rivals::Side;
use crate::study::spec::design::KeptStrata;
use crate::study::spec::metric::LossName;
use crate::study::spec::settings::{FloorChoice, Settings};
use crate::study::task::StudyTask;

/// What became of a draw, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It waits for its label.
    Open,
    /// It has one.
    Labelled(String),
    /// Its label will never come, perhaps because of what it would have been.
    Skipped,
    /// Its label will never come, for reasons that have nothing to do with it.
    MissingAtRandom,
}

/// What a refresh was made from, and what it knows of every loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// Its number in the streams of randomness; it may run ahead of the rows where a proposal came to its end.
    pub(crate) number: u64,
    /// Draws before it.
    pub(crate) draws: usize,
    /// Events before it.
    pub(crate) events: usize,
    /// Why nothing could be learnt from the labels, where that was so; what was believed at first stood in.
    #[serde(default)]
    pub(crate) fell_back: Option<String>,
    /// The strata that draws are made within, where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) strata: Option<KeptStrata>,
    /// What each loss of the subject comes to.
    pub(crate) asides: BTreeMap<LossName, Totals>,
    /// What the differences between models come to, where some are compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sides: Vec<(Side, Totals)>,
    /// What was to be expected of labels before the first, by loss. Later refreshes have none, and files from before there
    /// were any.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) forecasts: BTreeMap<LossName, Foreseen>,
}

/// [`labelwise::evaluation::LossTotals`] as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub(crate) control: f64,
    pub(crate) bounds: Option<(f64, f64)>,
    pub(crate) reach: Option<(f64, f64)>,
}

impl Origin {
    pub(crate) fn of(refresh: &RefreshRow, path: &Path) -> Result<Self> {
        serde_json::from_str(&refresh.json).map_err(|_| damaged(path, "refresh", refresh.number))
    }
}

/// The rows of the record, decoded as far as they went last time.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    pub(crate) rows: Vec<Row>,
    pub(crate) fates: Vec<Fate>,
    /// The places of the draws by the ids of their items, as far as [`name`](Self::name) went: only answers are looked up.
    places: HashMap<String, usize>,
    /// The draws that have a label, in the order in which they were told.
    pub(crate) told: Vec<usize>,
    pub(crate) origins: Vec<(usize, Origin)>,
    events: usize,
}

impl Folded {
    /// Takes in what the record has and this has not yet.
    pub(crate) fn follow(&mut self, path: &Path, record: &Record) -> Result<()> {
        for (place, draw) in record.draws.iter().enumerate().skip(self.rows.len()) {
            let item = usize::try_from(draw.item).unwrap_or(usize::MAX);
            let row = Row::decode(item, &draw.row).ok_or_else(|| damaged(path, "draw", place))?;
            self.rows.push(row);
            self.fates.push(Fate::Open);
        }
        for (seq, event) in record.events.iter().enumerate().skip(self.events) {
            self.happen(path, seq, event)?;
            self.events = seq + 1;
        }
        for refresh in record.refreshes.iter().skip(self.origins.len()) {
            let labels = usize::try_from(refresh.labels).unwrap_or(usize::MAX);
            self.origins.push((labels, Origin::of(refresh, path)?));
        }
        Ok(())
    }

    /// Makes draws known by the ids of their items.
    pub(crate) fn name(&mut self, record: &Record) {
        for (place, draw) in record.draws.iter().enumerate().skip(self.places.len()) {
            self.places.insert(draw.id.clone(), place);
        }
    }

    /// The place of the draw of an item, once it is known by its id.
    pub(crate) fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    fn happen(&mut self, path: &Path, seq: usize, event: &EventRow) -> Result<()> {
        let damaged = || damaged(path, "event", seq);
        let place = usize::try_from(event.place).map_err(|_| damaged())?;
        let fate = self.fates.get_mut(place).ok_or_else(damaged)?;
        let label = || event.label.clone().ok_or_else(damaged);
        let new = match event.kind {
            EventKind::Told | EventKind::Amended => Fate::Labelled(label()?),
            EventKind::Skipped => Fate::Skipped,
            EventKind::Missing => Fate::MissingAtRandom,
        };
        if event.kind == EventKind::Told {
            self.told.push(place);
        }
        *fate = new;
        Ok(())
    }

    /// The state as it was after so many draws and events: what a refresh was made from.
    pub(crate) fn until(path: &Path, record: &Record, draws: usize, events: usize) -> Result<Self> {
        let past = Record {
            draws: record.draws.iter().take(draws).cloned().collect(),
            events: record.events.iter().take(events).cloned().collect(),
            refreshes: Vec::new(),
        };
        let mut folded = Self::default();
        folded.follow(path, &past)?;
        Ok(folded)
    }

    /// The last refresh.
    pub(crate) fn origin(&self, path: &Path) -> Result<&(usize, Origin)> {
        self.origins.last().ok_or_else(|| damaged(path, "refresh", 0))
    }

    /// The first refresh.
    pub(crate) fn origin_first(&self, path: &Path) -> Result<&(usize, Origin)> {
        self.origins.first().ok_or_else(|| damaged(path, "refresh", 0))
    }

    /// How many draws have a label.
    pub(crate) fn labels(&self) -> usize {
        self.told.len()
    }

    /// Items and labels in the order in which they were told, as surrogates see them.
    pub(crate) fn observed<T: StudyTask>(
        &self,
        path: &Path,
        settings: &Settings,
    ) -> Result<Vec<(usize, T::Label)>> {
        let observed = self.told.iter().map(|&place| match (self.rows.get(place), self.fates.get(place)) {
            (Some(row), Some(Fate::Labelled(text))) => {
                let label = T::label(text, row, settings).map_err(|_| damaged(path, "event", place))?;
                Ok((row.draw.index, label))
            }
            _ => Err(damaged(path, "event", place)),
        });
        observed.collect()
    }

    /// The ledger by a loss: that of the settings, as it was recorded, or another, for which expectations are made anew
    /// of the beliefs that the draws were made with.
    pub(crate) fn ledger<T: StudyTask>(
        &self,
        path: &Path,
        settings: &Settings,
        name: LossName,
    ) -> Result<Ledger<T>> {
        let loss = T::loss(name, settings).ok_or_else(|| Misfit::metric(name, settings))?;
        let (_, first) = self.origins.first().ok_or_else(|| damaged(path, "refresh", 0))?;
        first.asides.get(&name).ok_or_else(|| Misfit::metric(name, settings))?;
        let lens = Lens {
            loss: &*loss,
            row: &|row| Ok(Cow::Borrowed(&row.prediction)),
            totals: &|_, origin| origin.asides.get(&name).copied(),
            recorded: name == settings.metric.loss,
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
        let (_, first) = self.origins.first().ok_or_else(|| damaged(path, "refresh", 0))?;
        let totals = (lens.totals)(0, first);
        let bounds = totals.and_then(|totals| totals.bounds).map(|(low, high)| Bounds { low, high });
        let (range, sign) = (loss.range(), loss.sign());
        let known = KnownItems { count: settings.ties, ..KnownItems::default() };
        let ground = PoolFacts { pool_size: settings.pool.size, known, bounds, range, sign };
        let mut ledger = match &first.strata {
            Some(kept) => Ledger::stratified(ground, kept.strata()?),
            None => Ledger::new(ground),
        };
        let mut controls = Controls::new(self, settings);
        for (place, row) in self.rows.iter().enumerate() {
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

/// What draws are looked at by.
pub(crate) struct Lens<'a, U: Task> {
    pub(crate) loss: &'a dyn Loss<U>,
    /// What is predicted of a drawn item.
    pub(crate) row: &'a dyn Fn(&Row) -> Result<Cow<'_, [f64]>>,
    /// What the loss comes to at a refresh, by its row; none where that is not known.
    pub(crate) totals: &'a dyn Fn(usize, &Origin) -> Option<Totals>,
    /// Whether it is the loss that the draws were made for, which they have on record.
    pub(crate) recorded: bool,
}

/// What the surrogate expected by another loss, draw by draw.
struct Controls<'a> {
    folded: &'a Folded,
    /// Without a floor, a proposal may end in a uniform one, of which the reach of another loss is not known.
    reachable: bool,
    next: usize,
    totals: Option<Totals>,
    left: f64,
}

impl<'a> Controls<'a> {
    fn new(folded: &'a Folded, settings: &Settings) -> Self {
        let reachable = settings.floor != FloorChoice::Unguarded;
        Self { folded, reachable, next: 0, totals: None, left: 0.0 }
    }

    fn draw<U: Task>(&mut self, place: usize, row: &Row, prediction: &[f64], lens: &Lens<'_, U>) -> Draw {
        let loss = lens.loss;
        while let Some((_, origin)) = self.folded.origins.get(self.next)
            && origin.draws <= place
        {
            self.totals = (lens.totals)(self.next, origin);
            self.left = self.totals.map_or(0.0, |totals| totals.control);
            self.next += 1;
        }
        let prediction = U::prediction(prediction);
        // Without the sum over all, what was expected of one is no control.
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
