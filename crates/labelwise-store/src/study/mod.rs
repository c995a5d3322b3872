//! Evaluations on disk: ask and tell over days, across crashes, by several people.
//!
//! When [`Study::tell`] returns, the label is on disk; no label is ever counted twice; a draw is never redrawn. All
//! of an evaluation is one file, and nothing but that file is needed to go on.

mod ask;
mod columns;
mod create;
mod decide;
mod journal;
mod prepare;
mod questions;
mod rivals;
mod spec;
mod task;
mod tell;
mod trial;
mod verify;

use std::path::{Path, PathBuf};

pub use ask::Asked;
pub use create::Created;
pub use decide::choices::{Choices, SurrogateWish};
pub use journal::record::Fate;
use journal::record::Folded;
pub use questions::compare::{Standing, Standings};
pub use questions::estimate::{Estimated, EstimatorName, Wanted};
pub use questions::metrics::{Scored, WantedScores};
pub use questions::reuse::Transfer;
pub use questions::slices::SliceOf;
pub use spec::design::{Design, DesignWish};
pub use spec::measurable::{Average, Measurable, Score, ScoreName, UnknownMeasurable};
pub use spec::metric::{LossName, Metric, UnknownMetric, View};
pub use spec::settings::{
    AcquisitionName, FloorChoice, IdOrigin, LearnerName, PoolOrigin, RivalOrigin, Settings, Subject,
    SurrogateChoice, Times,
};
pub use tell::{Answer, Reply, Told};
pub use trial::{AnyTrial, Begin, Maker, Trial, Tried};
pub use verify::Verified;

use crate::error::{DesignMisfit, Error, Result, damaged};
use crate::file::{Access, EventRow, File};

/// Who does something, when, and under which key, if it may be said twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct By {
    /// Who: a name, or nothing.
    pub who: String,
    /// The time, in microseconds since 1970, UTC.
    pub at: i64,
    /// The same key again is the same request again: it is answered as it was, and nothing happens twice.
    pub key: Option<String>,
}

/// An evaluation in a file.
///
/// ```
/// use labelwise_store::{Answer, By, Choices, Study, PoolTable, Reading, Wanted};
/// # let folder = tempfile::tempdir()?;
/// # let (pool, path) = (folder.path().join("pool.csv"), folder.path().join("pets.labelwise"));
/// # let rows: String = (0..60).map(|i| format!("pet-{i},0.{},0.{}\n", 10 + i, 90 - i)).collect();
/// # std::fs::write(&pool, format!("id,prob_cat,prob_dog\n{rows}"))?;
/// let pool = PoolTable::open(&pool, &Reading::new())?;
/// let mut evaluation = Study::create(&path, pool, &Choices::default())?.evaluation;
/// for asked in evaluation.ask(20, &By::default())? {
///     let label = if asked.item % 3 == 0 { "cat" } else { "dog" };
///     evaluation.tell(&[Answer::new(asked.id, label)], &By::default())?;
/// }
/// let again = Study::read(&path)?; // by another process, on another day
/// let estimates = again.estimate(&Wanted::default())?;
/// assert_eq!(estimates[0].report.estimate.labels, 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Study {
    path: PathBuf,
    file: File,
    settings: Settings,
    folded: Folded,
}

impl Study {
    /// Opens an evaluation to ask and tell.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::with_access(path.as_ref(), Access::Write)
    }

    /// Opens an evaluation to look at it. Whoever writes is not held up, and needs not wait for.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Self::with_access(path.as_ref(), Access::Read)
    }

    fn with_access(path: &Path, access: Access) -> Result<Self> {
        let file = File::open(path, access)?;
        let settings: Settings =
            serde_json::from_str(file.settings()).map_err(|_| damaged(path, "settings", 1))?;
        let mut durable = Self { path: path.to_owned(), file, settings, folded: Folded::default() };
        durable.reload()?;
        Ok(durable)
    }

    /// Opens an evaluation that may be damaged, with as much of its record as is whole, and says what is wrong with it.
    pub fn salvage(path: impl AsRef<Path>) -> Result<(Self, Option<Error>)> {
        let path = path.as_ref();
        let file = File::open(path, Access::Read)?;
        let settings: Settings =
            serde_json::from_str(file.settings()).map_err(|_| damaged(path, "settings", 1))?;
        let (file, wrong) = file.salvaged();
        let mut durable = Self { path: path.to_owned(), file, settings, folded: Folded::default() };
        let followed = durable.folded.follow(path, durable.file.known());
        Ok((durable, wrong.or(followed.err())))
    }

    /// Takes in what others have written since.
    pub fn reload(&mut self) -> Result<()> {
        self.file.record()?;
        self.folded.follow(&self.path, self.file.known())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the evaluation was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many items were asked.
    pub fn asked(&self) -> usize {
        self.folded.rows.len()
    }

    /// How many of them have a label.
    pub fn labels(&self) -> usize {
        self.folded.labels()
    }

    /// Whether an item was asked, by its id.
    pub fn was_asked(&self, id: &str) -> bool {
        self.file.known().draws.iter().any(|draw| draw.id == id)
    }

    /// How many proposals there have been.
    pub fn refreshes(&self) -> usize {
        self.folded.origins.len()
    }

    /// Why the surrogate could not learn from the labels when it last should have, if it could not.
    pub fn fell_back(&self) -> Option<&str> {
        self.folded.origins.last().and_then(|(_, origin)| origin.fell_back.as_deref())
    }

    /// Whether skipped items have bounds that can stand for their losses.
    pub fn bears_skips(&self) -> bool {
        let open = |fate: &Fate| *fate == Fate::Skipped;
        let skipped = self.folded.rows.iter().zip(&self.folded.fates).filter(|(_, fate)| open(fate));
        skipped.map(|(row, _)| row.draw.bounds).all(|bounds| bounds.is_some())
    }

    /// How many are left to be asked: of the pool, or of the budget where that was settled beforehand.
    pub fn left(&self) -> usize {
        let most = self.settings.design.budget().unwrap_or(self.settings.pool.size - self.settings.ties);
        most.saturating_sub(self.asked())
    }

    /// What became of every draw, in draw order.
    pub fn fates(&self) -> &[Fate] {
        &self.folded.fates
    }

    /// Every draw in draw order: when, by whom, of which item, with which q, and what became of it.
    pub fn history(&self) -> impl Iterator<Item = History<'_>> {
        let draws = self.file.known().draws.iter().zip(&self.folded.rows).zip(&self.folded.fates);
        draws.map(|((draw, row), fate)| History {
            id: &draw.id,
            item: row.draw.index,
            q: row.draw.q,
            refresh: row.draw.refresh,
            at: draw.at,
            who: &draw.who,
            prediction: &row.prediction,
            predicted: &row.predicted,
            fate,
        })
    }

    /// Everything that was told, in order.
    pub fn events(&self) -> impl Iterator<Item = Happened<'_>> {
        let draws = &self.file.known().draws;
        let place = |event: &EventRow| usize::try_from(event.place).unwrap_or(usize::MAX);
        self.file.known().events.iter().map(move |event| Happened {
            place: place(event),
            id: draws.get(place(event)).map_or("", |draw| &draw.id),
            what: event.kind.name(),
            label: event.label.as_deref(),
            note: event.note.as_deref(),
            at: event.at,
            who: &event.who,
        })
    }

    fn check_count(&self, count: usize) -> Result<()> {
        let left = self.left();
        if count > left {
            if let Some(budget) = self.settings.design.budget() {
                return Err(DesignMisfit::Spent { wanted: count, left, budget }.into());
            }
            return Err(Error::Exhausted { wanted: count, left: self.left(), size: self.settings.pool.size });
        }
        Ok(())
    }
}

/// A draw as its row tells it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct History<'a> {
    /// The id of the item.
    pub id: &'a str,
    /// The item: its row in the pool, from 0.
    pub item: usize,
    /// The probability it was drawn with.
    pub q: f64,
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
    /// What became of it.
    pub fate: &'a Fate,
}

/// An event as its row tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Happened<'a> {
    /// The place of the draw it is about.
    pub place: usize,
    /// The id of the item.
    pub id: &'a str,
    /// `told`, `amended`, `skipped` or `missing`.
    pub what: &'static str,
    /// The label, where there is one.
    pub label: Option<&'a str>,
    /// Why, in somebody's words.
    pub note: Option<&'a str>,
    /// When, in microseconds since 1970, UTC.
    pub at: i64,
    /// By whom.
    pub who: &'a str,
}
