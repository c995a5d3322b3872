//! The average of probabilities as a table whose rows are computed as they are read. A pool of millions would need more memory
//! for it than for the predictions, and few readers want it twice.

use std::ops::Range;
use std::sync::Arc;

use super::octet::{Mix, MixRoom, Octet};
use super::{Recalibrated, Recalibration};
use crate::loss::Loss;
use crate::matrix::{Computed, Matrix, Reader, RowMaker, TakeEight};
use crate::numerics::{LANES, Lanes, TURNED, Turned};
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
        Box::new(Averaged { of: self, octet, room: MixRoom::default() })
    }
}

struct Averaged {
    of: Arc<Average>,
    octet: Octet,
    room: MixRoom,
}

impl Averaged {
    /// See [`RowMaker::eights`].
    fn each_eight(&mut self, items: Range<usize>, take: &mut TakeEight<'_>) -> bool {
        let Average { experts, predictions, loss, mix, .. } = &*self.of;
        let mut eights = Eights::new(experts, predictions, &mut self.octet);
        for start in items.clone().step_by(TURNED) {
            let run = start..items.end.min(start + TURNED);
            let count = run.len().div_ceil(LANES);
            eights.turn(&Items::Run(run));
            for eight in 0..count {
                let octet = eights.temper(eight);
                let octet = match (mix.needs_losses(), mix.needs_moments()) {
                    (false, _) => octet,
                    (true, false) => eights.take_losses(eight, &**loss),
                    (true, true) => eights.expect(eight, &**loss),
                };
                octet.average(mix, &mut self.room);
                let place = start - items.start + eight * LANES;
                if !take(place, eights.predictions.turned.eight(eight), &self.room.mixed) {
                    return false;
                }
            }
        }
        true
    }
}

impl RowMaker for Averaged {
    fn fill(&mut self, items: Range<usize>, values: &mut Vec<f64>) {
        let count = items.len();
        let mut take = |place: usize, _: &[Lanes], mixed: &[Lanes]| {
            for lane in 0..LANES.min(count - place) {
                values.extend(mixed.iter().filter_map(|lanes| lanes.get(lane)));
            }
            true
        };
        self.each_eight(items, &mut take);
    }

    fn eights(&mut self, predictions: &Matrix, items: Range<usize>, take: &mut TakeEight<'_>) -> bool {
        self.of.predictions.is(predictions) && self.each_eight(items, take)
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

/// A table that is read a few rows at a time.
struct Readable<'a> {
    reader: Reader<'a>,
    turned: Turned,
    room: Vec<f64>,
}

impl<'a> Readable<'a> {
    fn new(table: &'a Matrix) -> Self {
        Self { reader: table.reader(), turned: Turned::new(table.columns()), room: Vec::new() }
    }

    fn turn(&mut self, items: &Items<'_>) {
        match items {
            Items::Run(items) => self.reader.turn(items.clone(), &mut self.turned),
            Items::Some(items) => {
                self.room.clear();
                items.iter().for_each(|(item, _)| self.room.extend_from_slice(self.reader.row(*item)));
                self.turned.turn(&self.room);
            }
        }
    }
}

/// Reads items from every expert, and looks at eight of them at a time.
pub(super) struct Eights<'a> {
    /// `None` for the model's own predictions.
    experts: Vec<Option<Readable<'a>>>,
    predictions: Readable<'a>,
    octet: &'a mut Octet,
}

impl<'a> Eights<'a> {
    pub(super) fn new(experts: &'a [Matrix], predictions: &'a Matrix, octet: &'a mut Octet) -> Self {
        let expert = |rows: &'a Matrix| (!rows.is(predictions)).then(|| Readable::new(rows));
        let experts = experts.iter().map(expert).collect();
        Self { experts, predictions: Readable::new(predictions), octet }
    }

    /// Reads items.
    fn turn(&mut self, items: &Items<'_>) {
        self.experts.iter_mut().flatten().for_each(|expert| expert.turn(items));
        self.predictions.turn(items);
    }

    /// The probabilities of eight of the items that were read.
    fn temper(&mut self, eight: usize) -> &Octet {
        let own = &self.predictions;
        let experts = self.experts.iter().map(|expert| expert.as_ref().unwrap_or(own).turned.eight(eight));
        self.octet.temper(experts);
        self.octet
    }

    /// The same items with the losses of their classes.
    fn take_losses(&mut self, eight: usize, loss: &dyn Loss<Classification>) -> &Octet {
        self.octet.take_losses(loss, self.predictions.turned.eight(eight));
        self.octet
    }

    /// The same items with the moments of their losses.
    fn expect(&mut self, eight: usize, loss: &dyn Loss<Classification>) -> &Octet {
        self.octet.expect(loss, self.predictions.turned.eight(eight));
        self.octet
    }

    /// Up to eight items with the moments of another loss; their probabilities must have been read.
    pub(super) fn by(&mut self, own: &dyn Loss<Classification>, other: &dyn Loss<Classification>) -> &Octet {
        self.octet.expect_by(own, other, self.predictions.turned.eight(0));
        self.octet
    }

    /// The probabilities of up to eight items.
    pub(super) fn tempered(&mut self, items: &Items<'_>) -> &Octet {
        self.turn(items);
        self.temper(0)
    }

    /// Up to eight items with the moments of their losses.
    pub(super) fn read(&mut self, items: &Items<'_>, loss: &dyn Loss<Classification>) -> &Octet {
        self.tempered(items);
        self.expect(0, loss)
    }
}
