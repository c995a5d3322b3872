//! One study: an evaluation with its journal, in memory or on file.

use labelwise_file::{Access, File, IgnoredLog};
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{DesignError, Error, Result, damaged};
use crate::journal::on_file::OnFile;
use crate::journal::record::{Fate, PredictedClass, Record, Totals};
use crate::journal::{Counts, Journal};

use crate::columns::{PREDICTED, PREDICTIONS};
use crate::recalibration::KeptMixture;
use crate::spec::metric::LossName;
use crate::spec::settings::Settings;
use crate::{Answer, Asked};

/// The author, the time and the idempotency key of a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Author {
    /// The author's name, or an empty text.
    pub who: String,
    /// The time, in microseconds since 1970, UTC.
    pub at: i64,
    /// Idempotency key: repeating a request with the same key returns the first answer.
    pub key: Option<String>,
}

/// An evaluation in a file.
///
/// ```
/// use labelwise_study::{Answer, Author, Choices, Study, PoolTable, Reading, EstimateOptions};
/// # let folder = tempfile::tempdir()?;
/// # let (pool, path) = (folder.path().join("pool.csv"), folder.path().join("pets.labelwise"));
/// # let rows: String = (0..60).map(|i| format!("pet-{i},0.{},0.{}\n", 10 + i, 90 - i)).collect();
/// # std::fs::write(&pool, format!("id,prob_cat,prob_dog\n{rows}"))?;
/// let pool = PoolTable::open(&pool, &Reading::new())?;
/// let mut evaluation = Study::create(&path, pool, &Choices::default())?.evaluation;
/// for asked in evaluation.ask(20, &Author::default())? {
///     let label = if asked.item % 3 == 0 { "cat" } else { "dog" };
///     evaluation.tell(&[Answer::new(asked.id, label)], &Author::default())?;
/// }
/// let again = Study::read(&path)?; // by another process, on another day
/// let estimates = again.estimate(&EstimateOptions::default())?;
/// assert_eq!(estimates[0].report.estimate.labels, 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Study {
    pub(crate) journal: Box<dyn Journal>,
    pub(crate) settings: Settings,
    /// The numbers of records at the last read.
    pub(crate) counts: Counts,
    /// The evaluation of the present refresh, if it is kept between draws.
    pub(crate) live: Option<Box<dyn Any + Send>>,
    pub(crate) late: RefCell<Late>,
}

/// What a study in memory with one proposal computes on the first request: `new` would spend most of its time on it.
#[derive(Debug, Default)]
pub(crate) struct Late {
    /// Losses that the draws are not made for.
    pub(crate) losses: BTreeMap<LossName, LateLoss>,
    /// The items by the class they are predicted as.
    pub(crate) predicted: Option<Vec<PredictedClass>>,
    /// Every proposal with its weights, for the belief of judges.
    pub(crate) proposals: Vec<labelwise::surrogate::MixtureSums>,
}

/// What a refresh says of another loss.
#[derive(Debug, Clone)]
pub(crate) struct LateLoss {
    pub(crate) totals: Totals,
    /// By component of recalibrated beliefs.
    pub(crate) mixture: Option<KeptMixture>,
}

impl std::fmt::Debug for Study {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Study");
        debug.field("path", &self.journal.path()).field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl Study {
    /// Opens an evaluation to ask and tell.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::with_access(path.as_ref(), Access::Write)
    }

    /// Opens an evaluation read-only. Does not block a writer and is not blocked by one.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Self::with_access(path.as_ref(), Access::Read)
    }

    fn with_access(path: &Path, access: Access) -> Result<Self> {
        let (settings, journal) = on_file(path, access)?;
        let mut study = Self::over(settings, Box::new(journal));
        study.reload()?;
        Ok(study)
    }

    /// Opens a damaged evaluation with the undamaged part of its record, and returns the error in the rest.
    pub fn salvage(path: impl AsRef<Path>) -> Result<(Self, Option<Error>)> {
        let (settings, journal) = on_file(path.as_ref(), Access::Read)?;
        let (journal, wrong) = journal.salvaged();
        let mut study = Self::over(settings, Box::new(journal));
        study.recount()?;
        Ok((study, wrong))
    }

    pub(crate) fn over(settings: Settings, journal: Box<dyn Journal>) -> Self {
        let late = RefCell::default();
        Self { journal, settings, counts: Counts::default(), live: None, late }
    }

    /// Reads what other processes have written since.
    pub fn reload(&mut self) -> Result<()> {
        self.journal.follow()?;
        self.recount()
    }

    /// Counts again. A pool does not have fewer items than were drawn.
    fn recount(&mut self) -> Result<()> {
        self.counts = self.journal.counts()?;
        match self.counts.draws <= self.settings.drawable() {
            true => Ok(()),
            false => Err(damaged(self.path(), "settings", 1)),
        }
    }

    pub(crate) fn record(&self) -> Result<&Record> {
        self.journal.record()
    }

    /// Copies the evaluation, with every acknowledged label, into a new file. Other processes can read and write
    /// meanwhile.
    pub fn backup(&self, to: impl AsRef<Path>) -> Result<()> {
        self.journal.backup(to.as_ref())
    }

    /// Part of the log that was ignored when the file was opened: an interrupted write, or damage.
    pub fn ignored_log(&self) -> Option<&IgnoredLog> {
        self.journal.ignored_log()
    }

    /// Whether it is a file. Otherwise it ends with the process.
    pub fn is_durable(&self) -> bool {
        self.journal.is_durable()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.journal.path()
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many draws there are, and what became of them.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Number of items that were asked.
    pub fn asked(&self) -> usize {
        self.counts.draws
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.counts.labels
    }

    /// Whether an item was asked, by its id.
    pub fn was_asked(&self, id: &str) -> Result<bool> {
        Ok(self.journal.find(&[id])?.iter().any(Option::is_some))
    }

    /// Whether answers were recorded with a key: `Some(true)` if they were these, `Some(false)` if they were others.
    pub fn was_told(&self, key: &str, answers: &[Answer]) -> Result<Option<bool>> {
        let before = self.journal.request(key)?;
        Ok(before.map(|before| crate::tell::is_repeated(&before, answers)))
    }

    /// Number of proposals.
    pub fn refreshes(&self) -> usize {
        self.counts.refreshes
    }

    /// The reason that the surrogate could not learn from the labels at its last retraining.
    pub fn fell_back(&self) -> Result<Option<String>> {
        Ok(self.journal.last_refresh()?.and_then(|refresh| refresh.origin.fell_back.clone()))
    }

    /// Whether the losses of skipped items have bounds.
    pub fn bears_skips(&self) -> Result<bool> {
        if self.counts.skipped == 0 {
            return Ok(true);
        }
        let record = self.record()?;
        let skipped = record.rows().zip(&record.fates).filter(|(_, fate)| **fate == Fate::Skipped);
        Ok(skipped.map(|(row, _)| row.draw.bounds).all(|bounds| bounds.is_some()))
    }

    /// Number of items left to ask: of the pool, or of a budget that is fixed in advance.
    pub fn left(&self) -> usize {
        let most = self.settings.design.budget().unwrap_or_else(|| self.settings.drawable());
        most.saturating_sub(self.asked())
    }

    /// The fate of every draw, in draw order.
    pub fn fates(&self) -> Result<&[Fate]> {
        Ok(&self.record()?.fates)
    }

    /// Every draw in draw order: time, author, item, q and fate.
    pub fn history(&self) -> Result<impl Iterator<Item = DrawRecord<'_>>> {
        let record = self.record()?;
        Ok(record.draws.iter().zip(&record.fates).map(|(drawn, fate)| DrawRecord {
            id: &drawn.id,
            item: drawn.row.draw.index,
            q: drawn.row.draw.q,
            expected: drawn.row.draw.control,
            expected_total: drawn.row.draw.control_total,
            refresh: drawn.row.draw.refresh,
            at: drawn.at,
            who: &drawn.who,
            prediction: &drawn.row.prediction,
            predicted: &drawn.row.predicted,
            fate,
        }))
    }

    /// All events, in order.
    pub fn events(&self) -> Result<impl Iterator<Item = EventRecord<'_>>> {
        let record = self.record()?;
        Ok(record.events.iter().map(move |event| {
            let place = usize::try_from(event.place).unwrap_or(usize::MAX);
            EventRecord {
                place,
                id: record.draws.get(place).map_or("", |drawn| &drawn.id),
                what: event.kind.name(),
                label: event.label.as_deref(),
                note: event.note.as_deref(),
                at: event.at,
                who: &event.who,
            }
        }))
    }

    /// Draws at most `most` items, fewer if fewer are left. An error if none is left.
    pub fn ask_up_to(&mut self, most: usize, by: &Author) -> Result<Vec<Asked>> {
        self.reload()?;
        self.ask(most.min(self.left().max(1)), by)
    }

    pub(crate) fn check_count(&self, count: usize) -> Result<()> {
        let left = self.left();
        if count > left {
            if let Some(budget) = self.settings.design.budget() {
                return Err(DesignError::Spent { wanted: count, left, budget }.into());
            }
            return Err(Error::Exhausted { wanted: count, left: self.left(), size: self.settings.pool.size });
        }
        Ok(())
    }
}

/// The file of an evaluation, and the settings in it.
fn on_file(path: &Path, access: Access) -> Result<(Settings, OnFile)> {
    let file = File::open(path, access)?;
    let settings: Settings =
        serde_json::from_str(file.settings()).map_err(|_| damaged(path, "settings", 1))?;
    // Columns are in the file since it was made, never in its log.
    let bytes = path.metadata().map_or(u64::MAX, |metadata| metadata.len());
    let fits = settings.columns.values().all(|layout| layout.fits(bytes));
    let items = [PREDICTIONS, PREDICTED].iter().filter_map(|name| settings.columns.get(*name));
    let whole = items.map(|layout| layout.rows).all(|rows| rows == settings.pool.size);
    if !fits || !whole || !settings.can_be_chosen() {
        return Err(damaged(path, "settings", 1));
    }
    let journal = OnFile::new(file, settings.columns.clone());
    Ok((settings, journal))
}

/// A draw on record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DrawRecord<'a> {
    /// The id of the item.
    pub id: &'a str,
    /// The item: its row in the pool, from 0.
    pub item: usize,
    /// The probability it was drawn with.
    pub q: f64,
    /// Its loss as expected by the surrogate.
    pub expected: f64,
    /// The sum of expected losses over all items that could have been drawn.
    pub expected_total: f64,
    /// The refresh of the proposal it was drawn from.
    pub refresh: u64,
    /// When it was asked, in microseconds since 1970, UTC.
    pub at: i64,
    /// By whom.
    pub who: &'a str,
    /// f(x_i), as numbers.
    pub prediction: &'a [f64],
    /// The predicted class of a classifier without probabilities.
    pub predicted: &'a str,
    /// Its fate.
    pub fate: &'a Fate,
}

/// An event on record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventRecord<'a> {
    /// The place of its draw.
    pub place: usize,
    /// The id of the item.
    pub id: &'a str,
    /// `told`, `amended`, `skipped` or `missing`.
    pub what: &'static str,
    /// The label, if there is one.
    pub label: Option<&'a str>,
    /// The author's note.
    pub note: Option<&'a str>,
    /// When, in microseconds since 1970, UTC.
    pub at: i64,
    /// By whom.
    pub who: &'a str,
}
