//! Scores over twenty seeds are distributed as scikit-learn's, and trees without chance are the same.

use labelwise::surrogate::Model;
use labelwise::{Classification, Regression};
use labelwise_models::{Bagging, Criterion, Forest, MaxFeatures, Splitter};

use crate::data::{Split, digits, friedman, lines, moons, pictures, rng, rows};

const SEEDS: u64 = 20;

/// The means may differ by so many standard errors. For thirty scores of unlucky seeds that would be one false alarm
/// in eight; the seeds are fixed, so there is none.
const STANDARD_ERRORS: f64 = 3.0;

fn class_scores(forest: &Forest, data: &Split<Classification>, classes: usize, seed: u64) -> [f64; 3] {
    let fitted = forest.classification(&data.train, classes, &mut rng(seed)).unwrap();
    let beliefs = rows(&fitted.predict(&data.test.features).unwrap());
    let mut sums = [0.0; 3];
    for (belief, &label) in beliefs.iter().zip(&data.test.labels) {
        let first_best = (0..classes).rev().max_by(|&a, &b| belief[a].total_cmp(&belief[b])).unwrap();
        sums[0] += f64::from(u8::from(first_best == label));
        sums[1] -= belief[label].clamp(1e-15, 1.0 - 1e-15).ln();
        let squares =
            belief.iter().enumerate().map(|(class, p)| (p - f64::from(u8::from(class == label))).powi(2));
        sums[2] += squares.sum::<f64>();
    }
    sums.map(|sum| sum / beliefs.len() as f64)
}

fn value_scores(forest: &Forest, data: &Split<Regression>, seed: u64) -> [f64; 3] {
    let fitted = forest.regression(&data.train, &mut rng(seed)).unwrap();
    let beliefs = rows(&fitted.predict(&data.test.features).unwrap());
    let mut sums = [0.0; 3];
    for (belief, label) in beliefs.iter().zip(&data.test.labels) {
        sums[0] += (belief[0] - label).powi(2);
        sums[1] += belief[1];
        sums[2] += belief[2];
    }
    sums.map(|sum| sum / beliefs.len() as f64)
}

fn mean_and_error(scores: &[f64]) -> (f64, f64) {
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// Compares the scores of our seeds with those on file.
#[track_caller]
fn assert_alike(name: &str, ours: impl Fn(u64) -> [f64; 3]) {
    let ours: Vec<[f64; 3]> = (0..SEEDS).map(ours).collect();
    let theirs: Vec<Vec<f64>> = lines(include_str!("../fixtures/forest_scores.csv"))
        .filter(|line| line[0] == name)
        .map(|line| line[2..].iter().map(|field| field.parse().unwrap()).collect())
        .collect();
    assert_eq!(theirs.len(), ours.len(), "scores of {name}");
    for score in 0..3 {
        let (own, own_error) = mean_and_error(&ours.iter().map(|scores| scores[score]).collect::<Vec<_>>());
        let (other, other_error) =
            mean_and_error(&theirs.iter().map(|scores| scores[score]).collect::<Vec<_>>());
        let error = own_error.hypot(other_error);
        assert!(
            (own - other).abs() <= STANDARD_ERRORS * error + 1e-12,
            "{name}, score {score}: {own} here, {other} there, standard error of the difference {error}"
        );
    }
}

#[test]
fn two_moons() {
    let data = moons();
    let scores = |forest: Forest| move |seed| class_scores(&forest, &moons(), 2, seed);
    assert_eq!(data.test.labels.len(), 450);
    assert_alike("moons", scores(Forest::default()));
    assert_alike("moons-random", scores(Forest::extremely_randomised()));
}

#[test]
fn handwritten_digits() {
    let data = digits();
    let scores = |forest: &Forest, seed| class_scores(forest, &data, 10, seed);
    assert_alike("digits", |seed| scores(&Forest::default(), seed));
    assert_alike("digits-random", |seed| scores(&Forest::extremely_randomised(), seed));
    let short = Forest::default().criterion(Criterion::Entropy).bagging(Bagging::Off);
    let short = short.max_depth(6).min_samples_leaf(3).min_samples_split(10);
    assert_alike("digits-entropy-short", |seed| scores(&short, seed));
}

#[test]
fn images_of_784_pixels() {
    let data = pictures();
    let scores = |forest: &Forest, seed| class_scores(forest, &data, 10, seed);
    assert_alike("images-entropy", |seed| scores(&Forest::default().criterion(Criterion::Entropy), seed));
    let all = Forest::default().trees(10).max_features(MaxFeatures::All);
    assert_alike("images-all", |seed| scores(&all, seed));
}

#[test]
fn friedmans_function() {
    let data = friedman();
    assert_alike("friedman", |seed| value_scores(&Forest::default(), &data, seed));
    let third = Forest::default().max_features(MaxFeatures::Fraction(1.0 / 3.0)).min_samples_leaf(5);
    assert_alike("friedman-third", |seed| value_scores(&third, &data, seed));
    let random = Forest::extremely_randomised().min_samples_leaf(5);
    assert_alike("friedman-random", |seed| value_scores(&random, &data, seed));
}

/// One tree with all features and all rows: nothing is left to chance but the order of ties, and there are none.
fn tree() -> Forest {
    Forest::default().trees(1).max_features(MaxFeatures::All).bagging(Bagging::Off).splitter(Splitter::Best)
}

/// What scikit-learn's tree predicts for the first rows to test.
fn predictions(name: &str) -> Vec<[f64; 2]> {
    let lines = lines(include_str!("../fixtures/forest_trees.csv")).filter(|line| line[0] == name);
    lines.map(|line| [line[2].parse().unwrap(), line[3].parse().unwrap()]).collect()
}

#[track_caller]
fn assert_same_classes(name: &str, forest: &Forest, data: &Split<Classification>) {
    let fitted = forest.classification(&data.train, 10, &mut rng(1)).unwrap();
    let beliefs = rows(&fitted.predict(&data.test.features).unwrap());
    let theirs = predictions(name);
    assert_eq!(theirs.len(), 250);
    for (item, ([class, p], belief)) in theirs.into_iter().zip(beliefs).enumerate() {
        let own = belief[class as usize];
        assert!((own - p).abs() < 1e-15, "{name}, item {item}: class {class} has {own}, not {p}");
    }
}

#[test]
fn single_trees_of_classes() {
    let entropy = tree().criterion(Criterion::Entropy);
    assert_same_classes("moons-leaf-5", &tree().min_samples_leaf(5), &moons());
    assert_same_classes("digits-split-40", &tree().min_samples_split(40), &digits());
    assert_same_classes("digits-entropy-split-40", &entropy.clone().min_samples_split(40), &digits());
    assert_same_classes("images-entropy-depth-2", &entropy.max_depth(2), &pictures());
}

#[test]
fn single_trees_of_values() {
    let data = friedman();
    let fitted = tree().min_samples_leaf(5).regression(&data.train, &mut rng(1)).unwrap();
    let beliefs = rows(&fitted.predict(&data.test.features).unwrap());
    let theirs = predictions("friedman-leaf-5");
    assert_eq!(theirs.len(), 250);
    for ([mean, variance], belief) in theirs.into_iter().zip(beliefs) {
        assert!((belief[0] - mean).abs() < 1e-12, "{belief:?}, not {mean}");
        // Theirs is a difference of squares, less precise than ours.
        assert!((belief[1] - variance).abs() < 1e-9, "{belief:?}, not {variance}");
        assert_eq!(belief[2], 0.0);
    }
}
