//! The moment of a proposal.

use labelwise::ledger::Draw;

use crate::journal::record::Origin;

/// The moment of a proposal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefreshPoint {
    /// Its row among the refreshes.
    pub(crate) row: usize,
    /// The counter passed to `Seed::stream`. It can exceed the row: a proposal that runs out of positive weights uses an
    /// extra counter.
    pub(crate) number: u64,
    /// Number of draws before it.
    pub(crate) draws: usize,
    /// Number of events before it.
    pub(crate) events: usize,
}

impl RefreshPoint {
    /// Before the first draw.
    pub(crate) const FIRST: Self = Self { row: 0, number: 0, draws: 0, events: 0 };

    /// The counter of the next proposal.
    pub(crate) fn next_number(self, drawn: Option<&Draw>) -> u64 {
        // A proposal that ran out of positive weights used a counter of its own.
        drawn.map_or(0, |draw| draw.refresh).max(self.number) + 1
    }

    /// The moment of a recorded refresh.
    pub(crate) fn of(row: usize, origin: &Origin) -> Self {
        Self { row, number: origin.number, draws: origin.draws, events: origin.events }
    }
}
