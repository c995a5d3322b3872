//! What the labels say with certainty of a metric on a fixed pool: every item without a label has one of the labels there
//! are, and the metric lies between its smallest and its largest value over all of them.

use super::confusion::{Ratio, Totals};
use super::{ClassMetric, Judged};
use crate::loss::{Bounds, Sign};

/// Mass without a label, in addition to the points of a pool or slice.
#[derive(Debug, Clone, PartialEq)]
pub struct Unlabelled {
    /// All of it.
    pub mass: f64,
    /// By the class it is predicted as, where that is known; items of classes that are not listed make up the rest.
    pub predicted: Option<Vec<f64>>,
    /// The same of the second model, for differences.
    pub other: Option<Vec<f64>>,
}

/// Bounds of a mean, given those of the losses without a label.
pub(super) fn of_mean(
    losses: impl Iterator<Item = (f64, f64)>,
    unlabelled: &Unlabelled,
    sign: Sign,
    range: Option<Bounds>,
) -> Option<Bounds> {
    let none = match sign {
        Sign::NonNegative => Bounds { low: 0.0, high: f64::INFINITY },
        Sign::Signed => Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY },
    };
    let Bounds { low, high } = range.unwrap_or(none);
    let (sum, mass) =
        losses.fold((0.0, 0.0), |(sum, mass), (loss, weight)| (sum + weight * loss, mass + weight));
    let (free, all) = (unlabelled.mass, mass + unlabelled.mass);
    let with = |bound: f64| if free > 0.0 { (sum + bound * free) / all } else { sum / all };
    (all > 0.0).then(|| Bounds { low: with(low), high: with(high) })
}

/// Bounds of a metric of the confusion matrix. Those of a macro average are averages over the classes: valid, and not
/// sharp, since one item cannot have the worst label of every class.
pub(super) fn of_classes(
    metric: ClassMetric,
    points: &[(&Judged, f64)],
    unlabelled: &Unlabelled,
) -> Option<Bounds> {
    let free = unlabelled.predicted.as_deref()?;
    let (ratio, classes) = metric.ratio()?;
    let totals = Totals::of_points(metric.classes(), points);
    let count = classes.len() as f64;
    let each = classes.map(|class| of_class(ratio, class, &totals, free, unlabelled.mass));
    let sum = each.fold((0.0, 0.0), |(low, high), bounds| (low + bounds.low, high + bounds.high));
    (count > 0.0).then(|| Bounds { low: sum.0 / count, high: sum.1 / count })
}

/// right / (x·predicted + y·labelled) grows with every item of the class that is predicted as it, and shrinks with every
/// one that is not: the bounds have all unlabelled items predicted as it wrong and all others of it, or the reverse.
fn of_class(ratio: Ratio, class: usize, totals: &Totals, free: &[f64], all_free: f64) -> Bounds {
    let (predicted, labelled, right) = totals.class(class);
    let (x, y) = ratio.parts();
    let own = free.get(class).copied().unwrap_or(0.0);
    let other = (all_free - own).max(0.0);
    let predicted = x * (predicted + own);
    let share = |right: f64, labelled: f64, nothing: f64| {
        let below = predicted + y * labelled;
        if below > 0.0 { right / below } else { nothing }
    };
    Bounds { low: share(right, labelled + other, 0.0), high: share(right + own, labelled + own, 1.0) }
}
