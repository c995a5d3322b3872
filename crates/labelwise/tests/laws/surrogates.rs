//! Fixed and retrained surrogates, and when the proposal changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use labelwise::conformance::check_surrogate;
use labelwise::proposal::Floor;
use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Beliefs, Data, Learner, Model, RetrainOn, Retrained, Schedule, Surrogate};
use labelwise::{Classification, CrossEntropy, Error, Evaluation, Fixed, Matrix, Pool, Result, Seed};

use crate::pools::{label, pool, probabilities};

/// Learns how often each class occurs, with one of each to start from.
#[derive(Clone, Default)]
struct Frequencies {
    fits: Arc<AtomicUsize>,
    rows: Arc<AtomicUsize>,
    fail: Arc<AtomicBool>,
}

struct Frequency(Vec<f64>);

impl Learner<Classification> for Frequencies {
    fn fit(
        &self,
        data: &Data<Classification>,
        columns: usize,
        _rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Classification>>> {
        if self.fail.load(Ordering::Relaxed) {
            return Err(Error::Surrogate("the learner was told to fail".to_owned()));
        }
        self.fits.fetch_add(1, Ordering::Relaxed);
        self.rows.store(data.labels.len(), Ordering::Relaxed);
        let mut counts = vec![1.0; columns];
        data.labels.iter().for_each(|label| counts[*label] += 1.0);
        let total: f64 = counts.iter().sum();
        Ok(Box::new(Frequency(counts.iter().map(|count| count / total).collect())))
    }
}

impl Model<Classification> for Frequency {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        Matrix::f64(self.0.repeat(features.rows()), self.0.len())
    }
}

fn features(rows: usize) -> Matrix {
    Matrix::f64((0..rows).map(|i| i as f64).collect::<Vec<_>>(), 1).unwrap()
}

fn evaluation(learner: &Frequencies, schedule: Schedule, on: RetrainOn) -> Evaluation<Classification> {
    let train = Data::new(features(4), vec![0, 1, 2, 2]).unwrap();
    let surrogate = Retrained::new(learner.clone(), train).schedule(schedule).on(on);
    let pool = pool(60, 3).with_features(features(60)).unwrap();
    Evaluation::builder(pool, CrossEntropy::default(), surrogate).build().unwrap()
}

#[test]
fn retraining_follows_the_schedule() {
    for (schedule, fits) in [
        (Schedule::Every(1), 1 + 29),
        (Schedule::Every(10), 1 + 2),
        (Schedule::Never, 1),
        (Schedule::At(vec![0, 5, 10, 20, 40]), 1 + 3),
        (Schedule::paper(), 1 + 3),
    ] {
        let learner = Frequencies::default();
        let mut evaluation = evaluation(&learner, schedule.clone(), RetrainOn::TrainAndObserved);
        evaluation.run(30, &mut |item| Ok(label(item, 3))).unwrap();
        assert_eq!(learner.fits.load(Ordering::Relaxed), fits, "{schedule:?}");
    }
}

#[test]
fn it_learns_from_train_and_observed_or_from_train() {
    for (on, rows) in [(RetrainOn::TrainAndObserved, 4 + 29), (RetrainOn::Train, 4)] {
        let learner = Frequencies::default();
        let mut evaluation = evaluation(&learner, Schedule::Every(1), on);
        evaluation.run(30, &mut |item| Ok(label(item, 3))).unwrap();
        assert_eq!(learner.rows.load(Ordering::Relaxed), rows, "{on:?}");
    }
}

#[test]
fn surrogates_keep_the_contract() {
    let pool = pool(60, 3).with_features(features(60)).unwrap();
    let labels: Vec<(usize, usize)> = (0..12).map(|item| (item, label(item, 3))).collect();
    let retrained = |schedule: Schedule| {
        move || -> Box<dyn Surrogate<Classification>> {
            let train = Data::new(features(4), vec![0, 1, 2, 2]).unwrap();
            Box::new(Retrained::new(Frequencies::default(), train).schedule(schedule.clone()))
        }
    };
    assert_eq!(check_surrogate(retrained(Schedule::Every(1)), &pool, &labels), Ok(12));
    assert_eq!(check_surrogate(retrained(Schedule::paper()), &pool, &labels), Ok(2));
    let fixed = || -> Box<dyn Surrogate<Classification>> { Box::new(Fixed(pool.own_beliefs().unwrap())) };
    assert_eq!(check_surrogate(fixed, &pool, &labels), Ok(0));
}

#[test]
fn a_batch_is_refitted_once() {
    let learner = Frequencies::default();
    let mut evaluation = evaluation(&learner, Schedule::Every(1), RetrainOn::TrainAndObserved);
    for _ in 0..3 {
        let batch = evaluation.ask_batch(10).unwrap();
        batch.iter().for_each(|draw| assert!(evaluation.tell(draw.index, label(draw.index, 3)).is_ok()));
    }
    assert_eq!(learner.fits.load(Ordering::Relaxed), 3);
    assert_eq!(evaluation.draws()[9].refresh, 0);
    assert_eq!(evaluation.draws()[10].refresh, 1);
}

#[test]
fn a_failed_refit_loses_nothing_and_is_tried_again() {
    let learner = Frequencies::default();
    let mut evaluation = evaluation(&learner, Schedule::Every(1), RetrainOn::TrainAndObserved);
    evaluation.run(5, &mut |item| Ok(label(item, 3))).unwrap();
    learner.fail.store(true, Ordering::Relaxed);
    let before = evaluation.journal().to_vec();
    assert!(matches!(evaluation.ask(), Err(Error::Surrogate(_))));
    assert_eq!(evaluation.journal(), before);
    assert_eq!(evaluation.complete(), 5);
    learner.fail.store(false, Ordering::Relaxed);
    evaluation.run(5, &mut |item| Ok(label(item, 3))).unwrap();
    assert_eq!(evaluation.complete(), 10);
}

#[test]
fn what_retraining_needs_is_said() {
    let surrogate =
        || Retrained::new(Frequencies::default(), Data::new(features(4), vec![0, 1, 2, 2]).unwrap());
    let build = |pool: Pool<Classification>| {
        Evaluation::builder(pool, CrossEntropy::default(), surrogate()).build().map(|_| ()).unwrap_err()
    };
    assert!(matches!(build(pool(60, 3)), Error::Surrogate(_)));
    let wide = Matrix::f64(vec![0.0; 120], 2).unwrap();
    assert!(matches!(build(pool(60, 3).with_features(wide).unwrap()), Error::Columns { columns: 2, .. }));
    assert!(matches!(
        Data::<Classification>::new(features(4), vec![0]),
        Err(Error::TrainingRows { features: 4, labels: 1 })
    ));
}

/// The paper clips q again at every step; with fixed scores only the floor changes.
#[test]
fn rescoring_at_every_step_is_the_papers_clip() {
    let pool = pool(12, 3);
    let beliefs = Beliefs::new(Matrix::f64(probabilities(12, 3, 2), 3).unwrap(), &pool).unwrap();
    let builder = Evaluation::builder(pool.clone(), CrossEntropy::default(), Fixed(beliefs.clone()));
    let builder = builder.acquisition(labelwise::acquisition::ExpectedLoss).floor(Floor::Clip { alpha: 0.8 });
    let mut evaluation = builder.rescore(Schedule::Every(1)).seed(Seed(5)).build().unwrap();
    let (mut predictions, mut rows) = (pool.predictions().reader(), beliefs.rows().reader());
    let mut left: Vec<usize> = (0..12).collect();
    for _ in 0..12 {
        let draw = evaluation.ask().unwrap();
        let loss = CrossEntropy::default();
        let mut score =
            |item: usize| labelwise::loss::Loss::moments(&loss, predictions.row(item), rows.row(item)).first;
        let sum: f64 = left.iter().map(|item| score(*item)).sum();
        let clipped: Vec<f64> =
            left.iter().map(|item| (score(*item) / sum).max(0.8 / left.len() as f64)).collect();
        let place = left.iter().position(|item| *item == draw.index).unwrap();
        crate::pools::assert_close(draw.q, clipped[place] / clipped.iter().sum::<f64>(), 1e-12, "q");
        left.remove(place);
        evaluation.tell(draw.index, 0).unwrap();
    }
}
