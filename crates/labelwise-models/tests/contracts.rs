//! Every learner keeps the contract of a surrogate, and Algorithm 1 runs with each.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use labelwise::acquisition::MutualInformation;
use labelwise::conformance::check_surrogate;
use labelwise::surrogate::{Data, Learner, Retrained, Surrogate};
use labelwise::{Classification, CrossEntropy, Evaluation, Matrix, Pool, Regression, SquaredError, Target};
use labelwise_models::{
    Calibrated, Ensemble, Forest, GaussianProcess, LinearRegression, LogisticRegression, ProcessSurrogate,
    default_surrogate,
};

/// Two features that wander over the unit square.
fn features(rows: usize, shift: f64) -> Matrix {
    let point = |i: usize| [(i as f64 * 0.618_034 + shift).fract(), (i as f64 * 0.414_214 + 0.3).fract()];
    Matrix::f64((0..rows).flat_map(point).collect::<Vec<_>>(), 2).unwrap()
}

fn class(x: &[f64]) -> usize {
    usize::from(x[0] > 0.4) + usize::from(x[0] + x[1] > 1.3)
}

fn value(x: &[f64]) -> f64 {
    (3.0 * x[0]).sin() + x[1] * x[1]
}

fn labels<L>(features: &Matrix, label: impl Fn(&[f64]) -> L) -> Vec<L> {
    let mut reader = features.reader();
    (0..features.rows()).map(|row| label(reader.row(row))).collect()
}

fn classification_pool() -> (Pool<Classification>, Vec<usize>, Data<Classification>) {
    let test = features(80, 0.1);
    let predictions = labels(&test, |x| if x[0] > 0.5 { [0.1, 0.7, 0.2] } else { [0.6, 0.2, 0.2] }).concat();
    let pool = Pool::classification(Matrix::f64(predictions, 3).unwrap()).unwrap();
    let train = features(40, 0.0);
    let known = labels(&train, class);
    let truth = labels(&test, class);
    (pool.with_features(test).unwrap(), truth, Data::new(train, known).unwrap())
}

fn regression_pool() -> (Pool<Regression>, Vec<f64>, Data<Regression>) {
    let test = features(60, 0.1);
    let predictions = labels(&test, |x| 0.5 + x[0]);
    let pool = Pool::regression(Matrix::f64(predictions, 1).unwrap()).unwrap();
    let train = features(12, 0.0);
    let known = labels(&train, value);
    let truth = labels(&test, value);
    (pool.with_features(test).unwrap(), truth, Data::new(train, known).unwrap())
}

type Make<T> = Box<dyn Fn() -> Box<dyn Surrogate<T>> + Sync>;

fn retrained<T: labelwise::Task>(learner: impl Learner<T> + Clone + 'static, train: &Data<T>) -> Make<T> {
    let train = train.clone();
    Box::new(move || Box::new(Retrained::new(learner.clone(), train.clone())))
}

#[test]
fn classifiers_keep_the_contract_and_guide_an_evaluation() {
    let (pool, truth, train) = classification_pool();
    let told: Vec<(usize, usize)> = (0..6).map(|item| (7 * item, truth[7 * item])).collect();
    let forest = Forest::default().trees(15);
    let ensemble = Ensemble::new(forest.clone(), 4).unwrap().bootstrap();
    let blend_train = train.clone();
    let all: Vec<(&str, Make<Classification>)> = vec![
        ("forest", retrained(forest.clone(), &train)),
        ("extremely randomised", retrained(Forest::extremely_randomised().trees(15), &train)),
        ("logistic", retrained(LogisticRegression::default(), &train)),
        ("ensemble", retrained(ensemble, &train)),
        ("calibrated", retrained(Calibrated::new(forest), &train)),
        ("default", Box::new(move || Box::new(default_surrogate(blend_train.clone())))),
    ];
    for (name, make) in &all {
        let changes =
            check_surrogate(make, &pool, &told).unwrap_or_else(|violation| panic!("{name}: {violation}"));
        assert!(changes == 6 || (*name == "default" && changes == 0), "{name} changed {changes} times");
    }
    let (_, ensemble) = &all[3];
    let builder = Evaluation::builder(pool.clone(), CrossEntropy::default(), ensemble());
    // The members are kept, or mutual information could not be had.
    let mut evaluation = builder.acquisition(MutualInformation).build().unwrap();
    evaluation.run(80, &mut |item| Ok(truth[item])).unwrap();
    let risk = pool.risk(evaluation.loss(), &truth).unwrap();
    assert!((evaluation.report(Target::Pool, 0.95).unwrap().estimate.value - risk).abs() < 1e-12);
}

#[test]
fn regressors_keep_the_contract_and_guide_an_evaluation() {
    let (pool, truth, train) = regression_pool();
    let told: Vec<(usize, f64)> = (0..6).map(|item| (7 * item, truth[7 * item])).collect();
    let process_train = train.clone();
    let all: Vec<(&str, Make<Regression>)> = vec![
        ("forest", retrained(Forest::default().trees(15), &train)),
        ("linear", retrained(LinearRegression::default(), &train)),
        ("ensemble", retrained(Ensemble::new(LinearRegression::default(), 4).unwrap().bootstrap(), &train)),
        ("process, refitted", retrained(GaussianProcess::paper(), &train)),
        (
            "process",
            Box::new(move || {
                Box::new(ProcessSurrogate::new(GaussianProcess::paper(), &process_train).unwrap())
            }),
        ),
    ];
    for (name, make) in &all {
        let changes =
            check_surrogate(make, &pool, &told).unwrap_or_else(|violation| panic!("{name}: {violation}"));
        assert_eq!(changes, 6, "{name}");
        let builder = Evaluation::builder(pool.clone(), SquaredError::default(), make());
        let mut evaluation = builder.build().unwrap();
        evaluation.run(60, &mut |item| Ok(truth[item])).unwrap();
        let risk = pool.risk(evaluation.loss(), &truth).unwrap();
        assert!(
            (evaluation.report(Target::Pool, 0.95).unwrap().estimate.value - risk).abs() < 1e-12,
            "{name}"
        );
    }
}
