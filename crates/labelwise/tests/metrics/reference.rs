//! The numbers of scikit-learn (`scripts/make_metric_fixtures.py`), of items with weights.

use labelwise::loss::{Decision, Misjudged, ZeroOne};
use labelwise::metric::{ClassMetric, Gap, Judged, MeanLoss, Measure, ValueMetric, Valued};
use labelwise::task::Gaussian;

fn rows(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = file.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').collect())
}

fn number(field: &str) -> f64 {
    field.parse().unwrap()
}

/// Items of a pool of classes with their weights.
pub(crate) fn judged(pool: &str) -> Vec<(Judged, f64)> {
    let rows = rows(include_str!("../fixtures/metric_classes.csv")).filter(|row| row[0] == pool);
    let points = rows.map(|row| {
        let probabilities = row[3..].iter().map(|field| number(field)).collect();
        (Judged::new(probabilities, row[2].parse().unwrap()).unwrap(), number(row[1]))
    });
    points.collect()
}

/// Items of a pool of numbers with their weights.
pub(crate) fn valued(pool: &str) -> Vec<(Valued, f64)> {
    let rows = rows(include_str!("../fixtures/metric_numbers.csv")).filter(|row| row[0] == pool);
    let points = rows.map(|row| {
        let prediction = Gaussian { mean: number(row[3]), variance: 0.0 };
        (Valued { prediction, label: number(row[2]) }, number(row[1]))
    });
    points.collect()
}

/// Every metric of a pool with what it should be.
pub(crate) fn values(pool: &'static str) -> Vec<(&'static str, f64)> {
    let rows = rows(include_str!("../fixtures/metric_values.csv")).filter(|row| row[0] == pool);
    rows.map(|row| (row[1], number(row[2]))).collect()
}

/// The metric that equals that of scikit-learn, for this number of classes.
pub(crate) fn metric(name: &str, classes: usize) -> Option<Box<dyn Measure<Judged>>> {
    if name.contains('@') {
        return None;
    }
    let class = || name.split(' ').nth(1).unwrap().parse().unwrap();
    Some(match name.split(' ').next().unwrap() {
        "matthews" => Box::new(ClassMetric::Matthews { classes }),
        "kappa" => Box::new(ClassMetric::Kappa { classes }),
        "weighted" => Box::new(ClassMetric::WeightedKappa { classes }),
        "balanced" => Box::new(ClassMetric::MacroRecall { classes }),
        "accuracy" => Box::new(MeanLoss(ZeroOne)),
        "macro" if name.ends_with("precision") => Box::new(ClassMetric::MacroPrecision { classes }),
        "macro" if name.ends_with("recall") => Box::new(ClassMetric::MacroRecall { classes }),
        "macro" => Box::new(ClassMetric::MacroF1 { classes }),
        "precision" => Box::new(ClassMetric::Precision { class: class() }),
        "recall" => Box::new(ClassMetric::Recall { class: class() }),
        "f1" => Box::new(ClassMetric::F1 { class: class() }),
        "auc" => Box::new(ClassMetric::Auc { class: class() }),
        "average" => Box::new(ClassMetric::AveragePrecision { class: class() }),
        _ => return None,
    })
}

/// The point of the precision-recall curve that a name such as `precision@0.3 1` means.
pub(crate) fn point_of_curve(name: &str) -> Option<ClassMetric> {
    let (point, class) = name.split_once(' ')?;
    let (kind, share) = point.split_once('@')?;
    let (class, share) = (class.parse().unwrap(), number(share));
    Some(match kind {
        "precision" => ClassMetric::PrecisionAtRecall { class, recall: share },
        _ => ClassMetric::RecallAtPrecision { class, precision: share },
    })
}

pub(crate) fn of_values(name: &str) -> ValueMetric {
    match name {
        "rmse" => ValueMetric::RootMeanSquaredError,
        "r2" => ValueMetric::RSquared,
        other => panic!("no metric is called {other}"),
    }
}

/// Accuracy is what is missing of the error rate.
pub(crate) fn shown(name: &str, value: f64) -> f64 {
    if name == "accuracy" { 1.0 - value } else { value }
}

pub(crate) fn borrowed<P>(points: &[(P, f64)]) -> Vec<(&P, f64)> {
    points.iter().map(|(point, weight)| (point, *weight)).collect()
}

#[test]
fn classes_are_measured_as_by_scikit_learn() {
    let mut compared = 0;
    for (pool, classes) in [("even", 2), ("rare", 2), ("four", 4), ("four all alike", 4)] {
        let points = judged(pool);
        for (name, expected) in values(pool) {
            let Some(metric) = metric(name, classes) else { continue };
            let found = shown(name, metric.linearised(&borrowed(&points)).unwrap().value);
            assert!((found - expected).abs() < 1e-12, "{name} of {pool} is {found}, not {expected}");
            compared += 1;
        }
    }
    assert_eq!(compared, 2 * (8 + 10) + 2 * (8 + 20));
}

#[test]
fn points_of_the_curve_are_those_of_scikit_learn() {
    let mut compared = 0;
    for pool in ["even", "rare", "four", "four all alike"] {
        let points = judged(pool);
        for (name, expected) in values(pool) {
            let Some(metric) = point_of_curve(name) else { continue };
            let found = metric.linearised(&borrowed(&points)).unwrap();
            assert!(
                (found.value - expected).abs() < 1e-12,
                "{name} of {pool} is {}, not {expected}",
                found.value
            );
            let balance: f64 = found.influence.iter().zip(&points).map(|(u, (_, w))| u * w).sum();
            assert!(balance.abs() < 1e-10, "{name} of {pool}: the influences sum to {balance}");
            compared += 1;
        }
    }
    assert_eq!(compared, 2 * 8 + 2 * 16);
}

#[test]
fn a_threshold_predicts_as_by_scikit_learn() {
    let decision = Decision::threshold(1, 0.3).unwrap();
    let mut compared = 0;
    for pool in ["even", "rare"] {
        let points: Vec<(Judged, f64)> = judged(pool)
            .into_iter()
            .map(|(point, weight)| {
                (Judged::decided(point.probabilities, point.label, decision).unwrap(), weight)
            })
            .collect();
        for (name, expected) in values(pool) {
            let Some(name) = name.strip_prefix("from ") else { continue };
            let measure: Box<dyn Measure<Judged>> = match name {
                "accuracy" => Box::new(MeanLoss(Misjudged(decision))),
                "precision" => Box::new(ClassMetric::Precision { class: 1 }),
                "recall" => Box::new(ClassMetric::Recall { class: 1 }),
                "f1" => Box::new(ClassMetric::F1 { class: 1 }),
                "balanced" => Box::new(ClassMetric::MacroRecall { classes: 2 }),
                "matthews" => Box::new(ClassMetric::Matthews { classes: 2 }),
                other => panic!("{other}"),
            };
            let found = shown(name, measure.linearised(&borrowed(&points)).unwrap().value);
            assert!((found - expected).abs() < 1e-12, "{name} of {pool} is {found}, not {expected}");
            compared += 1;
        }
    }
    assert_eq!(compared, 12);
}

#[test]
fn numbers_are_measured_as_by_scikit_learn() {
    for pool in ["good", "useless", "all alike"] {
        let points = valued(pool);
        let values = values(pool);
        assert_eq!(values.len(), 2);
        for (name, expected) in values {
            let found = of_values(name).linearised(&borrowed(&points)).unwrap().value;
            assert!((found - expected).abs() < 1e-12, "{name} of {pool} is {found}, not {expected}");
        }
    }
}

#[test]
fn a_gap_is_confidence_minus_accuracy() {
    let points = judged("four");
    let mass: f64 = points.iter().map(|(_, weight)| weight).sum();
    let mean = |of: fn(&Judged) -> f64| points.iter().map(|(p, w)| w * of(p)).sum::<f64>() / mass;
    let confidence = mean(|point| point.probabilities.iter().copied().fold(0.0, f64::max));
    let accuracy = values("four").into_iter().find(|(name, _)| *name == "accuracy").unwrap().1;
    let found = Gap.linearised(&borrowed(&points)).unwrap().value;
    assert!((found - (confidence - accuracy)).abs() < 1e-12, "{found}");
}
