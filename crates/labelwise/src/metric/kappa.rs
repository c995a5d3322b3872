//! Agreement beyond chance. The chance disagreement of two raters comes from their own frequencies; quadratic weights count
//! a disagreement by the squared distance of the classes.

use super::confusion::{Slope, Totals};
use super::{Judged, Linearised, Undefined};

/// Cohen's κ = (p_o − p_e)/(1 − p_e): its value, and its change with the mass at an item.
pub(super) fn cohen(totals: &Totals) -> Result<Slope, Undefined> {
    let (all, predicted, labelled, right) = totals.parts();
    let product: f64 = predicted.iter().zip(labelled).map(|(p, t)| p * t).sum();
    let (observed, chance) = (right.iter().sum::<f64>() / all, product / (all * all));
    check(totals, 1.0 - chance)?;
    let mut slope = Slope::new(predicted.len());
    slope.value = (observed - chance) / (1.0 - chance);
    let pull = (1.0 - observed) / (1.0 - chance).powi(2);
    slope.constant = (2.0 * pull * chance - observed / (1.0 - chance)) / all;
    slope.support = 1.0 - chance;
    let classes = slope.of_predicted.iter_mut().zip(&mut slope.of_label).zip(predicted.iter().zip(labelled));
    for ((of_predicted, of_label), (p, t)) in classes {
        *of_predicted = -pull * t / (all * all);
        *of_label = -pull * p / (all * all);
    }
    slope.of_right.iter_mut().for_each(|of_right| *of_right = 1.0 / (all * (1.0 - chance)));
    Ok(slope)
}

/// Undefined where both raters always say the same class.
fn check(totals: &Totals, chance_disagreement: f64) -> Result<(), Undefined> {
    if chance_disagreement > 1e-12 {
        return Ok(());
    }
    let (all, _, labelled, _) = totals.parts();
    let class = labelled.iter().position(|mass| *mass >= all * (1.0 - 1e-9)).unwrap_or(0);
    Err(Undefined::OneClassLabelled { class })
}

/// κ with quadratic weights: 1 − Σ (a − b)² observed / Σ (a − b)² by chance.
#[allow(clippy::cast_precision_loss, reason = "classes are few")]
pub(super) fn quadratic(classes: usize, points: &[(&Judged, f64)]) -> Result<Linearised, Undefined> {
    let totals = Totals::of_points(classes, points);
    let (all, predicted, labelled, _) = totals.parts();
    if all <= 0.0 {
        return Err(Undefined::NoLabels);
    }
    let distance = |a: usize, b: usize| (a as f64 - b as f64).powi(2);
    // Mean distance of a class from the labels, and from the predictions.
    let from = |class: usize, masses: &[f64]| -> f64 {
        masses.iter().enumerate().map(|(other, mass)| mass * distance(class, other)).sum::<f64>() / all
    };
    let from_labels: Vec<f64> = (0..predicted.len()).map(|class| from(class, labelled)).collect();
    let from_predictions: Vec<f64> = (0..labelled.len()).map(|class| from(class, predicted)).collect();
    let chance = predicted.iter().zip(&from_labels).map(|(mass, far)| mass * far).sum::<f64>() / all;
    check(&totals, chance)?;
    let observed: f64 =
        points.iter().map(|(point, weight)| weight * distance(point.predicted, point.label)).sum::<f64>()
            / all;
    let of = |far: &[f64], class: usize| far.get(class).copied().unwrap_or(0.0);
    let influence = points.iter().map(|(point, _)| {
        let own = distance(point.predicted, point.label) - observed;
        let by_chance = of(&from_labels, point.predicted) + of(&from_predictions, point.label) - 2.0 * chance;
        (observed / (chance * chance) * by_chance - own / chance) / all
    });
    let influence = influence.collect();
    let relevant = points.len() - (0..classes).map(|class| at(points, class)).max().unwrap_or(0);
    let far = (classes.max(2) as f64 - 1.0).powi(2);
    Ok(Linearised { value: 1.0 - observed / chance, influence, support: (chance / far).min(1.0), relevant })
}

fn at(points: &[(&Judged, f64)], class: usize) -> usize {
    points.iter().filter(|(point, _)| point.label == class).count()
}
