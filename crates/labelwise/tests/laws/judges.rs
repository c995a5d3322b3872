//! Judges and histories: what they promise, by enumeration and from both sides of a question.

use std::sync::Arc;

use labelwise::conformance::{Path, check_surrogate, every_path};
use labelwise::estimator::{ControlledLure, Estimator, Sample};
use labelwise::loss::{ClassWorths, LabelValue, Loss, Moments};
use labelwise::surrogate::{
    History, JudgePrior, Judges, Observed, PairedJudges, Schedule, Surrogate, WorthOf, of_rating, of_score,
    of_verdict,
};
use labelwise::{Classification, Evaluation, Matrix, Pool, Regression, Seed, Target, Task};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::pools::assert_close;

const SCORES: [f64; 6] = [0.9, 0.2, 0.65, 0.1, 0.5, 0.8];
const CLASSES: [usize; 6] = [1, 0, 0, 0, 1, 1];

/// The expectation of a mean loss over every order of three draws, with scores and controls that learn from the past.
fn expectation<T: Task>(
    learner: &dyn Fn() -> Box<dyn Surrogate<T>>,
    pool: &Pool<T>,
    loss: &dyn Loss<T>,
    labels: &[T::Label],
) -> f64 {
    let believed = |past: &[(usize, f64)]| -> Vec<Moments> {
        let told: Vec<(usize, T::Label)> = past.iter().map(|(item, _)| (*item, labels[*item])).collect();
        let mut learning = learner();
        let observed = Observed { pool, labels: &told };
        let beliefs =
            learning.update(observed, &mut ChaCha8Rng::seed_from_u64(0)).unwrap().beliefs.rows().clone();
        let (mut rows, mut beliefs) = (pool.predictions().reader(), beliefs.reader());
        (0..6).map(|i| loss.moments(T::prediction(rows.row(i)), T::belief(beliefs.row(i)))).collect()
    };
    let scores = |past: &[(usize, f64)]| -> Vec<f64> {
        believed(past).iter().map(|m| 0.05 + (m.second - m.first * m.first).max(0.0).sqrt()).collect()
    };
    let value = |path: &Path| {
        let mut rows = pool.predictions().reader();
        let samples: Vec<Sample> = (0..path.draws.len())
            .map(|m| {
                let (item, q) = path.draws[m];
                let control = believed(&path.draws[..m]);
                let drawn = |item: &usize| path.draws[..m].iter().any(|(before, _)| before == item);
                let mut sample =
                    Sample::plain(item, q, loss.loss(T::prediction(rows.row(item)), labels[item]));
                sample.control = control[item].first;
                sample.control_total = (0..6).filter(|i| !drawn(i)).map(|i| control[i].first).sum();
                sample
            })
            .collect();
        ControlledLure.estimate(&samples, 6).unwrap()
    };
    every_path(6, 3, scores).iter().map(|path| path.probability * value(path)).sum()
}

/// Judges that learn from every label.
fn eager<T: WorthOf>(judges: &Judges<T>) -> impl Fn() -> Box<dyn Surrogate<T>> {
    move || Box::new(judges.clone().schedule(Schedule::Every(1)))
}

fn of_classes(worths: Vec<f64>, loss: ClassWorths) -> (Judges<Classification>, Pool<Classification>) {
    let classes = worths.len();
    let rows: Vec<f64> = SCORES
        .iter()
        .flat_map(|s| {
            let mut row = vec![(1.0 - s) / (classes as f64 - 1.0); classes];
            row[classes - 1] = *s;
            row
        })
        .collect();
    let pool = Pool::classification(Matrix::f64(rows, classes).unwrap()).unwrap();
    let features = Matrix::f64(SCORES.map(of_score).to_vec(), 1).unwrap();
    (Judges::new(features, JudgePrior::judges(1), worths, Arc::new(loss), &pool).unwrap(), pool)
}

#[test]
fn rates_worths_and_values_have_no_bias() {
    let rate = ClassWorths::rate(1, 2);
    let (judges, pool) = of_classes(vec![0.0, 1.0], rate.clone());
    assert_close(expectation(&eager(&judges), &pool, &rate, &CLASSES), 0.5, 1e-12, "rate");

    let worths = ClassWorths::new(vec![1.0, 2.0, 5.0]).unwrap();
    let (judges, pool) = of_classes(vec![0.0, 0.25, 1.0], worths.clone());
    let labels = [2, 0, 1, 0, 1, 2];
    assert_close(expectation(&eager(&judges), &pool, &worths, &labels), 16.0 / 6.0, 1e-12, "worths");

    let value = LabelValue::within(1.0, 5.0).unwrap();
    let ratings = [5.0, 1.0, 4.0, 2.0, 3.0, 4.0];
    let pool = Pool::regression(Matrix::f64(ratings.to_vec(), 1).unwrap()).unwrap();
    let features = Matrix::f64(ratings.map(|rating| of_rating(rating, 1.0, 5.0)).to_vec(), 1).unwrap();
    let judges =
        Judges::<Regression>::new(features, JudgePrior::judges(1), (1.0, 5.0), Arc::new(value), &pool)
            .unwrap();
    let told = [4.5, 1.0, 4.0, 3.0, 1.5, 5.0];
    assert_close(expectation(&eager(&judges), &pool, &value, &told), 19.0 / 6.0, 1e-12, "value");
}

#[test]
fn the_difference_of_two_systems_has_no_bias() {
    // The label of a pair is the class of the first answer times 2 plus that of the second.
    let difference = ClassWorths::new(vec![0.0, 1.0, -1.0, 0.0]).unwrap();
    let other = [0.7, 0.4, 0.9, 0.2, 0.3, 0.6];
    let rows: Vec<f64> = SCORES
        .iter()
        .zip(&other)
        .flat_map(|(a, b)| [(1.0 - a) * (1.0 - b), (1.0 - a) * b, a * (1.0 - b), a * b])
        .collect();
    let pool = Pool::classification(Matrix::f64(rows, 4).unwrap()).unwrap();
    let side = |scores: [f64; 6]| {
        let features = Matrix::f64(scores.map(of_score).to_vec(), 1).unwrap();
        let loss = Arc::new(difference.clone());
        let judges = Judges::new(features, JudgePrior::judges(1), vec![0.0, 1.0], loss, &pool).unwrap();
        judges.schedule(Schedule::Every(1))
    };
    let pairs =
        || -> Box<dyn Surrogate<Classification>> { Box::new(PairedJudges::new(side(SCORES), side(other))) };
    let second = [1, 0, 1, 1, 0, 1];
    let labels: Vec<usize> = CLASSES.iter().zip(second).map(|(a, b)| 2 * a + b).collect();
    assert_close(expectation(&pairs, &pool, &difference, &labels), 1.0 / 6.0, 1e-12, "difference");
    // The other way round, the answer is the opposite.
    let turned: Vec<usize> = CLASSES.iter().zip(second).map(|(a, b)| 2 * b + a).collect();
    let swapped =
        || -> Box<dyn Surrogate<Classification>> { Box::new(PairedJudges::new(side(other), side(SCORES))) };
    assert_close(expectation(&swapped, &pool, &difference, &turned), -1.0 / 6.0, 1e-12, "turned");
}

#[test]
fn labels_that_are_all_alike_do_not_exclude_their_end() {
    let judge: Vec<f64> = (0..300).map(|item| 4.0 * noise(item, 1)).collect();
    for (label, end) in [(0, 0.0), (1, 1.0)] {
        let evaluation = evaluated(std::slice::from_ref(&judge), JudgePrior::judges(1), &[label; 300]);
        let interval = evaluation.report(Target::Pool, 0.95).unwrap().interval.unwrap();
        assert!(interval.covers(end) && interval.high - interval.low < 0.2, "{interval:?}");
        assert!(interval.covers(end + (0.5 - end) * 0.02), "{interval:?}");
    }
}

#[test]
fn judges_keep_the_contract_of_a_surrogate() {
    let rate = ClassWorths::rate(1, 2);
    let (judges, pool) = of_classes(vec![0.0, 1.0], rate);
    let labels: Vec<(usize, usize)> = CLASSES.iter().copied().enumerate().collect();
    check_surrogate(|| Box::new(judges.clone().schedule(Schedule::Every(2))), &pool, &labels).unwrap();
}

/// An evaluation of 300 items by the judges `z`, of the rate of class 1.
fn evaluated(z: &[Vec<f64>], prior: JudgePrior, labels: &[usize]) -> Evaluation<Classification> {
    let size = labels.len();
    let pool = Pool::classification(Matrix::f64([0.5, 0.5].repeat(size), 2).unwrap()).unwrap();
    let features: Vec<f64> = (0..size).flat_map(|item| z.iter().map(move |column| column[item])).collect();
    let features = Matrix::f64(features, z.len()).unwrap();
    let rate = ClassWorths::rate(1, 2);
    let judges = Judges::new(features, prior, vec![0.0, 1.0], Arc::new(rate.clone()), &pool).unwrap();
    let mut evaluation = Evaluation::builder(pool, rate, judges)
        .acquisition(labelwise::acquisition::Centred)
        .seed(Seed(3))
        .build()
        .unwrap();
    evaluation.run(80, &mut |item| Ok(labels[item])).unwrap();
    evaluation
}

fn noise(item: usize, stream: usize) -> f64 {
    (((item * 7919 + stream * 104_729 + 17) % 1009) as f64 / 1009.0) - 0.5
}

#[test]
fn mirrored_questions_have_mirrored_answers() {
    let labels: Vec<usize> =
        (0..300).map(|item| usize::from(noise(item, 1) + 0.6 * noise(item, 2) > 0.2)).collect();
    let judge: Vec<f64> = (0..300).map(|item| 4.0 * noise(item, 1) - 0.3).collect();
    let other: Vec<f64> =
        (0..300).map(|item| of_verdict(if noise(item, 2) > 0.0 { 1.0 } else { 0.0 })).collect();
    let mirror = |column: &Vec<f64>| column.iter().map(|z| -z).collect::<Vec<f64>>();
    let flipped: Vec<usize> = labels.iter().map(|label| 1 - label).collect();
    let here = evaluated(&[judge.clone(), other.clone()], JudgePrior::judges(2), &labels);
    let there = evaluated(&[mirror(&judge), mirror(&other)], JudgePrior::judges(2), &flipped);
    let items =
        |of: &Evaluation<Classification>| of.draws().iter().map(|draw| draw.index).collect::<Vec<_>>();
    assert_eq!(items(&here), items(&there));
    let report = |of: &Evaluation<Classification>| of.report(Target::Pool, 0.95).unwrap();
    let (one, two) = (report(&here), report(&there));
    assert_close(one.estimate.value, 1.0 - two.estimate.value, 1e-9, "estimate");
    let (one, two) = (one.interval.unwrap(), two.interval.unwrap());
    assert_close(one.low, 1.0 - two.high, 1e-9, "low");
    assert_close(one.high, 1.0 - two.low, 1e-9, "high");
    assert!(one.high - one.low < 0.4);
}

#[test]
fn a_history_says_how_far_to_trust_it() {
    // Twelve models of different strength on items of different difficulty; some did not run everywhere.
    let result = |item: usize, model: usize| {
        let strength = model as f64 / 12.0 - 0.5;
        let wins = 3.0 * noise(item, 1) + strength + 0.8 * noise(item * 31 + model, 3) > 0.0;
        if (item + 3 * model).is_multiple_of(41) { f64::NAN } else { f64::from(u8::from(wins)) }
    };
    let rows: Vec<f64> = (0..300).flat_map(|item| (0..12).map(move |model| result(item, model))).collect();
    let here = History::new(Matrix::f64(rows.clone(), 12).unwrap()).unwrap().features(&[]).unwrap();
    assert_eq!((here.ranks, here.rows.columns(), here.prior.features()), (2, 3, 3));
    // From the other side the features change their sign, and the prior expects the opposite.
    let flipped: Vec<f64> = rows.iter().map(|result| 1.0 - result).collect();
    let there = History::new(Matrix::f64(flipped, 12).unwrap()).unwrap().features(&[]).unwrap();
    let (mut one, mut two) = (here.rows.reader(), there.rows.reader());
    for item in 0..300 {
        for (a, b) in one.row(item).iter().zip(two.row(item)) {
            assert_close(*a, -b, 1e-9, "feature");
        }
        let (a, b) = (here.prior.expected(one.row(item)), there.prior.expected(two.row(item)));
        assert_close(a, 1.0 - b, 1e-9, "belief");
    }
    // A single model is taken for a judge: it cannot show how far models differ from it.
    let alone: Vec<f64> = (0..300).map(|item| result(item, 4)).collect();
    let alone = History::new(Matrix::f64(alone, 1).unwrap()).unwrap().features(&[]).unwrap();
    assert_eq!(alone.prior.to_numbers(), JudgePrior::judges(1).to_numbers());
    // Results outside of 0 and 1 are refused.
    assert!(History::new(Matrix::f64(vec![0.5, 1.5], 2).unwrap()).is_err());
}
