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
    /// Of eight rows of predictions and of beliefs. It has to be `#[inline(always)]`, to be compiled for each width.
    fn eight(&self, predictions: [&[f64]; LANES], beliefs: [&[f64]; LANES], classes: usize) -> Eight;
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
    widely(Expecting { loss, predictions, beliefs, expected });
}

struct Expecting<'a, L> {
    loss: &'a L,
    predictions: Rows<'a>,
    beliefs: Rows<'a>,
    expected: &'a mut ExpectedLosses,
}

impl<L: SideBySide> Wide for Expecting<'_, L> {
    #[inline(always)]
    fn run(self) {
        run(self.loss, self.predictions, self.beliefs, self.expected);
    }
}

#[inline(always)]
fn run(loss: &impl SideBySide, predictions: Rows<'_>, beliefs: Rows<'_>, expected: &mut ExpectedLosses) {
    let classes = predictions.columns();
    let (predictions, beliefs) = (predictions.values(), beliefs.values());
    let blocks = predictions.chunks(LANES * classes).zip(beliefs.chunks(LANES * classes));
    for ((predictions, beliefs), start) in blocks.zip((0..).step_by(LANES)) {
        let (Some(predictions), Some(beliefs)) = (lanes(predictions, classes), lanes(beliefs, classes))
        else {
            return;
        };
        let Eight { first, second, low, high } = loss.eight(predictions, beliefs, classes);
        put(&mut expected.first, start, &first);
        put(&mut expected.second, start, &second);
        put(&mut expected.low, start, &low);
        put(&mut expected.high, start, &high);
    }
}

/// The moments of one item, by the same code and so to the same bits.
pub(crate) fn moments(loss: &impl SideBySide, prediction: &[f64], belief: &[f64]) -> Moments {
    let classes = prediction.len();
    let (Some(predictions), Some(beliefs)) = (lanes(prediction, classes), lanes(belief, classes)) else {
        return Moments { first: f64::NAN, second: f64::NAN };
    };
    let Eight { first: [first, ..], second: [second, ..], .. } = loss.eight(predictions, beliefs, classes);
    Moments { first, second }
}

/// One row per lane; lanes beyond the last row take the first once more. `None` if there is no row.
#[inline(always)]
pub(crate) fn lanes(rows: &[f64], classes: usize) -> Option<[&[f64]; LANES]> {
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
