use labelwise::rng::Stream;
use labelwise::surrogate::{Data, Model, Observed, Surrogate};
use labelwise::{Error, Matrix, Pool, Regression, Seed};

use super::{column, data};
use crate::gp::{
    Family, FittedProcess, GaussianProcess, Hyperparameters, Kernel, LengthScale, ProcessSurrogate,
    TrackedProcess,
};

fn error<T>(result: labelwise::Result<T>) -> String {
    match result {
        Ok(_) => panic!("this should have been refused"),
        Err(error) => error.to_string(),
    }
}

fn train() -> Data<Regression> {
    data(&[0.0, 0.4, 1.0], &[1.0, 2.0, 3.0])
}

fn fitted() -> FittedProcess {
    FittedProcess::new(GaussianProcess::paper(), &train()).unwrap()
}

fn fit(process: GaussianProcess, features: Matrix, labels: &[f64]) -> labelwise::Result<FittedProcess> {
    // Built by hand, since `Data::new` would refuse some of these before us.
    let data = Data { features, labels: labels.to_vec() };
    process.fit_process(&data, &mut Seed(1).stream(Stream::Fit, 0))
}

#[test]
fn kernels_and_processes_name_what_is_wrong() {
    let kernel = |scale: f64, variance: f64| error(Kernel::new(Family::Rbf, scale, variance));
    let scales = |scales: &[f64]| error(Kernel::new(Family::Rbf, scales.to_vec(), 1.0));
    let paper = GaussianProcess::paper;
    let process = |process: GaussianProcess| error(fit(process, column([0.0]), &[1.0]));
    let texts = [
        kernel(0.0, 1.0),
        kernel(1.0, -2.0),
        kernel(f64::NAN, 1.0),
        kernel(1.0, f64::INFINITY),
        scales(&[1.0, -3.0]),
        scales(&[]),
        process(GaussianProcess { noise_variance: -0.5, ..paper() }),
        process(GaussianProcess { jitter: f64::NAN, ..paper() }),
        process(GaussianProcess { prior_mean: f64::INFINITY, ..paper() }),
    ];
    insta::assert_snapshot!(texts.join("\n"), @r#"
    the kernel's length scale is 0, but must be above 0 (from 1e-300 to 1e300)
    the kernel's variance is -2, but must be above 0 (from 1e-300 to 1e300)
    the kernel's length scale is NaN, but must be above 0 (from 1e-300 to 1e300)
    the kernel's variance is inf, but must be above 0 (from 1e-300 to 1e300)
    the kernel's length scale is -3, but must be above 0 (from 1e-300 to 1e300)
    the kernel's length scales: 0 columns, but the table needs at least 1
    the noise variance is -0.5, but must be 0 or above (at most 1e300)
    the jitter is NaN, but must be 0 or above (at most 1e300)
    the prior mean is inf, but must be a finite number
    "#);
}

#[test]
fn data_that_cannot_be_learnt_from_is_named() {
    let paper = GaussianProcess::paper;
    let learns = GaussianProcess {
        hyperparameters: Hyperparameters::MaximumLikelihood { restarts: 1 },
        ..GaussianProcess::paper()
    };
    let two_scales = Kernel::new(Family::Matern52, LengthScale::PerFeature(vec![1.0, 2.0]), 1.0).unwrap();
    let mut fitted = fitted();
    let texts = [
        error(fit(paper(), column([]), &[])),
        error(fit(paper(), column([0.0, 1.0]), &[1.0])),
        error(fit(paper(), column([0.0, f64::NAN]), &[1.0, 2.0])),
        error(fit(paper(), column([0.0, 1.0]), &[1.0, f64::INFINITY])),
        error(fit(paper(), column([0.0, 0.0]), &[1e308, -1e308])),
        error(fit(learns, column([0.0, f64::NAN]), &[1.0, 2.0])),
        error(fit(GaussianProcess::new(two_scales), column([0.0]), &[1.0])),
        error(fitted.observe(&[0.0, 1.0], 1.0)),
        error(fitted.observe(&[f64::NAN], 1.0)),
        error(fitted.observe(&[0.5], f64::NAN)),
        error(fitted.observe(&[0.4], 1e308)),
    ];
    insta::assert_snapshot!(texts.join("\n"), @r#"
    fitting a Gaussian process needs at least 1 labels, but there are 0
    there are 2 rows of training features and 1 training labels: give one label per row
    training features of item 1: column 0 is NaN, but must be a finite number; drop the item or correct the value
    training labels of item 1: column 0 is inf, but must be a finite number; drop the item or correct the value
    the surrogate failed: label -1e308 is too large for the kernel's variance: scale the labels, or raise the variance or the noise
    training features of item 1: column 0 is NaN, but must be a finite number; drop the item or correct the value
    training features: 1 columns, but the table needs 2 (one for each length scale of the kernel)
    features: 2 columns, but the table needs 1 (as in the training features)
    features of item 3: column 0 is NaN, but must be a finite number; drop the item or correct the value
    the label of item 3 is NaN: give a finite number
    the surrogate failed: label 1e308 is too large for the kernel's variance: scale the labels, or raise the variance or the noise
    "#);
    assert_eq!(fitted.labels(), 3);
    // What was refused left no trace in what comes after.
    fitted.observe(&[0.7], 2.5).unwrap();
    let fresh = fit(paper(), column([0.0, 0.4, 1.0, 0.7]), &[1.0, 2.0, 3.0, 2.5]).unwrap();
    let belief = |fitted: &FittedProcess| fitted.predict(&column([0.6])).unwrap().reader().row(0).to_vec();
    assert_eq!(belief(&fitted), belief(&fresh));
}

#[test]
fn items_that_cannot_be_predicted_are_named() {
    let wide = || Matrix::f64(vec![0.0, 1.0], 2).unwrap();
    let mut rng = Seed(1).stream(Stream::Data, 0);
    let mut tracked = TrackedProcess::new(&fitted(), column([0.1, 0.2])).unwrap();
    let mut surrogate = ProcessSurrogate::new(GaussianProcess::paper(), &train()).unwrap();
    let pool = Pool::regression(column([0.0, 1.0])).unwrap();
    let wide_pool = Pool::regression(column([0.0])).unwrap().with_features(wide()).unwrap();
    let learns = GaussianProcess {
        hyperparameters: Hyperparameters::MaximumLikelihood { restarts: 4 },
        ..GaussianProcess::paper()
    };
    let texts = [
        error(fitted().predict(&wide())),
        error(fitted().predict(&column([0.0, f64::INFINITY]))),
        error(fitted().draw_posterior(&wide(), &mut rng)),
        error(GaussianProcess::paper().draw_prior(&column([f64::NAN]), &mut rng)),
        error(Kernel::paper().covariances(&column([0.0]), &wide())),
        error(Kernel::paper().covariances(&column([0.0]), &column([]))),
        error(TrackedProcess::new(&fitted(), wide())),
        error(tracked.observe(2, 1.0)),
        error(tracked.observe(1, f64::NAN)),
        error(surrogate.update(Observed { pool: &pool, labels: &[] }, &mut rng).map(|_| ())),
        error(surrogate.update(Observed { pool: &wide_pool, labels: &[] }, &mut rng).map(|_| ())),
        error(ProcessSurrogate::new(learns, &train())),
    ];
    insta::assert_snapshot!(texts.join("\n"), @r#"
    features: 2 columns, but the table needs 1 (as in the training features)
    features of item 1: column 0 is inf, but must be a finite number; drop the item or correct the value
    features: 2 columns, but the table needs 1 (as in the training features)
    features of item 0: column 0 is NaN, but must be a finite number; drop the item or correct the value
    the second features: 2 columns, but the table needs 1 (as in the first features)
    0 values are not whole rows of 0: check the shape
    features: 2 columns, but the table needs 1 (as in the training features)
    item 2 is not in the pool: its items are 0 to 1
    the label of item 1 is NaN: give a finite number
    the surrogate failed: a Gaussian process needs features: give the pool one row of features per item
    features: 2 columns, but the table needs 1 (as in the training features)
    the surrogate failed: ProcessSurrogate does not learn hyperparameters, but MaximumLikelihood with 4 restarts asks for it: use Retrained with the process, or learn them once with fit_process and give its process()
    "#);
}

#[test]
fn nothing_asked_is_nothing_answered() {
    let mut rng = Seed(1).stream(Stream::Data, 0);
    assert_eq!(fitted().predict(&column([])).unwrap().rows(), 0);
    assert_eq!(fitted().draw_posterior(&column([]), &mut rng).unwrap(), []);
}

/// Features and labels at the ends of what numbers can be give numbers or an error.
#[test]
fn extremes_are_answered_or_refused() {
    let ends = [0.0, 1e-300, -1e300, 1e308, f64::MAX, f64::MIN, f64::MIN_POSITIVE];
    for family in [Family::Matern12, Family::Matern32, Family::Matern52, Family::Rbf] {
        for scale in [1e-300, 1.0, 1e300] {
            let process = GaussianProcess::new(Kernel::new(family, scale, 1.0).unwrap());
            let fitted = fit(process, column(ends), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
            let beliefs = fitted.predict(&column(ends)).unwrap();
            assert!(beliefs.reader().rows(0..7).values().iter().all(|value| value.is_finite()));
        }
    }
    let large = fit(GaussianProcess::paper(), column([0.0, 0.5]), &[1e302, -1e302]).unwrap();
    match large.predict(&column([0.2, 0.7])) {
        Ok(beliefs) => assert!(beliefs.reader().rows(0..2).values().iter().all(|value| value.is_finite())),
        Err(error) => assert!(matches!(error, Error::NotFinite { .. })),
    }
}
