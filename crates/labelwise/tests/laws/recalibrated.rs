//! The average over recalibrations: against NumPy, by enumeration, from both sides of a rate.

use std::sync::Arc;

use labelwise::acquisition::Centred;
use labelwise::conformance::{check_estimator, check_surrogate, every_path};
use labelwise::estimator::{CentredLure, ControlledLure, Estimator, Sample};
use labelwise::interval::{Basis, Interval, Method, interval};
use labelwise::ledger::{BeliefExpectation, Evidence};
use labelwise::loss::{Bounds, Brier, Loss, Moments, Outcomes, ZeroOne};
use labelwise::proposal::{Floor, Proposal};
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::{
    Beliefs, Mixture, MixtureSums, Observed, Origin, Recalibrated, Schedule, Surrogate,
};
use labelwise::{Classification, CrossEntropy, Evaluation, Matrix, Pool, Seed, Target};

use crate::pools::{self, pool};

type Shared = Arc<dyn Loss<Classification>>;

const FLOOR: Floor = Floor::Mixture { rho: 0.2 };

fn label(item: usize) -> usize {
    pools::label(item, 3)
}

fn stream() -> ChaCha8Rng {
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

/// One run of the fixtures.
struct Run {
    name: &'static str,
    origin: Origin,
    loss: Shared,
    pool: Pool<Classification>,
    experts: Vec<Beliefs<Classification>>,
    labels: Vec<usize>,
    /// Item, q, control, sum of the controls.
    draws: Vec<(usize, [f64; 3])>,
    /// Believed risk, expected variance, estimate and the ends of its interval.
    found: [f64; 5],
}

fn rows(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = file.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').collect())
}

fn numbers(fields: &[&str]) -> Vec<f64> {
    fields.iter().map(|field| field.parse().unwrap()).collect()
}

fn runs() -> Vec<Run> {
    let of_run = |row: Vec<&'static str>| {
        let name = row[0];
        let (loss, classes): (Shared, usize) = match name {
            "cross-entropy-0" => (Arc::new(CrossEntropy::default()), 3),
            "cross-entropy-1" => (Arc::new(CrossEntropy::default()), 2),
            "cross-entropy-2" => (Arc::new(CrossEntropy::default()), 4),
            "zero-one-3" | "zero-one-5" => (Arc::new(ZeroOne), 3),
            "zero-one-4" => (Arc::new(ZeroOne), 2),
            "brier-6" => (Arc::new(Brier), 3),
            "score-7" | "score-8" => (Arc::new(ZeroOne), 2),
            other => panic!("no run `{other}`"),
        };
        let items: Vec<Vec<f64>> = rows(include_str!("../fixtures/recalibrated_pools.csv"))
            .filter(|row| row[0] == name)
            .map(|row| numbers(&row[2..]))
            .collect();
        let given = (items[0].len() - 1) / classes;
        let table = |expert: usize| {
            let values = items.iter().flat_map(|row| row[1 + expert * classes..][..classes].to_vec());
            Matrix::f64(values.collect::<Vec<_>>(), classes).unwrap()
        };
        let pool = Pool::classification(table(given - 1)).unwrap();
        let experts = (0..given).map(|expert| Beliefs::new(table(expert), &pool).unwrap()).collect();
        let draws = rows(include_str!("../fixtures/recalibrated_draws.csv"))
            .filter(|row| row[0] == name)
            .map(|row| (row[1].parse().unwrap(), numbers(&row[2..]).try_into().unwrap()));
        let origin = if name.starts_with("score") { Origin::Scores } else { Origin::Classes };
        Run {
            name,
            origin,
            loss,
            pool,
            experts,
            labels: items.iter().map(|row| row[0] as usize).collect(),
            draws: draws.collect(),
            found: numbers(&row[1..]).try_into().unwrap(),
        }
    };
    rows(include_str!("../fixtures/recalibrated_estimates.csv")).map(of_run).collect()
}

/// The proposal of a moment, and the control of every item.
fn proposed(run: &Run, surrogate: &mut Recalibrated, observed: &[(usize, usize)]) -> (Vec<f64>, Vec<f64>) {
    let seen = Observed { pool: &run.pool, labels: observed };
    let beliefs = surrogate.update(seen, &mut stream()).unwrap().beliefs.clone();
    let size = run.pool.pool_size();
    let mut open = vec![true; size];
    observed.iter().for_each(|(item, _)| open[*item] = false);
    let moments: Vec<Moments> = (0..size)
        .map(|item| {
            let (mut predictions, mut rows) = (run.pool.predictions().reader(), beliefs.rows().reader());
            run.loss.moments(predictions.row(item), rows.row(item))
        })
        .collect();
    let first: Vec<f64> = moments.iter().map(|moments| moments.first).collect();
    let candidates = labelwise::acquisition::Candidates {
        pool: &run.pool,
        loss: &*run.loss,
        beliefs: &beliefs,
        first: &first,
        second: moments.iter().map(|moments| moments.second).collect(),
        open: &open,
        observed,
    };
    let scores = labelwise::acquisition::Acquisition::scores(&mut Centred, candidates).unwrap();
    let proposal = Proposal::new(scores, &open, FLOOR, stream()).unwrap();
    (proposal.weights().to_vec(), first)
}

#[track_caller]
fn assert_close(value: f64, expected: f64, what: &str) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{what}: {value}, not {expected}");
}

#[test]
fn draws_estimates_and_intervals_are_those_of_numpy() {
    let runs = runs();
    assert_eq!(runs.len(), 9);
    for run in &runs {
        let size = run.pool.pool_size();
        let experts = run.experts.clone();
        let mut surrogate =
            Recalibrated::with_origin(experts, &run.pool, run.loss.clone(), run.origin).unwrap();
        let mut observed: Vec<(usize, usize)> = Vec::new();
        let mut samples = Vec::new();
        let mut sums: Vec<MixtureSums> = Vec::new();
        let (mut weights, mut controls) = (Vec::new(), Vec::new());
        let mut open = vec![true; size];
        for (m, (item, [q, control, control_total])) in run.draws.iter().enumerate() {
            if [0, 10, 20, 50].contains(&m) {
                (weights, controls) = proposed(run, &mut surrogate, &observed);
                let kept = surrogate.sums(&run.pool, &open, &weights).unwrap();
                sums.push(MixtureSums { drawn: m, ..kept });
            }
            let left = |column: &[f64]| -> f64 { (0..size).filter(|i| open[*i]).map(|i| column[i]).sum() };
            let what = format!("{}, draw {m}", run.name);
            assert_close(weights[*item] / left(&weights), *q, &what);
            assert_close(controls[*item], *control, &what);
            assert_close(left(&controls), *control_total, &what);
            let label = run.labels[*item];
            let loss = run.loss.loss(run.pool.predictions().reader().row(*item), label);
            let (q, control, control_total) = (*q, *control, *control_total);
            samples.push(Sample { control, control_total, ..Sample::plain(*item, q, loss) });
            observed.push((*item, label));
            open[*item] = false;
        }
        let seen = Observed { pool: &run.pool, labels: &observed };
        let weights = surrogate.interval_weights(seen).unwrap();
        let since: Vec<usize> = observed[50..].iter().map(|(item, _)| *item).collect();
        let last = sums.last().unwrap();
        let belief = BeliefExpectation {
            unseen: last.expected(&weights) - surrogate.expected(&run.pool, &since, &weights).unwrap(),
            refreshes: sums.iter().map(|sums| (sums.drawn, sums.draw(&weights))).collect(),
            outcomes: run.loss.outcomes(),
        };
        let [believed, _, estimate, low, high] = run.found;
        let losses: f64 = samples.iter().map(|sample| sample.loss).sum();
        assert_close((losses + belief.unseen) / size as f64, believed, run.name);
        let most = (0..size)
            .filter(|item| open[*item])
            .map(|item| run.loss.bounds(run.pool.predictions().reader().row(item)).unwrap().high);
        let evidence = Evidence {
            unlabelled: Some(Bounds { low: 0.0, high: most.sum() }),
            range: run.loss.range(),
            belief: Some(belief),
            ..Evidence::from_samples(samples, size)
        };
        assert_close(evidence.estimate(&CentredLure).unwrap(), estimate, run.name);
        let found = interval(&evidence, &CentredLure, Method::Ordinary, Target::Pool, 0.95).unwrap();
        assert_close(found.low, low, run.name);
        assert_close(found.high, high, run.name);
    }
}

fn own(pool: &Pool<Classification>, loss: impl Loss<Classification> + 'static) -> Recalibrated {
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
fn controlled_lure_stays_unbiased_while_labels_recalibrate_the_belief() {
    let pool = pool(5, 3);
    let loss = CrossEntropy::default();
    let losses: Vec<f64> =
        (0..5).map(|item| loss.loss(pool.predictions().reader().row(item), label(item))).collect();
    let risk = losses.iter().sum::<f64>() / 5.0;
    let run = |past: &[(usize, f64)]| {
        let run = Run {
            name: "enumerated",
            origin: Origin::Classes,
            loss: Arc::new(loss),
            experts: vec![pool.own_beliefs().unwrap()],
            pool: pool.clone(),
            labels: Vec::new(),
            draws: Vec::new(),
            found: [0.0; 5],
        };
        let mut surrogate = own(&pool, loss).schedule(Schedule::Every(1));
        let observed: Vec<(usize, usize)> = past.iter().map(|(item, _)| (*item, label(*item))).collect();
        proposed(&run, &mut surrogate, &observed)
    };
    for budget in 1..5 {
        let paths = every_path(5, budget, |past| run(past).0);
        let mean: f64 = paths
            .iter()
            .map(|path| {
                let samples: Vec<Sample> = (0..path.draws.len())
                    .map(|m| {
                        let controls = run(&path.draws[..m]).1;
                        let (item, q) = path.draws[m];
                        let drawn = |i: &usize| path.draws[..m].iter().any(|(item, _)| item == i);
                        let control_total = (0..5).filter(|i| !drawn(i)).map(|i| controls[i]).sum();
                        Sample {
                            control: controls[item],
                            control_total,
                            ..Sample::plain(item, q, losses[item])
                        }
                    })
                    .collect();
                path.probability * ControlledLure.estimate(&samples, 5).unwrap()
            })
            .sum();
        assert!((mean - risk).abs() < 1e-10, "{budget} labels: {mean}, not {risk}");
    }
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
