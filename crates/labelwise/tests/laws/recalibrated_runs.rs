//! The average over recalibrations against NumPy, by runs that are on record; and without bias, by every order of draws.

use std::sync::Arc;

use labelwise::acquisition::Centred;
use labelwise::conformance::every_path;
use labelwise::estimator::{CentredLure, ControlledLure, Estimator, Sample};
use labelwise::interval::{Method, interval};
use labelwise::ledger::{BeliefExpectation, Evidence};
use labelwise::loss::{Bounds, Brier, Loss, Moments, ZeroOne};
use labelwise::proposal::Proposal;
use labelwise::surrogate::{
    Beliefs, Fixed, Mixture, MixtureSums, Observed, Origin, Recalibrated, Schedule, Surrogate,
};
use labelwise::{Classification, CrossEntropy, Evaluation, Matrix, Pool, Seed, Target};

use crate::pools::pool;
use crate::recalibrated::{FLOOR, Shared, assert_close, label, own, stream};

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

/// Averages go from the table of probabilities to the scores without ever being rows; sizes leave some items for the last eight.
#[test]
fn draws_are_those_of_the_average_as_a_table() {
    fn check(size: usize, classes: usize, loss: impl Loss<Classification> + Clone + 'static) {
        let pool = pool(size, classes);
        let tempered = own(&pool, loss.clone()).schedule(Schedule::Never);
        let first = Observed { pool: &pool, labels: &[] };
        let beliefs = tempered.clone().update(first, &mut stream()).unwrap().beliefs.clone();
        let rows = beliefs.rows().reader().rows(0..size).values().to_vec();
        let table = Beliefs::new(Matrix::f64(rows, classes).unwrap(), &pool).unwrap();
        let draws = |surrogate: Box<dyn Surrogate<Classification>>| {
            let builder = Evaluation::builder(pool.clone(), loss.clone(), surrogate).acquisition(Centred);
            let mut evaluation = builder.floor(FLOOR).seed(Seed(5)).build().unwrap();
            evaluation.run(40, &mut |item: usize| Ok(item % classes)).unwrap();
            evaluation.draws().to_vec()
        };
        assert_eq!(draws(Box::new(tempered)), draws(Box::new(Fixed(table))), "{size} items");
    }
    for size in [61, 333, 4_100] {
        check(size, 3, ZeroOne);
        check(size, 3, Brier);
        check(size, 2, CrossEntropy::default());
    }
}
