//! Rows side by side. A sum over the classes of one row is a chain of additions in which each waits for the last, but those
//! of eight rows go on at once, in the same order and so to the same bits.

#![allow(
    unsafe_code,
    reason = "calls of safe code that is compiled for wider registers, where they are there"
)]

use crate::loss::{ExpectedLosses, Moments};
use crate::matrix::Rows;

/// Rows that are worked on side by side: as many as the widest register holds.
pub(crate) const LANES: usize = 8;

/// One number per lane.
pub(crate) type Lanes = [f64; LANES];

/// What is expected of eight rows.
pub(crate) struct Eight {
    pub(crate) first: Lanes,
    pub(crate) second: Lanes,
    pub(crate) low: Lanes,
    pub(crate) high: Lanes,
}

/// A loss of class probabilities that works on eight rows at a time.
pub(crate) trait SideBySide {
    /// Of eight rows of predictions and of beliefs, by class. It has to be `#[inline(always)]`, to be compiled for each width.
    fn eight(&self, predictions: &[Lanes], beliefs: &[Lanes]) -> Eight;
}

/// Work on lanes, which is compiled once for each width of registers.
pub(crate) trait Wide {
    /// Does it. It has to be `#[inline(always)]`, and so does everything that it calls in a loop.
    fn run(self);
}

/// Does the work on registers as wide as there are. The same bits come out of each: sums keep their order, and products are
/// not fused.
#[inline]
pub(crate) fn widely(work: impl Wide) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has just said that it has AVX-512.
        return unsafe { run_avx512(work) };
    } else if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just said that it has AVX2.
        return unsafe { run_avx2(work) };
    }
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512(work: impl Wide) {
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2(work: impl Wide) {
    work.run();
}

/// Moments and bounds of a run of items.
pub(crate) fn expected_losses(
    loss: &impl SideBySide,
    predictions: Rows<'_>,
    beliefs: Rows<'_>,
    expected: &mut ExpectedLosses,
) {
    let classes = predictions.columns();
    let own = std::ptr::eq(predictions.values(), beliefs.values());
    let (mut given, mut believed) = (Turned::new(classes), Turned::new(classes));
    let mut place = 0;
    let runs = predictions.values().chunks(TURNED * classes).zip(beliefs.values().chunks(TURNED * classes));
    for (predictions, beliefs) in runs {
        given.turn(predictions);
        if !own {
            believed.turn(beliefs);
        }
        for (predictions, beliefs) in given.iter().zip(if own { &given } else { &believed }.iter()) {
            eight_at(loss, predictions, beliefs, place, expected);
            place += LANES;
        }
    }
}

/// Moments and bounds of eight items, or of as many as there is room for, from a place on.
#[inline]
pub(crate) fn eight_at(
    loss: &impl SideBySide,
    predictions: &[Lanes],
    beliefs: &[Lanes],
    place: usize,
    expected: &mut ExpectedLosses,
) {
    widely(Expecting { loss, predictions, beliefs, place, expected });
}

struct Expecting<'a, L> {
    loss: &'a L,
    predictions: &'a [Lanes],
    beliefs: &'a [Lanes],
    place: usize,
    expected: &'a mut ExpectedLosses,
}

impl<L: SideBySide> Wide for Expecting<'_, L> {
    #[inline(always)]
    fn run(self) {
        let Self { loss, predictions, beliefs, place, expected } = self;
        let Eight { first, second, low, high } = loss.eight(predictions, beliefs);
        put(&mut expected.first, place, &first);
        put(&mut expected.second, place, &second);
        put(&mut expected.low, place, &low);
        put(&mut expected.high, place, &high);
    }
}

/// The moments of one item, by the same code and so to the same bits.
pub(crate) fn moments(loss: &impl SideBySide, prediction: &[f64], belief: &[f64]) -> Moments {
    let (mut given, mut believed) = (Turned::new(prediction.len()), Turned::new(prediction.len()));
    given.turn(prediction);
    believed.turn(belief);
    let (Some(predictions), Some(beliefs)) = (given.iter().next(), believed.iter().next()) else {
        return Moments { first: f64::NAN, second: f64::NAN };
    };
    let Eight { first: [first, ..], second: [second, ..], .. } = loss.eight(predictions, beliefs);
    Moments { first, second }
}

/// Rows that are turned at a time. More than eight: a register that is read right after its lanes were written one by one has to
/// wait for them.
pub(crate) const TURNED: usize = 64;

/// Rows turned into columns, eight rows after eight rows.
pub(crate) struct Turned {
    classes: usize,
    /// One per class, and again for the next eight rows.
    columns: Vec<Lanes>,
}

impl Turned {
    pub(crate) fn new(classes: usize) -> Self {
        Self { classes: classes.max(1), columns: Vec::new() }
    }

    /// Takes these rows in place of those before. Lanes beyond the last row take the first of its eight once more.
    pub(crate) fn turn<V: Copy + Into<f64>>(&mut self, rows: &[V]) {
        let classes = self.classes;
        self.columns.resize(rows.len().div_ceil(LANES * classes) * classes, [0.0; LANES]);
        for (rows, columns) in rows.chunks(LANES * classes).zip(self.columns.chunks_exact_mut(classes)) {
            if let Some(rows) = lanes(rows, classes) {
                turn(rows, columns);
            }
        }
    }

    /// The columns of one group of eight rows; group 0 is the first.
    pub(crate) fn eight(&self, group: usize) -> &[Lanes] {
        self.columns.get(group * self.classes..(group + 1) * self.classes).unwrap_or_default()
    }

    /// The columns of each eight rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[Lanes]> {
        self.columns.chunks_exact(self.classes)
    }
}

#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "a kernel: every row has as many numbers as there are columns")]
fn turn<V: Copy + Into<f64>>(rows: [&[V]; LANES], columns: &mut [Lanes]) {
    for class in one_by_one(columns.len()) {
        columns[class] = rows.map(|row| row[class].into());
    }
}

/// The numbers below the count, hidden from the compiler: it would gather numbers of eight classes into a register, instead of
/// taking the eight lanes of one class.
#[inline(always)]
pub(crate) fn one_by_one(count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(std::hint::black_box)
}

/// One row per lane; lanes beyond the last row take the first once more. `None` if there is no row.
#[inline(always)]
fn lanes<V>(rows: &[V], classes: usize) -> Option<[&[V]; LANES]> {
    let first = rows.get(..classes)?;
    Some(std::array::from_fn(|lane| rows.get(lane * classes..(lane + 1) * classes).unwrap_or(first)))
}

/// As many of the lanes as the column has room for.
#[inline(always)]
fn put(column: &mut [f64], start: usize, lanes: &Lanes) {
    if let Some(places) = column.get_mut(start..start + LANES) {
        places.copy_from_slice(lanes);
    } else {
        let places = column.get_mut(start..).unwrap_or_default().iter_mut();
        places.zip(lanes).for_each(|(place, number)| *place = *number);
    }
}
