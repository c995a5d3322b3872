//! Ask and tell: order, waiting, giving up, knowing beforehand, and having it all again from a journal.

use labelwise::estimator::RegressionLure;
use labelwise::evaluation::{Event, Told};
use labelwise::ledger::{Imputed, Outcome};
use labelwise::loss::{Bounds, Brier, ZeroOne};
use labelwise::proposal::Floor;
use labelwise::{Classification, CrossEntropy, Error, Evaluation, Fixed, Lure, Matrix, Pool, Seed, Target};

use crate::pools::{assert_close, builder, label, losses, mean, pool, zero_one};

#[test]
fn algorithm_1_on_the_whole_pool_is_the_pool_risk() {
    let mut evaluation = builder(40, CrossEntropy::default()).build().unwrap();
    evaluation.run(40, &mut |item| Ok(label(item, 3))).unwrap();
    let risk = mean(&losses(evaluation.pool(), evaluation.loss(), |item| label(item, 3)));
    let report = evaluation.report(Target::Pool, 0.95).unwrap();
    let interval = report.interval.unwrap();
    assert_close(report.estimate.value, risk, 1e-12, "estimate");
    assert_close(interval.low, risk, 1e-12, "low");
    assert_close(interval.high, risk, 1e-12, "high");
    assert!(evaluation.report(Target::Population, 0.95).unwrap().interval.unwrap().high > risk + 0.01);
    assert!(matches!(evaluation.ask(), Err(Error::PoolExhausted { wanted: 1, left: 0, pool_size: 40 })));
}

#[test]
fn a_batch_is_so_many_single_draws() {
    let (mut one, mut batch) = (zero_one(50), zero_one(50));
    let singles: Vec<_> = (0..20).map(|_| one.ask().unwrap()).collect();
    assert_eq!(batch.ask_batch(20).unwrap(), singles);
    assert_eq!(batch.ask_batch(0).unwrap(), []);
}

#[test]
fn labels_may_come_in_any_order() {
    let (mut in_order, mut backwards) = (zero_one(50), zero_one(50));
    let draws = in_order.ask_batch(20).unwrap();
    backwards.ask_batch(20).unwrap();
    draws.iter().for_each(|draw| assert!(in_order.tell(draw.index, label(draw.index, 3)).is_ok()));
    draws.iter().rev().for_each(|draw| assert!(backwards.tell(draw.index, label(draw.index, 3)).is_ok()));
    assert_eq!(in_order.estimate(&RegressionLure).unwrap(), backwards.estimate(&RegressionLure).unwrap());
}

#[test]
fn estimates_use_the_longest_complete_prefix() {
    let mut evaluation = zero_one(50);
    let draws = evaluation.ask_batch(6).unwrap();
    let tell = |evaluation: &mut Evaluation<_>, place: usize| {
        let index = draws[place].index;
        evaluation.tell(index, label(index, 3)).unwrap()
    };
    for (place, complete) in [(1, 0), (2, 0), (4, 0), (0, 3), (5, 3), (3, 6)] {
        assert_eq!(tell(&mut evaluation, place), Told::Recorded);
        assert_eq!(evaluation.complete(), complete, "after draw {place}");
    }
    assert_eq!(tell(&mut evaluation, 3), Told::Already);
    assert_eq!(evaluation.evidence(Imputed::Expected).unwrap().samples.len(), 6);
}

#[test]
fn waiting_labels_are_reported() {
    let mut evaluation = zero_one(50);
    let draws = evaluation.ask_batch(5).unwrap();
    for place in [0, 2, 3] {
        evaluation.tell(draws[place].index, 0).unwrap();
    }
    let report = evaluation.report(Target::Pool, 0.95).unwrap();
    assert_eq!((report.estimate.labels, report.waiting), (1, 2));
    assert_eq!(
        evaluation.open_draws().map(|draw| draw.index).collect::<Vec<_>>(),
        [draws[1].index, draws[4].index]
    );
}

#[test]
fn refused_calls_change_nothing() {
    let mut evaluation = zero_one(10);
    let asked = evaluation.ask().unwrap().index;
    evaluation.tell(asked, 1).unwrap();
    let before = evaluation.journal().to_vec();
    let other = (asked + 1) % 10;
    assert!(matches!(evaluation.tell(asked, 2), Err(Error::LabelDiffers { .. })));
    assert!(matches!(evaluation.tell(asked, 3), Err(Error::LabelOutOfRange { label: 3, classes: 3, .. })));
    assert!(matches!(evaluation.tell(other, 1), Err(Error::NotAsked { .. })));
    assert!(matches!(evaluation.tell(10, 1), Err(Error::UnknownItem { item: 10, pool_size: 10 })));
    assert!(matches!(evaluation.skip(asked), Err(Error::AlreadyLabelled { .. })));
    assert!(matches!(evaluation.amend(other, 1), Err(Error::NotAsked { .. })));
    assert!(matches!(evaluation.ask_batch(10), Err(Error::PoolExhausted { wanted: 10, left: 9, .. })));
    assert!(matches!(evaluation.run(10, &mut |_| Ok(0)), Err(Error::Budget { budget: 10, left: 9, .. })));
    assert_eq!(evaluation.journal(), before);
    assert_eq!(evaluation.tell(asked, 1).unwrap(), Told::Already);
    assert_eq!(evaluation.journal(), before);
}

#[test]
fn an_amended_label_counts_and_the_draws_stay() {
    let (mut wrong, mut right) = (zero_one(30), zero_one(30));
    wrong.run(10, &mut |item| Ok((label(item, 3) + 1) % 3)).unwrap();
    right.run(10, &mut |item| Ok(label(item, 3))).unwrap();
    let items: Vec<usize> = wrong.draws().iter().map(|draw| draw.index).collect();
    items.iter().for_each(|item| assert!(wrong.amend(*item, label(*item, 3)).is_ok()));
    assert_eq!(wrong.estimate(&Lure).unwrap(), right.estimate(&Lure).unwrap());
    assert_eq!(wrong.observed(), right.observed());
    let open = wrong.ask().unwrap().index;
    assert!(matches!(wrong.amend(open, 0), Err(Error::NothingToAmend { .. })));
}

#[test]
fn a_skipped_label_is_bounded() {
    let mut evaluation = builder(60, Brier).build().unwrap();
    let draws = evaluation.ask_batch(55).unwrap();
    draws.iter().skip(3).for_each(|draw| assert!(evaluation.tell(draw.index, label(draw.index, 3)).is_ok()));
    draws.iter().take(3).for_each(|draw| assert!(evaluation.skip(draw.index).is_ok()));
    let estimate = evaluation.estimate(&Lure).unwrap();
    let Bounds { low, high } = estimate.skipped.unwrap();
    assert!(low < estimate.value && estimate.value < high && estimate.labels == 52);
    let interval = evaluation.report(Target::Pool, 0.95).unwrap().interval.unwrap();
    // Whatever the three labels are, the estimate lies within the bounds and its interval within the interval.
    for labels in 0..27 {
        let mut other = builder(60, Brier).build().unwrap();
        other.ask_batch(55).unwrap();
        for (place, draw) in draws.iter().enumerate() {
            let skipped = labels / 3_usize.pow(place.min(3) as u32) % 3;
            other.tell(draw.index, if place < 3 { skipped } else { label(draw.index, 3) }).unwrap();
        }
        let value = other.estimate(&Lure).unwrap().value;
        assert!(low - 1e-12 <= value && value <= high + 1e-12, "{low} {value} {high}");
        let inner = other.report(Target::Pool, 0.95).unwrap().interval.unwrap();
        assert!(interval.low <= inner.low + 1e-3 && inner.high <= interval.high + 1e-3);
    }
    // Should the labels come after all, nothing is left of it.
    draws.iter().take(3).for_each(|draw| assert!(evaluation.tell(draw.index, label(draw.index, 3)).is_ok()));
    assert_eq!(evaluation.estimate(&Lure).unwrap().skipped, None);
}

#[test]
fn a_skip_without_a_bound_says_so() {
    let (pool, beliefs) = crate::pools::regression(20);
    let mut evaluation =
        Evaluation::builder(pool, labelwise::SquaredError::default(), Fixed(beliefs)).build().unwrap();
    let draws = evaluation.ask_batch(6).unwrap();
    draws.iter().skip(1).for_each(|draw| assert!(evaluation.tell(draw.index, 0.3).is_ok()));
    evaluation.skip(draws[0].index).unwrap();
    let item = draws[0].index;
    assert_eq!(evaluation.estimate(&Lure).unwrap_err(), Error::UnboundedSkip { item });
    evaluation.missing_at_random(item).unwrap();
    assert_eq!(evaluation.estimate(&Lure).unwrap().labels, 5);
}

/// Without an item that is missing at random the rest is as if it had never been there: the same race, without it.
#[test]
fn missing_at_random_is_a_race_without_the_runner() {
    let mut evaluation = builder(12, CrossEntropy::default()).build().unwrap();
    let draws = evaluation.ask_batch(8).unwrap();
    let gone = [draws[2].index, draws[6].index];
    for draw in &draws {
        if gone.contains(&draw.index) {
            evaluation.missing_at_random(draw.index).unwrap();
        } else {
            evaluation.tell(draw.index, label(draw.index, 3)).unwrap();
        }
    }
    let evidence = evaluation.evidence(Imputed::Expected).unwrap();
    assert_eq!((evidence.pool_size, evidence.samples.len()), (10, 6));
    let weights: Vec<(usize, f64)> = draws.iter().map(|draw| (draw.index, draw.q * draw.mass)).collect();
    let mass = draws[0].mass;
    let draw_of = |item: usize| draws.iter().find(|draw| draw.index == item).unwrap();
    let (mass_before, control_before) = (|item| draw_of(item).mass, |item| draw_of(item).control_total);
    let mut left: f64 =
        mass - weights.iter().filter(|(item, _)| gone.contains(item)).map(|(_, w)| w).sum::<f64>();
    for (sample, (item, weight)) in
        evidence.samples.iter().zip(weights.iter().filter(|(item, _)| !gone.contains(item)))
    {
        assert_eq!(sample.index, *item);
        assert_close(sample.q, weight / left, 1e-12, "q among the others");
        left -= weight;
        // So is what the surrogate expected of those left: without the two that are gone.
        let gone_later =
            draws.iter().filter(|draw| gone.contains(&draw.index) && draw.mass < mass_before(sample.index));
        let expected = control_before(sample.index) - gone_later.map(|draw| draw.control).sum::<f64>();
        assert_close(sample.control_total, expected, 1e-12, "expectations of the others");
    }
}

#[test]
fn known_losses_count_exactly_and_are_never_drawn() {
    let full = pool(30, 3);
    let each = losses(&full, &Brier, |item| label(item, 3));
    let known: Vec<(usize, f64)> = (0..10).map(|item| (3 * item, each[3 * item])).collect();
    let mut evaluation = builder(30, Brier).known(known.clone()).build().unwrap();
    assert_eq!(evaluation.left(), 20);
    evaluation.run(20, &mut |item| Ok(label(item, 3))).unwrap();
    assert!(evaluation.draws().iter().all(|draw| draw.index % 3 != 0));
    assert_close(evaluation.estimate(&RegressionLure).unwrap().value, mean(&each), 1e-12, "the whole pool");
    let interval = evaluation.report(Target::Pool, 0.9).unwrap().interval.unwrap();
    assert_close(interval.low, mean(&each), 1e-12, "nothing is left to estimate");
    assert!(matches!(
        builder(30, ZeroOne).known([(3, 0.0), (3, 1.0)]).build(),
        Err(Error::KnownTwice { item: 3 })
    ));
    assert!(matches!(builder(30, Brier).known([(30, 0.0)]).build(), Err(Error::UnknownItem { .. })));
    assert!(matches!(builder(3, ZeroOne).known((0..3).map(|i| (i, 0.0))).build(), Err(Error::AllKnown)));
}

#[test]
fn items_of_score_zero_come_last_when_nothing_guards_them() {
    // The surrogate is certain that items 0 to 4 are right; without a floor they are drawn when nothing else is left.
    let predictions: Vec<f64> = (0..10).flat_map(|_| [1.0, 0.0]).collect();
    let beliefs: Vec<f64> = (0..10).flat_map(|i| if i < 5 { [1.0, 0.0] } else { [0.4, 0.6] }).collect();
    let pool = Pool::classification(Matrix::f64(predictions, 2).unwrap()).unwrap();
    let beliefs = labelwise::surrogate::Beliefs::new(Matrix::f64(beliefs, 2).unwrap(), &pool).unwrap();
    let builder = Evaluation::builder(pool, ZeroOne, Fixed(beliefs)).floor(Floor::Unguarded);
    let mut evaluation = builder.build().unwrap();
    let draws = evaluation.ask_batch(10).unwrap();
    assert!(draws[..5].iter().all(|draw| draw.index >= 5) && draws[5..].iter().all(|draw| draw.index < 5));
    assert_close(draws[5].q, 0.2, 1e-15, "alike among themselves");
    assert_eq!(draws[9].q, 1.0);
    // Items that may have a loss and cannot be drawn leave nothing to guarantee.
    draws.iter().for_each(|draw| assert!(evaluation.tell(draw.index, 0).is_ok()));
    assert!(
        draws[..5].iter().all(|draw| draw.ratio_bounds.is_none())
            && draws[5..].iter().all(|draw| draw.ratio_bounds.is_some())
    );
    let guaranteed = evaluation.interval(&Lure, labelwise::interval::Method::Guaranteed, Target::Pool, 0.95);
    assert_eq!(guaranteed, Err(Error::Unbounded));
}

#[test]
fn a_journal_gives_the_identical_evaluation() {
    let mut evaluation = builder(80, CrossEntropy::default()).build().unwrap();
    evaluation.run(10, &mut |item| Ok(label(item, 3))).unwrap();
    let draws = evaluation.ask_batch(8).unwrap();
    evaluation.tell(draws[3].index, 1).unwrap();
    evaluation.skip(draws[0].index).unwrap();
    evaluation.missing_at_random(draws[1].index).unwrap();
    evaluation.tell(draws[2].index, 0).unwrap();
    evaluation.amend(draws[2].index, 2).unwrap();
    let mut again = builder(80, CrossEntropy::default()).replay(evaluation.journal()).unwrap();
    assert_eq!(again.draws(), evaluation.draws());
    assert_eq!(again.outcomes(), evaluation.outcomes());
    assert_eq!(again.journal(), evaluation.journal());
    assert_eq!(again.report(Target::Pool, 0.95).unwrap(), evaluation.report(Target::Pool, 0.95).unwrap());
    assert_eq!(again.ask_batch(5).unwrap(), evaluation.ask_batch(5).unwrap());
    let other = builder(80, CrossEntropy::default()).seed(Seed(4)).replay(evaluation.journal());
    assert!(matches!(other, Err(Error::Diverged { event: 0, .. })));
    let mut forged = evaluation.journal().to_vec();
    forged[0] = Event::Asked { index: draws[7].index, q: 0.5 };
    assert!(builder(80, CrossEntropy::default()).replay(&forged).is_err());
}

#[test]
fn draws_do_not_depend_on_threads_or_precision_of_storage() {
    let run = |threads: usize| {
        let workers = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        workers.install(|| {
            let mut evaluation = builder(30_000, CrossEntropy::default()).build().unwrap();
            evaluation.ask_batch(2000).unwrap()
        })
    };
    assert_eq!(run(1), run(4));
    // Predictions in f32 are widened as they are read: the same as giving the widened ones.
    let narrow: Vec<f32> = crate::pools::probabilities(500, 3, 1).iter().map(|p| *p as f32).collect();
    let wide: Vec<f64> = narrow.iter().map(|p| f64::from(*p)).collect();
    let draws = |predictions: Matrix| {
        let pool: Pool<Classification> = Pool::classification(predictions).unwrap();
        let surrogate = Fixed(pool.own_beliefs().unwrap());
        let mut evaluation = Evaluation::builder(pool, CrossEntropy::default(), surrogate).build().unwrap();
        evaluation.ask_batch(100).unwrap()
    };
    assert_eq!(draws(Matrix::f32(narrow, 3).unwrap()), draws(Matrix::f64(wide, 3).unwrap()));
}

#[test]
fn outcomes_are_what_was_told() {
    let mut evaluation = zero_one(10);
    let draws = evaluation.ask_batch(3).unwrap();
    evaluation.tell(draws[0].index, 1).unwrap();
    evaluation.skip(draws[1].index).unwrap();
    let [Outcome::Labelled { label: 1, loss }, Outcome::Skipped, Outcome::Open] = evaluation.outcomes()
    else {
        panic!("{:?}", evaluation.outcomes());
    };
    assert!(*loss == 0.0 || *loss == 1.0);
}
