//! Random histories of ask, tell, skip, give up, amend and open again: a study in a file, a study in memory and an
//! evaluation of the core never differ in any bit.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::fs;
use std::sync::Arc;

use labelwise::acquisition::Centred;
use labelwise::estimator::{CentredLure, Estimator, RegressionLure};
use labelwise::interval::{Basis, Method};
use labelwise::ledger::Outcome;
use labelwise::proposal::Floor;
use labelwise::surrogate::{Recalibrated, Residuals, Schedule};
use labelwise::{
    Classification, CrossEntropy, Evaluation, Fixed, Lure, Matrix, Pool, Seed, SquaredError, Target,
};
use labelwise_study::{
    Answer, AnswerOptions, Author, BeliefName, Choices, EstimateOptions, EstimatorName, Fate, PoolTable,
    Predictions, Reading, Reply, Study, Times,
};
use proptest::prelude::*;

const SIZE: usize = 40;
const CLASSES: [&str; 3] = ["cat", "dog", "owl"];

#[derive(Debug, Clone, Copy)]
enum Step {
    Ask(usize),
    Tell(usize, usize),
    Skip(usize),
    Missing(usize),
    Amend(usize, usize),
    Nonsense(usize),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1_usize..6).prop_map(Step::Ask),
        8 => (0_usize..SIZE, 0_usize..3).prop_map(|(place, label)| Step::Tell(place, label)),
        1 => (0_usize..SIZE).prop_map(Step::Skip),
        1 => (0_usize..SIZE).prop_map(Step::Missing),
        1 => (0_usize..SIZE, 0_usize..3).prop_map(|(place, label)| Step::Amend(place, label)),
        1 => (0_usize..SIZE).prop_map(Step::Nonsense),
        2 => Just(Step::Reopen),
    ]
}

fn pool_csv(size: usize) -> String {
    let row = |item: usize| {
        let (cat, dog) = (0.05 + 0.4 * (item % 17) as f64 / 17.0, 0.1 + 0.3 * (item % 5) as f64 / 5.0);
        let mut row = [cat, dog, 1.0 - cat - dog];
        // Every class is the predicted one of some items.
        row.rotate_right(item % 3);
        format!("{item},{:.6},{:.6},{:.6}\n", row[0], row[1], row[2])
    };
    format!("id,prob_cat,prob_dog,prob_owl\n{}", (0..size).map(row).collect::<String>())
}

/// The same evaluation without a file, its beliefs recalibrated or as given.
fn in_memory(
    rows: Matrix,
    rescore: Schedule,
    recalibrated: Option<Schedule>,
) -> (Evaluation<Classification>, &'static dyn Estimator) {
    let pool = Pool::classification(rows).unwrap();
    let (own, loss) = (pool.own_beliefs().unwrap(), CrossEntropy::default());
    let Some(schedule) = recalibrated else {
        let builder = Evaluation::builder(pool, loss, Fixed(own));
        return (builder.seed(Seed(11)).rescore(rescore).build().unwrap(), &RegressionLure);
    };
    let surrogate = Recalibrated::new(vec![own], &pool, Arc::new(loss)).unwrap().schedule(schedule);
    let builder = Evaluation::builder(pool, loss, surrogate).acquisition(Centred);
    let builder = builder.floor(Floor::Mixture { rho: 0.2 }).seed(Seed(11)).rescore(rescore);
    (builder.build().unwrap(), &CentredLure)
}

fn same(durable: &Study, (memory, estimator): &(Evaluation<Classification>, &'static dyn Estimator)) {
    let history: Vec<_> = durable.history().unwrap().collect();
    assert_eq!(history.len(), memory.draws().len());
    for ((drawn, draw), outcome) in history.iter().zip(memory.draws()).zip(memory.outcomes()) {
        assert_eq!(
            (drawn.item, drawn.q.to_bits(), drawn.refresh),
            (draw.index, draw.q.to_bits(), draw.refresh)
        );
        let fate = match outcome {
            Outcome::Open => Fate::Open,
            Outcome::Labelled { label, .. } => Fate::Labelled(CLASSES[*label].to_owned()),
            Outcome::Skipped => Fate::Skipped,
            Outcome::MissingAtRandom => Fate::MissingAtRandom,
        };
        assert_eq!(*drawn.fate, fate);
    }
    let wanted = EstimateOptions { level: 0.9, ..EstimateOptions::default() };
    let estimate = durable.estimate(&wanted).ok().map(|mut estimates| estimates.remove(0).report);
    assert_eq!(estimate, memory.report_by(*estimator, Method::Ordinary, Target::Pool, 0.9).ok());
    let lure = durable.estimate(&EstimateOptions { estimator: EstimatorName::Lure, ..wanted });
    let lure = lure.ok().map(|estimates| estimates[0].report.estimate);
    assert_eq!(lure, memory.estimate(&Lure).ok());
}

/// The same done to two studies, which answer alike.
fn both(one: &mut Study, other: &mut Study, work: &dyn Fn(&mut Study) -> bool) -> bool {
    let answer = work(one);
    assert_eq!(answer, work(other));
    answer
}

/// Estimates by losses that the draws were not made for, to the last bit.
fn same_by_other_losses(one: &Study, other: &Study) {
    let metrics = ["brier", "accuracy"].map(|name| name.parse().unwrap()).to_vec();
    let wanted = EstimateOptions { metrics, ..EstimateOptions::default() };
    assert_eq!(one.estimate(&wanted).ok(), other.estimate(&wanted).ok());
    // By predicted class, with what each refresh keeps of the classes.
    let metrics = ["precision_macro", "f1_per_class"].map(|name| name.parse().unwrap()).to_vec();
    let wanted = AnswerOptions { metrics, ..AnswerOptions::default() };
    assert_eq!(one.answers(&wanted).ok(), other.answers(&wanted).ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_file_and_the_memory_never_differ(
        steps in prop::collection::vec(step(), 1..40),
        every in prop_oneof![Just(None), (1_usize..6).prop_map(Some)],
        refresh in prop_oneof![Just(None), Just(Some(Times::Never)), (1_usize..6).prop_map(|k| Some(Times::Every(k)))],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (pool, path) = (folder.path().join("pool.csv"), folder.path().join("pets.labelwise"));
        fs::write(&pool, pool_csv(SIZE)).unwrap();
        let table = PoolTable::open(&pool, &Reading::new()).unwrap();
        let Predictions::Classes { rows, .. } = table.predictions.clone() else { panic!() };
        // In a study, beliefs follow the labels whenever scores are computed again.
        let every = every.filter(|_| refresh.is_none());
        let recalibrated = refresh.as_ref().map(Schedule::from);
        let mut twin = in_memory(rows, every.map_or(Schedule::Never, Schedule::Every), recalibrated);
        let belief = if refresh.is_some() { BeliefName::Recalibrated } else { BeliefName::AsGiven };
        let rescore = every.map(Times::Every);
        let choices = Choices { seed: 11, rescore, belief: Some(belief), refresh, ..Choices::default() };
        let kept = table.clone();
        let mut beside = Study::in_memory(table.clone(), &choices).unwrap().evaluation;
        let mut durable = Study::create(&path, table, &choices).unwrap().evaluation;
        let by = Author { who: "somebody".to_owned(), at: 1, key: None };
        for step in steps {
            let memory = &mut twin.0;
            let place = |place: usize| memory.draws().get(place % memory.draws().len().max(1)).map(|d| d.index);
            let (there, here) = match step {
                Step::Ask(count) => (both(&mut durable, &mut beside, &|study| study.ask(count, &by).is_ok()), memory.ask_batch(count).is_ok()),
                Step::Reopen => {
                    drop(durable);
                    durable = Study::open(&path).unwrap();
                    (true, true)
                }
                Step::Nonsense(item) => {
                    let answer = Answer::new(item.to_string(), "a kettle");
                    (both(&mut durable, &mut beside, &|study| study.tell(std::slice::from_ref(&answer), &by).is_ok()), memory.tell(item, 7).is_ok())
                }
                Step::Tell(at, _) | Step::Skip(at) | Step::Missing(at) | Step::Amend(at, _) => {
                    let Some(item) = place(at) else { continue };
                    let answer = |reply| Answer { reply, ..Answer::new(item.to_string(), "") };
                    match step {
                        Step::Tell(_, label) => {
                            let answer = answer(Reply::Label(CLASSES[label].to_owned()));
                            (both(&mut durable, &mut beside, &|study| study.tell(std::slice::from_ref(&answer), &by).is_ok()), memory.tell(item, label).is_ok())
                        }
                        Step::Amend(_, label) => {
                            let answer = answer(Reply::Label(CLASSES[label].to_owned()));
                            (both(&mut durable, &mut beside, &|study| study.amend(std::slice::from_ref(&answer), &by).is_ok()), memory.amend(item, label).is_ok())
                        }
                        Step::Skip(_) => (both(&mut durable, &mut beside, &|study| study.tell(&[answer(Reply::Skip)], &by).is_ok()), memory.skip(item).is_ok()),
                        _ => {
                            let answer = answer(Reply::MissingAtRandom);
                            (both(&mut durable, &mut beside, &|study| study.tell(std::slice::from_ref(&answer), &by).is_ok()), memory.missing_at_random(item).is_ok())
                        }
                    }
                }
            };
            prop_assert_eq!(there, here, "one accepted what the other refused: {:?}", step);
            same(&durable, &twin);
            same(&beside, &twin);
            same_by_other_losses(&durable, &beside);
        }
        let mut again = Study::in_memory(kept, &choices).unwrap().evaluation;
        again.replay(&beside.steps().unwrap(), &by).unwrap();
        same(&again, &twin);
        drop(durable);
        let again = Study::read(&path).unwrap();
        same(&again, &twin);
        prop_assert_eq!(again.verify(&|_, _| {}).unwrap().largest_difference, 0.0);
    }
}

/// A study in memory counts items by predicted class when a metric needs it; a file has the numbers on record.
#[test]
fn metrics_by_predicted_class_are_the_same_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (pool, path) = (folder.path().join("pool.csv"), folder.path().join("pets.labelwise"));
    fs::write(&pool, pool_csv(600)).unwrap();
    let table = PoolTable::open(&pool, &Reading::new()).unwrap();
    let choices = Choices { seed: 11, ..Choices::default() };
    let mut memory = Study::in_memory(table.clone(), &choices).unwrap().evaluation;
    let mut durable = Study::create(&path, table, &choices).unwrap().evaluation;
    for study in [&mut memory, &mut durable] {
        for asked in study.ask(200, &Author::default()).unwrap() {
            let label = CLASSES[(asked.item + asked.item / 3) % 3];
            study.tell(&[Answer::new(asked.id, label)], &Author::default()).unwrap();
        }
    }
    let metrics = ["precision_macro", "f1_per_class"].map(|name| name.parse().unwrap()).to_vec();
    let wanted = AnswerOptions { metrics, ..AnswerOptions::default() };
    assert_eq!(memory.answers(&wanted).unwrap(), durable.answers(&wanted).unwrap());
}

/// Draws are made for cross-entropy. The interval of the accuracy rests on what the belief expects, in a file and in memory.
#[test]
fn intervals_of_other_losses_expect_what_was_not_seen() {
    let folder = tempfile::tempdir().unwrap();
    let (pool, path) = (folder.path().join("pool.csv"), folder.path().join("pets.labelwise"));
    fs::write(&pool, pool_csv(600)).unwrap();
    let table = PoolTable::open(&pool, &Reading::new()).unwrap();
    let choices = Choices { seed: 11, ..Choices::default() };
    let mut memory = Study::in_memory(table.clone(), &choices).unwrap().evaluation;
    let mut durable = Study::create(&path, table, &choices).unwrap().evaluation;
    let metrics = ["accuracy", "brier"].map(|name| name.parse().unwrap()).to_vec();
    let wanted = EstimateOptions { metrics, ..EstimateOptions::default() };
    let [one, other] = [&mut memory, &mut durable].map(|study| {
        for _ in 0..6 {
            for asked in study.ask(10, &Author::default()).unwrap() {
                // The last class of `pool_csv`, which mostly has the largest probability, rotated.
                let answer = Answer::new(asked.id, CLASSES[(asked.item % 3 + 2) % 3]);
                study.tell(&[answer], &Author::default()).unwrap();
            }
        }
        study.estimate(&wanted).unwrap()
    });
    assert_eq!(one, other);
    let interval = one[0].report.interval.unwrap();
    assert!(matches!(interval.basis, Basis::LogitT { .. }), "{interval:?}");
}

/// Labels and variances of 300 predicted numbers.
fn numbers_csv() -> String {
    let row = |item: usize| {
        let mean = 0.5 * ((item * 37 % 101) as f64 / 101.0 - 0.5);
        format!("{item},{mean:.6},{:.6}\n", 0.05 + (item % 7) as f64 / 10.0)
    };
    format!("id,mean,variance\n{}", (0..300).map(row).collect::<String>())
}

fn number(item: usize) -> f64 {
    let noise = (item * 53 % 97) as f64 / 97.0 - 0.5;
    if item % 19 == 3 { 4.0 * noise } else { noise }
}

#[test]
fn numbers_are_the_same_in_a_file_in_memory_and_in_the_core() {
    let folder = tempfile::tempdir().unwrap();
    let (pool, path) = (folder.path().join("pool.csv"), folder.path().join("numbers.labelwise"));
    fs::write(&pool, numbers_csv()).unwrap();
    let table = PoolTable::open(&pool, &Reading::new().mean_and_variance("mean", "variance")).unwrap();
    let Predictions::Values { means, variances } = table.predictions.clone() else { panic!() };
    let rows = means.iter().zip(variances.unwrap()).flat_map(|(mean, variance)| [*mean, variance]);
    let rows = Pool::regression(Matrix::f64(rows.collect::<Vec<_>>(), 2).unwrap()).unwrap();
    let residuals = Residuals::new(rows.own_beliefs().unwrap());
    let builder = Evaluation::builder(rows, SquaredError::default(), residuals);
    let mut core = builder.seed(Seed(11)).build().unwrap();
    let aims = vec!["squared-error".parse().unwrap()];
    let choices = Choices { seed: 11, aims, ..Choices::default() };
    let mut memory = Study::in_memory(table.clone(), &choices).unwrap().evaluation;
    let mut durable = Study::create(&path, table.clone(), &choices).unwrap().evaluation;
    for study in [&mut memory, &mut durable] {
        for asked in study.ask(70, &Author::default()).unwrap() {
            let answer = Answer::new(asked.id, format!("{}", number(asked.item)));
            study.tell(&[answer], &Author::default()).unwrap();
        }
    }
    for draw in core.ask_batch(70).unwrap() {
        core.tell(draw.index, number(draw.index)).unwrap();
    }
    let report = |study: &Study| study.estimate(&EstimateOptions::default()).unwrap().remove(0).report;
    let expected = core.report(Target::Pool, 0.95).unwrap();
    assert_eq!(report(&memory), expected);
    assert_eq!(report(&durable), expected);
    let durable = Study::read(&path).unwrap();
    assert_eq!(report(&durable), expected);
    assert_eq!(durable.verify(&|_, _| {}).unwrap().largest_difference, 0.0);
    // As given, the interval is that of the variance that was seen.
    let choices = Choices { belief: Some(BeliefName::AsGiven), ..choices };
    let mut given = Study::in_memory(table, &choices).unwrap().evaluation;
    given.replay(&memory.steps().unwrap(), &Author::default()).unwrap();
    let (given, believed) = (report(&given), report(&memory));
    assert_eq!(given.estimate, believed.estimate);
    let (given, believed) = (given.interval.unwrap(), believed.interval.unwrap());
    assert!(given.high < believed.high && given.low >= believed.low, "{given:?} and {believed:?}");
}
