//! Items without a label that change what can be said: those that hold up later labels, and those that were skipped.

use crate::error::Result;
use crate::{Fate, Study};

/// Maximum number of ids that an answer names.
const NAMED: usize = 5;

/// Items that were drawn and have no label.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WithoutLabel {
    /// The first of them, by their ids.
    pub first: Vec<String>,
    /// Number of such items.
    pub items: usize,
    /// Number of labels that do not count because of them.
    pub held_up: usize,
}

impl Study {
    /// The items that hold up labels: they were drawn before some item that has its label. `None` if all labels count.
    pub fn holding_up(&self) -> Result<Option<WithoutLabel>> {
        let held_up = self.labels().saturating_sub(self.counting()?);
        if held_up == 0 {
            return Ok(None);
        }
        let labelled = |fate: &Fate| matches!(fate, Fate::Labelled(_));
        let last = self.fates()?.iter().rposition(labelled).unwrap_or(0);
        self.without_label(&Fate::Open, last, held_up).map(Some)
    }

    /// The items that were skipped; `None` if there are none.
    pub fn skipped(&self) -> Result<Option<WithoutLabel>> {
        if self.counts.skipped == 0 {
            return Ok(None);
        }
        self.without_label(&Fate::Skipped, usize::MAX, 0).map(Some)
    }

    /// The first `before` draws that have this fate.
    fn without_label(&self, wanted: &Fate, before: usize, held_up: usize) -> Result<WithoutLabel> {
        let record = self.record()?;
        let drawn = record.draws.iter().zip(&record.fates).take(before);
        let ids = || drawn.clone().filter(|(_, fate)| *fate == wanted).map(|(drawn, _)| drawn.id.clone());
        Ok(WithoutLabel { first: ids().take(NAMED).collect(), items: ids().count(), held_up })
    }
}
