//! Linear regression against scikit-learn and NumPy (`scripts/make_linear_fixtures.py`), against laws that least squares
//! obeys, and with data that nobody should give it.

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
use labelwise::{Error, Matrix, Regression, Seed};
use labelwise_models::{LinearModel, LinearRegression};
use proptest::prelude::*;

const EXACT: f64 = 1e-9;

fn rows(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    file.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}

fn numbers(fields: &[&str]) -> Vec<f64> {
    fields.iter().map(|field| field.parse().unwrap()).collect()
}

fn data(features: &[f64], columns: usize, labels: &[f64]) -> Data<Regression> {
    Data { features: Matrix::f64(features.to_vec(), columns).unwrap(), labels: labels.to_vec() }
}

/// Training data and test features of a problem of the fixtures.
fn problem(name: &str) -> (Data<Regression>, Matrix) {
    let (mut train, mut labels, mut test, mut columns) = (vec![], vec![], vec![], 0);
    for row in rows(include_str!("fixtures/linear_data.csv")).filter(|row| row[0] == name) {
        columns = row.len() - 3;
        match row[1] {
            "train" => {
                train.extend(numbers(&row[3..]));
                labels.push(row[2].parse().unwrap());
            }
            _ => test.extend(numbers(&row[3..])),
        }
    }
    (data(&train, columns, &labels), Matrix::f64(test, columns).unwrap())
}

fn learner(ridge: f64) -> LinearRegression {
    if ridge > 0.0 { LinearRegression::with_ridge(ridge).unwrap() } else { LinearRegression::default() }
}

fn beliefs(model: &dyn Model<Regression>, features: &Matrix) -> Vec<[f64; 3]> {
    let beliefs = model.predict(features).unwrap();
    let mut reader = beliefs.reader();
    (0..beliefs.rows()).map(|item| reader.row(item).try_into().unwrap()).collect()
}

#[track_caller]
fn assert_close(value: f64, expected: f64, relative: f64, what: &str) {
    let error = (value - expected).abs();
    assert!(error <= relative * expected.abs(), "{value}, not {expected} (off by {error:e}), for {what}");
}

#[test]
fn coefficients_are_those_of_scikit_learn() {
    for row in rows(include_str!("fixtures/linear_fits.csv")) {
        let expected = numbers(&row[1..]);
        let model = learner(expected[0]).learn(&problem(row[0]).0).unwrap();
        assert_eq!(model.coefficients().len(), expected.len() - 2);
        assert_close(model.intercept(), expected[1], EXACT, &format!("{row:?}"));
        for (found, expected) in model.coefficients().iter().zip(&expected[2..]) {
            assert_close(*found, *expected, EXACT, &format!("{row:?}"));
        }
    }
}

#[test]
fn beliefs_are_those_of_numpy() {
    let expected: Vec<_> = rows(include_str!("fixtures/linear_beliefs.csv")).collect();
    let groups: Vec<_> = expected.chunk_by(|a, b| a[..2] == b[..2]).collect();
    assert_eq!(groups.len(), 10);
    for group in groups {
        let (train, test) = problem(group[0][0]);
        let model = learner(group[0][1].parse().unwrap()).learn(&train).unwrap();
        let found = beliefs(&model, &test);
        assert_eq!(found.len(), group.len());
        for (found, row) in found.iter().zip(group) {
            for (found, expected) in found.iter().zip(numbers(&row[2..])) {
                assert_close(*found, expected, EXACT, &format!("{row:?}"));
            }
        }
    }
}

#[test]
fn f32_of_the_same_values_and_any_number_of_threads_give_the_same() {
    // Sixteenths have the same value in both widths.
    let wide: Vec<f64> = (0..3000).map(|i| f64::from((i * 37) % 101) / 16.0).collect();
    let narrow: Vec<f32> = wide.iter().map(|&x| x as f32).collect();
    let labels: Vec<f64> = (0..1000).map(|i| f64::from((i * 53) % 29)).collect();
    let (wide, narrow) = (Matrix::f64(wide, 3).unwrap(), Matrix::f32(narrow, 3).unwrap());
    let fit = |features: &Matrix, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let data = Data::<Regression>::new(features.clone(), labels.clone()).unwrap();
        let learner: &dyn Learner<Regression> = &LinearRegression::default();
        let model = learner.fit(&data, 1, &mut Seed(1).stream(Stream::Fit, 0)).unwrap();
        pool.install(|| beliefs(&*model, features))
    };
    let expected = fit(&wide, 1);
    assert_eq!(fit(&narrow, 1), expected);
    assert_eq!(fit(&wide, 4), expected);
}

#[test]
fn a_line_through_every_label_has_no_variance() {
    let model =
        LinearRegression::default().learn(&data(&[0.0, 1.0, 2.0, 3.0], 1, &[5.0, 5.0, 5.0, 5.0])).unwrap();
    assert_eq!(beliefs(&model, &Matrix::f64(vec![7.0], 1).unwrap()), [[5.0, 0.0, 0.0]]);
}

#[test]
fn ridge_fits_what_least_squares_cannot() {
    // A constant feature gets no weight, and a feature that comes twice shares its weight.
    let features = [1.0, 7.0, 1.0, 2.0, 7.0, 2.0, 4.0, 7.0, 4.0, 3.0, 7.0, 3.0];
    let model = LinearRegression::with_ridge(1e-6)
        .unwrap()
        .learn(&data(&features, 3, &[1.0, 2.1, 3.9, 3.0]))
        .unwrap();
    let &[first, constant, second] = model.coefficients() else { panic!() };
    assert!(constant.abs() < 1e-12, "{constant}");
    assert!((first - second).abs() < 1e-6 && (first + second - 0.96).abs() < 0.05, "{first} {second}");
    // Of a ridge beyond all measure the mean is left.
    let model = LinearRegression::with_ridge(1e12)
        .unwrap()
        .learn(&data(&features, 3, &[1.0, 2.1, 3.9, 3.0]))
        .unwrap();
    let [mean, aleatoric, epistemic] = beliefs(&model, &Matrix::f64(vec![9.0, 9.0, 9.0], 3).unwrap())[0];
    assert_close(mean, 2.5, 1e-9, "mean");
    assert_close(
        aleatoric,
        (1.5_f64.powi(2) + 0.4_f64.powi(2) + 1.4_f64.powi(2) + 0.25) / 3.0,
        1e-9,
        "variance",
    );
    assert_close(epistemic, aleatoric / 4.0, 1e-9, "variance of a mean");
}

fn refused(model: Result<LinearModel, Error>) -> String {
    model.unwrap_err().to_string()
}

#[test]
fn bad_input_is_named_with_the_way_out() {
    let plain = LinearRegression::default();
    let ridge = LinearRegression::with_ridge(0.5).unwrap();
    let three = [0.0, 1.0, 1.0, 0.0, 2.0, 5.0];
    insta::assert_snapshot!(refused(plain.learn(&data(&[], 2, &[]))), @"linear regression without a ridge needs at least 4 labels, but there are 0");
    insta::assert_snapshot!(refused(plain.learn(&data(&three, 2, &[1.0; 3]))), @"linear regression without a ridge needs at least 4 labels, but there are 3");
    insta::assert_snapshot!(refused(ridge.learn(&data(&[1.0], 1, &[1.0]))), @"ridge regression needs at least 2 labels, but there are 1");
    insta::assert_snapshot!(refused(ridge.learn(&data(&three, 2, &[1.0; 2]))), @"there are 3 rows of training features and 2 training labels: give one label per row");
    insta::assert_snapshot!(refused(ridge.learn(&data(&three, 2, &[1.0, 2.0, f64::NAN]))), @"the label of item 2 is NaN: give a finite number");
    insta::assert_snapshot!(refused(ridge.learn(&data(&[0.0, 1.0, f64::INFINITY], 1, &[1.0; 3]))), @"training features of item 2: column 0 is inf, but must be a finite number; drop the item or correct the value");
    let constant = [0.0, 0.1, 1.0, 0.1, 2.0, 0.1, 5.0, 0.1];
    insta::assert_snapshot!(refused(plain.learn(&data(&constant, 2, &[1.0, 2.0, 3.0, 4.0]))), @"the surrogate failed: feature 1 is constant, which the intercept covers: drop it, or give a ridge (LinearRegression::with_ridge)");
    let dependent = [0.1, 1.3, 1.4, 1.7, 0.2, 1.9, 2.3, 0.9, 3.2, 5.1, 0.7, 5.8, 1.0, 1.0, 2.0];
    insta::assert_snapshot!(refused(plain.learn(&data(&dependent, 3, &[1.0, 2.0, 3.0, 4.0, 7.0]))), @"the surrogate failed: feature 2 is a linear combination of the features before it: drop it, or give a ridge (LinearRegression::with_ridge)");
    let faint = LinearRegression::with_ridge(1e-40).unwrap();
    insta::assert_snapshot!(refused(faint.learn(&data(&dependent, 3, &[1.0, 2.0, 3.0, 4.0, 7.0]))), @"the surrogate failed: feature 2 is a linear combination of the features before it: drop it, or give a larger ridge");
    let faint = LinearRegression::with_ridge(1e-9).unwrap();
    let error = refused(faint.learn(&data(&three, 3, &[1.0, 3.0])));
    assert!(
        error.starts_with("the surrogate failed: ridge regression of 2 rows on 3 features keeps only"),
        "{error}"
    );
    assert!(
        error.ends_with("with a ridge of 0.000000001: give a larger ridge, or at least 5 rows"),
        "{error}"
    );
    insta::assert_snapshot!(refused(plain.learn(&data(&[1e200, 2e200, -1e200, 3e200], 1, &[1.0; 4]))), @"the surrogate failed: linear regression overflowed: the features or labels are too large, rescale them");
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(LinearRegression::with_ridge(bad), Err(Error::Option { name: "ridge", .. })),
            "{bad}"
        );
    }
    insta::assert_snapshot!(LinearRegression::with_ridge(-2.0).unwrap_err(), @"ridge is -2, but must be a finite number above 0 (the default is plain least squares)");
}

#[test]
fn bad_features_at_prediction_are_named() {
    let model =
        LinearRegression::default().learn(&data(&[0.0, 1.0, 2.0, 3.0], 1, &[0.0, 1.0, 1.0, 3.0])).unwrap();
    let predict = |values: &[f64], columns| {
        model.predict(&Matrix::f64(values.to_vec(), columns).unwrap()).unwrap_err().to_string()
    };
    insta::assert_snapshot!(predict(&[1.0, 2.0], 2), @"features: 2 columns, but the table needs 1 (as in the training features)");
    // Far apart, so that several threads find one; it is the first that is told.
    let mut far = vec![0.0; 5000];
    (far[700], far[4999]) = (f64::NAN, f64::INFINITY);
    insta::assert_snapshot!(predict(&far, 1), @"features of item 700: column 0 is NaN, but must be a finite number; drop the item or correct the value");
    insta::assert_snapshot!(predict(&[1e300], 1), @"predictions of item 0: column 2 is inf, but must be a finite number; drop the item or correct the value");
    assert_eq!(model.predict(&Matrix::f64(vec![], 1).unwrap()).unwrap().rows(), 0);
}

/// Rows of three features, labels, and a shift and scale for each feature.
fn cases() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Vec<f64>, f64)> {
    (5_usize..40).prop_flat_map(|rows| {
        (
            prop::collection::vec(-3.0..3.0, rows * 3),
            prop::collection::vec(-5.0..5.0, rows),
            prop::collection::vec(-50.0..50.0, 3),
            prop_oneof![Just(0.0), 0.01..10.0],
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The gradient is 0: residuals sum to 0, and their product with a feature is what the ridge pulls with.
    #[test]
    fn residuals_are_orthogonal((features, labels, _, ridge) in cases()) {
        let model = learner(ridge).learn(&data(&features, 3, &labels)).unwrap();
        let found = beliefs(&model, &Matrix::f64(features.clone(), 3).unwrap());
        let residuals: Vec<f64> = found.iter().zip(&labels).map(|(belief, label)| label - belief[0]).collect();
        prop_assert!(residuals.iter().sum::<f64>().abs() < 1e-9);
        for (column, weight) in model.coefficients().iter().enumerate() {
            let pull: f64 = residuals.iter().zip(features.chunks(3)).map(|(r, row)| r * row[column]).sum();
            prop_assert!((pull - ridge * weight).abs() < 1e-8 * (1.0 + weight.abs()), "{pull} {weight}");
        }
    }

    /// The leverages of the training rows sum to p, of which the ridge takes some away.
    #[test]
    fn leverages_sum_to_p((features, labels, _, ridge) in cases()) {
        let model = learner(ridge).learn(&data(&features, 3, &labels)).unwrap();
        let found = beliefs(&model, &Matrix::f64(features, 3).unwrap());
        let trace = found.iter().map(|belief| belief[2] / belief[1]).sum::<f64>();
        prop_assert!(if ridge > 0.0 { trace > 1.0 && trace < 4.0 } else { (trace - 4.0).abs() < 1e-8 }, "{trace}");
        // That sum is also what the residual variance was divided with.
        let rss: f64 = found.iter().zip(&labels).map(|(belief, label)| (label - belief[0]).powi(2)).sum();
        let expected = rss / (labels.len() as f64 - trace);
        prop_assert!((found[0][1] - expected).abs() <= 1e-7 * expected + 1e-15, "{} {expected}", found[0][1]);
    }

    /// Moving all features by a constant moves nothing; without a ridge, neither does their unit.
    #[test]
    fn shift_and_unit_of_features_do_not_matter((features, labels, shifts, ridge) in cases()) {
        let model = learner(ridge).learn(&data(&features, 3, &labels)).unwrap();
        let unit = if ridge > 0.0 { 1.0 } else { 1e5 };
        let moved: Vec<f64> =
            features.iter().enumerate().map(|(i, x)| (x + shifts[i % 3]) * if i % 3 == 1 { unit } else { 1.0 }).collect();
        let other = learner(ridge).learn(&data(&moved, 3, &labels)).unwrap();
        let before = beliefs(&model, &Matrix::f64(features, 3).unwrap());
        let after = beliefs(&other, &Matrix::f64(moved, 3).unwrap());
        for (before, after) in before.iter().flatten().zip(after.iter().flatten()) {
            prop_assert!((before - after).abs() <= 1e-8 * (1.0 + before.abs()), "{before} {after}");
        }
    }
}
