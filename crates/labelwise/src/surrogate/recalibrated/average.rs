//! The average of probabilities as a table whose rows are computed as they are read. A pool of millions would need more memory
//! for it than for the predictions, and few readers want it twice.

use std::ops::Range;
use std::sync::Arc;

use super::octet::{Mix, Octet};
use super::{Recalibrated, Recalibration};
use crate::loss::Loss;
use crate::matrix::{Computed, Matrix, Reader, RowMaker};
use crate::numerics::{LANES, Lanes};
use crate::pool::Pool;
use crate::task::Classification;

/// Σ_k w_k π_k(y | x) for every item.
struct Average {
    experts: Vec<Matrix>,
    predictions: Matrix,
    loss: Arc<dyn Loss<Classification>>,
    recalibration: Recalibration,
    mix: Mix,
}

impl Recalibrated {
    /// The average with these weights of the components.
    pub(super) fn average(&self, pool: &Pool<Classification>, weights: &[f64]) -> Matrix {
        let source = Average {
            experts: self.experts.clone(),
            predictions: pool.predictions().clone(),
            loss: Arc::clone(&self.loss),
            recalibration: self.recalibration.clone(),
            mix: Mix::new(&self.recalibration.components, weights),
        };
        Matrix::computed(Arc::new(source), pool.pool_size(), pool.model_columns())
    }
}

impl Computed for Average {
    fn maker(self: Arc<Self>) -> Box<dyn RowMaker> {
        let octet = self.recalibration.octet();
        Box::new(Averaged { of: self, octet, room: Vec::new() })
    }
}

struct Averaged {
    of: Arc<Average>,
    octet: Octet,
    room: Vec<Lanes>,
}

impl RowMaker for Averaged {
    fn fill(&mut self, items: Range<usize>, values: &mut Vec<f64>) {
        let Average { experts, predictions, loss, mix, .. } = &*self.of;
        let mut eights = Eights::new(experts, predictions, &mut self.octet);
        let mut start = items.start;
        while start < items.end {
            let end = items.end.min(start + LANES);
            let (count, some) = (end - start, &Items::Run(start..end));
            start = end;
            let octet = match (mix.needs_losses(), mix.needs_moments()) {
                (false, _) => eights.tempered(some),
                (true, false) => eights.with_losses(some, &**loss),
                (true, true) => eights.read(some, &**loss),
            };
            octet.average(mix, count, &mut self.room, values);
        }
    }
}

/// Up to eight items.
#[derive(Debug, Clone)]
pub(super) enum Items<'a> {
    /// One after the other.
    Run(Range<usize>),
    /// Here and there, with the number of items that each stands for.
    Some(&'a [(usize, f64)]),
}

impl Items<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Run(items) => items.len(),
            Self::Some(items) => items.len(),
        }
    }
}

/// The rows of items in a table; those here and there are copied into `room`.
fn rows<'a>(reader: &'a mut Reader<'_>, items: &Items<'_>, room: &'a mut Vec<f64>) -> &'a [f64] {
    match items {
        Items::Run(items) => reader.rows(items.clone()).values(),
        Items::Some(items) => {
            room.clear();
            items.iter().for_each(|(item, _)| room.extend_from_slice(reader.row(*item)));
            room
        }
    }
}

/// Reads up to eight items at a time from every expert.
pub(super) struct Eights<'a> {
    /// Each with room for rows.
    experts: Vec<(Reader<'a>, Vec<f64>)>,
    predictions: (Reader<'a>, Vec<f64>),
    octet: &'a mut Octet,
}

impl<'a> Eights<'a> {
    pub(super) fn new(experts: &'a [Matrix], predictions: &'a Matrix, octet: &'a mut Octet) -> Self {
        let with_room = |rows: &'a Matrix| (rows.reader(), Vec::new());
        Self { experts: experts.iter().map(with_room).collect(), predictions: with_room(predictions), octet }
    }

    /// The items with the moments of another loss; their probabilities must have been read.
    pub(super) fn by(
        &mut self,
        items: &Items<'_>,
        own: &dyn Loss<Classification>,
        other: &dyn Loss<Classification>,
    ) -> &Octet {
        let (reader, room) = &mut self.predictions;
        self.octet.expect_by(own, other, rows(reader, items, room));
        self.octet
    }

    /// The probabilities of the items.
    pub(super) fn tempered(&mut self, items: &Items<'_>) -> &Octet {
        self.octet.temper(self.experts.iter_mut().map(|(reader, room)| rows(reader, items, room)));
        self.octet
    }

    /// The items with the losses of their classes.
    fn with_losses(&mut self, items: &Items<'_>, loss: &dyn Loss<Classification>) -> &Octet {
        self.tempered(items);
        let (reader, room) = &mut self.predictions;
        self.octet.take_losses(loss, rows(reader, items, room));
        self.octet
    }

    /// The items with the moments of their losses.
    pub(super) fn read(&mut self, items: &Items<'_>, loss: &dyn Loss<Classification>) -> &Octet {
        self.tempered(items);
        let (reader, room) = &mut self.predictions;
        self.octet.expect(loss, rows(reader, items, room));
        self.octet
    }
}
