//! A tree of one split has the best of all splits, found here by trying each of them.

use labelwise::surrogate::{Data, Model};
use labelwise::{Classification, Matrix, Regression};
use labelwise_models::{Bagging, Criterion, Forest, MaxFeatures};
use proptest::prelude::*;

use crate::data::{rng, rows};

fn stump(least: usize) -> Forest {
    let forest = Forest::default().trees(1).max_depth(1).bagging(Bagging::Off);
    forest.max_features(MaxFeatures::All).min_samples_leaf(least)
}

/// The least mean impurity of the rows' leaves over all splits, or without one where none is allowed.
fn least_impurity<L: Copy>(
    features: &[Vec<f64>],
    labels: &[L],
    least: usize,
    impurity: impl Fn(&[L]) -> f64,
) -> f64 {
    let count = labels.len() as f64;
    let mut best = None;
    for column in 0..features[0].len() {
        for cut in features.iter().map(|row| row[column]) {
            let side = |left: bool| -> Vec<L> {
                let rows = features.iter().zip(labels).filter(|(row, _)| (row[column] <= cut) == left);
                rows.map(|(_, label)| *label).collect()
            };
            let (left, right) = (side(true), side(false));
            if left.len().min(right.len()) >= least {
                let mean =
                    (left.len() as f64 * impurity(&left) + right.len() as f64 * impurity(&right)) / count;
                best = Some(best.map_or(mean, |best: f64| best.min(mean)));
            }
        }
    }
    best.unwrap_or_else(|| impurity(labels))
}

fn frequencies(labels: &[usize]) -> Vec<f64> {
    (0..4)
        .map(|class| labels.iter().filter(|label| **label == class).count() as f64 / labels.len() as f64)
        .collect()
}

fn gini(p: &[f64]) -> f64 {
    1.0 - p.iter().map(|p| p * p).sum::<f64>()
}

fn entropy(p: &[f64]) -> f64 {
    -p.iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum::<f64>()
}

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64
}

/// One to three columns of so many rows: of two values, some, or all different, and one in which most rows are lowest.
fn features() -> impl Strategy<Value = (Vec<f64>, usize)> {
    let shape = (1..4_usize, 2..80_usize, prop_oneof![Just(1.0), Just(20.0), Just(1e9)]);
    shape.prop_flat_map(|(columns, rows, scale)| {
        prop::collection::vec((0.0..1.0_f64, any::<bool>()), columns * rows).prop_map(move |values| {
            let value = |(x, low): (f64, bool)| if low && scale > 1.0 { 0.0 } else { (x * scale).round() };
            (values.into_iter().map(value).collect(), columns)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn classes((values, columns) in features(), classes in 2..5_usize, least in 1..5_usize, seed in 0..u64::MAX) {
        let count = values.len() / columns;
        let labels: Vec<usize> = (0..count).map(|row| (seed >> (row % 60)) as usize % classes).collect();
        let data = Data::<Classification>::new(Matrix::f64(values, columns).unwrap(), labels).unwrap();
        let features = rows(&data.features);
        for (criterion, impurity) in [(Criterion::Gini, gini as fn(&[f64]) -> f64), (Criterion::Entropy, entropy)] {
            let fitted = stump(least).criterion(criterion).classification(&data, 4, &mut rng(1)).unwrap();
            let beliefs = rows(&fitted.predict(&data.features).unwrap());
            let found = beliefs.iter().map(|belief| impurity(belief)).sum::<f64>() / count as f64;
            let best = least_impurity(&features, &data.labels, least, |labels| impurity(&frequencies(labels)));
            prop_assert!((found - best).abs() < 1e-9, "{found}, but {best} can be had");
        }
    }

    #[test]
    fn values((values, columns) in features(), least in 1..5_usize, seed in 0..u64::MAX) {
        let count = values.len() / columns;
        let labels: Vec<f64> = (0..count).map(|row| (seed >> (row % 60)) as f64 % 97.0).collect();
        let data = Data::<Regression>::new(Matrix::f64(values, columns).unwrap(), labels).unwrap();
        let fitted = stump(least).regression(&data, &mut rng(1)).unwrap();
        let beliefs = rows(&fitted.predict(&data.features).unwrap());
        let found = beliefs.iter().map(|belief| belief[1]).sum::<f64>() / count as f64;
        let best = least_impurity(&rows(&data.features), &data.labels, least, variance);
        prop_assert!((found - best).abs() < 1e-6, "{found}, but {best} can be had");
    }
}
