//! What happened to an evaluation, event by event: enough to have it again.

use super::Evaluation;
use crate::error::{Error, Result};
use crate::task::Task;

/// An event of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<T: Task> {
    /// An item was drawn.
    Asked {
        /// The item.
        index: usize,
        /// The probability of the draw.
        q: f64,
    },
    /// A label was told.
    Told {
        /// The item.
        index: usize,
        /// Its label.
        label: T::Label,
    },
    /// A label was corrected.
    Amended {
        /// The item.
        index: usize,
        /// Its label from now on.
        label: T::Label,
    },
    /// A label was given up.
    Skipped {
        /// The item.
        index: usize,
    },
    /// A label was declared missing at random.
    MissingAtRandom {
        /// The item.
        index: usize,
    },
}

impl<T: Task> Evaluation<T> {
    /// Makes an event of a journal happen again. `place` is where it stands, for the error.
    pub(super) fn apply(&mut self, place: usize, event: &Event<T>) -> Result<()> {
        match *event {
            Event::Asked { index, q } => {
                let draw = self.ask()?;
                if draw.index != index || draw.q.to_bits() != q.to_bits() {
                    let (recorded, recorded_q) = (index, q);
                    let (drawn, drawn_q) = (draw.index, draw.q);
                    return Err(Error::Diverged { event: place, recorded, recorded_q, drawn, drawn_q });
                }
                Ok(())
            }
            Event::Told { index, label } => self.tell(index, label).map(|_| ()),
            Event::Amended { index, label } => self.amend(index, label),
            Event::Skipped { index } => self.skip(index),
            Event::MissingAtRandom { index } => self.missing_at_random(index),
        }
    }
}
