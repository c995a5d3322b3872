//! The area under the ROC curve: the probability that a positive has the larger score, ties counted half. Its influence
//! at an item is where the item's score stands among those of the other side: its placement value.

use super::{Judged, Linearised, Undefined};

/// Where every score stands, weighted.
struct Placements {
    /// The area.
    area: f64,
    /// For each item the share of the negatives below it.
    above_negatives: Vec<f64>,
    /// For each item the share of the positives above it.
    below_positives: Vec<f64>,
    positives: f64,
    negatives: f64,
}

/// Placements of items with a score and a mass on each side; `None` unless both sides have mass.
fn placements(scores: &[f64], sides: &[(f64, f64)]) -> Option<Placements> {
    let sum = |of: fn(&(f64, f64)) -> f64| sides.iter().map(of).sum::<f64>();
    let (positives, negatives) = (sum(|side| side.0), sum(|side| side.1));
    if !(positives > 0.0 && negatives > 0.0) {
        return None;
    }
    let mut order: Vec<usize> = (0..scores.len().min(sides.len())).collect();
    let score = |item: usize| scores.get(item).copied().unwrap_or(f64::NAN);
    order.sort_unstable_by(|&one, &other| score(one).total_cmp(&score(other)));
    let mut above_negatives = vec![0.0; scores.len()];
    let mut below_positives = vec![0.0; scores.len()];
    let (mut area, mut below) = (0.0, (0.0, 0.0));
    for tied in order.chunk_by(|&one, &other| score(one) == score(other)) {
        let side = |item: &usize| sides.get(*item).copied().unwrap_or_default();
        let here = tied.iter().map(side).fold((0.0, 0.0), |sum, side| (sum.0 + side.0, sum.1 + side.1));
        let above_negative = (below.1 + 0.5 * here.1) / negatives;
        let below_positive = 1.0 - (below.0 + 0.5 * here.0) / positives;
        for &item in tied {
            if let (Some(above), Some(under)) = (above_negatives.get_mut(item), below_positives.get_mut(item))
            {
                (*above, *under) = (above_negative, below_positive);
            }
        }
        area += here.0 * above_negative / positives;
        below = (below.0 + here.0, below.1 + here.1);
    }
    Some(Placements { area, above_negatives, below_positives, positives, negatives })
}

pub(super) fn linearised(class: usize, points: &[(&Judged, f64)]) -> Result<Linearised, Undefined> {
    let scores: Option<Vec<f64>> =
        points.iter().map(|(point, _)| point.probabilities.get(class).copied()).collect();
    let scores = scores.ok_or(Undefined::NoProbabilities)?;
    let side = |(point, weight): &(&Judged, f64)| {
        if point.label == class { (*weight, 0.0) } else { (0.0, *weight) }
    };
    let sides: Vec<(f64, f64)> = points.iter().map(side).collect();
    let Some(found) = placements(&scores, &sides) else {
        return Err(if points.is_empty() {
            Undefined::NoLabels
        } else if points.iter().any(|(point, _)| point.label == class) {
            Undefined::OneClassLabelled { class }
        } else {
            Undefined::NeverLabelled { class, others: 0 }
        });
    };
    let placed = points.iter().zip(found.above_negatives.iter().zip(&found.below_positives));
    let influence = placed.map(|((point, _), (above, under))| {
        if point.label == class {
            (above - found.area) / found.positives
        } else {
            (under - found.area) / found.negatives
        }
    });
    let influence = influence.collect();
    let support = found.positives.min(found.negatives) / (found.positives + found.negatives);
    let own = points.iter().filter(|(point, _)| point.label == class).count();
    let relevant = own.min(points.len() - own);
    Ok(Linearised { value: found.area, influence, support, relevant })
}
