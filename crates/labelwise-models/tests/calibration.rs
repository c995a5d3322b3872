//! Temperatures, and surrogates made of others.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use labelwise::conformance::check_surrogate;
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::{Beliefs, Data, Learner, Model, Observed, Schedule, Surrogate};
use labelwise::{Classification, Error, Fixed, Matrix, Pool, Result, Seed};
use labelwise_models::{
    Bagging, Blended, Calibrated, CrossFitted, Forest, OutOfSample, Temperature, TemperedBeliefs,
    default_surrogate,
};

/// Rows whose label is class 0 with the first probability, dealt out evenly.
fn labelled(rows: usize, right: f64, said: f64) -> (Matrix, Vec<usize>) {
    let labels = (0..rows).map(|row| usize::from(((row as f64 + 0.5) * 0.618_034).fract() > right)).collect();
    (Matrix::f64([said, 1.0 - said].repeat(rows), 2).unwrap(), labels)
}

fn first(matrix: &Matrix) -> f64 {
    matrix.reader().row(0)[0]
}

#[test]
fn a_temperature_makes_probabilities_as_sure_as_they_are_right() {
    for (right, said) in [(0.9, 0.6), (0.7, 0.95), (0.8, 0.8), (0.6, 0.9999)] {
        let (probabilities, labels) = labelled(4000, right, said);
        let temperature = Temperature::fit(&probabilities, &labels, 1e-6).unwrap();
        let found = first(&temperature.apply(&probabilities).unwrap());
        assert!((found - right).abs() < 0.005, "said {said}, right {right}, tempered to {found}");
        let hot = temperature.temperature() > 1.0;
        assert!(said == right || hot == (said > right), "{}", temperature.temperature());
    }
}

#[test]
fn with_few_labels_it_stays_near_one() {
    let (probabilities, labels) = labelled(2, 1.0, 0.6);
    let temperature = Temperature::fit(&probabilities, &labels, 1e-6).unwrap().temperature();
    assert!((0.4..1.0).contains(&temperature), "{temperature}");
}

#[test]
fn tempered_rows_are_probabilities_even_of_certainty() {
    let certain = Matrix::f64(vec![1.0, 0.0, 0.0, 0.0, 0.5, 0.5], 3).unwrap();
    let temperature = Temperature::fit(&certain, &[0, 0], 1e-3).unwrap();
    let tempered = temperature.apply(&certain).unwrap();
    for item in 0..2 {
        let row = tempered.reader().row(item).to_vec();
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|p| *p > 0.0), "{row:?}");
    }
    assert!(matches!(Temperature::fit(&certain, &[0], 1e-3), Err(Error::TrainingRows { .. })));
    assert!(matches!(
        Temperature::fit(&certain, &[0, 3], 1e-3),
        Err(Error::LabelOutOfRange { item: 1, label: 3, .. })
    ));
    assert!(matches!(Temperature::fit(&certain, &[0, 1], 0.0), Err(Error::Option { .. })));
}

/// Remembers the label of each feature, and is too sure of it.
struct Memory;

struct Remembered(Vec<(f64, usize)>, usize);

impl Learner<Classification> for Memory {
    fn fit(
        &self,
        data: &Data<Classification>,
        columns: usize,
        _: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Classification>>> {
        let mut reader = data.features.reader();
        let rows = data.labels.iter().enumerate().map(|(row, label)| (reader.row(row)[0], *label));
        Ok(Box::new(Remembered(rows.collect(), columns)))
    }
}

impl Model<Classification> for Remembered {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        let mut reader = features.reader();
        let row = |item: usize| {
            let x = reader.row(item)[0];
            let near =
                self.0.iter().min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs())).map_or(0, |m| m.1);
            (0..self.1).map(move |class| if class == near { 0.99 } else { 0.01 })
        };
        Matrix::f64((0..features.rows()).flat_map(row).collect::<Vec<_>>(), self.1)
    }
}

fn noisy(rows: usize) -> Data<Classification> {
    let features = Matrix::f64((0..rows).map(|i| i as f64).collect::<Vec<_>>(), 1).unwrap();
    // One row in ten has the other label.
    Data::new(features, (0..rows).map(|i| usize::from(i % 10 == 0)).collect()).unwrap()
}

#[test]
fn cross_fitting_does_not_look_at_the_row_itself() {
    let (model, out_of_sample) = CrossFitted::new(Memory, 5)
        .unwrap()
        .fit_out_of_sample(&noisy(100), 2, &mut Seed(1).stream(Stream::Fit, 0))
        .unwrap();
    // In sample the memory is perfect; out of sample each odd one out is missed.
    let data = noisy(100);
    let (in_sample, mut reader) = (model.predict(&data.features).unwrap(), out_of_sample.reader());
    let mut seen = in_sample.reader();
    assert!((0..100).all(|row| seen.row(row)[data.labels[row]] == 0.99));
    assert!((0..100).step_by(10).all(|row| reader.row(row)[1] == 0.01));
    assert!(matches!(CrossFitted::new(Memory, 1), Err(Error::Option { .. })));
}

#[test]
fn a_calibrated_learner_is_less_sure_of_what_it_only_remembers() {
    let learner = Calibrated::new(CrossFitted::new(Memory, 5).unwrap());
    let model = learner.fit(&noisy(200), 2, &mut Seed(1).stream(Stream::Fit, 0)).unwrap();
    let sure = first(&model.predict(&Matrix::f64(vec![5.0], 1).unwrap()).unwrap());
    assert!(sure > 0.7 && sure < 0.95, "{sure}");
    // Too few rows tell nothing, and leave it as it is.
    let model = learner.fit(&noisy(10), 2, &mut Seed(1).stream(Stream::Fit, 0)).unwrap();
    assert_eq!(first(&model.predict(&Matrix::f64(vec![5.0], 1).unwrap()).unwrap()), 0.99);
}

fn pool() -> Pool<Classification> {
    Pool::classification(Matrix::f64([0.8, 0.2].repeat(60), 2).unwrap()).unwrap()
}

#[test]
fn a_blend_is_the_mean_with_the_model() {
    let pool = pool();
    let other = Beliefs::new(Matrix::f64([0.2, 0.8].repeat(60), 2).unwrap(), &pool).unwrap();
    let mut blend = Blended::new(Fixed(other.clone()));
    let observed = Observed { pool: &pool, labels: &[] };
    let updated = blend.update(observed, &mut Seed(1).stream(Stream::Fit, 0)).unwrap();
    assert!((first(updated.beliefs.rows()) - 0.5).abs() < 1e-15);
    let make = || -> Box<dyn Surrogate<Classification>> { Box::new(Blended::new(Fixed(other.clone()))) };
    assert_eq!(check_surrogate(make, &pool, &[(1, 0), (2, 1)]), Ok(0));
}

#[test]
fn given_beliefs_are_tempered_by_the_labels() {
    let pool = pool();
    let labels: Vec<(usize, usize)> = (0..40).map(|item| (item, usize::from(item % 2 == 0))).collect();
    let make = || -> Box<dyn Surrogate<Classification>> {
        Box::new(TemperedBeliefs::new(pool.own_beliefs().unwrap(), Schedule::Every(10)))
    };
    // At 20, 30 and 40 labels.
    assert_eq!(check_surrogate(make, &pool, &labels), Ok(3));
    let mut surrogate = make();
    let observed = Observed { pool: &pool, labels: &labels };
    let updated = surrogate.update(observed, &mut Seed(1).stream(Stream::Fit, 0)).unwrap();
    assert!(
        first(updated.beliefs.rows()) < 0.62,
        "right half of the time: {}",
        first(updated.beliefs.rows())
    );
}

/// Points on a line with two classes that overlap.
fn overlapping(rows: usize, shift: f64) -> Data<Classification> {
    let x: Vec<f64> = (0..rows).map(|i| ((i as f64 + shift) * 0.618_034).fract()).collect();
    let labels =
        x.iter().enumerate().map(|(i, x)| usize::from(*x + 0.5 * ((i as f64 * 0.37).fract() - 0.5) > 0.5));
    Data::new(Matrix::f64(x.clone(), 1).unwrap(), labels.collect()).unwrap()
}

fn cross_entropy(model: &dyn Model<Classification>, data: &Data<Classification>) -> f64 {
    let predicted = model.predict(&data.features).unwrap();
    let mut reader = predicted.reader();
    let losses = data.labels.iter().enumerate().map(|(row, label)| -reader.row(row)[*label].max(1e-15).ln());
    losses.sum::<f64>() / data.labels.len() as f64
}

#[test]
fn a_calibrated_forest_is_better_than_a_raw_one() {
    let (train, test) = (overlapping(200, 0.0), overlapping(2000, 0.5));
    let rng = || Seed(3).stream(Stream::Fit, 0);
    let raw = Forest::default().fit(&train, 2, &mut rng()).unwrap();
    let calibrated = Calibrated::new(Forest::default()).fit(&train, 2, &mut rng()).unwrap();
    let (raw, calibrated) = (cross_entropy(&*raw, &test), cross_entropy(&*calibrated, &test));
    assert!(calibrated < 0.6 * raw, "{calibrated} and {raw}");
}

#[test]
fn a_forest_without_bags_is_cross_fitted() {
    let forest = Forest::default().trees(20).bagging(Bagging::Off);
    let (_, out_of_sample) =
        forest.fit_out_of_sample(&noisy(50), 2, &mut Seed(1).stream(Stream::Fit, 0)).unwrap();
    // In sample such trees are certain of every row; out of sample the odd ones out are missed.
    assert!((0..50).step_by(10).all(|row| out_of_sample.reader().row(row)[1] < 0.5));
}

#[test]
fn the_default_surrogate_keeps_the_contract_and_guides_an_evaluation() {
    let (train, test) = (overlapping(60, 0.0), overlapping(300, 0.5));
    let predictions: Vec<f64> =
        (0..300).flat_map(|i| if i % 3 == 0 { [0.9, 0.1] } else { [0.3, 0.7] }).collect();
    let pool = Pool::classification(Matrix::f64(predictions, 2).unwrap()).unwrap();
    let pool = pool.with_features(test.features.clone()).unwrap();
    let labels: Vec<(usize, usize)> = (0..30).map(|item| (item, test.labels[item])).collect();
    let make = || -> Box<dyn Surrogate<Classification>> { Box::new(default_surrogate(train.clone())) };
    assert_eq!(check_surrogate(make, &pool, &labels), Ok(1));

    let builder = labelwise::Evaluation::builder(pool, labelwise::loss::ZeroOne, default_surrogate(train));
    let mut evaluation = builder.build().unwrap();
    evaluation.run(60, &mut |item| Ok(test.labels[item])).unwrap();
    let risk = evaluation.pool().risk(evaluation.loss(), &test.labels).unwrap();
    let interval = evaluation.report(labelwise::Target::Pool, 0.99).unwrap().interval.unwrap();
    assert!(interval.covers(risk), "{risk} is not in {interval:?}");
}
