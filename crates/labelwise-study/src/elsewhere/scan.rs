//! The driver of the passes over a pool: what the next pass needs, what came of it, and the evaluation at the end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use labelwise_file::Draft;
use labelwise_pool::{Carried, ColumnNames, Fingerprint, Strings};
use labelwise_sketch::{SetFingerprint, Sketch};

use super::chunk::{Chunk, KeptRow, Shape, chunk_of};
use super::drawn::{Found, found};
use super::part::{PILOT, Part, PartSketch, Work, digest_of};
use super::ready::Ready;
use super::refused::{refuse_choices, refuse_columns, refuse_settings};
use super::scoring::{Constants, Scoring};
use super::totals::Totals;
use super::{AHEAD, Elsewhere, stand_in};
use crate::columns::write_matrix;
use crate::create::Created;
use crate::decide::choices::{Choices, Decided};
use crate::error::{ElsewhereError, Error, Result};
use crate::journal::on_file::{ahead_rows, refresh_row};
use crate::journal::record::Record;
use crate::journal::{Appended, Batch};
use crate::refresh_point::RefreshPoint;
use crate::spec::settings::{IdOrigin, PoolOrigin, Times};
use crate::study::Study;

/// Numbers of a uniform sample that are kept, and the fewest and the most rows.
const SAMPLE_NUMBERS: usize = 1 << 20;
const SAMPLE_ROWS: std::ops::RangeInclusive<usize> = 1024..=16_384;

/// Which pass is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The pass that keeps a uniform sample, for constants.
    Pilot,
    /// The pass that keeps draws and sums.
    Draw,
    /// None: the evaluation can be written.
    Done,
}

/// The passes over a pool that make an evaluation, or a refresh of one.
pub struct Scan {
    name: String,
    columns: ColumnNames,
    ahead: usize,
    bytes: u64,
    choices: Choices,
    /// The evaluation that is refreshed.
    study: Option<Study>,
    state: State,
}

enum State {
    Pilot,
    Draw(Box<Ready>),
    Done(Box<Ready>, Box<Found>),
}

impl std::fmt::Debug for Scan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scan").field("name", &self.name).field("phase", &self.phase()).finish_non_exhaustive()
    }
}

impl Scan {
    /// The passes that make a new evaluation. `name` is what the pool is called.
    pub fn new(name: &str, columns: ColumnNames, choices: Choices, ahead: Option<usize>) -> Result<Self> {
        refuse_columns(&columns)?;
        refuse_choices(&choices)?;
        let ahead = ahead.unwrap_or(AHEAD).max(1);
        let state = State::Pilot;
        let mut scan = Self { name: name.to_owned(), columns, ahead, bytes: 0, choices, study: None, state };
        if scan.columns.scores.is_some() {
            // Scores are given, so nothing is to be learned about the pool before the draws.
            let rows = [KeptRow { prediction: vec![0.0; 2], given: Vec::new(), said: String::new() }];
            let shape = Shape::of_scores();
            let sample = chunk_of(&rows, [""].into_iter().collect(), &shape)?;
            scan.state = State::Draw(Box::new(scan.ready(&sample, None)?));
        }
        Ok(scan)
    }

    /// The pass that refreshes the scores of an evaluation by its labels, and makes new draws ahead.
    pub fn refresh(path: impl AsRef<Path>, ahead: Option<usize>) -> Result<Self> {
        let study = Study::open(path)?;
        let Some(elsewhere) = study.settings.elsewhere.clone() else {
            return Err(ElsewhereError::HasPool { path: study.path().to_owned() }.into());
        };
        let settings = study.settings.clone();
        let record = study.record()?.clone();
        let counts = study.counts();
        if study.left() == 0 {
            let size = settings.pool.size;
            return Err(Error::Exhausted { wanted: 1, left: 0, size });
        }
        let last =
            study.journal.last_refresh()?.ok_or_else(|| crate::error::damaged(study.path(), "refresh", 0))?;
        let drawn = record.rows().last().map(|row| &row.draw);
        let number = RefreshPoint::of(counts.refreshes, &last.origin).next_number(drawn);
        let point =
            RefreshPoint { row: counts.refreshes, number, draws: counts.draws, events: counts.events };
        let tables = stand_in::kept_tables(&*study.journal, &settings)?;
        let first = record.refreshes.first().map(|first| &first.origin);
        let priors = first.and_then(|first| first.priors.clone());
        let mut ready = Ready {
            decisions: Vec::new(),
            priors,
            constants: Constants::default(),
            sampled: None,
            seen: None,
            point,
            drawn: record.draws.iter().map(|drawn| drawn.id.clone()).collect(),
            labels: counts.labels,
            tables,
            settings,
        };
        if ready.settings.columns.keys().any(|name| stand_in::is_sample(name)) {
            let sample = stand_in::sample(&ready.tables, &ready.settings)?;
            ready.learn(&sample, &record, study.path(), crate::now())?;
        }
        Ok(Self {
            name: ready.settings.pool.path.clone(),
            columns: elsewhere.columns,
            ahead: ahead.unwrap_or(elsewhere.ahead).max(1),
            bytes: elsewhere.bytes,
            choices: Choices::default(),
            study: Some(study),
            state: State::Draw(Box::new(ready)),
        })
    }

    /// What a pass reads, if that is known.
    pub(crate) fn reads(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    /// Which pass is next.
    pub fn phase(&self) -> Phase {
        match &self.state {
            State::Pilot => Phase::Pilot,
            State::Draw(_) => Phase::Draw,
            State::Done(..) => Phase::Done,
        }
    }

    /// The columns of the pool.
    pub fn columns(&self) -> &ColumnNames {
        &self.columns
    }

    /// The passthrough columns that [`finish`](Self::finish) wants.
    pub fn carry(&self) -> &[String] {
        match &self.study {
            Some(study) => &study.settings.pool.carried,
            None => &self.columns.carry,
        }
    }

    /// What the next pass sends to the workers ([`Part::new`]); `None` if there is none.
    pub fn work(&self) -> Result<Option<Vec<u8>>> {
        // Passthrough columns and files' formats are nothing to workers.
        let columns = ColumnNames { carry: Vec::new(), ..self.columns.clone() };
        let work = match &self.state {
            State::Done(..) => return Ok(None),
            State::Pilot => Work {
                columns,
                seed: self.choices.seed,
                refresh: PILOT,
                keep: *SAMPLE_ROWS.end(),
                scoring: None,
                drawn: Vec::new(),
            },
            State::Draw(ready) => Work {
                columns,
                seed: ready.settings.seed,
                refresh: ready.point.number,
                keep: self.ahead,
                scoring: Some(ready.scoring()),
                drawn: ready.drawn.clone(),
            },
        };
        work.to_bytes().map(Some)
    }

    /// Takes the merged sketch of a pass.
    pub fn take(&mut self, sketch: &[u8]) -> Result<()> {
        let part = PartSketch::from_bytes(sketch)?;
        self.take_part(&part)
    }

    /// Takes the lists that an engine made of a pool of scores.
    pub(crate) fn take_lists(&mut self, sketch: Sketch, totals: Totals, shape: Shape) -> Result<()> {
        let work = self.work()?.unwrap_or_default();
        self.take_part(&PartSketch::of_lists(digest_of(&work), sketch, totals, shape))
    }

    /// How items are scored in the pass of draws.
    pub(crate) fn scoring(&self) -> Option<Scoring> {
        match &self.state {
            State::Draw(ready) => Some(ready.scoring()),
            _ => None,
        }
    }

    pub(crate) fn take_part(&mut self, part: &PartSketch) -> Result<()> {
        let work = self.work()?.ok_or(ElsewhereError::Order("all passes are done: finish the evaluation"))?;
        let shape = part.check(&self.name, digest_of(&work))?;
        match &self.state {
            State::Pilot => {
                let kept = part.sketch.uniform_sample().map_err(ElsewhereError::from)?;
                let mut rows = Vec::with_capacity(kept.len());
                let mut ids = Strings::default();
                for kept in kept {
                    let row = KeptRow::read(&kept.payload, shape)
                        .ok_or(ElsewhereError::Bytes { what: "a row of a sketch" })?;
                    let numbers = row.prediction.len() + row.given.iter().map(Vec::len).sum::<usize>();
                    let most =
                        (SAMPLE_NUMBERS / numbers.max(1)).clamp(*SAMPLE_ROWS.start(), *SAMPLE_ROWS.end());
                    if rows.len() >= most {
                        break;
                    }
                    ids.push(&kept.id);
                    rows.push(row);
                }
                let sample = chunk_of(&rows, ids, shape)?;
                let seen = (part.totals.items, part.totals.fingerprint.to_string());
                self.state = State::Draw(Box::new(self.ready(&sample, Some(seen))?));
            }
            State::Draw(ready) => {
                let here = (part.totals.items, part.totals.fingerprint.to_string());
                self.check_pool(ready, &here)?;
                let mut found = found(ready, part, shape, self.choices_at())?;
                if self.study.is_none() {
                    found.settings.pool.size = usize::try_from(here.0).unwrap_or(usize::MAX);
                    found.settings.pool.fingerprint = here.1;
                }
                let State::Draw(ready) = std::mem::replace(&mut self.state, State::Pilot) else {
                    return Ok(());
                };
                self.state = State::Done(ready, Box::new(found));
            }
            State::Done(..) => {}
        }
        Ok(())
    }

    fn choices_at(&self) -> i64 {
        if self.study.is_some() { crate::now() } else { self.choices.at }
    }

    /// Refuses another pool than the one of an earlier pass.
    fn check_pool(&self, ready: &Ready, here: &(u64, String)) -> Result<()> {
        if let Some(seen) = ready.seen.as_ref().filter(|seen| *seen != here) {
            let there = self.name.clone();
            return Err(ElsewhereError::Changed { there, first: seen.0, second: here.0 }.into());
        }
        let Some(study) = &self.study else { return Ok(()) };
        let pool = &study.settings.pool;
        // Engines of SQL make no fingerprint.
        let unknown = SetFingerprint::default().to_string();
        let same = pool.fingerprint == here.1 || pool.fingerprint == unknown;
        if pool.size as u64 == here.0 && same {
            return Ok(());
        }
        Err(ElsewhereError::OtherPool {
            path: study.path().to_owned(),
            there: self.name.clone(),
            items: here.0,
            found: here.1.clone(),
            recorded_items: pool.size as u64,
            recorded: pool.fingerprint.clone(),
        }
        .into())
    }

    /// Decides everything from a uniform sample.
    fn ready(&self, sample: &Chunk, seen: Option<(u64, String)>) -> Result<Ready> {
        let mut table = sample.table();
        table.path = PathBuf::from(&self.name);
        table.fingerprint = Fingerprint::default();
        let Decided { mut settings, mut decisions } = self.choices.decide(&table, None)?;
        refuse_settings(&settings)?;
        if settings.recalibrated.as_ref().is_some_and(|times| *times != Times::Never) {
            settings.recalibrated = Some(Times::Never);
            decisions.retain(|words| !words.contains("are recalibrated by the labels"));
            decisions.push(
                "labels recalibrate the surrogate's beliefs at once in intervals, and in draws when `labelwise refresh` is given \
                 the pool again"
                    .to_owned(),
            );
        }
        let items = seen.as_ref().map_or(0, |(items, _)| *items);
        settings.pool = PoolOrigin {
            path: self.name.clone(),
            format: "parts".to_owned(),
            fingerprint: String::new(),
            size: usize::try_from(items).unwrap_or(usize::MAX),
            ids: IdOrigin::Column,
            carried: self.columns.carry.clone(),
        };
        settings.elsewhere = Some(Elsewhere {
            columns: ColumnNames { carry: Vec::new(), ..self.columns.clone() },
            ahead: self.ahead,
            bytes: self.bytes,
        });
        let mut ready = Ready {
            decisions,
            tables: BTreeMap::new(),
            priors: None,
            constants: Constants::default(),
            sampled: None,
            seen,
            point: RefreshPoint::FIRST,
            drawn: Vec::new(),
            labels: 0,
            settings,
        };
        if ready.seen.is_some() {
            ready.tables = stand_in::tables(sample, &self.choices, &mut ready.settings)?;
            let path = PathBuf::from(&self.name);
            ready.learn(sample, &Record::default(), &path, self.choices.at)?;
        }
        Ok(ready)
    }

    /// The ids of the draws, in draw order: those whose passthrough columns [`finish`](Self::finish) wants.
    pub fn drawn(&self) -> Result<Vec<String>> {
        match &self.state {
            State::Done(_, found) => Ok(found.ids().map(str::to_owned).collect()),
            _ => Err(ElsewhereError::Order("draws are known after the last pass").into()),
        }
    }

    /// Writes a new evaluation. The file appears complete or not at all, and never replaces another. `carried` has the passthrough
    /// columns of the drawn items, in any order; further rows are ignored.
    pub fn finish(self, out: impl AsRef<Path>, carried: &[Carried]) -> Result<Created> {
        let path = out.as_ref();
        let State::Done(mut ready, mut found) = self.state else {
            return Err(ElsewhereError::Order("the evaluation is written after the last pass").into());
        };
        let carry = &found.carry(carried)?;
        let Ready { tables, decisions, .. } = &mut *ready;
        let mut settings = found.settings;
        settings.pool.carried = carry.clone();
        if !carry.is_empty() && !decisions.iter().any(|words| words.starts_with("passthrough columns")) {
            decisions.push(format!("passthrough columns for the labeller: {}", carry.join(", ")));
        }
        let numbers: usize = tables.values().map(|table| table.rows() * table.columns()).sum();
        let mut draft = Draft::new(path, 4 * numbers as u64)?;
        for (name, table) in tables.iter() {
            write_matrix(&mut draft, name, table)?;
        }
        draft.settings(&serde_json::to_string(&settings).map_err(Error::json)?)?;
        draft.refresh(&refresh_row(0, &found.refresh)?, &ahead_rows(&found.rows))?;
        draft.publish()?;
        let evaluation = Study::open(path)?;
        let mut decisions = std::mem::take(decisions);
        decisions.extend(evaluation.design_in_words()?);
        Ok(Created { evaluation, decisions })
    }

    /// Records the refresh of an evaluation, with its new draws. Returns the evaluation.
    pub fn finish_refresh(self, carried: &[Carried]) -> Result<Study> {
        let (State::Done(ready, mut found), Some(mut study)) = (self.state, self.study) else {
            return Err(ElsewhereError::Order("a refresh is recorded after its pass").into());
        };
        found.carry_named(carried, &study.settings.pool.carried)?;
        study.reload()?;
        let counts = study.counts();
        let (path, attempts) = (study.path().to_owned(), 1);
        let now = (counts.draws, counts.refreshes);
        if now != (ready.point.draws, ready.point.row) {
            return Err(Error::Crowded { path, attempts });
        }
        let batch = Batch { refresh: Some(found.refresh), ahead: found.rows, ..Batch::default() };
        match study.journal.append(batch, counts)? {
            Appended::Recorded => study.reload()?,
            _ => return Err(Error::Crowded { path, attempts }),
        }
        Ok(study)
    }

    /// The number of labels that a refresh follows.
    pub fn labels(&self) -> usize {
        match &self.state {
            State::Pilot => 0,
            State::Draw(ready) | State::Done(ready, _) => ready.labels,
        }
    }

    /// An empty part of the next pass.
    pub(crate) fn part(&self) -> Result<Option<Part>> {
        self.work()?.map(|work| Part::new(&work)).transpose()
    }
}
