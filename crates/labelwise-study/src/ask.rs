//! Draws the next items to label. A due proposal is computed before the transaction, so that it blocks no
//! other process.

use labelwise_file::digest;

use super::columns::{self, IDS};
use super::journal::{Appended, Batch, Drawn, Request, Row};
use super::prepare::{self, Made, Prepared};
use super::refresh_point::RefreshPoint;
use super::task::{StudyTask, with_task};
use super::{Author, Fate, Study};
use crate::elsewhere::Elsewhere;
use crate::error::{ElsewhereError, Error, Result, damaged};

/// Number of attempts. Other processes can write at the same point; one of them succeeds at each attempt.
pub(crate) const ATTEMPTS: usize = 1000;

/// An item to label.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// Its place among the draws, from 0.
    pub place: usize,
    /// Its id.
    pub id: String,
    /// Its row in the pool, from 0.
    pub item: usize,
    /// Its passthrough columns, by name.
    pub carried: Vec<(String, String)>,
}

impl Asked {
    fn new(place: usize, drawn: &Drawn) -> Self {
        // Names follow with the settings.
        let apart = drawn.row.apart.iter().flat_map(|apart| apart.carried.iter().cloned());
        let carried = apart.map(|text| (String::new(), text)).collect();
        Self { place, id: drawn.id.clone(), item: drawn.row.draw.index, carried }
    }
}

/// The result of a request to draw.
enum Drawing<R> {
    /// New draws.
    Made(Vec<R>),
    /// The answer to an earlier request with the same key.
    Before(Request),
}

/// Hash of the request.
fn ask_digest(count: usize) -> u64 {
    digest(&["ask", &count.to_string()])
}

impl Study {
    /// Draws the next `count` items. When it returns, they are recorded; a file has them on disk. Repeating a request with
    /// the same key returns the same items.
    pub fn ask(&mut self, count: usize, by: &Author) -> Result<Vec<Asked>> {
        match self.draw(count, by, Asked::new)? {
            Drawing::Made(asked) => self.carry(asked),
            Drawing::Before(before) => self.asked_before(before, count),
        }
    }

    /// The same, but returns only the rows of the items.
    pub fn ask_rows(&mut self, count: usize, by: &Author) -> Result<Vec<usize>> {
        match self.draw(count, by, |_, drawn| drawn.row.draw.index)? {
            Drawing::Made(rows) => Ok(rows),
            Drawing::Before(before) => {
                Ok(self.asked_before(before, count)?.into_iter().map(|asked| asked.item).collect())
            }
        }
    }

    fn draw<R>(&mut self, count: usize, by: &Author, of: impl Fn(usize, &Drawn) -> R) -> Result<Drawing<R>> {
        for _ in 0..ATTEMPTS {
            self.reload()?;
            if let Some(key) = &by.key
                && let Some(before) = self.journal.request(key)?
            {
                return Ok(Drawing::Before(before));
            }
            self.check_count(count)?;
            if count == 0 {
                return Ok(Drawing::Made(Vec::new()));
            }
            let mut rows = self.journal.ahead(count)?;
            let Prepared { refresh, rows: mut ahead } = self.prepare(rows.len(), count, by.at)?;
            if refresh.is_some() {
                // A new proposal discards the prepared draws.
                rows.clear();
            }
            let from_ahead = rows.len();
            rows.extend(ahead.drain(..ahead.len().min(count - from_ahead)));
            let draws = self.named_draws(rows, by)?;
            let start = self.counts.draws;
            let request = by.key.as_ref().map(|key| Request {
                key: key.clone(),
                verb: "ask".to_owned(),
                digest: ask_digest(count),
                answer: format!("[{start},{}]", start + count),
                at: by.at,
            });
            let made = (start..).zip(&draws).map(|(place, drawn)| of(place, drawn)).collect();
            let batch = Batch { refresh, draws, from_ahead, ahead, request, ..Batch::default() };
            match self.journal.append(batch, self.counts)? {
                Appended::Recorded => {
                    self.counts = self.journal.counts()?;
                    return Ok(Drawing::Made(made));
                }
                Appended::Outdated => {}
                Appended::Answered(before) => return Ok(Drawing::Before(before)),
            }
        }
        Err(Error::Crowded { path: self.path().to_owned(), attempts: ATTEMPTS })
    }

    /// The items that were asked and wait for their label, in draw order.
    pub fn waiting(&self) -> Result<Vec<Asked>> {
        let open = self.fates()?.iter().enumerate().filter(|(_, fate)| **fate == Fate::Open);
        self.at_places(open.map(|(place, _)| place))
    }

    /// Draws by their places, with their passthrough columns. Places without a draw are left out.
    pub fn asked_at(&self, places: &[usize]) -> Result<Vec<Asked>> {
        self.at_places(places.iter().copied())
    }

    /// Computes the proposal that is due, so that the next `ask` need not. Returns whether one was due, and the number of labels
    /// that the present proposal follows. A file stores the new proposal with its first draws.
    pub fn refresh(&mut self, at: i64) -> Result<(bool, usize)> {
        if let Some(Elsewhere { bytes, .. }) = self.settings.elsewhere {
            let (path, pool) = (self.path().to_owned(), self.settings.pool.path.clone());
            return Err(ElsewhereError::RefreshNeedsPool { path, pool, bytes }.into());
        }
        for _ in 0..ATTEMPTS {
            self.reload()?;
            let last = self.journal.last_refresh()?;
            let due = last.as_ref().is_none_or(|last| self.settings.due(last.labels, self.counts.labels));
            if !due || self.left() == 0 {
                return Ok((false, last.map_or(0, |last| last.labels)));
            }
            let Prepared { refresh, rows: ahead } = self.prepare(0, 0, at)?;
            let batch = Batch { refresh, ahead, ..Batch::default() };
            if matches!(self.journal.append(batch, self.counts)?, Appended::Recorded) {
                self.counts = self.journal.counts()?;
                return Ok((true, self.counts.labels));
            }
        }
        Err(Error::Crowded { path: self.path().to_owned(), attempts: ATTEMPTS })
    }

    /// Computes the first proposal, so that errors of the pool appear before the first `ask`.
    pub(super) fn begin(&mut self) -> Result<()> {
        let at = self.settings.created;
        let Prepared { refresh, .. } =
            with_task!(self.settings, T => self.fresh::<T>(RefreshPoint::FIRST, 0, at))?;
        self.journal.append(Batch { refresh, ..Batch::default() }, self.counts)?;
        self.counts = self.journal.counts()?;
        Ok(())
    }

    /// Whether the next draw is prepared and no proposal is due, so that [`ask_rows`](Self::ask_rows) returns at once.
    pub fn is_prepared(&self) -> bool {
        let due = |labels: usize| self.settings.due(labels, self.counts.labels);
        let last = self.journal.last_refresh().ok().flatten();
        self.journal.prepared() > 0 && last.is_some_and(|last| !due(last.labels))
    }

    /// The new proposal that is due, or more draws of the present one.
    fn prepare(&mut self, ahead: usize, count: usize, at: i64) -> Result<Prepared> {
        let counts = self.counts;
        let due = match self.journal.last_refresh()? {
            None => Some(RefreshPoint::FIRST),
            Some(last) if self.settings.due(last.labels, counts.labels) => {
                let drawn = self.record()?.rows().last().map(|row| &row.draw);
                let number = RefreshPoint::of(counts.refreshes, &last.origin).next_number(drawn);
                Some(RefreshPoint {
                    row: counts.refreshes,
                    number,
                    draws: counts.draws,
                    events: counts.events,
                })
            }
            Some(_) if ahead >= count => return Ok(Prepared { refresh: None, rows: Vec::new() }),
            Some(_) => None,
        };
        if let Some(Elsewhere { bytes, .. }) = self.settings.elsewhere {
            let (path, pool) = (self.path().to_owned(), self.settings.pool.path.clone());
            let (wanted, left) = (count, ahead);
            return Err(ElsewhereError::Spent { path, wanted, left, pool, bytes }.into());
        }
        with_task!(self.settings, T => match due {
            Some(point) => self.fresh::<T>(point, count, at),
            None => self.further::<T>(ahead, count - ahead),
        })
    }

    fn fresh<T: StudyTask>(&mut self, point: RefreshPoint, count: usize, at: i64) -> Result<Prepared> {
        let (prepared, made) = prepare::fresh::<T>(&*self.journal, &self.settings, point, count, at)?;
        // A file stores the prepared draws; in memory, the evaluation continues to draw.
        self.live = if self.journal.is_durable() { None } else { Some(Box::new(made)) };
        Ok(prepared)
    }

    fn further<T: StudyTask>(&mut self, ahead: usize, wanted: usize) -> Result<Prepared> {
        let live = self.live.as_mut().and_then(|live| live.downcast_mut::<Made<T>>());
        prepare::further::<T>(&*self.journal, &self.settings, live, ahead, wanted)
    }

    /// The ids of some items of the pool, in their order.
    pub fn ids(&self, items: &[usize]) -> Result<Vec<String>> {
        if self.settings.elsewhere.is_some() {
            // Items have the numbers of their draws.
            let draws = &self.record()?.draws;
            let id = |&item: &usize| draws.get(item).map(|drawn| drawn.id.clone());
            return items
                .iter()
                .map(|item| id(item).ok_or_else(|| damaged(self.path(), "draw", item)))
                .collect();
        }
        match self.settings.columns.contains_key(IDS) {
            true => self.journal.texts(IDS, items),
            false => Ok(items.iter().map(usize::to_string).collect()),
        }
    }

    /// Draws with the ids of their items.
    fn named_draws(&self, rows: Vec<Row>, by: &Author) -> Result<Vec<Drawn>> {
        let drawn = |(id, row)| Drawn { id, at: by.at, who: by.who.clone(), row };
        if self.settings.elsewhere.is_some() {
            let id = |row: &Row| row.apart.as_ref().map(|apart| apart.id.clone());
            let named = rows.into_iter().map(|row| Some(drawn((id(&row)?, row))));
            return named.collect::<Option<_>>().ok_or_else(|| damaged(self.path(), "ahead", 0));
        }
        if !self.settings.columns.contains_key(IDS) {
            return Ok(rows.into_iter().map(|row| drawn((row.draw.index.to_string(), row))).collect());
        }
        let items: Vec<usize> = rows.iter().map(|row| row.draw.index).collect();
        Ok(self.ids(&items)?.into_iter().zip(rows).map(drawn).collect())
    }

    /// The answer to an earlier request with the same key.
    fn asked_before(&mut self, before: Request, count: usize) -> Result<Vec<Asked>> {
        if before.verb != "ask" || before.digest != ask_digest(count) {
            return Err(Error::KeyReused { key: before.key, verb: before.verb });
        }
        let (start, end): (usize, usize) =
            serde_json::from_str(&before.answer).map_err(|_| damaged(self.path(), "request", &before.key))?;
        // Another process may have used the key in the meantime.
        self.reload()?;
        self.at_places(start..end)
    }

    fn at_places(&self, places: impl Iterator<Item = usize>) -> Result<Vec<Asked>> {
        let draws = &self.record()?.draws;
        self.carry(places.filter_map(|place| Some(Asked::new(place, draws.get(place)?))).collect())
    }

    /// Adds the passthrough columns.
    fn carry(&self, mut asked: Vec<Asked>) -> Result<Vec<Asked>> {
        if self.settings.pool.carried.is_empty() {
            return Ok(asked);
        }
        if self.settings.elsewhere.is_some() {
            for asked in &mut asked {
                let names = asked.carried.iter_mut().zip(&self.settings.pool.carried);
                names.for_each(|((name, _), known)| name.clone_from(known));
            }
            return Ok(asked);
        }
        let items: Vec<usize> = asked.iter().map(|asked| asked.item).collect();
        for name in &self.settings.pool.carried {
            let texts = self.journal.texts(&columns::carried(name), &items)?;
            asked.iter_mut().zip(texts).for_each(|(asked, text)| asked.carried.push((name.clone(), text)));
        }
        Ok(asked)
    }
}
