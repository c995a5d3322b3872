//! Where things end: empty batches, whole pools, other pools, draws with replacement, interrupted runs.

use labelwise::acquisition::MutualInformation;
use labelwise::estimator::{ImportanceSampling, Sample};
use labelwise::interval::{Caution, Method, interval};
use labelwise::ledger::Evidence;
use labelwise::loss::{Loss, ZeroOne};
use labelwise::proposal::{Floor, Proposal};
use labelwise::rng::Stream;
use labelwise::surrogate::{Beliefs, Schedule};
use labelwise::{
    Classification, CrossEntropy, Error, Evaluation, Fixed, Matrix, Regression, Seed, SquaredError, Target,
};

use crate::pools::{builder, label, pool, regression, zero_one};

#[test]
fn an_empty_batch_leaves_no_trace() {
    let make = || builder(40, ZeroOne).rescore(Schedule::Every(1));
    let mut evaluation = make().build().unwrap();
    evaluation.run(3, &mut |item| Ok(label(item, 3))).unwrap();
    assert_eq!(evaluation.ask_batch(0).unwrap(), []);
    evaluation.run(3, &mut |item| Ok(label(item, 3))).unwrap();
    let again = make().replay(evaluation.journal()).unwrap();
    assert_eq!(again.draws(), evaluation.draws());
}

#[test]
fn beliefs_about_another_pool_are_refused() {
    for (rows, classes) in [(39, 3), (41, 3), (40, 4)] {
        let other = pool(rows, classes);
        let foreign = Fixed(other.own_beliefs().unwrap());
        let build = Evaluation::builder(pool(40, 3), ZeroOne, foreign).build();
        assert!(matches!(build, Err(Error::Rows { .. } | Error::Columns { .. })), "{rows} x {classes}");
    }
}

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    let mut evaluation = zero_one(40);
    let mut patience = 5;
    let mut oracle = |item: usize| {
        patience -= 1;
        if patience == 0 { Err(Error::Oracle { item, why: "closed".to_owned() }) } else { Ok(label(item, 3)) }
    };
    assert!(matches!(evaluation.run(10, &mut oracle), Err(Error::Oracle { .. })));
    assert_eq!((evaluation.complete(), evaluation.open_draws().count()), (4, 1));
    evaluation.run(6, &mut |item| Ok(label(item, 3))).unwrap();
    assert_eq!((evaluation.complete(), evaluation.open_draws().count()), (10, 0));
    assert!(matches!(evaluation.run(31, &mut |_| Ok(0)), Err(Error::Budget { budget: 31, left: 30, .. })));
}

#[test]
fn draws_with_replacement_have_an_interval_of_their_own() {
    // Three hits on the one item with a loss, in a pool of four: what is labelled is not counted three times.
    let samples: Vec<Sample> =
        (0..3).map(|_| Sample::plain(0, 0.7, 1.0)).chain([Sample::plain(1, 0.1, 0.0)]).collect();
    let evidence = Evidence::from_samples(samples.clone(), 4);
    let value = evidence.estimate(&ImportanceSampling).unwrap();
    assert!((value - (3.0 / 0.7) / (3.0 / 0.7 + 10.0)).abs() < 1e-12, "{value}");
    let found = interval(&evidence, &ImportanceSampling, Method::Ordinary, Target::Pool, 0.95).unwrap();
    assert!(found.low < value && value < found.high && found.caution == Some(Caution::FewLabels));
    for method in [Method::Guaranteed, Method::GuaranteedAtBudget, Method::Anytime { planned: 2 }] {
        let refused = interval(&evidence, &ImportanceSampling, method, Target::Pool, 0.95);
        assert_eq!(refused, Err(Error::NeedsWithoutReplacement));
    }
    // More draws than items are in order.
    let many = Evidence::from_samples(samples.repeat(20), 4);
    assert!(interval(&many, &ImportanceSampling, Method::Ordinary, Target::Population, 0.95).is_ok());
}

#[test]
fn a_whole_pool_without_a_loss_says_little_of_the_population() {
    let mut evaluation = zero_one(60);
    let pool = evaluation.pool().clone();
    let right = |item: usize| {
        let row = pool.predictions().reader().row(item).to_vec();
        (0..3).rev().max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap()
    };
    evaluation.run(60, &mut |item| Ok(right(item))).unwrap();
    let exact = evaluation.report(Target::Pool, 0.95).unwrap().interval.unwrap();
    assert_eq!((exact.low, exact.high, exact.caution), (0.0, 0.0, None));
    let population = evaluation.report(Target::Population, 0.95).unwrap().interval.unwrap();
    assert!(population.high > 0.04 && population.caution == Some(Caution::FewHits), "{population:?}");
}

#[test]
fn a_large_epsilon_has_no_range() {
    let coarse = CrossEntropy::with_epsilon(0.01).unwrap();
    assert_eq!(Loss::<Classification>::range(&coarse), None);
    let fine = CrossEntropy::default();
    let mut certain = vec![0.0; 1000];
    certain[0] = 1.0;
    assert!(fine.bounds(&certain).unwrap().high <= Loss::<Classification>::range(&fine).unwrap().high);
}

#[test]
fn information_needs_noise() {
    let (pool, _) = regression(6);
    let member =
        |shift: f64| Matrix::f64((0..6).map(|i| f64::from(i) + shift).collect::<Vec<_>>(), 1).unwrap();
    let beliefs = Beliefs::<Regression>::from_members(&[member(0.0), member(1.0)], &pool).unwrap();
    let builder = Evaluation::builder(pool, SquaredError::default(), Fixed(beliefs));
    assert!(matches!(builder.acquisition(MutualInformation).build(), Err(Error::Acquisition { .. })));
}

#[test]
fn an_exhausted_proposal_stays_exhausted() {
    let stream = Seed(1).stream(Stream::Draw, 0);
    let mut proposal = Proposal::new(vec![1.0; 3], &[true; 3], Floor::default(), stream).unwrap();
    assert_eq!(std::iter::from_fn(|| proposal.draw()).count(), 3);
    assert!((0..40).all(|_| proposal.draw().is_none()));
    assert_eq!(proposal.draw_with_replacement(&mut Seed(1).stream(Stream::Data, 0)), None);
    assert_eq!(proposal.q(0), 0.0);
}
