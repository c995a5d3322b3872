use labelwise::rng::Stream;
use labelwise::surrogate::{Change, Data, Observed, RetrainOn, Retrained, Schedule, Surrogate};
use labelwise::{Error, Evaluation, Matrix, Pool, Regression, Seed, SquaredError};

use super::{column, data};
use crate::gp::{
    Family, FittedProcess, GaussianProcess, Hyperparameters, Kernel, ProcessSurrogate, TrackedProcess,
};

/// Items 12 and 30, and many more, repeat earlier ones nearly or wholly.
fn features(pool_size: usize) -> Vec<f64> {
    (0..pool_size).map(|i| ((i % 12) as f64 * 0.61).fract() + if i % 5 == 0 { 1e-9 } else { 0.0 }).collect()
}

fn label(x: f64) -> f64 {
    (5.0 * x).sin() + x
}

fn pool(pool_size: usize) -> Pool<Regression> {
    let x = features(pool_size);
    let predictions = column(x.iter().map(|x| label(*x) * 0.9));
    Pool::regression(predictions).unwrap().with_features(column(x)).unwrap()
}

fn train() -> Data<Regression> {
    let x = [0.05, 0.5, 0.05, 0.93];
    data(&x, &x.map(label))
}

fn processes() -> [GaussianProcess; 3] {
    let rough = Kernel::new(Family::Matern12, 0.3, 2.0).unwrap();
    [
        GaussianProcess::paper(),
        GaussianProcess { jitter: 0.0, prior_mean: -0.4, ..GaussianProcess::paper() },
        GaussianProcess { noise_variance: 0.05, ..GaussianProcess::new(rough) },
    ]
}

fn values(rows: &Matrix) -> Vec<f64> {
    rows.reader().rows(0..rows.rows()).values().to_vec()
}

/// Updates both with the same labels, in steps of 0 to 3, and compares all they say.
fn compare(process: &GaussianProcess, schedule: &Schedule, on: RetrainOn, amend: Option<usize>) {
    let pool = pool(40);
    let mut retrained = Retrained::new(process.clone(), train()).schedule(schedule.clone()).on(on);
    let mut ours =
        ProcessSurrogate::new(process.clone(), &train()).unwrap().schedule(schedule.clone()).on(on);
    let mut rng = Seed(1).stream(Stream::Fit, 0);
    let mut labels: Vec<(usize, f64)> = Vec::new();
    for step in 0..16 {
        for _ in 0..step % 4 {
            let item = labels.len() * 7 % 40;
            labels.push((item, label(features(40)[item])));
        }
        if let Some(place) = amend.filter(|_| step == 9) {
            labels[place].1 += 1.0;
        }
        let observed = Observed { pool: &pool, labels: &labels };
        let (theirs, ours) =
            (retrained.update(observed, &mut rng).unwrap(), ours.update(observed, &mut rng).unwrap());
        assert_eq!(ours.change, theirs.change, "{schedule:?} {on:?} step {step}");
        assert_eq!(
            values(ours.beliefs.rows()),
            values(theirs.beliefs.rows()),
            "{schedule:?} {on:?} step {step}"
        );
    }
}

#[test]
fn it_says_what_refitting_says_to_the_last_bit() {
    let schedules =
        [Schedule::Every(1), Schedule::Every(4), Schedule::At(vec![3, 8, 9, 22]), Schedule::Never];
    for process in processes() {
        for schedule in &schedules {
            for on in [RetrainOn::TrainAndObserved, RetrainOn::Train] {
                compare(&process, schedule, on, None);
            }
        }
    }
}

#[test]
fn an_amended_label_is_learnt_anew() {
    // Conflicting labels at the same place need noise, or nothing but rounding decides between them.
    let process = GaussianProcess { noise_variance: 0.01, ..GaussianProcess::paper() };
    for place in [0, 5, 11] {
        compare(&process, &Schedule::Every(1), RetrainOn::TrainAndObserved, Some(place));
        compare(&process, &Schedule::Every(5), RetrainOn::TrainAndObserved, Some(place));
    }
}

#[test]
fn evaluations_draw_the_same_items() {
    let draws = |surrogate: Box<dyn Surrogate<Regression>>| {
        struct Boxed(Box<dyn Surrogate<Regression>>);
        impl Surrogate<Regression> for Boxed {
            fn update(
                &mut self,
                observed: Observed<'_, Regression>,
                rng: &mut labelwise::rng::ChaCha8Rng,
            ) -> labelwise::Result<labelwise::surrogate::Updated<'_, Regression>> {
                self.0.update(observed, rng)
            }
        }
        let builder = Evaluation::builder(pool(60), SquaredError::default(), Boxed(surrogate));
        let mut evaluation = builder.seed(Seed(3)).build().unwrap();
        evaluation.run(40, &mut |item| Ok(label(features(60)[item]))).unwrap();
        evaluation.draws().iter().map(|draw| (draw.index, draw.q)).collect::<Vec<_>>()
    };
    let process = GaussianProcess::paper();
    let ours = ProcessSurrogate::new(process.clone(), &train()).unwrap();
    assert_eq!(draws(Box::new(ours)), draws(Box::new(Retrained::new(process, train()))));
}

/// Large enough for threads, in several features: blocks of a prediction, and tiles of an update, are cut elsewhere.
#[test]
fn cutting_the_pool_changes_nothing() {
    let pool_size = 1_500;
    let wide = |rows: usize, turn: f64| {
        Matrix::f64((0..rows * 2).map(|i| (i as f64 * turn).sin()).collect::<Vec<_>>(), 2).unwrap()
    };
    let labels: Vec<f64> = (0..200).map(|i| (f64::from(i) * 0.3).cos()).collect();
    let train = Data::new(wide(200, 0.7), labels).unwrap();
    let pool = Pool::regression(column(vec![0.0; pool_size])).unwrap();
    let pool = pool.with_features(wide(pool_size, 0.31)).unwrap();
    let process = GaussianProcess { noise_variance: 0.1, ..GaussianProcess::paper() };
    let told: Vec<(usize, f64)> = (0..30).map(|i| (i * 37, i as f64 * 0.1)).collect();
    let mut rng = Seed(1).stream(Stream::Fit, 0);
    let observed = Observed { pool: &pool, labels: &told };
    let mut ours = ProcessSurrogate::new(process.clone(), &train).unwrap();
    let mut retrained = Retrained::new(process, train);
    let ours = ours.update(observed, &mut rng).unwrap().beliefs.rows().clone();
    assert_eq!(values(&ours), values(retrained.update(observed, &mut rng).unwrap().beliefs.rows()));
}

#[test]
fn a_failed_update_is_tried_again() {
    let pool = pool(20);
    let mut surrogate = ProcessSurrogate::new(GaussianProcess::paper(), &train()).unwrap();
    let mut rng = Seed(1).stream(Stream::Fit, 0);
    let mut labels = vec![(3, 0.5), (4, f64::NAN)];
    assert!(surrogate.update(Observed { pool: &pool, labels: &labels[..1] }, &mut rng).is_ok());
    let failed = surrogate.update(Observed { pool: &pool, labels: &labels }, &mut rng).map(|_| ());
    assert!(matches!(failed, Err(Error::LabelNotFinite { item: 4, .. })), "{failed:?}");
    labels[1].1 = 0.7;
    let observed = Observed { pool: &pool, labels: &labels };
    let mut fresh = ProcessSurrogate::new(GaussianProcess::paper(), &train()).unwrap();
    let expected = values(fresh.update(observed, &mut rng).unwrap().beliefs.rows());
    let again = surrogate.update(observed, &mut rng).unwrap();
    assert_eq!((values(again.beliefs.rows()), again.change), (expected, Change::Refitted));
}

#[test]
fn hyperparameters_that_are_to_be_learnt_are_refused() {
    let hyperparameters = Hyperparameters::MaximumLikelihood { restarts: 3 };
    let process = GaussianProcess { hyperparameters, ..GaussianProcess::paper() };
    assert!(matches!(ProcessSurrogate::new(process, &train()), Err(Error::Surrogate(_))));
}

/// Rounding takes more from the variance of a labelled item than was left; no belief shows it.
#[test]
fn a_variance_below_zero_is_zero() {
    let kernel = Kernel::new(Family::Rbf, 0.5, 1.0).unwrap();
    let process = GaussianProcess { jitter: 0.0, ..GaussianProcess::new(kernel) };
    let x: Vec<f64> = (0..150).map(|i| f64::from(i) / 149.0).collect();
    let fitted = FittedProcess::new(process, &data(&x, &x)).unwrap();
    let tracked = TrackedProcess::new(&fitted, column(x)).unwrap();
    assert!(tracked.variances().iter().any(|variance| *variance < 0.0), "this does not test anything");
    assert!(values(&tracked.beliefs().unwrap()).chunks(3).all(|belief| belief[2] >= 0.0));
}
