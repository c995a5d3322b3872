//! The records of a study, and the outcome of each draw.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::path::Path;

use labelwise::estimator::RatioBounds;
use labelwise::evaluation::LossTotals;
use labelwise::loss::Bounds;
use labelwise_file::hash;
use serde::{Deserialize, Serialize};

use super::{Counts, Event, EventKind, Found, Row};
use crate::elsewhere::KeptScan;
use crate::error::{Result, damaged};
use crate::questions::planning::Foreseen;
use crate::recalibration::{KeptMixture, KeptPriors};
use crate::rivals::Side;
use crate::spec::design::KeptStrata;
use crate::spec::metric::LossName;

/// The fate of a draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It waits for its label.
    Open,
    /// It has this label.
    Labelled(String),
    /// Skipped; the reason may depend on the label.
    Skipped,
    /// Missing for reasons unrelated to the label.
    MissingAtRandom,
}

impl Fate {
    /// The fate after an event; none if a label has no text.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        Some(match event.kind {
            EventKind::Told | EventKind::Amended => Self::Labelled(event.label.clone()?),
            EventKind::Skipped => Self::Skipped,
            EventKind::Missing => Self::MissingAtRandom,
        })
    }
}

/// The inputs of a refresh, and its totals of every loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// Counter passed to `Seed::stream`. It can exceed the row: a proposal that runs out of positive weights uses an
    /// extra counter.
    pub(crate) number: u64,
    /// Number of draws before it.
    pub(crate) draws: usize,
    /// Number of events before it.
    pub(crate) events: usize,
    /// The reason that the surrogate could not learn and its fallback was used.
    #[serde(default)]
    pub(crate) fell_back: Option<String>,
    /// Number of invalid scores that took the median.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) mended_scores: usize,
    /// The strata of a stratified design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) strata: Option<KeptStrata>,
    /// The items that can be drawn, by the class they are predicted as: all classes in their order, or the predicted texts.
    /// Files of earlier versions, comparisons and pools of very many predicted texts have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) predicted: Vec<PredictedClass>,
    /// The prior weights of recalibrated beliefs, with the first refresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) priors: Option<KeptPriors>,
    /// Sums over the items that can be drawn, by component of recalibrated beliefs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mixture: Option<KeptMixture>,
    /// The same for the other losses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) mixtures: BTreeMap<LossName, KeptMixture>,
    /// Totals of each loss.
    pub(crate) asides: BTreeMap<LossName, Totals>,
    /// Totals of the differences between models, in a comparison.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sides: Vec<(Side, Totals)>,
    /// What scores and draws were made with, where the evaluation does not have the pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) scan: Option<KeptScan>,
    /// Forecasts before the first label, by loss. Later refreshes and files of earlier versions have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) forecasts: BTreeMap<LossName, Foreseen>,
}

impl Origin {
    /// Before anything is known of it.
    pub(crate) fn empty() -> Self {
        Self {
            number: 0,
            draws: 0,
            events: 0,
            fell_back: None,
            mended_scores: 0,
            strata: None,
            predicted: Vec::new(),
            priors: None,
            mixture: None,
            mixtures: BTreeMap::new(),
            asides: BTreeMap::new(),
            sides: Vec::new(),
            scan: None,
            forecasts: BTreeMap::new(),
        }
    }
}

/// The items that can be drawn and are predicted as one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PredictedClass {
    /// The predicted text; empty where classes have numbers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) text: String,
    /// How many.
    pub(crate) items: usize,
    /// The sum of their weights.
    pub(crate) weight: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// [`labelwise::evaluation::LossTotals`] in the encoding of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub(crate) control: f64,
    pub(crate) bounds: Option<(f64, f64)>,
    pub(crate) reach: Option<(f64, f64)>,
}

impl From<LossTotals> for Totals {
    fn from(aside: LossTotals) -> Self {
        let bounds = aside.bounds.map(|Bounds { low, high }| (low, high));
        let reach = aside.ratio_bounds.map(|RatioBounds { low, high }| (low, high));
        Self { control: aside.control_total, bounds, reach }
    }
}

/// A refresh of the proposal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refresh {
    /// Number of labels at that moment.
    pub(crate) labels: usize,
    /// Microseconds since 1970, UTC.
    pub(crate) at: i64,
    pub(crate) origin: Origin,
}

/// A draw on record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drawn {
    /// Id of the item.
    pub(crate) id: String,
    /// Microseconds since 1970, UTC.
    pub(crate) at: i64,
    /// Who asked.
    pub(crate) who: String,
    pub(crate) row: Row,
}

/// All records, and the state that they give.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    /// Every draw, by place.
    pub(crate) draws: Vec<Drawn>,
    /// The fate of every draw.
    pub(crate) fates: Vec<Fate>,
    /// All events, in order.
    pub(crate) events: Vec<Event>,
    pub(crate) refreshes: Vec<Refresh>,
    /// The places of the draws that have a label, in the order in which they were told.
    pub(crate) told: Vec<usize>,
    /// The places of the draws by the hashes of their ids.
    places: HashMap<u64, usize, BuildHasherDefault<Hashed>>,
    /// The places of draws whose hash another draw has.
    twins: Vec<usize>,
    waiting: usize,
    skipped: usize,
}

/// The hasher of what is a hash already.
#[derive(Debug, Clone, Copy, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Record {
    pub(crate) fn draw(&mut self, drawn: Drawn) {
        let place = self.draws.len();
        if *self.places.entry(hash(&drawn.id)).or_insert(place) != place {
            self.twins.push(place);
        }
        self.draws.push(drawn);
        self.fates.push(Fate::Open);
        self.waiting += 1;
    }

    pub(crate) fn refresh(&mut self, refresh: Refresh) {
        self.refreshes.push(refresh);
    }

    /// Adds an event; none if its draw does not exist, or a label has no text.
    pub(crate) fn happen(&mut self, event: Event) -> Option<()> {
        let place = usize::try_from(event.place).ok()?;
        let fate = self.fates.get_mut(place)?;
        let new = Fate::of(&event)?;
        if event.kind == EventKind::Told {
            self.told.push(place);
        } else if matches!((&*fate, &new), (Fate::Labelled(_), Fate::Skipped | Fate::MissingAtRandom)) {
            // The label was taken back.
            self.told.retain(|told| *told != place);
        }
        self.waiting -= usize::from(*fate == Fate::Open);
        self.skipped -= usize::from(*fate == Fate::Skipped);
        self.skipped += usize::from(new == Fate::Skipped);
        *fate = new;
        self.events.push(event);
        Some(())
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts {
            draws: self.draws.len(),
            events: self.events.len(),
            refreshes: self.refreshes.len(),
            labels: self.told.len(),
            waiting: self.waiting,
            skipped: self.skipped,
        }
    }

    /// A draw by the id of its item.
    pub(crate) fn find(&self, id: &str) -> Option<Found<'_>> {
        let first = self.places.get(&hash(id)).into_iter();
        let is_it = |place: &&usize| self.draws.get(**place).is_some_and(|drawn| drawn.id == id);
        let place = *first.chain(&self.twins).find(is_it)?;
        let (drawn, fate) = (self.draws.get(place)?, self.fates.get(place)?);
        Some(Found { place, row: Cow::Borrowed(&drawn.row), fate: Cow::Borrowed(fate) })
    }

    /// Whether the last `count` draws wait for their labels.
    pub(crate) fn last_wait(&self, count: usize) -> bool {
        self.fates.iter().rev().take(count).all(|fate| *fate == Fate::Open)
    }

    /// The rows of the draws, in draw order.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &Row> {
        self.draws.iter().map(|drawn| &drawn.row)
    }

    /// The record after some draws and events: the input of a refresh.
    pub(crate) fn until(&self, draws: usize, events: usize) -> Cow<'_, Self> {
        if (draws, events) == (self.draws.len(), self.events.len()) {
            return Cow::Borrowed(self);
        }
        let mut past = Self { refreshes: self.refreshes.clone(), ..Self::default() };
        self.draws.iter().take(draws).cloned().for_each(|drawn| past.draw(drawn));
        // Every event of this record fits its past.
        self.events.iter().take(events).cloned().for_each(|event| {
            past.happen(event);
        });
        Cow::Owned(past)
    }

    /// The first refresh.
    pub(crate) fn first_refresh(&self, path: &Path) -> Result<&Refresh> {
        self.refreshes.first().ok_or_else(|| damaged(path, "refresh", 0))
    }
}
