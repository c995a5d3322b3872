//! Labels of several annotators. What is measured is the mean over annotators, so that the answers of those who happened to
//! be asked have a noise of their own.

use crate::loss::Bounds;

/// With fewer items that several annotators labelled, their noise is bounded and not estimated.
const ENOUGH_OVERLAP: usize = 10;

/// Items with the largest possible noise that are added to those that were seen.
const PSEUDO_ITEMS: f64 = 2.0;

/// The losses of one item by the labels of its annotators.
#[derive(Debug, Clone, PartialEq)]
pub struct PanelItem {
    /// Its weight in the estimate.
    pub weight: f64,
    /// One loss per annotator.
    pub losses: Vec<f64>,
}

/// The variance of the mean of a pool's losses that comes from the choice of annotators alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnnotatorNoise {
    /// The variance: (1/N) mean_i(σ_i²/r_i), for r_i annotators of item i and one annotator of all items without a label.
    pub variance: f64,
    /// Items with labels of several annotators.
    pub overlap: usize,
    /// Whether it is estimated from these items; otherwise it is an upper bound.
    pub estimated: bool,
}

impl AnnotatorNoise {
    /// The noise from labelled items. `None` if too few items have several labels and losses have no bounds.
    ///
    /// ```
    /// use labelwise::ledger::{AnnotatorNoise, PanelItem};
    /// use labelwise::loss::Bounds;
    /// let item = |losses: &[f64]| PanelItem { weight: 1.0, losses: losses.to_vec() };
    /// let alone: Vec<PanelItem> = (0..50).map(|i| item(&[f64::from(i % 2)])).collect();
    /// let bound = AnnotatorNoise::of(&alone, 1000, Some(Bounds { low: 0.0, high: 1.0 })).unwrap();
    /// assert_eq!((bound.variance, bound.estimated), (0.25 / 1000.0, false));
    /// ```
    #[allow(clippy::cast_precision_loss, reason = "items and annotators are counted in thousands")]
    pub fn of(items: &[PanelItem], pool_size: usize, range: Option<Bounds>) -> Option<Self> {
        let n = pool_size as f64;
        let mean = |item: &PanelItem| item.losses.iter().sum::<f64>() / item.losses.len().max(1) as f64;
        let total: f64 = items.iter().map(|item| item.weight).sum();
        let level =
            items.iter().map(|item| item.weight * mean(item)).sum::<f64>() / total.max(f64::MIN_POSITIVE);
        let most = range.map(|Bounds { low, high }| ((level - low) * (high - level)).max(0.0));
        let several = || items.iter().filter(|item| item.losses.len() > 1);
        let overlap = several().count();
        let share = items.iter().map(|item| 1.0 - 1.0 / item.losses.len().max(1) as f64).sum::<f64>() / n;
        let estimated = overlap >= ENOUGH_OVERLAP;
        let each = if estimated {
            let weights: f64 = several().map(|item| item.weight).sum();
            let seen = several().map(|item| item.weight * spread(&item.losses)).sum::<f64>()
                / weights.max(f64::MIN_POSITIVE);
            let count = overlap as f64;
            most.map_or(seen, |most| (count * seen + PSEUDO_ITEMS * most) / (count + PSEUDO_ITEMS))
        } else {
            most?
        };
        Some(Self { variance: each * (1.0 - share).max(0.0) / n, overlap, estimated })
    }
}

/// The variance of an item's annotators, of whom its labels are a sample.
#[allow(clippy::cast_precision_loss, reason = "annotators are few")]
fn spread(losses: &[f64]) -> f64 {
    let count = losses.len() as f64;
    let mean = losses.iter().sum::<f64>() / count;
    losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / (count - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(losses: &[f64]) -> PanelItem {
        PanelItem { weight: 1.0, losses: losses.to_vec() }
    }

    /// Every way in which two of three annotators (with repetition) can be asked about each of three items.
    #[test]
    fn the_noise_is_that_of_every_choice_of_annotators() {
        let answers = [[0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.25, 1.0]];
        let truth: f64 = answers.iter().flatten().sum::<f64>() / 9.0;
        let (mut squares, mut expected) = (0.0, 0.0);
        for choice in 0..729_usize {
            let pairs = [choice % 9, choice / 9 % 9, choice / 81];
            let asked = answers.iter().zip(pairs).map(|(row, pair)| [row[pair % 3], row[pair / 3]]);
            let asked: Vec<[f64; 2]> = asked.collect();
            let mean = asked.iter().flatten().sum::<f64>() / 6.0;
            squares += (mean - truth).powi(2) / 729.0;
            expected += asked.iter().map(|pair| spread(pair) / 2.0).sum::<f64>() / 9.0 / 729.0;
        }
        assert!((squares - expected).abs() < 1e-12, "{squares} {expected}");
    }

    #[test]
    fn overlap_replaces_the_bound() {
        let range = Some(Bounds { low: 0.0, high: 1.0 });
        let mut items: Vec<PanelItem> = (0..40).map(|i| item(&[f64::from(i % 2)])).collect();
        let bound = AnnotatorNoise::of(&items, 400, range).unwrap();
        assert!(!bound.estimated && (bound.variance - 0.25 / 400.0).abs() < 1e-15);
        items.extend((0..10).map(|i| item(&[f64::from(i % 2), f64::from(i % 2)])));
        let estimated = AnnotatorNoise::of(&items, 400, range).unwrap();
        assert!(estimated.estimated && estimated.overlap == 10);
        // 10 items that agree, and 2 that could not differ more.
        let share = 1.0 - 10.0 * 0.5 / 400.0;
        assert!((estimated.variance - 0.25 * 2.0 / 12.0 * share / 400.0).abs() < 1e-15);
        assert_eq!(AnnotatorNoise::of(&items[..40], 400, None), None);
        // Two answers that always differ have the variance of a fair coin.
        let split: Vec<PanelItem> = (0..100).map(|_| item(&[0.0, 1.0])).collect();
        let noise = AnnotatorNoise::of(&split, 1_000_000, None).unwrap();
        assert!((noise.variance * 1e6 - 0.5).abs() < 1e-3, "{}", noise.variance);
    }
}
