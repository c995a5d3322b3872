//! What the owner decides before labelling starts.

use std::time::Duration;

use labelwise::words::{did_you_mean, listed};
use labelwise_study::Study;

use crate::error::Error;
use crate::show::Pair;

/// How items are given out.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Rules {
    /// Number of items that are drawn for one person at a time.
    pub batch: usize,
    /// Number of people who label each item. The first label counts; the others are second opinions.
    pub overlap: usize,
    /// Number of items to ask in all; `None` for the goal that was set last, until it is reached, the items that wait, or
    /// 200 more.
    pub goal: Option<usize>,
    /// How long an item is lent to one person.
    pub lease: Duration,
    /// The question above the answers; `None` for one that fits the labels.
    pub question: Option<String>,
    /// Columns to show, in this order; empty for all.
    pub show: Vec<String>,
    /// Columns to show folded.
    pub fold: Vec<String>,
    /// Two columns to show side by side.
    pub pair: Option<(String, String)>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            batch: 5,
            overlap: 1,
            goal: None,
            lease: Duration::from_secs(600),
            question: None,
            show: Vec::new(),
            fold: Vec::new(),
            pair: None,
        }
    }
}

/// Number of items that are asked for if nobody says how many.
const USUAL_GOAL: usize = 200;

impl Rules {
    /// Refuses columns that the evaluation does not have.
    pub(crate) fn check(&self, study: &Study) -> Result<(), Error> {
        let known = &study.settings().pool.carried;
        let pair = self.pair.iter().flat_map(|(one, other)| [one, other]);
        for column in self.show.iter().chain(&self.fold).chain(pair) {
            if !known.contains(column) {
                let near = did_you_mean(column, known.iter().map(String::as_str));
                let known = if known.is_empty() { "none".to_owned() } else { listed(known) };
                return Err(Error::NoColumn { column: column.clone(), known, near });
            }
        }
        match &self.pair {
            Some((one, other)) if one == other => Err(Error::PairSame { column: one.clone() }),
            _ => Ok(()),
        }
    }

    /// The number of items to ask in all.
    pub(crate) fn goal(&self, study: &Study) -> Result<usize, Error> {
        let counts = study.counts();
        let most = study.asked() + study.left();
        let usual = match counts.waiting {
            0 => study.asked() + USUAL_GOAL,
            _ => study.asked(),
        };
        let answered = counts.draws.saturating_sub(counts.waiting);
        let before = study.goal()?.filter(|goal| *goal > answered).map(|goal| goal.max(study.asked()));
        let design = study.settings().design.budget();
        Ok(self.goal.or(design).or(before).unwrap_or(usual).min(most))
    }

    /// The two sides of a comparison, and the classes that name them.
    pub(crate) fn pair(&self, study: &Study) -> Result<Option<Pair>, Error> {
        let Some((one, other)) = &self.pair else { return Ok(None) };
        let found = Pair::of(study, one, other)?;
        let classes = || study.classes_to_choose().ok().flatten().unwrap_or_default();
        found.map(Some).ok_or_else(|| Error::PairClasses { classes: listed(&classes()) })
    }
}
