//! Logistic regression against scikit-learn (`scripts/make_linear_fixtures.py`), against laws that its minimum obeys,
//! and with data that nobody should give it.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use labelwise::rng::Stream;
use labelwise::surrogate::{Data, Learner, Model};
use labelwise::{Classification, Error, Matrix, Seed};
use labelwise_models::{LogisticModel, LogisticRegression};
use proptest::prelude::*;
use rand_chacha::rand_core::Rng;

/// Both minima are found far more closely than the 1e-5 that would do.
const CLOSE: f64 = 1e-7;

fn rows(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    file.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}

fn numbers(fields: &[&str]) -> Vec<f64> {
    fields.iter().map(|field| field.parse().unwrap()).collect()
}

fn data(features: &[f64], columns: usize, labels: &[usize]) -> Data<Classification> {
    Data { features: Matrix::f64(features.to_vec(), columns).unwrap(), labels: labels.to_vec() }
}

/// Training data and test features out of rows of (part, label, features).
fn split(rows: impl Iterator<Item = Vec<&'static str>>, unit: f64) -> (Data<Classification>, Matrix) {
    let (mut train, mut labels, mut test, mut columns) = (vec![], vec![], vec![], 0);
    for row in rows {
        let features = numbers(&row[2..]).into_iter().map(|x| x / unit);
        columns = features.len();
        match row[0] {
            "train" => {
                train.extend(features);
                labels.push(row[1].parse().unwrap());
            }
            _ => test.extend(features),
        }
    }
    (data(&train, columns, &labels), Matrix::f64(test, columns).unwrap())
}

fn probabilities(model: &dyn Model<Classification>, features: &Matrix) -> Vec<Vec<f64>> {
    let beliefs = model.predict(features).unwrap();
    let mut reader = beliefs.reader();
    (0..beliefs.rows()).map(|item| reader.row(item).to_vec()).collect()
}

/// The largest difference of two tables.
fn apart(left: &[Vec<f64>], right: &[Vec<f64>]) -> f64 {
    assert_eq!(left.len(), right.len());
    left.iter().flatten().zip(right.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn small_problems_are_those_of_scikit_learn() {
    let expected: Vec<_> = rows(include_str!("fixtures/logistic_probabilities.csv")).collect();
    let groups: Vec<_> = expected.chunk_by(|a, b| a[..3] == b[..3]).collect();
    assert_eq!(groups.len(), 18);
    for group in groups {
        let (name, classes, c) = (group[0][0], group[0][1].parse().unwrap(), group[0][2].parse().unwrap());
        let file = rows(include_str!("fixtures/logistic_data.csv"));
        let (train, test) = split(file.filter(|row| row[0] == name).map(|row| row[1..].to_vec()), 1.0);
        let model = LogisticRegression::with_c(c).unwrap().learn(&train, classes).unwrap();
        let expected: Vec<_> = group.iter().map(|row| numbers(&row[3..])).collect();
        let off = apart(&probabilities(&model, &test), &expected);
        assert!(off < CLOSE, "{name} with C = {c} is off by {off:e}");
    }
}

#[test]
fn digits_are_those_of_scikit_learn() {
    let (train, test) = split(rows(include_str!("fixtures/logistic_digits.csv")), 16.0);
    assert_eq!((train.labels.len(), test.rows()), (200, 100));
    let file: Vec<_> = rows(include_str!("fixtures/logistic_digits_probabilities.csv")).collect();
    for group in file.chunk_by(|a, b| a[0] == b[0]) {
        let learner = LogisticRegression::with_c(group[0][0].parse().unwrap()).unwrap();
        let expected: Vec<_> = group.iter().map(|row| numbers(&row[1..])).collect();
        let off = apart(&probabilities(&learner.learn(&train, 10).unwrap(), &test), &expected);
        assert!(off < CLOSE, "{learner:?} is off by {off:e}");
    }
}

/// C Σ cross-entropy + ‖w‖² / 2 at weights and intercepts, from the definition.
fn objective(c: f64, data: &Data<Classification>, weights: &[Vec<f64>], intercepts: &[f64]) -> f64 {
    let mut reader = data.features.reader();
    let mut sum = 0.0;
    for (item, &label) in data.labels.iter().enumerate() {
        let row = reader.row(item);
        let scores: Vec<f64> = weights
            .iter()
            .zip(intercepts)
            .map(|(w, b)| b + w.iter().zip(row).map(|(w, x)| w * x).sum::<f64>())
            .collect();
        sum += scores.iter().map(|score| score.exp()).sum::<f64>().ln() - scores[label];
    }
    c * sum + weights.iter().flatten().map(|w| w * w).sum::<f64>() / 2.0
}

fn parameters(model: &LogisticModel, classes: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let weights = (0..classes).map(|class| model.weights(class).unwrap().to_vec()).collect();
    (weights, (0..classes).map(|class| model.intercept(class).unwrap()).collect())
}

#[test]
fn a_class_that_the_data_lack_has_probability_0() {
    let features = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let full = LogisticRegression::default().learn(&data(&features, 1, &[0, 1, 0, 2, 1, 2]), 3).unwrap();
    let lacking = LogisticRegression::default().learn(&data(&features, 1, &[1, 3, 1, 4, 3, 4]), 6).unwrap();
    let test = Matrix::f64(vec![-1.0, 2.5, 100.0], 1).unwrap();
    let full = probabilities(&full, &test);
    for (row, full) in probabilities(&lacking, &test).iter().zip(&full) {
        assert_eq!(row, &[0.0, full[0], 0.0, full[1], full[2], 0.0]);
    }
    assert!(lacking.weights(0).is_none() && lacking.intercept(5).is_none() && lacking.weights(9).is_none());
    assert!(lacking.weights(4).is_some() && lacking.intercept(4).is_some());
}

#[test]
fn one_class_is_certain() {
    let model = LogisticRegression::default().learn(&data(&[1.0, 2.0], 1, &[2, 2]), 4).unwrap();
    let found = probabilities(&model, &Matrix::f64(vec![-1e9, 0.0], 1).unwrap());
    assert_eq!(found, [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
    // One row is enough for that.
    let model = LogisticRegression::default().learn(&data(&[1.0], 1, &[0]), 2).unwrap();
    assert_eq!(probabilities(&model, &Matrix::f64(vec![5.0], 1).unwrap()), [[1.0, 0.0]]);
}

#[test]
fn extremes_stay_probabilities() {
    // Separable, hardly penalised, in units from 1e-6 to 1e6 and far from 0; and rows far outside.
    let features: Vec<f64> =
        (0..40).flat_map(|i| [1e-6 * f64::from(i / 10), 1e6 * (1e3 + f64::from(i % 7)), 3.0]).collect();
    let labels: Vec<usize> = (0..40).map(|i| i / 10).collect();
    let far = Matrix::f64(vec![1e9, -1e9, 1e9, -1e12, 1e12, 0.0, 0.0, 0.0, 0.0], 3).unwrap();
    for classes in [2, 4] {
        for c in [1e-12, 1e-3, 1.0, 1e4, 1e9] {
            let labels: Vec<_> = labels.iter().map(|label| label % classes).collect();
            let learner = LogisticRegression::with_c(c).unwrap();
            let model = learner.learn(&data(&features, 3, &labels), classes).unwrap();
            for row in probabilities(&model, &far) {
                assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{row:?}");
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
            }
        }
    }
}

/// Problems on which less careful arithmetic gives up or stops early: units that differ by orders, features far from 0,
/// classes that the first of them parts. The order of classes is turned round, which must not matter.
fn hard_problem(seed: u64, columns: usize, classes: usize, low: f64, high: f64) {
    let mut rng = Seed(seed).stream(Stream::Data, columns as u64);
    let mut uniform = || f64::from(rng.next_u32()) / f64::from(u32::MAX);
    let c = 10_f64.powf(low + (high - low) * uniform());
    let units: Vec<f64> = (0..columns).map(|_| 10_f64.powf(10.0 * uniform() - 5.0)).collect();
    let labels: Vec<usize> = (0..45).map(|_| (uniform() * 0.999 * classes as f64) as usize).collect();
    let place =
        |i: usize| 100.0 + if i.is_multiple_of(columns) { 3.0 * labels[i / columns] as f64 } else { 0.0 };
    let features: Vec<f64> =
        (0..45 * columns).map(|i| (place(i) + uniform() + uniform()) * units[i % columns]).collect();
    let mirrored: Vec<_> = labels.iter().map(|label| classes - 1 - label).collect();
    let [there, mut back] = [labels.clone(), mirrored].map(|labels| {
        let data = data(&features, columns, &labels);
        let model = LogisticRegression::with_c(c).unwrap().learn(&data, classes).unwrap();
        probabilities(&model, &data.features)
    });
    back.iter_mut().for_each(|row| row.reverse());
    let off = apart(&there, &back);
    assert!(off < 1e-9, "seed {seed}, {columns} features, {classes} classes, C = {c}: {off:e}");
}

#[test]
fn hard_problems_have_one_minimum() {
    (0..300).for_each(|seed| hard_problem(seed, 3, 2 + seed as usize % 3, -6.0, -3.0));
    hard_problem(5, 30, 4, 3.0, 7.0);
    hard_problem(4, 44, 3, 3.0, 7.0);
}

#[test]
fn a_penalty_beyond_all_measure_leaves_the_frequencies() {
    let learner = LogisticRegression::with_c(1e-14).unwrap();
    let model = learner.learn(&data(&[1.0, 2.0, 3.0, 4.0, 5.0], 1, &[0, 1, 2, 2, 2]), 3).unwrap();
    let found = probabilities(&model, &Matrix::f64(vec![2.0], 1).unwrap());
    assert!(apart(&found, &[vec![0.2, 0.2, 0.6]]) < 1e-9, "{found:?}");
}

#[test]
fn f32_of_the_same_values_and_any_number_of_threads_give_the_same() {
    let wide: Vec<f64> = (0..3000).map(|i| f64::from((i * 37) % 101) / 16.0).collect();
    let narrow: Vec<f32> = wide.iter().map(|&x| x as f32).collect();
    let labels: Vec<usize> = (0..1000).map(|i| (i * 53) % 29 % 3).collect();
    let (wide, narrow) = (Matrix::f64(wide, 3).unwrap(), Matrix::f32(narrow, 3).unwrap());
    let fit = |features: &Matrix, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let data = Data::<Classification>::new(features.clone(), labels.clone()).unwrap();
        let learner: &dyn Learner<Classification> = &LogisticRegression::default();
        let model = learner.fit(&data, 3, &mut Seed(1).stream(Stream::Fit, 0)).unwrap();
        pool.install(|| probabilities(&*model, features))
    };
    let expected = fit(&wide, 1);
    assert_eq!(fit(&narrow, 1), expected);
    assert_eq!(fit(&wide, 4), expected);
}

fn refused(model: Result<LogisticModel, Error>) -> String {
    model.unwrap_err().to_string()
}

#[test]
fn bad_input_is_named_with_the_way_out() {
    let learner = LogisticRegression::default();
    insta::assert_snapshot!(refused(learner.learn(&data(&[], 2, &[]), 3)), @"logistic regression needs at least 1 labels, but there are 0");
    insta::assert_snapshot!(refused(learner.learn(&data(&[1.0, 2.0], 1, &[0, 3]), 3)), @"label 3 of item 1 is not one of the 3 classes: give a number from 0 to 2");
    insta::assert_snapshot!(refused(learner.learn(&data(&[1.0, 2.0], 1, &[0, 0]), 1)), @"predictions: 1 columns, but the table needs at least 2 (one per class)");
    insta::assert_snapshot!(refused(learner.learn(&data(&[1.0, 2.0], 1, &[0, 0]), 0)), @"predictions: 0 columns, but the table needs at least 2 (one per class)");
    insta::assert_snapshot!(refused(learner.learn(&data(&[1.0, 2.0], 1, &[0]), 2)), @"there are 2 rows of training features and 1 training labels: give one label per row");
    insta::assert_snapshot!(refused(learner.learn(&data(&[1.0, f64::NAN], 1, &[0, 1]), 2)), @"training features of item 1: column 0 is NaN, but must be a finite number; drop the item or correct the value");
    insta::assert_snapshot!(refused(learner.learn(&data(&[1e200, -1e200], 1, &[0, 1]), 2)), @"the surrogate failed: logistic regression did not converge: rescale the features (they may be too large), or give a smaller C");
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(LogisticRegression::with_c(bad), Err(Error::Option { name: "C", .. })), "{bad}");
    }
    insta::assert_snapshot!(LogisticRegression::with_c(-2.0).unwrap_err(), @"C is -2, but must be above 0 (from 1e-300 to 1e300)");
    let model = learner.learn(&data(&[1.0, 2.0], 1, &[0, 1]), 2).unwrap();
    let predict = |values: &[f64], columns| {
        model.predict(&Matrix::f64(values.to_vec(), columns).unwrap()).unwrap_err().to_string()
    };
    insta::assert_snapshot!(predict(&[1.0, 2.0], 2), @"features: 2 columns, but the table needs 1 (as in the training features)");
    insta::assert_snapshot!(predict(&[1.0, f64::NAN], 1), @"features of item 1: column 0 is NaN, but must be a finite number; drop the item or correct the value");
}

/// Rows of two features, labels below a number of classes (each of which may be lacking), and C.
fn cases() -> impl Strategy<Value = (Vec<f64>, Vec<usize>, usize, f64)> {
    (6_usize..40, 2_usize..5).prop_flat_map(|(rows, classes)| {
        (
            prop::collection::vec(-3.0..3.0, rows * 2),
            prop::collection::vec(0..classes, rows),
            Just(classes),
            prop_oneof![0.01..1.0, 1.0..100.0],
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn probabilities_sum_to_one((features, labels, classes, c) in cases()) {
        let model = LogisticRegression::with_c(c).unwrap().learn(&data(&features, 2, &labels), classes).unwrap();
        let far: Vec<f64> = features.iter().map(|x| x * 1e3).collect();
        for row in probabilities(&model, &Matrix::f64(far, 2).unwrap()) {
            prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
            prop_assert!((0..classes).all(|class| labels.contains(&class) || row[class] == 0.0));
        }
    }

    /// By central differences of the penalised likelihood, with every class in the data.
    #[test]
    fn the_gradient_is_zero((features, mut labels, classes, c) in cases()) {
        labels.iter_mut().take(classes).enumerate().for_each(|(class, label)| *label = class);
        let data = data(&features, 2, &labels);
        let model = LogisticRegression::with_c(c).unwrap().learn(&data, classes).unwrap();
        let (weights, intercepts) = parameters(&model, classes);
        // Two classes have one vector: the first class's stays at 0.
        for class in usize::from(classes == 2)..classes {
            for parameter in 0..3 {
                let step = 1e-4;
                let [up, down] = [step, -step].map(|step| {
                    let (mut weights, mut intercepts) = (weights.clone(), intercepts.clone());
                    match parameter {
                        2 => intercepts[class] += step,
                        _ => weights[class][parameter] += step,
                    }
                    objective(c, &data, &weights, &intercepts)
                });
                let slope = (up - down) / (2.0 * step);
                prop_assert!(slope.abs() < 1e-6 * (1.0 + c), "class {class}, parameter {parameter}: {slope:e}");
            }
        }
    }

    #[test]
    fn a_constant_feature_and_a_shift_do_not_matter((features, labels, classes, c) in cases(), constant in -1e6..1e6) {
        let learner = LogisticRegression::with_c(c).unwrap();
        let before = learner.learn(&data(&features, 2, &labels), classes).unwrap();
        let wide: Vec<f64> = features.chunks(2).flat_map(|row| [row[0] + 100.0, constant, row[1] - 7.0]).collect();
        let after = learner.learn(&data(&wide, 3, &labels), classes).unwrap();
        let before = probabilities(&before, &Matrix::f64(features, 2).unwrap());
        let after = probabilities(&after, &Matrix::f64(wide, 3).unwrap());
        prop_assert!(apart(&before, &after) < 1e-7, "{}", apart(&before, &after));
    }
}
