//! An influence is the derivative of the metric by the mass at an item.

use labelwise::metric::{Gap, Measure};

use crate::reference::{borrowed, judged, metric, of_values, valued, values};

/// Central differences are good to about the square of the step, and to the rounding over the step.
pub(crate) fn check<P>(measure: &dyn Measure<P>, points: &[(P, f64)], what: &str) {
    let found = measure.linearised(&borrowed(points)).unwrap();
    let balance: f64 = found.influence.iter().zip(points).map(|(u, (_, w))| u * w).sum();
    assert!(balance.abs() < 1e-10, "{what}: the influences sum to {balance}");
    let step = 1e-5;
    let at = |item: usize, by: f64| {
        let mut moved = borrowed(points);
        moved[item].1 += by;
        measure.linearised(&moved).unwrap().value
    };
    let mut largest = 0.0_f64;
    for item in (0..points.len()).step_by(3) {
        let slope = (at(item, step) - at(item, -step)) / (2.0 * step);
        let error = (slope - found.influence[item]).abs();
        assert!(error < 1e-7, "{what}: at item {item} {} and not {slope}", found.influence[item]);
        largest = largest.max(slope.abs());
    }
    assert!(largest > 1e-4, "{what}: nothing moves it");
}

#[test]
fn of_classes() {
    for (pool, classes) in [("even", 2), ("rare", 2), ("four", 4)] {
        let points = judged(pool);
        for (name, _) in values(pool) {
            if let Some(metric) = metric(name, classes) {
                check(&*metric, &points, &format!("{name} of {pool}"));
            }
        }
        check(&Gap, &points, pool);
    }
}

#[test]
fn of_numbers() {
    for pool in ["good", "useless"] {
        for (name, _) in values(pool) {
            check(&of_values(name), &valued(pool), &format!("{name} of {pool}"));
        }
    }
}
