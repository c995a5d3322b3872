//! The average over recalibrations: from both sides of a rate, by other losses, with every label.

use std::sync::Arc;

use labelwise::acquisition::Centred;
use labelwise::conformance::{check_estimator, check_surrogate};
use labelwise::estimator::CentredLure;
use labelwise::interval::{Basis, Interval, Method};
use labelwise::ledger::Imputed;
use labelwise::loss::{Bounds, Brier, Loss, Moments, Outcomes, ZeroOne};
use labelwise::proposal::Floor;
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::{Mixture, Observed, Recalibrated, Schedule, Surrogate};
use labelwise::{Classification, CrossEntropy, Evaluation, Matrix, Pool, Seed, Target};

use crate::pools::{self, pool};

pub(crate) type Shared = Arc<dyn Loss<Classification>>;

pub(crate) const FLOOR: Floor = Floor::Mixture { rho: 0.2 };

pub(crate) fn label(item: usize) -> usize {
    pools::label(item, 3)
}

pub(crate) fn stream() -> ChaCha8Rng {
    Seed(0).stream(Stream::Draw, 0)
}

/// How often the model is right: the zero-one loss from its other side.
#[derive(Debug, Clone, Copy)]
struct Hit;

impl Loss<Classification> for Hit {
    fn name(&self) -> &'static str {
        "hit"
    }

    fn loss(&self, prediction: &[f64], label: usize) -> f64 {
        1.0 - ZeroOne.loss(prediction, label)
    }

    fn moments(&self, prediction: &[f64], belief: &[f64]) -> Moments {
        let right = 1.0 - ZeroOne.moments(prediction, belief).first;
        Moments { first: right, second: right }
    }

    fn bounds(&self, _prediction: &[f64]) -> Option<Bounds> {
        self.range()
    }

    fn range(&self) -> Option<Bounds> {
        Some(Bounds { low: 0.0, high: 1.0 })
    }

    fn outcomes(&self) -> Outcomes {
        Outcomes::ZeroOne
    }
}

#[track_caller]
pub(crate) fn assert_close(value: f64, expected: f64, what: &str) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{what}: {value}, not {expected}");
}

pub(crate) fn own(pool: &Pool<Classification>, loss: impl Loss<Classification> + 'static) -> Recalibrated {
    Recalibrated::new(vec![pool.own_beliefs().unwrap()], pool, Arc::new(loss)).unwrap()
}

fn evaluation(
    size: usize,
    loss: impl Loss<Classification> + Clone + 'static,
    seed: u64,
) -> Evaluation<Classification> {
    let pool = pool(size, 3);
    let surrogate = own(&pool, loss.clone());
    let builder = Evaluation::builder(pool, loss, surrogate).acquisition(Centred).floor(FLOOR);
    builder.seed(Seed(seed)).build().unwrap()
}

#[test]
fn it_is_a_surrogate_like_any_other() {
    let pool = pool(60, 3);
    let labels: Vec<(usize, usize)> = (0..30).map(|item| (item, label(item))).collect();
    let make = || -> Box<dyn Surrogate<Classification>> {
        Box::new(own(&pool, CrossEntropy::default()).schedule(Schedule::Every(5)))
    };
    assert_eq!(check_surrogate(make, &pool, &labels).unwrap(), 6);
}

#[test]
fn both_sides_of_a_rate_have_the_same_draws_and_mirrored_answers() {
    for (seed, budget) in [(0, 20), (1, 30), (2, 60), (3, 119)] {
        let (mut wrong, mut right) = (evaluation(120, ZeroOne, seed), evaluation(120, Hit, seed));
        let mut oracle = |item: usize| Ok(label(item));
        wrong.run(budget, &mut oracle).unwrap();
        right.run(budget, &mut oracle).unwrap();
        for (one, other) in wrong.draws().iter().zip(right.draws()) {
            assert_eq!(one.index, other.index);
            assert!((one.q / other.q - 1.0).abs() < 1e-9);
        }
        let answer = |evaluation: &Evaluation<Classification>| -> (f64, Interval) {
            let estimate = evaluation.estimate(&CentredLure).unwrap().value;
            (estimate, evaluation.interval(&CentredLure, Method::Ordinary, Target::Pool, 0.95).unwrap())
        };
        let ((one, one_interval), (other, other_interval)) = (answer(&wrong), answer(&right));
        assert!((one + other - 1.0).abs() < 1e-9, "{one} and {other}");
        assert!((one_interval.low + other_interval.high - 1.0).abs() < 1e-9, "{one_interval:?}");
        assert!((one_interval.high + other_interval.low - 1.0).abs() < 1e-9, "{one_interval:?}");
    }
}

#[test]
fn every_label_gives_the_exact_risk() {
    let mut evaluation = evaluation(40, ZeroOne, 5);
    evaluation.run(40, &mut |item: usize| Ok(label(item))).unwrap();
    let losses =
        (0..40).map(|item| ZeroOne.loss(evaluation.pool().predictions().reader().row(item), label(item)));
    let risk = losses.sum::<f64>() / 40.0;
    assert!((evaluation.estimate(&CentredLure).unwrap().value - risk).abs() < 1e-12);
    let found = evaluation.interval(&CentredLure, Method::Ordinary, Target::Pool, 0.95).unwrap();
    assert_eq!(found.basis, Basis::WholePool);
    assert!((found.low - risk).abs() < 1e-12 && (found.high - risk).abs() < 1e-12);
}

#[test]
fn the_centred_estimator_keeps_its_contract() {
    check_estimator(&CentredLure).unwrap();
}

#[test]
fn the_interval_remembers_losses_that_a_run_has_not_met() {
    // A belief that expects errors keeps the interval open although no label was wrong so far.
    let size = 400;
    let rows: Vec<f64> = (0..size).flat_map(|i| if i % 2 == 0 { [0.6, 0.4] } else { [0.99, 0.01] }).collect();
    let pool = Pool::classification(Matrix::f64(rows, 2).unwrap()).unwrap();
    let surrogate = own(&pool, ZeroOne);
    let builder = Evaluation::builder(pool, ZeroOne, surrogate).acquisition(Centred).floor(FLOOR);
    let mut evaluation = builder.seed(Seed(1)).build().unwrap();
    evaluation.run(30, &mut |_| Ok(0)).unwrap();
    let found = evaluation.interval(&CentredLure, Method::Ordinary, Target::Pool, 0.95).unwrap();
    assert_eq!(found.low, 0.0);
    assert!((0.01..0.3).contains(&found.high), "{found:?}");
    assert!(matches!(found.basis, Basis::LogitT { .. }));
}

#[test]
fn draws_do_not_depend_on_the_number_of_threads() {
    let draws = |threads: usize| {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        threads.install(|| {
            let mut evaluation = evaluation(9_000, CrossEntropy::default(), 3);
            evaluation.run(25, &mut |item: usize| Ok(label(item))).unwrap();
            evaluation.draws().to_vec()
        })
    };
    assert_eq!(draws(1), draws(3));
}

#[test]
fn labels_of_other_items_count_as_those_of_the_pool_do() {
    let pool = pool(60, 3);
    let rows = pool.predictions().clone();
    let labels: Vec<usize> = (0..60).map(label).collect();
    let told: Vec<(usize, usize)> = labels.iter().copied().enumerate().collect();
    let weights = |surrogate: &Recalibrated, labels: &[(usize, usize)]| {
        surrogate.interval_weights(Observed { pool: &pool, labels }).unwrap()
    };
    for loss in [Arc::new(ZeroOne) as Shared, Arc::new(CrossEntropy::default())] {
        let plain = Recalibrated::new(vec![pool.own_beliefs().unwrap()], &pool, loss).unwrap();
        let before = plain.clone().calibrated(std::slice::from_ref(&rows), &rows, &labels).unwrap();
        assert_eq!(weights(&before, &[]), weights(&plain, &told));
        assert_ne!(weights(&before, &[]), weights(&plain, &[]));
        assert!(plain.calibrated(std::slice::from_ref(&rows), &rows, &labels[1..]).is_err());
    }
}

#[test]
fn rows_are_the_same_one_by_one_and_in_runs() {
    // 61 items leave five for the last eight; each item alone is computed eight times.
    let pool = pool(61, 3);
    let labels: Vec<(usize, usize)> = (0..20).map(|item| (item, label(item))).collect();
    for loss in [Arc::new(ZeroOne) as Shared, Arc::new(CrossEntropy::default())] {
        let mut surrogate = Recalibrated::new(vec![pool.own_beliefs().unwrap()], &pool, loss).unwrap();
        let seen = Observed { pool: &pool, labels: &labels };
        let beliefs = surrogate.update(seen, &mut stream()).unwrap().beliefs.clone();
        let (mut whole, mut single) = (beliefs.rows().reader(), beliefs.rows().reader());
        let rows = whole.rows(0..61).values().to_vec();
        for (item, row) in rows.chunks(3).enumerate() {
            assert_eq!(single.row(item), row, "item {item}");
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert!(single.row(61).is_empty());
    }
}

/// Every weight of a proposal is different.
fn some_weights(size: usize) -> Vec<f64> {
    (0..size).map(|item| 0.5 + (item % 7) as f64 / 3.0).collect()
}

#[test]
fn sums_of_other_losses_are_those_of_the_average() {
    let pool = pool(60, 3);
    let labels: Vec<(usize, usize)> = (0..30).map(|item| (item, label(item))).collect();
    let pairs: [(Shared, Shared); 3] = [
        (Arc::new(CrossEntropy::default()), Arc::new(ZeroOne)),
        // After ten labels, constant error rates count.
        (Arc::new(ZeroOne), Arc::new(CrossEntropy::default())),
        (Arc::new(Brier), Arc::new(CrossEntropy::default())),
    ];
    for (own, other) in pairs {
        let mut surrogate = Recalibrated::new(vec![pool.own_beliefs().unwrap()], &pool, own.clone()).unwrap();
        let seen = Observed { pool: &pool, labels: &labels };
        let beliefs = surrogate.update(seen, &mut stream()).unwrap().beliefs.clone();
        let mut posterior = surrogate.recalibration().posterior(&*own);
        let mut predictions = pool.predictions().reader();
        for &(item, label) in &labels {
            let row = predictions.row(item).to_vec();
            posterior.tell(std::iter::once(&row[..]), &row, label);
        }
        let components = posterior.proposal_weights();
        let open: Vec<bool> = (0..60).map(|item| item >= 30).collect();
        let weights = some_weights(60);
        let kept = surrogate.sums_by(&pool, &open, &weights, &[&*other, &*own]).unwrap();
        assert_eq!(kept[1].components.len(), components.len());
        let mut rows = beliefs.rows().reader();
        let (mut first, mut second, mut square, mut mass) = (0.0, 0.0, 0.0, 0.0);
        for (item, &weight) in weights.iter().enumerate().skip(30) {
            let prediction = predictions.row(item).to_vec();
            let moments = other.moments(&prediction, rows.row(item));
            first += moments.first;
            second += moments.second / weight;
            square += moments.first.powi(2) / weight;
            mass += weight;
            let expected =
                posterior.expected_by(&*other, std::iter::once(&prediction[..]), &prediction, &components);
            assert_close(expected, moments.first, own.name());
        }
        let sums = &kept[0];
        assert_eq!(sums.items, 30);
        assert_close(sums.expected(&components), first, own.name());
        assert_close(sums.control, first, own.name());
        assert_close(sums.mass, mass, own.name());
        let draw = sums.draw(&components);
        assert_close(draw.second, second - square, own.name());
        assert_close(draw.first, 0.0, own.name());
    }
}

#[test]
fn some_items_stand_for_a_large_pool() {
    // Halves are small enough to be summed item by item.
    let size = 300_000;
    let pool = pool(size, 3);
    let weights = some_weights(size);
    let losses: [(Shared, Shared); 2] =
        [(Arc::new(CrossEntropy::default()), Arc::new(Brier)), (Arc::new(ZeroOne), Arc::new(Brier))];
    for (own, other) in losses {
        let mut surrogate = Recalibrated::new(vec![pool.own_beliefs().unwrap()], &pool, own).unwrap();
        surrogate.update(Observed { pool: &pool, labels: &[] }, &mut stream()).unwrap();
        let open = |part: &dyn Fn(usize) -> bool| (0..size).map(part).collect::<Vec<_>>();
        let kept = |open: Vec<bool>| {
            let other = surrogate.sums_by(&pool, &open, &weights, &[&*other]).unwrap().remove(0);
            [surrogate.sums(&pool, &open, &weights).unwrap(), other]
        };
        let halves = [kept(open(&|item| item % 2 == 0)), kept(open(&|item| item % 2 == 1))];
        for (which, some) in kept(open(&|_| true)).iter().enumerate() {
            let [one, two] = halves.each_ref().map(|half| &half[which]);
            let close = |value: f64, one: f64, two: f64, within: f64| {
                assert!((value / (one + two) - 1.0).abs() < within, "{value}, not {}", one + two);
            };
            assert_eq!(some.items, size);
            close(some.mass, one.mass, two.mass, 1e-9);
            close(some.control, one.control, two.control, 0.01);
            close(some.control_square, one.control_square, two.control_square, 0.01);
            assert_eq!(some.components.len(), one.components.len());
            for (some, (one, two)) in some.components.iter().zip(one.components.iter().zip(&two.components)) {
                close(some.first, one.first, two.first, 0.01);
                close(some.second, one.second, two.second, 0.01);
                close(some.cross, one.cross, two.cross, 0.01);
                close(some.square, one.square, two.square, 0.01);
            }
        }
    }
}

#[test]
fn what_is_foreseen_is_the_same_from_both_sides_and_narrows_with_labels_of_other_items() {
    let pool = pool(400, 3);
    let foreseen = |surrogate: &Recalibrated| surrogate.recalibration().foreseen().unwrap();
    let (wrong, right) = (own(&pool, ZeroOne), own(&pool, Hit));
    let (one, other) = (foreseen(&wrong), foreseen(&right));
    for ((one_low, one_high), (low, high)) in
        [(one.gain, other.gain), (one.draw, other.draw), (one.uniform, other.uniform)]
    {
        assert_close(one_low, low, "from the other side");
        assert_close(one_high, high, "from the other side");
        assert!(0.0 < one_low && one_low < one_high);
    }
    // A confidence that says nothing makes one label worth as much as a label of uniform sampling, and no less.
    assert!((0.9..1.0).contains(&one.gain.0), "{one:?}");
    // Labels of other items that are as the model says leave less room.
    let rows = pool.predictions().clone();
    let mut reader = rows.reader();
    let likely = |row: &[f64]| (0..3).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap();
    let labels: Vec<usize> = (0..400).map(|item| likely(reader.row(item))).collect();
    let calibrated = wrong.calibrated(std::slice::from_ref(&rows), &rows, &labels).unwrap();
    let narrower = foreseen(&calibrated);
    assert!(narrower.gain.1 - narrower.gain.0 < one.gain.1 - one.gain.0, "{narrower:?} and {one:?}");
    // Numbers that were read back do not say what was seen of the pool.
    let known = calibrated.recalibration();
    let again = labelwise::surrogate::Recalibration::from_log_priors(
        1,
        3,
        Outcomes::ZeroOne,
        labelwise::surrogate::Origin::Classes,
        known.log_priors().to_vec(),
    );
    assert_eq!(again.unwrap().foreseen(), None);
}

#[test]
fn draws_from_an_exhausted_pool_count_for_more() {
    // Half of the items are certain; most of the others are drawn before the last refresh.
    let size = 200;
    let rows = |item: usize| if item.is_multiple_of(2) { [0.55, 0.45] } else { [0.9999, 0.0001] };
    let pool = Pool::classification(Matrix::f64((0..size).flat_map(rows).collect::<Vec<_>>(), 2).unwrap());
    let pool = pool.unwrap();
    let surrogate = own(&pool, ZeroOne).schedule(Schedule::Every(10));
    let builder = Evaluation::builder(pool, ZeroOne, surrogate).acquisition(Centred).floor(FLOOR);
    let mut evaluation = builder.seed(Seed(2)).build().unwrap();
    let mut oracle = |item: usize| Ok(usize::from(item.is_multiple_of(4)));
    let coefficients = |evaluation: &Evaluation<Classification>| {
        let evidence = evaluation.believing().unwrap().evidence(Imputed::Expected).unwrap();
        evidence.belief.unwrap().coefficients(evidence.samples.len(), size)
    };
    evaluation.run(50, &mut oracle).unwrap();
    assert_eq!(coefficients(&evaluation), None);
    evaluation.run(90, &mut oracle).unwrap();
    let many = coefficients(&evaluation).unwrap();
    assert_eq!(many.len(), 140);
    assert_close(many.iter().sum(), 1.0, "the sum");
    // Those of LURE: N (N − M) / (M (N − m)(N − m + 1)).
    let of_lure = (199.0 * 200.0) / (60.0 * 61.0);
    let ratio = many.last().unwrap() / many.first().unwrap();
    assert!(ratio > 2.0 * of_lure, "{ratio}, not much above {of_lure}");
    evaluation.run(60, &mut oracle).unwrap();
    assert_eq!(coefficients(&evaluation), None);
}

#[test]
fn a_model_without_a_miss_so_far_may_have_none_or_some() {
    // Probabilities of 0 and 1 expect no error; a weak model that is always right expects some.
    let certain = [1.0, 0.0];
    let weak = [0.6, 0.4];
    let losses: [fn(usize) -> f64; 2] = [|_| 0.0, |item| if item == 299 { 1.0 } else { 0.0 }];
    for (row, budget) in [(certain, 25), (certain, 100), (weak, 25), (weak, 100), (weak, 250)] {
        for truth in losses {
            let rows = row.repeat(300);
            let pool = Pool::classification(Matrix::f64(rows, 2).unwrap()).unwrap();
            let surrogate = own(&pool, ZeroOne);
            let builder = Evaluation::builder(pool, ZeroOne, surrogate).acquisition(Centred).floor(FLOOR);
            let mut evaluation = builder.seed(Seed(4)).build().unwrap();
            evaluation.run(budget, &mut |item: usize| Ok(truth(item) as usize)).unwrap();
            let seen = evaluation.draws().iter().any(|draw| truth(draw.index) > 0.0);
            let risk = (0..300).map(truth).sum::<f64>() / 300.0;
            let found = evaluation.interval(&CentredLure, Method::Ordinary, Target::Pool, 0.95).unwrap();
            assert!(found.covers(risk), "{row:?}, {budget} labels, seen {seen}: {found:?}");
            // 0 of M labels leave a rate of 3.69/M of the others.
            if !seen {
                let most = 3.69 / budget as f64 * (300 - budget) as f64 / 300.0;
                assert!(found.low == 0.0 && found.high > 0.99 * most, "{found:?}, not up to {most}");
            }
        }
    }
}
