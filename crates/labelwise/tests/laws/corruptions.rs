//! Eq. (4) planted with mistakes: each must break at least two laws, or the laws do not watch it.

use labelwise::conformance::every_path;
use labelwise::estimator::lure_weight;

use crate::pools::mean;

const LOSSES: [f64; 5] = [0.4, 2.5, 0.2, 1.0, 0.7];

/// v(m, M, N, q).
type Weight = fn(f64, f64, f64, f64) -> f64;

fn estimate(weight: Weight, draws: &[(usize, f64)]) -> f64 {
    let budget = draws.len() as f64;
    let weighted =
        draws.iter().zip(1..).map(|(&(item, q), m)| weight(f64::from(m), budget, 5.0, q) * LOSSES[item]);
    weighted.sum::<f64>() / budget
}

/// Which of the laws a weight breaks.
fn broken(weight: Weight) -> Vec<&'static str> {
    let off = |a: f64, b: f64| (a - b).abs() > 1e-10 || a.is_nan();
    let risk = mean(&LOSSES);
    let adaptive =
        |past: &[(usize, f64)]| (0..5).map(|i| 0.2 + ((past.len() * 3 + i) as f64).sin().powi(2)).collect();
    let mut laws = Vec::new();
    let biased = (1..5).any(|budget| {
        let paths = every_path(5, budget, adaptive);
        off(paths.iter().map(|path| path.probability * estimate(weight, &path.draws)).sum(), risk)
    });
    if biased {
        laws.push("no bias");
    }
    let inexact = |path: &labelwise::conformance::Path| off(estimate(weight, &path.draws), risk);
    if (1..5).any(|budget| every_path(5, budget, |_| LOSSES.to_vec()).iter().any(inexact)) {
        laws.push("exact with the true loss");
    }
    let not_plain = |path: &labelwise::conformance::Path| {
        let plain = mean(&path.draws.iter().map(|(item, _)| LOSSES[*item]).collect::<Vec<_>>());
        off(estimate(weight, &path.draws), plain)
    };
    if (1..5).any(|budget| every_path(5, budget, |_| vec![1.0; 5]).iter().any(not_plain)) {
        laws.push("plain mean when uniform");
    }
    if every_path(5, 5, adaptive).iter().any(inexact) {
        laws.push("pool mean at the end");
    }
    laws
}

#[test]
fn the_equation_breaks_no_law() {
    let right: Weight = |m, budget, n, q| lure_weight(m as usize, budget as usize, n as usize, q);
    assert_eq!(broken(right), Vec::<&str>::new());
}

#[test]
fn every_corruption_breaks_two() {
    let corruptions: [(&str, Weight); 8] = [
        ("m counts from 0", |m, b, n, q| 1.0 + (n - b) / (n - m + 1.0) * (1.0 / ((n - m + 2.0) * q) - 1.0)),
        ("N − m in place of N − m + 1", |m, b, n, q| {
            1.0 + (n - b) / (n - m) * (1.0 / ((n - m) * q) - 1.0)
        }),
        ("N in place of N − m + 1", |m, b, n, q| 1.0 + (n - b) / (n - m) * (1.0 / (n * q) - 1.0)),
        ("N in place of N − m", |m, b, n, q| 1.0 + (n - b) / n * (1.0 / ((n - m + 1.0) * q) - 1.0)),
        ("M − m in place of N − M", |m, b, n, q| {
            1.0 + (b - m) / (n - m) * (1.0 / ((n - m + 1.0) * q) - 1.0)
        }),
        ("q not inverted", |m, b, n, q| 1.0 + (n - b) / (n - m) * ((n - m + 1.0) * q - 1.0)),
        ("a sign", |m, b, n, q| 1.0 - (n - b) / (n - m) * (1.0 / ((n - m + 1.0) * q) - 1.0)),
        ("importance weights only", |_, _, n, q| 1.0 / (n * q)),
    ];
    for (name, weight) in corruptions {
        let laws = broken(weight);
        assert!(laws.len() >= 2, "{name} breaks only {laws:?}");
    }
}
