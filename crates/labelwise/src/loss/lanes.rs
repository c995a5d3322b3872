//! Rows side by side. A sum over the classes of one row is a chain of additions in which each waits for the last, but those
//! of eight rows go on at once, in the same order and so to the same bits.

use super::Outlook;
use crate::matrix::Rows;

/// Rows that are worked on side by side: as many as the widest register holds.
pub(super) const LANES: usize = 8;

/// One row a lane; lanes beyond the last row take the first once more. `None` if there is no row.
#[inline(always)]
pub(super) fn lanes(rows: &[f64], classes: usize) -> Option<[&[f64]; LANES]> {
    let first = rows.get(..classes)?;
    Some(std::array::from_fn(|lane| rows.get(lane * classes..(lane + 1) * classes).unwrap_or(first)))
}

/// Works on eight rows of predictions and beliefs at a time.
#[inline(always)]
pub(super) fn by_lanes(
    predictions: Rows<'_>,
    beliefs: Rows<'_>,
    outlooks: &mut [Outlook],
    work: impl Fn([&[f64]; LANES], [&[f64]; LANES], &mut [Outlook]),
) {
    let classes = predictions.columns();
    let (predictions, beliefs) = (predictions.values(), beliefs.values());
    let blocks = predictions.chunks(LANES * classes).zip(beliefs.chunks(LANES * classes));
    for ((predictions, beliefs), outlooks) in blocks.zip(outlooks.chunks_mut(LANES)) {
        if let (Some(predictions), Some(beliefs)) = (lanes(predictions, classes), lanes(beliefs, classes)) {
            work(predictions, beliefs, outlooks);
        }
    }
}
