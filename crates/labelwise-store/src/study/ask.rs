//! Which items to label next. Draws were made ahead, so asking is taking the next ones; a proposal that is due is made
//! before, without holding up anybody else.

use crate::error::{Error, Result, damaged};
use crate::file::{AheadRow, DrawRow, RequestRow, digest};
use crate::study::columns::{self, IDS, read_texts};
use crate::study::prepare::{self, Moment, Prepared};
use crate::study::task::{StudyTask, with_task};
use crate::study::{By, Fate, Study};

/// Others may ask at the same moment; somebody gets through at each attempt.
const ATTEMPTS: usize = 1000;

/// An item to be labelled.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// Its place among the draws, from 0.
    pub place: usize,
    /// Its id.
    pub id: String,
    /// Its row in the pool, from 0.
    pub item: usize,
    /// What the labeller needs, by column.
    pub carried: Vec<(String, String)>,
}

impl Study {
    /// Draws the next `count` items. When it returns, they are on disk; asked again under the same key, it says the same
    /// items again.
    pub fn ask(&mut self, count: usize, by: &By) -> Result<Vec<Asked>> {
        let request = by.key.as_ref().map(|key| (key, digest(&["ask", &count.to_string()])));
        for _ in 0..ATTEMPTS {
            self.reload()?;
            if let Some((key, digest)) = request
                && let Some(places) = self.answered(key, digest)?
            {
                // It may have been answered to somebody else just now.
                self.reload()?;
                return self.at_places(places);
            }
            self.check_count(count)?;
            if count == 0 {
                return Ok(Vec::new());
            }
            let ahead = self.file.ahead(count)?;
            let prepared = self.prepare(ahead.len(), count, by.at)?;
            let rows: Vec<AheadRow> = match &prepared {
                // Of a new proposal, nothing is ahead but what it brings.
                Some(new) if self.is_next(new) => new.ahead.iter().take(count).cloned().collect(),
                Some(more) => ahead.into_iter().chain(more.ahead.iter().cloned()).take(count).collect(),
                None => ahead,
            };
            let items: Vec<usize> =
                rows.iter().map(|row| usize::try_from(row.item).unwrap_or(usize::MAX)).collect();
            let ids = self.ids(&items)?;
            let draws = rows.into_iter().zip(ids).map(|(row, id)| DrawRow {
                item: row.item,
                id,
                row: row.row,
                at: by.at,
                who: by.who.clone(),
            });
            let draws: Vec<DrawRow> = draws.collect();
            let (before, refreshes) = (self.folded.rows.len(), self.folded.origins.len());
            let taken = self.file.write(|write| {
                let record = write.record();
                // Somebody else asked meanwhile, and what was prepared is theirs now.
                if record.draws.len() != before || record.refreshes.len() != refreshes {
                    return Ok(false);
                }
                if let Some(prepared) = &prepared {
                    write.refresh(&prepared.refresh, &prepared.ahead)?;
                }
                write.take_ahead(&draws)?;
                if let Some((key, digest)) = request {
                    let answer = format!("[{before},{}]", before + count);
                    write.answer(&RequestRow {
                        key: key.clone(),
                        verb: "ask".to_owned(),
                        digest,
                        answer,
                        at: by.at,
                    })?;
                }
                Ok(true)
            })?;
            if taken {
                self.reload()?;
                return self.at_places(before..before + count);
            }
        }
        Err(Error::Crowded { path: self.path.clone(), attempts: ATTEMPTS })
    }

    /// The items that were asked and wait for their label, in draw order.
    pub fn waiting(&self) -> Result<Vec<Asked>> {
        let open = self.folded.fates.iter().enumerate().filter(|(_, fate)| **fate == Fate::Open);
        self.at_places(open.map(|(place, _)| place))
    }

    /// A proposal, if one is due or the draws made ahead do not reach so far.
    fn prepare(&self, ahead: usize, count: usize, at: i64) -> Result<Option<Prepared>> {
        let (labels, origin) = self.folded.origin(&self.path)?;
        let (draws, events) = (self.folded.rows.len(), self.file.known().events.len());
        let rows = self.folded.origins.len() as u64;
        let (moment, ahead) = if self.settings.due(*labels, self.folded.labels()) {
            // A proposal without a floor may have come to its end and counted on.
            let last = self.folded.rows.last().map_or(0, |row| row.draw.refresh);
            (Moment { row: rows, number: last.max(origin.number) + 1, draws, events, at }, 0)
        } else if ahead < count {
            let (draws, events) = (origin.draws, origin.events);
            (Moment { row: rows - 1, number: origin.number, draws, events, at }, ahead)
        } else {
            return Ok(None);
        };
        Ok(Some(with_task!(self.settings, T => self.further::<T>(moment, ahead, count))?))
    }

    fn further<T: StudyTask>(&self, moment: Moment, ahead: usize, count: usize) -> Result<Prepared> {
        prepare::further::<T>(&self.file, &self.settings, self.file.known(), moment, ahead, count)
    }

    /// Whether a proposal is one more than the file has.
    fn is_next(&self, prepared: &Prepared) -> bool {
        prepared.refresh.number == self.folded.origins.len() as u64
    }

    fn ids(&self, items: &[usize]) -> Result<Vec<String>> {
        match self.settings.columns.get(IDS) {
            Some(layout) => read_texts(&self.file, IDS, layout, items),
            None => Ok(items.iter().map(usize::to_string).collect()),
        }
    }

    /// What was answered to a request before.
    fn answered(&mut self, key: &str, digest: u64) -> Result<Option<std::ops::Range<usize>>> {
        let Some(before) = self.file.request(key)? else {
            return Ok(None);
        };
        if before.verb != "ask" || before.digest != digest {
            return Err(Error::KeyReused { key: key.to_owned(), verb: before.verb });
        }
        let (start, end): (usize, usize) =
            serde_json::from_str(&before.answer).map_err(|_| damaged(&self.path, "request", key))?;
        Ok(Some(start..end))
    }

    fn at_places(&self, places: impl Iterator<Item = usize>) -> Result<Vec<Asked>> {
        let draws = &self.file.known().draws;
        let mut asked: Vec<Asked> = places
            .filter_map(|place| Some((place, draws.get(place)?)))
            .map(|(place, draw)| Asked {
                place,
                id: draw.id.clone(),
                item: usize::try_from(draw.item).unwrap_or(usize::MAX),
                carried: Vec::new(),
            })
            .collect();
        let items: Vec<usize> = asked.iter().map(|asked| asked.item).collect();
        for name in &self.settings.pool.carried {
            let column = columns::carried(name);
            let layout =
                self.settings.columns.get(&column).ok_or_else(|| damaged(&self.path, "settings", &column))?;
            let texts = read_texts(&self.file, &column, layout, &items)?;
            asked.iter_mut().zip(texts).for_each(|(asked, text)| asked.carried.push((name.clone(), text)));
        }
        Ok(asked)
    }
}
